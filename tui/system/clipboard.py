"""Copies text out of the console by a desktop program, the terminal, or a file, and says how."""

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from engine.state.private_files import make_private, write_private
from engine.text.secrets.detector import redact
from engine.workspace.system_calls import find_program
from tui.present.words import noun, safe

_OSC52_MOST_BYTES = 74_000  # bytes that terminals take in one OSC 52: more is cut by some without a word
_PATIENCE_SECONDS = 2.0  # seconds that a clipboard program may take

_NATIVE: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("TMUX", ("tmux", "load-buffer", "-w", "-")),
    ("WAYLAND_DISPLAY", ("wl-copy",)),
    ("DISPLAY", ("xclip", "-selection", "clipboard")),
    ("DISPLAY", ("xsel", "--clipboard", "--input")),
    # macOS, where no variable tells.
    ("", ("pbcopy",)),
)
"""Programs that copy, by the environment variable that must be set."""


def harmless(text: str) -> str:
    """Makes every hidden character visible, so that a paste elsewhere runs nothing."""
    return "\n".join(safe(line) for line in text.split("\n"))


def copy(text: str, osc52: Callable[[str], None], workspace: Path, folder: Path, env: Mapping[str, str]) -> str:
    """Copies a text without its secrets, and says how. Over SSH the terminal copies, since programs there would copy
    for nobody. `osc52` passes text to the terminal; `folder` takes a file if all else fails or the text is too long."""
    text = harmless(text)
    whole, text = text, redact(text, keep_lines=True)
    what = noun(len(text.split("\n")), "line")
    if text != whole:
        what = f"{what} without its secrets (Y writes the whole text into a file)"
    for variable, command in _NATIVE:
        # tmux hands it to the terminal that is in front, also over SSH.
        remote = "SSH_CONNECTION" in env and variable != "TMUX"
        if not remote and (not variable or env.get(variable)) and _ran(command, text, workspace, env):
            return f"{what} copied with {command[0]}"
    if len(text.encode()) > _OSC52_MOST_BYTES:
        return f"{what} are too long for the terminal: {to_file(whole, folder)}"
    osc52(text)
    return f"{what} copied by the terminal (OSC 52) · nothing to paste? Y writes a file"


def to_file(text: str, folder: Path) -> str:
    """Writes the text into a file that only the operator can read, and says where."""
    make_private(folder)
    path = folder / "copied.txt"
    write_private(path, harmless(text).encode())
    return f"written to {safe(os.fspath(path))}"


def _ran(command: tuple[str, ...], text: str, workspace: Path, env: Mapping[str, str]) -> bool:
    if (tool := find_program(command[0], workspace, env)) is None:
        return False
    try:
        done = subprocess.run(
            [tool, *command[1:]],
            input=text.encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            timeout=_PATIENCE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
