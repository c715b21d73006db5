"""One message in, one answer out: the JSON lines of `topics match` (`CLI.md`)."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from engine.topics.decision_log import LogEntry
from engine.topics.messages import Direction, Message, ToolCall
from engine.topics.steering import HintOutcome


class BadLine(Exception):
    """A line that is no message; `str` says why."""


class _Said(msgspec.Struct):
    """A message as another program writes it."""

    text: str
    id: str | int | float | None = None
    direction: Direction = Direction.INPUT
    session: str | None = None
    time: str | None = None
    tool_calls: list[ToolCall] = []
    paths: list[str] = []
    injected: bool = False
    mood: float = 0.0


_DECODER = msgspec.json.Decoder(_Said)


def read_message(line: bytes) -> tuple[Any, Message]:
    """The id as it was written, and the message. Raises `BadLine`."""
    try:
        said = _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadLine(str(error)) from None
    calls = [*said.tool_calls, *([ToolCall("", tuple(said.paths))] if said.paths else [])]
    return said.id, Message(
        id="" if said.id is None else str(said.id),
        text=said.text,
        direction=said.direction,
        time=_instant(said.time),
        session=said.session or "",
        tool_calls=tuple(calls),
        injected=said.injected,
        mood=max(-1.0, min(1.0, said.mood)),
    )


def _instant(written: str | None) -> datetime | None:
    if not written:
        return None
    try:
        found = datetime.fromisoformat(written)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise BadLine(f"`time` is no ISO 8601 instant: {written[:40]!r}") from None


def answer(entry: LogEntry, said_id: Any) -> dict[str, Any]:
    """Builds the answer of `CLI.md`, then the evidence. `corrections` are those given; `withheld` names the others."""
    values: dict[str, Any] = msgspec.to_builtins(entry.result)
    given = [each for each in entry.steered if each.verdict is HintOutcome.GIVEN]
    kept = [each for each in entry.steered if each.verdict is not HintOutcome.GIVEN]
    values |= {
        "id": said_id,
        "corrections": [{"topic": each.topic, "hint": each.hint} for each in given],
        "withheld": [{"topic": each.topic, "hint": each.hint, "reason": each.verdict.value} for each in kept],
    }
    first = ("id", "candidates", "scores", "decisions", "active", "corrections")
    return {key: values[key] for key in (*first, *(key for key in values if key not in first))}
