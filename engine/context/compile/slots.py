"""The nine slots of a prompt in their order, with their shares of the budget and their floors (autopoiesis §6.2)."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final


class PromptSlot(StrEnum):
    """A part of the prompt. The order is that of the prompt (decision D39)."""

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
"""Slots that do not depend on the message, byte for byte (decision D39)."""
DYNAMIC: Final = (PromptSlot.TOPICS, PromptSlot.SUBSCRIPTIONS, PromptSlot.KNOWLEDGE, PromptSlot.HISTORY)
PRIORITIES: Final = dict(zip(PromptSlot, (0, 0, 1, 1, 1, 2, 2, 3, 4, 0), strict=True))
"""P0 to P4 of autopoiesis §6.2."""
FLOORS: Final[Mapping[PromptSlot, float]] = {PromptSlot.KNOWLEDGE: 0.10, PromptSlot.HISTORY: 0.15}
"""Shares of the budget that no other slot may take while they are needed (decision D1)."""
MESSAGE_SHARE: Final = 0.05
"""The share of the budget that the message has before any slot takes what another leaves."""
_KILOBYTES: Final = dict(zip((*PREFIX, *DYNAMIC[:2]), (1, 17, 3, 1, 4, 2, 4), strict=True))
"""The table of autopoiesis §6.2, which fills a window of 8,192 tokens whole: what the floors leave is shared by it."""


def shares(budget: int) -> dict[PromptSlot, int]:
    """The tokens of each slot before any takes what another leaves; together at most the budget."""
    # The table of the specification fills the window whole and leaves history and knowledge nothing (decision D1).
    left = 1 - sum(FLOORS.values()) - MESSAGE_SHARE
    parts = {slot: left * size / sum(_KILOBYTES.values()) for slot, size in _KILOBYTES.items()}
    return {
        slot: int(budget * part) for slot, part in (parts | dict(FLOORS) | {PromptSlot.MESSAGE: MESSAGE_SHARE}).items()
    }


def reserved(
    later: Sequence[PromptSlot], needs: Mapping[PromptSlot, int], own: Mapping[PromptSlot, int], total: int
) -> int:
    """The tokens that slots further on keep: what they need, up to their share; less where not all have room."""
    # A slot that needs less than its share leaves the rest to those before it.
    kept = sum(min(needs[slot], own[slot]) for slot in later)
    whole = sum(own.values())
    return kept if total >= whole else kept * max(0, total) // max(1, whole)
