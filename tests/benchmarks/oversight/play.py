"""Runs the console of a trial on this terminal and counts the keys."""

import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pexpect

from tests.benchmarks.oversight.trial import console_environment, count_keys
from tests.benchmarks.terminal import CONSOLE

_REPLIES = re.compile(
    rb"\x1b\[\??[\d;]*(?:[cnRty]|\$y)|\x1b[P\]][^\x1b\x07]*(?:\x1b\\|\x07)|\x1b\[[IO]|\x1b\[<3\d;[\d;]+[Mm]"
)
"""What a terminal sends by itself: answers to questions, focus, a mouse that only moves."""
_KEY = re.compile(rb"\x1b\[[\d;<?]*[ -/]*[@-~]|\x1bO.|\x1b[^\x1b]|[\xc0-\xf7][\x80-\xbf]+|.", re.DOTALL)


def keys_in(data: bytes) -> int:
    """The keys of what came from a terminal: an arrow is one, though it sends several bytes."""
    return len(_KEY.findall(_REPLIES.sub(b"", data)))


def play(folder: Path) -> None:
    """Until the console is left. Keys are counted as they come: a console that is killed keeps them."""
    size = shutil.get_terminal_size((120, 36))
    code = CONSOLE.format(folder=str(folder / "silas"))

    def counted(data: Any) -> Any:  # bytes, whatever the stubs say
        count_keys(folder, keys_in(data))
        return data

    child = pexpect.spawn(
        sys.executable, ["-c", code], env=console_environment(folder), dimensions=(size.lines, size.columns)
    )
    child.interact(escape_character=None, input_filter=counted)
