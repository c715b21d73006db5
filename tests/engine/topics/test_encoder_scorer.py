"""The encoder where words do not decide (decisions D18, D37): its lead, other languages, and what it is not asked."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.search.embedding.embedder import word_vectors
from engine.text.encoder.encoder import encoder_or_none, encoder_problem
from engine.topics.gate.offline import OfflineGate
from engine.topics.gate.question import GateCache
from engine.topics.matcher import Matcher
from engine.topics.patterns.tier1 import TopicPatterns
from engine.topics.similarity.tier2 import LEAD, MEANING, SentenceEncoder, TopicMeanings, TopicSimilarity
from engine.topics.topic import Activation, PatternTrigger, Topic, TopicSet
from tests.engine.topics.building import from_file, said, topic

NOW = datetime(2026, 1, 1, tzinfo=UTC)
needs_models = pytest.mark.skipif(
    encoder_problem() is not None or word_vectors() is None, reason="the encoder or the word vectors are not installed"
)


class Axes:
    """An encoder of two axes: a text says how far it points to each."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        rows = np.array([[float(word) for word in text.split()[-2:]] for text in texts], np.float32)
        found: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return found


def figures(message: str, *topics: str) -> NDArray[np.float32]:
    made = [topic(f"t{at}", title=axes) for at, axes in enumerate(topics)]
    found = TopicMeanings(Axes).figures(message, made, np.zeros(len(made), np.float32), [])
    return np.asarray(found[1])


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_a_lead_over_the_second_topic_is_a_yes_and_a_tie_is_none(one: float, other: float) -> None:
    message = np.array([0.6, 0.8])
    axes = [np.array([value, 1 - abs(value)]) for value in (one, other)]
    cosines = [round(float(message @ axis / np.linalg.norm(axis)), 3) for axis in axes]
    lead, found = cosines[0] - cosines[1], figures("0.6 0.8", *(f"{axis[0]} {axis[1]}" for axis in axes))
    if lead > LEAD + 0.002 and cosines[0] > 0.26:
        assert found[0] > 0.35 - 1e-6 > found[1]
    if cosines[0] == cosines[1] < 0.7:
        assert max(found) < 0.35


def test_a_topic_is_read_once_and_taken_over_by_a_scorer_of_nearly_the_same_topics() -> None:
    encoder = Axes()
    topics, words = [topic("a", title="1 0"), topic("b", title="0 1")], np.zeros(2, np.float32)
    first = TopicMeanings(lambda: encoder)
    assert first.figures("1 0", topics, words, []) is not None and len(encoder.texts) == 3
    TopicMeanings(lambda: encoder, first).figures("0 1", topics, words, [])
    assert encoder.texts[3:] == ["0 1"]
    assert TopicMeanings(lambda: None).figures("1 0", topics, words, []) is None


def matcher(topics: Sequence[Topic], encoder: Callable[[], SentenceEncoder | None]) -> Matcher:
    return Matcher(
        TopicSet(topics=tuple(topics)),
        patterns=TopicPatterns(topics),
        similarity=TopicSimilarity(topics, embedder=word_vectors, encoder=encoder),
        gate=OfflineGate(),
        cache=GateCache(),
        zone="UTC",
        timer=lambda: 0.0,
    )


@pytest.mark.skipif(word_vectors() is None, reason="the word vectors are not installed")
@pytest.mark.parametrize(
    "message",
    [
        "the weather is fine over there today",  # no trigger matches
        "bake bread with flour and yeast, knead the dough",  # words come to a sure yes
        "alert everybody",  # `auto` asks for no figure
    ],
)
def test_where_words_decide_the_encoder_is_not_loaded(message: str) -> None:
    def load() -> SentenceEncoder | None:
        raise AssertionError("the encoder was asked")

    bread = topic("bread", PatternTrigger(match="bread"), text="Bake bread with flour and yeast.\nKnead the dough.")
    alert = topic("alert", PatternTrigger(match="alert"), activation=Activation.AUTO)
    rows = [alert, bread, *(topic(f"other-{at}", text=f"Something about {at}") for at in range(5))]
    matcher(rows, load).match(said(message), NOW)


def demo_topics() -> list[Topic]:
    text = files("engine.demo").joinpath("content/workspace.txt").read_text("utf-8")
    parts = (part.partition("\n") for part in text.split("\n@@ ")[1:])
    made = {path: body.strip() + "\n" for path, _, body in parts if path.startswith("topics/") and "/_" not in path}
    # One of the demo's topics has an error on purpose.
    return [from_file(body, path) for path, body in made.items() if "(consent" not in body]


@needs_models
@pytest.mark.parametrize(
    "message",
    ["Please cancel the invoice of customer Meyer.", "Where is my invoice?", "the invoice amount is wrong by 20 EUR"],
)
def test_plain_messages_about_invoices_wake_the_demos_rechnungen(message: str) -> None:
    result = matcher(demo_topics(), encoder_or_none).match(said(message), NOW)
    assert result.active == ("rechnungen",)
    assert [score.scorer for decision in result.decisions for score in decision.scores] == [MEANING]


@needs_models
@pytest.mark.parametrize(
    ("message", "active"),
    [
        ("Ich möchte meine Kreditkarte als verloren melden", ("card",)),
        ("我需要签证才能出国旅行吗？", ("visa",)),
        ("Das Wetter war gestern sehr schön und wir gingen lange spazieren", ()),
    ],
)
def test_a_message_in_another_language_wakes_by_its_lead_alone(message: str, active: tuple[str, ...]) -> None:
    said_of = {
        "card": "The user reports a lost or stolen credit card and wants it blocked.",
        "cook": "The user asks how long a dish has to cook in the oven.",
        "date": "The user asks which day of the month it is today.",
        "visa": "The user asks whether a visa is needed for travel abroad.",
    }
    topics = [topic(name, text=text, similarity_only=True) for name, text in said_of.items()]
    assert matcher(topics, encoder_or_none).match(said(message), NOW).active == active
