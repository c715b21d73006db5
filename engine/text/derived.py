"""Text that goes from a note into a derived file: one line, no secrets, nothing hidden (decisions G13, A16)."""

import re
from collections.abc import Sequence

from engine.text.safe_text import visible, visible_line
from engine.text.secrets.detector import find_secrets, redact

NONE = "(none)"
"""Stands below a heading of a derived file that has nothing to say there."""

# Between letters of Persian or Hindi, and within an emoji, the joiners are spelling; elsewhere they only hide.
_SPELLING = re.compile(r"((?<=[^\x00-\x7f])[\u200c\u200d](?=[^\x00-\x7f]))")


def derived_line(text: str) -> str:
    """`text` as one line: white space collapsed, secrets redacted, hidden characters as visible tokens."""
    redacted = " ".join(redact(text).split())
    if redacted.isascii():
        shown = visible_line(redacted)
    else:
        parts = _SPELLING.split(redacted)
        shown = "".join(part if part in ("\u200c", "\u200d") else visible_line(part) for part in parts)
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
