"""Finds the styled parts of a line of markdown; each line is read when it is painted."""

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from itertools import takewhile
from typing import NamedTuple

from engine.text.markdown import fence_after, fence_of, heading_of
from tui.present.spans import Role

_LONGEST = 2_000  # characters of a line that are looked at; what is longer is no prose

_MARK = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s(?:\[[ xX]\]\s)?|\s*>\s?")
_FIELD = re.compile(r"(?:Title|Context|Durable Insight):")
# Every repeat has a bound, so that no line makes the search slow.
_WITHIN = re.compile(
    r"(?P<code>`[^`]{1,200}`)"
    r"|(?P<meta><!--.{0,400}?-->)"
    r"|(?P<link>\[[^\[\]]{1,200}\]\([^()\s]{1,400}\)|https?://[^\s<>()]{1,400})"
)
_AT_THE_START: tuple[tuple[re.Pattern[str], Role], ...] = ((_FIELD, "md_heading"), (_MARK, "md_mark"))
_ROLES: dict[str, Role] = {"code": "md_code", "meta": "md_meta", "link": "md_link"}

OPENERS = frozenset({"```", "~~~", "---"})  # without a line that begins with one of these, every line of a file is text


class Inside(Enum):
    """The kind of block that contains a line, which only the lines before it can tell."""

    TEXT = 0
    CODE = 1
    META = 2


class Part(NamedTuple):
    """Characters `start` to `end` (exclusive) of a line, and the role that styles them."""

    start: int
    end: int
    role: Role


def parts(line: str, inside: Inside = Inside.TEXT) -> tuple[Part, ...]:
    """Returns the styled parts of a line, in order and without overlap."""
    if len(line) > _LONGEST or not line:
        return ()
    if inside is Inside.META:
        return (Part(0, len(line), "md_meta"),)
    if inside is Inside.CODE or fence_of(line) is not None:
        return (Part(0, len(line), "md_code"),)
    if heading_of(line) is not None:
        return (Part(0, len(line), "md_heading"),)
    return tuple(_in_text(line))


def _in_text(line: str) -> Iterator[Part]:
    at = 0
    for pattern, role in _AT_THE_START:
        if prefix := pattern.match(line):
            at = prefix.end()
            yield Part(0, at, role)
            break
    for match in _WITHIN.finditer(line, at):
        yield Part(match.start(), match.end(), _ROLES[match.lastgroup or "code"])


class Follower:
    """Reads a file line by line and tells the kind of block around each line."""

    def __init__(self) -> None:
        self._number = 0
        self._fence = ""
        self._meta = False

    def step(self, line: str) -> Inside:
        """Returns the block of `line`, the next one; fences and frontmatter marks belong to their block."""
        self._number += 1
        if self._meta or (self._number == 1 and line.rstrip() == "---"):
            self._meta = self._number == 1 or line.rstrip() != "---"
            return Inside.META
        above, self._fence = self._fence, fence_after(self._fence, line)
        return Inside.CODE if above or self._fence else Inside.TEXT


def body_start(lines: Iterable[str]) -> int:
    """Returns the index of the first line below the frontmatter; 0 without frontmatter."""
    return sum(1 for _ in takewhile(lambda inside: inside is Inside.META, map(Follower().step, lines)))


def insides(lines: Iterable[str]) -> tuple[Inside, ...]:
    """Returns the kind of block around each line of a file."""
    return tuple(map(Follower().step, lines))
