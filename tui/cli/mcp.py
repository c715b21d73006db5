"""Runs `mcp`: a server through which an agent's program searches, reads and proposes, with bounded messages."""

import io
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from engine.errors import Refused
from engine.extra_registry import needs
from tui.cli.settings import Settings, command, open_console

LARGEST_MESSAGE = 4 * 1024 * 1024
"""The most bytes of a message, many times a proposal; a larger message ends the session."""


@command("mcp")
def mcp_command(settings: Settings, agent: str, session: str) -> int:
    from engine.context.platforms.platform import SessionKind
    from engine.services.agent import AgentService
    from tui.cli.hook import PromptAnswers

    with needs("mcp"):
        from engine.extras.connect.prompt_socket import answering
        from engine.extras.mcp.server import make_server

    with (
        open_console(settings) as console,
        bounded_input() as lines,
        answering(console.state_folder, PromptAnswers(console).answer),
    ):
        make_server(AgentService(console, agent, SessionKind(session)), time.monotonic).run("stdio")
        if lines.too_large:
            raise Refused(f"a message of the client has more than {LARGEST_MESSAGE:,} bytes", where="mcp")
    return 0


class BoundedLines(io.BufferedIOBase):
    """A stream of lines that ends at the first line above the limit."""

    def __init__(self, source: BinaryIO, most: int = LARGEST_MESSAGE) -> None:
        self._source, self._most = source, most
        self.too_large = False

    def readable(self) -> bool:
        """Returns True: the stream can be read."""
        return True

    def read1(self, size: int = -1, /) -> bytes:
        """Returns the next line, whatever `size` is; empty at the end."""
        line = b"" if self.too_large else self._source.readline(self._most + 1)
        self.too_large = self.too_large or len(line) > self._most
        return b"" if self.too_large else line


@contextmanager
def bounded_input() -> Iterator[BoundedLines]:
    """Replaces standard input by bounded lines; programs started meanwhile cannot read it."""
    wire, nothing = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    before = sys.stdin
    lines = BoundedLines(os.fdopen(wire, "rb", closefd=False))  # a thread may still wait for it at the end
    sys.stdin = io.TextIOWrapper(lines, encoding="utf-8", errors="replace")
    try:
        yield lines
    finally:
        sys.stdin = before
