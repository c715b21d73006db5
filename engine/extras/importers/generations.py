"""Tells where a tool keeps its sessions, and in which files and containers by its versions (decision G28)."""

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
    """A table of which rows belong to a session: that in the column `key`, in the order of some columns. `line`: the
    column that holds a whole line of JSON. `packed`: one that holds it packed, where the line is none."""

    name: str
    key: str
    order: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    line: str = ""
    packed: str = ""


class Generation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A form in which a tool kept its sessions: versions, the day until which it was seen, names of files, container.
    `files` match the end of a path, part by part. `side`: what they hold belongs to another session, as its side
    chain."""

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
    """A folder of the tool, with `{VARIABLE:otherwise}` as that reads it, and what in it holds sessions."""

    at: str
    folders: tuple[str, ...] = ()

    def path(self, environment: Mapping[str, str]) -> str:
        """The folder in this environment; empty where it needs a variable that is not set."""
        values = {one[0]: environment.get(one[1], "").strip() or (one[2] or "") for one in _VARIABLE.finditer(self.at)}
        if "" in values.values():
            return ""
        return _VARIABLE.sub(lambda one: values[one[0]], self.at)


class ToolFiles(msgspec.Struct, frozen=True, kw_only=True):
    """The files of a tool, as far as they are known. `version`: the newest one whose sources were read."""

    tool: str
    version: str = ""
    homes: tuple[Home, ...] = ()
    generations: tuple[Generation, ...]
    beside: dict[str, str] = {}
    """Files beside the sessions that hold none: patterns of their names, each with what they are."""

    def generation(self, parts: Sequence[str]) -> Generation | None:
        """The form of a file by its path; the first of those that fit."""
        if self.other(parts):
            return None
        return next((one for one in self.generations if any(ends_so(parts, name) for name in one.files)), None)

    def other(self, parts: Sequence[str]) -> str:
        """Says what a file is that lies beside the sessions; empty for any other."""
        return next((what for pattern, what in self.beside.items() if ends_so(parts, pattern)), "")


@cache
def tool_files(name: str, file: Path | None = None) -> ToolFiles:
    """Reads the data of a tool, those of memdeck or a `file`; `Damaged` names the file and the key that is wrong."""
    try:
        made = msgspec.convert(tomllib.loads(file.read_text("utf-8")) if file is not None else shipped(name), ToolFiles)
        for pattern in (pattern for one in made.generations for pattern in one.version_at):
            re.compile(pattern)
    except (OSError, ValueError, re.error) as error:
        where = file.name if file is not None else f"{name}.toml"
        raise Damaged(f"the data of a tool are wrong: {error}", where=where) from error
    return made


def is_newer(version: str, known: str) -> bool:
    """Tells whether a version comes after another, number by number."""
    return _numbers(version) > _numbers(known)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d{1,9}", version)))


def ends_so(parts: Sequence[str], pattern: str) -> bool:
    """Tells whether a path ends as a pattern says, part by part."""
    wanted = pattern.split("/")
    last = parts[-len(wanted) :]
    return len(last) == len(wanted) and all(map(fnmatchcase, last, wanted))
