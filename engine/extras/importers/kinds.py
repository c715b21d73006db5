"""Lists the kinds of sessions that can be imported, each with its reader. The places of their files are data (G28)."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from engine.errors import UsageError
from engine.extra_registry import foreign_extras
from engine.extras.importers.chatgpt import ChatGptExport
from engine.extras.importers.claude_code import ClaudeCodeSessions
from engine.extras.importers.claude_export import ClaudeExport
from engine.extras.importers.codex import CodexSessions
from engine.extras.importers.cursor import CursorSessions
from engine.extras.importers.gemini import GeminiSessions
from engine.extras.importers.generations import ToolFiles, tool_files
from engine.extras.importers.hermes import HermesSessions
from engine.extras.importers.hipocampus import HipocampusLogs
from engine.extras.importers.memories.kinds import MemoryKind
from engine.extras.importers.openclaw import OpenClawSessions, PiSessions
from engine.extras.importers.opencode import OpencodeSessions
from engine.extras.importers.session import ImportedSession
from engine.lifecycle.requests import ImportRequest


class ImportReader(Protocol):
    """Reads the files of one import in order, and may remember earlier files."""

    def read(self, data: bytes, source: str) -> Iterator[ImportedSession]:
        """The sessions of a file; empty ones count what was left out. `msgspec.DecodeError` for another kind."""
        ...


class ImportKind(NamedTuple):
    """A kind of session: its name, its title, and its reader. `notes`: the name of the folders with the tool's notes
    (`*.md`) beside the sessions. `data`: the description of the tool's files, for a kind from another package."""

    name: str
    title: str
    reader: Callable[[], ImportReader]
    notes: str = ""
    data: Path | None = None

    @property
    def files(self) -> ToolFiles:
        """Its homes and the forms of its files."""
        return tool_files(self.name, self.data)


KINDS: dict[str, ImportKind] = {
    kind.name: kind
    for kind in (
        ImportKind("claude-code", "sessions of Claude Code, ~/.claude/projects", ClaudeCodeSessions, "memory"),
        ImportKind("openclaw", "sessions of OpenClaw, ~/.openclaw/agents", OpenClawSessions),
        ImportKind("codex", "sessions of Codex, ~/.codex/sessions", CodexSessions),
        ImportKind("gemini", "sessions of Gemini's command line, ~/.gemini/tmp", GeminiSessions),
        ImportKind("opencode", "sessions of opencode, ~/.local/share/opencode", OpencodeSessions),
        ImportKind("pi", "sessions of pi, ~/.pi/agent/sessions", PiSessions),
        ImportKind("cursor", "sessions of Cursor's agent, ~/.cursor/projects", CursorSessions),
        ImportKind("hermes", "sessions of Hermes, ~/.hermes", HermesSessions),
        ImportKind("chatgpt", "an export of ChatGPT, its ZIP or unpacked", ChatGptExport),
        ImportKind("claude", "an export of Claude's app, its ZIP or unpacked", ClaudeExport),
        ImportKind("hipocampus", "raw logs of hipocampus with sessions in them, memory/", HipocampusLogs),
    )
}


def import_kinds() -> dict[str, ImportKind]:
    """Every kind by its name: memdeck's own, then those of other packages under unused names."""
    kinds = dict(KINDS)
    for kind in foreign_extras().parts(ImportKind):
        kinds.setdefault(kind.name, kind)
    return kinds


def import_kind(name: str, *others: str) -> ImportKind:
    """The kind of that name. `UsageError` names the existing ones, and the `others` that may be meant."""
    kinds = import_kinds()
    if name not in kinds:
        hint = " · ".join((f"one of: {', '.join((*kinds, *others))}", *foreign_extras().problems))
        raise UsageError("there is no such kind", where=name, hint=hint)
    return kinds[name]


def home_of(kind: ImportKind | MemoryKind, environment: Mapping[str, str]) -> ImportRequest:
    """A request for the content of the tool's home. `UsageError` names the places if none has any, or several have."""
    looked: list[str] = []
    found: dict[Path, tuple[str, tuple[str, ...]]] = {}
    for home in kind.files.homes:
        path = home.path(environment)
        looked += [f"{path}/{folder}" for folder in home.folders] or [path] if path else []
        base = Path(path).expanduser()
        there = tuple(str(folder.relative_to(base)) for name in home.folders for folder in sorted(base.glob(name)))
        if path and (there or (not home.folders and base.is_dir())):
            found.setdefault(base.resolve(), (path, there))
    if len(found) != 1:
        why = "has more than one place" if found else "has nothing there" if looked else "has no place of its own"
        where = ", ".join([path for path, _ in found.values()] or looked) or kind.name
        hint = f"name the file or folder: memdeck import {kind.name} PATH"
        raise UsageError(f"{kind.files.tool} {why}", where=where, hint=hint)
    ((path, only),) = found.values()
    # One folder is imported as if it had been named, so that its files have the same paths either way.
    if len(only) == 1 and only[0] in kind.files.homes[0].folders:
        path, only = f"{path}/{only[0]}", ()
    return ImportRequest(kind.name, path, only, tuple(looked))
