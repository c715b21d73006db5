"""The text of a note on its way into a prompt: without secrets, with its trust, between fences it cannot end."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from engine.plans.flags import poisoned_lines
from engine.plans.plan import Flag
from engine.plans.trust import UNTRUSTED_MARK, Trust
from engine.text.canonical_json import sha256_hex
from engine.text.document import Document
from engine.text.safe_text import visible
from engine.text.secrets.detector import redact

NAME = "recalled"
NONCE_DIGITS = 12
"""Hexadecimal digits of a fence's nonce: 48 bits of its content's hash, so that content cannot close it (D40)."""
_OPENERS = re.compile("[<\uff1c\ufe64\u2039\u27e8\u3008\u2329\u276e\u02c2\u1438\u226a\u00ab]")
_SIGNS = re.compile("[^a-z/]")
_LETTERS = str.maketrans("аеіоԁӏс", "aeiodlc")  # cyrillic letters that look like the Latin ones of the name


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


class NoteText(msgspec.Struct, frozen=True, gc=False):
    """The text, `first_line` of the file that it begins on, and its flags, which make it untrusted. `owned`: these very
    bytes are the operator's, who looked at them or approved them."""

    text: str
    first_line: int
    flags: tuple[Flag, ...]
    marked: bool = False  # it says of itself that nobody vouches for it, as an imported memory does (decision G27)
    owned: bool = False

    @property
    def trust(self) -> Trust:
        if self.flags or self.marked:
            return Trust.UNTRUSTED
        return Trust.OPERATOR if self.owned else Trust.AGENT


@lru_cache(maxsize=512)
def note_text(data: bytes, flags: tuple[Flag, ...] | None = None) -> NoteText:
    """The text of a file's bytes, with the flags known of it; raises `Unreadable` for what is no text."""
    document = Document.from_bytes(data)
    body = document.body.replace("\r\n", "\n")
    first = document.frontmatter.body_line
    if flags is None:
        flags = tuple(Flag(first - 1 + one.line, one.rule) for one in poisoned_lines(body))
    marked = UNTRUSTED_MARK.items() <= document.frontmatter.values.items()
    return NoteText(redact(body, keep_lines=True), first, flags, marked)


def flags_of(texts: Sequence[str]) -> list[tuple[Flag, ...]]:
    """The flags of each of several texts, looked through at once: that takes a fraction of one after the other."""
    gap = "\n\n"
    flags = poisoned_lines(gap.join(texts))
    found, line = [], 1
    for text in texts:
        last = line + text.count("\n")
        found.append(tuple(Flag(one.line - line + 1, one.rule) for one in flags if line <= one.line <= last))
        line = last + len(gap)
    return found


def trust_of(text: str) -> Trust:
    """The trust of a text that stands in the workspace, where the agent can write (promise F2)."""
    return Trust.UNTRUSTED if poisoned_lines(text) else Trust.AGENT
