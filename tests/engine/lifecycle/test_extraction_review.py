"""The review of an extraction: every entry with its turn, and a plan without those that are refused (decision D44)."""

from pathlib import Path

import pytest

from engine.errors import Stale, UsageError
from engine.lifecycle.extract.entry import EntryGrade, EntryKind
from engine.lifecycle.extract.quotes import turn_around
from engine.plans.plan import PlanState
from engine.services.engine import Engine
from tests.engine.lifecycle.applying import approve
from tests.engine.lifecycle.test_supersession import ATLAS, HEAD, A, B, applied, rows, session

LIKED, KNOWN = "I prefer bullet lists over prose.", "The port of the billing service is 5432."


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    (folder / "knowledge/projects/atlas").mkdir(parents=True)
    (folder / ATLAS).write_bytes(HEAD.encode())
    session(folder, "03-01", A)
    applied(folder)
    session(folder, "04-10", B, f"Hello.\n\n{LIKED}", KNOWN)
    return folder


def test_d44_every_entry_of_a_plan_stands_beside_the_turn_that_says_it(workspace: Path) -> None:
    with Engine.open(workspace) as console:
        plan = console.plans.make("extract").plan
        assert plan is not None and console.extractions.latest() == plan.id
        entries = console.extractions.entries(plan.id)
    assert {one.kind for one in entries} == {EntryKind.DECISION, EntryKind.PREFERENCE, EntryKind.FACT}
    for one in entries:
        lines = (workspace / one.source.path).read_text("utf-8").split("\n")
        assert lines[one.source.start - 1] == one.quote and one.grade is EntryGrade.STATED
        first, turn = turn_around(lines, one.source.start)
        assert turn[0].startswith("## ") and turn[one.source.start - first] == one.quote
        assert sum(line.startswith("## ") for line in turn) == 1
    (decision,) = [one for one in entries if one.kind is EntryKind.DECISION]
    assert decision.supersedes == (f"2026-03-01: {A}",)


def test_a_refused_entry_makes_a_new_plan_with_its_own_digest_and_writes_nothing(workspace: Path) -> None:
    before = {path: path.read_bytes() for path in workspace.rglob("*.md")}
    with Engine.open(workspace) as console:
        old = console.plans.make("extract").plan
        assert old is not None
        (decision,) = [one for one in console.extractions.entries(old.id) if one.kind is EntryKind.DECISION]
        new = console.extractions.without(old.id, [decision.id]).plan
        assert new is not None and new.digest != old.digest
        left = {one.id for one in console.extractions.entries(new.id)}
        assert left == {one.id for one in console.extractions.entries(old.id)} - {decision.id}
        assert ATLAS not in {change.path for change in new.changes}  # and so it supersedes nothing either
        states = {one.id: one.state for one in console.plans.queue()}
        assert states[old.id] is PlanState.SUPERSEDED and states[new.id] is PlanState.PENDING
        assert {path: path.read_bytes() for path in workspace.rglob("*.md")} == before
        again = console.extractions.without(new.id, [next(iter(left))]).plan
        assert again is not None and len(again.facts["refused"]) == 2


def test_what_was_refused_stays_out_once_the_plan_is_applied(workspace: Path) -> None:
    with Engine.open(workspace) as console:
        old = console.plans.make("extract").plan
        assert old is not None
        (decision,) = [one for one in console.extractions.entries(old.id) if one.kind is EntryKind.DECISION]
        approve(console, console.extractions.without(old.id, [decision.id]).plan)
        assert console.plans.make("extract").plan is None
        assert console.plans.make("replay").plan is None
    assert len(rows(workspace)) == 1 and "superseded" not in rows(workspace)[0]


def test_where_all_is_refused_no_plan_is_left(workspace: Path) -> None:
    with Engine.open(workspace) as console:
        old = console.plans.make("extract").plan
        assert old is not None
        outcome = console.extractions.without(old.id, [one.id for one in console.extractions.entries(old.id)])
        assert outcome.plan is None and outcome.facts["counts"]["refused by you"] == 3
        assert {one.id: one.state for one in console.plans.queue()}[old.id] is PlanState.PENDING


def test_what_cannot_be_refused_says_why(workspace: Path) -> None:
    with Engine.open(workspace) as console:
        old = console.plans.make("extract").plan
        assert old is not None
        ident = console.extractions.entries(old.id)[0].id
        with pytest.raises(UsageError, match="which entries"):
            console.extractions.without(old.id, [])
        with pytest.raises(UsageError, match="no such entry"):
            console.extractions.without(old.id, ["ffffffffff"])
    session(workspace, "04-11", "We decided that Atlas goes back to SQLite.")
    with Engine.open(workspace) as console, pytest.raises(Stale, match="changed since"):
        console.extractions.without(old.id, [ident])
    with Engine.open(workspace) as console:
        replay = console.plans.make("replay").plan
        assert replay is not None
        with pytest.raises(UsageError, match="no extraction"):
            console.extractions.entries(replay.id)
