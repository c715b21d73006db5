"""Fences around recalled text, which nothing inside can end or forge (decision D40).

A fence carries a nonce made from the hash of its text, its source and its trust: the text would have to hold its own
hash to close it. A look-alike is shown escaped all the same, and hidden characters are shown, so that neither a model
nor a person takes one for real.
"""

import re
import unicodedata

from engine.plans.trust import Trust
from engine.text.canonical_json import sha256_hex
from engine.text.safe_text import visible

NAME = "recalled"
NONCE_DIGITS = 12
"""Hexadecimal digits of a fence's nonce: 48 bits of its content's hash, so that content cannot close it (D40)."""
_OPENERS = re.compile("[<\uff1c\ufe64\u2039\u27e8\u3008\u2329\u276e\u02c2\u1438\u226a\u00ab]")
_SIGNS = re.compile("[^a-z/]")
_LETTERS = str.maketrans("аеіоԁӏс", "aeiodlc")
"""Cyrillic letters that look like the Latin ones of the name."""


def fenced(text: str, slot: str, source: str, trust: Trust) -> str:
    """The text between its fences; it begins with `<` and ends with a line end, so that tokens of parts add up."""
    inside = harmless(text).strip("\n")
    where = harmless(source).replace("\n", "␊").replace('"', "'").replace("<", "&lt;").replace(">", "&gt;")
    nonce = sha256_hex(f"{trust.value}\0{where}\0{inside}".encode("utf-8", "surrogatepass"))[:NONCE_DIGITS]
    return f'<{NAME} {nonce} {slot} "{where}" trust={trust.value}>\n{inside}\n</{NAME} {nonce}>\n'


def harmless(text: str) -> str:
    """The text with hidden characters shown but for tabs, and with what looks like a fence escaped."""
    text = text.replace("\r\n", "\n")
    shown = "\t".join(map(visible, text.split("\t"))) if not text.isprintable() else text
    if NAME[0] not in shown.casefold() and shown.isascii():
        return shown
    return "\n".join(_escaped(line) if _OPENERS.search(line) else line for line in shown.split("\n"))


def _escaped(line: str) -> str:
    """The line with every bracket escaped that the name follows, whatever stands between its letters."""
    return _OPENERS.sub(lambda found: "&lt;" if _looks_like_fence(line[found.end() :]) else found[0], line)


def _looks_like_fence(rest: str) -> bool:
    """Tells whether a text reads like the name once signs, blanks, width and look-alikes are taken away."""
    # A sign that is shown, such as ⟨U+200B⟩, has letters and digits of its own, which are no part of the name.
    plain = re.sub("⟨U\\+[0-9A-F]+⟩|[␀-␦]", "", rest[:400])
    folded = unicodedata.normalize("NFKD", plain).casefold().translate(_LETTERS)
    return _SIGNS.sub("", folded).lstrip("/").startswith(NAME)
