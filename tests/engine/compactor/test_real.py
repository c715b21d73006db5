"""The compactor on real notes, with the real scan, tokenizer and summariser, from working memory to semantic memory."""

import re
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.compactor.options import CompactorHistory
from engine.compactor.plan import plan_compaction
from engine.compactor.semantic.entry import valid_entries
from engine.context.compile.fenced_pieces import RememberedCounts
from engine.models.extractive import ExtractiveSummariser
from engine.plans.operation import Rename, Write
from engine.plans.plan import Append, Create, Move, Plan
from engine.plans.planning import Planning, PlanOutcome
from engine.plans.policy.values import Policy
from engine.plans.prediction import predict
from engine.text.document import split_lines
from engine.text.frontmatter import read_frontmatter
from engine.text.tokens import counter
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.scanner import Scanner
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import LineSpan

EXACT = RememberedCounts(counter("o200k_base"))


def planned(folder: Path, now: datetime) -> tuple[PlanOutcome, dict[str, bytes]]:
    """A dry run, and the bytes of every file that its plan would leave behind or move."""
    with WorkspaceRoot.open(folder) as root:
        scanner = Scanner(root, cache_file=folder.parent / "cache", counter=EXACT, zone="UTC", git_dates=None)
        snapshot = scanner.scan(now)
        planning = Planning(snapshot=snapshot, policy=Policy(), now=now, counter=EXACT)
        history = CompactorHistory(applied=True)
        outcome = plan_compaction(planning, summariser=ExtractiveSummariser(), history=history)
        assert outcome.plan is not None
        return outcome, _carry_out(folder, outcome.plan, snapshot)


_DAY = re.compile(r"\A\d{4}-\d\d-\d\d: ")
"""Stands before a context whose insight counts time from that day."""


def _carry_out(folder: Path, plan: Plan, snapshot: Snapshot) -> dict[str, bytes]:
    """What applying does, without its safety: tests of the executor stand elsewhere."""
    prediction = predict(plan, tuple(change.n for change in plan.changes), snapshot.content)
    before = {change.path: snapshot.content(change.path) for change in plan.changes if isinstance(change, Move)}
    for effect in prediction.effects:
        if isinstance(effect, Write):
            target = folder / effect.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(prediction.contents[effect.after])
        elif isinstance(effect, Rename):
            target = folder / effect.to
            target.parent.mkdir(parents=True, exist_ok=True)
            assert not target.exists()
            (folder / effect.path).rename(target)
    return before


@pytest.fixture
def diary(shared_data: Path, tmp_path: Path) -> Path:
    """91 days of real messages as working notes."""
    folder = tmp_path / "workspace"
    shutil.copytree(shared_data / "memaware" / "memory", folder / "memory" / "working")
    return folder


@pytest.mark.sampled(3)
def test_a_real_diary_goes_to_episodic_and_on_to_semantic_memory_and_loses_no_byte(diary: Path) -> None:
    originals = {path.name: path.read_bytes() for path in (diary / "memory" / "working").glob("*.md")}
    outcome, moved = planned(diary, datetime(2023, 8, 20, 3, tzinfo=UTC))
    assert outcome.plan is not None
    assert all(gate.passed for gate in outcome.plan.gates)
    assert len(moved) == len(originals) == outcome.facts["files_compacted"]
    assert not list((diary / "memory" / "working").glob("*.md"))
    archived = {path.name: path.read_bytes() for path in (diary / "memory" / "archive").iterdir()}
    assert archived == {f"{name[:-3]}-archived-2023-08-20.md": data for name, data in originals.items()}
    _every_bullet_stands_in_its_source(outcome.plan, moved)
    _the_compiled_files_are_dated_by_their_source(diary)

    compiled = {f"memory/episodic/{path.name}": path.read_bytes() for path in (diary / "memory" / "episodic").iterdir()}
    later, _ = planned(diary, datetime(2023, 9, 30, 3, tzinfo=UTC))
    assert later.plan is not None
    assert all(gate.passed for gate in later.plan.gates)
    shard = (diary / "memory" / "semantic" / "openclaw.md").read_text(encoding="utf-8")
    assert later.facts["semantic"]["shards"][0]["projected"] == EXACT.count(shard) <= 1200
    # What has no room there goes straight into a new shard; an index has no entry.
    shards = [path.read_text("utf-8") for path in (diary / "memory" / "semantic").glob("[!_]*.md")]
    assert sum(len(valid_entries(one)) for one in shards) == later.facts["insights_extracted"] > 0
    whole = {f"memory/archive/{name}": data for name, data in archived.items()}
    _every_field_stands_in_its_source(later.plan, compiled | whole)


def _bare(text: str) -> str:
    return text.replace("*", "").replace("\\", "")


_NUMBERED = re.compile(r"(?<= )\d[\d.]*\. ")


def _every_bullet_stands_in_its_source(plan: Plan, sources: dict[str, bytes]) -> None:
    checked = 0
    for change in plan.changes:
        if not isinstance(change, Create) or not change.origins:
            continue
        lines = split_lines(change.content)
        for origin in change.origins:
            source = split_lines(sources[origin.source.path].decode())
            said = " ".join(" ".join(source[origin.source.start - 1 : origin.source.end]).split())
            # Line ends that nobody resolved, and numbers that stand between sentences.
            said = _NUMBERED.sub("", re.sub(r" *(?:\\n)+", " · ", said))
            bullet = _NUMBERED.sub("", lines[origin.line - 1].removeprefix("- ").removesuffix(" …"))
            assert _bare(bullet) in _bare(said), f"{origin.source}: {bullet}"
            checked += 1
    assert checked > 250


def _the_compiled_files_are_dated_by_their_source(folder: Path) -> None:
    for path in (folder / "memory" / "episodic").glob("*.md"):
        values = read_frontmatter(path.read_bytes()).values
        assert values["source-date"] == path.stem
        assert values["summary"] == "extractive"


def _every_field_stands_in_its_source(plan: Plan, sources: dict[str, bytes]) -> None:
    for change in plan.changes:
        if not isinstance(change, Append | Create) or not change.origins:
            continue
        lines = split_lines(change.content)
        for number in {origin.line for origin in change.origins}:
            if lines[number - 1].startswith("Title: "):  # it names the subject, and need not be a part of a line
                continue
            text = _DAY.sub("", lines[number - 1].partition(": ")[2])
            spans = [origin.source for origin in change.origins if origin.line == number]
            said = " ".join(_lines(sources, span) for span in spans)
            # Of several facts each is a part of its own line, and has a full stop where that has none.
            for part in re.split(r"(?<=[.!?…])\s", text) if len(spans) > 1 else [text]:
                assert part.rstrip(".") in f"{said} {spans[0].path}", f"{spans}: {part}"


def _lines(sources: dict[str, bytes], span: LineSpan) -> str:
    source = split_lines(sources[span.path].decode())
    return " ".join(source[span.start - 1 : span.end]).removeprefix("- ")


@pytest.mark.parametrize("corpus", ["memorybank-cn/user00", "memorybank-en/user00"])
def test_diaries_in_other_languages_compact_too(shared_data: Path, tmp_path: Path, corpus: str) -> None:
    folder = tmp_path / "workspace"
    shutil.copytree(shared_data / corpus / "memory", folder / "memory" / "working")
    outcome, moved = planned(folder, datetime(2026, 1, 4, 3, tzinfo=UTC))
    assert outcome.plan is not None
    assert all(gate.passed for gate in outcome.plan.gates)
    assert moved
    summaries = [change.content for change in outcome.plan.changes if isinstance(change, Create)]
    assert not any("(nothing worth keeping)" in text for text in summaries)


@pytest.mark.sampled(3)
def test_planning_twice_gives_the_same_digest(diary: Path) -> None:
    now = datetime(2023, 8, 20, 3, tzinfo=UTC)
    digests = set()
    for _ in range(2):
        with WorkspaceRoot.open(diary) as root:
            scanner = Scanner(root, cache_file=diary.parent / "cache", counter=EXACT, zone="UTC", git_dates=None)
            planning = Planning(snapshot=scanner.scan(now), policy=Policy(), now=now, counter=EXACT)
            history = CompactorHistory(applied=True)
            outcome = plan_compaction(planning, summariser=ExtractiveSummariser(), history=history)
        assert outcome.plan is not None
        digests.add(outcome.plan.digest)
    assert len(digests) == 1
