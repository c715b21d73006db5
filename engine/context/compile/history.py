"""The history slot: turns chosen newest first without a gap, and written in the order of time (decision D3)."""

from collections.abc import Sequence
from datetime import datetime
from itertools import islice

import msgspec

from engine.context.compile.pieces import PromptPiece, SlotFill
from engine.context.compile.prompt import ItemState, PromptItem
from engine.context.compile.slots import PromptSlot
from engine.plans.trust import Trust
from engine.text.tokens import TokenCounter

LONGEST_RESULT = 160
"""Characters of the line that is left of a tool's call and its result."""


class ToolUse(msgspec.Struct, frozen=True, gc=False):
    """A tool that was called in a turn: its name, what it was called on, and what came of it."""

    tool: str
    target: str = ""
    outcome: str = ""

    def line(self) -> str:
        """`> exec gh issue list → 12 results`, the outcome whole where there is room for it."""
        outcome = " ".join(self.outcome.split())
        target = " ".join(self.target.split())
        room = LONGEST_RESULT - len(outcome[: LONGEST_RESULT // 2])
        words = f"> {self.tool} {_short(target, room)}".rstrip()
        return f"{words} → {_short(outcome, LONGEST_RESULT - len(_short(target, room)))}" if outcome else words


class PromptTurn(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One turn of a session. `number` counts from 1, `line` is where it stands in `source`."""

    number: int
    role: str
    text: str
    at: datetime | None = None
    source: str = ""
    line: int = 0
    tools: tuple[ToolUse, ...] = ()

    def piece(self) -> PromptPiece:
        """The turn as a piece of the slot; what a tool gave is one line."""
        lines = (self.text.strip(), *(use.line() for use in self.tools))
        at = f" {self.at:%Y-%m-%d %H:%M}" if self.at is not None else ""
        trust = Trust.TOOL if self.tools and not self.text.strip() else Trust.AGENT
        return PromptPiece(
            slot=PromptSlot.HISTORY,
            label=f"turn {self.number} {self.role}{at}",
            path=self.source,
            line=self.line,
            text=f"{self.role}{at}:\n" + "\n".join(line for line in lines if line),
            trust=trust,
        )


def history_need(turns: Sequence[PromptTurn], most: int, counter: TokenCounter) -> int:
    """The tokens of the newest turns, counted no further than `most`."""
    total = 0
    for turn in reversed(turns):
        total += counter.count(turn.piece().block)
        if total >= most:
            return most
    return total


def take_history(turns: Sequence[PromptTurn], room: int, counter: TokenCounter) -> SlotFill:
    """The newest turns that fit, the oldest of them cut where it may be; all older ones as one item with the reason."""
    fill = SlotFill(room, counter)
    taken = 0
    for turn in reversed(turns):
        taken += 1
        if not fill.take(turn.piece(), may_cut=True):
            break
    if (older := len(turns) - taken) > 0:
        first, last = turns[0], next(islice(turns, older - 1, None))
        label = f"turns {first.number}–{last.number}" if older > 1 else f"turn {first.number}"
        reason = "older than the first turn that did not fit whole: history has no gaps"
        fill.items.append(
            PromptItem(slot=PromptSlot.HISTORY, label=label, path=first.source, state=ItemState.DROPPED, reason=reason)
        )
    fill.blocks.reverse()
    fill.items.reverse()
    return fill


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: max(0, most - 1)]}…"
