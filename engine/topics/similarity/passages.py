"""Cuts a topic's description and instructions into the passages that Tier 2 compares (decision D37)."""

import re

from engine.topics.topic import Topic

MOST = 200
"""Passages of one topic."""
LONGEST = 600
"""Characters of one passage."""

_MARKER = re.compile(r"^\s*(?:[-*+>]|\d{1,3}[.)]|\[[ xX]\])\s+")
_HEADING = re.compile(r"^#{2,6}\s")
_FENCE = re.compile(r"^\s{0,3}(?:```|~~~)")


def passages(topic: Topic) -> tuple[str, ...]:
    """Title, description, and each line of the instructions, once.

    Headings below the title, and lines that only lead in what follows (`… when:`), say what every topic says.
    """
    found = [topic.title, *_lines(topic.description), *_lines(topic.instructions)]
    plain = (line.removeprefix("# ").strip()[:LONGEST] for line in found)
    return tuple(dict.fromkeys(line for line in plain if line))[:MOST]


def _lines(text: str) -> list[str]:
    found, inside = [], False
    for line in text.splitlines():
        if _FENCE.match(line):
            inside = not inside
        elif not inside and not _HEADING.match(line) and not line.rstrip().endswith(":"):
            found.append(_MARKER.sub("", line).strip())
    return found
