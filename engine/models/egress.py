"""The one door for text that leaves this machine: without secrets as a whole, then cut, and fenced as data. A text is
redacted before it is cut, since half a secret is not known as one; what still holds a secret does not leave."""

from engine.text.safe_text import visible
from engine.text.secrets.detector import MARK, find_secrets, redact


class Unsendable(Exception):
    """The text still holds a secret after all were taken out; `str` names the kind, never the secret."""


def outgoing(text: str, most: int | None = None, *, keep_lines: bool = False) -> str:
    """Gives the text without secrets and, behind that, its first `most` characters. `keep_lines` leaves every line on
    its line. `Unsendable` where a secret is still found."""
    clean = redact(text.encode("utf-8", "replace").decode(), keep_lines=keep_lines)
    return sealed(clean if most is None else _cut(clean, most))


def _cut(text: str, most: int) -> str:
    """The first `most` characters; of a mark in a secret's place all or nothing, since half of one counts as forged."""
    cut = text[:most]
    return cut[: cut.rfind(MARK[0])] if cut.rfind(MARK[0]) > cut.rfind("⟩") else cut


def sealed(text: str) -> str:
    """Gives the text as it is; `Unsendable` where it holds a secret."""
    if found := find_secrets(text):
        raise Unsendable(f"a text that was to leave holds a {found[0]}")
    return text


def fenced(name: str, text: str) -> str:
    """Puts a text between marks that it cannot write itself: for the reader it is data, whatever it asks for."""
    return f"<{name}>\n{visible(text).replace('<', '‹').replace('>', '›')}\n</{name}>"
