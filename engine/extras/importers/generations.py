"""Describes where a tool keeps its sessions, and in which files and containers, by its versions (decision G28)."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from engine.errors import Damaged
from engine.sessions.platforms.rules import shipped

Container = Literal["lines", "json", "text", "zip", "sqlite", "storage"]
_VARIABLE = re.compile(r"\{(\w+)(?::([^}]*))?\}")


class SqlTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table whose rows belong to the session in the column `key`, sorted by `order`. `line`: the column with a whole
    JSON line. `packed`: one with the compressed line, for rows without it."""

    name: str
    key: str
    order: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    line: str = ""
    packed: str = ""


class Generation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A form of a tool's sessions: versions, the last day it was seen, file names, container. `files` match the end of
    a path, part by part. `side`: the content is another session's side chain."""

    name: str
    versions: str
    seen: str
    files: tuple[str, ...]
    container: Container = "lines"
    members: tuple[str, ...] = ()
    tables: tuple[SqlTable, ...] = ()
    archives: dict[str, str] = {}  # tables that hold a session in each row, with the column in which its lines are
    side: bool = False
    numbered: bool = False  # its names count from 000 without a gap
    version_at: tuple[str, ...] = ()  # patterns whose first group is the version of the tool that wrote a file
    version_in: str = ""  # `TABLE.COLUMN` of a database that holds that version


class Home(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A folder of the tool, with `{VARIABLE:otherwise}` as the tool reads it, and its subfolders with sessions."""

    at: str
    folders: tuple[str, ...] = ()

    def path(self, environment: Mapping[str, str]) -> str:
        """The folder in this environment; empty if it needs a variable that is not set."""
        found = _VARIABLE.finditer(self.at)
        values = {match[0]: environment.get(match[1], "").strip() or match[2] or "" for match in found}
        if "" in values.values():
            return ""
        return _VARIABLE.sub(lambda match: values[match[0]], self.at)


class ToolFiles(msgspec.Struct, frozen=True, kw_only=True):
    """The known files of a tool. `version`: the newest one whose sources were examined."""

    tool: str
    version: str = ""
    homes: tuple[Home, ...] = ()
    generations: tuple[Generation, ...]
    beside: dict[str, str] = {}
    """Files beside the sessions that contain none: patterns of their names, each with a description."""

    def generation(self, parts: Sequence[str]) -> Generation | None:
        """The form of a file by its path; the first that fits."""
        if self.other(parts):
            return None
        return next((form for form in self.generations if any(ends_so(parts, name) for name in form.files)), None)

    def other(self, parts: Sequence[str]) -> str:
        """Describes a file beside the sessions; empty for any other."""
        return next((what for pattern, what in self.beside.items() if ends_so(parts, pattern)), "")


@cache
def tool_files(name: str, file: Path | None = None) -> ToolFiles:
    """Reads a tool's data, ours or that of a `file`. `Damaged` names the file and the wrong key."""
    try:
        made = msgspec.convert(tomllib.loads(file.read_text("utf-8")) if file is not None else shipped(name), ToolFiles)
        for pattern in (pattern for generation in made.generations for pattern in generation.version_at):
            re.compile(pattern)
    except (OSError, ValueError, re.error) as error:
        where = file.name if file is not None else f"{name}.toml"
        raise Damaged(f"the data of a tool are wrong: {error}", where=where) from error
    return made


def is_newer(version: str, known: str) -> bool:
    """Tells whether a version is later than another, number by number."""
    return _numbers(version) > _numbers(known)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d{1,9}", version)))


def ends_so(parts: Sequence[str], pattern: str) -> bool:
    """Tells whether a path ends with a pattern, part by part."""
    wanted = pattern.split("/")
    last = parts[-len(wanted) :]
    return len(last) == len(wanted) and all(map(fnmatchcase, last, wanted))
