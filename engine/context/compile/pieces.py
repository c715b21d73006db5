"""A piece of text on its way into a slot: fenced, counted, and taken whole, cut or dropped."""

from functools import lru_cache

import msgspec

from engine.context.compile.fences import fenced
from engine.context.compile.prompt import ItemState, PromptItem
from engine.context.compile.slots import PromptSlot
from engine.context.compile.text_cut import cut_text
from engine.plans.plan import Flag
from engine.plans.trust import Trust
from engine.text.tokens import TokenCounter

LEAST = 24
"""Tokens of room below which nothing is cut to fit: its fences would take more than what they hold."""


class PromptPiece(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A text for a slot. `refused` is the reason why it may not come in; `limit` the most tokens it may take."""

    slot: PromptSlot
    label: str
    path: str = ""
    line: int = 0
    text: str = ""
    trust: Trust = Trust.AGENT
    flags: tuple[Flag, ...] = ()
    score: float | None = None
    refused: str = ""
    limit: int | None = None
    limit_reason: str = ""

    @property
    def source(self) -> str:
        """The place that the fence names."""
        where = self.path or self.label
        return f"{where}:{self.line}" if self.line else where

    @property
    def block(self) -> str:
        return self.block_of(self.text)

    def block_of(self, text: str) -> str:
        return _fenced(text, self.slot.value, self.source, self.trust)


@lru_cache(maxsize=4096)
def _fenced(text: str, slot: str, source: str, trust: Trust) -> str:
    """Remembered: another message of the same session has the same files."""
    return fenced(text, slot, source, trust)


class RememberedCounts:
    """A counter that counts a text once, however many prompts it comes into."""

    MOST = 4096

    def __init__(self, counter: TokenCounter) -> None:
        self.name = counter.name
        self.degraded_reason = counter.degraded_reason
        self._count = lru_cache(maxsize=self.MOST)(counter.count)

    def count(self, text: str) -> int:
        return self._count(text)


class SlotFill:
    """Takes pieces into a slot while there is room; every piece leaves an item with its reason."""

    def __init__(self, room: int, counter: TokenCounter) -> None:
        self.room = max(0, room)
        self.used = 0
        self.blocks: list[str] = []
        self.items: list[PromptItem] = []
        self._counter = counter

    @property
    def left(self) -> int:
        return self.room - self.used

    def take(self, piece: PromptPiece, *, may_cut: bool) -> bool:
        """Takes a piece whole, or cut; tells whether it is in whole."""
        if piece.refused:
            self._drop(piece, piece.refused, 0)
            return False
        whole = self._counter.count(piece.block)
        room = self.left if piece.limit is None else min(self.left, piece.limit)
        if whole <= room:
            self._add(piece, piece.block, ItemState.INCLUDED, whole, "")
            return True
        limited = piece.limit is not None and piece.limit < self.left
        why = piece.limit_reason if limited else f"{whole:,} tokens, {max(0, room):,} left"
        cut = None
        if may_cut and room >= LEAST:
            cut = cut_text(piece.text, lambda text: self._counter.count(piece.block_of(text)) <= room)
        if cut is None:
            self._drop(piece, f"does not fit: {why}", whole)
        else:
            self._add(piece, piece.block_of(cut.text), ItemState.CUT, whole, f"{cut.where}: {why}")
        return False

    def _drop(self, piece: PromptPiece, reason: str, whole: int) -> None:
        self.items.append(self._item(piece, ItemState.DROPPED, 0, whole, reason))

    def _add(self, piece: PromptPiece, block: str, state: ItemState, whole: int, reason: str) -> None:
        tokens = self._counter.count(block)
        self.used += tokens
        self.blocks.append(block)
        self.items.append(self._item(piece, state, tokens, whole, reason, len(block)))

    def _item(
        self, piece: PromptPiece, state: ItemState, tokens: int, whole: int, reason: str, size: int = 0
    ) -> PromptItem:
        return PromptItem(
            slot=piece.slot,
            label=piece.label,
            path=piece.path,
            line=piece.line,
            tokens=tokens,
            whole=whole,
            score=piece.score,
            state=state,
            reason=reason,
            trust=piece.trust.value,
            flags=piece.flags,
            end=size,
        )
