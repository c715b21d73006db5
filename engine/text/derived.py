"""Text that goes from a note into a derived file: one line, no secrets, nothing hidden (decisions G13, A16)."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from engine.text.joiners import is_spelling
from engine.text.safe_text import visible, visible_line
from engine.text.secrets.detector import find_secrets, redact

NONE = "(none)"  # stands below a heading of a derived file that has nothing to say there

_JOINERS = re.compile("[\u200c\u200d]")


def redacted_lines(lines: Sequence[str]) -> list[str]:
    """The lines of a text without secrets, each in its place; one that takes several lines is seen whole."""
    return redact("\n".join(lines), keep_lines=True).split("\n") if lines else []


def holds_secret(value: object) -> bool:
    """Tells whether the texts in a value hold a secret, each by itself or the one behind the other."""
    return bool(find_secrets("\n".join(_texts(msgspec.to_builtins(value)))))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def derived_line(text: str) -> str:
    """`text` as one line: white space collapsed, secrets redacted, hidden characters as visible tokens."""
    redacted = " ".join(redact(text).split())
    if redacted.isascii():
        shown = visible_line(redacted)
    else:
        # Those that are spelling stay (decision G31); elsewhere they only hide.
        kept = [match.start() for match in _JOINERS.finditer(redacted) if is_spelling(redacted, match.start())]
        ends = pairwise((-1, *kept, len(redacted)))
        shown = "".join(visible_line(redacted[start + 1 : end]) + redacted[end : end + 1] for start, end in ends)
    # Joined to one line, or with its tokens, a text may read as a secret that it was not before.
    return shown if shown == text else redact(shown)


def derived_lines(texts: Sequence[str]) -> list[str]:
    """`derived_line` of each text; together where nothing in them is remarkable, which is ten times faster."""
    joined = "\n".join(texts)
    if not texts or not joined.isascii():
        return [derived_line(text) for text in texts]
    if find_secrets(joined):
        # A heading or the line before may say that a secret follows.
        together = redact(joined, keep_lines=True).split("\n") if joined.count("\n") + 1 == len(texts) else texts
        return [derived_line(text) for text in together]
    return visible("\n".join(" ".join(text.split()) for text in texts)).split("\n")
