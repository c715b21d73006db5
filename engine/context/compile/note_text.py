"""The text of a note as it comes into a prompt: without frontmatter and secrets, with the trust it deserves."""

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from engine.plans.flags import poisoned_lines
from engine.plans.plan import Flag
from engine.plans.trust import UNTRUSTED_MARK, Trust
from engine.text.document import Document
from engine.text.secrets.detector import redact


class NoteText(msgspec.Struct, frozen=True, gc=False):
    """The text, `first_line` of the file that it begins on, and its flags, which make it untrusted."""

    text: str
    first_line: int
    flags: tuple[Flag, ...]
    marked: bool = False
    """It says of itself that nobody vouches for it, as an imported memory does (decision G27)."""

    @property
    def trust(self) -> Trust:
        return Trust.UNTRUSTED if self.flags or self.marked else Trust.AGENT


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
