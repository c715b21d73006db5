"""Finds the tools of this machine: their sessions, their memory and its loaded part, and their connections."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from engine.context.load.simulation import load
from engine.context.platforms import catalog
from engine.context.platforms.platform import SessionKind
from engine.extras.connect.connection import ConnectRecord, is_connected
from engine.extras.connect.tool_data import NAMES, ToolData, ToolPlaces
from engine.extras.importers.generations import Generation, is_newer, tool_files
from engine.plans.policy.values import Policy
from engine.text.tokens import counter
from engine.workspace.paths import WorkspaceRoot

_HEAD = 65_536  # bytes of a session in which the version of its tool and the time of its first line are looked for
MOST_SESSIONS = 50_000
_TIME = re.compile(rb'"(?:timestamp|startTime|created_at)"\s*:\s*"(\d{4}-\d\d-\d\dT[\d:.]{8,15}(?:Z|[+-]\d\d:?\d\d))"')


class FoundMemory(NamedTuple):
    """A folder of a tool's memory: its notes, the lines that are always loaded, and those that are cut off."""

    path: str
    files: int
    lines: int
    falls_off: int


class FoundTool(NamedTuple):
    """A tool on this machine."""

    name: str
    title: str
    home: str
    found: bool
    version: str = ""
    sessions: int = 0
    first: datetime | None = None
    last: datetime | None = None
    memory: tuple[FoundMemory, ...] = ()
    connected: tuple[str, ...] = ()  # the workspaces that it is connected with
    workspace: str = ""  # the one of them that it has in this project


def found_tools(env: Mapping[str, str], project: Path, records: Sequence[ConnectRecord]) -> tuple[FoundTool, ...]:
    """Every tool that memdeck can connect with, the installed ones first."""
    return tuple(sorted([found_tool(name, env, project, records) for name in NAMES], key=lambda note: not note.found))


def found_tool(name: str, env: Mapping[str, str], project: Path, records: Sequence[ConnectRecord]) -> FoundTool:
    """Describes one tool, as far as it is installed."""
    places = ToolPlaces(name, env, project)
    data = places.data
    here = places.home.is_dir() if data.home != "{project}" else (project / "hipocampus.config.json").is_file()
    mine = [record for record in records if record.tool == name]
    tool = FoundTool(name, data.tool, str(places.home), here)
    if not here and not mine:
        return tool
    held = [record for record in mine if is_connected(record)]
    in_project = (record.workspace for record in held if data.scope == "person" or record.project == str(project))
    tool = tool._replace(connected=tuple(record.workspace for record in held), workspace=next(in_project, ""))
    return _with_sessions(tool, data, env)._replace(memory=tuple(_memory(places)))


def _with_sessions(tool: FoundTool, data: ToolData, env: Mapping[str, str]) -> FoundTool:
    """Counts the session files, and reads the start of the oldest and the version of the newest one."""
    found = sorted(session_files(data, env)) if data.sessions else []
    if not found:
        return tool
    (first_at, first, _), (last_at, last, form) = found[0], found[-1]
    begin, end = (datetime.fromtimestamp(at, UTC) for at in (first_at, last_at))
    begun = _TIME.search(_start(first))
    said = datetime.fromisoformat(begun[1].decode().replace("Z", "+00:00")) if begun else begin
    return tool._replace(sessions=len(found), first=min(said, begin), last=end, version=_version(last, form))


def session_files(data: ToolData, env: Mapping[str, str]) -> Iterator[tuple[float, Path, Generation]]:
    """The session files of a tool, each with its time of change in seconds."""
    files = tool_files(data.sessions)
    seen: set[str] = set()
    for home in files.homes:
        path = home.path(env)
        base = Path(env.get("HOME", "~") + path[1:] if path.startswith("~") else path)
        for folder in (note for name in home.folders or ("",) for note in base.glob(name or ".")):
            for place, _, names in os.walk(folder):
                for name in names:
                    file = Path(place, name)
                    form = files.generation(file.parts)
                    if form is None or form.side or str(file) in seen or len(seen) >= MOST_SESSIONS:
                        continue
                    seen.add(str(file))
                    with suppress(OSError):
                        yield file.stat().st_mtime, file, form


def _version(file: Path, form: Generation) -> str:
    head = _start(file).decode("utf-8", "replace")
    newest = ""
    for version in (found[1] for pattern in form.version_at for found in re.finditer(pattern, head)):
        newest = version if not newest or is_newer(version, newest) else newest
    return newest


def _start(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(_HEAD)
    except OSError:
        return b""


def _memory(places: ToolPlaces) -> Iterator[FoundMemory]:
    platform = catalog.platform(Policy(), places.data.platform)
    for pattern in places.data.memory:
        path = str(places.path(pattern))
        base = Path(path.partition("*")[0]).parent if "*" in path else Path(path)
        folders = base.glob(path.removeprefix(str(base)).lstrip("/")) if "*" in path else [base]
        for folder in sorted(folder for folder in folders if folder.is_dir()):
            if notes := [note for note in folder.rglob("*.md") if not note.name.startswith(".")]:
                with WorkspaceRoot.open(folder) as root:
                    seen = load(platform, SessionKind.MAIN, root.read_or_none, str(folder), counter("words*1.3"))
                    data_of = [root.read_or_none(file.path) for file in seen.files if file.path]
                lines = sum(len(text.splitlines()) for text in data_of if text)
                yield FoundMemory(str(folder), len(notes), lines, seen.fallen)
