"""The text of a note as it comes into a prompt: without frontmatter and secrets, with the trust it deserves."""

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from engine.plans.flags import poisoned_lines
from engine.plans.trust import Trust
from engine.text.document import Document
from engine.text.secrets.detector import redact


class NoteText(msgspec.Struct, frozen=True, gc=False):
    """The text, `first_line` of the file that it begins on, and the trust: untrusted where a line looks like poison."""

    text: str
    first_line: int
    trust: Trust


@lru_cache(maxsize=512)
def note_text(data: bytes) -> NoteText:
    """The text of a file's bytes; raises `Unreadable` for what is no text."""
    document = Document.from_bytes(data)
    body = document.body.replace("\r\n", "\n")
    return NoteText(redact(body, keep_lines=True), document.frontmatter.body_line, trust_of(body))


def trusts_of(texts: Sequence[str]) -> list[Trust]:
    """The trust of each of several texts, looked through at once: that takes a fraction of one after the other."""
    gap = "\n\n"
    flagged = {flag.line for flag in poisoned_lines(gap.join(texts))}
    found, line = [], 1
    for text in texts:
        last = line + text.count("\n")
        found.append(Trust.UNTRUSTED if any(line <= one <= last for one in flagged) else Trust.AGENT)
        line = last + len(gap)
    return found


def trust_of(text: str) -> Trust:
    """The trust of a text that stands in the workspace, where the agent can write (promise F2)."""
    return Trust.UNTRUSTED if poisoned_lines(text) else Trust.AGENT
