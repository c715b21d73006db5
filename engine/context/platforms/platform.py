"""Defines a platform: which files it loads in each kind of session, in which order, and how it cuts them."""

from enum import StrEnum
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Least1 = Annotated[int, Meta(ge=1, le=1_000_000_000)]
Share = Annotated[float, Meta(ge=0, le=1)]


def slug_of(folder: str) -> str:
    """Returns Claude Code's name for a project folder: other characters than letters and digits become dashes."""
    return "".join(char if char.isascii() and char.isalnum() else "-" for char in folder)


class SessionKind(StrEnum):
    """The kind of a session. Only a main session loads MEMORY.md (decisions D4, D41)."""

    MAIN = "main"
    SHARED = "shared"
    SUBAGENT = "subagent"
    CRON = "cron"


class CapUnit(StrEnum):
    """The unit of a cap. `utf16`: JavaScript's length; `bytes/4`: Codex's estimate of tokens."""

    LINES = "lines"
    CHARACTERS = "characters"
    UTF16 = "utf16"
    BYTES = "bytes"
    QUARTER_BYTES = "bytes/4"
    TOKENS = "tokens"


class CutRule(StrEnum):
    """The rule by which a file above its caps is cut."""

    WHOLE = "whole"  # not at all: its caps are advice
    WHOLE_LINES = "whole-lines"  # after the last whole line within every cap
    HEAD = "head"  # at the byte, in the middle of a character too
    HEAD_TAIL = "head-tail"  # the middle is left out, at any character, with a marker in its place
    HEAD_DIGEST_TAIL = "head-digest-tail"
    """Also keeps, between head and tail, the lines that read like rules."""
    MIDDLE = "middle"  # half of the bytes from the start and half from the end
    ENTRIES = "entries"  # not at all: its entries, each once; above its cap the platform takes no further one


class _Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A part of a platform's data. Unknown keys are errors."""


class PlatformFile(_Data, frozen=True, kw_only=True):
    """A file that a platform loads: the first existing one of `places`, relative to the workspace or to the home (`~/`,
    with `{slug}` for the folder's name); `*` means every match. `imports`: depth of `@path`. `shares`: of head, digest
    and tail. `optional`: leaves no mark if missing. `lasting`: losing many entries is an alarm (G26)."""

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
    """A cap of all files together; if less than `least` is left, the next file is omitted."""

    utf16: Least1
    least: int = 0


class Platform(_Data, frozen=True, kw_only=True):
    """The data of a platform, with its version, source and the month of the check. `signs`: files that show that the
    workspace is used with it; `shared_signs` count only without `other_signs`; `use` overrides both. `clients`:
    beginnings of its names at an MCP server. `missing`: the text for a missing file, or one above `most_bytes`."""

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
