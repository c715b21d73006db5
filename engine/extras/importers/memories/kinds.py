"""Lists the kinds of memories that can be imported, each with its files and its reader."""

import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from engine.errors import Damaged
from engine.extras.importers.generations import Home, ToolFiles
from engine.extras.importers.memories import readers
from engine.extras.importers.memories.memory import UNDECODABLE, MemoryFile

Reader = Callable[[bytes, str], MemoryFile]


class MemoryKind(NamedTuple):
    """A kind of memory: its name, the endings of its files, its title, the tool, and its reader."""

    name: str
    endings: tuple[str, ...]
    title: str
    tool: str
    read: Reader

    @property
    def files(self) -> ToolFiles:
        """Its homes, if it has any."""
        return ToolFiles(tool=self.tool, homes=_homes().get(self.name, ()), generations=())


@cache
def _homes() -> dict[str, tuple[Home, ...]]:
    """The homes of the kinds. `Damaged` names the wrong key of the data file."""
    file = Path(__file__).with_name("homes.toml")
    try:
        return msgspec.convert(tomllib.loads(file.read_text("utf-8")), dict[str, tuple[Home, ...]])
    except ValueError as error:
        raise Damaged(f"the homes of memories are wrong: {error}", where=file.name) from error


def _text(reader: Callable[[str, str], MemoryFile]) -> Reader:
    """Wraps a reader of text: removes the BOM, and counts a file in another encoding, unchanged (decision G14)."""

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
    return (_text(readers.letta) if source.endswith(".md") else readers.letta_agent)(data, source)


def _kind(tool: str, title: str, read: Reader, endings: tuple[str, ...] = (".md",)) -> MemoryKind:
    return MemoryKind(f"{tool}-memory", endings, title, tool, read)


MEMORY_KINDS: dict[str, MemoryKind] = {
    kind.name: kind
    for kind in (
        _kind("claude-code", "memory of Claude Code, ~/.claude/projects/PROJECT/memory", _text(readers.claude_code)),
        _kind("openclaw", "memory of OpenClaw, ~/.openclaw/workspace", _text(readers.openclaw)),
        _kind("codex", "memory of Codex, ~/.codex/memories", _text(readers.codex)),
        _kind("hermes", "memory of Hermes, ~/.hermes/memories", _text(readers.hermes)),
        _kind("gemini", "memory of Gemini, ~/.gemini", _text(readers.gemini)),
        _kind("letta", "memory of a Letta agent, its files or its .af", _letta, (".md", ".af", ".json")),
        _kind("mem0", "an export of mem0 or OpenMemory", readers.mem0, (".json", ".jsonl")),
    )
}
