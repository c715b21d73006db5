"""Rules, verdicts and judgements of the watchers in words and signs."""

from engine.topics.decision import GateRule
from engine.topics.decision_log import LogEntry, Useful
from tui.present.glyphs import NOT_USEFUL, UNSURE, USEFUL, Sign
from tui.present.spans import Role
from tui.present.words import safe

MARKS: dict[Useful, Sign] = {
    Useful.YES: USEFUL,
    Useful.NO: NOT_USEFUL,
    Useful.UNSURE: UNSURE,
}
_ROLES: dict[str, tuple[str, Role]] = {
    "user": ("user", "accent"),
    "agent": ("agent", "info"),
    "system": ("system", "muted"),
    "cron": ("cron", "warn"),
    "webhook": ("hook", "warn"),
}
_RULES: dict[GateRule, tuple[str, str]] = {
    GateRule.DISABLED: ("disabled", "the topic is switched off"),
    GateRule.MANUAL: ("manual", "only the user makes it active"),
    GateRule.AUTO: ("auto", "a stage 1 match is enough: no score, no topic gate"),
    GateRule.CRITICAL: ("critical", "critical with a stage 1 match: active at once"),
    GateRule.HIGH_SURE: ("high-sure", "high and a score of 0.3 or more: no topic gate needed"),
    GateRule.HIGH_GATE: ("high-gate", "high and a score below 0.3: the topic gate decides"),
    GateRule.MEDIUM_GATE: ("medium-gate", "medium and a score of 0.2 or more: the topic gate decides"),
    GateRule.MEDIUM_DROP: ("medium-drop", "medium and a score below 0.2: dropped"),
    GateRule.LOW_GATE: ("low-gate", "low and a score of 0.3 or more: the topic gate decides"),
    GateRule.LOW_DROP: ("low-drop", "low and a score below 0.3: dropped"),
    GateRule.CRITICAL_GATE: ("critical-gate", "critical by similarity alone: the topic gate decides"),
    GateRule.BELOW_THRESHOLD: ("below-threshold", "below the topic's own similarity_threshold: dropped"),
    GateRule.GATE_FAILED: ("gate-failed", "the topic gate could not answer, so the answer is no"),
}


def rule_words(rule: GateRule) -> str:
    """The rule's name, as the log and the command line have it."""
    return _RULES[rule][0]


def rule_reason(rule: GateRule) -> str:
    """Says in a few words what the rule does (decision D17)."""
    return _RULES[rule][1]


def role_of(entry: LogEntry) -> tuple[str, Role]:
    """Gives the speaker, and the role that colours it."""
    return _ROLES.get(entry.role, (safe(entry.role[:6]), "muted"))


def kilobytes(size: int) -> str:
    """`0.8 kB`: bytes divided by 1,024, as `max_context_kb` counts them."""
    return f"{size / 1024:.1f} kB"
