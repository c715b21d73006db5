"""Cuts a topic's description and instructions into the passages that Tier 2 compares (decision D37)."""

import re

from engine.text.markdown import code_mask, heading_of
from engine.topics.topic import Topic

MOST = 200  # passages of one topic
LONGEST = 600  # characters of one passage

_MARKER = re.compile(r"^\s*(?:[-*+>]|\d{1,3}[.)]|\[[ xX]\])\s+")


def passages(topic: Topic) -> tuple[str, ...]:
    """Title, description, each line of the instructions, and the exemplars, once. Headings below the title, and lines
    that only lead in what follows (`… when:`), say what every topic says."""
    found = [topic.title, *topic.exemplars, *_lines(topic.description), *_lines(topic.instructions)]
    plain = (line.removeprefix("# ").strip()[:LONGEST] for line in found)
    return tuple(dict.fromkeys(line for line in plain if line))[:MOST]


def _lines(text: str) -> list[str]:
    lines = text.splitlines()
    prose = (line for line, inside in zip(lines, code_mask(lines), strict=True) if not inside)
    return [_MARKER.sub("", line).strip() for line in prose if not _leads_in(line)]


def _leads_in(line: str) -> bool:
    heading = heading_of(line)
    return (heading is not None and heading.level > 1) or line.rstrip().endswith(":")
