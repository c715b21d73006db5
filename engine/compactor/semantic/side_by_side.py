"""Shows a new entry beside the one that it may repeat: both texts whole, never merged (§Duplicate Detection, A14)."""

from collections.abc import Mapping
from typing import Any

import msgspec

from engine.compactor.semantic.entry import read_entries, titles
from engine.compactor.semantic.entry_edit import rows_of, whole
from engine.errors import MemdeckError
from engine.plans.diff import Read
from engine.plans.plan import Append, Create, Plan
from engine.text.document import decode, split_lines

MOST_LINES = 60  # lines of the other text that are shown: an entry has four, a section written by hand may be long


class SideBySide(msgspec.Struct, frozen=True, kw_only=True):
    """Two similar entries. `other_line`: from 1; 0 for one of the same plan. `note`: why the other may be missing."""

    change: int
    title: str
    text: str
    other_title: str
    other_path: str
    other_line: int
    other_text: str
    percent: int
    note: str = ""


def side_by_side(plan: Plan, read: Read, change: int | None = None) -> tuple[SideBySide, ...]:
    """Returns each pair of similar entries of a plan or of one change, with both texts."""
    texts = {c.n: c.content for c in plan.changes if isinstance(c, Create | Append)}
    known = rows_of(plan, "duplicates")
    return tuple(_pair(row, texts, plan, read) for row in known if change is None or row.get("change") == change)


def _pair(row: Mapping[str, Any], texts: Mapping[int, str], plan: Plan, read: Read) -> SideBySide:
    number, path = whole(row.get("change")), str(row.get("other_path") or "")
    title, line = str(row.get("other_title") or ""), whole(row.get("other_line"))
    text, note = _in_plan(plan, number, title) if line == 0 else _in_shard(read, path, title, line)
    return SideBySide(
        change=number,
        title=str(row.get("title") or ""),
        text=texts.get(number, "").strip("\r\n"),
        other_title=title,
        other_path=path,
        other_line=line,
        other_text=text,
        percent=whole(row.get("percent")),
        note=note,
    )


def _in_plan(plan: Plan, number: int, title: str) -> tuple[str, str]:
    for change in plan.changes:
        if isinstance(change, Create | Append) and change.n < number:
            entries, _ = read_entries(change.content)
            if any(entry.title == title for entry in entries):
                return change.content.strip("\r\n"), f"change {change.n} of this plan"
    return "", "the other entry is no longer in this plan"


def _in_shard(read: Read, path: str, title: str, line: int) -> tuple[str, str]:
    """Returns the text from a title to the next one; in a changed shard, from the nearest equal title."""
    try:
        text = decode(read(path))
    except MemdeckError as error:
        return "", f"cannot be shown: {error.message}"
    found = titles(path, text)
    start = min(
        (known_title.line for known_title in found if known_title.title == title),
        key=lambda at: (abs(at - line), at),
        default=0,
    )
    if not start:
        return "", "it is no longer there: the shard changed since"
    end = min((known_title.line for known_title in found if known_title.line > start), default=start + MOST_LINES)
    lines = split_lines(text)[start - 1 : min(end - 1, start - 1 + MOST_LINES)]
    shown = "\n".join(line.rstrip("\r") for line in lines).strip("\r\n")
    return shown, "" if start == line else f"it stands on line {start} by now"
