"""Checks all text that leaves this machine: masks secrets, then cuts, then fences it as data. Masking comes first,
since half a secret is not recognised; text that still has a secret never leaves."""

from engine.text.safe_text import visible
from engine.text.secrets.detector import MARK, find_secrets, redact


class Unsendable(Exception):
    """The text still has a secret after masking; the message names its kind."""


def outgoing(text: str, most: int | None = None, *, keep_lines: bool = False) -> str:
    """Masks secrets, then cuts to `most` characters; `keep_lines`: of equal number. `Unsendable` for a secret left."""
    clean = redact(text.encode("utf-8", "replace").decode(), keep_lines=keep_lines)
    return sealed(clean if most is None else _cut(clean, most))


def _cut(text: str, most: int) -> str:
    """Returns the first `most` characters without cutting through a secret's mark, which would look forged."""
    cut = text[:most]
    return cut[: cut.rfind(MARK[0])] if cut.rfind(MARK[0]) > cut.rfind("⟩") else cut


def sealed(text: str) -> str:
    """Returns the text; raises `Unsendable` if it has a secret."""
    if found := find_secrets(text):
        raise Unsendable(f"a text that was to leave holds a {found[0]}")
    return text


def fenced(name: str, text: str) -> str:
    """Puts a text between marks that it cannot contain, so that the reader takes it for data."""
    return f"<{name}>\n{visible(text).replace('<', '‹').replace('>', '›')}\n</{name}>"
