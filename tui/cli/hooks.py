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
from tui.cli.settings import Settings, command, workspace_path

TIMEOUT = 60
"""Seconds after which the other tool goes on without the dry run."""


@command("hooks", short_help="The settings that make another tool start the dry run.")
@click.argument("name", required=False, metavar="claude-code|openclaw")
def hooks_command(settings: Settings, name: str | None) -> None:
    """Prints what to put into the other tool's settings. Nothing is written, and a dry run applies nothing."""
    if name not in HOOKS:
        what = "which tool?" if name is None else f"no hooks for {name!r}"
        raise UsageError(what, hint=f"one of: {', '.join(HOOKS)}")
    file, text, note = HOOKS[name](_command(settings))
    if settings.json:
        print_json({"tool": name, "file": file, "settings": text, "note": note})
        return
    printer = stdout(settings.no_color)
    printer.line(Styled(f"── {file}", bold=True))
    printer.block(text)
    printer.line(note)


def _command(settings: Settings) -> str:
    """The dry run as one shell command that prints nothing, since that would reach the agent, and always succeeds."""
    folder = workspace_path(settings)
    if not folder.is_dir():
        raise Damaged("no such folder", where=str(folder), hint="give -w DIR")
    words = [f"{key}={value}" for key, value in carried_environment(os.environ)]
    words = ["env", *words] if words else []
    program = memdeck_program(sys.argv[0], folder)
    words += [*program, "-w", str(folder.resolve()), "plan", "tree", "--scheduled", "--json"]
    return f"{shlex.join(words)} >/dev/null 2>&1 || true"


def _claude_code(shell: str) -> tuple[str, str, str]:
    hook = {"hooks": [{"type": "command", "command": shell, "timeout": TIMEOUT}]}
    text = json.dumps({"hooks": {"SessionStart": [hook], "PreCompact": [hook]}}, indent=2, ensure_ascii=True)
    note = "merge it into .claude/settings.json; each session start then queues what is due, and you approve it"
    return ".claude/settings.json", text, note


def _openclaw(shell: str) -> tuple[str, str, str]:
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


HOOKS: dict[str, Callable[[str], tuple[str, str, str]]] = {"claude-code": _claude_code, "openclaw": _openclaw}
