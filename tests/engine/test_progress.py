"""One contract for all long work: named phases, a count that never falls, a cancel that leaves nothing half done."""

import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import FrameType

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Cancelled
from engine.plans.operation import Approval, ConfirmationAnswer
from engine.plans.plan import Plan
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine
from engine.workspace.values import Progress, Tick, phase, steps
from tests.engine.plans.rig import tree
from tests.engine.sessions.rig import add, turns
from tests.engine.tree.rig import entry
from tests.engine.tree.test_idle import approved
from tests.turn import part

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
NOTES, DAYS, MESSAGES = 60, 30, 100
Work = Callable[[Engine, Tick | None], object]


class Reports:
    """Hears of long work, and holds it to the contract; raises `Cancelled` at the report of that number, if any."""

    def __init__(self, cancel_at: int | None = None) -> None:
        self.steps: list[Progress] = []
        self.calls = 0
        """Function calls so far, a measure of work that is the same on every machine."""
        self.after: list[int] = []
        """`calls` at each report."""
        self._cancel_at = cancel_at

    def tick(self, step: Progress) -> None:
        if self.steps:
            self._follows(self.steps[-1], step)
        assert step.stage and step.done >= 0 and (step.total is None or step.done <= step.total), step
        self.steps.append(step)
        self.after.append(self.calls)
        if self._cancel_at == len(self.steps):
            raise Cancelled("cancelled")

    def _follows(self, last: Progress, step: Progress) -> None:
        assert last.stoppable or not step.stoppable, f"what cannot be cancelled cannot be cancelled later: {step}"
        if step.stage != last.stage:
            assert step.stage not in {one.stage for one in self.steps}, f"{step.stage} is over, and comes again"
            return
        assert (step.total, step.total_size) == (last.total, last.total_size), f"the total changes: {last} {step}"
        assert step.done >= last.done and step.size >= last.size, f"it counts backwards: {last} {step}"

    def count(self, _frame: FrameType, event: str, _arg: object) -> None:
        self.calls += event in ("call", "c_call")


@pytest.fixture
def console(tmp_path: Path) -> Iterator[Engine]:
    folder = tmp_path / "agent"
    for number in range(NOTES):
        day = (NOW - timedelta(days=10 + number % 40)).date()
        said = "\n".join(f"- We decided to keep queue {k} of service {number}: it is emptied." for k in range(6))
        _write(folder / f"memory/working/{day}-note-{number}.md", f"# Note {number}\n\n## Decisions\n{said}\n")
    for number in range(DAYS):
        day = (NOW - timedelta(days=number)).date()
        _write(folder / f"memory/{day}.md", entry(f"parser {number}", "the tests were run", "a plan was made"))
    _write(folder / "MEMORY.md", "# Memory\n")
    _write(folder / "topics/stock.md", "---\ntriggers:\n  - stock\n---\n# Stock\n\nCount pallets.\n")
    said = turns(*(("user", f"Is pallet {number} in stock?") for number in range(MESSAGES)))
    _write(folder / "raw/conversations/2026/03/15/0900-ses_1-x.md", "")
    add(folder / "raw/conversations/2026/03/15/0900-ses_1-x.md", said)
    env = {"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CONFIG_HOME": str(tmp_path), "HOME": str(tmp_path)}
    with Engine.open(folder, env=env, clock=lambda: NOW) as engine:
        yield engine


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _approval(plan: Plan) -> Approval:
    numbers = tuple(change.n for change in plan.changes)
    answers = tuple(ConfirmationAnswer(one.id, "it is backed up") for one in plan.confirmations_of(numbers))
    return msgspec.structs.replace(approved(plan, numbers, NOW), answers=answers)


def _planned(console: Engine) -> Plan:
    plan = next((console.plans.load(one.id) for one in console.plans.queue()), None)
    plan = plan or console.plans.make("compact").plan
    assert plan is not None
    return plan


def _applied(console: Engine) -> None:
    if not console.history.operations():
        plan = _planned(console)
        console.plans.apply(plan, _approval(plan))


def _open(console: Engine, tick: Tick | None) -> object:
    return console.status.read(tick)


def _index(console: Engine, tick: Tick | None) -> object:
    report = console.search.index(tick=tick)
    assert (report.files > NOTES, report.pending) == (True, 0)
    return report


def _compact(console: Engine, tick: Tick | None) -> object:
    return console.plans.make("compact", PlanRequest(tick=tick)).plan


def _tree(console: Engine, tick: Tick | None) -> object:
    return console.plans.make("tree", PlanRequest(tick=tick)).plan


def _undo_question(console: Engine, tick: Tick | None) -> object:
    return console.history.reversal(tick=tick)


def _apply(console: Engine, tick: Tick | None) -> object:
    plan = _planned(console)
    return console.plans.apply(plan, _approval(plan), tick).state


def _undo(console: Engine, tick: Tick | None) -> object:
    reversal = console.history.reversal()
    return console.history.undo(reversal, approved(reversal, reversal.numbers, NOW), tick).state


def _replay(console: Engine, tick: Tick | None) -> object:
    entries = console.sessions.replay(console.sessions.files()[0].source, tick)
    assert len(entries) == MESSAGES
    return entries


def _nothing(_console: Engine) -> None:
    """Needs nothing before it."""


def _is_planned(console: Engine) -> None:
    _planned(console)


LONG: dict[str, tuple[Callable[[Engine], None], Work, str]] = {
    "open": (_nothing, _open, "reading"),
    "index": (_nothing, _index, "indexing"),
    "dry run of the compactor": (_nothing, _compact, "summarising"),
    "dry run of the tree": (_nothing, _tree, "daily nodes"),
    "question before an undo": (_applied, _undo_question, "comparing files"),
    "apply": (_is_planned, _apply, "applying"),
    "undo": (_applied, _undo, "applying"),
    "replay": (_nothing, _replay, "deciding messages"),
}
"""What must have happened, the work, and a phase that it surely has."""

long_work = pytest.mark.parametrize("name", LONG)


@long_work
def test_long_work_has_named_phases_whose_counts_never_fall(name: str, console: Engine) -> None:
    before, work, surely = LONG[name]
    before(console)
    heard = Reports()
    work(console, heard.tick)
    assert surely in {step.stage for step in heard.steps}
    counted = {step.stage: step for step in heard.steps if step.total is not None}
    assert [step for step in counted.values() if step.done != step.total] == [], "each phase is told to its end"


@pytest.mark.sampled(4)
@long_work
def test_no_third_of_long_work_goes_by_at_the_end_of_a_bar(name: str, console: Engine) -> None:
    before, work, _ = LONG[name]
    before(console)
    heard = Reports()
    sys.setprofile(heard.count)
    try:
        work(console, heard.tick)
    finally:
        sys.setprofile(None)
    ends = zip(heard.steps, heard.after, [*heard.after[1:], heard.calls], strict=True)
    silent = [(step.stage, (until - since) / heard.calls) for step, since, until in ends if step.share >= 1]
    assert [found for found in silent if found[1] > 1 / 3] == []


@pytest.mark.sampled(4)
@long_work
def test_a_cancel_leaves_nothing_half_done_and_the_work_can_be_done_again(name: str, console: Engine) -> None:
    before, work, _ = LONG[name]
    before(console)
    folder = Path(console.status.read().workspace)
    for number in part(range(1, 200), 3):
        stood, heard = _standing(folder, console), Reports(cancel_at=number)
        try:
            work(console, heard.tick)
        except Cancelled:
            assert heard.steps[-1].stoppable, "it was said that it cannot be cancelled"
            assert _standing(folder, console) == stood
        else:
            assert len(heard.steps) < number or not heard.steps[number - 1].stoppable, "a cancel is heard"
            return
    raise AssertionError("it never ends")


def _standing(folder: Path, console: Engine) -> tuple[object, ...]:
    """The notes, the queue, the operations, and what a check finds; the index alone may grow and be cancelled."""
    notes = {path: data for path, data in tree(folder).items() if not path.startswith("memory.db")}
    return notes, console.plans.queue(), console.history.operations(), console.maintenance.check()


@given(st.integers(0, 400), st.integers(1, 60))
def test_steps_yields_each_item_and_tells_start_and_end(count: int, every: int) -> None:
    told: list[Progress] = []
    assert list(steps(range(count), "reading", told.append, every)) == list(range(count))
    assert [one.done for one in told] == ([*range(0, count, every), count] if count else [])
    assert {one.total for one in told} <= {count}


def test_a_phase_of_one_step_has_a_name_and_nobody_has_to_listen() -> None:
    told: list[Progress] = []
    phase("queueing", told.append)
    phase("queueing", None)
    assert told == [Progress("queueing", 0)] and list(steps("ab", "reading", None)) == ["a", "b"]
