"""Matchers for weighing proposals: the operator's own, but the gate repeats its recorded answers, without a model."""

from collections.abc import Iterable, Sequence
from time import perf_counter

from engine.search.embedding.embedder import word_vectors
from engine.text.encoder.encoder import encoder_or_none
from engine.topics.decision import GateAnswer
from engine.topics.decision_log import LogEntry
from engine.topics.gate.offline import OfflineGate
from engine.topics.gate.question import GateCache, GateQuestion, GateVerdict
from engine.topics.matcher import Matcher
from engine.topics.patterns.tier1 import TopicPatterns
from engine.topics.similarity.tier2 import ScorerName, TopicSimilarity
from engine.topics.topic import Topic, TopicSet


class RecordedGate:
    """Answers from the log; questions that were never asked, by the offline rule. Costs nothing."""

    name = "recorded"
    keeps = False  # what the offline rule says depends on the other topics too

    def __init__(self, entries: Iterable[LogEntry]) -> None:
        self._said = {
            (entry.text, decision.topic): decision.gate is GateAnswer.YES
            for entry in entries
            for decision in entry.decisions
            # The offline rule is worked out anew, since it depends on the topic's file.
            if decision.gate is not GateAnswer.NONE and decision.gate_by != OfflineGate.name
        }
        self._offline = OfflineGate()

    def ask(self, question: GateQuestion) -> GateVerdict:
        if (said := self._said.get((question.message, question.topic.id))) is None:
            return self._offline.ask(question)
        return GateVerdict(yes=said, by=self.name, reason="as the topic gate answered then")


class OfflineMatchers:
    """Makes matchers one after the other; each reuses what did not change from the last."""

    def __init__(self, entries: Iterable[LogEntry], zone: str, scorer: ScorerName) -> None:
        self._gate, self._cache = RecordedGate(entries), GateCache()
        self._zone, self._scorer = zone, scorer
        self._patterns: TopicPatterns | None = None
        self._similarity: TopicSimilarity | None = None

    def make(self, topics: Sequence[Topic]) -> Matcher:
        self._patterns = TopicPatterns(topics, self._patterns)
        self._similarity = TopicSimilarity(
            topics, name=self._scorer, embedder=word_vectors, encoder=encoder_or_none, earlier=self._similarity
        )
        return Matcher(
            TopicSet(topics=tuple(topics)),
            patterns=self._patterns,
            similarity=self._similarity,
            gate=self._gate,
            cache=self._cache,
            zone=self._zone,
            timer=perf_counter,
        )
