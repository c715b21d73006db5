"""The review of an extraction: every entry with its turn, and a plan without those that are refused (decision D44)."""

from pathlib import Path

import pytest

from engine.errors import Refused, Stale, UsageError
from engine.extraction.entry import EntryGrade, EntryKind, turn_around
from engine.plans.plan import PlanState
from engine.services.engine import Engine
from tests.engine.lifecycle.applying import approve
from tests.engine.lifecycle.events import capture, end, said, start
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
        assert plan is not None and console.queue.newest("extract") == plan.id
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
        new = console.extractions.chosen(old.id, [decision.id]).plan
        assert new is not None and new.digest != old.digest
        left = {one.id for one in console.extractions.entries(new.id)}
        assert left == {one.id for one in console.extractions.entries(old.id)} - {decision.id}
        assert ATLAS not in {change.path for change in new.changes}  # and so it supersedes nothing either
        states = {one.id: one.state for one in console.plans.queue()}
        assert states[old.id] is PlanState.SUPERSEDED and states[new.id] is PlanState.PENDING
        assert {path: path.read_bytes() for path in workspace.rglob("*.md")} == before
        again = console.extractions.chosen(new.id, [next(iter(left))]).plan
        assert again is not None and len(again.facts["refused"]) == 2


def test_a_refused_hunk_of_an_extraction_leaves_its_entries_out_and_no_other(workspace: Path) -> None:
    with Engine.open(workspace) as console:
        old = console.plans.make("extract").plan
        assert old is not None
        entries = console.extractions.entries(old.id)
        one = entries[0]
        there = console.hunks.of_change(old, one.change).hunks
        hunk = next(h for h in there if h.right <= one.line < h.right + len(h.added))
        gone = {e.id for e in entries if e.change == one.change and hunk.right <= e.line < hunk.right + len(hunk.added)}
        assert console.hunks.refusal(old, [hunk.name]).along == ()
        outcome = console.hunks.refuse(old.id, [hunk.name], "not mine")
        left = {e.id for e in console.extractions.entries(outcome.plan.id)} if outcome.plan is not None else set()
        assert left == {e.id for e in entries} - gone and gone
        told = [record.data for record in console.history.audit() if record.kind == "reject"]
        assert [row["reason"] for row in told] == (["not mine"] if left else [])


def test_what_was_refused_stays_out_once_the_plan_is_applied(workspace: Path) -> None:
    with Engine.open(workspace) as console:
        old = console.plans.make("extract").plan
        assert old is not None
        (decision,) = [one for one in console.extractions.entries(old.id) if one.kind is EntryKind.DECISION]
        approve(console, console.extractions.chosen(old.id, [decision.id]).plan)
        assert console.plans.make("extract").plan is None
        assert console.plans.make("replay").plan is None
    assert len(rows(workspace)) == 1 and "superseded" not in rows(workspace)[0]


def test_where_all_is_refused_no_plan_is_left(workspace: Path) -> None:
    with Engine.open(workspace) as console:
        old = console.plans.make("extract").plan
        assert old is not None
        outcome = console.extractions.chosen(old.id, [one.id for one in console.extractions.entries(old.id)])
        assert outcome.plan is None and outcome.facts["counts"]["refused by you"] == 3
        assert {one.id: one.state for one in console.plans.queue()}[old.id] is PlanState.PENDING


def test_what_cannot_be_refused_says_why(workspace: Path) -> None:
    with Engine.open(workspace) as console:
        old = console.plans.make("extract").plan
        assert old is not None
        ident = console.extractions.entries(old.id)[0].id
        with pytest.raises(UsageError, match="which entries"):
            console.extractions.chosen(old.id, [])
        with pytest.raises(UsageError, match="no such entry"):
            console.extractions.chosen(old.id, ["ffffffffff"])
    session(workspace, "04-11", "We decided that Atlas goes back to SQLite.")
    with Engine.open(workspace) as console, pytest.raises(Stale, match="changed since"):
        console.extractions.chosen(old.id, [ident])
    with Engine.open(workspace) as console:
        replay = console.plans.make("replay").plan
        assert replay is not None
        with pytest.raises(UsageError, match="no extraction"):
            console.extractions.entries(replay.id)


# ── entries that nobody stated ──────────────────────────────────────────────────────────────────────────────────────

HELD = "Lesson learned: always warm the cache before a release."
MEANT = "We decided that Atlas moves to MySQL."


def replied(folder: Path, day: str, text: str) -> None:
    """A session in which only the agent says it, and nobody agrees."""
    at = f"2026-{day}T10:0{{}}:00Z"
    turns = (said("How is it?", at=at.format(1)), said(text, role="agent", at=at.format(2)))
    capture(folder, start(f"ses_{day}", at.format(0)), *turns, end(at.format(9)))


@pytest.fixture
def inferred(workspace: Path) -> Path:
    replied(workspace, "04-20", f"I looked at it. {HELD}")
    return workspace


def offered_text(console: Engine, plan: str = "") -> list[str]:
    return [one.quote for one in console.extractions.offered(plan)]


def test_d44_an_inferred_entry_is_offered_and_one_accepted_is_in_the_plan_with_a_warning(inferred: Path) -> None:
    with Engine.open(inferred) as console:
        old = console.plans.make("extract").plan
        assert old is not None and not any(HELD in getattr(one, "content", "") for one in old.changes)
        (offer,) = [one for one in console.extractions.offered(old.id) if one.quote == HELD]
        assert offer.offered and offer.grade is EntryGrade.INFERRED and offer.change == offer.line == 0
        lines = (inferred / offer.source.path).read_text("utf-8").split("\n")
        assert HELD in lines[offer.source.start - 1]
        new = console.extractions.chosen(old.id, accepted=[offer.id]).plan
        assert new is not None and new.digest != old.digest
        assert {one.id for one in console.extractions.entries(new.id)} == {
            offer.id,
            *(one.id for one in console.extractions.entries(old.id)),
        }
        assert HELD not in offered_text(console, new.id)
        assert any("inferred" in said and HELD in said for said in new.warnings)
        (gate,) = [one for one in new.gates if one.id == "grades"]
        assert "1 inferred or proposed" in gate.detail


def test_d44_an_accepted_entry_stays_by_extraction_and_replay_and_one_removed_does_not_come_back(
    inferred: Path,
) -> None:
    with Engine.open(inferred) as console:
        old = console.plans.make("extract").plan
        assert old is not None
        (offer,) = [one for one in console.extractions.offered(old.id) if one.quote == HELD]
        approve(console, console.extractions.chosen(old.id, accepted=[offer.id]).plan)
        assert console.plans.make("extract").plan is None, "it is there, and not offered again"
        assert HELD not in offered_text(console)
        assert console.plans.make("replay").plan is None, "a replay keeps what the operator accepted"
    file = inferred / offer.path
    kept = [line for line in file.read_text("utf-8").splitlines(keepends=True) if HELD not in line]
    file.write_text("".join(kept), "utf-8")
    with Engine.open(inferred) as console:
        assert console.plans.make("extract").plan is None and HELD not in offered_text(console)
        assert console.plans.make("replay").plan is None


def test_d44_one_may_be_accepted_where_nothing_is_stated_and_no_plan_waits(inferred: Path) -> None:
    with Engine.open(inferred) as console:
        approve(console, console.plans.make("extract").plan)
        assert console.plans.make("extract").plan is None
        (offer,) = [one for one in console.extractions.offered() if one.quote == HELD]
        assert not [one for one in console.plans.queue() if one.state is PlanState.PENDING], "offers queue nothing"
        plan = console.extractions.accept([offer.id]).plan
        assert plan is not None and [one.quote for one in console.extractions.entries(plan.id)] == [HELD]


def test_d45_an_accepted_decision_supersedes_the_earlier_one(workspace: Path) -> None:
    replied(workspace, "04-20", MEANT)
    with Engine.open(workspace) as console:
        old = console.plans.make("extract").plan
        assert old is not None
        (offer,) = [one for one in console.extractions.offered(old.id) if one.quote == MEANT]
        approve(console, console.extractions.chosen(old.id, accepted=[offer.id]).plan)
    assert [f"superseded: {offer.id}" in row for row in rows(workspace)] == [False, True, False]


def test_d44_refusing_and_accepting_make_one_plan_and_a_refusal_takes_an_acceptance_back(inferred: Path) -> None:
    with Engine.open(inferred) as console:
        old = console.plans.make("extract").plan
        assert old is not None
        (offer,) = [one for one in console.extractions.offered(old.id) if one.quote == HELD]
        stated = console.extractions.entries(old.id)[0].id
        new = console.extractions.chosen(old.id, refused=[stated], accepted=[offer.id]).plan
        assert new is not None and new.facts["refused"] == [stated] and new.facts["accepted"] == [offer.id]
        back = console.extractions.chosen(new.id, refused=[offer.id]).plan
        assert back is not None and "accepted" not in back.facts
        assert HELD not in [one.quote for one in console.extractions.entries(back.id)]


def test_d44_what_cannot_be_accepted_says_why(inferred: Path) -> None:
    with Engine.open(inferred) as console:
        old = console.plans.make("extract").plan
        assert old is not None
        stated = console.extractions.entries(old.id)[0].id
        for ident in ("ffffffffff", stated):
            with pytest.raises(UsageError, match="offers no such entry"):
                console.extractions.chosen(old.id, accepted=[ident])
            with pytest.raises(UsageError, match="no transcript offers"):
                console.extractions.accept([ident])
        with pytest.raises(UsageError, match="which entries"):
            console.extractions.accept([])
        (offer,) = [one for one in console.extractions.offered(old.id) if one.quote == HELD]
    session(inferred, "04-22", "We decided that Atlas goes back to SQLite.")
    with Engine.open(inferred) as console, pytest.raises(Stale, match="changed since"):
        console.extractions.chosen(old.id, accepted=[offer.id])


def test_d45_what_is_said_again_after_an_accepted_decision_is_an_entry_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    (folder / "knowledge/projects/atlas").mkdir(parents=True)
    session(folder, "03-01", A)
    replied(folder, "03-02", MEANT)
    session(folder, "03-03", A)
    with Engine.open(folder) as console:
        old = console.plans.make("extract").plan
        assert old is not None
        (offer,) = [one for one in console.extractions.offered(old.id) if one.quote == MEANT]
        new = console.extractions.chosen(old.id, accepted=[offer.id]).plan
        assert new is not None
        approve(console, new)
    found = [
        line for file in sorted(folder.rglob("knowledge/**/*.md")) for line in file.read_text("utf-8").splitlines()
    ]
    assert ["superseded" in line for line in found if "<!-- x:" in line] == [True, True, False]


def test_d44_what_has_no_room_is_not_accepted_in_silence(inferred: Path) -> None:
    (inferred / "MEMORY.md").write_text("# Memory\n" + "- x\n" * 210, "utf-8")
    with Engine.open(inferred) as console:
        old = console.plans.make("extract").plan
        assert old is not None
        (offer,) = [one for one in console.extractions.offered(old.id) if one.quote == HELD]
        assert offer.path == "MEMORY.md"
        with pytest.raises(Refused, match="no room"):
            console.extractions.chosen(old.id, accepted=[offer.id])
        with pytest.raises(Refused, match="no room"):
            console.extractions.accept([offer.id])
