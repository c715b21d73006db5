"""Poison in text: found by shape in linear time, never run, never followed (README, "Poison in sight")."""

import re
from collections.abc import Collection, Iterator

import msgspec
from msgspec.structs import replace

from engine.text.pattern_file import PatternFile
from engine.text.poison.findings import PoisonFinding, located
from engine.text.poison.folded_text import FoldedText, fold
from engine.text.poison.hidden_text import hidden_prose, hidden_runs, look_alikes
from engine.text.poison.matching import Match, matches
from engine.text.poison.rules.table import RULES
from engine.text.poison.steering.score import steering, weightiest

MARKS = frozenset({"forged-provenance", "managed-marker"})
"""Rules for marks that memdeck itself writes into its nodes: leave them out when judging what memdeck wrote."""


_BLOCK, _AROUND = 1 << 18, 4096
"""Characters judged at once, and those around them that are seen as well: no rule reaches so far."""
_LOOK_BACK = 240  # bytes before a match that may belong to its sentence
_LOOK_ON = 120  # bytes after it
_SENTENCE_END = re.compile(r"[.!?]\s|[\n。！？]")
_BLANK = re.compile(rb"[\s>-]*(?=\S)")  # a pattern may reach back over the end of the line before
_LONE_MARK = re.compile(r"\s*<!--\s?(?:from|source)\s?:?\s(?:memory|knowledge)/(?:[^\n>o]|o(?!perator)){0,400}-->\s*")
_OPEN, _CLOSED = ('"', "'", "`", "「", "『"), re.compile(r"\s?[\"'`」』]")
_WORDS = PatternFile(__package__, "reporting_words.toml", "reported")


def find_poison(text: str) -> tuple[PoisonFinding, ...]:
    """All poison in `text`, in order of lines, each rule at most once a line."""
    return tuple(one for block in text_blocks(text) for one in _in_block(text, block))


class TextBlock(msgspec.Struct, frozen=True):
    """Characters `start` to `end` of a text, whole lines, of which the first has the number `line`."""

    start: int
    end: int
    line: int


def text_blocks(text: str) -> Iterator[TextBlock]:
    """A long text in parts that are judged one after the other: 13 MB at once take 250 MB."""
    start, line = 0, 1
    while len(text) - start > _BLOCK and (end := text.find("\n", start + _BLOCK) + 1):
        yield TextBlock(start, end, line)
        line += text.count("\n", start, end)
        start = end
    yield TextBlock(start, len(text), line)


def _in_block(text: str, block: TextBlock) -> Iterator[PoisonFinding]:
    """The poison that begins in a block, with its place in the whole text; it is judged with what stands around."""
    first = max(0, block.start - _AROUND)
    seen = text[first : block.end + _AROUND]
    line = block.line - text.count("\n", first, block.start) - 1
    folded = fold(seen)
    found = _exact(seen, folded)
    for one in sorted((*found, *_steering(seen, folded, {one.line for one in found}))):
        # Seen twice around the seam, told once.
        if block.start <= first + one.start < block.end:
            yield replace(one, line=line + one.line, start=first + one.start, end=first + one.end)


def find_exact(text: str) -> tuple[PoisonFinding, ...]:
    """The poison that a shape betrays; what only the words of a line betray is left out."""
    return _exact(text, fold(text))


def _exact(text: str, folded: FoldedText) -> tuple[PoisonFinding, ...]:
    spans = list(_matches(folded))
    spans += [("encoded", start, end) for start, end, _ in hidden_prose(text)]
    if not text.isascii():
        spans += [("hidden", *span) for span in hidden_runs(text)]
        spans += [("look-alike", *span) for span in look_alikes(text)]
    return located(text, spans)


def _steering(text: str, folded: FoldedText, told: Collection[int]) -> Iterator[PoisonFinding]:
    """Lines that would steer by what they speak of, but for those of which an exact rule has told."""
    spans, words = [], {}
    for one in steering(text, folded):
        start = folded.original(one.start)
        spans.append((one.rule, start, folded.original(one.end - 1) + 1))
        words[start] = weightiest(folded.text[one.start : one.end])
    for found in located(text, spans):
        if found.line not in told:
            yield replace(found, words=words[found.start])


def _matches(folded: FoldedText) -> Iterator[tuple[str, int, int]]:
    """PoisonRule, start and end in the original of each match of a pattern."""
    data = folded.text.encode("utf-8", "surrogatepass")
    at = chars = 0
    vouches = not _LONE_MARK.fullmatch(folded.text)  # a mark of origin with no text beside it vouches for nothing
    for match in sorted(set(matches(data))):
        if _excused(match, data) or not (vouches or RULES[match.rule].name not in MARKS):
            continue
        blank = _BLANK.match(data, match.start, match.end)
        start = blank.end() if blank else match.start
        chars += _length(data[at:start])
        at = start
        end = chars + _length(data[at : match.end])
        yield RULES[match.rule].name, folded.original(chars), folded.original(end - 1) + 1


def _length(data: bytes) -> int:
    return len(data.decode("utf-8", "surrogatepass"))


def _excused(match: Match, data: bytes) -> bool:
    """True if the sentence of a match says, up to the end of the match, that it is no order."""
    unless = RULES[match.rule].unless
    if _mentioned(match, data):
        return True
    if not unless:
        return False
    before = data[max(0, match.start - _LOOK_BACK) : match.start].decode("utf-8", "ignore")
    sentence = _SENTENCE_END.split(before)[-1] + data[match.start : match.end].decode("utf-8", "replace")
    return re.search(unless, sentence) is not None


def _mentioned(match: Match, data: bytes) -> bool:
    """True if a match is the whole of a quotation, or its start, in a sentence that reports such words."""
    if RULES[match.rule].name != "instruction":
        return False
    before = data[max(0, match.start - _LOOK_BACK) : match.start].decode("utf-8", "ignore")
    after = data[match.end : match.end + _LOOK_ON].decode("utf-8", "ignore")
    # A quotation that goes on is more than a mention of the words.
    if not (before.rstrip(" ").endswith(_OPEN) and _CLOSED.match(after)):
        return False
    return _WORDS["reported"].search(_SENTENCE_END.split(before)[-1] + _SENTENCE_END.split(after)[0]) is not None
