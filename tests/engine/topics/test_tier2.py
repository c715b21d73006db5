"""Tier 2: six scorers behind one interface, on the scale of the gate's table (decision D37, autopoiesis §4.2)."""

from collections.abc import Sequence
from itertools import pairwise
from typing import get_args

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.search.embedding.embedder import word_vectors
from engine.topics.similarity.lexical_scorers import LEAST_TOPICS, TfIdf
from engine.topics.similarity.ngram_scorer import signature
from engine.topics.similarity.scorer import RAW, SCALE, calibrated
from engine.topics.similarity.tier2 import ScorerName, TopicSimilarity
from engine.topics.topic import Topic
from tests.engine.topics.building import topic

NAMES: tuple[ScorerName, ...] = get_args(ScorerName)
TOPICS = [
    topic("bread", text="Bake bread with flour and yeast.\nKnead the dough for ten minutes."),
    topic("mail", text="Sort new email.\nAnswer urgent mail at once.\nArchive newsletters."),
    topic("trains", text="Look up when trains leave.\nBuy railway tickets to Leipzig."),
]


class Counting:
    """An embedder that counts texts, of vectors that depend on the words alone."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        rows = np.zeros((len(texts), 64), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().replace(".", "").split():
                row[sum(word.encode()) % 64] += 1
            row /= max(1e-9, float(np.sqrt((row * row).sum())))
        return rows


def scorer(
    name: ScorerName, topics: Sequence[Topic] = TOPICS, earlier: TopicSimilarity | None = None
) -> TopicSimilarity:
    return TopicSimilarity(topics, name=name, embedder=Counting, earlier=earlier)


@pytest.mark.parametrize("name", NAMES)
def test_every_scorer_finds_the_topic_a_message_is_about(name: ScorerName) -> None:
    for row, text in enumerate(
        ("how long do i knead the dough for bread", "urgent email to answer", "railway tickets please")
    ):
        scored = scorer(name).score(text)
        assert scored.scorer == name and int(np.argmax(scored.calibrated)) == row
        assert scored.calibrated.min() >= 0 and scored.calibrated.max() <= 1
        assert scored.score(row).calibrated == pytest.approx(float(scored.calibrated[row]))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["", " ", "xyzzy", "\ud800", "\x00", "的" * 9_000, "a " * 9_000, "🙂"])
def test_no_text_is_an_exception(name: ScorerName, text: str) -> None:
    for topics in (TOPICS, [topic("empty")], []):
        scored = scorer(name, topics).score(text)
        assert len(scored.calibrated) == len(topics) and np.isfinite(scored.calibrated).all()


@pytest.mark.parametrize("name", NAMES)
def test_d37_calibration_keeps_the_order_and_names_the_tables_figures(name: ScorerName) -> None:
    raw = RAW[name]
    assert len(raw) == len(SCALE) and all(low < high for low, high in pairwise(raw))
    found = calibrated(name, np.array(raw, dtype=np.float32))
    assert found == pytest.approx(np.array(SCALE), abs=1e-6)
    assert calibrated(name, np.array([-1.0, 99.0], dtype=np.float32)).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_topic_is_analysed_alone_and_scores_as_if_all_were(name: ScorerName) -> None:
    first = scorer(name)
    first.score("bread")
    assert first.analysed == len(TOPICS)
    changed = [TOPICS[0], topic("mail", text="Chop wood in the forest."), TOPICS[2]]
    after, anew = scorer(name, changed, first), scorer(name, changed)
    for text in ("chop wood", "bake bread", "email"):
        # Terms that only the old text had are known to the vocabulary still; they weigh nothing in any topic.
        got, wanted = after.score(text).raw, anew.score(text).raw
        assert int(np.argmax(got)) == int(np.argmax(wanted))
    assert after.analysed == 1


def test_without_vectors_words_alone_decide_and_it_says_so() -> None:
    made = TopicSimilarity(TOPICS, name="blend", embedder=lambda: None)
    assert made.score("knead the dough").scorer == "tfidf" and "words alone" in made.missing
    assert scorer("blend").missing == "" and scorer("tfidf").missing == ""


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_hardly_depends_on_how_many_other_topics_there_are(name: ScorerName) -> None:
    others = [topic(f"o{n}", text=" ".join(f"word{n}x{m}" for m in range(11))) for n in range(29)]
    found = [
        float(scorer(name, [*TOPICS[:1], *others[:count]]).score("how long do i knead the bread").calibrated[0])
        for count in (0, 2, 9, 29)
    ]
    assert min(found) > 0 and max(found) <= 1.25 * min(found), found


def test_n_grams_do_not_count_what_else_a_topic_says() -> None:
    more = topic(
        "mail", text=TOPICS[1].instructions + "".join(f"\nRule {n} of the house: {'xyz'[n % 3] * n}" for n in range(40))
    )
    short, long = (scorer("ngrams", [each]).score("answer urgent mail") for each in (TOPICS[1], more))
    assert float(long.raw[0]) == pytest.approx(float(short.raw[0]), abs=0.02)


def test_exemplars_count_as_the_topics_own_text() -> None:
    taught = msgspec.structs.replace(TOPICS[2], exemplars=("is there a tram to the zoo",), sha256="e" * 64)
    for name in NAMES:
        before, after = (
            scorer(name, [*TOPICS[:2], each]).score("when does the tram come") for each in (TOPICS[2], taught)
        )
        assert float(after.calibrated[2]) > float(before.calibrated[2])


def test_nothing_is_embedded_before_a_message_is_scored() -> None:
    loaded: list[Counting] = []

    def load() -> Counting:
        loaded.append(Counting())
        return loaded[-1]

    made = TopicSimilarity(TOPICS, name="static", embedder=load)
    assert loaded == []
    made.score("x")
    made.score("y")
    assert len(loaded) == 1


def test_the_real_vectors_know_words_that_no_topic_has() -> None:
    if word_vectors() is None:
        pytest.skip("no offline word vectors on this machine")
    scored = TopicSimilarity(TOPICS, name="static", embedder=word_vectors).score("is there a tram timetable")
    assert int(np.argmax(scored.calibrated)) == 2


def test_tfidf_is_the_cosine_it_says() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = ["red green", "green blue blue", "red red red yellow", *(f"a{n} b{n}" for n in range(LEAST_TOPICS))]
    made = TfIdf()
    index = made.index([made.profile([text]) for text in texts])
    pairs = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True).fit(texts)
    for message in ("green blue", "red yellow yellow", "blue"):
        wanted = (pairs.transform([message]) @ pairs.transform(texts).T).toarray()[0]
        assert index(message) == pytest.approx(wanted, abs=1e-5)


@given(st.text(max_size=60), st.text(max_size=60))
def test_signatures_estimate_jaccard(left: str, right: str) -> None:
    one, other = signature(left), signature(right)
    assert (one == signature(left)).all()
    if " ".join(left.lower().split()) == " ".join(right.lower().split()):
        assert (one == other).all()
