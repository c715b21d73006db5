"""The tools of this machine as rows and as JSON: what lies there, and what is connected (D63)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tui.present.words import noun, safe

if TYPE_CHECKING:
    from engine.extras.connect.discovery import FoundTool

MOST_MEMORY = 3  # folders of memory that are shown of a tool, those with the most lines first


def found_json(tool: FoundTool) -> dict[str, Any]:
    """The keys that scripts rely on."""
    return {
        "tool": tool.name,
        "title": tool.title,
        "version": tool.version,
        "found": tool.found,
        "sessions": tool.sessions,
        "first": tool.first.isoformat() if tool.first else None,
        "last": tool.last.isoformat() if tool.last else None,
        "memory": [one._asdict() for one in tool.memory],
        "connected": bool(tool.connected),
        "workspaces": list(tool.connected),
    }


def found_rows(tools: Sequence[FoundTool]) -> list[str]:
    """The lines of the list: each tool that is here with what it keeps, then the names of the others."""
    rows = [line for tool in tools if tool.found for line in tool_lines(tool)]
    others = ", ".join(tool.title for tool in tools if not tool.found)
    return [*(rows or ["no tool was found"]), *([f"not found: {others}"] if others else [])]


def tool_lines(tool: FoundTool) -> Iterator[str]:
    """A tool in some lines: its sessions, its memory, and the way to connect it."""
    version = f" {safe(tool.version)}" if tool.version else ""
    first, last = (f"{at:%Y-%m-%d}" if at else "?" for at in (tool.first, tool.last))
    sessions = f"{noun(tool.sessions, 'session')}, {first} to {last}" if tool.sessions else "no sessions"
    yield f"{tool.title}{version} · {sessions}"
    for memory in sorted(tool.memory, key=lambda one: -one.lines)[:MOST_MEMORY]:
        off = f", {noun(memory.falls_off, 'line')} fall off" if memory.falls_off else ""
        yield f"  memory {safe(memory.path)}: {noun(memory.files, 'file')}, {noun(memory.lines, 'line')}{off}"
    if len(tool.memory) > MOST_MEMORY:
        yield f"  and {noun(len(tool.memory) - MOST_MEMORY, 'folder')} more"
    if tool.connected:
        yield f"  connected with {safe(tool.connected[0])}"
    else:
        yield f"  not connected · memdeck connect {tool.name}"
