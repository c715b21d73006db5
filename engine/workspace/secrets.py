"""Secrets in text: found by shape in linear time, never returned, never logged."""

import math
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

import msgspec

from engine.workspace.secret_rules import RULES, Doubt

_MEMORY = 64 << 20  # bytes; with less, RE2 keeps throwing its automaton away on hostile text
_JUDGED = 400  # bytes of a value that are looked at to tell a secret from prose; patterns stay quick on that much
_PLACEHOLDER = re.compile(
    r"[<⟨]|\$([{(]|(?-i:[A-Z_][A-Z0-9_]*|[a-z_]+)\W*\Z)|%[a-z_]+%?\W*\Z|\{\{?\s*[a-z_.]+|.{0,4}(\*{3}|x{4}|\.{3}|…)"
    r"|.*(your|example|placeholder|redacted|change.?me|dummy|env[.\[(])"
    r"|(password|passwd|pass|pwd|secret|token|none|null|true|false|undefined|string|str|optional|required)\W*\Z",
    re.IGNORECASE | re.DOTALL,
)
# What prose puts after a colon: dates, versions, numbers, paths, addresses, calls, file names, words however joined.
_ORDINARY = re.compile(
    r"\d{4}-\d\d(-\d\d)?([T ].*)?|v?\d+(\.\d+)+(-\w+)?|[\d.,:%€$£+/-]{1,5}|\d+[-+]?[a-z]+\W*|\d[\d.,:%€$£+/-]*\D?"
    r"|[~.]{0,2}(/[a-z0-9_.-]*|/[A-Z][a-z_.-]+)+|https?://.*|[\w.+-]+@[\w-]+\.[a-z]{2,6}\W*|\w+(\.\w+)*\(.*"
    r"|\W*[^\W\d_]*([-_./:,;!?'’&+*)\]]+[^\W\d_]+)*\W*|\w[\w./-]*\.(md|py|js|ts|json|ya?ml|toml|txt|sh|html?)\W*",
    re.DOTALL,
)
_DIGITS = re.compile(r"\d{6,}\W?")
_CONSONANTS = re.compile(r"[bcdfghjklmnpqrstvwxz]{5}", re.IGNORECASE)


class SecretFound(msgspec.Struct, frozen=True, order=True):
    """Where a secret stands: characters `start` to `end` of the text, from line `line` (from 1). Never what it is."""

    start: int
    end: int
    rule: str
    line: int

    def __str__(self) -> str:
        return f"secret ({self.rule}) on line {self.line}"


def find_secrets(text: str) -> tuple[SecretFound, ...]:
    """All secrets in `text`, in order, without overlap."""
    data = text.encode("utf-8", "surrogatepass")
    fired = _compiled()[0].Match(data)
    if not fired:
        return ()
    spans = sorted((span, rule) for rule in fired for span in _spans(rule, data))
    return tuple(_located(_merged(spans), data)) if spans else ()


def redact(text: str) -> str:
    """`text` with each secret replaced by `⟨secret: rule⟩`."""
    parts, at = [], 0
    for found in find_secrets(text):
        parts += [text[at : found.start], f"⟨secret: {found.rule}⟩"]
        at = found.end
    return "".join((*parts, text[at:])) if parts else text


@lru_cache(maxsize=1)
def _compiled() -> tuple[Any, tuple[Any, ...]]:
    """The set that says which rules fire at all, and each rule by itself, in the order of `RULES`."""
    import re2

    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    rules = re2.Set.SearchSet(options)
    for rule in RULES:
        rules.Add(_relaxed(rule.pattern).encode())
    rules.Compile()
    return rules, tuple(re2.compile(rule.pattern.encode(), options) for rule in RULES)


def _relaxed(pattern: str) -> str:
    """The pattern with its counts loosened: it matches all that the pattern does, in far fewer states of the automaton.

    On random text, such as an image in base64, this makes the set tens of times faster.
    """
    return re.sub(r"\{(\d+)(?:,\d*)?\}", lambda count: f"{{{min(int(count[1]), 3)},}}", pattern)


def _spans(rule: int, data: bytes) -> Iterator[tuple[int, int]]:
    """Byte offsets of what one rule finds and its doubt lets through."""
    doubt = RULES[rule].doubt
    for match in _compiled()[1][rule].finditer(data):
        groups = match.groups()
        group = next((number for number, value in enumerate(groups, 1) if value), 0)
        start, end = match.span(group)
        value = data[start : min(end, start + _JUDGED)].decode("utf-8", "replace")
        if doubt is Doubt.NONE or _convincing(value, doubt, group < len(groups)):
            yield start, end


def _convincing(value: str, doubt: Doubt, quoted: bool) -> bool:
    """Whether what a loose rule found is a secret, and neither a placeholder nor ordinary text."""
    if _PLACEHOLDER.match(value):
        return False
    if doubt is Doubt.FILLED_IN:
        return True
    mixed = not _ORDINARY.fullmatch(value) or _scrambled(value)
    if doubt is Doubt.TOKEN:
        return mixed and len(value) >= 12 and _entropy(value) >= 3 and not any(map(str.isspace, value))
    if " " in value:
        return quoted and 4 <= len(value.split()) <= 10 and value.islower()
    return mixed or quoted or _DIGITS.fullmatch(value) is not None


def _scrambled(value: str) -> bool:
    """Letters as no word has them: cases that change all the time, or five consonants in a row."""
    changes = sum(one.islower() != two.islower() for one, two in pairwise(value) if one.isalpha() and two.isalpha())
    return changes >= max(3, len(value) / 3) or _CONSONANTS.search(value) is not None


def _entropy(value: str) -> float:
    """Shannon entropy in bits per character."""
    shares = [value.count(char) / len(value) for char in set(value)]
    return -sum(share * math.log2(share) for share in shares)


def _merged(spans: list[tuple[tuple[int, int], int]]) -> Iterator[tuple[int, int, int]]:
    """Start, end and rule of each secret, those that overlap as one, named by the most particular rule."""
    (start, end), rule = spans[0]
    for (next_start, next_end), next_rule in spans[1:]:
        if next_start < end:
            end, rule = max(end, next_end), min(rule, next_rule)
        else:
            yield start, end, rule
            start, end, rule = next_start, next_end, next_rule
    yield start, end, rule


def _located(spans: Iterable[tuple[int, int, int]], data: bytes) -> Iterator[SecretFound]:
    """Byte offsets as characters and lines, counted on from one secret to the next."""
    at = chars = 0
    line = 1
    for start, end, rule in spans:
        before = data[at:start]
        chars += _length(before)
        line += before.count(b"\n")
        length = _length(data[start:end])
        yield SecretFound(chars, chars + length, RULES[rule].name, line)
        chars += length
        line += data.count(b"\n", start, end)
        at = end


def _length(data: bytes) -> int:
    return len(data.decode("utf-8", "surrogatepass"))
