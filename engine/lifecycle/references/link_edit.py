"""Writes other targets into the links of a text: every other byte stays, and so do the words that a reader sees."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.text.note_links import TextLink


class LinkEdit(NamedTuple):
    """One link, the note that it shall mean, and the target that says so; empty where none can."""

    link: TextLink
    path: str
    target: str


def with_targets(text: str, edits: Sequence[LinkEdit]) -> str:
    """The text with the new targets, and with the old name as the label of a wikilink that had none."""
    pieces, at = list[str](), 0
    for link, _, target in edits:
        pieces += [text[at : link.start], target]
        at = link.end
        if link.wiki and link.label is None and not link.heading and not _in_table(text, link.start):
            pieces += [text[at : link.label_at], f"|{link.target}"]
            at = link.label_at
    return "".join((*pieces, text[at:]))


def _in_table(text: str, at: int) -> bool:
    """Tells whether a place stands in a row of a table, where a label would end its cell."""
    return text[text.rfind("\n", 0, at) + 1 : at].lstrip().startswith("|")
