"""The kinds of sessions that can be imported, each with its files and what reads them."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from engine.errors import UsageError
from engine.lifecycle.imports.chatgpt import ChatGptExport
from engine.lifecycle.imports.claude_code import ClaudeCodeSessions
from engine.lifecycle.imports.claude_export import ClaudeExport
from engine.lifecycle.imports.codex import CodexSessions
from engine.lifecycle.imports.gemini import GeminiSessions
from engine.lifecycle.imports.hipocampus import HipocampusLogs
from engine.lifecycle.imports.openclaw import OpenClawSessions
from engine.lifecycle.imports.session import ImportedSession


class ImportReader(Protocol):
    """Reads the files of one import in order; it may remember what it read."""

    def read(self, data: bytes, source: str) -> Iterator[ImportedSession]:
        """The sessions of a file; `msgspec.DecodeError` where it is none of its kind."""
        ...


class ImportKind(NamedTuple):
    """A kind of session: its name, the ending of its files, how it is called, and its reader.

    `notes`: the name of the folders in which the tool keeps its notes (`*.md`) beside the sessions.
    """

    name: str
    ending: str
    title: str
    reader: Callable[[], ImportReader]
    notes: str = ""


KINDS: dict[str, ImportKind] = {
    kind.name: kind
    for kind in (
        ImportKind(
            "claude-code", ".jsonl", "sessions of Claude Code, ~/.claude/projects", ClaudeCodeSessions, "memory"
        ),
        ImportKind("openclaw", ".jsonl", "sessions of OpenClaw, ~/.openclaw/agents", OpenClawSessions),
        ImportKind("codex", ".jsonl", "sessions of Codex, ~/.codex/sessions", CodexSessions),
        ImportKind("gemini", ".json", "sessions of Gemini's command line, ~/.gemini/tmp", GeminiSessions),
        ImportKind("chatgpt", "conversations.json", "an export of ChatGPT, unpacked", ChatGptExport),
        ImportKind("claude", "conversations.json", "an export of Claude's app, unpacked", ClaudeExport),
        ImportKind("hipocampus", ".md", "raw logs of hipocampus with sessions in them, memory/", HipocampusLogs),
    )
}


def import_kind(name: str, *others: str) -> ImportKind:
    """The kind of that name; `UsageError` names those there are, and the `others` that may be meant."""
    if name not in KINDS:
        raise UsageError("there is no such kind", where=name, hint=f"one of: {', '.join((*KINDS, *others))}")
    return KINDS[name]
