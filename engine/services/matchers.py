"""Makes the topics' matcher, with the scorer and the gate of the operator's policy."""

import time
from collections.abc import Callable

from engine.models.cost_ledger import CostLedger
from engine.models.model_task import ModelRole
from engine.search.embedding.embedder import word_vectors
from engine.services.open_workspace import OpenWorkspace
from engine.services.policy_models import claude_for, price_of
from engine.text.encoder.encoder import encoder_or_none
from engine.topics.gate.claude import ClaudeGate
from engine.topics.gate.offline import OfflineGate
from engine.topics.gate.question import GateCache, TopicGate
from engine.topics.matcher import Matcher, Matching
from engine.topics.patterns.tier1 import TopicPatterns
from engine.topics.similarity.tier2 import TopicSimilarity
from engine.topics.topic import TopicSet


class MatcherFactory:
    """Makes matchers that share one gate and its answers. Loads no library before a message is scored."""

    def __init__(self, opened: OpenWorkspace, timer: Callable[[], float] = time.perf_counter) -> None:
        self._opened = opened
        self._timer = timer
        self._cache = GateCache()
        self._gate, self._remarks = _gate(opened, timer)

    def matcher(self, topics: TopicSet, before: Matching | None = None) -> Matcher:
        """Makes a matcher for these topics; reuses the work of `before` for unchanged topics."""
        earlier = before if isinstance(before, Matcher) else None
        policy = self._opened.policy
        return Matcher(
            topics,
            patterns=TopicPatterns(topics.topics, earlier.patterns if earlier else None),
            similarity=TopicSimilarity(
                topics.topics,
                name=policy.topics.used,
                embedder=word_vectors,
                encoder=encoder_or_none,
                earlier=earlier.similarity if earlier else None,
            ),
            gate=self._gate,
            cache=self._cache,
            zone=policy.zone,
            timer=self._timer,
            remarks=self._remarks,
        )


def _gate(opened: OpenWorkspace, timer: Callable[[], float]) -> tuple[TopicGate, tuple[str, ...]]:
    """Gives the policy's gate and remarks for the operator; the offline gate where credentials are missing."""
    llm = opened.policy.llm
    if llm.provider == "extractive":
        return OfflineGate(), ()
    if not llm.models.gate:
        return OfflineGate(), ("llm.models.gate names no model, so the topic gate goes by the offline rule",)
    gate = ClaudeGate(
        claude_for(llm, opened.env, ModelRole.GATE),
        price=price_of(llm, llm.models.gate),
        max_usd=llm.max_usd_per_plan,
        ledger=CostLedger(opened.state.ledger),
        timer=timer,
        clock=opened.real_clock,
    )
    return gate, ()
