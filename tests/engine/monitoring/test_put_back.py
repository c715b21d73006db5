"""Every way to put earlier bytes back works above every cap, and says which lines will not load (decision G25)."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.lifecycle.requests import ArchiveRequest
from engine.plans.operation import Operation
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine
from tests.engine.approved import applied, undone
from tests.engine.history.repos import git, make_repo, write

MEMORY = "MEMORY.md"
SHARD = "memory/semantic/openclaw.md"
LARGE = "".join(f"- entry {number} of what must last\n" for number in range(1, 243))
"""242 lines, above the 200 that agents load and the 220 that the hook allows."""
HEAVY = "".join(f"- fact {number} costs more tokens than a shard may have\n" for number in range(1, 400))
SMALL = "- one\n- two\n- three\n"


@pytest.fixture
def engine(tmp_path: Path, own_home: Path) -> Iterator[Engine]:
    first = {MEMORY: LARGE, SHARD: HEAVY, "knowledge/memory/MEMORY.md": LARGE, "knowledge/a.md": "a\n"}
    workspace = make_repo(tmp_path / "agent", first, at="2026-03-01T10:00:00Z")
    with Engine.open(workspace) as opened:
        opened.review.looked(look=True)
        yield opened


def text(engine: Engine, path: str = MEMORY) -> str:
    return (engine.workspace / path).read_text()


def by_path(engine: Engine) -> Operation:
    return applied(engine, engine.revert.plan((MEMORY,)))


def by_date(engine: Engine) -> Operation:
    return applied(engine, engine.revert.plan((f"{MEMORY}@2026-03-02",)))


def by_commit(engine: Engine) -> Operation:
    git(engine.workspace, "commit", "-q", "-am", "agent's")
    return applied(engine, engine.revert.plan((git(engine.workspace, "rev-parse", "HEAD"),)))


def by_hunk(engine: Engine) -> Operation:
    return applied(engine, engine.revert.plan((f"{MEMORY}#1",)))


def by_redo(engine: Engine) -> Operation:
    operation = by_path(engine)
    undone(engine, operation)
    assert text(engine) == SMALL
    return applied(engine, engine.history.redo(operation.id))


WAYS: tuple[Callable[[Engine], Operation], ...] = (by_path, by_date, by_commit, by_hunk, by_redo)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_g25_what_an_agent_overwrote_comes_back_however_large_it_is(
    engine: Engine, way: Callable[[Engine], Operation]
) -> None:
    write(engine.workspace, {MEMORY: SMALL})
    operation = way(engine)
    assert text(engine) == LARGE
    plan = engine.plans.load(operation.plan)
    assert any("will not load 42 lines of MEMORY.md, from line 201 on" in one for one in plan.warnings)
    assert "hooks: MEMORY.md has 242 lines, 220 are allowed" in plan.warnings


def test_g25_a_workspace_that_is_over_already_may_grow_by_what_stood_there(engine: Engine) -> None:
    """A revert from 543 to 548 lines was refused."""
    much = LARGE + "".join(f"- line {number}\n" for number in range(543))
    write(engine.workspace, {MEMORY: LARGE, "knowledge/memory/MEMORY.md": much + "- five\n" * 5})
    engine.review.looked(look=True)
    write(engine.workspace, {"knowledge/memory/MEMORY.md": much})
    applied(engine, engine.revert.plan(("knowledge/memory/MEMORY.md",)))
    assert text(engine, "knowledge/memory/MEMORY.md") == much + "- five\n" * 5


def test_g25_a_shard_comes_back_above_its_hard_limit(engine: Engine) -> None:
    write(engine.workspace, {SHARD: SMALL})
    applied(engine, engine.revert.plan((SHARD,)))
    assert text(engine, SHARD) == HEAVY


def test_g25_an_undo_brings_a_large_file_back_and_its_diff_says_what_will_not_load(engine: Engine) -> None:
    write(engine.workspace, {MEMORY: SMALL + LARGE})
    small = applied(engine, engine.revert.plan((f"{MEMORY}@2026-03-02",)))
    (diff,) = engine.history.reversal_diffs(engine.history.reversal(small.id))
    assert diff.note == "Claude Code will not load 3 lines of MEMORY.md, from line 201 on"
    undone(engine, small)
    assert text(engine) == SMALL + LARGE


def test_g25_what_was_archived_is_restored_above_the_cap(engine: Engine) -> None:
    (engine.workspace / "archive/knowledge/memory").mkdir(parents=True)
    (engine.workspace / "knowledge/memory/MEMORY.md").rename(engine.workspace / "archive/knowledge/memory/MEMORY.md")
    made = engine.plans.make("restore", PlanRequest(ArchiveRequest(take=("archive/knowledge/memory/MEMORY.md",))))
    (change,) = made.plan.changes if made.plan else ()
    applied(engine, made)
    assert text(engine, getattr(change, "to", "")) == LARGE


@pytest.mark.parametrize(
    "wreck",
    [
        LARGE.encode("utf-16"),
        b"",
        b"\0\0",
        LARGE.replace("e", "\xe9").encode("cp1252"),
        b"<<<<<<< HEAD\n" + LARGE.encode(),
    ],
    ids=["utf-16", "empty", "nul", "cp1252", "markers"],
)
def test_g25_bytes_that_are_no_text_are_reverted_to_the_byte(engine: Engine, wreck: bytes) -> None:
    (engine.workspace / MEMORY).write_bytes(wreck)
    applied(engine, engine.revert.plan((MEMORY,)))
    assert text(engine) == LARGE


def test_g25_a_consolidation_is_taken_back_above_the_cap(engine: Engine) -> None:
    mark = "\n## Promoted From Short-Term Memory (2026-03-15)\n\n<!-- openclaw-memory-promotion:memory:x -->\n- four\n"
    write(engine.workspace, {"SOUL.md": "# Soul\n", "CLAUDE.md": "# As agreed\n"})
    engine.review.looked(look=True)
    write(engine.workspace, {MEMORY: SMALL + mark})
    engine.review.since_looked(look=True)
    (item,) = engine.consolidations.look()
    operation = applied(engine, engine.revert.consolidation(item.consolidation.id))
    assert text(engine) == LARGE
    warnings = engine.plans.load(operation.plan).warnings
    assert any("will not load 42 lines of MEMORY.md, from line 201 on" in one for one in warnings)
