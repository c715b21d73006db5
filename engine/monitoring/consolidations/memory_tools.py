"""Finds the tools that consolidate an agent's notes by themselves, and the notes that each of them rewrites."""

import re
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from enum import StrEnum

from engine.text.pattern_file import pattern_file
from engine.workspace.layout import CONVERSATIONS, IDENTITY_FILES, is_raw_log

Read = Callable[[str], bytes | None]
Owns = Callable[[str], bool]


class MemoryTool(StrEnum):
    """A tool, by the name that its platform has elsewhere; the order is the one in which notes are given to them."""

    CODEX = "codex"
    LETTA = "letta"
    CLAUDE_CODE = "claude-code"
    OPENCLAW = "openclaw"


_TOOLS = pattern_file(__package__, "memory_tools.toml")
TITLES = {tool: str(_TOOLS[tool]["title"]) for tool in MemoryTool}
LOCKS = {tool: tuple[str, ...](_TOOLS[tool]["locks"]) for tool in MemoryTool if "locks" in _TOOLS[tool]}
MARKS = re.compile(_TOOLS["openclaw"]["marks"].encode(), re.MULTILINE)
_AROUND = timedelta(minutes=30)
"""A lock is taken at most this long before the last change, and touched this long after it."""
_POINTER = re.compile(rb"^\s*[-*] \[[^\]\n]{1,200}\]\(([^)/\n]{1,200}\.md)\)", re.MULTILINE)
_DESCRIBED = re.compile(rb"\A(?:\xef\xbb\xbf)?---\r?\n(?:[^\n]*\n){0,20}?description:")
_OPENCLAW, _CODEX = (re.compile(_TOOLS[name]["notes"]) for name in ("openclaw", "codex"))
_INSTRUCTIONS = frozenset({*IDENTITY_FILES, "CLAUDE.md", "CLAUDE.local.md", "README.md", "HEARTBEAT.md", "BOOT.md"})


def shown_by(
    tool: MemoryTool, before: bytes, after: bytes, at: datetime, lock_time: Callable[[str], datetime | None]
) -> str:
    """Names what shows that a tool made a change: a mark that came with it, or its lock; empty for nothing."""
    if tool is MemoryTool.OPENCLAW and len(MARKS.findall(after)) > len(MARKS.findall(before)):
        return "its mark"
    times = (time for path in LOCKS.get(tool, ()) if (time := lock_time(path)) is not None)
    return "its lock file" if any(abs(time - at) <= _AROUND for time in times) else ""


def owners(paths: Collection[str], read: Read) -> dict[MemoryTool, Owns]:
    """The tools that leave their signs among these notes, each with what it rewrites. `read` gives a note's bytes."""
    there = frozenset(path for path in paths if not path.startswith(f"{CONVERSATIONS}/"))
    found = {
        MemoryTool.CODEX: _codex(there),
        MemoryTool.LETTA: _letta(there, read),
        MemoryTool.CLAUDE_CODE: _claude_code(there, read),
        MemoryTool.OPENCLAW: _openclaw(there),
    }
    return {tool: owns for tool, owns in found.items() if owns is not None}


def _codex(paths: frozenset[str]) -> Owns | None:
    # With the folder that `memories/` is as the workspace itself.
    folders = {path.rpartition("/")[0] for path in paths if path.endswith(("memory_summary.md", "raw_memories.md"))}
    if not folders:
        return None
    return lambda path: any(
        path.startswith(f"{folder}/") if folder else _CODEX.fullmatch(path) is not None for folder in folders
    )


def _letta(paths: frozenset[str], read: Read) -> Owns | None:
    parents = {path[: at + 1] for path in paths if (at := f"/{path}".rfind("/system/") - 1) >= -1}
    tops = {
        top
        for top in parents
        if any(_is_described(read(path)) for path in sorted(paths) if _directly(path, f"{top}system/"))
    }
    if not tops:
        return None
    return lambda path: any(
        path.startswith(f"{top}system/") or (path.startswith(top) and _is_described(read(path))) for top in tops
    )


def _claude_code(paths: frozenset[str], read: Read) -> Owns | None:
    folders = {path.removesuffix("MEMORY.md") for path in paths if f"/{path}".endswith("/MEMORY.md")}
    mine = {folder for folder in folders if _is_index(folder, paths, read)}
    if not mine:
        return None
    return lambda path: any(_directly(path, folder) and path not in _INSTRUCTIONS for folder in mine)


def _is_index(folder: str, paths: frozenset[str], read: Read) -> bool:
    names = _POINTER.findall(read(f"{folder}MEMORY.md") or b"")
    return any(f"{folder}{name.decode('utf-8', 'replace')}" in paths for name in names)


def _openclaw(paths: frozenset[str]) -> Owns | None:
    signs = not paths.isdisjoint(_TOOLS["openclaw"]["signs"]) or any(
        path.startswith("memory/dreaming/") for path in paths
    )
    logs = ("MEMORY.md" in paths or "memory.md" in paths) and any(map(is_raw_log, paths))
    return is_openclaw if signs or logs else None


def is_openclaw(path: str) -> bool:
    """Tells whether OpenClaw's dreaming may rewrite a note."""
    return _OPENCLAW.fullmatch(path) is not None


def _directly(path: str, folder: str) -> bool:
    return path.startswith(folder) and "/" not in path[len(folder) :]


def _is_described(data: bytes | None) -> bool:
    return data is not None and _DESCRIBED.match(data) is not None
