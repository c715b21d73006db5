"""Detects bursts of changes to one tool's notes, recognised by the tool's files and marks."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum

import msgspec

from engine.plans.line_hunks import hunks_between, lines_of
from engine.text.pattern_file import pattern_file
from engine.workspace.layout import CONVERSATIONS, IDENTITY_FILES, is_raw_log

Read = Callable[[str], bytes | None]
Owns = Callable[[str], bool]


class MemoryTool(StrEnum):
    """A tool, named like its platform; a note belongs to the first tool in this order."""

    CODEX = "codex"
    LETTA = "letta"
    CLAUDE_CODE = "claude-code"
    OPENCLAW = "openclaw"


_TOOLS = pattern_file(__package__, "memory_tools.toml")
TITLES = {tool: str(_TOOLS[tool]["title"]) for tool in MemoryTool}
LOCKS = {tool: tuple[str, ...](_TOOLS[tool]["locks"]) for tool in MemoryTool if "locks" in _TOOLS[tool]}
MARKS = re.compile(_TOOLS["openclaw"]["marks"].encode(), re.MULTILINE)
_AROUND = timedelta(minutes=30)
"""Greatest time between a tool's lock file and a change that it shows to be the tool's."""
_POINTER = re.compile(rb"^\s*[-*] \[[^\]\n]{1,200}\]\(([^)/\n]{1,200}\.md)\)", re.MULTILINE)
_DESCRIBED = re.compile(rb"\A(?:\xef\xbb\xbf)?---\r?\n(?:[^\n]*\n){0,20}?description:")
_OPENCLAW, _CODEX = (re.compile(_TOOLS[name]["notes"]) for name in ("openclaw", "codex"))
_INSTRUCTIONS = frozenset({*IDENTITY_FILES, "CLAUDE.md", "CLAUDE.local.md", "README.md", "HEARTBEAT.md", "BOOT.md"})


def shown_by(
    tool: MemoryTool, before: bytes, after: bytes, at: datetime, lock_time: Callable[[str], datetime | None]
) -> str:
    """Says what shows that a tool made a change: a new mark, or its lock file; empty if nothing."""
    if tool is MemoryTool.OPENCLAW and len(MARKS.findall(after)) > len(MARKS.findall(before)):
        return "its mark"
    times = (time for path in LOCKS.get(tool, ()) if (time := lock_time(path)) is not None)
    return "its lock file" if any(abs(time - at) <= _AROUND for time in times) else ""


def owners(paths: Collection[str], read: Read) -> dict[MemoryTool, Owns]:
    """Returns, for each tool with its files among the notes, a function that tells which notes it rewrites."""
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
    if not (mine := {folder for folder in folders if _is_index(folder, paths, read)}):
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
    """Tells whether a note is one that OpenClaw's dreaming rewrites."""
    return _OPENCLAW.fullmatch(path) is not None


def _directly(path: str, folder: str) -> bool:
    return path.startswith(folder) and "/" not in path[len(folder) :]


def _is_described(data: bytes | None) -> bool:
    return data is not None and _DESCRIBED.match(data) is not None


GAP = timedelta(minutes=10)  # changes that lie further apart belong to two bursts
SPAN = timedelta(minutes=30)  # a burst is no longer than this
MANY = 5  # changes that make a burst, in lines of notes that were there
GONE = 2  # lines that a note counts for that is gone; a new one alone consolidates nothing
MANY_NOTES = 3  # notes that were there before, changed or gone together, make one too
_NEVER = datetime.min.replace(tzinfo=UTC)


class NoteChangeAt(msgspec.Struct, frozen=True, kw_only=True):
    """A change of one note, with its bytes before and after (None: no note). `at`: None if unknown."""

    path: str
    before: bytes | None
    after: bytes | None
    at: datetime | None = None


class Burst(msgspec.Struct, frozen=True, kw_only=True):
    """Adjacent changes by one tool, sorted by path; times are None if unknown."""

    tool: MemoryTool
    began: datetime | None
    ended: datetime | None
    changes: tuple[NoteChangeAt, ...]


def find_bursts(
    changes: Sequence[NoteChangeAt],
    tools: Mapping[MemoryTool, Owns],
    goes_on: Mapping[MemoryTool, Sequence[tuple[datetime, datetime]]] = {},
) -> list[Burst]:
    """Returns the bursts, the earliest first. `goes_on`: spans of known bursts, which even a few changes extend."""
    found: list[Burst] = []
    left = list(changes)
    for tool in MemoryTool:
        for group in _groups([change for change in left if _is_of(tool, change, tools)]):
            burst = _burst(tool, group)
            if is_many(burst.changes) or any(joins(burst, *span) for span in goes_on.get(tool, ())):
                found.append(_with_moves(burst, left))
        taken = {id(change) for burst in found for change in burst.changes}
        left = [change for change in left if id(change) not in taken]
    return sorted(found, key=lambda burst: (burst.began or _NEVER, burst.tool))


def joins(burst: Burst, began: datetime, ended: datetime) -> bool:
    """Tells whether a burst continues one between these instants."""
    if burst.began is None or burst.ended is None:
        return False
    return burst.began - ended <= GAP and began - burst.ended <= GAP and max(burst.ended, ended) - began <= SPAN


def is_many(changes: Collection[NoteChangeAt]) -> bool:
    """Tells whether changes are as many as a consolidation makes, or have its mark."""
    if any(_is_marked(change) for change in changes):
        return True
    earlier = sum(change.before is not None and change_size(change) > 0 for change in changes)
    return earlier >= MANY_NOTES or sum(map(change_size, changes)) >= MANY


def change_size(change: NoteChangeAt) -> int:
    """Counts the changed lines of an existing note; lines appended to a raw log do not count."""
    if change.before is None or change.after is None:
        return 0 if change.before is None else GONE
    old, new = (lines_of(data.decode("utf-8", "replace")) for data in (change.before, change.after))
    hunks = hunks_between(old, new)
    if is_raw_log(change.path):
        return sum(hunk.left[1] - hunk.left[0] for hunk in hunks)
    return sum(max(hunk.left[1] - hunk.left[0], hunk.right[1] - hunk.right[0]) for hunk in hunks)


def _is_of(tool: MemoryTool, change: NoteChangeAt, tools: Mapping[MemoryTool, Owns]) -> bool:
    if tool in tools and tools[tool](change.path):
        return True
    return tool is MemoryTool.OPENCLAW and is_openclaw(change.path) and _is_marked(change)


def _is_marked(change: NoteChangeAt) -> bool:
    return len(MARKS.findall(change.after or b"")) > len(MARKS.findall(change.before or b""))


def _groups(changes: Sequence[NoteChangeAt]) -> list[list[NoteChangeAt]]:
    """Groups changes with gaps up to `GAP`; undated ones join the last group, or form their own."""
    dated = [(change.at, change) for change in changes if change.at is not None]
    undated = [change for change in changes if change.at is None]
    groups: list[list[NoteChangeAt]] = []
    first = last = _NEVER
    for at, one in sorted(dated, key=lambda pair: (pair[0], pair[1].path)):
        if not groups or at - last > GAP or at - first > SPAN:
            groups.append([])
            first = at
        groups[-1].append(one)
        last = at
    if undated:
        groups = [*groups[:-1], [*groups[-1], *undated]] if groups else [undated]
    return groups


def _burst(tool: MemoryTool, group: Sequence[NoteChangeAt]) -> Burst:
    times = [change.at for change in group if change.at is not None]
    changes = tuple(sorted(group, key=lambda change: change.path))
    return Burst(tool=tool, began=min(times, default=None), ended=max(times, default=None), changes=changes)


def _with_moves(burst: Burst, others: Iterable[NoteChangeAt]) -> Burst:
    """Adds the notes that the burst moved away: new notes with the bytes of removed ones."""
    gone = {change.before for change in burst.changes if change.after is None and change.before}
    known = {change.path for change in burst.changes}
    moved = [other for other in others if other.before is None and other.after in gone and other.path not in known]
    return msgspec.structs.replace(burst, changes=(*burst.changes, *moved)) if moved else burst
