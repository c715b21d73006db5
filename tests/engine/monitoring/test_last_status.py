"""What an earlier look found is for showing alone, and only where reading takes long enough to be seen."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from engine.plans.plan import PlanState
from engine.services import status as module
from engine.services.engine import Engine
from engine.services.status import LastStatus
from tests.values import a_status

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)


def clock() -> datetime:
    return NOW


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "agent"
    notes = folder / "memory" / "working"
    notes.mkdir(parents=True)
    (folder / "memory" / "2026-03-02.md").write_text("# Day\n\n## Deploy [project]\n- request: ship it\n")
    for day in range(1, 13):
        text = f"# Day {day}\n\n- We decided to keep the queue number {day} because a rollback took {day} minutes.\n"
        (notes / f"2026-02-{day:02}-note.md").write_text(text)
    return folder


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any workspace counts as large."""
    monkeypatch.setattr(module, "LARGE", 1)


def opened(workspace: Path, now: datetime | None = None, policy: Path | None = None) -> Engine:
    return Engine.open(workspace, now=now, policy_file=policy, clock=clock)


@pytest.mark.usefixtures("large")
def test_what_the_look_before_found_comes_back_whole(workspace: Path) -> None:
    with opened(workspace) as console:
        assert console.status.earlier() is None
        plan = console.plans.make("compact").plan
        found = console.status.read()
    with opened(workspace) as console:
        look = console.status.earlier()
        assert look is not None and plan is not None
        assert look.status == found
        assert [entry.id for entry in look.queue] == [plan.id]


@pytest.mark.usefixtures("large")
def test_it_marks_no_plan_takes_no_sample_and_is_not_planned_from(workspace: Path) -> None:
    with opened(workspace) as console:
        plan = console.plans.make("compact").plan
        assert plan is not None
        console.status.read()
        state, samples = console._opened.state.path, console.status._trend_log.samples()
    (workspace / "memory" / "working" / "2026-02-01-note.md").write_text("# another text\n")
    (workspace / "memory" / "working" / "2026-02-20-new.md").write_text("# new\n")
    queue = (state / "queue" / "index").read_bytes()
    with opened(workspace) as console:
        look = console.status.earlier()
        assert look is not None and look.status.memory_tiers.working.files == 12
        assert [entry.state for entry in look.queue] == [PlanState.PENDING]
        assert len(samples) == 1 and console.status._trend_log.samples() == samples
        assert (state / "queue" / "index").read_bytes() == queue
        again = console.plans.make("compact").plan
        assert again is not None and again.inputs != plan.inputs
        assert console.status.read().memory_tiers.working.files == 13
        states = {entry.id: entry.state for entry in console.plans.queue()}
        assert states[plan.id] in (PlanState.STALE, PlanState.SUPERSEDED)


def test_of_a_small_workspace_nothing_is_kept_and_what_was_kept_goes(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched, opened(workspace) as console:
        patched.setattr(module, "LARGE", 1)
        console.status.read()
        file = console._opened.state.path / "last-status"
        assert file.exists()
    with opened(workspace) as console:
        console.status.read()
        assert not file.exists() and console.status.earlier() is None


@pytest.mark.usefixtures("large")
def test_a_supposed_instant_is_neither_kept_nor_shown_an_earlier_look(workspace: Path) -> None:
    with opened(workspace, NOW) as console:
        console.status.read()
        assert not (console._opened.state.path / "last-status").exists()
    with opened(workspace) as console:
        console.status.read()
    with opened(workspace, NOW) as console:
        assert console.status.earlier() is None


@pytest.mark.usefixtures("large")
def test_figures_of_another_policy_are_not_shown(workspace: Path, tmp_path: Path) -> None:
    with opened(workspace) as console:
        console.status.read()
    policy = tmp_path / "policy.yaml"
    policy.write_text("limits:\n  working:\n    files: 5\n")
    with opened(workspace, policy=policy) as console:
        assert console.status.earlier() is None


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("data", [b"", b"\x00", b"\xff" * 90, b"\x92\xa1\xff\xc0"])
def test_a_damaged_file_counts_as_none(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "last-status"
    kept = LastStatus(file, "ab")
    kept.keep(a_status(), notes=5)
    assert kept.read() == a_status()
    file.write_bytes(data)
    assert kept.read() is None


@pytest.mark.usefixtures("large")
def test_a_status_that_is_too_long_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = LastStatus(tmp_path / "last-status", "ab")
    kept.keep(a_status(), notes=5)
    monkeypatch.setattr(module, "LARGEST", 1_000)
    kept.keep(msgspec.structs.replace(a_status(), notes=("x" * 1_000,)), notes=5)
    assert kept.read() is None and not (tmp_path / "last-status").exists()
