"""Matchers made one after the other as topics change, each taking over from the last what stayed."""

from time import perf_counter

from engine.topics.gate_cache import GateCache
from engine.topics.matcher import Matcher
from engine.topics.offline_gate import OfflineGate
from engine.topics.static_scorer import Embedder
from engine.topics.tier1 import PatternMatcher
from engine.topics.tier2 import SimilarityScorer
from engine.topics.values import TopicSet


class MatcherMaker:
    """Builds anew only what changed since the last matcher it made. Offline; nothing is loaded before it matches."""

    def __init__(self, zone: str) -> None:
        self._zone = zone
        self._patterns: PatternMatcher | None = None
        self._similarity: SimilarityScorer | None = None
        self._cache = GateCache()

    def make(self, topics: TopicSet) -> Matcher:
        self._patterns = PatternMatcher(topics.topics, self._patterns)
        self._similarity = SimilarityScorer(topics.topics, embedder=_embedder, earlier=self._similarity)
        return Matcher(
            topics,
            patterns=self._patterns,
            similarity=self._similarity,
            gate=OfflineGate(),
            cache=self._cache,
            zone=self._zone,
            timer=perf_counter,
        )


def _embedder() -> Embedder | None:
    """The offline word vectors, where the package is there."""
    from engine.search.embedding import Missing
    from engine.search.static import static_embedder

    found = static_embedder(centred=True)
    return None if isinstance(found, Missing) else found
