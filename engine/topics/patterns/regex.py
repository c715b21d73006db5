"""Compiles RE2 patterns for topics: none can stall, and invalid ones are refused (decision D16)."""

from functools import lru_cache
from typing import Any

from engine.text.pattern_file import re2_options

LONGEST_PATTERN = 1_000  # characters of a pattern
PROGRAM_BYTES = 1 << 20  # memory for one pattern: what needs more is refused before it is put into the set of all
SET_BYTES = 64 << 20  # bytes that RE2 may use for the set of all patterns, beside those of each
BYTES_EACH = 16 << 10  # bytes that each pattern of the set adds
ALWAYS = r"\A"  # a pattern that matches every text


class BadPattern(ValueError):
    """RE2 refuses the pattern; the message quotes it."""


def check(pattern: str) -> None:
    """Raises `BadPattern` for a pattern that is empty, too long, too large, or invalid."""
    if not pattern:
        raise BadPattern("an empty pattern matches everything")
    if len(pattern) > LONGEST_PATTERN:
        raise BadPattern(f"the pattern {quoted(pattern)} is longer than {LONGEST_PATTERN:,} characters")
    try:
        compiled(pattern)
    except UnicodeEncodeError:
        raise BadPattern(f"the pattern {quoted(pattern)} holds a lone surrogate") from None
    except _error() as error:
        raise BadPattern(f"RE2 cannot take the pattern {quoted(pattern)}: {_reason(error, pattern)}") from None


def quoted(pattern: str) -> str:
    """Returns the pattern in backquotes, shortened."""
    return f"`{pattern[:80]}{'…' if len(pattern) > 80 else ''}`"


@lru_cache(maxsize=4096)
def compiled(pattern: str, *, fold: bool = True) -> Any:
    """Compiles one pattern; `fold`: ignoring case."""
    import re2

    return re2.compile(pattern, re2_options(PROGRAM_BYTES, fold=fold))


@lru_cache(maxsize=256)
def compiled_rarely(pattern: str) -> Any:
    """Compiles a pattern with the large class of word characters, in a smaller cache."""
    import re2

    return re2.compile(pattern, re2_options(SET_BYTES, fold=True))


def pattern_set(patterns: list[str], *, fold: bool = True) -> Any:
    """Compiles a set that tells which patterns match; raises `BadPattern` if RE2 lacks memory."""
    import re2

    found = re2.Set.SearchSet(re2_options(SET_BYTES + BYTES_EACH * len(patterns), fold=fold))
    try:
        for pattern in patterns:
            found.Add(pattern)
        found.Compile()
    except _error() as error:
        raise BadPattern(f"{len(patterns):,} patterns are too many for one set: {_reason(error)}") from None
    return found


def _error() -> type[Exception]:
    import re2

    found: type[Exception] = re2.error
    return found


def _reason(error: Exception, pattern: str = "") -> str:
    """Returns RE2's reason without the pattern that it repeats."""
    said = error.args[0] if error.args else ""
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    return text.removesuffix(f": {pattern}" if pattern else "") or "not a pattern"
