"""The rules for knowledge files: identity, core memory, journals, projects, people (autopoiesis §2.2)."""

import re
from collections.abc import Iterator

from engine.lifecycle.lint.links import Fault, FileHead, body_lines, instant_of, text_faults
from engine.workspace.dates import parse_day
from engine.workspace.layout import MEMORY_MD_LINES, MEMORY_MD_PATHS

ROLES = ("soul", "user", "rules", "tools")  # of identity files (§2.2)
TYPES = (
    *("identity", "memory", "journal", "project_index", "project_context", "project_progress", "project_notes"),
    *("person", "people_index", "topic", "procedure", "reference"),
)
"""The types of §2.3, those of a project's three files, and the index of people (decision D35)."""
MEMORY_TYPES = frozenset({"user", "feedback", "project", "reference"})
"""The types of Claude Code's memories, which an import keeps; the first two are kept for ever (D7, D43)."""
MOST_LINES = dict(MEMORY_MD_LINES)["full"]  # agents load no more (decision D23)
_JOURNAL = re.compile(r"knowledge/journal/([^/]+)\.md")
_PROJECT = re.compile(r"knowledge/projects/([^/]+)/(context|progress|notes)\.md")
_DAY_TITLE = re.compile(r"#{1,2} (\d{4}-\d{2}-\d{2})\s*")
_BY_FOLDER = {
    "knowledge/identity/": "identity",
    "knowledge/journal/": "journal",
    "knowledge/people/": "person",
    "knowledge/procedures/": "procedure",
    "knowledge/reference/": "reference",
}


def expected_type(path: str) -> str:
    """Gives the type that a file's path implies; empty if there is none."""
    if path in MEMORY_MD_PATHS:
        return "memory"
    if path == "knowledge/projects/_active.md":
        return "project_index"
    if path == "knowledge/people/_index.md":
        return "people_index"
    if project := _PROJECT.fullmatch(path):
        return f"project_{project[2]}"
    if path.rpartition("/")[2].startswith("_"):
        return ""  # an index of a folder, which the specification does not name
    return next((kind for folder, kind in _BY_FOLDER.items() if path.startswith(folder)), "")


def knowledge_faults(head: FileHead, data: bytes) -> Iterator[Fault]:
    """Yields the faults of a knowledge file. Its head is optional: missing keys are no fault, wrong ones are."""
    yield from _type(head)
    yield from _common(head)
    yield from text_faults(head, ("relationship", "project", "role"))
    if head.path in MEMORY_MD_PATHS:
        yield from _memory(head, len(data.splitlines()))
    if journal := _JOURNAL.fullmatch(head.path):
        yield from _journal(head, journal[1])
    project = _PROJECT.fullmatch(head.path) if isinstance(head.values.get("project"), str) else None
    if project and head.text("project") != project[1]:
        what = f"the file lies in the folder of the project `{project[1]}`"
        yield head.fault("project", "project", what, project[1] if re.fullmatch(r"[a-z][\w-]*", project[1]) else "")
    if head.text("type") == "identity" and isinstance(head.values.get("role"), str) and head.text("role") not in ROLES:
        yield head.fault("role", "role", f"the role is none of {', '.join(ROLES)}")
    if head.text("type") == "person" and "name" in head.values and not head.text("name").strip():
        yield head.fault("name", "name", "a person's name is empty")


def _type(head: FileHead) -> Iterator[Fault]:
    if "type" not in head.values:
        return
    kind, expected = head.text("type"), expected_type(head.path)
    if kind in MEMORY_TYPES and expected in ("", "reference"):
        return
    if kind not in TYPES:
        yield head.fault("type", "type", f"there is no such type; one of: {', '.join(TYPES)}", expected)
    elif expected and kind != expected:
        yield head.fault("place", "type", f"by its place this is a file of type `{expected}`", expected)


def _common(head: FileHead) -> Iterator[Fault]:
    if "updated" in head.values and instant_of(head.text("updated")) is None:
        yield head.fault("updated", "updated", "`updated` is a time in ISO 8601")
    yield from _list(head, "tags", r"[A-Za-z][\w-]*(, *[A-Za-z][\w-]*)*", "tags", "words")


def _list(head: FileHead, key: str, simple: str, kind: str, items: str) -> Iterator[Fault]:
    """Yields a fault for a list written as one text (fixed if it is `simple`), or with other items than texts."""
    value = head.values.get(key)
    if isinstance(value, str) and value:
        yield head.fault(key, key, f"`{key}` is a list", f"[{value}]" if re.fullmatch(simple, value) else "")
    elif isinstance(value, dict) or (isinstance(value, list) and not all(isinstance(item, str) for item in value)):
        yield head.fault(kind, key, f"`{key}` is a list of {items}")


def _memory(head: FileHead, count: int) -> Iterator[Fault]:
    if count > MOST_LINES:
        what = f"{count:,} lines, and an agent loads the first {MOST_LINES}"
        yield Fault(kind="memory_lines", path=head.path, line=MOST_LINES + 1, what=what)
    if "line_count" in head.values and head.text("line_count") != str(count):
        yield head.fault("line_count", "line_count", f"the file has {count:,} lines", str(count))


def _journal(head: FileHead, name: str) -> Iterator[Fault]:
    if parse_day(name) is None:
        yield Fault(kind="journal_name", path=head.path, line=1, what="a journal is named by its day, YYYY-MM-DD.md")
    elif "date" in head.values and head.text("date") != name:
        yield head.fault("date", "date", f"the journal is that of {name}, by its name", name)
    yield from _list(head, "sessions", r"\w+(, *\w+)*", "list", "names")
    number, title = next(((at, line) for at, line in body_lines(head) if line.startswith("#")), (0, ""))
    day = _DAY_TITLE.fullmatch(title)
    if day and parse_day(name) is not None and day[1] != name:
        yield Fault(kind="day_title", path=head.path, line=number, what=f"the journal is that of {name}, by its name")
