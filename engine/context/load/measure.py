"""Measures a text in the units of caps, and cuts it without cutting a character in two."""

from engine.context.platforms.platform import CapUnit
from engine.text.tokens import TokenCounter

JS_SPACE = (
    "\t\n\x0b\x0c\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""The characters that JavaScript's `trim` takes off."""


def measure(text: str, unit: CapUnit, counter: TokenCounter) -> int:
    """The size of a text. A final line end adds no line."""
    match unit:
        case CapUnit.LINES:
            return text.count("\n") + (text != "" and not text.endswith("\n"))
        case CapUnit.CHARACTERS:
            return len(text)
        case CapUnit.UTF16:
            return utf16_length(text)
        case CapUnit.BYTES:
            return _bytes(text)
        case CapUnit.QUARTER_BYTES:
            return -(-_bytes(text) // 4)
        case CapUnit.TOKENS:
            return counter.count(text)


def utf16_length(text: str) -> int:
    """The length that JavaScript gives: characters beyond U+FFFF, most emoji among them, count twice."""
    return len(text) + sum(char > "\uffff" for char in text) if not text.isascii() else len(text)


def utf16_head(text: str, most: int) -> str:
    """The longest beginning of at most `most` units."""
    head = text[: max(0, most)]
    return head if head.isascii() else head[: _fitting(head, most)]


def utf16_tail(text: str, most: int) -> str:
    """The longest end of at most `most` units."""
    tail = text[len(text) - most :] if 0 < most < len(text) else text if most > 0 else ""
    return tail if tail.isascii() else tail[len(tail) - _fitting(tail[::-1], most) :]


def _fitting(text: str, most: int) -> int:
    """Counts the characters from the start that are of at most `most` units together."""
    used = 0
    for at, char in enumerate(text):
        used += 2 if char > "\uffff" else 1
        if used > most:
            return at
    return len(text)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
