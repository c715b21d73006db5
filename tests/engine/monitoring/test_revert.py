"""Reverting as a plan: three-way where later lines moved, refused where they overlap; what goes decides the tier."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Refused, UsageError
from engine.monitoring.revert.plan import taken_back
from engine.plans.line_hunks import hunks_between, lines_of
from engine.plans.plan import Create, Move, Plan, Replace, RiskTier
from engine.services.engine import Engine
from tests.engine.history.repos import git, make_repo, write
from tests.engine.monitoring.test_recall import claude

NOTE = "memory/working/a.md"
OLD = "".join(f"line {number}\n" for number in range(1, 21))
LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "d\r\n"]), max_size=12)


@given(LINES, LINES)
def test_all_hunks_taken_back_give_the_text_before(before: list[str], after: list[str]) -> None:
    old, new = "".join(before), "".join(after)
    done = taken_back(old, new, new)
    assert (done.text, done.overlaps) == (old, ())


@given(LINES, LINES, st.integers(1, 6))
def test_a_hunk_taken_back_leaves_the_others(before: list[str], after: list[str], number: int) -> None:
    hunks = hunks_between(before, after)
    done = taken_back("".join(before), "".join(after), "".join(after), {number})
    expected = list(after)
    for hunk in hunks:
        if hunk.number == number:
            expected[slice(*hunk.right)] = before[slice(*hunk.left)]
    assert done.text == "".join(expected)


@given(st.text(alphabet="ab\n\r\u2028\x0b", max_size=30))
def test_only_a_newline_ends_a_line(text: str) -> None:
    assert "".join(lines_of(text)) == text
    assert all(line.find("\n") in (-1, len(line) - 1) for line in lines_of(text))


def test_lines_that_moved_are_found_again_and_later_lines_stay() -> None:
    after = OLD.replace("line 3\n", "line 3\nagent\n").replace("line 15\n", "agent's 15\n").replace("line 18\n", "")
    present = "new head\n" + after.replace("line 10\n", "")
    assert taken_back(OLD, after, present).text == "new head\n" + OLD.replace("line 10\n", "")


def test_what_overlaps_is_named_and_nothing_left_is_no_error() -> None:
    after = OLD.replace("line 3\n", "agent 3\n").replace("line 15\n", "line 15\nagent\n")
    done = taken_back(OLD, after, after.replace("agent 3\n", "by hand\n").replace("agent\n", ""))
    assert done.overlaps == ("hunk 1: lines 3 to 3 were changed later",)
    assert done.absent == (2,)
    gone = taken_back(OLD, OLD.replace("line 5\n", ""), OLD.replace("line 5\nline 6\n", "other\n"))
    assert gone.overlaps == ("hunk 1: what stood around line 5 was changed later",)


# ── Through the engine ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def engine(tmp_path: Path, own_home: Path) -> Iterator[Engine]:
    first = {NOTE: OLD, "memory/semantic/openclaw.md": "kept\n", "memory/gone.md": "gone\n"}
    workspace = make_repo(tmp_path / "agent", first, at="2026-03-01T10:00:00Z")
    with Engine.open(workspace) as opened:
        opened.review.looked(look=True)
        yield opened


def planned(engine: Engine, *targets: str) -> Plan:
    made = engine.revert.plan(targets).plan
    assert made is not None
    return engine.plans.load(made.id)


def test_the_agents_change_of_a_note_is_taken_back_by_hunk(engine: Engine) -> None:
    changed = OLD.replace("line 3\n", "line 3\nagent\n").replace("line 15\n", "agent's\n")
    write(engine.workspace, {NOTE: changed})
    (offered,) = engine.revert.offered()
    assert (offered.target, offered.path, offered.diff.added, offered.diff.removed) == (NOTE, NOTE, 2, 1)
    (change,) = planned(engine, f"{NOTE}#2").changes
    assert isinstance(change, Replace) and change.content == OLD.replace("line 3\n", "line 3\nagent\n")
    assert change.risk_tier is RiskTier.C
    (both,) = planned(engine, f"{NOTE}#1#2").changes
    assert isinstance(both, Replace) and both.content == OLD
    assert (engine.workspace / NOTE).read_text() == changed
    for wrong in (f"{NOTE}#3", f"{NOTE}#0", "memory/none.md", "o-20260301-0001", "session:", "session:none"):
        with pytest.raises(UsageError):
            engine.revert.plan((wrong,))


def test_a_note_that_came_goes_to_the_archive_and_one_that_went_comes_back(engine: Engine) -> None:
    write(engine.workspace, {"memory/new.md": "new\n", "knowledge/people/x.md": "x\n"})
    (engine.workspace / "memory/gone.md").unlink()
    plan = planned(engine, "memory/new.md", "memory/gone.md", "knowledge/people/x.md")
    day = engine.now().date()
    new, gone, person = plan.changes
    assert isinstance(new, Move) and new.to == f"memory/archive/new-reverted-{day}.md"
    assert isinstance(gone, Create) and gone.content == "gone\n"
    assert isinstance(person, Move) and person.to == f"archive/x-reverted-{day}.md"
    assert plan.risk_tier is RiskTier.B


def test_what_the_operator_edited_is_a_plan_and_what_came_meanwhile_stays(engine: Engine) -> None:
    read = engine.revert.text_to_edit(NOTE)
    written = read.replace(b"line 3\n", b"my 3\n")
    assert engine.revert.edit(NOTE, read, read).plan is None
    write(engine.workspace, {NOTE: "later\n" + OLD})
    plan = engine.revert.edit(NOTE, read, written).plan
    assert plan is not None and plan.risk_tier is RiskTier.C and plan.trigger == "edited by you"
    (change,) = plan.changes
    assert isinstance(change, Replace) and change.content == "later\n" + OLD.replace("line 3\n", "my 3\n")
    assert (engine.workspace / NOTE).read_text() == "later\n" + OLD
    write(engine.workspace, {NOTE: OLD.replace("line 3\n", "other 3\n")})
    with pytest.raises(Refused, match="changed later"):
        engine.revert.edit(NOTE, read, written)
    with pytest.raises(Refused, match="not UTF-8"):
        engine.revert.edit(NOTE, read, b"\xff")


def test_a_commit_and_a_note_of_it_are_taken_back_and_later_lines_stay(engine: Engine) -> None:
    write(engine.workspace, {NOTE: OLD + "committed\n", "memory/b.md": "b\n"})
    git(engine.workspace, "add", "-A")
    git(engine.workspace, "commit", "-q", "-m", "agent's")
    commit = git(engine.workspace, "rev-parse", "HEAD")
    write(engine.workspace, {NOTE: "later\n" + OLD + "committed\n"})
    assert [change.path for change in planned(engine, commit).changes] == ["memory/b.md", NOTE]
    (change,) = planned(engine, f"{commit[:9]}:{NOTE}").changes
    assert isinstance(change, Replace) and change.content == "later\n" + OLD
    write(engine.workspace, {NOTE: "later\n" + OLD + "otherwise\n"})
    outcome = engine.revert.plan((f"{commit}:{NOTE}",))
    assert (outcome.plan, outcome.reason_no_action) == (None, "nothing of it is left to revert")


def test_what_a_session_wrote_is_taken_back_as_tier_b_and_with_a_persons_line_as_tier_c(
    engine: Engine, tmp_path: Path
) -> None:
    sessions = tmp_path / "sessions"
    sessions.mkdir()
    calls = [
        claude(datetime.now(UTC).isoformat(), "Edit", file_path=NOTE, old_string=old, new_string=new)
        for old, new in (("line 3\n", "line 3\nagent\n"), ("agent\n", "agent\nmore\n"), ("never", "there"))
    ]
    (sessions / "s.jsonl").write_text("\n".join(calls) + "\n")
    engine.sessions.follow(sessions)
    write(engine.workspace, {NOTE: "by hand\n" + OLD.replace("line 3\n", "line 3\nagent\nmore\n")})
    plan = planned(engine, "session:s-1")
    (change,) = plan.changes
    assert isinstance(change, Replace) and change.content == "by hand\n" + OLD
    assert plan.risk_tier is RiskTier.B
    assert planned(engine, NOTE).risk_tier is RiskTier.C


def test_a_note_is_made_again_what_it_was_at_a_date_and_semantic_memory_is_tier_c(engine: Engine) -> None:
    write(engine.workspace, {"memory/semantic/openclaw.md": "kept\nadded\n"})
    plan = planned(engine, "memory/semantic/openclaw.md@2026-03-02")
    (change,) = plan.changes
    assert isinstance(change, Replace) and (change.content, plan.risk_tier) == ("kept\n", RiskTier.C)
    with pytest.raises(UsageError):
        engine.revert.plan((f"{NOTE}@2001-01-01",))


def test_what_overlaps_is_refused_with_the_reason_and_plans_nothing(engine: Engine) -> None:
    write(engine.workspace, {NOTE: OLD.replace("line 3\n", "agent 3\n")})
    git(engine.workspace, "commit", "-q", "-am", "agent's")
    commit = git(engine.workspace, "rev-parse", "HEAD")
    write(engine.workspace, {NOTE: OLD.replace("line 3\n", "by hand\n")})
    with pytest.raises(Refused, match="lines 3 to 3 were changed later"):
        engine.revert.plan((commit,))
    assert engine.plans.queue() == ()


def test_a_session_is_json_and_nothing_of_it_is_trusted(engine: Engine, tmp_path: Path) -> None:
    """A call that names what the file never held takes nothing back."""
    sessions = tmp_path / "sessions"
    sessions.mkdir()
    forged = claude(datetime.now(UTC).isoformat(), "Write", file_path=NOTE, content="forged\n")
    (sessions / "s.jsonl").write_text(forged + "\n" + json.dumps({"message": 3}) + "\n")
    engine.sessions.follow(sessions)
    with pytest.raises(Refused, match="changed later"):
        engine.revert.plan(("session:s-1",))
