"""Splits a growing stream of bytes into lines, in bounded memory."""

import msgspec

LONGEST_LINE = 8 * 1024 * 1024
"""Most bytes of one line: agents write pictures as text, but nobody says more than this."""


class RawLine(msgspec.Struct, frozen=True, gc=False):
    """A complete line without its end. `offset`: its start; `number`: from 1, 0 if not counted."""

    offset: int
    data: bytes
    number: int


class LineBuffer:
    """Takes bytes and returns complete lines; drops and counts lines over `longest`."""

    def __init__(self, offset: int = 0, *, number: int | None = None, longest: int = LONGEST_LINE) -> None:
        self.position = offset  # offset of the next byte to take
        self.start = offset  # offset at which the unfinished line begins: what a restart has to read again
        self.too_long = 0
        self.number = 0 if offset == 0 else number
        """Lines that have ended; None where those before `offset` were not counted."""
        self._longest = longest
        self._parts: list[bytes] = []
        self._held = 0
        self._dropping = False

    def take(self, data: bytes) -> list[RawLine]:
        """Adds bytes, and returns the lines that they complete."""
        lines: list[RawLine] = []
        *ended, rest = data.split(b"\n")
        after = self.position
        for part in ended:
            after += len(part) + 1
            if self.unfinished or self.number is None or len(part) > self._longest:
                self._hold(part)
                self._end(lines, after)
            else:
                self.number += 1
                lines.append(RawLine(self.start, part.removesuffix(b"\r"), self.number))
                self.start = after
        self._hold(rest)
        self.position += len(data)
        return lines

    def finish(self) -> list[RawLine]:
        """Returns the incomplete line, as no more bytes will come."""
        lines: list[RawLine] = []
        if self._parts or self._dropping:
            self._end(lines, self.position)
        return lines

    @property
    def unfinished(self) -> bool:
        """True if a line has begun and not ended."""
        return self._held > 0 or self._dropping

    def _hold(self, data: bytes) -> None:
        if not data or self._dropping:
            return
        if self._held + len(data) > self._longest:
            self._parts.clear()
            self._held, self._dropping = 0, True
            return
        self._parts.append(data)
        self._held += len(data)

    def _end(self, lines: list[RawLine], after: int) -> None:
        self.number = None if self.number is None else self.number + 1
        if self._dropping:
            self.too_long += 1
        else:
            lines.append(RawLine(self.start, b"".join(self._parts).removesuffix(b"\r"), self.number or 0))
        self._parts.clear()
        self._held, self._dropping = 0, False
        self.start = after
