"""`hooks NAME`: the settings that make another tool start memdeck (tree §Compaction Cycle), and the events it sends."""

import os
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click
import msgspec

from engine.errors import Damaged, MemdeckError, UsageError
from tui.cli.output import Answer, Styled, print_json
from tui.cli.schedule import carried_environment, memdeck_program
from tui.cli.settings import Settings, command, open_console, workspace_path

if TYPE_CHECKING:
    from engine.services.engine import Engine

MOST_BYTES = 1024 * 1024
"""Bytes of one event."""
LOOK_SECONDS = 0.5
"""Seconds between two looks at a plan that a held compaction waits for."""


class HookEvent(msgspec.Struct, frozen=True, kw_only=True):
    """The keys that are read of an event; others are passed by."""

    hook_event_name: str = ""
    transcript_path: str = ""
    trigger: str = ""
    session_id: str = ""
    file_path: str = ""
    load_reason: str = ""


def read_event(stream: IO[bytes]) -> HookEvent | None:
    """The event on the stream; None where there is none that can be read."""
    try:
        return msgspec.json.decode(stream.read(MOST_BYTES), type=HookEvent)
    except (msgspec.DecodeError, RecursionError):
        return None


def take_event(console: "Engine", event: HookEvent, hold: str, seconds: int) -> dict[str, Any]:
    """Does what an event calls for; tells what was done."""
    match event.hook_event_name:
        case "PreCompact":
            return _before(console, event, hold, seconds)
        case "PostCompact":
            return _after(console, event)
        case "InstructionsLoaded":
            session = event.session_id or event.transcript_path
            report = console.context.report_load("claude-code", session, event.file_path, event.load_reason)
            return {"event": event.hook_event_name, "path": report.path, "lines": report.lines}
        case _:
            return {"event": event.hook_event_name, "done": "nothing"}


def _before(console: "Engine", event: HookEvent, hold: str, seconds: int) -> dict[str, Any]:
    outcome = console.flushes.before_compaction(_followed(console, event))
    holds = hold == "always" or (hold == "manual" and event.trigger == "manual")
    # The tool waits for this hook: a decision that never comes must not hold it for good.
    until = time.monotonic() + seconds
    while holds and not console.flushes.decided(outcome) and time.monotonic() < until:
        time.sleep(LOOK_SECONDS)
    plan = outcome.plan.id if outcome.plan is not None else None
    return {"event": event.hook_event_name, "plan": plan, "reason": outcome.reason_no_action, "held": holds}


def _after(console: "Engine", event: HookEvent) -> dict[str, Any]:
    """Keeps what the compaction took out, and backs up late what nothing saved."""
    source = _followed(console, event)
    seen = [one for one in console.flushes.compactions() if one.source == source]
    if seen and seen[0].saved == "not saved":
        console.flushes.before_compaction(source)
        seen = [one for one in console.flushes.compactions() if one.source == source]
    return {"event": event.hook_event_name, "saved": seen[0].saved if seen else None}


def _followed(console: "Engine", event: HookEvent) -> str:
    source = event.transcript_path
    # The path comes from another program: a file of any other kind is not followed.
    if not source.startswith("/") or not source.endswith(".jsonl"):
        raise MemdeckError("the event names no session file", where=source)
    if all(one.source != source for one in console.sessions.files()):
        console.sessions.follow(Path(source))
    return source


@command("hooks", short_help="The settings that make another tool start the dry run.")
@click.argument("name", required=False, metavar="claude-code|openclaw")
@click.option("--event", is_flag=True, help="Take one event of the tool as JSON on stdin, as its hooks call it.")
def hooks_command(settings: Settings, name: str | None, event: bool) -> Answer | int:
    """Prints what to put into the other tool's settings. Nothing is written, and a dry run applies nothing.

    Before a compaction the session is backed up and its flush is planned; `context.hold_compaction` in the policy holds
    the compaction until that plan is decided, for `context.hold_seconds` at most. Afterwards what left is compared with
    what was saved. Each file that a session reports as loaded is kept for `memdeck load`.
    """
    if event:
        return _take_event(settings)
    if name not in HOOKS:
        what = "which tool?" if name is None else f"no hooks for {name!r}"
        raise UsageError(what, hint=f"one of: {', '.join(HOOKS)}")
    file, text, note = HOOKS[name](settings)
    facts = {"tool": name, "file": file, "settings": text, "note": note}
    return Answer(facts, [Styled(f"── {file}", bold=True), *text.split("\n"), note])


def _take_event(settings: Settings) -> int:
    event = read_event(sys.stdin.buffer)
    if event is None:
        raise UsageError("no event on stdin", hint="this is what Claude Code's hooks call")
    with open_console(settings) as console:
        print_json(take_event(console, event, *held_settings(console)))
    return 0


def held_settings(console: "Engine") -> tuple[str, int]:
    """Tells which compactions are held, and for how many seconds at most, as the policy says (decision B24)."""
    policy = {value.key: value.value for value in console.status.policy_values()}
    return str(policy["context.hold_compaction"]), int(policy["context.hold_seconds"])


def _program(settings: Settings) -> list[str]:
    """The words that start memdeck with the folders of its state."""
    folder = workspace_path(settings)
    if not folder.is_dir():
        raise Damaged("no such folder", where=str(folder), hint="give -w DIR")
    return hook_program(folder)


def hook_program(folder: Path) -> list[str]:
    """The words with which another program starts memdeck: its environment may lack where the state is."""
    words = [f"{key}={value}" for key, value in carried_environment(os.environ)]
    return [*(["env", *words] if words else []), *memdeck_program(sys.argv[0], folder)]


def _claude_code(settings: Settings) -> tuple[str, str, str]:
    """The hooks of Claude Code, as `connect` writes them."""
    from engine.extras.connect.connection import pasted
    from engine.extras.connect.tool_data import ToolPlaces, tool_data

    data, words = tool_data("claude-code"), _program(settings)
    places = ToolPlaces(data, os.environ, Path.cwd(), words, workspace_path(settings).resolve())
    ((_, text),) = pasted(data, places, ("hooks",))
    note = "`memdeck connect claude-code` writes it; what is due is then queued, sessions are saved, and you approve"
    return ".claude/settings.local.json", text.rstrip("\n"), note


def _openclaw(settings: Settings) -> tuple[str, str, str]:
    words = [
        *_program(settings),
        "-w",
        str(workspace_path(settings).resolve()),
        "plan",
        "tree",
        "--scheduled",
        "--json",
    ]
    # What it prints would reach the agent.
    shell = f"{shlex.join(words)} >/dev/null 2>&1 || true"
    upkeep = "- Run this command once, then go on; it prints nothing, and what it plans waits for the operator:"
    note = "add it to HEARTBEAT.md in the agent's workspace; each heartbeat then queues what is due"
    return "HEARTBEAT.md", f"## Memory upkeep\n{upkeep}\n  `{shell}`", note


HOOKS: dict[str, Callable[[Settings], tuple[str, str, str]]] = {"claude-code": _claude_code, "openclaw": _openclaw}
