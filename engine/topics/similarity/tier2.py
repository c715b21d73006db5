"""Tier 2: how near a message is to each topic, by the scorer that the policy names (autopoiesis §4.2)."""

from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from engine.topics.decision import Score
from engine.topics.similarity.encoder_scorer import SentenceEncoder, TopicMeanings
from engine.topics.similarity.scorer import Scorer, Scores, WordEmbedder, calibrated, passages
from engine.topics.topic import Topic

if TYPE_CHECKING:
    from engine.text.arrays import Floats

ScorerName = Literal["blend", "tfidf", "bm25", "jaccard", "ngrams", "static"]
DEFAULT: ScorerName = "blend"
FALLBACK: ScorerName = "tfidf"  # the scorer where there are no vectors
MEANING = "meaning"  # the name under which decisions show the encoder's opinion together with those of words
LONGEST_TEXT = 4_000  # characters of a message that are compared: what it is about stands at its beginning or nowhere


class TopicScores(msgspec.Struct, frozen=True):
    """One message against all topics: raw figures, and the same on the table's scale, in the topics' order."""

    scorer: str
    raw: Any
    calibrated: Any

    def score(self, row: int) -> Score:
        return Score(scorer=self.scorer, raw=float(self.raw[row]), calibrated=float(self.calibrated[row]))


class TopicSimilarity:
    """Tier 2 for one set of topics. Loads its libraries when it scores for the first time."""

    def __init__(
        self,
        topics: Sequence[Topic],
        *,
        name: ScorerName = DEFAULT,
        embedder: Callable[[], WordEmbedder | None] = lambda: None,
        encoder: Callable[[], SentenceEncoder | None] = lambda: None,
        earlier: "TopicSimilarity | None" = None,
    ) -> None:
        """`embedder` gives word vectors, `encoder` the encoder of sentences; None where there are none here.

        `earlier`: a scorer of nearly the same topics, whose profiles are taken over.
        """
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
        """Says why it scores in another way than was asked for; empty where it does not."""
        if self._wanted not in ("blend", "static") or self._prepared()[0].name != FALLBACK:
            return ""
        return f"the offline word vectors are missing, so topics are compared by words alone ({FALLBACK})"

    def score(self, text: str) -> TopicScores:
        """Scores how near the message is to each topic."""
        scorer, index = self._prepared()
        raw: Floats = index(text[:LONGEST_TEXT].encode("utf-8", "replace").decode())
        return TopicScores(scorer.name, raw, calibrated(scorer.name, raw))

    def closer(self, text: str, found: TopicScores, candidates: Sequence[int]) -> TopicScores | None:
        """Scores a message once more, by its meaning too; None where the scorer is another, or there is no encoder."""
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
        """By content, so that a file that is moved or touched is not analysed again."""
        found = self._profiles.get(topic.sha256)
        if found is None:
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
    found = embedder()
    if found is None:
        return TfIdf()
    return Static(found) if name == "static" else Blend(found)
