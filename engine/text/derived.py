"""Prepares text of a note for a derived file: one line, no secrets, nothing hidden (decisions G13, A16)."""

import re
from collections.abc import Sequence
from itertools import pairwise

import msgspec

from engine.text.safe_text import is_spelling, visible, visible_line
from engine.text.secrets.detector import find_secrets, redact, redacted

NONE = "(none)"  # stands below a heading of a derived file that has nothing to say there

_JOINERS = re.compile("[\u200c\u200d]")


def redacted_lines(lines: Sequence[str]) -> list[str]:
    """Masks secrets in lines, keeping their number; finds a secret across several lines too."""
    return redact("\n".join(lines), keep_lines=True).split("\n") if lines else []


def holds_secret(value: object) -> bool:
    """Tells whether any text in a value has a secret."""
    plain = msgspec.to_builtins(value)
    return bool(redacted(plain) != plain)


def derived_line(text: str) -> str:
    """Returns `text` as one line: white space collapsed, secrets masked, hidden characters visible."""
    clean = " ".join(redact(text).split())
    if clean.isascii():
        shown = visible_line(clean)
    else:
        # Those that are spelling stay (decision G31); elsewhere they only hide.
        kept = [match.start() for match in _JOINERS.finditer(clean) if is_spelling(clean, match.start())]
        ends = pairwise((-1, *kept, len(clean)))
        shown = "".join(visible_line(clean[start + 1 : end]) + clean[end : end + 1] for start, end in ends)
    # Joined to one line, or with its tokens, a text may read as a secret that it was not before.
    return shown if shown == text else redact(shown)


def derived_lines(texts: Sequence[str]) -> list[str]:
    """Returns `derived_line` of each text, all at once if none needs a change, which is ten times faster."""
    joined = "\n".join(texts)
    if not texts or not joined.isascii():
        return [derived_line(text) for text in texts]
    if find_secrets(joined):
        # A heading or the line before may say that a secret follows.
        together = redact(joined, keep_lines=True).split("\n") if joined.count("\n") + 1 == len(texts) else texts
        return [derived_line(text) for text in together]
    return visible("\n".join(" ".join(text.split()) for text in texts)).split("\n")
