r"""Makes `\b` at a pattern's edges a Unicode boundary; inside it stays ASCII (D38). RE2's `\b` knows only ASCII words:
`\büber\b` would never match. An edge `\b` becomes "a non-word character or the text's end", which consumes that
character. That is exact if a word character is beside the `\b`; otherwise the `\b` stays. The class of word characters
takes 2,000 instructions, too many for a set of thousands of patterns. The set gets a *filter*, which matches wherever
the exact form does, and on ASCII text nowhere else; on other text the exact form is tried too."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import msgspec

from engine.text.pattern_file import PatternFile
from engine.topics.patterns.regex import compiled, compiled_rarely

Kind = Callable[[str], bool]

WORD = r"\p{L}\p{M}\p{N}_"  # characters of a word, as an RE2 class
BEFORE = rf"(?:\A|[^{WORD}])"
AFTER = rf"(?:\z|[^{WORD}])"

_FORMS = PatternFile(__package__, "boundaries.toml", "token")


class Bounded(msgspec.Struct, frozen=True):
    r"""A pattern in the two forms for RE2. `left`, `right`: a match of `exact` may include a foreign character there.
    `sure`: on ASCII text the filter is exact. `inner`: number of the author's `\b` that stay ASCII."""

    filter: str
    exact: str
    sure: bool
    left: bool = True
    right: bool = True
    inner: int = 0

    def says_all(self, ascii_text: bool) -> bool:
        """Tells whether a match of the filter is certainly one of the exact form."""
        return (self.sure and ascii_text) or self.filter == self.exact

    def find(self, text: str) -> tuple[int, int] | None:
        """Returns the span of the first match, without foreign characters; None if there is none."""
        if self.says_all(text.isascii()):
            found = compiled(self.filter).search(text)
            return found.span() if found is not None else None
        found = compiled_rarely(self.exact).search(text)
        return self._own(text, *found.span()) if found is not None else None

    def _own(self, text: str, start: int, end: int) -> tuple[int, int]:
        start += self.left and start < end and not is_word(text[start])
        end -= self.right and start < end and not is_word(text[end - 1])
        return start, end


def is_word(char: str) -> bool:
    """Tells whether a character belongs to a word, as `WORD` does."""
    return char == "_" or unicodedata.category(char)[0] in "LMN"


class _Piece(msgspec.Struct):
    """A token of the pattern. `within`: index of the enclosing `(`, -1 at the top; `mate`: of the matching bracket."""

    kind: str
    text: str
    within: int = -1
    mate: int = -1


@lru_cache(maxsize=16_384)
def bounded(pattern: str) -> Bounded:
    r"""Returns the pattern with Unicode boundaries for the `\b` at its edges."""
    pieces = _pieces(pattern)
    edges = [at for at, piece in enumerate(pieces) if piece.text == r"\b" and piece.kind == "escape"]
    left = {at for at in edges if _at_edge(pieces, at, -1) and _is_word_at(pieces, at + 1, +1, is_word)}
    right = {
        at for at in edges if at not in left and _at_edge(pieces, at, +1) and _is_word_at(pieces, at - 1, -1, is_word)
    }
    # Beside an ASCII character RE2's own `\b` is right on ASCII text, and quicker.
    plain = {at for at in left if _is_word_at(pieces, at + 1, +1, str.isascii)}
    plain |= {at for at in right if _is_word_at(pieces, at - 1, -1, str.isascii)}
    ours = left | right
    return Bounded(
        filter=_written(pieces, dict.fromkeys(ours - plain, "")),
        exact=_written(pieces, {**dict.fromkeys(left, BEFORE), **dict.fromkeys(right, AFTER)}),
        left=bool(left),
        right=bool(right),
        sure=ours == plain,
        inner=len(edges) - len(ours),
    )


def _written(pieces: Sequence[_Piece], instead: Mapping[int, str]) -> str:
    return "".join(instead.get(at, piece.text) for at, piece in enumerate(pieces))


def _pieces(pattern: str) -> list[_Piece]:
    pieces = [_Piece(match.lastgroup or "literal", match[0]) for match in _FORMS["token"].finditer(pattern)]
    opened: list[int] = []
    for at, piece in enumerate(pieces):
        if piece.kind == "close" and opened:
            piece.mate = opened.pop()
            pieces[piece.mate].mate = at
        piece.within = opened[-1] if opened else -1
        if piece.kind == "open":
            opened.append(at)
    return pieces


def _at_edge(pieces: Sequence[_Piece], at: int, step: int) -> bool:
    """Tells whether a match ends at this place: only brackets, flags and alternatives follow."""
    place = at + step
    while 0 <= place < len(pieces):
        piece = pieces[place]
        if piece.kind == "either":
            if piece.within < 0:
                return True
            place = piece.within if step < 0 else pieces[piece.within].mate
            piece = pieces[place]
        if piece.kind == ("open" if step < 0 else "close"):
            # A group that may repeat has its edge inside the match as well.
            if piece.mate < 0 or _times(pieces, max(place, piece.mate)):
                return False
        elif piece.kind != "flags":
            return False
        place += step
    return True


def _times(pieces: Sequence[_Piece], at: int) -> str:
    after = pieces[at + 1] if at + 1 < len(pieces) else None
    return after.text if after is not None and after.kind == "times" else ""


def _is_word_at(pieces: Sequence[_Piece], place: int, step: int, kind: Kind) -> bool:
    """Tells whether every match from here begins (`step` 1) or ends (-1) with a word character of this `kind`."""
    if not 0 <= place < len(pieces):
        return False
    if pieces[place].kind == "times":
        place -= 1
    last = max(place, pieces[place].mate)
    first = min(place, pieces[place].mate) if pieces[place].mate >= 0 else place
    if not _atom_is_word(pieces, first, step, kind):
        return False
    times = _times(pieces, last)
    # At least once: what may be absent says nothing about the edge.
    if not times or re.match(r"\+|\{[1-9]", times):
        return True
    return _is_word_at(pieces, last + 2 if step > 0 else first - 1, step, kind)


def _atom_is_word(pieces: Sequence[_Piece], place: int, step: int, kind: Kind) -> bool:
    piece = pieces[place]
    match piece.kind:
        case "literal":
            return is_word(piece.text) and kind(piece.text)
        case "escape":
            # Stands for a letter beyond ASCII.
            letters = piece.text.startswith((r"\p{L", r"\p{N", r"\p{M")) and kind("ä")
            return piece.text in (r"\w", r"\d") or letters
        case "klass":
            return _class_is_word(piece.text) and kind(piece.text)
        case "open":
            return piece.mate >= 0 and _group_is_word(pieces, place, step, kind)
        case _:
            return False


def _group_is_word(pieces: Sequence[_Piece], start: int, step: int, kind: Kind) -> bool:
    """Tells whether each alternative of the group at `start` begins (or ends) with a word character."""
    end = pieces[start].mate
    bars = [at for at in range(start, end) if pieces[at].kind == "either" and pieces[at].within == start]
    places = [start, *bars] if step > 0 else [*bars, end]
    return all(_is_word_at(pieces, place + step, step, kind) for place in places)


_RANGE = re.compile(r"(\\[wd])|(\w)-(\w)|(\w)")


def _class_is_word(text: str) -> bool:
    """Tells whether a character class clearly has only word characters."""
    inner = text[1:-1]
    if inner.startswith("^") or not inner:
        return False
    at = 0
    while at < len(inner):
        found = _RANGE.match(inner, at)
        if found is None or (found[2] and not any(found[2] in kind and found[3] in kind for kind in _KINDS)):
            return False
        at = found.end()
    return True


_KINDS = ("0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
