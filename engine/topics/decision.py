"""Defines the result of a match: evidence, scores, deciding rule, active topics (autopoiesis §5.4)."""

from enum import StrEnum

import msgspec


class TriggerEvidence(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A candidate's evidence: trigger, line, match. `start`, `end`: in `Message.text`, 0 if the match has no place."""

    trigger: str
    what: str
    line: int = 0
    start: int = 0
    end: int = 0
    found: str = ""  # the matched text, at most 80 characters: raw text of the message, a path, a language's code


class Score(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One Tier 2 scorer's figure, raw and on the scale of the gate's table (decision D37)."""

    scorer: str
    raw: float
    calibrated: float


class GateAnswer(StrEnum):
    """The gate's answer; `none` if it was not asked."""

    YES = "yes"
    NO = "no"
    NONE = "none"


class GateRule(StrEnum):
    """The rule behind a decision (decision D17, autopoiesis §5.4)."""

    DISABLED = "disabled"
    MANUAL = "manual"
    AUTO = "auto"
    CRITICAL = "critical"
    HIGH_SURE = "high-sure"  # high, score ≥ .3: active without the gate
    HIGH_GATE = "high-gate"
    MEDIUM_GATE = "medium-gate"
    MEDIUM_DROP = "medium-drop"
    LOW_GATE = "low-gate"
    LOW_DROP = "low-drop"
    CRITICAL_GATE = "critical-gate"
    """A critical `similarity_only` topic without a Tier 1 match, which the table does not let pass the gate."""
    BELOW_THRESHOLD = "below-threshold"  # the score is below the topic's own `similarity_threshold`
    GATE_FAILED = "gate-failed"  # the gate could not answer; it fails closed (decision D19)


class Decision(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The decision on one candidate, with its reason. Times in milliseconds, cost in US dollars."""

    topic: str
    rule: GateRule
    gate: GateAnswer
    activated: bool
    tier1: bool
    score: float | None  # the figure the rule looked at; None where no score was needed
    evidence: tuple[TriggerEvidence, ...] = ()
    scores: tuple[Score, ...] = ()
    gate_by: str = ""
    """The gate that answered: `offline`, or the model's name. `cached`: the answer is an earlier one."""
    reason: str = ""  # one sentence: what the gate gave as its reason, or why it failed
    cached: bool = False
    latency_ms: float = 0.0
    cost_usd: float = 0.0
    pulled_in: tuple[str, ...] = ()  # the files that come into the context with it, its own first
    topic_sha256: str = ""


class Correction(msgspec.Struct, frozen=True, gc=False):
    """The hint of an output trigger for the agent (autopoiesis §4.3)."""

    topic: str
    hint: str


class Funnel(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The number of topics that passed each tier, and milliseconds."""

    topics: int = 0
    tier1: int = 0
    tier2: int = 0
    gated: int = 0
    active: int = 0
    tier1_ms: float = 0.0
    tier2_ms: float = 0.0
    gate_ms: float = 0.0
    gate_calls: int = 0  # questions that the cache could not answer
    cost_usd: float = 0.0


class MatchResult(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The decisions on one message or event. The first six fields are the JSON of `topics match` (`CLI.md`)."""

    id: str
    candidates: tuple[str, ...] = ()
    """The topics compared: matched by Tier 1, or `similarity_only` above their threshold."""
    scores: dict[str, float] = {}  # tier 2's figure for each candidate that was scored
    decisions: tuple[Decision, ...] = ()
    active: tuple[str, ...] = ()
    corrections: tuple[Correction, ...] = ()
    """Every hint of a matching output trigger; steering applies cooldown and cap (decision D20)."""
    funnel: Funnel = Funnel()
    message_sha256: str = ""
    mood: float | None = None  # the message's own mood from -1 to 1, where a sentiment trigger asked for it
    degraded: tuple[str, ...] = ()
    """Reasons why this answer may be worse than usual: a failed gate, missing vectors."""
