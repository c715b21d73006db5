"""Text without what hides its letters: characters that nobody sees taken out, wide and ornamental ones made plain."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec

_UNSEEN = "\xad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f"
_WIDE = "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff"
# Within an emoji, and between letters of Persian or Hindi, the same characters are spelling.
DISGUISED = f"[!-~][{_UNSEEN}]+[!-~]|[{_WIDE}][{_WIDE}\uff01-\uff5e]{{3,}}"
"""Matches disguised letters, in `re` as in RE2."""
_PLACE = re.compile(DISGUISED)
_CHANGED = re.compile(f"[{_UNSEEN}\uff01-\uff5e{_WIDE}]")
_IS_UNSEEN = re.compile(f"[{_UNSEEN}]")
_REACH = 2_000  # characters of a line on each side of a place that are looked at


class Plain(msgspec.Struct, frozen=True):
    """A stretch of text as it reads; `places` says where each of its characters stands in the text it is from."""

    text: str
    places: Sequence[int]


def plain(text: str) -> Iterator[Plain]:
    """The lines that hold disguised letters, as they read, each with the line before and after it."""
    for start, end in _lines(text):
        kept = [at for at in range(start, end) if not _IS_UNSEEN.match(text[at])]
        bare = "".join(text[at] for at in kept)
        yield Plain(_CHANGED.sub(lambda char: _narrow(char[0]), bare), kept)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    begin = end = -1
    for place in _PLACE.finditer(text):
        if place.end() <= end:
            continue
        least, most = max(0, place.start() - _REACH), min(len(text), place.end() + _REACH)
        first = text.rfind("\n", least, max(least, text.rfind("\n", least, place.start())))
        last = text.find("\n", text.find("\n", place.end(), most) + 1 or most, most)
        first, last = (least if first < 0 else first), (most if last < 0 else last)
        if first > end and end >= 0:
            yield begin, end
            begin = first
        begin, end = (first if begin < 0 else begin), last
    if end >= 0:
        yield begin, end


@lru_cache(maxsize=2048)
def _narrow(char: str) -> str:
    made = unicodedata.normalize("NFKC", char)
    return made if len(made) == 1 else char
