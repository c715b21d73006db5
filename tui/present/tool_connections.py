"""Shows the tools of this machine as rows and as JSON: what they keep, and which are connected (D63)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from engine.plans.diff import FileDiff, line_diff, unified
from engine.text.secrets.detector import redact
from tui.present.spans import Line, ListRow, Role, Span
from tui.present.words import noun, safe

if TYPE_CHECKING:
    from engine.extras.connect.connection import SettingsChange
    from engine.extras.connect.discovery import FoundMemory, FoundTool
    from engine.extras.connect.tool_data import ToolPlaces

MOST_MEMORY = 3  # folders of memory that are shown of a tool, those with the most lines first
HEADING = "── "  # what a row begins with that is a heading
_ROLES: dict[str, Role] = {"+": "added", "-": "removed", "!": "accent", "@": "muted", "─": "strong"}


def found_json(tool: FoundTool) -> dict[str, Any]:
    """Returns a tool as JSON, with the keys that scripts rely on."""
    return {
        "tool": tool.name,
        "title": tool.title,
        "version": tool.version,
        "found": tool.found,
        "sessions": tool.sessions,
        "first": tool.first.isoformat() if tool.first else None,
        "last": tool.last.isoformat() if tool.last else None,
        "memory": [folder._asdict() for folder in tool.memory],
        "connected": bool(tool.connected),
        "workspaces": list(tool.connected),
    }


def found_rows(tools: Sequence[FoundTool]) -> list[str]:
    """Lists each installed tool with what it keeps, then names the tools that were not found."""
    rows = [line for tool in tools if tool.found for line in tool_lines(tool)]
    others = ", ".join(tool.title for tool in tools if not tool.found)
    return [*(rows or ["no tool was found"]), *([f"not found: {others}"] if others else [])]


def tool_lines(tool: FoundTool) -> Iterator[str]:
    """Describes a tool in a few lines: its sessions, its memory, and how to connect it."""
    yield f"{_named(tool)} · {_sessions(tool)}"
    yield from memory_lines(tool)
    if tool.workspace:
        yield f"  connected with {safe(tool.workspace)}"
    else:
        other = f" in this project, but with {safe(tool.connected[0])}" if tool.connected else ""
        yield f"  not connected{other} · memdeck connect {tool.name}"


def memory_lines(tool: FoundTool) -> Iterator[str]:
    """Lists the folders of a tool's memory, each with the lines that its tool does not load."""
    for memory in sorted(tool.memory, key=lambda folder: -folder.lines)[:MOST_MEMORY]:
        kept = f"{noun(memory.files, 'file')}, {noun(memory.lines, 'line')}{_off([memory])}"
        yield f"  memory {safe(memory.path)}: {kept}"
    if len(tool.memory) > MOST_MEMORY:
        yield f"  and {noun(len(tool.memory) - MOST_MEMORY, 'folder')} more"


def tool_row(tool: FoundTool) -> ListRow:
    """Describes a tool in one row: what it keeps, how many lines fall off, and whether it is connected."""
    if not tool.found:
        return ListRow((Span(f"  {tool.title}", "muted"),), (Span("not found", "muted"),))
    folders = f"  {noun(len(tool.memory), 'memory folder')}" if tool.memory else ""
    kept: Line = (Span(folders), Span(_off(tool.memory), "risk"))
    is_here = bool(tool.workspace)
    told = Span("connected" if is_here else "not connected", "ok" if is_here else "warn")
    sign = Span("● " if is_here else "○ ", told.role)
    return ListRow((sign, Span(_named(tool), "strong"), Span(f"  {_sessions(tool)}", "muted")), (told,), kept)


def tool_detail(tool: FoundTool) -> tuple[Line, ...]:
    """Shows where a tool lives or is connected, and its memory folders."""
    place = f"connected with {tool.workspace}" if tool.workspace else f"lives in {tool.home}"
    return ((Span(safe(place), "muted"),), *((Span(line.strip()),) for line in memory_lines(tool)))


def _named(tool: FoundTool) -> str:
    return f"{tool.title} {safe(tool.version)}" if tool.version else tool.title


def _sessions(tool: FoundTool) -> str:
    first, last = (f"{at:%Y-%m-%d}" if at else "?" for at in (tool.first, tool.last))
    return f"{noun(tool.sessions, 'session')}, {first} to {last}" if tool.sessions else "no sessions"


def _off(folders: Sequence[FoundMemory]) -> str:
    lines = sum(folder.falls_off for folder in folders)
    return f", {noun(lines, 'line falls', 'lines fall')} off" if lines else ""


def change_rows(changes: Sequence[SettingsChange]) -> Iterator[str]:
    """Shows the diff of each settings file with the reason for each new value; headings begin with `HEADING`."""
    for change in changes:
        if not change.changes:
            yield f"{change.path}: nothing changes"
            continue
        before, after = (redact(text or "", keep_lines=True) for text in (change.before, change.after))
        rows = line_diff(before, after)
        path, made, gone = str(change.path).lstrip("/"), change.before is None, change.after is None
        diff = FileDiff(path=path, to=None, rows=rows, added=0, removed=0, created=made, gone=gone)
        if change.about:
            yield f"{HEADING}{change.about}"
        yield from unified(diff, 1, _reasons(change)).rstrip("\n").split("\n")


def _reasons(change: SettingsChange) -> dict[int, str]:
    """Maps line numbers of the new settings to the reason for the value on that line."""
    reasons: dict[int, str] = {}
    lines = (change.after or "").split("\n")
    for place, reason in change.reasons:
        name = place.rpartition(".")[2]
        named = re.compile(rf'(?<![\w-])"?{re.escape(name)}"?[:\]]')
        at = next((number for number, line in enumerate(lines, 1) if number not in reasons and named.search(line)), 0)
        reasons[at] = reason
    return reasons


def next_rows(chosen: ToolPlaces, sessions: int, *, imports: bool = True) -> Iterator[str]:
    """Says what connecting a tool does after its settings are written."""
    yield f"{HEADING}and then"
    yield f"workspace  {safe(str(chosen.workspace))}  (-w DIR takes another)"
    if chosen.data.follow:
        yield f"follows    {safe(str(chosen.path(chosen.data.follow)))}"
    if sessions and imports and chosen.data.sessions:
        yield "imports    the sessions there as transcripts  (--no-import leaves them)"
    yield "plans      what can be learnt from them: a dry run, which you approve or refuse"


def change_lines(rows: Sequence[str]) -> tuple[Line, ...]:
    """Turns the rows of `change_rows` into lines for a screen."""
    return tuple((Span(row, _ROLES.get(row[:1], "text")),) for row in rows)
