"""The history slot: turns chosen newest first without a gap, and written in the order of time (decision D3)."""

from collections.abc import Sequence
from itertools import islice

from engine.context.compile.pieces import PromptPiece, SlotFill
from engine.context.compile.prompt import ItemState, PromptItem, PromptSlot
from engine.plans.trust import Trust
from engine.text.tokens import TokenCounter
from engine.topics.messages import SessionTurn, ToolCall

LONGEST_RESULT = 160
"""Characters of the line that is left of a tool's call and its result."""


def tool_line(call: ToolCall) -> str:
    """`> exec gh issue list → 12 results`, the outcome whole where there is room for it."""
    outcome = " ".join(call.outcome.split())
    target = _short(" ".join(call.target.split()), LONGEST_RESULT - len(outcome[: LONGEST_RESULT // 2]))
    words = f"> {call.name} {target}".rstrip()
    return f"{words} → {_short(outcome, LONGEST_RESULT - len(target))}" if outcome else words


def turn_piece(turn: SessionTurn) -> PromptPiece:
    """The turn as a piece of the slot; what a tool gave is one line."""
    lines = (turn.text.strip(), *map(tool_line, turn.tool_calls))
    at = f" {turn.said_at:%Y-%m-%d %H:%M}" if turn.said_at is not None else ""
    return PromptPiece(
        slot=PromptSlot.HISTORY,
        label=f"turn {turn.number} {turn.role}{at}",
        path=turn.source,
        line=turn.line,
        text=f"{turn.role}{at}:\n" + "\n".join(line for line in lines if line),
        trust=Trust.TOOL if turn.tool_calls and not turn.text.strip() else Trust.AGENT,
    )


def history_need(turns: Sequence[SessionTurn], most: int, counter: TokenCounter) -> int:
    """The tokens of the newest turns, counted no further than `most`."""
    total = 0
    for turn in reversed(turns):
        total += counter.count(turn_piece(turn).block)
        if total >= most:
            return most
    return total


def take_history(turns: Sequence[SessionTurn], room: int, counter: TokenCounter) -> SlotFill:
    """The newest turns that fit, the oldest of them cut where it may be; all older ones as one item with the reason."""
    fill = SlotFill(room, counter)
    taken = 0
    for turn in reversed(turns):
        taken += 1
        if not fill.take(turn_piece(turn), may_cut=True):
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
