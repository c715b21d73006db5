"""`hook`: what the hooks of a connected tool start; its event on stdin, its answer on stdout, never an error."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.errors import MemdeckError
from tui.cli.hooks import HookEvent, held_settings, read_event, take_event
from tui.cli.settings import Settings, command, open_console

if TYPE_CHECKING:
    from engine.services.engine import Engine

_ENDS = frozenset({"SessionEnd"})
"""Events after which a session is over; after the others it may go on."""


@command("hook", short_help="What the hooks of a connected tool start; reads its event on stdin.")
@click.argument("event", type=click.Choice(("start", "loaded", "compact", "stop")))
@click.option("--tool", default="claude-code", metavar="NAME", help="The tool whose hook it is.")
def hook_command(settings: Settings, event: str, tool: str) -> int:
    """Does what an event calls for, and always succeeds: the tool goes on whatever happens here.

    start: plans what is due. loaded: keeps which file a session loaded. compact: saves the session and plans its flush.
    stop: writes what was said into the session's transcript; at the end of a session it plans what can be learnt.
    """
    told = read_event(sys.stdin.buffer)
    if told is None:
        return 0
    # Whatever goes wrong here is no business of the session that waits for it.
    with suppress(MemdeckError, OSError), open_console(settings) as console:
        _EVENTS[event](console, told, tool)
    return 0


def _start(console: "Engine", _: HookEvent, __: str) -> None:
    from engine.plans.planning import PlanRequest

    console.plans.make("tree", PlanRequest(scheduled=True, unattended=True))


def _told(console: "Engine", event: HookEvent, _: str) -> None:
    take_event(console, event, *held_settings(console))


def _stop(console: "Engine", event: HookEvent, tool: str) -> None:
    """Captures the session of the event; of one that is over a dry run says what can be learnt from it."""
    from engine.extras.connect.session_capture import capture_sessions
    from engine.lifecycle.extract.request import ExtractRequest
    from engine.plans.planning import PlanRequest

    file = _session_file(event, tool)
    if file is None:
        return
    made = capture_sessions(console.capture, tool, file, close=event.hook_event_name in _ENDS)
    for path in [one.path for one in made.transcripts if not one.open]:
        console.plans.make("extract", PlanRequest(ExtractRequest(transcripts=(path,)), unattended=True))


def _session_file(event: HookEvent, tool: str) -> Path | None:
    """The session's file, where it lies in a home of the tool: its path comes from another program."""
    from engine.extras.connect.tool_data import ToolPlaces, tool_data

    data = tool_data(tool)
    home = os.path.realpath(ToolPlaces(data, os.environ, Path("/"), (), None).home)
    file = os.path.realpath(event.transcript_path or "/")
    return Path(file) if data.sessions and file.startswith(home + os.sep) and Path(file).is_file() else None


_EVENTS: dict[str, Callable[["Engine", HookEvent, str], None]] = {
    "start": _start,
    "loaded": _told,
    "compact": _told,
    "stop": _stop,
}
