"""Selects the rules to try in a text, and where. One automaton over the whole text finds vendors' keys and disguised
letters. Rules that depend on words around a value run only near those words, which one cheap pattern finds; seed
phrases have a pattern of their own."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

import msgspec

from engine.text.pattern_file import made_of, re2_options
from engine.text.secrets.disguise import DISGUISED
from engine.text.secrets.rules import RULES_FILE, Doubt, rules
from engine.text.secrets.wallets import seed_phrase

_MEMORY = 256 << 20  # bytes; with less, RE2 keeps throwing its automaton away on hostile text
_BEFORE, _AFTER = 2, 3  # lines around a word that are looked at
_LONG = 50  # a count in a pattern from which it is loosened to 12 instead of 3
_REACH = 2_000  # bytes on each side of a word where lines are longer than that
_LEADING = re.compile(r"^(?:\[(?:[^\]\\]|\\.)+\](?:\{\d+(?:,\d*)?\}|[*+]))+(?=\(|[^?*+{\[])")

Candidate = tuple[int, int, int]  # the number of a rule, and from where to where (in bytes) it is looked for


class FirstLook(msgspec.Struct, frozen=True):
    """The result of one pass over a text: the rules to try, and whether letters are disguised."""

    rules: tuple[int, ...]  # the rules that may find something anywhere
    disguised: bool  # letters stand in it with hidden characters between them, or in wide forms


def first_look(data: bytes) -> FirstLook:
    """Reads the whole text once."""
    numbers, together = _everywhere()
    fired = together.Match(data) or ()
    return FirstLook(tuple(numbers[place] for place in fired if place < len(numbers)), len(numbers) in fired)


def candidates(data: bytes, look: FirstLook) -> Iterator[Candidate]:
    """Yields the rules that may match, each with the range to search."""
    for number in look.rules:
        yield number, 0, len(data)
    # The first pattern is for plain letters alone, the others for letters with marks, kana, hangul and hanzi.
    for number in _phrases()[:1] if data.isascii() else _phrases()[1:]:
        for match in alone(number).finditer(data):
            # Prose has twelve small words in a row once in 9 KB: to judge them here saves a second search of each.
            if seed_phrase(match[0].decode("utf-8", "surrogateescape")):
                yield number, *match.span()
    # These rules need an announcing word, and so are tried only around one.
    for part in ("words", "places"):
        for start, end in _windows(data, part):
            numbers, together = _near(part)  # made where such a word stands: it takes 40 ms of each process
            for fired in together.Match(data[start:end]) or ():
                yield numbers[fired], start, end


def _windows(data: bytes, part: str) -> Iterator[tuple[int, int]]:
    """Yields the lines around words that announce a secret, joining adjacent ranges."""
    begin = end = -1
    for match in alone(part).finditer(data):
        at, to = match.span()
        if to <= end - _REACH // 2 or (to <= end and data.count(b"\n", to, end) >= _AFTER):
            continue
        first, last = _line_before(data, at), _line_after(data, to)
        if first <= end:
            end = max(end, last)
            continue
        if end >= 0:
            yield begin, end
        begin, end = first, last
    if end >= 0:
        yield begin, end


def _line_before(data: bytes, at: int) -> int:
    first = at
    for _ in range(_BEFORE + 1):
        first = data.rfind(b"\n", max(0, at - _REACH), first)
        if first < 0:
            # The beginning of the text, or of the next word.
            return max(data.find(b" ", at - _REACH), at - _REACH) if at > _REACH else 0
    return max(first, 0)  # with the line break itself, which some patterns look at


def _line_after(data: bytes, at: int) -> int:
    last = at
    for _ in range(_AFTER + 1):
        last = data.find(b"\n", last + 1)
        if last < 0 or last - at > _REACH:
            break
    last = len(data) if last < 0 else last
    if last - at > _REACH:
        last = _after_value(data, at + _REACH)
    # The rows of a table belong to its heading.
    while data[last + 1 : last + 2] == b"|":
        following = data.find(b"\n", last + 1)
        last = following if following >= 0 else len(data)
    return last


def _after_value(data: bytes, at: int) -> int:
    found = _BLANK.search(data, at)
    return found.start() if found else len(data)


_BLANK = re.compile(rb"\s")


@lru_cache(maxsize=1)
def _everywhere() -> tuple[list[int], Any]:
    numbers = [
        at
        for at, rule in enumerate(rules().all)
        if not (rule.by_word or rule.by_place) and rule.doubt is not Doubt.SEED
    ]
    return numbers, _set(numbers, DISGUISED)


@cache
def _near(part: str) -> tuple[list[int], Any]:
    """Returns the rules to try near such words; one set with all rules would not fit into memory."""
    rule_near = {"words": "by_word", "places": "by_place"}[part]
    numbers = [at for at, rule in enumerate(rules().all) if getattr(rule, rule_near)]
    return numbers, _set(numbers)


@lru_cache(maxsize=1)
def _phrases() -> list[int]:
    return [at for at, rule in enumerate(rules().all) if rule.doubt is Doubt.SEED]


def _set(numbers: list[int], *more: str) -> Any:
    """Makes a set that tells which rules match at all, and which of some more patterns."""
    import re2

    together = re2.Set.SearchSet(re2_options(_MEMORY))
    for number in numbers:
        together.Add(_relaxed(rules().all[number].pattern).encode())
    for pattern in more:
        together.Add(pattern.encode())
    together.Compile()
    return together


@cache
def alone(rule: int | str) -> Any:
    """Compiles one rule by its number (few ever match), or a pattern beside the rules."""
    import re2

    own = None if isinstance(rule, str) else rules().all[rule]
    pattern, name = (getattr(rules(), str(rule)), str(rule)) if own is None else (own.pattern, own.name)
    options = re2_options(_MEMORY)
    return made_of(lambda text: re2.compile(text.encode(), options), pattern, RULES_FILE, name, re2.error)


def _relaxed(pattern: str) -> str:
    """Loosens a pattern's counts: it matches all that it did, with far fewer states, and so is many times faster."""
    loose = re.sub(r"\{(\d+)(?:,\d*)?\}", lambda count: f"{{{_count(int(count[1]))},}}", pattern)
    return _LEADING.sub("", loose)


def _count(least: int) -> int:
    """Shortens a count; long ones stay long enough to exclude words."""
    return min(least, 3) if least < _LONG else 12
