"""Tier 2: scores how similar a message is to each topic, by the policy's scorer (autopoiesis §4.2)."""

from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, Protocol

import msgspec

from engine.topics.decision import Score
from engine.topics.similarity.scorer import Scorer, Scores, WordEmbedder, calibrated, passages
from engine.topics.topic import Topic

if TYPE_CHECKING:
    from engine.text.arrays import Doubles, Floats

NEAREST = 8  # topics by words that are compared with the message: of 30 topics the right one is hardly ever another
MOST = 64  # candidates that are compared with it too, the nearest by words
SHARE, UNSEEN = 1.5, 0.05
"""The weight of the encoder's cosine beside the other scorers, and the cosine assumed for topics not compared."""
RIVALS, COHORT = 0.5, 3  # the weight of the mean of the best other topics against one
SURE, LEAST, LEAD = 1.15, 0.25, 0.2
"""The least sum for a yes; and the least cosine, with its least lead over all other topics, for a yes without words."""
YES, HALF = 0.35, 0.5
"""The figure of a yes on the table's scale, and the share of it below which a figure is 0."""


class SentenceEncoder(Protocol):
    """Returns vectors of length 1 for texts in many languages; zeros for blank text."""

    def encode(self, texts: Sequence[str]) -> "Floats": ...


class TopicMeanings:
    """The centre of each topic's passages, encoded on first use."""

    def __init__(self, load: Callable[[], SentenceEncoder | None], earlier: "TopicMeanings | None" = None) -> None:
        self._load = load
        self._centres: dict[str, Floats] = earlier._centres if earlier else {}

    def figures(self, text: str, topics: Sequence[Topic], words: "Floats", candidates: Sequence[int]) -> Any:
        """Returns each topic's sum of scorers and its figure on the table's scale; None without an encoder."""
        import numpy as np

        encoder = self._load()
        if encoder is None or not len(topics):
            return None
        mine = sorted(candidates, key=lambda row: -float(words[row]))[:MOST]
        rows = np.unique(np.array([*np.argsort(-words, kind="stable")[:NEAREST], *mine]))
        cosines = np.full(len(topics), UNSEEN)
        centres = np.stack([self._centre(encoder, topics[row]) for row in rows])
        # With other texts beside it a vector differs by 2e-7: three places decide.
        cosines[rows] = np.round(np.vecdot(centres, encoder.encode([text])[0]), 3)
        together = words + SHARE * cosines
        sums = together - RIVALS * _best_others(together)
        leads = np.where(cosines >= LEAST, cosines - _best_others(cosines, 1), 0.0)
        reached = np.maximum(sums / SURE, leads / LEAD)
        # What speaks against a topic is in its sum: other topics' figures below half of a yes are nothing.
        return together.astype(np.float32), np.clip(YES * np.where(reached < HALF, 0, reached), 0, 1).astype(np.float32)

    def _centre(self, encoder: SentenceEncoder, topic: Topic) -> "Floats":
        if (found := self._centres.get(topic.sha256)) is None:
            centre = encoder.encode(list(passages(topic)) or [""]).mean(axis=0)
            length = float((centre * centre).sum()) ** 0.5
            found = self._centres[topic.sha256] = centre / max(length, 1e-9)
        return found


def _best_others(values: "Floats | Doubles", count: int = COHORT) -> "Doubles":
    """Returns for each topic the mean of the best figures among the others; 0 if there is none."""
    import numpy as np

    order = np.argsort(-values, kind="stable")[: count + 1]
    top = values[order]
    found = np.full(len(values), top[:count].mean())
    for place, row in enumerate(order[:count]):
        others = np.delete(top, place)
        found[row] = others.mean() if len(others) else 0.0
    return found


ScorerName = Literal["blend", "tfidf", "bm25", "jaccard", "ngrams", "static"]
DEFAULT: ScorerName = "blend"
FALLBACK: ScorerName = "tfidf"  # the scorer where there are no vectors
MEANING = "meaning"  # the name under which decisions show the encoder's opinion together with those of words
LONGEST_TEXT = 4_000  # characters of a message that are compared: what it is about stands at its beginning or nowhere


class TopicScores(msgspec.Struct, frozen=True):
    """One message's scores for all topics, raw and on the table's scale, in the topics' order."""

    scorer: str
    raw: Any
    calibrated: Any

    def score(self, row: int) -> Score:
        return Score(scorer=self.scorer, raw=float(self.raw[row]), calibrated=float(self.calibrated[row]))


class TopicSimilarity:
    """Tier 2 for a set of topics. Loads its libraries at the first score."""

    def __init__(
        self,
        topics: Sequence[Topic],
        *,
        name: ScorerName = DEFAULT,
        embedder: Callable[[], WordEmbedder | None] = lambda: None,
        encoder: Callable[[], SentenceEncoder | None] = lambda: None,
        earlier: "TopicSimilarity | None" = None,
    ) -> None:
        """`embedder`: word vectors; `encoder`: sentences; None if missing. `earlier`: a scorer to reuse profiles of."""
        self.topics = tuple(topics)
        self._wanted = name
        self._embedder = embedder
        self._scorer: Scorer | None = earlier._scorer if earlier else None
        self._profiles: dict[str, Any] = dict(earlier._profiles) if earlier else {}
        self._meanings: TopicMeanings = TopicMeanings(encoder, earlier._meanings if earlier else None)
        self._index: Scores | None = None
        self._lock: Lock = earlier._lock if earlier else Lock()
        self.analysed = 0  # topics whose text had to be analysed; the others were taken over

    @property
    def missing(self) -> str:
        """Says why another scorer than the requested one is used; empty if none."""
        if self._wanted not in ("blend", "static") or self._prepared()[0].name != FALLBACK:
            return ""
        return f"the offline word vectors are missing, so topics are compared by words alone ({FALLBACK})"

    def score(self, text: str) -> TopicScores:
        """Scores the similarity of the message to each topic."""
        scorer, index = self._prepared()
        raw: Floats = index(text[:LONGEST_TEXT].encode("utf-8", "replace").decode())
        return TopicScores(scorer.name, raw, calibrated(scorer.name, raw))

    def closer(self, text: str, found: TopicScores, candidates: Sequence[int]) -> TopicScores | None:
        """Scores a message by meaning too; None for another scorer or without an encoder."""
        if found.scorer != DEFAULT:
            return None
        with self._lock:
            figures = self._meanings.figures(text[:LONGEST_TEXT], self.topics, found.raw, candidates)
        return TopicScores(MEANING, *figures) if figures is not None else None

    def _prepared(self) -> tuple[Scorer, Scores]:
        with self._lock:  # profiles of one vocabulary are made one after the other
            if self._scorer is None:
                self._scorer = _scorer(self._wanted, self._embedder)
            if self._index is None:
                self._index = self._scorer.index([self._profile(self._scorer, topic) for topic in self.topics])
                kept = {topic.sha256 for topic in self.topics}
                self._profiles = {key: profile for key, profile in self._profiles.items() if key in kept}
            return self._scorer, self._index

    def _profile(self, scorer: Scorer, topic: Topic) -> Any:
        """Returns a profile cached by content, so that a moved file is not analysed again."""
        if (found := self._profiles.get(topic.sha256)) is None:
            self.analysed += 1
            found = self._profiles[topic.sha256] = scorer.profile(passages(topic))
        return found


def _scorer(name: ScorerName, embedder: Callable[[], WordEmbedder | None]) -> Scorer:
    from engine.topics.similarity.lexical_scorers import Bm25, Jaccard, TfIdf
    from engine.topics.similarity.ngram_scorer import NGrams
    from engine.topics.similarity.static_scorer import Blend, Static

    by_words: dict[str, Callable[[], Scorer]] = {"tfidf": TfIdf, "bm25": Bm25, "jaccard": Jaccard, "ngrams": NGrams}
    if name in by_words:
        return by_words[name]()
    if (found := embedder()) is None:
        return TfIdf()
    return Static(found) if name == "static" else Blend(found)
