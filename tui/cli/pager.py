"""Shows long answers in the operator's pager, on a terminal that can. Only commands that ask nothing and end are paged,
since a question behind a pager could not be read (CLI.md)."""

import io
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from engine.workspace.system_calls import find_program
from tui.cli.output import Printer, Text

_LESS = ("less", "-FRX")
"""Ends at once if one screen is enough, keeps colours, and leaves the text on the screen."""
_SAFE = {"LESSSECURE": "1", "LESSHISTFILE": "-"}  # `less` starts no other program and writes no file
_DROPPED = ("LESSOPEN", "LESSCLOSE", "LESSKEY", "LESSKEYIN", "LESSKEYIN_SYSTEM", "LESSEDIT")


def show_in_pages(text: Text, printer: Printer, workspace: Path, env: Mapping[str, str] = os.environ) -> None:
    """Shows a text in a pager if it is longer than the screen; after an error prints the part made so far."""
    pages = sys.stdin.isatty() and sys.stdout.isatty() and env.get("TERM", "dumb") not in ("dumb", "")
    command = pager(workspace, env) if pages else None
    if command is None:
        printer.show(text)
        return
    gathered = io.StringIO()
    try:
        Printer(gathered, color=printer.color).show(text)
    except BaseException:
        printer.stream.write(gathered.getvalue())
        raise
    whole = gathered.getvalue()
    if whole.count("\n") < shutil.get_terminal_size().lines or not _read(command, whole, env):
        printer.stream.write(whole)


def pager(workspace: Path, env: Mapping[str, str]) -> list[str] | None:
    """Returns the operator's pager (`MEMDECK_PAGER`, `PAGER`) or `less`; None if none is outside the workspace."""
    try:
        wanted = shlex.split(env.get("MEMDECK_PAGER") or env.get("PAGER") or "") or list(_LESS)
    except ValueError:
        wanted = list(_LESS)
    # Plain `less` would wait for a key even where one screen is enough.
    if wanted[0] in ("less", "/usr/bin/less") and len(wanted) == 1:
        wanted = list(_LESS)
    tool = find_program(wanted[0], workspace, env)
    return [tool, *wanted[1:]] if tool is not None else None


def _read(command: list[str], text: str, env: Mapping[str, str]) -> bool:
    """Runs the pager on the text; False if it could not start."""
    kept = {name: value for name, value in env.items() if name not in _DROPPED}
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, cwd="/", env={**kept, **_SAFE})
    except OSError:
        return False
    try:
        process.communicate(text.encode("utf-8", "backslashreplace"))
    except (BrokenPipeError, KeyboardInterrupt):
        process.wait()
    return True
