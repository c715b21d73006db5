"""The kinds of memories that can be imported, each with its files and what reads them."""

from collections.abc import Callable
from typing import NamedTuple

from engine.lifecycle.imports.memories import json_readers, markdown_readers
from engine.lifecycle.imports.memories.memory import UNDECODABLE, MemoryFile

Reader = Callable[[bytes, str], MemoryFile]


class MemoryKind(NamedTuple):
    """A kind of memory: its name, the endings of its files, how it is called, the tool, and its reader."""

    name: str
    endings: tuple[str, ...]
    title: str
    tool: str
    read: Reader


def _text(reader: Callable[[str, str], MemoryFile]) -> Reader:
    """Reads a file of text without its BOM; one in another encoding is counted, never changed (decision G14)."""

    def read(data: bytes, source: str) -> MemoryFile:
        try:
            text = data.decode("utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError:
            found = MemoryFile()
            found.left_out[UNDECODABLE] += 1
            return found
        return reader(text, source)

    return read


def _letta(data: bytes, source: str) -> MemoryFile:
    if source.endswith(".md"):
        return _text(markdown_readers.letta)(data, source)
    return json_readers.letta_agent(data, source)


_MD = (".md",)
MEMORY_KINDS: dict[str, MemoryKind] = {
    kind.name: kind
    for kind in (
        MemoryKind(
            "claude-code-memory",
            _MD,
            "memory of Claude Code, ~/.claude/projects/PROJECT/memory",
            "claude-code",
            _text(markdown_readers.claude_code),
        ),
        MemoryKind(
            "openclaw-memory",
            _MD,
            "memory of OpenClaw, ~/.openclaw/workspace",
            "openclaw",
            _text(markdown_readers.openclaw),
        ),
        MemoryKind("codex-memory", _MD, "memory of Codex, ~/.codex/memories", "codex", _text(markdown_readers.codex)),
        MemoryKind(
            "hermes-memory", _MD, "memory of Hermes, ~/.hermes/memories", "hermes", _text(markdown_readers.hermes)
        ),
        MemoryKind("gemini-memory", _MD, "memory of Gemini, ~/.gemini", "gemini", _text(markdown_readers.gemini)),
        MemoryKind(
            "letta-memory", (".md", ".af", ".json"), "memory of a Letta agent, its files or its .af", "letta", _letta
        ),
        MemoryKind("mem0-memory", (".json", ".jsonl"), "an export of mem0 or OpenMemory", "mem0", json_readers.mem0),
    )
}
