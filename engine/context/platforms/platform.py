"""A platform as its data states it: which files it loads in which session, in which order, and how it cuts them."""

from enum import StrEnum
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Least1 = Annotated[int, Meta(ge=1, le=1_000_000_000)]
Share = Annotated[float, Meta(ge=0, le=1)]


def slug_of(folder: str) -> str:
    """The name that Claude Code gives to the folder of a project: every other character becomes a dash."""
    return "".join(char if char.isascii() and char.isalnum() else "-" for char in folder)


class SessionKind(StrEnum):
    """The kind of a session. Only the main one sees MEMORY.md (decisions D4, D41)."""

    MAIN = "main"
    SHARED = "shared"
    SUBAGENT = "subagent"
    CRON = "cron"


class CapUnit(StrEnum):
    """The unit of a cap. `utf16` is the length that JavaScript gives, `bytes/4` the tokens that Codex reckons."""

    LINES = "lines"
    CHARACTERS = "characters"
    UTF16 = "utf16"
    BYTES = "bytes"
    QUARTER_BYTES = "bytes/4"
    TOKENS = "tokens"


class CutRule(StrEnum):
    """The way in which a file that is above its caps is cut."""

    WHOLE = "whole"  # not at all: its caps are advice
    WHOLE_LINES = "whole-lines"  # after the last whole line within every cap
    HEAD = "head"  # at the byte, in the middle of a character too
    HEAD_TAIL = "head-tail"  # the middle is left out, at any character, with a marker in its place
    HEAD_DIGEST_TAIL = "head-digest-tail"
    """The same, with the lines of the file that read like rules between head and tail."""
    MIDDLE = "middle"  # half of the bytes from the start and half from the end
    ENTRIES = "entries"  # not at all: its entries, each once; above its cap the platform takes no further one


class _Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A part of a platform's data. Unknown keys are errors."""


class PlatformFile(_Data, frozen=True, kw_only=True):
    """A file that a platform loads: the first of `places` that is there, workspace-relative, or below the home (`~/`),
    where `{slug}` is the name of the workspace's folder there. A place with `*` is a file each. `imports`: the depth to
    which `@path` in it loads further files. `shares` of head, digest and tail. `optional`: it leaves no mark where it
    is missing. `lasting`: its entries are to stay, and a loss of many is an alarm (G26)."""

    places: tuple[str, ...]
    rule: CutRule
    caps: dict[CapUnit, Least1] = {}
    not_counted: tuple[Literal["frontmatter", "comments"], ...] = ()
    shares: tuple[Share, ...] = ()
    divider: str = ""
    trim: Literal["none", "end", "both"] = "none"  # the blanks around the text that are taken off before anything else
    imports: int = 0
    beside: str = ""  # a file without which it is not loaded
    instead: str = ""  # a file that is loaded in its place
    unless: str = ""  # a key of its frontmatter with which it is loaded later, or never
    optional: bool = False
    lasting: bool = False
    reported: bool = False  # a hook of the platform tells when it loads the file


class TotalCap(_Data, frozen=True, kw_only=True):
    """A cap of all files together; with less than `least` left, the rest is left out."""

    utf16: Least1
    least: int = 0


class Platform(_Data, frozen=True, kw_only=True):
    """A platform: its data, the version and the source they are from, and the month they were looked at. `signs` are
    files that tell that the workspace is used with it, `shared_signs` tell it where none of `other_signs` is there;
    `use` says so whatever is there. `clients` are the names with
    which its programs come to an MCP server, with more behind each. `missing` stands in the place
    of a file that is not there; a file above `most_bytes` counts as missing."""

    name: str
    title: str
    version: str
    source: str
    date: str
    note: str = ""
    signs: tuple[str, ...]
    shared_signs: tuple[str, ...] = ()
    other_signs: tuple[str, ...] = ()
    use: Literal["signs", "always", "never"] = "signs"
    clients: tuple[str, ...] = ()
    sessions: dict[SessionKind, tuple[str, ...]]
    files: dict[str, PlatformFile]
    total: TotalCap | None = None
    missing: str = ""
    most_bytes: int = 0
