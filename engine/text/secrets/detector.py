"""Finds and masks secrets in linear time; never returns or logs them. All text that leaves goes through `redact`, which
repeats until `find_secrets` finds nothing. Its marker counts neither as a secret nor as a placeholder if it names a
rule; another marker is treated as an attempt to hide its content."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from engine.text.secrets.announced import announced
from engine.text.secrets.candidates import FirstLook, alone, candidates, first_look
from engine.text.secrets.disguise import plain, unwrapped
from engine.text.secrets.doubts import is_convincing
from engine.text.secrets.rules import Doubt, SecretRule, rules
from engine.text.secrets.values import Oddity, oddity_of
from engine.text.secrets.wallets import seed_phrase

_JUDGED = 400  # bytes of a value that are looked at to tell a secret from prose; patterns stay quick on that much
_JUDGED_WHOLE = 100_000  # bytes of a table, a header or a wrapped text
_SHORTEST_PIECE = 4  # bytes of a part between NUL bytes that may be a secret
_SHORT = 12  # bytes of a key from which an end of one sign again and again is a placeholder: `sk-ant-xxxxxxxxxxxx`
_ROUNDS = 8  # times that a text is looked at again: it may be made to yield one secret after the other
MARK = "⟨secret: "  # the beginning of a mark in a secret's place
_LINE_BREAK = re.compile(r"\\?[ \t]*\r?\n[ \t>|#*]*")
_WHOLE = frozenset({Doubt.COLUMN, Doubt.COOKIE, Doubt.SPLIT, Doubt.ENCODED, Doubt.SEED, Doubt.LOGIN, Doubt.BASE58})

Span = tuple[int, int, int]  # start, end and the number of the rule


class SecretFound(msgspec.Struct, frozen=True, order=True):
    """The place of a secret: characters `start` to `end`, from line `line` (from 1); never the secret."""

    start: int
    end: int
    rule: str
    line: int

    def __str__(self) -> str:
        return f"secret ({self.rule}) on line {self.line}"


def find_secrets(text: str) -> tuple[SecretFound, ...]:
    """Returns all secrets in `text`, in order, without overlap."""
    data = text.encode("utf-8", "surrogatepass")
    look = first_look(data)
    spans = _spans(text, data, look)
    for stretch in plain(text) if look.disguised else ():
        at = stretch.places
        # Back to the places of the text as it is: hidden characters between its letters are part of the secret.
        spans += [(at[start], at[end - 1] + 1, rule) for start, end, rule in _spans(stretch.text)]
    return tuple(_located(_merged(sorted(spans)), text)) if spans else ()


def redact(text: str, *, keep_lines: bool = False) -> str:
    """Replaces each secret by `⟨secret: rule⟩`, until none is found (F1). `keep_lines`: keeps the number of lines."""
    for _ in range(_ROUNDS):
        if not (found := find_secrets(text)):
            return text
        text = _replaced(text, found, keep_lines)
    return _by_lines(text)


def marker(rule: str) -> str:
    """Returns the marker that replaces a secret."""
    return f"{MARK}{rule}⟩"


def _replaced(text: str, found: Sequence[SecretFound], keep_lines: bool) -> str:
    parts, at = [], 0
    for secret in found:
        breaks = text.count("\n", secret.start, secret.end) if keep_lines else 0
        parts += [text[at : secret.start], marker(secret.rule), "\n" * breaks]
        at = secret.end
    return "".join((*parts, text[at:]))


def _by_lines(text: str) -> str:
    """Drops the lines that still have a secret, for text made to reveal one after another."""
    lines = text.split("\n")
    for _ in range(_ROUNDS):
        if not (found := find_secrets("\n".join(lines))):
            return "\n".join(lines)
        for secret in found:
            breaks = "\n".join(lines).count("\n", secret.start, secret.end)
            lines[secret.line - 1 : secret.line + breaks] = [marker(secret.rule)] * (breaks + 1)
    # After so many rounds the text is not to be trusted at all.
    return "\n".join(marker("credential") for _ in lines)


@lru_cache(maxsize=1)
def _markers() -> re.Pattern[str]:
    names = sorted({rule.name for rule in rules().all})
    return re.compile(f"{MARK}(?:{'|'.join(names)})⟩")


def _spans(text: str, data: bytes | None = None, look: FirstLook | None = None, *, nested: bool = True) -> list[Span]:
    """Finds where rules match, in characters. `data`: the text in UTF-8; `look`: its first look, if known."""
    if MARK in text:
        # A mark of ours becomes as many NUL: no value begins in it, and nothing in it counts.
        text, data = _markers().sub(lambda found: "\0" * len(found[0]), text), None
        look = None
    data = text.encode("utf-8", "surrogatepass") if data is None else data
    look = look or first_look(data)
    found = [
        span for number, start, end in candidates(data, look) for span in _spans_of(number, data, start, end, nested)
    ]
    return _as_characters(sorted(found), data, text)


def _spans_of(number: int, data: bytes, begin: int, stop: int, nested: bool) -> Iterator[Span]:
    """Yields the byte ranges that one rule finds and its doubt accepts."""
    rule = rules().all[number]
    # One level deep: a value that is wrapped again and again would cost time without end.
    if rule.doubt in (Doubt.SPLIT, Doubt.ENCODED) and not nested:
        return
    for match in alone(number).finditer(data, begin, stop):
        groups = match.groups()
        group = next((at for at, value in enumerate(groups, 1) if value), 0)
        quoted = group < len(groups)
        start, end = match.span(group)
        for first, last in _pieces(data, start, end):
            for one, other in _judged(rule, data, first, last, match.start(), quoted and (first, last) == (start, end)):
                yield one, other, number


def _pieces(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Splits a value at marks, so that text beside a mark is judged alone."""
    if b"\0" not in data[start:end]:
        yield start, end
        return
    at = start
    for piece in data[start:end].split(b"\0"):
        if len(piece) >= _SHORTEST_PIECE:
            yield at, at + len(piece)
        at += len(piece) + 1


def _judged(rule: SecretRule, data: bytes, start: int, end: int, begin: int, quoted: bool) -> Iterator[tuple[int, int]]:
    most = _JUDGED_WHOLE if rule.doubt in _WHOLE else _JUDGED
    value = data[start : min(end, start + most)].decode("utf-8", "replace")
    match rule.doubt:
        case Doubt.NONE:
            if len(value) < _SHORT or len(set(value[-_SHORT:])) > 2:
                yield start, end
        case Doubt.SEED:
            if place := seed_phrase(value):
                yield from ((start + len(value[: place[0]].encode()), start + len(value[: place[1]].encode())),)
        case Doubt.COLUMN:
            yield from _cells(data, start, end)
        case Doubt.SPLIT:
            if _is_split(data[begin:end].decode("utf-8", "replace")):
                yield begin, end
        case Doubt.NAME | Doubt.WORD:
            yield from announced(data, start, end, rule.name, inflected=rule.doubt is Doubt.WORD)
        case Doubt.ENCODED:
            if any(_spans(text, nested=False) for text in unwrapped(value)):
                yield start, end
        case doubt:
            if is_convincing(value, doubt, quoted=quoted):
                yield start, end


def _cells(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields the convincing cells of a table below headings that name secrets."""
    lines = data[start : min(end, start + _JUDGED_WHOLE)].split(b"\n")
    between = next(sign for sign in (b"|", b"\t", b";", b",") if sign in lines[0])
    wanted = [at for at, cell in enumerate(lines[0].split(between)) if alone("heading").search(cell)]
    # The heading of a table, and the line below it.
    above = 2 if between == b"|" else 1
    at = start + sum(len(line) + 1 for line in lines[:above])
    for line in lines[above:]:
        inside = at
        for column, cell in enumerate(line.split(between)):
            bare = cell.strip(b' \t`*\r"')
            if column in wanted and is_convincing(bare.decode("utf-8", "replace"), Doubt.CELL, quoted=False):
                begin = inside + cell.index(bare)
                yield begin, begin + len(bare)
            inside += len(cell) + 1
        at += len(line) + 1


def _is_split(value: str) -> bool:
    """Tells whether two lines hold one key: the first alone is none, or the rest is of the same kind."""
    first, rest = _LINE_BREAK.split(value, maxsplit=1)
    if not _spans(first + rest, nested=False):
        return False
    return not _spans(first, nested=False) or (oddity_of(rest) is Oddity.RANDOM)


def _merged(spans: Sequence[Span]) -> Iterator[Span]:
    """Merges overlapping secrets, named by the most specific rule."""
    start, end, rule = spans[0]
    for next_start, next_end, next_rule in spans[1:]:
        if next_start < end:
            end, rule = max(end, next_end), min(rule, next_rule)
        else:
            yield start, end, rule
            start, end, rule = next_start, next_end, next_rule
    yield start, end, rule


def _as_characters(spans: Sequence[Span], data: bytes, text: str) -> list[Span]:
    if len(data) == len(text):
        return list(spans)
    found: list[Span] = []
    at = chars = 0
    for start, end, rule in spans:
        chars += _length(data[at:start])
        at = start
        found.append((chars, chars + _length(data[start:end]), rule))
    return found


def _located(spans: Iterator[Span], text: str) -> Iterator[SecretFound]:
    at, line = 0, 1
    for start, end, rule in spans:
        line += text.count("\n", at, start)
        at = start
        yield SecretFound(start, end, rules().all[rule].name, line)


def _length(data: bytes) -> int:
    return len(data.decode("utf-8", "surrogatepass"))


def redacted(value: Any) -> Any:
    """Masks secrets in all strings of lists, tuples and mappings, keys included."""
    match value:
        case str():
            return redact(value, keep_lines=True)
        case dict():
            return {redacted(key): redacted(part) for key, part in value.items()}
        case list() | tuple():
            return type(value)(map(redacted, value))
        case _:
            return value
