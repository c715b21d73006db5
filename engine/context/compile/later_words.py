"""Marks recalled statements that the user later contradicted; the current value stays unmarked (D61)."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice, pairwise
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from engine.context.compile.fenced_pieces import PromptPiece
from engine.context.compile.prompt import PromptSlot
from engine.errors import MemdeckError
from engine.extraction.entry import turn_around
from engine.extraction.rows import row_parts
from engine.text.document import split_lines
from engine.text.encoder.encoder import TextEncoder, encoder_or_none
from engine.text.pattern_file import converted, toml_file
from engine.text.transcript_marks import TURN, Speaker, unescaped
from engine.workspace.dates import transcript_day

if TYPE_CHECKING:
    from engine.text.encoder.network import Floats

_WORD, _HAN = re.compile(r"[^\W_]+"), re.compile(r"[\u4e00-\u9fff]")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_UNIT = re.compile(r"\d\s*([^\W\d_]{1,6}|[%€$£])|([€$£])\s*\d")
_DIGIT = re.compile(r"\d")
_LAYERS = (0, 512, 832, 1344, 1856)  # columns of an encoding: the text's vector, then the three layers before it
_HEAD, _MOST_SHARED, _MOST_ASKED, _MOST_PLACES = 5, 6, 3, 20
"""Letters that words are compared by; most shared words that count between statements, and with the message; the place
among the recalled statements from which all count the same."""


class PairWeights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The weight of each feature of a pair: cosines of four layers, shared words and letters, numbers, questions,
    similarity to the message, and the places of both among the recalled statements."""

    bias: float
    cosine: float
    first: float
    mean: float
    head: float
    shared_least: float
    shared_all: float
    shared: float
    letters: float
    both_numbers: float
    one_number: float
    unit: float
    shape: float
    later_asks: float
    earlier_asks: float
    asked: float
    asked_mean: float
    asked_words: float
    earlier_place: float
    later_place: float


@cache
def _weights() -> tuple[float, ...]:
    table = toml_file("engine.extraction", "statement_pairs.toml")
    return msgspec.structs.astuple(converted(table, PairWeights, "engine/extraction/statement_pairs.toml"))


_KNOWN: dict[str, "Floats"] = {}  # layers of texts, 8 kB each: the next message recalls many of them again
_MOST_KNOWN = 1024


def _layers(encoder: TextEncoder, texts: Sequence[str]) -> list["Floats"]:
    """Returns the layers of each text. Encodes new texts together: one by one takes much longer."""
    known = dict(_KNOWN)
    new = [text for text in dict.fromkeys(texts) if text not in known]
    known |= dict(zip(new, encoder.layers(new), strict=True)) if new else {}
    if len(known) > _MOST_KNOWN:
        _KNOWN.clear()
    _KNOWN.update({text: known[text] for text in texts})
    return [known[text] for text in texts]


class _Signs(msgspec.Struct, frozen=True):
    """The features of one statement."""

    words: frozenset[str]
    letters: Counter[str]
    norm: float
    numbers: bool
    units: frozenset[str]
    shapes: frozenset[str]
    asks: bool


class StatementPairs:
    """Compares pairs of statements beside a message; encodes each statement once, or compares words alone."""

    def __init__(self, encoder: TextEncoder | None, texts: Sequence[str], message: str) -> None:
        import numpy as np

        layers = np.stack(_layers(encoder, (*texts, message))) if encoder else np.zeros((len(texts) + 1, _LAYERS[-1]))
        parts = (layers[:, first:last] for first, last in pairwise(_LAYERS))
        unit = [part / np.maximum(np.linalg.norm(part, axis=1, keepdims=True), 1e-9) for part in parts]
        self._cosines: list[Floats] = [part @ part.T for part in unit]
        self._signs, self._asked = [_signs(text) for text in texts], _signs(message).words

    def odds(self, earlier: int, later: int) -> float:
        """Returns the log-odds that the later one replaces the earlier, rounded: batching changes vectors by 2e-7."""
        bias, *weights = _weights()
        signs = zip(weights, self.signs(earlier, later), strict=True)
        return round(bias + sum(weight * sign for weight, sign in signs), 3)

    def signs(self, earlier: int, later: int) -> tuple[float, ...]:
        """Returns the features of a pair, in the order of their weights."""
        near = (float(each[earlier, later]) for each in self._cosines)
        asked = (float(min(each[-1, earlier], each[-1, later])) for each in (self._cosines[0], self._cosines[2]))
        words = (len(self._asked & self._signs[place].words) for place in (earlier, later))
        places = (float(min(one, _MOST_PLACES)) for one in (earlier, later))
        return (*near, *self._compared(earlier, later), *asked, float(min(*words, _MOST_ASKED)), *places)

    def _compared(self, earlier: int, later: int) -> tuple[float, ...]:
        one, other = self._signs[earlier], self._signs[later]
        shared = len(one.words & other.words)
        alike = sum(count * other.letters[run] for run, count in one.letters.items() if run in other.letters)
        return (
            shared / max(1, min(len(one.words), len(other.words))),
            shared / max(1, len(one.words | other.words)),
            float(min(shared, _MOST_SHARED)),
            alike / max(1e-9, one.norm * other.norm),
            float(one.numbers and other.numbers),
            float(one.numbers != other.numbers),
            float(bool(one.units & other.units)),
            float(bool(one.shapes & other.shapes)),
            float(other.asks),
            float(one.asks),
        )


def _signs(text: str) -> _Signs:
    small, wide = text.casefold(), _HAN.findall(text)
    words = {word[:_HEAD] for word in _WORD.findall(_HAN.sub(" ", small)) if len(word) > 2}
    plain, size = " ".join(_WORD.findall(small)), 2 if wide else 4
    letters = Counter(plain[at : at + size] for at in range(len(plain) - size + 1))
    numbers = _NUMBER.findall(text)
    return _Signs(
        words=frozenset(words | {one + other for one, other in pairwise(wide)}),
        letters=letters,
        norm=sqrt(sum(count * count for count in letters.values())),
        numbers=bool(numbers),
        units=frozenset((one or other).casefold() for one, other in _UNIT.findall(text)),
        shapes=frozenset(_DIGIT.sub("9", number) for number in numbers),
        asks=text.rstrip().endswith(("?", "？")),
    )


MOST_STATEMENTS = 32  # statements of the first pieces that are compared, each with each: 500 pairs take 11 ms
LIKELY = -1.5
"""Log-odds from which a line is marked: above it are 80 % of the recalled pairs in held-out chains, and 0.25 % of the
others."""
_BY_MEANING = 2.5  # odds that meaning may add; with more, 1 of 305 right marks on `choose` comes and 22 of 269 wrong
_TITLE = re.compile(r"(.+) \(\d{4}-\d\d-\d\d\)")
_LEAST = 4


class RecalledStatement(NamedTuple):
    piece: int
    line: int
    day: str
    at: int
    text: str


def with_later_words(pieces: Sequence[PromptPiece], read: Callable[[str], bytes], message: str) -> list[PromptPiece]:
    """Returns the pieces, marking statements that a later one probably replaces; none without the encoder."""
    said = list(islice(statements(pieces, read), MOST_STATEMENTS))
    texts = [statement.text for statement in said]
    after = [(at, by) for at, one in enumerate(said) for by, other in enumerate(said) if is_after(other, one)]
    # The encoder takes half a second to load, a third of a compilation: only where words leave a pair likely.
    words = StatementPairs(None, texts, message)
    likely = [pair for pair in after if words.odds(*pair) > LIKELY - _BY_MEANING]
    encoder = encoder_or_none() if likely else None
    if encoder is None:
        return list(pieces)
    pairs, later = StatementPairs(encoder, texts, message), dict[int, str]()
    for at, by in likely:
        if pairs.odds(at, by) > LIKELY:
            later[at] = max(said[by].day, later.get(at, ""))
    found = list(pieces)
    for at, day in later.items():
        found[said[at].piece] = _marked(found[said[at].piece], said[at], day)
    return found


def is_after(later: RecalledStatement, earlier: RecalledStatement) -> bool:
    repeats = later.text in earlier.text or earlier.text in later.text
    return (later.day, later.at) > (earlier.day, earlier.at) and not repeats


def _marked(piece: PromptPiece, said: RecalledStatement, day: str) -> PromptPiece:
    """Marks a line, and the title if it begins with the same words."""
    lines = piece.text.split("\n")
    title = _TITLE.fullmatch(lines[0])
    places = {said.line, *((0,) if title is not None and said.text.startswith(title[1]) else ())}
    for place in places:
        lines[place] = f"{lines[place]} (said otherwise on {day})"
    return replace(piece, text="\n".join(lines))


def statements(pieces: Sequence[PromptPiece], read: Callable[[str], bytes]) -> Iterator[RecalledStatement]:
    for number, piece in enumerate(pieces):
        if piece.slot is PromptSlot.KNOWLEDGE and not piece.refused:
            day = transcript_day(piece.path)
            yield from _of_entries(number, piece) if day is None else _of_turns(number, piece, str(day), read)


def _of_entries(number: int, piece: PromptPiece) -> Iterator[RecalledStatement]:
    for at, line in enumerate(piece.text.split("\n")):
        parts = row_parts(line)
        if parts is not None and parts.superseded is None:
            yield RecalledStatement(number, at, parts.day, 0, parts.quote)


def _of_turns(number: int, piece: PromptPiece, day: str, read: Callable[[str], bytes]) -> Iterator[RecalledStatement]:
    """Yields the lines of a transcript that the user said. The piece may begin with a title."""
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
            yield RecalledStatement(number, before + at, day, place, unescaped(line).strip())
