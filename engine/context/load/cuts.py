"""Cuts a text as a platform does. Each rule copies a program with its figures and markers, to the byte."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from engine.context.platforms.platform import CapUnit
from engine.text.tokens import TokenCounter

JS_SPACE = (
    "\t\n\x0b\x0c\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""The characters that JavaScript's `trim` removes."""


def measure(text: str, unit: CapUnit, counter: TokenCounter) -> int:
    """Returns the size of a text in a unit; a final line end adds no line."""
    match unit:
        case CapUnit.LINES:
            return text.count("\n") + (text != "" and not text.endswith("\n"))
        case CapUnit.CHARACTERS:
            return len(text)
        case CapUnit.UTF16:
            return utf16_length(text)
        case CapUnit.BYTES | CapUnit.QUARTER_BYTES:
            size = len(text.encode("utf-8", "surrogatepass"))
            return size if unit is CapUnit.BYTES else -(-size // 4)
        case CapUnit.TOKENS:
            return counter.count(text)


def utf16_length(text: str) -> int:
    """Returns the length in JavaScript: characters beyond U+FFFF, such as most emoji, count twice."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf16_head(text: str, most: int) -> str:
    """Returns the longest beginning of at most `most` units."""
    head = text[: max(0, most)]
    return head if head.isascii() else head[: _fitting(head, most)]


def utf16_tail(text: str, most: int) -> str:
    """Returns the longest end of at most `most` units."""
    tail = text[len(text) - most :] if 0 < most < len(text) else text if most > 0 else ""
    return tail if tail.isascii() else tail[len(tail) - _fitting(tail[::-1], most) :]


def _fitting(text: str, most: int) -> int:
    """Returns the number of first characters that have at most `most` units together."""
    used = 0
    for at, char in enumerate(text):
        used += 2 if char > "\uffff" else 1
        if used > most:
            return at
    return len(text)


_LEAST_CONTENT = 16  # with less room than this beside the marker of two lines, OpenClaw takes a short one


class LoadedCut(NamedTuple):
    """The loaded text, and the ranges of the whole text that it contains word for word."""

    text: str
    kept: tuple[tuple[int, int], ...]


def whole(text: str) -> LoadedCut:
    """Leaves the text as it is."""
    return LoadedCut(text, ((0, len(text)),))


def whole_lines(text: str, lines: int | None, utf16: int | None) -> LoadedCut:
    """Keeps the first lines within both caps; of a first line that is too long, its beginning."""
    kept = "\n".join(text.split("\n")[:lines])
    if utf16 is not None and utf16_length(kept) > utf16:
        head = utf16_head(kept, utf16)
        end = len(head) if kept[len(head)] == "\n" else head.rfind("\n")
        kept = kept[:end] if end > 0 else head
    return LoadedCut(kept.replace("\r\n", "\n").removesuffix("\r"), ((0, len(kept)),))


def head(text: str, most: int) -> LoadedCut:
    """Keeps the first bytes; a character cut in two becomes a replacement character."""
    data = text.encode("utf-8", "surrogatepass")[:most]
    return LoadedCut(data.decode("utf-8", "replace"), ((0, len(data.decode("utf-8", "ignore"))),))


def middle(text: str, tokens: int) -> LoadedCut:
    """Keeps half of the allowed bytes from the start and half from the end, counting four bytes a token."""
    data = text.encode("utf-8", "surrogatepass")
    most = 4 * tokens
    if len(data) <= most:
        return whole(text)
    first = len(data[: most // 2].decode("utf-8", "ignore"))
    last = max(first, len(text) - len(data[len(data) - (most - most // 2) :].decode("utf-8", "ignore")))
    marker = f"…{-(-(len(data) - most) // 4)} tokens truncated…"
    return LoadedCut(text[:first] + marker + text[last:], ((0, first), (last, len(text))))


def entries(text: str, divider: str) -> LoadedCut:
    """Keeps each entry once, stripped of blanks."""
    kept = dict.fromkeys(entry for part in text.split(divider) if (entry := part.strip()))
    return LoadedCut(divider.join(kept), ((0, len(text)),))


def head_tail(text: str, name: str, most: int, shares: Sequence[float]) -> LoadedCut:
    """Keeps a head and a tail in the room beside the marker between them."""
    size = utf16_length(text)
    if size <= most:
        return whole(text)
    marker = _Marker(name, size, most)
    sizes = marker.settled(shares)
    begin, end = utf16_head(text, sizes[0]), utf16_tail(text, sizes[1])
    made = marker.joined(begin, marker.text(*sizes), end)
    return LoadedCut(utf16_head(made, most), ((0, len(begin)), (len(text) - len(end), len(text))))


class _Marker:
    """The marker that says how much is kept, and whose own length depends on those figures."""

    def __init__(self, name: str, size: int, most: int) -> None:
        self._name, self._size, self._most = name, size, most
        self._long = True
        self._long = most - len(self.text(0, 0)) - 2 >= _LEAST_CONTENT

    def text(self, begin: int, end: int) -> str:
        if not self._long:
            return f"[…truncated {begin}+{end}/{self._size}]"
        said = f"…(truncated {self._name}: kept {begin}+{end} chars of {self._size})…"
        return f"\n[...truncated, read {self._name} for full content...]\n{said}\n"

    def joined(self, begin: str, marker: str, end: str) -> str:
        return ("\n" if self._long else "").join(part for part in (begin, marker, end) if part)

    def settled(self, shares: Sequence[float]) -> tuple[int, int]:
        """Returns the sizes of head and tail: after three attempts, shrinks them until they fit."""
        begin = end = 0
        # The marker names sizes whose digits change its own length, so each attempt may move them.
        for _ in range(3):
            room = max(0, self._most - self._beside(begin, end))
            following = int(room * shares[0]), int(room * shares[1])
            if following == (begin, end) and len(self.text(*following)) == len(self.text(begin, end)):
                break
            begin, end = following
        while (over := begin + end + self._beside(begin, end) - self._most) > 0 and (begin or end):
            begin, end = (begin, max(0, end - over)) if end else (max(0, begin - over), 0)
        return (1, 0) if not begin and not end and 1 + self._beside(1, 0) <= self._most else (begin, end)

    def _beside(self, begin: int, end: int) -> int:
        """Returns the units of the marker with its line ends."""
        return len(self.text(begin, end)) + ((begin > 0) + (end > 0) if self._long else 0)


def head_digest_tail(text: str, name: str, most: int, shares: Sequence[float]) -> LoadedCut:
    """Keeps a head, a digest of the lines that read like rules, and a tail."""
    if utf16_length(text) <= most:
        return whole(text)
    begin, room, end = (int(most * share) for share in shares)
    made = _digested(text, name, begin, room, end)
    while (over := utf16_length(made) - most) > 0 and (end > 0 or begin > 1 or room > 0):
        if end > 0:
            end = max(0, end - over)
        elif begin > 1:
            begin = max(1, begin - over)
        else:
            room = max(0, room - over)
        made = _digested(text, name, begin, room, end)
    kept = (0, len(utf16_head(text, begin))), (len(text) - len(utf16_tail(text, end)), len(text))
    return LoadedCut(utf16_head(made, most), kept)


def _digested(text: str, name: str, begin: int, room: int, end: int) -> str:
    digest, left_out = _rule_digest(text, room)
    said = f"…(truncated {name}: kept {begin}+policy {utf16_length(digest)}+{end} chars of {utf16_length(text)})…"
    parts = (
        utf16_head(text, begin),
        f"[...truncated, read {name} for full content...]",
        f"[Policy digest from {name}]" if digest else "",
        digest,
        f"[...{left_out} more policy lines omitted...]" if left_out else "",
        said,
        utf16_tail(text, end),
    )
    return "\n".join(part for part in parts if part)


LONGEST = 240  # units of a line; a longer one is cut
_SPACE = f"[{JS_SPACE}]"
_SHAPE = re.compile(rf"(?:#{{1,6}}|{_SPACE}*[-*+]|{_SPACE}*[0-9]+[.)]){_SPACE}+[^{JS_SPACE}]")
_URGENT = r"AGENTS\.md|scoped|required|must|never|do not|before subtree|read scoped|security|secret|credential"
_WORDS = re.compile(rf"\b(?:{_URGENT}|owner|test|validation|command|commit|push|github|pr)\b", re.ASCII | re.IGNORECASE)
_FIRST = re.compile(rf"\b(?:{_URGENT})\b", re.ASCII | re.IGNORECASE)


def _rule_digest(text: str, room: int) -> tuple[str, int]:
    """Returns the rule-like lines that fit into `room` units, the urgent ones first, and the number of others."""
    if room <= 0:
        return "", 0
    found = [
        line
        for raw in re.split(r"\r?\n", text)
        if (line := _normal(raw)) and (_SHAPE.match(line) or _WORDS.search(line))
    ]
    chosen: set[int] = set()
    used = 0
    urgent = [at for at, line in enumerate(found) if _FIRST.search(line)]
    for at in (*urgent, *(at for at in range(len(found)) if at not in set(urgent))):
        size = utf16_length(found[at]) + (1 if chosen else 0)
        if used + size <= room:
            chosen.add(at)
            used += size
    return "\n".join(found[at] for at in sorted(chosen)), len(found) - len(chosen)


def _normal(raw: str) -> str:
    line = re.sub(f"{_SPACE}+", " ", raw.strip(JS_SPACE))
    return line if utf16_length(line) <= LONGEST else f"{utf16_head(line, LONGEST - 1)}…"
