"""Opens the operator's editor at a line of a note, and lends it the terminal."""

import os
import shlex
import shutil
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from engine.errors import MemdeckError, Refused, UsageError

if TYPE_CHECKING:
    from textual.app import App

_PLUS_LINE = frozenset("vi vim nvim view nano pico emacs emacsclient micro kak joe ne mg jed mcedit gvim gedit".split())  # noqa: SIM905
_COLON_LINE = frozenset({"hx", "helix", "subl", "zed"})
_GOTO = frozenset({"code", "codium", "code-insiders", "cursor"})
_FALLBACK = ("nano", "vim", "vi")


def editor_command(env: Mapping[str, str], path: Path, line: int) -> list[str]:
    """Returns `$VISUAL`, `$EDITOR` or an installed editor, told to open an absolute path at a line. Raises `UsageError`
    without one. No shell runs, and a path that begins with a slash is no option."""
    named = (env.get("VISUAL") or env.get("EDITOR") or "").strip()
    try:
        words = shlex.split(named) if named else [name for name in _FALLBACK if shutil.which(name)][:1]
    except ValueError as error:
        raise UsageError(f"cannot be read: {error}", where="$VISUAL or $EDITOR") from error
    if not words:
        raise UsageError("no editor is set", where="$EDITOR", hint="export EDITOR=nano, then start memdeck again")
    name = Path(words[0]).name
    if name in _GOTO:
        return [*words, "-g", f"{path}:{line}"]
    if name in _COLON_LINE:
        return [*words, f"{path}:{line}"]
    return [*words, f"+{line}", str(path)] if name in _PLUS_LINE else [*words, str(path)]


def _forget_what_was_typed() -> None:
    """Drops keys typed for the console, such as the rest of a paste, so that the editor does not get them."""
    with suppress(termios.error, OSError, ValueError):
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def edit(app: "App[Any]", path: Path, line: int) -> None:
    """Runs the operator's editor on the terminal until it ends."""
    lend(app, editor_command(os.environ, path, line), "set $EDITOR to a program")


def edited(app: "App[Any]", path: str, text: bytes, line: int) -> bytes:
    """Returns the text of a note after the operator edited a private copy of it."""
    with TemporaryDirectory(prefix="memdeck-") as folder:
        file = Path(folder) / path  # with its folders, so that the editor's title says which note it is
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text)
            edit(app, file, line)
            return file.read_bytes()
        except OSError as error:
            raise MemdeckError(f"cannot be edited: {error.strerror or error}", where=path) from error


def lend(
    app: "App[Any]", command: Sequence[str], hint: str = "", *, folder: Path | None = None, pause: bool = False
) -> None:
    """Runs a program on the terminal until it ends; `pause` then waits for `enter`. Runs in the operator's home by
    default, since an editor may read settings of the current folder, and the workspace is the agent's."""
    from textual.app import SuspendNotSupported

    try:
        with app.suspend():
            _forget_what_was_typed()
            done = subprocess.run(command, cwd=folder or Path.home(), check=False)
            if pause:
                sys.stdout.write(f"\nended with {done.returncode} · enter leads back\n")
                sys.stdout.flush()
                sys.stdin.readline()
    except SuspendNotSupported as error:
        raise Refused("this terminal cannot be lent to another program", where=command[0]) from error
    except OSError as error:
        raise MemdeckError(f"did not start: {error.strerror or error}", where=command[0], hint=hint) from error
    if done.returncode:
        raise MemdeckError(f"ended with {done.returncode}", where=command[0])
