"""Runs `capture`: reads events of a session as JSON lines from stdin, and writes its transcript."""

import json
import os
import sys
from collections.abc import Iterator
from typing import Any

import msgspec

from engine.errors import UsageError
from engine.sessions.line_buffer import LineBuffer
from tui.cli.output import Answer, Text, stderr
from tui.cli.settings import Settings, command, opened
from tui.present.words import noun

_CHUNK = 64 * 1024  # bytes of standard input that are read at once


@command("capture")
def capture_command(settings: Settings, list_sessions: bool, close: str | None) -> Answer | int:
    if list_sessions and close is not None:
        raise UsageError("--list and --close do not go together")
    from engine.services.capture import TOO_LONG, CaptureProblem

    console = opened(settings)
    if list_sessions:
        return Answer(sessions := console.capture.sessions(), _open_rows(sessions))
    told = iter((console.capture.close(close),)) if close is not None else console.capture.record(_lines(TOO_LONG))
    problems, errors = 0, stderr(settings.no_color)
    for step in told:
        if isinstance(step, CaptureProblem):
            problems += 1
            errors.line(f"memdeck: line {step.line}: {step.what}")
            continue
        for notice in step.notices:
            errors.line("memdeck: ", notice)
        sys.stdout.write(json.dumps(_json(step), ensure_ascii=True) + "\n")
        sys.stdout.flush()
    return UsageError.exit_code if problems else 0


def _json(captured: Any) -> dict[str, Any]:
    values: dict[str, Any] = msgspec.to_builtins(captured)
    return {key: values[key] for key in ("path", "sha256", "turns", "session", "open")}


def _lines(too_long: bytes) -> Iterator[bytes]:
    """Yields the lines of stdin as they arrive; `too_long` replaces a line that is too long to hold."""
    buffer, told = LineBuffer(), 0
    while chunk := os.read(sys.stdin.fileno(), _CHUNK):
        yield from (line.data for line in buffer.take(chunk))
        yield from (too_long for _ in range(buffer.too_long - told))
        told = buffer.too_long
    yield from (line.data for line in buffer.finish())
    yield from (too_long for _ in range(buffer.too_long - told))


def _open_rows(sessions: Any) -> Text:
    for session in sessions:
        state = "a process captures it" if session.held else "its program is gone"
        yield f"{session.session}  since {session.started}  {noun(session.events, 'event')}  {state}"
    if not sessions:
        yield "no transcript is open"
