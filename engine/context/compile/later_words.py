"""Marks what a prompt recalls and the user later said otherwise; the value that holds stands unmarked (D61)."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace

from engine.context.compile.pieces import PromptPiece
from engine.context.compile.prompt import PromptSlot
from engine.errors import MemdeckError
from engine.extraction.quotes import turn_around
from engine.extraction.rows import row_parts
from engine.extraction.statement_pairs import StatementPairs
from engine.text.document import split_lines
from engine.text.encoder.encoder import encoder_or_none
from engine.text.transcript_marks import TURN, Speaker, unescaped
from engine.workspace.dates import transcript_day

MOST_STATEMENTS = 32
"""Statements of the first pieces that are compared, each with each: 500 pairs take 11 ms."""
LIKELY = 0.0
"""Odds from which a line is marked: of chains left out of the fit 59 % of the pairs are above it, and of the pairs with
distractors and with the nearest statements of other chains .9 %."""
_TITLE = re.compile(r"(.+) \(\d{4}-\d\d-\d\d\)")
_LEAST = 4


class _Statement(NamedTuple):
    piece: int
    line: int
    day: str
    at: int
    text: str


def with_later_words(pieces: Sequence[PromptPiece], read: Callable[[str], bytes], message: str) -> list[PromptPiece]:
    """The pieces for a message, with each statement marked of which a later one among them likely says another value.
    Without the encoder none is."""
    said = list(islice(_statements(pieces, read), MOST_STATEMENTS))
    after = [(at, by) for at, one in enumerate(said) for by, other in enumerate(said) if _is_after(other, one)]
    # It takes half a second to load, a third of a compilation: only where there is something to compare.
    encoder = encoder_or_none() if after else None
    if encoder is None:
        return list(pieces)
    pairs, later = StatementPairs(encoder, [one.text for one in said], message), dict[int, str]()
    for at, by in after:
        if pairs.odds(at, by) > LIKELY:
            later[at] = max(said[by].day, later.get(at, ""))
    found = list(pieces)
    for at, day in later.items():
        found[said[at].piece] = _marked(found[said[at].piece], said[at], day)
    return found


def _is_after(later: _Statement, earlier: _Statement) -> bool:
    repeats = later.text in earlier.text or earlier.text in later.text
    return (later.day, later.at) > (earlier.day, earlier.at) and not repeats


def _marked(piece: PromptPiece, said: _Statement, day: str) -> PromptPiece:
    """The piece with a mark at the line, and at its title where that begins with the same words."""
    lines = piece.text.split("\n")
    title = _TITLE.fullmatch(lines[0])
    places = {said.line, *((0,) if title is not None and said.text.startswith(title[1]) else ())}
    for place in places:
        lines[place] = f"{lines[place]} (said otherwise on {day})"
    return replace(piece, text="\n".join(lines))


def _statements(pieces: Sequence[PromptPiece], read: Callable[[str], bytes]) -> Iterator[_Statement]:
    for number, piece in enumerate(pieces):
        if piece.slot is PromptSlot.KNOWLEDGE and not piece.refused:
            day = transcript_day(piece.path)
            yield from _of_entries(number, piece) if day is None else _of_turns(number, piece, str(day), read)


def _of_entries(number: int, piece: PromptPiece) -> Iterator[_Statement]:
    for at, line in enumerate(piece.text.split("\n")):
        parts = row_parts(line)
        if parts is not None and parts.superseded is None:
            yield _Statement(number, at, parts.day, 0, parts.quote)


def _of_turns(number: int, piece: PromptPiece, day: str, read: Callable[[str], bytes]) -> Iterator[_Statement]:
    """The lines of a transcript that the user said; the piece begins with its title, or with its first line."""
    try:
        lines = split_lines(read(piece.path).decode("utf-8", "replace"))
    except MemdeckError:
        return
    shown = piece.text.split("\n")
    before = 1 if _TITLE.fullmatch(shown[0]) else 0
    for at, line in enumerate(shown[before:]):
        place = piece.line + at
        turn = turn_around(lines, place)[1] if len(line) >= _LEAST and not TURN.match(line) else ()
        head = TURN.match(turn[0]) if turn else None
        if head is not None and head[3] == Speaker.USER:
            yield _Statement(number, before + at, day, place, unescaped(line).strip())
