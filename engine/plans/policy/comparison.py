"""Compares a policy given by `--policy` with the operator's own: it may only narrow (decisions A27, G19).

Every key has a rule here. Narrower means: less may run, less may be kept in memory before something is said, less
leaves this machine, less may be spent, and what is spent is reckoned no lower.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

import msgspec

from engine.plans.policy.values import Policy
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import redact


class NarrowingRule(msgspec.Struct, frozen=True):
    """Says in words what a key may be beside the operator's own value, and holds a value against that."""

    words: str
    holds: Callable[[Any, Any], bool]
    """Takes the file's value and the operator's."""


class WiderValue(msgspec.Struct, frozen=True):
    """A dotted key that a file would widen, with the file's value and the operator's."""

    key: str
    value: Any
    own: Any
    words: str

    def line(self) -> str:
        return f"`{self.key}` is {_shown(self.value)}, the operator's own is {_shown(self.own)}"


def _in_order(*values: str) -> NarrowingRule:
    words = "the same, or one before it in: " + ", ".join(values)
    return NarrowingRule(words, lambda value, own: values.index(value) <= values.index(own))


_AT_MOST = NarrowingRule("the same or less", lambda value, own: value <= own)
_AT_LEAST = NarrowingRule("the same or more", lambda value, own: value >= own)
_SAME = NarrowingRule("the same", lambda value, own: value == own)
_SAME_OR_NONE = NarrowingRule("the same or nothing", lambda value, own: not value or value == own)
_ONLY_OFF = NarrowingRule("the same or false", lambda value, own: own or not value)
_SOME = NarrowingRule("the same or some of it", lambda value, own: set(value) <= set(own))
_MORE = NarrowingRule("the same or more of it", lambda value, own: set(value) >= set(own))
_SOME_PAIRS = NarrowingRule("the same or some of it", lambda value, own: value.items() <= own.items())
_ANY = NarrowingRule("anything", lambda _value, _own: True)

# A search that ranks otherwise and dates told in another zone send nothing, spend nothing and need the same yes.
# Another counter would count the same text for less, and so widen every limit in tokens.
NARROWING: Final[Mapping[str, NarrowingRule]] = {
    "approval.auto": _SOME,
    "limits.semantic.soft": _AT_MOST,
    "limits.semantic.risk": _AT_MOST,
    "limits.semantic.hard": _AT_MOST,
    "limits.working.files": _AT_MOST,
    "limits.working.tokens": _AT_MOST,
    "limits.working.age_days": _AT_MOST,
    "limits.working.eligible_days": _AT_LEAST,
    "limits.episodic.files": _AT_MOST,
    "limits.episodic.tokens": _AT_MOST,
    "limits.episodic.age_days": _AT_MOST,
    "limits.episodic.eligible_days": _AT_LEAST,
    "limits.root_tokens": _AT_MOST,
    "limits.cooldown_hours": _AT_LEAST,
    "context.window_tokens": _AT_MOST,
    "context.model_windows": _SAME,
    "context.prompt_tokens": _AT_MOST,
    "context.flush_tokens": _AT_MOST,
    "context.hold_compaction": _in_order("off", "manual", "always"),
    "context.hold_seconds": _AT_MOST,
    "context.system_prompt": _SAME,
    "context.platforms": _SAME,
    "llm.provider": _in_order("extractive", "claude"),
    "llm.models.gate": _SAME_OR_NONE,
    "llm.models.extract": _SAME_OR_NONE,
    "llm.models.summarise": _SAME_OR_NONE,
    "llm.models.commit": _SAME_OR_NONE,
    "llm.key_variable": _SAME,
    "llm.url": _SAME,
    "llm.most_ungrounded": _AT_MOST,
    "llm.max_usd_per_plan": _AT_MOST,
    "llm.usd_per_million_input": _AT_LEAST,
    "llm.usd_per_million_output": _AT_LEAST,
    "llm.prices": _SAME,
    "llm.batch_from": _ANY,
    "git.commit": _ONLY_OFF,
    "git.push": _ONLY_OFF,
    "git.remote": _SAME,
    "git.branch": _SAME,
    "git.commit_others": _ONLY_OFF,
    "git.filters": _SOME_PAIRS,
    "git.private": _MORE,
    "git.shared": _SOME_PAIRS,
    "git.outside": _SOME,
    "search.embedder": NarrowingRule(
        "the same, static or none", lambda value, own: value in ("none", "static") or value == own
    ),
    "search.model": _SAME_OR_NONE,
    "search.url": _SAME_OR_NONE,
    "search.key_variable": _SAME,
    "search.usd_per_million_tokens": _AT_LEAST,
    "search.max_usd": _AT_MOST,
    "search.merge": _ANY,
    "search.rerank": _in_order("none", "cross-encoder"),
    "search.rerank_model": _SAME_OR_NONE,
    "topics.scorer": _ANY,
    "tokens.counter": _SAME,
    "probes.on_loss": _in_order("block", "warn"),
    "lifecycle.most_left_out": _AT_MOST,
    "lifecycle.transcript_roots": _SOME,
    "qmd.run": _in_order("off", "update", "embed"),
    "qmd.timeout_seconds": _AT_MOST,
    "digest.command": _SAME_OR_NONE,
    "zone": _ANY,
}
"""Each dotted key of the policy with what a given file may set it to."""

SAID_ANEW: Final = frozenset({"approval.auto"})
"""Keys that a given file must name to have any of them: what runs by itself must be allowed twice."""


def combined(own: Policy, chosen: Policy, keys: Collection[str]) -> Policy:
    """The policy with the values that a file sets (`keys`) in place of the operator's own."""
    taken = frozenset(keys) | SAID_ANEW
    made: Policy = _combined(own, chosen, taken, "")
    return made


def _combined(own: Any, chosen: Any, taken: frozenset[str], prefix: str) -> Any:
    values = {}
    for field in msgspec.structs.fields(own):
        key, mine, theirs = f"{prefix}{field.name}", getattr(own, field.name), getattr(chosen, field.name)
        if isinstance(mine, msgspec.Struct):
            values[field.name] = _combined(mine, theirs, taken, f"{key}.")
        else:
            values[field.name] = theirs if key in taken else mine
    return msgspec.structs.replace(own, **values)


def wider_values(own: Policy, chosen: Policy) -> Iterator[WiderValue]:
    """Every key in which `chosen` is wider than the operator's own policy, in the order of the table."""
    for key, rule in NARROWING.items():
        value, mine = value_of(chosen, key), value_of(own, key)
        if not rule.holds(value, mine):
            yield WiderValue(key, value, mine, rule.words)


def value_of(policy: Policy, key: str) -> Any:
    """The value under a dotted key."""
    found: Any = policy
    for name in key.split("."):
        found = getattr(found, name)
    return found


def _shown(value: Any) -> str:
    return visible_line(redact(msgspec.json.encode(value).decode()))
