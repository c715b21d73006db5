"""What every format's reader does, and which one reads a file."""

from collections import Counter
from typing import Protocol

from engine.feed.lines import RawLine
from engine.feed.values import Heard, Problem

ENDINGS = (".jsonl", ".md")
"""What a session file's name ends in: JSON lines, or a transcript of ours."""


class Reader(Protocol):
    """Turns the lines of one file, in order, into messages. Never raises, whatever the bytes."""

    problems: Counter[Problem]
    """Lines that were skipped, by reason."""
    session: str
    """The session as the file names it; before it does, the file's own name."""

    def read(self, line: RawLine) -> list[Heard]:
        """The messages that are whole once this line is there."""
        ...

    def pause(self) -> list[Heard]:
        """Nothing came for a while: the messages that no later line has to end."""
        ...

    @property
    def waits(self) -> bool:
        """Whether `pause` would give something."""
        ...


def reader_for(path: str, source: str) -> Reader:
    """The reader for a file, by the end of its name. `source` is what messages say they come from."""
    from engine.feed.json_lines import JsonLines
    from engine.feed.transcript import Transcript

    return Transcript(source) if path.endswith(".md") else JsonLines(source)
