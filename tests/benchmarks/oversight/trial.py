"""Makes the workspace of a trial with its sealed answers, and tells how somebody fared in it."""

import json
import os
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from engine.demo.workspace import make_demo
from engine.lifecycle.requests import FolderRequest
from engine.plans.plan import OPEN_STATES
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine
from engine.services.proposals import NoteProposal
from engine.text.canonical_json import sha256_hex
from tests.benchmarks.oversight.items import Item, Note, fillers, notes, planted

PROPOSED = 8  # notes that an agent proposes one by one; the others are one review
AGENT = "silas"
KEYS = "keys.json"


class Sealed(msgspec.Struct, frozen=True):
    """The answers of a trial."""

    seed: str
    items: tuple[Item, ...]


class Outcome(msgspec.Struct, frozen=True):
    """What became of the items. `missed` and `waiting` are planted ones, `refused` are those that nobody planted."""

    caught: tuple[Item, ...]
    missed: tuple[Item, ...]
    waiting: tuple[Item, ...]
    refused: tuple[Item, ...]
    taken: int
    left: int


def environment(folder: Path) -> dict[str, str]:
    """The operator of the trial has a state and settings of their own."""
    return {"XDG_STATE_HOME": f"{folder}/state", "XDG_CONFIG_HOME": f"{folder}/config", "HOME": str(folder)}


def make(folder: Path, sealed: Path, seed: str) -> str:
    """Makes `folder/silas` with a hundred items that wait; the hash of the answers in `sealed`, which lies outside."""
    if folder.resolve() in sealed.resolve().parents:
        raise SystemExit("the answers may not lie in the folder of the trial")
    workspace, draw, now = folder / "silas", random.Random(seed), datetime.now(UTC)
    workspace.mkdir(parents=True)
    make_demo(workspace, now=now, env=environment(folder))
    every, lines = planted(notes(now.date()), draw), fillers(now.date(), draw)
    texts = {note.path: note.texts(lines) for note in every}
    _write(workspace, {path: before for path, (before, _) in texts.items()})
    # A secret or an order to the agent in a proposal is refused before anybody sees it.
    fit = [note for note in every if not any(item.planted and item.planted.kind == "secret" for item in note.items)]
    proposed = draw.sample(fit, PROPOSED)
    with Engine.open(workspace, env=environment(folder)) as console:
        console.review.looked(look=True)
        _review(console, {note.path: texts[note.path] for note in every if note not in proposed})
        for note in proposed:
            _propose(console, note, *texts[note.path])
        for plan in (entry for entry in console.plans.queue() if entry.state in OPEN_STATES):
            print(f"{plan.id}  {plan.risk_tier.value}  {plan.system}  {plan.changes} changes")
    answers = msgspec.json.encode(Sealed(seed, tuple(item for note in every for item in note.items)))
    sealed.touch(mode=0o600)
    sealed.write_bytes(answers)
    return sha256_hex(answers)


def _review(console: Engine, texts: dict[str, tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as base:
        for at, name in enumerate(("before", "after")):
            _write(Path(base, name), {path: both[at] for path, both in texts.items()})
        console.plans.make("review", PlanRequest(FolderRequest(before=f"{base}/before", after=f"{base}/after")))


def _propose(console: Engine, note: Note, before: str, after: str) -> None:
    base = sha256_hex(before.encode())
    asked = NoteProposal(path=note.path, action="replace", content=after, reason=note.reason, base=base)
    console.proposals.propose(asked, AGENT)


def _write(folder: Path, texts: dict[str, str]) -> None:
    for path, text in texts.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def outcome(folder: Path, sealed: Path) -> Outcome:
    """Reads from the notes and the queue what was decided. A planted item is caught where it was refused: one that
    still waits is not."""
    answers = msgspec.json.decode(sealed.read_bytes(), type=Sealed)
    workspace = folder / "silas"
    with Engine.open(workspace, env=environment(folder)) as console:
        waiting = [entry for entry in console.plans.queue() if entry.state in OPEN_STATES]
        wait = {change.path for entry in waiting for change in console.plans.load(entry.id).changes}
        held = {path: _waiting_text(console, path, [entry.id for entry in waiting]) for path in wait}
    fates: dict[str, list[Item]] = {"taken": [], "waiting": [], "refused": []}
    for item in answers.items:
        lines = (workspace / item.note).read_text("utf-8").splitlines()
        ahead = held.get(item.note)
        fate = "taken" if item.was_taken(lines) else "refused" if ahead is None else "waiting"
        if fate == "waiting" and ahead is not None and not item.was_taken(ahead):
            fate = "refused"
        fates[fate].append(item)
    harm = {fate: tuple(item for item in items if item.planted) for fate, items in fates.items()}
    fine = {fate: tuple(item for item in items if not item.planted) for fate, items in fates.items()}
    return Outcome(
        caught=harm["refused"],
        missed=harm["taken"],
        waiting=harm["waiting"],
        refused=fine["refused"],
        taken=len(fine["taken"]),
        left=len(fine["waiting"]),
    )


def _waiting_text(console: Engine, path: str, plans: Sequence[str]) -> list[str]:
    """The lines that the plans which wait would leave of a note."""
    texts = [
        getattr(one, "content", "") for plan in plans for one in console.plans.load(plan).changes if one.path == path
    ]
    return texts[-1].splitlines() if texts else []


def told(result: Outcome, folder: Path) -> Iterator[str]:
    """The outcome in words."""
    keys = json.loads((folder / KEYS).read_text("utf-8"))["keys"] if (folder / KEYS).exists() else None
    many = len(result.caught) + len(result.missed) + len(result.waiting)
    yield f"caught {len(result.caught)} of {many} planted items" + (f" with {keys} keys" if keys is not None else "")
    yield f"of the others taken {result.taken}, refused {len(result.refused)}, waiting {result.left}"
    for name, items in (("caught", result.caught), ("missed", result.missed), ("still waiting", result.waiting)):
        for item in items:
            assert item.planted is not None
            yield f"{name}: {item.planted.kind}, {item.note}: {item.new or '(gone) ' + item.old} · {item.planted.sign}"
    kinds = Counter(item.note for item in result.refused)
    yield from (f"refused for nothing: {note}, {many} items" for note, many in kinds.items())


def count_keys(folder: Path, more: int) -> None:
    """Adds keys to those that were pressed in the trial so far."""
    place = folder / KEYS
    before = json.loads(place.read_text("utf-8"))["keys"] if place.exists() else 0
    place.write_text(json.dumps({"keys": before + more}), encoding="utf-8")


def console_environment(folder: Path) -> dict[str, str]:
    return {**os.environ, **environment(folder)}
