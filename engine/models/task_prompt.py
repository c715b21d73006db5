"""Reads what a model is told to do: a file for each task in `prompts/`, with its version in the first line."""

import re
from functools import cache

import msgspec

from engine.text.pattern_file import fault, source

_FIRST_LINE = re.compile(r"<!-- version: (\d+) -->\n")


class TaskPrompt(msgspec.Struct, frozen=True):
    """The text of a task for a model. `version` goes up with each change of it: plans and their digests name it."""

    text: str
    version: int


@cache
def task_prompt(name: str) -> TaskPrompt:
    """Reads one file; each paragraph of it becomes a line. `Damaged` where its first line gives no version."""
    written = source(f"{__package__}.prompts", f"{name}.md").decode("utf-8")
    head = _FIRST_LINE.match(written)
    if head is None:
        raise fault(f"engine/models/prompts/{name}.md", "", "its first line must be <!-- version: NUMBER -->")
    paragraphs = written[head.end() :].strip().split("\n\n")
    return TaskPrompt("\n".join(" ".join(paragraph.split()) for paragraph in paragraphs), int(head[1]))
