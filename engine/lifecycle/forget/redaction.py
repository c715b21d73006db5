"""Takes the statements that say some words out of a text, and leaves its structure: lines, times, speakers, marks."""

import re
from collections.abc import Callable, Iterable, Iterator

import msgspec

from engine.lifecycle.forget.sought_words import MARK, Span
from engine.text.document import split_lines

_LEAD = re.compile(
    r"\s*(?:(?:[-*+>]|\d{1,3}[.)]|#{1,6}|\[[ xX?]\])\s+)*(?:\[?\d{1,2}:\d{2}(?::\d{2})?\]?\s*(?:[-–·]\s*)?)?"
    r"(?:\d{4}-\d{2}-\d{2}:\s+)?(?:\*\*[^*\n]{1,60}\*\*:?\s+|[A-Za-z][\w .-]{0,30}:\s+)?"
)
"""The part of a line before its statement: list mark, heading, time, day, speaker or label."""
_SENTENCE_END = re.compile(r"[.!?](?:[\"')\]]|\*\*)*(?=\s)|[。！？]|(?=\s*<!--)|(?=\s*\(memory/)")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s")
_COMMENT = re.compile(r"\s*(?:<!--.*?-->|\(memory/[^)]*\))\s*$")

Finder = Callable[[str], Iterable[Span]]


class Redacted(msgspec.Struct, frozen=True):
    """A text without the words; `lines` are those, from 1 in the text before, that said them."""

    text: str
    lines: tuple[int, ...] = ()


def statement(line: str) -> str:
    """Gives what a line says, without its list mark, time, speaker or comment."""
    lead = _LEAD.match(line)
    return _COMMENT.sub("", line[lead.end() if lead else 0 :]).strip()


def without_words(text: str, find: Finder) -> Redacted:
    """Puts the mark in the place of the words alone: for JSON, tables and whatever has a form of its own."""
    return _replaced(text, find(text))


def without_statements(text: str, find: Finder, *, drop: bool = False, mark: str = MARK) -> Redacted:
    """Puts the mark in the place of every sentence that says them. Every line keeps its number; with `drop` items of
    lists of which nothing else is left go as a whole."""
    done = _replaced(text, (_sentence(text, start, end) for start, end in find(text)), mark)
    if not drop:
        return done
    lines = split_lines(done.text)
    items = (number for number in done.lines if _ITEM.match(lines[number - 1]))
    gone = {number for number in items if statement(lines[number - 1]).strip(" .*_") == MARK}
    kept = (line for number, line in enumerate(_LINE.findall(done.text), 1) if number not in gone)
    return Redacted("".join(kept), done.lines)


def _sentence(text: str, start: int, end: int) -> Span:
    """Widens a span to the sentences that it touches, within its lines and behind their leads."""
    line, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    last = len(text) if last < 0 else last
    if text[line:start].lstrip().startswith("|"):  # a row of a table keeps its cells
        return start, end
    lead = _LEAD.match(text, line, last)
    first = lead.end() if lead and lead.end() <= start else line
    first = max((found.end() for found in _SENTENCE_END.finditer(text, first, start)), default=first)
    first += len(text[first:start]) - len(text[first:start].lstrip())
    after = _SENTENCE_END.search(text, end, last)
    return first, after.end() if after else len(text[:last].rstrip())


def _merged(spans: Iterable[Span]) -> Iterator[Span]:
    held: Span | None = None
    for start, end in sorted(spans):
        if held is not None and start > held[1]:
            yield held
            held = None
        held = (start, end) if held is None else (held[0], max(held[1], end))
    if held is not None:
        yield held


def _replaced(text: str, spans: Iterable[Span], mark: str = MARK) -> Redacted:
    made, at, numbers = list[str](), 0, dict[int, None]()
    for start, end in _merged(spans):
        first, breaks = text.count("\n", 0, start) + 1, text.count("\n", start, end)
        made += [text[at:start], mark, "\n" * breaks]
        numbers |= dict.fromkeys(range(first, first + breaks + 1))
        at = end
    return Redacted("".join((*made, text[at:])), tuple(numbers))
