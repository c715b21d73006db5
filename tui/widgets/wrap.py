"""Wraps long lines. Short lines cost one length check, so that 20,000 take milliseconds."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from rich.cells import cell_len, chop_cells

from tui.present.spans import Line, Span, plain

_BACK = 24  # a break is moved back to a space at most this far, so that words stay whole
_SIGNS_WITHIN = "/-_"  # a name without spaces breaks after one of these
_MARK = len("⟨U+10FFFF⟩")
"""Characters of the longest mark of an unsafe character; U+10FFFF is the last code point."""
LONGEST = 20_000  # characters of one line that are laid out; the rest is counted in words, never hidden silently


def wrapped(text: str, width: int) -> tuple[str, ...]:
    """Splits `text` into pieces of at most `width` cells, which joined give `text`."""
    if len(text) <= width and (text.isascii() or cell_len(text) <= width):
        return (text,)
    if len(text) > LONGEST:
        rest = f" … and {len(text) - LONGEST:,} more characters on this line"
        return (*wrapped(text[:LONGEST], width), *wrapped(rest, width))
    return _ascii(text, width) if text.isascii() else _cells(text, width)


def _ascii(text: str, width: int) -> tuple[str, ...]:
    pieces: list[str] = []
    start = 0
    while len(text) - start > width:
        end = start + _end(text[start : start + width], width)
        pieces.append(text[start:end])
        start = end
    return (*pieces, text[start:])


def _end(piece: str, width: int) -> int:
    """Returns the end of a piece: after its last space, else after the last sign within a long name, such as a path."""
    least = max(1, width - _BACK)
    space = piece.rfind(" ", least)
    return (space if space >= 0 else max(piece.rfind(sign, least) for sign in _SIGNS_WITHIN)) + 1 or len(piece)


def _cells(text: str, width: int) -> tuple[str, ...]:
    """Breaks before a word that does not fit, or within one that is longer than a line."""
    pieces: list[str] = []
    rest = text
    while len(rest) > 2 * width or cell_len(rest) > width:  # a long rest is not measured again for every piece
        first = next((piece for piece in chop_cells(rest[: width * 2], max(2, width)) if piece), rest[:1])
        end = _end(first, len(first))
        if end > 3 and first[end - 3] == " " and not first[end - 2].isalnum():
            end -= 2  # a glyph stays with its word
        end = _before_a_mark(rest, end)
        pieces.append(rest[:end])
        rest = rest[end:]
    return (*pieces, rest)


def _before_a_mark(text: str, end: int) -> int:
    """Moves the end of a piece before a mark such as `⟨U+200B⟩`, which stands for one character."""
    start = text.rfind("⟨", max(1, end - _MARK), end)
    mark = text[start : start + _MARK] if start > 0 else ""
    return start if mark.startswith("⟨U+") and mark.find("⟩") >= end - start else end


def wrapped_line(line: Line, width: int, hang: int = 0) -> tuple[Line, ...]:
    """Wraps a line of spans; lines after the first are indented by `hang` cells."""
    width, text = max(1, width), plain(line)
    if len(text) <= width and (text.isascii() or cell_len(text) <= width):
        return (line,)
    # A narrow column gives its cells to the words, not to the indent.
    hang = hang if width > 3 * hang else 0
    first = wrapped(text[: 2 * width + 1], width)[0]  # where it breaks is told by its beginning alone
    pieces = (first, *wrapped(text[len(first) :], width - hang))
    # The pieces of an over-long line hold words of their own: its spans do not fit them.
    if sum(map(len, pieces)) != len(text):
        return tuple((Span(piece, line[-1].role),) for piece in pieces)
    ends = tuple(accumulate(map(len, pieces)))
    starts = (0, *(len(text) - len(text[end:].lstrip(" ")) for end in ends))
    parts = _cut(line, zip(starts, ends, strict=False))
    return (parts[0], *((Span(" " * hang), *part) for part in parts[1:]))


def between(line: Line, start: int, end: int) -> Line:
    """Returns characters `start` to `end` (exclusive) of a line as spans."""
    return _cut(line, ((start, end),))[0]


def _cut(line: Line, pieces: Iterable[tuple[int, int]]) -> list[Line]:
    """Returns the pieces from each start to its end, without walking a line of 10,000 spans for each piece."""
    ends = tuple(accumulate(len(span.text) for span in line))
    return [tuple(_within(line, ends, start, end)) for start, end in pieces]


def _within(line: Line, ends: Sequence[int], start: int, end: int) -> Iterator[Span]:
    for number in range(bisect_right(ends, start), len(line)):
        span, at = line[number], ends[number] - len(line[number].text)
        if at >= end:
            return
        if span.text:
            yield span._replace(text=span.text[max(0, start - at) : end - at])
