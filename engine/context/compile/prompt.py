"""Defines a compiled prompt: slots and shares (autopoiesis §6.2), items and their states, the stable prefix."""

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

import msgspec

from engine.context.platforms.platform import SessionKind
from engine.plans.plan import Flag
from engine.text.document import split_lines


class PromptSlot(StrEnum):
    """A part of the prompt; declared in the prompt's order (decision D39)."""

    SYSTEM = "system"
    IDENTITY = "identity"
    MEMORY = "memory"
    PROJECTS = "projects"
    JOURNAL = "journal"
    TOPICS = "topics"
    SUBSCRIPTIONS = "subscriptions"
    KNOWLEDGE = "knowledge"
    HISTORY = "history"
    MESSAGE = "message"


PREFIX: Final = (PromptSlot.SYSTEM, PromptSlot.IDENTITY, PromptSlot.MEMORY, PromptSlot.PROJECTS, PromptSlot.JOURNAL)
"""Slots that are the same bytes for every message (decision D39)."""
DYNAMIC: Final = (PromptSlot.TOPICS, PromptSlot.SUBSCRIPTIONS, PromptSlot.KNOWLEDGE, PromptSlot.HISTORY)
PRIORITIES: Final = dict(zip(PromptSlot, (0, 0, 1, 1, 1, 2, 2, 3, 4, 0), strict=True))  # P0 to P4 of autopoiesis §6.2
FLOORS: Final[Mapping[PromptSlot, float]] = {PromptSlot.KNOWLEDGE: 0.10, PromptSlot.HISTORY: 0.15}
"""Shares of the budget that no other slot may use while they are needed (decision D1)."""
MESSAGE_SHARE: Final = 0.05  # the share of the budget that the message has before any slot takes what another leaves
_KILOBYTES: Final = dict(zip((*PREFIX, *DYNAMIC[:2]), (1, 17, 3, 1, 4, 2, 4), strict=True))
"""Sizes from autopoiesis §6.2, which fill a window of 8,192 tokens; they divide what the floors leave."""


def shares(budget: int) -> dict[PromptSlot, int]:
    """Returns each slot's own tokens, together at most the budget."""
    # The table of the specification fills the window whole and leaves history and knowledge nothing (decision D1).
    left = 1 - sum(FLOORS.values()) - MESSAGE_SHARE
    parts = {slot: left * size / sum(_KILOBYTES.values()) for slot, size in _KILOBYTES.items()}
    return {
        slot: int(budget * part) for slot, part in (parts | dict(FLOORS) | {PromptSlot.MESSAGE: MESSAGE_SHARE}).items()
    }


def reserved(
    later: Sequence[PromptSlot], needs: Mapping[PromptSlot, int], own: Mapping[PromptSlot, int], total: int
) -> int:
    """Returns the tokens kept for later slots: what they need, up to their share, scaled down if the total is small."""
    # A slot that needs less than its share leaves the rest to those before it.
    kept = sum(min(needs[slot], own[slot]) for slot in later)
    whole = sum(own.values())
    return kept if total >= whole else kept * max(0, total) // max(1, whole)


class ItemState(StrEnum):
    """Included: all of the item is in the prompt; cut: a part; dropped: nothing (decision D2)."""

    INCLUDED = "included"
    CUT = "cut"
    DROPPED = "dropped"


class PromptItem(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A file, topic, hit or turn that the compiler considered. `tokens`: those in the prompt; `whole`: of the whole
    item. `start`, `end`: its characters in the prompt, 0 if dropped."""

    slot: PromptSlot
    label: str
    path: str = ""
    line: int = 0
    tokens: int = 0
    whole: int = 0
    score: float | None = None
    state: ItemState
    reason: str = ""
    trust: str = ""
    flags: tuple[Flag, ...] = ()  # the flagged lines of its file, which make it untrusted (decision G30)
    start: int = 0
    end: int = 0
    rest: str = ""  # the text that had no room

    @property
    def priority(self) -> int:
        return PRIORITIES[self.slot]


class SlotUse(msgspec.Struct, frozen=True, gc=False):
    """A slot with its own share of the budget, and the tokens that it uses."""

    slot: PromptSlot
    share: int
    tokens: int


class Prefix(msgspec.Struct, frozen=True):
    """The beginning of a prompt, the same for every message of a session (decision D39)."""

    text: str
    tokens: int
    sha256: str
    items: tuple[PromptItem, ...]
    warnings: tuple[str, ...]


class CompiledPrompt(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt within its budget. `tokens`: those of `prompt`, counted by `tokenizer`."""

    budget: int
    tokens: int
    tokenizer: str
    session: SessionKind
    message: str
    prefix: Prefix
    items: tuple[PromptItem, ...]
    slots: tuple[SlotUse, ...]
    warnings: tuple[str, ...]
    prompt: str


class ItemFate(StrEnum):
    """The change of an item between two prompts."""

    CAME_IN = "came in"
    FELL_OUT = "fell out"
    CHANGED = "changed"
    SAME = "same"


class ItemChange(msgspec.Struct, frozen=True, kw_only=True):
    """An item in two prompts, None where not considered. `added`, `gone`: its lines. `item`: as in the second."""

    item: PromptItem
    before: PromptItem | None
    after: PromptItem | None
    fate: ItemFate
    reason: str
    added: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


class PromptComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two prompts compared. `names` describe each; `prefix_kept`: both have the same prefix."""

    names: tuple[str, str]
    before: CompiledPrompt
    after: CompiledPrompt
    changes: tuple[ItemChange, ...]

    @property
    def prefix_kept(self) -> bool:
        return self.before.prefix.sha256 == self.after.prefix.sha256

    def count(self, fate: ItemFate) -> int:
        return sum(change.fate is fate for change in self.changes)


_ABSENT = {
    PromptSlot.TOPICS: "the message does not activate it",
    PromptSlot.SUBSCRIPTIONS: "no active topic subscribes to it",
    PromptSlot.KNOWLEDGE: "search does not find it among the first",
    PromptSlot.HISTORY: "it is not among the newest turns that fit",
}
"""The reason why an item was not considered, by slot; in other slots the file does not exist."""

_FENCES = ("<recalled ", "</recalled ")
_Key = tuple[PromptSlot, str, int]


def compare_prompts(names: tuple[str, str], before: CompiledPrompt, after: CompiledPrompt) -> PromptComparison:
    """Compares items in the order of the second prompt; items only in the first come last in their slot."""
    old, new = _by_place(before), _by_place(after)
    either, order = old | new, list(PromptSlot)
    keys = sorted(dict.fromkeys((*new, *old)), key=lambda key: order.index(key[0]))
    changes = tuple(_change(either[key], old.get(key), new.get(key), before, after) for key in keys)
    return PromptComparison(names=names, before=before, after=after, changes=changes)


def _by_place(prompt: CompiledPrompt) -> dict[_Key, PromptItem]:
    """Returns items by slot and place, numbering repeats."""
    seen: Counter[tuple[PromptSlot, str]] = Counter()
    found: dict[_Key, PromptItem] = {}
    for item in prompt.items:
        place = (item.slot, item.label)
        found[*place, seen[place]] = item
        seen[place] += 1
    return found


def _change(
    item: PromptItem, old: PromptItem | None, new: PromptItem | None, before: CompiledPrompt, after: CompiledPrompt
) -> ItemChange:
    first = before.prompt[old.start : old.end] if old is not None else ""
    last = after.prompt[new.start : new.end] if new is not None else ""
    fate, reason = ItemFate.SAME, ""
    if first and not last:
        fate, reason = ItemFate.FELL_OUT, _why_out(new, old)
    elif last and not first:
        fate, reason = ItemFate.CAME_IN, f"before: {_why_out(old, new)}"
    elif old is not None and new is not None and first != last:
        fate, reason = (
            ItemFate.CHANGED,
            new.reason or (f"before: {old.reason}" if old.reason else "its text is another"),
        )
    added, gone = _beyond(last, first), _beyond(first, last)
    return ItemChange(item=item, before=old, after=new, fate=fate, reason=reason, added=added, gone=gone)


def _why_out(item: PromptItem | None, other: PromptItem | None) -> str:
    """Says why an item is not in a prompt. `other`: the item in the other prompt."""
    if item is not None and item.state is ItemState.DROPPED:
        return item.reason
    return _ABSENT.get(other.slot, "there is no such file") if other is not None else ""


def _beyond(text: str, other: str) -> tuple[str, ...]:
    """Returns the lines of a text that the other lacks, in order, ignoring fences, whose nonces differ."""
    left = Counter(split_lines(other))
    found: list[str] = []
    for line in split_lines(text):
        if left[line]:
            left[line] -= 1
        elif not line.startswith(_FENCES):
            found.append(line)
    return tuple(found)
