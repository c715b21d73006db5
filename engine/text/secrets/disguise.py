"""Undoes disguised letters: removes invisible characters, narrows wide and ornamental ones. Finds secrets in base64 or
hex by the encoded beginnings of secrets, and decodes them."""

import base64
import binascii
import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

import msgspec

_UNSEEN = "\xad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f"
_WIDE = "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff"
# Within an emoji, and between letters of Persian or Hindi, the same characters are spelling.
DISGUISED = f"[!-~][{_UNSEEN}]+[!-~]|[{_WIDE}][{_WIDE}\uff01-\uff5e]{{3,}}"
"""Matches disguised letters, in `re` and RE2."""
_PLACE = re.compile(DISGUISED)
_CHANGED = re.compile(f"[{_UNSEEN}\uff01-\uff5e{_WIDE}]")
_IS_UNSEEN = re.compile(f"[{_UNSEEN}]")
_REACH = 2_000  # characters of a line on each side of a place that are looked at


class Plain(msgspec.Struct, frozen=True):
    """Text without disguise; `places`: the original offset of each character."""

    text: str
    places: Sequence[int]


def plain(text: str) -> Iterator[Plain]:
    """Yields the lines with disguised letters, undisguised, each with the line before and after."""
    for start, end in _lines(text):
        kept = [at for at in range(start, end) if not _IS_UNSEEN.match(text[at])]
        yield Plain(_CHANGED.sub(lambda char: _narrow(char[0]), "".join(text[at] for at in kept)), kept)


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


_HEX = re.compile(r"(?:[0-9A-Fa-f]{2})+")
_SHORTEST_SURE = 5  # characters of base64 below which chance brings them too often: a picture has a million places


def wrapped_pattern(heads: Collection[str]) -> str:
    """Returns a pattern for runs of base64 or hex that contain an encoded beginning or name of a secret."""
    in_base64 = sorted({core for head in heads for core in _cores(head)})
    in_hex = sorted({head.encode().hex() for head in heads})
    any_case = "|".join(f"{head}|{head.upper()}" for head in in_hex)
    return rf"([A-Za-z0-9+/_-]*(?:{'|'.join(map(re.escape, in_base64))}|{any_case})[A-Za-z0-9+/_-]{{8,}}={{0,2}})"


def _cores(head: str) -> Iterator[str]:
    """Yields the part of a head's base64 that no neighbour changes, for each of three positions."""
    data = head.encode()
    for before in range(3):
        whole = base64.b64encode(b"\0" * before + data).decode().rstrip("=")
        bits_before, bits_after = 8 * before, 8 * (before + len(data))
        core = whole[-(-bits_before // 6) : bits_after // 6]
        if len(core) >= _SHORTEST_SURE:
            yield core


def unwrapped(value: str) -> Iterator[str]:
    """Yields the texts that a run of base64 or hex may mean; skips binary data."""
    found = []
    if _HEX.fullmatch(value):
        found.append(bytes.fromhex(value))
    bare = value.rstrip("=").replace("-", "+").replace("_", "/")
    for start in range(4):
        # A name in front, as in `key/…`, moves the groups of four.
        part = bare[start:]
        try:
            found.append(base64.b64decode(part[: len(part) - (len(part) % 4 == 1)] + "=" * (-len(part) % 4)))
        except (binascii.Error, ValueError):
            continue
    for data in found:
        text = data.decode("utf-8", "replace")
        if sum(char.isprintable() or char.isspace() for char in text) >= 0.9 * len(text):
            yield text.replace("\ufffd", " ")
