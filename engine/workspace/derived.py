"""Text that goes from a note into a derived file: one line, no secrets, nothing hidden (decisions G13, A16)."""

import re
from collections.abc import Sequence

from engine.text.secrets.detector import find_secrets, redact
from engine.workspace.text_safety import visible, visible_line

# Between letters of Persian or Hindi, and within an emoji, the joiners are spelling; elsewhere they only hide.
_SPELLING = re.compile(r"((?<=[^\x00-\x7f])[\u200c\u200d](?=[^\x00-\x7f]))")


def derived_line(text: str) -> str:
    """`text` as one line: white space collapsed, secrets redacted, hidden characters as visible tokens."""
    redacted = " ".join(redact(text).split())
    if redacted.isascii():
        return visible_line(redacted)
    parts = _SPELLING.split(redacted)
    return "".join(part if part in ("\u200c", "\u200d") else visible_line(part) for part in parts)


def derived_lines(texts: Sequence[str]) -> list[str]:
    """`derived_line` of each text; together where nothing in them is remarkable, which is ten times faster."""
    joined = "\n".join(texts)
    if not texts or not joined.isascii() or find_secrets(joined):
        return [derived_line(text) for text in texts]
    return visible("\n".join(" ".join(text.split()) for text in texts)).split("\n")
