"""Compares two prompts for one message: what came in, what fell out, and why."""

from collections import Counter
from enum import StrEnum

import msgspec

from engine.context.compile.prompt import CompiledPrompt, ItemState, PromptItem
from engine.context.compile.slots import PromptSlot
from engine.text.document import split_lines


class ItemFate(StrEnum):
    """The difference of an item between two prompts."""

    CAME_IN = "came in"
    FELL_OUT = "fell out"
    CHANGED = "changed"
    SAME = "same"


class ItemChange(msgspec.Struct, frozen=True, kw_only=True):
    """An item in both prompts, None where it is not even a candidate. `added` and `gone` are its lines that differ.

    `item` is that of the second prompt, else that of the first.
    """

    item: PromptItem
    before: PromptItem | None
    after: PromptItem | None
    fate: ItemFate
    reason: str
    added: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


class PromptComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two prompts side by side. `names` say in words what each is, `prefix_kept` whether both begin with one prefix."""

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
"""The reasons for which an item is no candidate on one side; in any other slot its file is not there."""

_FENCES = ("<recalled ", "</recalled ")
_Key = tuple[PromptSlot, str, int]


def compare_prompts(names: tuple[str, str], before: CompiledPrompt, after: CompiledPrompt) -> PromptComparison:
    """Compares item by item, in the order of the second prompt; what only the first has ends its slot."""
    old, new = _by_key(before), _by_key(after)
    either, order = old | new, list(PromptSlot)
    keys = sorted(dict.fromkeys((*new, *old)), key=lambda key: order.index(key[0]))
    changes = tuple(_change(either[key], old.get(key), new.get(key), before, after) for key in keys)
    return PromptComparison(names=names, before=before, after=after, changes=changes)


def _by_key(prompt: CompiledPrompt) -> dict[_Key, PromptItem]:
    """Items by slot and place; of two with one place the second is told apart by its number."""
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
    first, last = _text(old, before), _text(new, after)
    fate, reason = ItemFate.SAME, ""
    if first and not last:
        fate, reason = ItemFate.FELL_OUT, _why_out(new, old)
    elif last and not first:
        fate, reason = ItemFate.CAME_IN, f"before: {_why_out(old, new)}"
    elif first != last:
        fate, reason = ItemFate.CHANGED, _why_changed(old, new)
    return ItemChange(
        item=item,
        before=old,
        after=new,
        fate=fate,
        reason=reason,
        added=_beyond(last, first),
        gone=_beyond(first, last),
    )


def _text(item: PromptItem | None, prompt: CompiledPrompt) -> str:
    return prompt.prompt[item.start : item.end] if item is not None else ""


def _why_out(item: PromptItem | None, other: PromptItem | None) -> str:
    """Says why an item is not in a prompt; `other` is the item as the other prompt has it."""
    if item is not None and item.state is ItemState.DROPPED:
        return item.reason
    return _ABSENT.get(other.slot, "there is no such file") if other is not None else ""


def _why_changed(old: PromptItem | None, new: PromptItem | None) -> str:
    if new is not None and new.reason:
        return new.reason
    return f"before: {old.reason}" if old is not None and old.reason else "its text is another"


def _beyond(text: str, other: str) -> tuple[str, ...]:
    """The lines of a text that the other has not, in order; fences, whose nonce is of the text, do not count."""
    left = Counter(split_lines(other))
    found: list[str] = []
    for line in split_lines(text):
        if left[line]:
            left[line] -= 1
        elif not line.startswith(_FENCES):
            found.append(line)
    return tuple(found)
