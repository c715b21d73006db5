"""Announces something outside the console in the way the operator chose; by default not at all."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from engine.text.secrets.detector import redact
from engine.workspace.system_calls import find_program
from tui.present.words import safe
from tui.settings.file import Notify

_LONGEST = 200  # characters of a title or text that leave the program
_SEPARATORS = re.compile(r"[;\x00-\x1f\x7f-\x9f]")
"""Matches what would end a field of OSC 777 or the sequence: semicolons and control characters."""


def announce(way: Notify, title: str, text: str, write: Callable[[str], None], workspace: Path) -> None:
    """Sends title and text, made safe and free of secrets, by bell, OSC 9, OSC 777 or `notify-send`."""
    title, text = (_SEPARATORS.sub(",", redact(safe(part)))[:_LONGEST] for part in (title, text))
    match way:
        case "off":
            return
        case "bell":
            write("\a")
        case "osc9":
            write(f"\x1b]9;{title}: {text}\x1b\\")
        case "osc777":
            write(f"\x1b]777;notify;{title};{text}\x1b\\")
        case "desktop":
            _desktop(title, text, workspace)


def _desktop(title: str, text: str, workspace: Path) -> None:
    if (tool := find_program("notify-send", workspace, os.environ)) is None:
        return
    nowhere = subprocess.DEVNULL
    subprocess.Popen(
        [tool, "--app-name=memdeck", "--", title, text],
        stdin=nowhere,
        stdout=nowhere,
        stderr=nowhere,
        cwd="/",
        start_new_session=True,
    )
