"""A replay on a branch of its own: week by week, committed there, merged by a plan alone (§8.7, §10.4, D28, D47)."""

import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.errors import Cancelled, Refused
from engine.extraction.judge import VERSION
from engine.lifecycle.requests import BranchesRequest, CondensePart, CondenseRequest, ReplayRequest
from engine.plans.plan import Create, Plan, Replace, RiskTier
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine
from engine.workspace.values import Progress, Tick
from tests.engine.approved import applied
from tests.engine.history.repos import git, make_repo, write
from tests.engine.lifecycle.events import capture, end, said, start

MEMORY = "knowledge/memory/MEMORY.md"
NOTES = {MEMORY: "---\ntype: core_memory\n---\n\n# Core Memory\n\n## Key Decisions\n\n## Lessons Learned\n"}
BOUGHT = ("the red mill", "a second oven", "the old cart", "a cold store")
WEEKS = ("02-03", "02-10", "02-11", "02-17")


def fill(folder: Path) -> Path:
    for number, day in enumerate(WEEKS):
        at = f"2026-{day}T10:0"
        told = said(
            f"We decided to buy {BOUGHT[number]} for the bakery. I prefer bullet lists of {number} rows over prose.",
            at=f"{at}1:00Z",
        )
        capture(folder, start(f"s{number}", f"{at}0:00Z"), told, end(f"{at}5:00Z"))
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return fill(make_repo(tmp_path / "agent", NOTES, "-b", "main"))


def make(console: Engine, name: str = "v2", tick: Tick | None = None) -> Plan | None:
    asked = ReplayRequest(name=name, branch=True)
    return console.plans.make("replay", PlanRequest(asked, tick=tick)).plan


def contents(plan: Plan) -> dict[str, str]:
    return {one.path: one.content for one in plan.changes if isinstance(one, Create | Replace)}


def notes(folder: Path) -> dict[str, bytes]:
    files = (one for one in folder.rglob("*") if one.is_file() and ".git" not in one.parts and one.name != "memory.db")
    return {str(one.relative_to(folder)): one.read_bytes() for one in files}


def subjects(folder: Path) -> list[str]:
    return git(folder, "log", "--reverse", "--format=%s", "main..extract/v2").splitlines()


def test_d28_d47_every_week_is_rolled_up_on_the_branch_and_the_plan_writes_what_stands_there(workspace: Path) -> None:
    before, head = notes(workspace), git(workspace, "rev-parse", "main")
    with Engine.open(workspace) as console:
        plan = make(console)
        assert plan is not None and plan.risk_tier is RiskTier.C and all(gate.passed for gate in plan.gates)
        assert notes(workspace) == before and git(workspace, "rev-parse", "main") == head
        folder = workspace.parent / "agent-extract" / "v2"
        assert plan.facts["record"] == {
            "branch": "extract/v2", "commit": git(workspace, "rev-parse", "extract/v2"), "folder": str(folder)
        }  # fmt: skip
        assert subjects(workspace) == [
            f"extract: replay by {VERSION}", *(f"memory: week 2026-W0{week} rolled up" for week in (6, 7, 8))
        ]  # fmt: skip
        assert {path: (folder / path).read_text() for path in contents(plan)} == contents(plan)
        assert git(folder, "status", "--porcelain") == ""
        assert all(thing in contents(plan)[MEMORY] for thing in BOUGHT)
        memory = next(one for one in plan.changes if one.path == MEMORY and isinstance(one, Replace))
        lines = memory.content.split("\n")
        assert len(memory.origins) == 4 and all("for the bakery" in lines[one.line - 1] for one in memory.origins)
        applied(console, plan)
        assert {path: (workspace / path).read_text() for path in contents(plan)} == contents(plan)
        weekly = PlanRequest(CondenseRequest(only=(CondensePart.WEEKLY,)))
        assert make(console) is None and console.plans.make("condense", weekly).plan is None


def test_it_is_listed_and_ended_into_a_tag_by_a_plan(workspace: Path) -> None:
    with Engine.open(workspace) as console:
        assert make(console) is not None
        (one,) = console.repository.explorations()
        assert one.branch == "extract/v2" and one.folder.endswith("agent-extract/v2")
        applied(console, console.plans.make("branches", PlanRequest(BranchesRequest(("extract/v2",)))).plan)
        assert console.repository.explorations() == ()
        assert git(workspace, "rev-parse", "memory/extract/v2") == one.commit
        with pytest.raises(Refused, match="there is something already"):
            make(console)
        assert make(console, "v3") is not None


def test_a_replay_that_was_stopped_goes_on_and_its_total_is_monotone(workspace: Path) -> None:
    seen: dict[str, list[tuple[int, int]]] = {}

    def stop(progress: Progress) -> None:
        seen.setdefault(progress.stage, []).append((progress.done, progress.total or 0))
        if progress.stage == "weeks" and progress.done == 2 and len(seen["weeks"]) == 3:
            raise Cancelled("stopped")

    with Engine.open(workspace) as console:
        with pytest.raises(Cancelled):
            make(console, tick=stop)
        first = subjects(workspace)
        assert len(first) == 3
        plan = make(console, tick=stop)
        assert plan is not None and subjects(workspace) == [*first, "memory: week 2026-W08 rolled up"]
    assert {total for _, total in seen["weeks"]} == {3}
    assert seen["weeks"][3:] == [(0, 3), (1, 3), (2, 3), (3, 3)]


KILLED = """
import sys
from pathlib import Path
from engine.history.replay_worktree import ReplayWorktree
from engine.lifecycle.requests import ReplayRequest
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine
keep = ReplayWorktree.keep
def slow(*words):
    keep(*words)
    print("kept", flush=True)
    sys.stdin.readline()
ReplayWorktree.keep = slow
with Engine.open(Path(sys.argv[1])) as console:
    console.plans.make("replay", PlanRequest(ReplayRequest(name="v2", branch=True)))
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("steps", [1, 2])
def test_d28_after_kill_9_it_goes_on_with_the_week_that_it_was_at(workspace: Path, steps: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(workspace)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None and process.stdout is not None
    for step in range(steps):
        assert process.stdout.readline() == b"kept\n"
        if step + 1 < steps:
            process.stdin.write(b"\n")
            process.stdin.flush()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    first = git(workspace, "rev-list", "main..extract/v2").splitlines()
    assert len(first) == steps
    with Engine.open(workspace) as console:
        plan = make(console)
        assert plan is not None and all(gate.passed for gate in plan.gates)
    assert git(workspace, "rev-list", "main..extract/v2").splitlines()[-steps:] == first
    assert len(subjects(workspace)) == 4 and git(workspace.parent / "agent-extract/v2", "status", "--porcelain") == ""


def test_what_somebody_edited_in_the_folder_stays_and_other_commits_are_refused(workspace: Path) -> None:
    folder = workspace.parent / "agent-extract" / "v2"
    with Engine.open(workspace) as console:
        plan = make(console)
        assert plan is not None
        console.plans.reject(plan.id, "again")
        write(folder, {MEMORY: "mine\n"})
        capture(
            workspace,
            start("s9", "2026-02-19T10:00:00Z"),
            said("We decided to sell it.", at="2026-02-19T10:01:00Z"),
            end("2026-02-19T10:05:00Z"),
        )
        plan = make(console)
        assert plan is not None and (folder / MEMORY).read_text() == "mine\n"
        assert any("was edited in" in warning for warning in plan.warnings)
        git(folder, "commit", "-qam", "mine")
        with pytest.raises(Refused, match="commits that no replay made"):
            make(console)


def test_a_link_in_the_folder_leads_nowhere(workspace: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()

    def plant(progress: Progress) -> None:
        folder = workspace.parent / "agent-extract" / "v2"
        if progress.stage == "weeks" and not (folder / "knowledge" / "journal").is_symlink():
            (folder / "knowledge" / "journal").symlink_to(outside)

    with Engine.open(workspace) as console:
        plan = make(console, tick=plant)
        assert plan is not None and any("is not laid out" in warning for warning in plan.warnings)
    assert list(outside.iterdir()) == []


def test_d28_without_git_it_is_kept_in_a_copy_of_the_folder(tmp_path: Path) -> None:
    workspace = tmp_path / "agent"
    write(workspace, NOTES)
    fill(workspace)
    before, folder = notes(workspace), tmp_path / "agent-extract" / "v2"
    with Engine.open(workspace) as console:
        plan = make(console)
        assert plan is not None and all(gate.passed for gate in plan.gates) and notes(workspace) == before
        assert plan.facts["record"] == {"branch": "", "commit": "", "folder": str(folder)}
        assert notes(folder) == before | {path: text.encode() for path, text in contents(plan).items()}
        write(folder, {MEMORY: "mine\n"})
        again = make(console)
        assert again is not None and (folder / MEMORY).read_text() == "mine\n"
        assert not next(gate for gate in again.gates if gate.id == "record").passed
        write(tmp_path, {"agent-extract/other/x": "x"})
        with pytest.raises(Refused, match="there is something already"):
            make(console, "other")


def test_a_supposed_instant_and_an_estimate_make_no_branch(workspace: Path) -> None:
    with Engine.open(workspace, now=datetime(2026, 3, 1, tzinfo=UTC)) as console, pytest.raises(Refused):
        make(console)
    with Engine.open(workspace) as console:
        console.plans.estimate("replay", PlanRequest(ReplayRequest(branch=True)))
    assert git(workspace, "branch", "--list", "extract/*") == ""


def test_a_folder_of_somebody_else_stays(workspace: Path) -> None:
    write(workspace.parent, {"agent-extract/v2/mine": "mine"})
    with Engine.open(workspace) as console, pytest.raises(Refused, match="there is something already"):
        make(console)
    assert (workspace.parent / "agent-extract/v2/mine").read_text() == "mine"
