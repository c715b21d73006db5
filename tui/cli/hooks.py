"""`hooks NAME`: the settings that make another tool start the tree's dry run (tree §Compaction Cycle)."""

import json
import os
import shlex
import sys
from collections.abc import Callable

import click

from engine.errors import Damaged, UsageError
from tui.cli.output import Styled, print_json, stdout
from tui.cli.schedule import carried_environment, memdeck_program
from tui.cli.settings import Settings, command, open_console, workspace_path

TIMEOUT = 60
"""Seconds after which the other tool goes on without the dry run."""


@command("hooks", short_help="The settings that make another tool start the dry run.")
@click.argument("name", required=False, metavar="claude-code|openclaw")
@click.option("--event", is_flag=True, help="Take one event of the tool as JSON on stdin, as its hooks call it.")
def hooks_command(settings: Settings, name: str | None, event: bool) -> None:
    """Prints what to put into the other tool's settings. Nothing is written, and a dry run applies nothing.

    Before a compaction the session is backed up and its flush is planned; `context.hold_compaction` in the policy holds
    the compaction until that plan is decided, for `context.hold_seconds` at most. Afterwards what left is compared with
    what was saved. Each file that a session reports as loaded is kept for `memdeck load`.
    """
    if event:
        _take_event(settings)
        return
    if name not in HOOKS:
        what = "which tool?" if name is None else f"no hooks for {name!r}"
        raise UsageError(what, hint=f"one of: {', '.join(HOOKS)}")
    file, text, note = HOOKS[name](settings)
    if settings.json:
        print_json({"tool": name, "file": file, "settings": text, "note": note})
        return
    printer = stdout(settings.no_color)
    printer.line(Styled(f"── {file}", bold=True))
    printer.block(text)
    printer.line(note)


def _take_event(settings: Settings) -> None:
    from tui.cli.hook_events import read_event, take_event

    event = read_event(sys.stdin.buffer)
    if event is None:
        raise UsageError("no event on stdin", hint="this is what Claude Code's hooks call")
    with open_console(settings) as console:
        policy = {value.key: value.value for value in console.status.policy_values()}
        hold, seconds = str(policy["context.hold_compaction"]), int(policy["context.hold_seconds"])
        print_json(take_event(console, event, hold, seconds))


def _command(settings: Settings, *arguments: str) -> str:
    """A command as one line of shell that prints nothing, since that would reach the agent, and always succeeds."""
    folder = workspace_path(settings)
    if not folder.is_dir():
        raise Damaged("no such folder", where=str(folder), hint="give -w DIR")
    words = [f"{key}={value}" for key, value in carried_environment(os.environ)]
    words = ["env", *words] if words else []
    words += [*memdeck_program(sys.argv[0], folder), "-w", str(folder.resolve()), *arguments]
    return f"{shlex.join(words)} >/dev/null 2>&1 || true"


_DRY_RUN = ("plan", "tree", "--scheduled", "--json")


def _claude_code(settings: Settings) -> tuple[str, str, str]:
    """The hooks of Claude Code. The time that it gives a hook is longer than memdeck holds a compaction for."""
    with open_console(settings) as console:
        seconds = next(one.value for one in console.status.policy_values() if one.key == "context.hold_seconds")
    event = _command(settings, "hooks", "claude-code", "--event")
    dry_run = _hook(_command(settings, *_DRY_RUN), TIMEOUT)
    hooks = {
        "SessionStart": [dry_run],
        "InstructionsLoaded": [_hook(event, TIMEOUT)],
        "PreCompact": [dry_run, _hook(event, int(seconds) + TIMEOUT)],
        "PostCompact": [_hook(event, TIMEOUT)],
    }
    text = json.dumps({"hooks": hooks}, indent=2, ensure_ascii=True)
    note = "merge it into .claude/settings.json; what is due is then queued, sessions are saved, and you approve"
    return ".claude/settings.json", text, note


def _hook(shell: str, seconds: int) -> dict[str, object]:
    return {"hooks": [{"type": "command", "command": shell, "timeout": seconds}]}


def _openclaw(settings: Settings) -> tuple[str, str, str]:
    shell = _command(settings, *_DRY_RUN)
    text = "\n".join(
        (
            "## Memory upkeep",
            "- Run this command once, then go on; it prints nothing, and what it plans waits for the operator:",
            f"  `{shell}`",
        )
    )
    return (
        "HEARTBEAT.md",
        text,
        "add it to HEARTBEAT.md in the agent's workspace; each heartbeat then queues what is due",
    )


HOOKS: dict[str, Callable[[Settings], tuple[str, str, str]]] = {"claude-code": _claude_code, "openclaw": _openclaw}
