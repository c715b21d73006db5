"""Holds words and signs of rules, decisions and judgements of the watcher."""

from engine.topics.decision import GateRule
from engine.topics.decision_log import LogEntry, Useful
from tui.present.glyphs import NOT_USEFUL, UNSURE, USEFUL, Sign
from tui.present.spans import Role
from tui.present.words import safe, words_of

MARKS: dict[Useful, Sign] = {Useful.YES: USEFUL, Useful.NO: NOT_USEFUL, Useful.UNSURE: UNSURE}
_SPEAKERS: dict[str, tuple[str, Role]] = words_of("speakers")
_RULES: dict[str, tuple[str, str]] = words_of("rules", GateRule)


def rule_words(rule: GateRule) -> str:
    """Returns a rule in a word or two; the log and the filter use its id."""
    return _RULES[rule][0]


def rule_reason(rule: GateRule) -> str:
    """Says in a few words what the rule does (decision D17)."""
    return _RULES[rule][1]


def role_of(entry: LogEntry) -> tuple[str, Role]:
    """Returns the speaker's name, and the role that colours it."""
    name, role = _SPEAKERS.get(entry.role) or (safe(entry.role[:6]), "muted")
    return name, role


def kilobytes(size: int) -> str:
    """Returns `0.8 kB`: bytes divided by 1,024, as `max_context_kb` counts."""
    return f"{size / 1024:.1f} kB"
