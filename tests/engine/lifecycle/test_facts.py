"""Facts that hold (D61): addresses, what was replaced, facts that end by themselves, pairs for the operator."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.extraction import what_holds
from engine.extraction.endings import EndKind, ending, releases
from engine.extraction.what_holds import FactsAnswer
from engine.lifecycle.requests import ForgetRequest
from engine.plans.plan import Replace, RiskTier
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine
from tests.engine.lifecycle.applying import approve
from tests.engine.lifecycle.test_supersession import ATLAS, HEAD, A, B, applied, session

SAID = date(2026, 3, 11)
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "kind", "day"),
    [
        ("The office is closed until 30 April.", EndKind.UNTIL, "2026-04-30"),
        ("The permit is valid until April 5th, 2027.", EndKind.UNTIL, "2027-04-05"),
        ("We use the old port till Friday.", EndKind.UNTIL, "2026-03-13"),
        ("Ana is on leave next week.", EndKind.SPAN, "2026-03-22"),
        ("Leo is 7 years old.", EndKind.AGE, "2027-03-11"),
        ("Wir nutzen den alten Port bis zum 30. April.", EndKind.UNTIL, "2026-04-30"),
        ("Der Vertrag läuft bis Ende Juni.", EndKind.UNTIL, "2026-06-30"),
        ("Le bureau est fermé jusqu'au 30 avril.", EndKind.UNTIL, "2026-04-30"),
        ("La oficina está cerrada hasta el 30 de abril.", EndKind.UNTIL, "2026-04-30"),
        ("办公室到4月30日关闭。", EndKind.UNTIL, "2026-04-30"),
        ("下周妈妈来。", EndKind.SPAN, "2026-03-22"),
    ],
)
def test_d61_a_statement_that_ends_by_itself_says_when(text: str, kind: EndKind, day: str) -> None:
    found = ending(text, SAID)
    assert found is not None and (found.kind, str(found.day)) == (kind, day)


@pytest.mark.parametrize(
    "text",
    ["The port is 5434.", "The train takes up to 3 hours.", "The code is 42.", "Until the 31 June.", "We meet at 5."],
)
def test_what_names_no_end_has_none(text: str) -> None:
    assert ending(text, SAID) is None


def test_d61_a_release_ends_what_held_until_it() -> None:
    found = ending("Keep the flag until version 3.2 ships.", SAID)
    assert found is not None and (found.kind, found.release, found.day) == (EndKind.RELEASE, "3.2", None)
    assert dict(releases([(SAID, "We shipped Atlas 3.2 today."), (SAID, "v4.0 is out.")])) == {"3.2": SAID, "4.0": SAID}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    (folder / "knowledge/projects/atlas").mkdir(parents=True)
    (folder / ATLAS).write_bytes(HEAD.encode())
    for day, texts in (("03-01", (A,)), ("04-10", (B, "The office is at Mill Lane until 30 April."))):
        session(folder, day, *texts)
    applied(folder)
    return folder


def read(workspace: Path, on: str = "2026-06-01", subject: str = "") -> FactsAnswer:
    with Engine.open(workspace, now=NOW) as console:
        return console.facts.read(date.fromisoformat(on), subject)


def test_d61_a_fact_says_since_when_by_whom_and_what_it_replaced(workspace: Path) -> None:
    (one,) = (fact for fact in read(workspace).entries if fact.text == B)
    assert (one.day, one.who, one.value) == ("2026-04-10", "user", "postgres") and "Atlas" in one.subject
    assert [(old.day, old.text) for old in one.replaced] == [("2026-03-01", A)] and one.evidence == ()
    assert [fact.text for fact in read(workspace, "2026-03-05", "atlas").entries if fact.day] == [A]


def test_d61_what_has_ended_is_asked_about_until_the_operator_says_that_it_holds(workspace: Path) -> None:
    assert read(workspace, "2026-04-30").due == ()
    (ident,) = read(workspace).due
    with Engine.open(workspace, now=NOW) as console:
        (ended,) = console.status.read().ended
        assert (ended.id, ended.words) == (ident, "until 30 April.") and "Mill Lane" in ended.text and ended.line
        console.facts.still(ident)
        assert console.status.read().ended == ()
    assert read(workspace).due == ()


def test_d61_a_line_by_hand_ends_where_it_has_a_day(tmp_path: Path) -> None:
    kept = "- 2026-05-04: The invoices go to Ana until 20 May\n- The port is 5433 until 20 May\n"
    (tmp_path / "MEMORY.md").write_text(kept)
    with Engine.open(tmp_path, now=NOW) as console:
        assert [(one.path, one.line) for one in console.status.read().ended] == [("MEMORY.md", 1)]
        (tmp_path / "MEMORY.md").write_text(f"# Memory\n{kept}")
        assert [one.line for one in console.status.changed(("MEMORY.md",)).ended] == [2]


def test_d61_a_note_without_an_end_is_read_once_for_all_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, statements = list[str](), what_holds.dated_statements

    def noted(path: str, text: str) -> what_holds.DatedStatements:
        read.append(path)
        return statements(path, text)

    monkeypatch.setattr(what_holds, "dated_statements", noted)
    folder = tmp_path / "knowledge"
    folder.mkdir()
    for name, said in (
        ("held", "2026-05-04: The port is 5433."),
        ("over", "2026-05-04: Ana has the keys until 20 May"),
    ):
        (folder / f"{name}.md").write_text(f"- {said}\n")
    (folder / "later.md").write_text("- 2026-05-04: The keys of the office are with Ana until Zephyr 2.4 ships.\n")

    def told() -> list[str]:
        read.clear()
        with Engine.open(tmp_path, now=NOW) as console:
            assert all(word not in file.read_bytes() for file in kept(console) for word in (b"keys", b"2.4", b"5433"))
            return [one.path for one in console.status.read().ended]

    def kept(console: Engine) -> list[Path]:
        return [*console._opened.state.path.glob("note-ends")]

    assert told() == ["knowledge/over.md"] and len(read) == 3
    assert told() == ["knowledge/over.md"] and read == ["knowledge/over.md"]
    with Engine.open(tmp_path, now=NOW) as console:
        console.facts.still(console.status.read().ended[0].id)
        assert len(kept(console)) == 1
    assert told() == [] and read == []
    (folder / "held.md").write_text("- 2026-05-04: The port is 5433 until 20 May\n")
    assert told() == ["knowledge/held.md"] and set(read) == {"knowledge/held.md"}


def test_d62_all_values_at_an_address_are_forgotten(workspace: Path) -> None:
    def asked(address: str) -> PlanRequest:
        return PlanRequest(ForgetRequest(address=(address,), raw=True))

    with Engine.open(workspace, now=NOW) as console:
        (subject,) = {fact.subject for fact in console.facts.read().entries if fact.text == B}
        plan = console.plans.make("forget", asked(" ".join(reversed(subject.split())))).plan
        assert plan is not None and ATLAS in plan.targets()
        kept = "".join(change.content for change in plan.changes if isinstance(change, Replace))
        assert A not in kept and B not in kept and "Mill Lane" in kept
        with pytest.raises(UsageError, match="no fact is about that"):
            console.plans.make("forget", asked("something else"))


def test_d62_of_a_turn_that_says_two_facts_the_one_that_is_not_asked_about_stays(tmp_path: Path) -> None:
    port, lives = "The staging port is 5434.", "Ana lives in Berlin."
    session(tmp_path, "04-10", f"{port} {lives}")
    applied(tmp_path)
    with Engine.open(tmp_path, now=NOW) as console:
        address, about = ForgetRequest(address=("staging port",), raw=True), ForgetRequest(about=("Ana",), raw=True)
        for asked, goes, stays in ((address, port, lives), (about, lives, port)):
            made = console.plans.make("forget", PlanRequest(asked))
            assert made.plan is not None and "another fact needs a part of it" in made.report
            new = [one.content for one in made.plan.changes if isinstance(one, Replace) and "conversation" in one.path]
            assert new and all(goes not in text and stays in text for text in new)


MEMORY = "# Memory\n\n- The staging port is 5433.\r\n- Ana owns the invoices.\n"


@pytest.mark.parametrize("own", ["", "The staging port is 5435."])
def test_d61_a_line_by_hand_and_an_entry_are_a_pair_and_one_is_marked(tmp_path: Path, own: str) -> None:
    (tmp_path / "MEMORY.md").write_bytes(MEMORY.encode())
    session(tmp_path, "04-10", "The staging port is 5434.")
    applied(tmp_path)
    with Engine.open(tmp_path, now=NOW) as console:
        (card,) = console.facts.read().cards
        by_id = {one.id: one for one in console.facts.read().entries}
        assert by_id[card.earlier].path == "MEMORY.md" and "5434" in by_id[card.later].text
        plan = console.facts.decide(card.later, own=own).plan
        assert plan is not None and plan.risk_tier is RiskTier.C
        assert (tmp_path / "MEMORY.md").read_bytes() == MEMORY.encode(), "nothing is merged by itself"
        assert console.facts.read().cards == (), "what waits in a plan is not asked again"
        approve(console, plan)
        assert console.facts.read().cards == ()
        held = [one.text for one in console.facts.read().entries if "port" in one.text]
    assert held == [own or "The staging port is 5434."]
    first, second = (tmp_path / "MEMORY.md").read_bytes().split(b"\n")[2:4]
    assert first.startswith(b"- The staging port is 5433. (superseded: 2026-06-01 ") and first.endswith(b")\r")
    assert second == b"- Ana owns the invoices."


def test_d61_both_lines_by_hand_are_remembered_without_a_plan(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("- The port is 5433.\n- The port is 5434 for staging.\n- The port is 5434.\n")
    with Engine.open(tmp_path, now=NOW) as console:
        cards = console.facts.read().cards
        assert cards
        assert console.facts.decide(both=cards[0].later).plan is None
        assert cards[0].key not in {one.key for one in console.facts.read().cards}
