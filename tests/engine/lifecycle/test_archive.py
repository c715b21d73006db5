"""Archive: files move whole, are found with a mark, are never compiled, and come back by a plan alone (D26, D52)."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.context.platforms.platform import SessionKind
from engine.errors import UsageError
from engine.lifecycle.requests import ArchiveRequest
from engine.plans.plan import Move, Plan, RiskTier
from engine.plans.planning import PlanOutcome, PlanRequest
from engine.services.context import NO_HISTORY
from engine.services.engine import Engine
from tests.engine.lifecycle.applying import approve

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
NOTE = "knowledge/reference/zebra.md"
COLD = "archive/reference/zebra.md"
SAID = b"\xef\xbb\xbf# Zebra\r\n\r\n- The zebra queue is drained at midnight\r\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    put(folder, NOTE, SAID)
    put(folder, "memory/working/2026-10-01-notes.md", b"# Notes\n")
    put(folder, "knowledge/identity/SOUL.md", b"# Soul\n")
    return folder


def put(workspace: Path, path: str, data: bytes) -> None:
    file = workspace / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


def opened(workspace: Path) -> Engine:
    return Engine.open(workspace, clock=lambda: NOW)


def planned(workspace: Path, system: str, *take: str) -> PlanOutcome:
    with opened(workspace) as console:
        return console.plans.make(system, PlanRequest(ArchiveRequest(take=take)))


def moves(plan: Plan | None) -> dict[str, str]:
    assert plan is not None and plan.risk_tier is RiskTier.B
    assert all(isinstance(change, Move) for change in plan.changes)
    return {change.path: change.to for change in plan.changes if isinstance(change, Move)}


def test_d26_a_named_file_and_a_named_folder_move_whole_and_come_back(workspace: Path) -> None:
    put(workspace, "knowledge/projects/atlas/context.md", b"# Atlas\n")
    put(workspace, "knowledge/projects/atlas/notes.md", b"# Notes\n")
    with opened(workspace) as console:
        plan = console.plans.make("archive", PlanRequest(ArchiveRequest(take=(NOTE, "knowledge/projects/atlas/")))).plan
        assert moves(plan) == {
            NOTE: COLD,
            "knowledge/projects/atlas/context.md": "archive/projects/atlas/context.md",
            "knowledge/projects/atlas/notes.md": "archive/projects/atlas/notes.md",
        }
        approve(console, plan)
        assert (workspace / COLD).read_bytes() == SAID and not (workspace / NOTE).exists()
        back = console.plans.make("restore", PlanRequest(ArchiveRequest(take=(COLD,)))).plan
        assert moves(back) == {COLD: NOTE}
        approve(console, back)
    assert (workspace / NOTE).read_bytes() == SAID


def test_d26_a_note_of_a_memory_tier_comes_back_to_where_the_records_say_it_was(workspace: Path) -> None:
    put(workspace, "memory/episodic/2026-10-02.md", b"# Compiled\n")
    with opened(workspace) as console:
        plan = console.plans.make("archive", PlanRequest(ArchiveRequest(take=("memory/episodic",)))).plan
        place = "memory/archive/2026-10-02-archived-2026-11-23.md"
        assert moves(plan) == {"memory/episodic/2026-10-02.md": place}
        approve(console, plan)
        assert moves(console.plans.make("restore", PlanRequest(ArchiveRequest(take=(place,)))).plan) == {
            place: "memory/episodic/2026-10-02.md"
        }


def test_d52_what_is_archived_is_found_with_a_mark_and_never_compiled(workspace: Path) -> None:
    topic = "---\ntype: topic\ntriggers:\n  - type: keywords\n    match: [zebra]\nactivation: auto\n"
    put(workspace, "topics/zebra.md", f"{topic}subscriptions:\n  - {COLD}\n---\n\n# Zebra\n\nOf zebras.\n".encode())

    def seen(console: Engine) -> tuple[dict[str, bool], str, dict[str, str]]:
        hits = {hit.path: hit.archived for hit in console.search.find("zebra queue midnight").hits}
        made = console.context.compile("zebra queue midnight", SessionKind.MAIN, history=NO_HISTORY)
        return hits, made.prompt, {item.path: item.reason for item in made.items if not item.end}

    with opened(workspace) as console:
        hits, prompt, _ = seen(console)
        assert hits[NOTE] is False and "drained at midnight" in prompt
        approve(console, console.plans.make("archive", PlanRequest(ArchiveRequest(take=(NOTE,)))).plan)
        hits, prompt, refused = seen(console)
        assert hits[COLD] is True and NOTE not in hits
        assert "drained at midnight" not in prompt and refused[COLD] == "the archive is not compiled"
        for system in ("prune", "compact", "tree", "extract", "lint", "archive"):
            plan = console.plans.make(system).plan
            touched = {change.path for change in plan.changes} if plan is not None else set()
            assert not [path for path in touched if path.startswith(("archive/", "memory/archive/"))], system


def test_a_taken_place_gets_a_number_both_ways(workspace: Path) -> None:
    put(workspace, COLD, b"# An older one\n")
    assert moves(planned(workspace, "archive", NOTE).plan) == {NOTE: "archive/reference/zebra-2.md"}
    assert moves(planned(workspace, "restore", COLD).plan) == {COLD: "knowledge/reference/zebra-2.md"}


def test_what_comes_back_old_is_said_to_go_again_unless_it_is_pinned(workspace: Path) -> None:
    put(workspace, COLD, b"---\ndate: 2026-01-01\n---\n")
    put(workspace, "archive/reference/pinned.md", b"---\ndate: 2026-01-01\npinned: true\n---\n")
    plan = planned(workspace, "restore", "archive/").plan
    assert plan is not None
    warned = {change.path: change.warnings for change in plan.changes}
    assert "without `pinned: true`" in warned[COLD][0] and warned["archive/reference/pinned.md"] == ()


@pytest.mark.parametrize(
    ("system", "take", "said"),
    [
        ("archive", "knowledge/gone.md", "there is no such note"),
        ("archive", "../etc/passwd", "there is no such note"),
        ("archive", "knowledge/identity/SOUL.md", "never archived: identity"),
        ("archive", "MEMORY.md", "never archived: MEMORY.md"),
        ("archive", "memory/2026-10-01.md", "have a place in the archive"),
        ("archive", COLD, "archived already"),
        ("restore", NOTE, "it is not archived"),
        ("restore", "", "which archived file"),
    ],
)
def test_what_cannot_move_is_refused_with_the_reason(workspace: Path, system: str, take: str, said: str) -> None:
    for path in ("MEMORY.md", "memory/2026-10-01.md", COLD):
        put(workspace, path, b"# x\n")
    with pytest.raises(UsageError) as told:
        planned(workspace, system, *([take] if take else []))
    assert said in str(told.value)


def test_b16_without_a_name_daily_logs_go_after_thirty_days(workspace: Path) -> None:
    days = {age: f"DailyLogs/{(NOW - timedelta(days=age)).date()}.md" for age in (1, 30, 31, 200)}
    for path in days.values():
        put(workspace, path, b"# log\n")
    put(workspace, "DailyLogs/2026-01-01.md", b"- the contract [NEVER_PRUNE]\n")
    plan = planned(workspace, "archive").plan
    assert moves(plan) == {days[age]: f"archive/{days[age]}" for age in (31, 200)}
    with opened(workspace) as console:
        approve(console, plan)
        again = console.plans.make("archive")
    assert again.plan is None and again.reason_no_action == "no daily log is older than 30 days"
