"""Defines a compiled prompt: its items with state and reason, its slots, and the prefix that stays stable."""

from enum import StrEnum

import msgspec

from engine.context.compile.slots import PRIORITIES, PromptSlot
from engine.context.platforms.platform import SessionKind
from engine.plans.plan import Flag


class ItemState(StrEnum):
    """The state of an item: all of it is in, a part of it, or nothing (decision D2)."""

    INCLUDED = "included"
    CUT = "cut"
    DROPPED = "dropped"


class PromptItem(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A file, topic, hit or turn that the compiler looked at. `tokens` are those in the prompt, `whole` of all of it.

    `start` and `end` are the characters of the prompt where it stands, both 0 where it is dropped.
    """

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
    flags: tuple[Flag, ...] = ()
    """The flagged lines of its file, which make it untrusted (decision G30)."""
    start: int = 0
    end: int = 0

    @property
    def priority(self) -> int:
        return PRIORITIES[self.slot]


class SlotUse(msgspec.Struct, frozen=True, gc=False):
    """A slot with its own share of the budget, and the tokens it takes, of its own or left by others."""

    slot: PromptSlot
    share: int
    tokens: int


class Prefix(msgspec.Struct, frozen=True):
    """The beginning of a prompt, which is the same for every message of a session (decision D39)."""

    text: str
    tokens: int
    sha256: str
    items: tuple[PromptItem, ...]
    warnings: tuple[str, ...]


class CompiledPrompt(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt within its budget, and how it was made. `tokens` are those of `prompt`, counted by `tokenizer`."""

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
