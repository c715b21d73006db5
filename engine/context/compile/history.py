"""Fills the history slot: the newest turns without a gap, in order of time, in one fence (decisions D3, D65)."""

from collections.abc import Sequence
from itertools import islice

from msgspec.structs import replace

from engine.context.compile.fenced_pieces import PromptPiece, SlotFill, fenced
from engine.context.compile.prompt import ItemState, PromptItem, PromptSlot
from engine.plans.trust_label import Trust
from engine.text.tokens import TokenCounter
from engine.topics.messages import SessionTurn, ToolCall

LONGEST_RESULT = 160  # characters of the line that is left of a tool's call and its result
FENCE = 80  # tokens that are kept free for the fence around all turns: its two lines take 55 to 75


def tool_line(call: ToolCall) -> str:
    """Returns `> exec gh issue list → 12 results`; cuts the target before the outcome."""
    outcome = " ".join(call.outcome.split())
    target = _short(" ".join(call.target.split()), LONGEST_RESULT - len(outcome[: LONGEST_RESULT // 2]))
    words = f"> {call.name} {target}".rstrip()
    return f"{words} → {_short(outcome, LONGEST_RESULT - len(target))}" if outcome else words


def turn_piece(turn: SessionTurn) -> PromptPiece:
    """Returns the turn as a piece; each tool call is one line."""
    lines = (turn.text.strip(), *map(tool_line, turn.tool_calls))
    at = f" {turn.said_at:%Y-%m-%d %H:%M}" if turn.said_at is not None else ""
    return PromptPiece(
        slot=PromptSlot.HISTORY,
        label=f"turn {turn.number} {turn.role}{at}",
        path=turn.source,
        line=turn.line,
        text=f"{turn.role}: " + "\n".join(line for line in lines if line),
        trust=Trust.TOOL if turn.tool_calls and not turn.text.strip() else Trust.AGENT,
    )


def history_need(turns: Sequence[SessionTurn], most: int, counter: TokenCounter) -> int:
    """Returns the tokens of the newest turns within their fence, at most `most`."""
    total = FENCE if turns else 0
    for turn in reversed(turns):
        total += counter.count(turn_piece(turn).block)
        if total >= most:
            return most
    return total


def take_history(turns: Sequence[SessionTurn], room: int, counter: TokenCounter) -> SlotFill:
    """Takes the newest turns that fit, cutting the oldest if allowed; all older ones become one dropped item."""
    fill = SlotFill(room - FENCE, counter)
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
    if fill.blocks:
        _fence(fill, turns[len(turns) - len(fill.blocks) :], counter)
    return fill


def _fence(fill: SlotFill, turns: Sequence[SessionTurn], counter: TokenCounter) -> None:
    """Puts one fence around all turns (decision D65) and adds its tokens to the first turn's item."""
    times = [turn.said_at for turn in turns if turn.said_at is not None]
    when = f", {times[0]:%Y-%m-%d %H:%M} to {times[-1]:%Y-%m-%d %H:%M}" if times else ""
    trust = Trust.AGENT if any(item.trust == Trust.AGENT and item.tokens for item in fill.items) else Trust.TOOL
    inside = "".join(fill.blocks)
    block = fenced(inside, PromptSlot.HISTORY.value, f"turns {turns[0].number} to {turns[-1].number}{when}", trust)
    opening, closing = block.partition("\n")[0] + "\n", block.removesuffix("\n").rpartition("\n")[2] + "\n"
    fill.blocks = [opening, inside, closing]
    tokens = counter.count(opening) + counter.count(closing)
    fill.used += tokens
    shown = [place for place, item in enumerate(fill.items) if item.tokens]
    first, last = shown[0], shown[-1]
    item = fill.items[first]
    fill.items[first] = replace(
        item, tokens=item.tokens + tokens, whole=item.whole + tokens, end=item.end + len(opening)
    )
    fill.items[last] = replace(fill.items[last], end=fill.items[last].end + len(closing))


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: max(0, most - 1)]}…"
