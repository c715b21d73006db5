"""WORKING.md: what the agent itself says is under way or over; its word wins over the logs (decision C25)."""

import re

import msgspec

from engine.text.derived import derived_line
from engine.tree.topic_headings import topic_name

OVER = frozenset({"done", "failed", "abandoned", "completed", "cancelled", "shipped", "closed", "merged"})

_TASK = re.compile(r"#{2,3} +(?:\[(?P<task>[^\]]+)\]|(?P<plain>\S.*?)) *\Z")
_FIELD = re.compile(r"[-*] +(?P<key>status|goal)\s*:\s*(?P<value>\S.*?)\s*\Z", re.IGNORECASE)


class Task(msgspec.Struct, frozen=True):
    """A task: its name, whether it is over, and its goal. `line` is where it stands."""

    name: str
    over: bool
    goal: str
    line: int


def read_tasks(text: str) -> tuple[Task, ...]:
    """The tasks that state a status."""
    found: list[Task] = []
    name, line, fields = "", 0, dict[str, str]()
    for number, raw in enumerate((*text.split("\n"), "## end of tasks"), 1):
        head = _TASK.match(raw.strip())
        if head:
            if name and "status" in fields:
                over = fields["status"].split()[0].strip(".,;").casefold() in OVER
                found.append(Task(name, over, derived_line(fields.get("goal", ""))[:160], line))
            name, line, fields = topic_name(head["task"] or head["plain"] or ""), number, {}
            continue
        field = _FIELD.match(raw.strip())
        if field:
            fields.setdefault(field["key"].casefold(), field["value"])
    return tuple(found)
