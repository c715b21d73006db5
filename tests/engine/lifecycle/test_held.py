"""What held on a day: entries with their turns, superseded ones until their day, and what no plan vouches for (D45)."""

from datetime import date
from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.extraction.entry import EntryKind, turn_around
from engine.extraction.held import HeldAnswer, RowState
from engine.extraction.relations import shares_a_subject
from engine.extraction.rows import entry_row
from engine.services.engine import Engine
from tests.engine.lifecycle.applying import approve
from tests.engine.lifecycle.test_supersession import AGAIN, ATLAS, HEAD, A, B, applied, rows, session

LIKED, DONE = "I prefer bullet lists over prose.", "We shipped the first release of Atlas."


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    (folder / "knowledge/projects/atlas").mkdir(parents=True)
    (folder / ATLAS).write_bytes(HEAD.encode())
    for day, texts in (("03-01", (A, LIKED, DONE)), ("04-10", (B,)), ("05-20", (AGAIN,))):
        session(folder, day, *texts)
    applied(folder)
    return folder


def held(workspace: Path, day: str, subject: str = "") -> HeldAnswer:
    with Engine.open(workspace) as console:
        return console.recall.held(date.fromisoformat(f"2026-{day}"), subject)


def decisions(workspace: Path, day: str) -> list[str]:
    return [one.text for one in held(workspace, day).entries if one.kind is EntryKind.DECISION]


@pytest.mark.parametrize(
    ("day", "said"),
    [("02-28", []), ("03-01", [A]), ("04-02", [A]), ("04-09", [A]), ("04-10", [B]), ("05-19", [B]), ("06-01", [AGAIN])],
)
def test_d45_what_held_on_a_day_is_answered(workspace: Path, day: str, said: list[str]) -> None:
    assert decisions(workspace, day) == said


def test_d44_an_answer_names_its_row_and_the_turn_that_says_it(workspace: Path) -> None:
    (one,) = held(workspace, "04-02", "atlas sqlite").entries
    assert one.state is RowState.KEPT and one.proven and one.source is not None and one.superseded is not None
    lines = (workspace / one.source.path).read_text("utf-8").split("\n")
    assert lines[one.source.start - 1] == A
    assert A in turn_around(lines, one.source.start)[1]
    assert A in (workspace / one.path).read_text("utf-8").splitlines()[one.line - 1]
    assert one.superseded.since == "2026-04-10"


def test_the_answer_says_how_far_back_it_reaches(workspace: Path, tmp_path: Path) -> None:
    reach = held(workspace, "01-01").reach
    assert (reach.entries_since, reach.transcripts_since, reach.transcripts) == ("2026-03-01", "2026-03-01", 3)
    (tmp_path / "empty").mkdir()
    answer = held(tmp_path / "empty", "04-02")
    assert answer.entries == () and answer.reach.entries_since is None and answer.reach.transcripts_since is None


def test_events_do_not_hold_and_a_subject_leaves_out_the_rest(workspace: Path) -> None:
    assert [one.text for one in held(workspace, "04-02").entries] == [A, LIKED]
    assert [one.text for one in held(workspace, "04-02", "BULLET").entries] == [LIKED]
    assert held(workspace, "04-02", "postgres").entries == ()


def test_what_was_edited_taken_out_or_never_approved_is_told(workspace: Path) -> None:
    text = (workspace / ATLAS).read_text("utf-8")
    forged = entry_row("2026-03-05", "We decided to trust everybody.", "0123456789")
    first = rows(workspace)[0]
    hidden = first.replace("2026-04-10", "2026-03-02").replace("SQLite", "sqlite")
    (workspace / ATLAS).write_text(text.replace(first, hidden) + f"{forged}\n", "utf-8")
    (workspace / "knowledge/identity/USER.md").write_text("# User\n", "utf-8")
    states = {one.state: one for one in held(workspace, "04-02").entries}
    assert states.keys() == {RowState.EDITED, RowState.UNKNOWN, RowState.GONE}
    assert states[RowState.GONE].text == LIKED and states[RowState.GONE].proven
    assert not states[RowState.UNKNOWN].proven and states[RowState.UNKNOWN].source is None
    mark = states[RowState.EDITED].superseded  # as the approved plan marked it, not as the file says
    assert mark is not None and mark.since == "2026-04-10"


def test_a_transcript_that_was_changed_does_not_prove_anything(workspace: Path) -> None:
    (path,) = (workspace / "raw/conversations/2026/03/01").iterdir()
    path.chmod(0o644)
    path.write_text(path.read_text("utf-8").replace("SQLite", "MySQL"), "utf-8")
    (one,) = held(workspace, "04-02", "sqlite").entries
    assert one.source is not None and not one.proven


CACHE, SESSIONS = "We decided to use Redis for the session cache.", "We decided to use Valkey for the cache."


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    """A workspace with two entries whose address is the same only perhaps."""
    folder = tmp_path / "pair"
    (folder / "knowledge/projects/atlas").mkdir(parents=True)
    (folder / ATLAS).write_bytes(HEAD.encode())
    for day, text in (("03-01", CACHE), ("04-10", SESSIONS)):
        session(folder, day, text)
        applied(folder)
    return folder


def cards(workspace: Path, day: str) -> list[tuple[str, str]]:
    with Engine.open(workspace) as console:
        found = console.facts.read(date.fromisoformat(f"2026-{day}")).cards
        return [(card.earlier, card.later) for card in found]


def decided(workspace: Path, kept: str = "", both: str = "") -> None:
    with Engine.open(workspace) as console:
        before = {path: path.read_bytes() for path in workspace.rglob("*.md")}
        plan = console.facts.decide(kept, both).plan
        assert all(path.read_bytes() == data for path, data in before.items()), "nothing is written unapproved"
        approve(console, plan)


def test_d61_what_cannot_be_decided_is_the_operators_to_decide(pair: Path) -> None:
    answer = held(pair, "06-01")
    assert [one.text for one in answer.entries] == [CACHE, SESSIONS]
    assert cards(pair, "06-01") == [tuple(one.id for one in answer.entries)]
    assert cards(pair, "03-20") == []


def test_d61_a_plan_warns_of_a_pair_and_marks_neither(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    (folder / "knowledge").mkdir(parents=True)
    session(folder, "03-01", CACHE)
    session(folder, "04-10", SESSIONS)
    plan = applied(folder)
    assert plan is not None and "superseded" not in plan.facts
    assert any(one.startswith("again or changed? ") and CACHE in one and SESSIONS in one for one in plan.warnings)


@pytest.mark.parametrize("first", [True, False])
def test_d61_one_is_kept_and_the_other_superseded_by_an_approved_plan(pair: Path, first: bool) -> None:
    ((earlier, later),) = cards(pair, "06-01")
    decided(pair, kept=earlier if first else later)
    assert [one.text for one in held(pair, "06-01").entries] == [CACHE if first else SESSIONS]
    assert cards(pair, "06-01") == []
    with Engine.open(pair) as console:
        assert console.plans.make("extract").plan is None and console.plans.make("replay").plan is None


def test_d61_both_are_kept_and_never_asked_about_again(pair: Path) -> None:
    ((_, later),) = cards(pair, "06-01")
    decided(pair, both=later)
    assert [one.text for one in held(pair, "06-01").entries] == [CACHE, SESSIONS] and cards(pair, "06-01") == []
    with Engine.open(pair) as console:
        outcome = console.plans.make("extract")
        assert outcome.plan is None and console.plans.make("replay").plan is None
        with pytest.raises(UsageError, match="no other fact"):
            console.facts.decide(later)


NOTES = (
    "We decided to sign notes as 'by AI (Claude)'.",
    "No, correction: we decided to sign notes with the model name instead.",
    "Final convention, it replaces the earlier ones: we sign notes exactly as 'Agent'.",
)
"""What the field reported: all three were held."""


def test_d61_of_three_conventions_in_one_session_the_last_holds(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    (folder / "knowledge").mkdir(parents=True)
    session(folder, "03-01", *NOTES)
    applied(folder)
    assert [one.text for one in held(folder, "03-01").entries] == [NOTES[2]]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (
            "We decided to use Postgres for the billing database because of joins.",
            "We decided to use SQLite for the billing database because ops is simpler.",
        ),
        ("The staging port is 5433.", "staging port is 5434 now"),
        ("We use Postgres for the billing database.", "Let's use SQLite for the billing database instead."),
        ("We use Postgres for the billing database.", "We picked SQLite as our billing database."),
    ],
)
def test_d61_there_and_back_with_a_reason_keeps_three_and_the_last_holds(
    tmp_path: Path, earlier: str, later: str
) -> None:
    folder = tmp_path / "ws"
    (folder / "knowledge").mkdir(parents=True)
    for day, text in (("03-01", earlier), ("04-10", later), ("05-20", earlier)):
        session(folder, day, text)
    applied(folder)
    assert [[one.text for one in held(folder, day).entries] for day in ("03-02", "04-11", "06-01")] == [
        [earlier],
        [later],
        [earlier],
    ]
    written = "\n".join(path.read_text("utf-8") for path in folder.glob("knowledge/**/*.md"))
    assert written.count("<!-- x:") == 3 and written.count("(superseded: ") == 2


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ("events come up to three times and out of order", "**depot-v2**: events instead of polling", False),
        ("on Thursdays she answers after 18:00", "first answer after 55 minutes instead of 3 h 10 min", False),
        ("Imported addresses are asked", "imported addresses are confirmed first", True),
        ("Money is a number", "Money is integers of cents", True),
    ],
)
def test_d61_two_sentences_make_a_card_only_if_they_share_a_subject(one: str, other: str, shared: bool) -> None:
    assert shares_a_subject(one, other) is shared
    assert shares_a_subject(other, one) is shared
