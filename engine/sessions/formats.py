"""Defines what every format's reader does, and chooses the reader of a file."""

from collections import Counter
from typing import Protocol

from engine.sessions.line_buffer import RawLine
from engine.sessions.messages import LONGEST_TEXT, LineProblem, SessionMessage

ENDINGS = (".jsonl", ".md")  # endings of a session file's name: JSON lines, or a transcript of ours


class SessionReader(Protocol):
    """Turns the lines of one file, in order, into messages. Never raises, whatever the bytes."""

    problems: Counter[LineProblem]  # lines that were skipped, by reason
    session: str  # the session as the file names it; before it does, the file's own name

    def read(self, line: RawLine) -> list[SessionMessage]:
        """The messages that are whole once this line is there."""
        ...

    def pause(self) -> list[SessionMessage]:
        """Nothing came for a while: the messages that no later line has to end."""
        ...

    @property
    def waits(self) -> bool:
        """Tells whether `pause` would give something."""
        ...

    @property
    def abandoned(self) -> frozenset[str]:
        """The ids of lines that were given up, of a file that was read whole (decision D58)."""
        ...


def reader_for(path: str, source: str, longest: int = LONGEST_TEXT, *, whole: bool = False) -> SessionReader:
    """The reader for a file, by the end of its name. `source` is what messages say they come from. `longest` is the
    most characters of one message that are looked at. `whole`: nothing is handed on before the end."""
    from engine.sessions.json_lines import JsonLines
    from engine.sessions.transcript import Transcript

    return Transcript(source, longest) if path.endswith(".md") else JsonLines(source, longest, whole=whole)
