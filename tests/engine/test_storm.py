"""In a storm of an agent's writes and a schedule's plans the operator's own plan gets through."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from time import sleep

import pytest

from engine.errors import MemdeckError
from engine.plans.operation import OperationState
from engine.plans.plan import PlanState
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine
from engine.workspace.snapshot import Snapshot
from tests.engine.approved import applied
from tests.engine.history.repos import write


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    days = (date(2026, 3, 1) + timedelta(days=number) for number in range(6))
    write(tmp_path / "agent", {f"memory/{day}.md": f"# {day}\n- We decided on plan {day.day}.\n" for day in days})
    return tmp_path / "agent"


@contextmanager
def every(seconds: float, work: Callable[[int], object]) -> Iterator[list[BaseException]]:
    """Does the work again and again beside the body; gives what went wrong."""
    over, wrong = threading.Event(), list[BaseException]()

    def run() -> None:
        number = 0
        while not over.wait(seconds):
            number += 1
            try:
                work(number)
            except MemdeckError:
                continue  # such as another memdeck being at work
            except Exception as error:  # noqa: BLE001 (of a thread: the test tells it)
                wrong.append(error)
                return

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield wrong
    finally:
        over.set()
        thread.join()


def test_an_operators_plan_is_viewed_approved_and_applied_in_a_storm(workspace: Path) -> None:
    made: list[str] = []

    def agent(number: int) -> None:
        day = date(2026, 2, 1) - timedelta(days=number)
        write(workspace, {f"memory/{day}.md": f"- late words of {day}\n"})

    with Engine.open(workspace) as cron, Engine.open(workspace) as console:

        def schedule(_number: int) -> None:
            plan = cron.plans.make("tree", PlanRequest(scheduled=True)).plan
            made.extend([plan.id] if plan is not None else [])

        # With twenty new notes a second a slow machine has more to plan than it ever ends.
        with every(0.1, schedule) as failed, every(0.4, agent) as broken:
            while not made and not failed:
                sleep(0.01)  # a loop without a pause has the interpreter to itself
            plan = console.plans.make("tree").plan
            assert plan is not None and all(gate.passed for gate in plan.gates), plan and plan.gates
            count = len(made)
            while len(made) < count + 3 and not failed:
                console.plans.queue()
                sleep(0.01)
            assert console.plans.load(plan.id, to_look=True).digest == plan.digest
            operation = applied(console, plan)
        assert (failed, broken) == ([], [])
        assert operation.state is OperationState.DONE and operation.plan == plan.id
        superseded = [one.id for one in console.plans.queue() if one.state is PlanState.SUPERSEDED]
        assert plan.id not in superseded and superseded


def test_a_log_that_changes_while_it_is_read_waits_for_the_next_plan(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late, content = "memory/2026-03-02.md", Snapshot.content

    def changing(snapshot: Snapshot, path: str) -> bytes:
        if path == late:
            write(workspace, {late: f"# 2026-03-02\n- more words {snapshot.taken_at}\n"})
        return content(snapshot, path)

    with Engine.open(workspace) as console:
        console.plans.queue()
        with monkeypatch.context() as patch:
            patch.setattr(Snapshot, "content", changing)
            plan = console.plans.make("tree").plan
        assert plan is not None
        (gate,) = (one for one in plan.gates if one.id == "coverage")
        assert gate.passed, gate.detail
        assert any("2026-03-02" in warning for warning in plan.warnings), "it is named"
        applied(console, plan)
        again = console.plans.make("tree").plan
        assert again is not None and "memory/daily/2026-03-02.md" in again.targets()
