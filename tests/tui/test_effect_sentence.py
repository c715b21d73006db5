"""The sentence that one approves by says what applying does: each file that lasts once, with its end."""

import random
import re
from pathlib import Path

import pytest

from engine.plans.apply.entry import apply
from engine.plans.plan import Change, Plan
from engine.plans.policy.values import Limits
from engine.plans.sizes import PlanSizes, lasting_files
from engine.text.tokens import WordsCounter
from tests.engine.plans.rig import Rig, append, create, move, overwrite
from tests.turn import TURN
from tui.present.approvals.effect_sentence import sentence
from tui.present.spans import plain

_COUNT = WordsCounter().count
_LIMITS = {"memory/ROOT.md": " of 3,000", "MEMORY.md": ""}
_LASTING = ("memory/semantic/openclaw.md", "memory/semantic/deep/openclaw.md", "memory/ROOT.md", "MEMORY.md")
_MORE = tuple(f"memory/semantic/shard-{n}.md" for n in range(5))
_PLANS, _EACH = 2_000, 20


def _text(chance: random.Random) -> str:
    entries = ("Title: Depot\n\nInsight: closed on Sundays\n\n", "plain words\n", "Title: Bees\n- fed in May\n")
    return "".join(chance.choices(entries, k=chance.randint(1, 30)))


def _changes(rig: Rig, chance: random.Random) -> list[Change]:
    """Writes to files that last, several to one, and moves of notes between them."""
    found: list[Change] = []
    known: set[str] = set()
    for path in chance.sample(_LASTING + _MORE, chance.randint(1, 7)):
        if chance.random() < 0.7:
            rig.write(path, _text(chance))
            known.add(path)
    for n in range(1, chance.randint(2, 24)):
        path = chance.choice(_LASTING + _MORE)
        if chance.random() < 0.2:
            rig.write(f"memory/working/{n}.md", "note\n")
            found.append(move(n, f"memory/working/{n}.md", f"memory/archive/{n}.md"))
        elif path not in known:
            known.add(path)
            found.append(create(n, path, _text(chance)))
        else:
            make = overwrite if chance.random() < 0.2 else append
            found.append(make(n, path, _text(chance)))
    return found


def _chosen(plan: Plan, chance: random.Random) -> tuple[int, ...]:
    """Some of the changes; of a file that is created, its creation with the rest."""
    taken = {change.n for change in plan.changes if chance.random() < 0.8}
    made = {change.path: change.n for change in plan.changes if type(change).__name__ == "Create"}
    return tuple(sorted(taken | {made[one.path] for one in plan.changes if one.n in taken and one.path in made}))


def _size(rig: Rig, path: str) -> tuple[int, int]:
    text = rig.read(path).decode() if (rig.folder / path).is_file() else ""
    return _COUNT(text), len(re.findall("(?m)^Title:", text))


def _holds(folder: Path, seed: int) -> None:
    chance = random.Random(seed)
    rig = Rig(folder / "workspace", folder / "home")
    plan = rig.plan(*_changes(rig, chance))
    numbers = _chosen(plan, chance)
    sizes = PlanSizes(lasting_files(plan, rig.ctx.root.read, Limits()), (), _COUNT)
    said = plain(sentence(plan, sizes, numbers))
    before = {path: _size(rig, path) for path in _LASTING + _MORE}
    rig.with_ctx(
        measure=lambda plan, numbers, read: PlanSizes(lasting_files(plan, read, Limits()), (), _COUNT).files(numbers)
    )
    before_bytes = {path: rig.sha256(path) for path in before}
    if numbers:
        apply(rig.ctx, plan, rig.approve(plan, numbers))
    changed = [path for path in before if rig.sha256(path) != before_bytes[path]]
    for path in changed:
        end = f"{before[path][0]:,} → {_size(rig, path)[0]:,}{_LIMITS.get(path, ' of 1,200')}"
        assert said.count(end) >= 1, (seed, path, end, said)
    assert len(re.findall("[0-9] → [0-9]", said)) == len(changed), (seed, said)
    moved = sum(type(one).__name__ == "Move" for one in plan.changes if one.n in numbers)
    assert (f"moves {moved} file" in said.casefold()) == bool(moved), (seed, said)
    told = [one.data.get("lasting", []) for one in rig.ctx.audit.records() if one.kind == "intent"]
    assert sorted(one["path"] for one in (told[0] if told else [])) == sorted(changed)
    for one in told[0] if told else []:
        assert (one["before"], one["after"]) == (before[one["path"]][0], _size(rig, one["path"])[0])
        assert one["entries"] == _size(rig, one["path"])[1] - before[one["path"]][1]


@pytest.mark.parametrize(
    "group",
    [
        pytest.param(group, marks=() if group == TURN % (_PLANS // _EACH) else (pytest.mark.soak,))
        for group in range(_PLANS // _EACH)
    ],
)
def test_the_sentence_is_what_applying_does(tmp_path: Path, group: int) -> None:
    for seed in range(group * _EACH, (group + 1) * _EACH):
        _holds(tmp_path / str(seed), seed)


def test_entries_of_one_shard_are_told_once_with_its_end(tmp_path: Path) -> None:
    """It said "appends 1 entry to openclaw.md" once for each, and named its end nowhere."""
    rig = Rig(tmp_path / "workspace", tmp_path / "home")
    path = "memory/semantic/openclaw.md"
    rig.write(path, "# Openclaw\n")
    plan = rig.unqueued(*(append(n, path, "Title: Bees\n\nInsight: fed in May\n") for n in range(1, 20)))
    sizes = PlanSizes(lasting_files(plan, rig.ctx.root.read, Limits()), (), _COUNT)
    assert plain(sentence(plan, sizes, range(1, 20))) == "Appends 19 entries to openclaw.md: 4 → 153 of 1,200 tokens."
    assert plain(sentence(plan, sizes, (2, 7))).startswith("Appends 2 entries to openclaw.md: 4 → ")
