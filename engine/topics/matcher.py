"""Runs the three tiers: message in, decisions out (autopoiesis §4.1, §10.2)."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cached_property
from typing import Protocol

import msgspec

from engine.text.canonical_json import sha256_hex
from engine.topics.contest import NOWHERE, Contest, Evidence, MessageReading, ScoredReading, is_sure, readings
from engine.topics.decision import Decision, Funnel, GateAnswer, GateRule, MatchResult, Score, TriggerEvidence
from engine.topics.gate.precedence import ACTIVATES, ASKS, is_candidate, is_open, rule_for
from engine.topics.gate.question import GateCache, GateFailed, GateQuestion, GateVerdict, TopicGate
from engine.topics.messages import Event, Message, WebhookEvent
from engine.topics.patterns.language_detection import detect_language
from engine.topics.patterns.schedules import happened
from engine.topics.patterns.tier1 import LONGEST_TEXT, Matches, TopicPatterns
from engine.topics.similarity.tier2 import TopicSimilarity
from engine.topics.topic import TopicSet

MOST_FOREIGN = 64
"""Most topics without a Tier 1 match compared with a message in another language; each takes some 10 ms."""
Readings = tuple[ScoredReading, ...]
CERTAIN = 1.0  # the figure of a topic that an event names: nothing was guessed


class Matching(Protocol):
    """The part of a matcher that monitor and commands use; its only state are topics and cached answers."""

    def match(self, message: Message, now: datetime) -> MatchResult:
        """Decides which topics a message activates. `now` is only logged. Never raises."""
        ...

    def event(self, event: Event, now: datetime) -> MatchResult:
        """Decides which topics a webhook or the passing of time activates."""
        ...


class Matcher:
    """Topics with their scorer and gate. `timer`: seconds, for latencies only."""

    def __init__(
        self,
        topics: TopicSet,
        *,
        patterns: TopicPatterns,
        similarity: TopicSimilarity,
        gate: TopicGate,
        cache: GateCache,
        zone: str,
        timer: Callable[[], float],
        remarks: tuple[str, ...] = (),
    ) -> None:
        self.topics = topics
        self._topics = {topic.id: topic for topic in topics.topics}
        self._row = {topic.id: row for row, topic in enumerate(similarity.topics)}
        self._on = frozenset(topic.id for topic in topics.topics if topic.enabled)
        self._alone = tuple(topic for topic in topics.topics if topic.similarity_only)
        self.patterns = patterns
        self.similarity = similarity
        self._gate = gate
        self._cache = cache
        self._zone = zone
        self._timer = timer
        self._remarks = remarks

    def match(self, message: Message, now: datetime) -> MatchResult:
        """Decides which topics a message activates. `now` is only logged. Never raises."""
        # Text that we put into the session wakes nothing (decision D20).
        if message.injected:
            return MatchResult(id=message.id, message_sha256=_sha256(message.text))
        start = self._timer()
        matches = self.patterns.match(message)
        middle = self._timer()
        scored = self._scored(message.text, matches)
        candidates = self._candidates(matches, scored)
        scored = self._closer(message.text, candidates, matches, scored)
        candidates = candidates or self._candidates(matches, scored)
        end = self._timer()
        decisions = self._decide(message.text, candidates, matches.evidence, scored)
        is_long = len(message.text) > LONGEST_TEXT
        long = (f"only the first {LONGEST_TEXT:,} characters were looked at",) if is_long else ()
        result = self._result(message.id, message.text, decisions, long)
        corrections = tuple(each for each in matches.corrections if each.topic in self._on)
        funnel = msgspec.structs.replace(
            result.funnel, tier1=len(matches.evidence), tier1_ms=1e3 * (middle - start), tier2_ms=1e3 * (end - middle)
        )
        return msgspec.structs.replace(result, funnel=funnel, mood=matches.mood, corrections=corrections)

    def event(self, event: Event, now: datetime) -> MatchResult:
        """Decides which topics an event activates; its text is data for the gate."""
        # Who sends a webhook is not the operator: what it says goes to the gate as data (decision G13).
        text = event.text or f"{event.source} {event.event}" if isinstance(event, WebhookEvent) else "the schedule"
        evidence = happened(self.topics.topics, event, self._zone)
        asked = (
            GateQuestion(message=text, topic=self._topics[name], tier1=True, score=CERTAIN, event=True)
            for name in evidence
        )
        result = self._result(event.id, text, tuple(map(self._decision, asked, evidence.values())))
        return msgspec.structs.replace(result, funnel=msgspec.structs.replace(result.funnel, tier1=len(evidence)))

    # ── within ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _scored(self, text: str, matches: Matches) -> Readings:
        # Without a candidate nobody asks for a figure.
        if not (matches.evidence or self._alone) or not text.strip():
            return ()
        others = readings(text, matches.evidence, alone=bool(self._alone))
        return tuple(ScoredReading(each, self.similarity.score(each.text)) for each in (MessageReading(text), *others))

    def _candidates(self, matches: Matches, scored: Readings) -> list[str]:
        """Returns the ids of topics to compare; without Tier 1 matches none, not all (decision D18)."""
        found = dict.fromkeys(matches.evidence)
        for topic in self._alone:
            row = self._row[topic.id]
            score = max(
                # A reading that was made for some topics says nothing about the others.
                (float(each.scores.calibrated[row]) for each in scored if each.reading.topics is None),
                default=0.0,
            )
            if scored and topic.id not in found and is_candidate(topic, tier1=False, score=score):
                found[topic.id] = None
        return sorted(found)

    def _closer(self, text: str, candidates: Sequence[str], matches: Matches, scored: Readings) -> Readings:
        """Asks the encoder too if words give no sure yes and a candidate needs one, or for topics without Tier 1 if the
        message is in another language than theirs."""
        waiting = [name for name in candidates if is_open(self._topics[name], tier1=name in matches.evidence)]
        rows = {name: self._row[name] for name in candidates}
        if not scored or (candidates and (not waiting or is_sure(Contest(each, rows) for each in scored))):
            return scored
        if not candidates:
            if len(self._alone) > MOST_FOREIGN or detect_language(text) in self._languages | {""}:
                return scored
            rows = {topic.id: self._row[topic.id] for topic in self._alone}
        found = [(each, self.similarity.closer(each.reading.text, each.scores, [*rows.values()])) for each in scored]
        return tuple(each if closer is None else ScoredReading(each.reading, closer) for each, closer in found)

    @cached_property
    def _languages(self) -> set[str]:
        return {detect_language(f"{topic.title}. {topic.description} {topic.instructions}") for topic in self._alone}

    def _decide(
        self, text: str, candidates: Sequence[str], evidence: Evidence, scored: Readings
    ) -> tuple[Decision, ...]:
        contests = [Contest(each, {name: self._row[name] for name in candidates}) for each in scored]
        found: list[Decision] = []
        for name in candidates:
            standings = (each.standing(name) for each in contests if each.covers(name))
            standing = max(standings, key=lambda each: each.rank, default=NOWHERE)
            question = GateQuestion(
                message=text,
                topic=self._topics[name],
                tier1=name in evidence,
                score=standing.score,
                rivals=standing.rivals,
                best=standing.best,
            )
            scores = (standing.by.score(self._row[name]),) if standing.by is not None else ()
            found.append(self._decision(question, evidence.get(name, ()), scores))
        return tuple(found)

    def _decision(
        self, question: GateQuestion, evidence: tuple[TriggerEvidence, ...], scores: tuple[Score, ...] = ()
    ) -> Decision:
        topic = question.topic
        rule = rule_for(topic, tier1=question.tier1, score=question.score)
        decided = Decision(
            topic=topic.id,
            rule=rule,
            gate=GateAnswer.NONE,
            activated=rule in ACTIVATES,
            tier1=question.tier1,
            score=question.score,
            evidence=evidence,
            scores=scores,
            topic_sha256=topic.sha256,
        )
        if rule in ASKS:
            decided = self._asked(question, decided)
        if decided.activated:
            return msgspec.structs.replace(decided, pulled_in=tuple(dict.fromkeys((topic.path, *topic.subscriptions))))
        return decided

    def _asked(self, question: GateQuestion, decided: Decision) -> Decision:
        """Asks the gate; a failure means no, and is reported (decision D19)."""
        start = self._timer()
        try:
            verdict, cached = self._verdict(question)
        except GateFailed as failed:
            return msgspec.structs.replace(
                decided,
                rule=GateRule.GATE_FAILED,
                gate_by=self._gate.name,
                reason=str(failed),
                latency_ms=1e3 * (self._timer() - start),
            )
        return msgspec.structs.replace(
            decided,
            gate=GateAnswer.YES if verdict.yes else GateAnswer.NO,
            activated=verdict.yes,
            gate_by=verdict.by,
            reason=verdict.reason,
            cached=cached,
            latency_ms=1e3 * (self._timer() - start),
            # What was paid for an earlier message is booked with that one.
            cost_usd=0.0 if cached else verdict.cost_usd,
        )

    def _verdict(self, question: GateQuestion) -> tuple[GateVerdict, bool]:
        """Returns the answer, and whether it was cached."""
        if not self._gate.keeps:
            return self._gate.ask(question), False
        key = self._cache.key(self._gate.name, question.message, question.topic)
        if (kept := self._cache.get(key)) is not None:
            return kept, True
        verdict = self._gate.ask(question)
        self._cache.put(key, verdict)
        return verdict, False

    def _result(
        self, name: str, text: str, decisions: tuple[Decision, ...], remarks: tuple[str, ...] = ()
    ) -> MatchResult:
        active = tuple(decision.topic for decision in decisions if decision.activated)
        asked = [decision for decision in decisions if decision.gate_by]
        failed = {f"the topic gate failed: {each.reason}" for each in asked if each.rule is GateRule.GATE_FAILED}
        lacking = self.similarity.missing if any(decision.scores for decision in decisions) else ""
        return MatchResult(
            id=name,
            candidates=tuple(decision.topic for decision in decisions),
            scores={each.topic: each.score for each in decisions if each.scores and each.score is not None},
            decisions=decisions,
            active=active,
            funnel=Funnel(
                topics=len(self._topics),
                tier2=sum(decision.activated or bool(decision.gate_by) for decision in decisions),
                gated=len(asked),
                active=len(active),
                gate_ms=sum(decision.latency_ms for decision in asked),
                gate_calls=sum(not decision.cached for decision in asked),
                cost_usd=sum(decision.cost_usd for decision in asked),
            ),
            message_sha256=_sha256(text),
            degraded=(*self._remarks, *([lacking] if lacking else ()), *remarks, *sorted(failed)),
        )


def _sha256(text: str) -> str:
    return sha256_hex(text.encode("utf-8", "surrogatepass"))
