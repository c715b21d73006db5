"""Finds poison in text by patterns, in linear time; never runs or follows it (README, "Poison in sight")."""

import re
from collections.abc import Collection, Iterator
from functools import cache, lru_cache
from hashlib import sha256
from typing import Any

import msgspec
from msgspec.structs import replace

from engine.text.pattern_file import PatternFile, made_of, re2_options, source
from engine.text.poison.findings import PoisonFinding, located
from engine.text.poison.folded_text import FoldedText, fold
from engine.text.poison.hidden_text import hidden_prose, hidden_runs, look_alikes
from engine.text.poison.rules.table import RULES
from engine.text.poison.steering.score import steering, weightiest

_MEMORY = 64 << 20  # bytes; with less, RE2 keeps throwing its automaton away on hostile text
_BEFORE, _AFTER, _STEP = 800, 1200, 500
"""Bytes around an anchor that are searched, and least distance to the next: no byte is searched over five times."""


class Match(msgspec.Struct, frozen=True, order=True):
    """Bytes `start` to `end` that a pattern of rule number `rule` matched."""

    start: int
    end: int
    rule: int


class _Automaton(msgspec.Struct, frozen=True):
    """`places` finds all anchors; `users`: each one's patterns; `free`: patterns without one; `gate` finds those."""

    places: Any
    users: dict[bytes, tuple[int, ...]]
    gate: Any
    free: tuple[int, ...]


def matches(data: bytes) -> Iterator[Match]:
    """Yields all matches in `data`; matches of one rule may overlap."""
    automaton = _automaton()
    if automaton.gate.search(data):
        for number in automaton.free:
            yield from _tried(number, data, 0, len(data))
    tried: dict[int, int] = {}
    for number, start, end in _windows(automaton, data.lower()):
        if tried.get(number) != start:
            tried[number] = start
            yield from _tried(number, data, start, end)


def _windows(automaton: _Automaton, lowered: bytes) -> Iterator[tuple[int, int, int]]:
    """Yields a pattern and the range to search: from the line above an anchor to the line below."""
    at = bottom = 0
    start = end = -1
    while found := automaton.places.search(lowered, at):
        first, last = found.span()
        if first >= bottom:
            start, bottom, end = _piece(lowered, first, last)
        for number in automaton.users[lowered[first:last]]:
            yield number, start, end
        at = first + 1


def _piece(data: bytes, first: int, last: int) -> tuple[int, int, int]:
    """Returns the start of the line above, the end of the line, and the end of the line below, within limits."""
    line = data.rfind(b"\n", max(0, first - _BEFORE), first)
    start = data.rfind(b"\n", max(0, first - _BEFORE), line) + 1 if line > 0 else 0
    start = max(start, first - _BEFORE, 0)
    bottom = data.find(b"\n", last, first + _STEP)
    if bottom < 0:
        return start, max(last, first + _STEP), min(len(data), first + _AFTER)
    below = data.find(b"\n", bottom + 1, first + _AFTER)
    return start, bottom, below if below >= 0 else min(len(data), first + _AFTER)


def _tried(number: int, data: bytes, start: int, end: int) -> Iterator[Match]:
    rule, pattern = _pattern(number)
    for match in pattern.finditer(data[start:end]):
        yield Match(match.start() + start, match.end() + start, rule)


@lru_cache(maxsize=1)
def sources() -> tuple[tuple[int, str], ...]:
    """Returns every pattern in RE2 syntax with its rule's number."""
    return tuple((number, pattern) for number, rule in enumerate(RULES) for pattern in rule.expanded())


class Places(msgspec.Struct, frozen=True):
    """The patterns that need each anchor, and those without one. `sources`: digest of the patterns it was made for."""

    sources: str
    users: dict[str, tuple[int, ...]]
    free: tuple[int, ...]


def sources_digest() -> str:
    """Returns the digest of all patterns."""
    return sha256("\0".join(source for _, source in sources()).encode()).hexdigest()


@lru_cache(maxsize=1)
def _automaton() -> _Automaton:
    """Returns the automaton of all anchors, made by `tests.benchmarks.write_anchors` (anchors.json). If a table changed
    since, every pattern searches the whole text, with the same result, more slowly."""
    import re2

    known = msgspec.json.decode(source(__package__, "rules/anchors.json"), type=Places)
    if known.sources != sources_digest():
        return _Automaton(re2.compile(b"$^"), {}, re2.compile(b""), tuple(range(len(sources()))))
    # Sorted, so that RE2 joins equal beginnings: without that its automaton does not fit into memory.
    places = re2.compile("|".join(map(re.escape, sorted(known.users))).encode(), re2_options(_MEMORY))
    gate = re2.compile(
        "|".join(sources()[number][1] for number in known.free).encode(), re2_options(_MEMORY, fold=True)
    )
    return _Automaton(places, {word.encode(): numbers for word, numbers in known.users.items()}, gate, known.free)


@cache
def _pattern(number: int) -> tuple[int, Any]:
    import re2

    rule, source = sources()[number]
    options, where = re2_options(_MEMORY, fold=True), "engine/text/poison/rules"
    return rule, made_of(lambda text: re2.compile(text.encode(), options), source, where, RULES[rule].name, re2.error)


MARKS = frozenset({"forged-provenance", "managed-marker"})
"""Rules about marks that memdeck itself writes into nodes; ignore them when checking memdeck's own text."""


_BLOCK, _AROUND = 1 << 18, 4096
"""Characters checked at once, and characters around them that are read too; no rule reaches farther."""
_LOOK_BACK = 240  # bytes before a match that may belong to its sentence
_LOOK_ON = 120  # bytes after it
_SENTENCE_END = re.compile(r"[.!?]\s|[\n。！？]")
_BLANK = re.compile(rb"[\s>-]*(?=\S)")  # a pattern may reach back over the end of the line before
_LONE_MARK = re.compile(r"\s*<!--\s?(?:from|source)\s?:?\s(?:memory|knowledge)/(?:[^\n>o]|o(?!perator)){0,400}-->\s*")
_OPEN, _CLOSED = ('"', "'", "`", "「", "『"), re.compile(r"\s?[\"'`」』]")
_WORDS = PatternFile(__package__, "reporting_words.toml", "reported attribution")


def find_poison(text: str, *, encoded: bool = True) -> tuple[PoisonFinding, ...]:
    """Returns all poison in `text` by line, each rule once a line; asks the encoder only if `encoded`."""
    return tuple(finding for block in text_blocks(text) for finding in _in_block(text, block, encoded))


class TextBlock(msgspec.Struct, frozen=True):
    """Characters `start` to `end` of a text, whole lines, the first with the number `line`."""

    start: int
    end: int
    line: int


def text_blocks(text: str) -> Iterator[TextBlock]:
    """Yields a long text in parts for checking: 13 MB at once take 250 MB."""
    start, line = 0, 1
    while len(text) - start > _BLOCK and (end := text.find("\n", start + _BLOCK) + 1):
        yield TextBlock(start, end, line)
        line += text.count("\n", start, end)
        start = end
    yield TextBlock(start, len(text), line)


def _in_block(text: str, block: TextBlock, encoded: bool) -> Iterator[PoisonFinding]:
    """Yields the poison that begins in a block, checked with the text around it."""
    first = max(0, block.start - _AROUND)
    seen = text[first : block.end + _AROUND]
    line = block.line - text.count("\n", first, block.start) - 1
    folded = fold(seen)
    found = _exact(seen, folded)
    for finding in sorted((*found, *_steering(seen, folded, {finding.line for finding in found}, encoded))):
        # Seen twice around the seam, told once.
        if block.start <= first + finding.start < block.end:
            yield replace(finding, line=line + finding.line, start=first + finding.start, end=first + finding.end)


def find_exact(text: str) -> tuple[PoisonFinding, ...]:
    """Returns the poison that exact patterns find, without the classifier."""
    return _exact(text, fold(text))


def _exact(text: str, folded: FoldedText) -> tuple[PoisonFinding, ...]:
    spans = list(_matches(folded))
    spans += [("encoded", start, end) for start, end, _ in hidden_prose(text)]
    if not text.isascii():
        spans += [("hidden", *span) for span in hidden_runs(text)]
        spans += [("look-alike", *span) for span in look_alikes(text)]
    return located(text, spans)


def _steering(text: str, folded: FoldedText, told: Collection[int], encoded: bool) -> Iterator[PoisonFinding]:
    """Yields lines that the classifier flags, except those that an exact rule flagged."""
    spans, words = [], {}
    for piece in steering(text, folded, encoded=encoded):
        if _WORDS["attribution"].fullmatch(folded.text, piece.start, piece.end):
            continue
        start = folded.original(piece.start)
        spans.append((piece.rule, start, folded.original(piece.end - 1) + 1))
        words[start] = weightiest(folded.text[piece.start : piece.end])
    for found in located(text, spans):
        if found.line not in told:
            yield replace(found, words=words[found.start])


def _matches(folded: FoldedText) -> Iterator[tuple[str, int, int]]:
    """Yields rule, start and end, in the original, of each match."""
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
    """Tells whether the sentence says, up to the match's end, that it is no order."""
    unless = RULES[match.rule].unless
    if _mentioned(match, data):
        return True
    if not unless:
        return False
    before = data[max(0, match.start - _LOOK_BACK) : match.start].decode("utf-8", "ignore")
    sentence = _SENTENCE_END.split(before)[-1] + data[match.start : match.end].decode("utf-8", "replace")
    return re.search(unless, sentence) is not None


def _mentioned(match: Match, data: bytes) -> bool:
    """Tells whether a match is or begins a quotation in a sentence that reports such words."""
    if RULES[match.rule].name != "instruction":
        return False
    before = data[max(0, match.start - _LOOK_BACK) : match.start].decode("utf-8", "ignore")
    after = data[match.end : match.end + _LOOK_ON].decode("utf-8", "ignore")
    # A quotation that goes on is more than a mention of the words.
    if not (before.rstrip(" ").endswith(_OPEN) and _CLOSED.match(after)):
        return False
    return _WORDS["reported"].search(_SENTENCE_END.split(before)[-1] + _SENTENCE_END.split(after)[0]) is not None
