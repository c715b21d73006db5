"""Remembers the flags of notes by their bytes' hash, so that each is checked once (decision G30)."""

import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

from engine.plans.plan import Flag
from engine.state.private_files import write_private
from engine.text import poison
from engine.text.canonical_json import sha256_hex
from engine.workspace.foreign_text import is_instructions
from engine.workspace.layout import IDENTITY_FILES, is_archived

INSTRUCTIONS = frozenset({"steering", "conditional", "standing-order"})
"""Rules that do not apply to the operator's own instruction files; all other rules do."""
LEARNT = frozenset({"steering", "standing-order"})
"""Learnt rules: they flag 53 of 6,902 harmless lines in strangers' notes."""
_SAID_BY_AGENT = re.compile(r"[-*+>\s]*(?:\*\*)?(?:assistant|agent)(?:\*\*)?\s*:", re.IGNORECASE)
"""The label that tools put before an assistant's words: 13 of those 53 lines have it."""
LONGEST = 160  # characters of a flagged line that are told


class FlaggedLine(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A flagged line of a note: rule, text without secrets, and the key of the operator's answer to it."""

    line: int
    rule: str
    key: str
    text: str


class NoteFlag(msgspec.Struct, frozen=True, kw_only=True):
    """A flagged line that nobody looked at: its rule, in short and in words."""

    path: str
    line: int
    rule: str
    words: str
    text: str


class NoteFlags(msgspec.Struct, frozen=True):
    """The flagged lines that nobody looked at, and the number of unchecked notes."""

    flags: tuple[NoteFlag, ...] = ()
    unread: int = 0

    def of(self, path: str) -> tuple[Flag, ...]:
        """Selects the flags of one note."""
        return tuple(Flag(flag.line, flag.rule) for flag in self.flags if flag.path == path)


class _Kept(msgspec.Struct, array_like=True):
    rules: str
    notes: dict[str, tuple[FlaggedLine, ...]]
    answered: set[str]


class FlaggedNotes:
    """Stores flagged lines by the note's hash, and answered keys; a damaged file counts as empty."""

    def __init__(self, file: Path) -> None:
        self._file, self.changed = file, False
        kept = self._load()
        self.is_new = kept is None
        self.notes = kept.notes if kept is not None and kept.rules == rules_version() else {}
        self.answered = kept.answered if kept is not None else set[str]()

    def answer(self, keys: Iterable[str]) -> None:
        """Stores the lines that the operator saw or approved."""
        self.changed, self.is_new = True, False
        self.answered |= set(keys)

    def save(self, present: Collection[str]) -> None:
        """Stores changes for the next start, without notes whose hashes are not `present`."""
        if self.changed:
            other = self._load()  # another process may have taken in an answer meanwhile
            self.answered |= other.answered if other is not None else set()
            notes = {sha256: flags for sha256, flags in self.notes.items() if sha256 in present}
            with suppress(OSError):  # what is not kept is judged again
                write_private(self._file, msgspec.msgpack.encode(_Kept(rules_version(), notes, self.answered)))
                self.changed = False

    def _load(self) -> _Kept | None:
        try:
            return msgspec.msgpack.decode(self._file.read_bytes(), type=_Kept)
        except (OSError, msgspec.MsgspecError):
            return None


def flagged_lines(text: str, flags: Iterable[Flag]) -> tuple[FlaggedLine, ...]:
    """Returns the flagged lines of a text in the form that is stored."""
    from engine.text.derived import redacted_lines

    found, lines = tuple(flags), text.split("\n")
    clean = redacted_lines(lines) if found else []
    keys = (f"{flag.rule}\n{' '.join(lines[flag.line - 1].split())}".encode("utf-8", "replace") for flag in found)
    return tuple(
        FlaggedLine(one.line, one.rule, sha256_hex(key)[:16], clean[one.line - 1][:LONGEST])
        for one, key in zip(found, keys, strict=True)
    )


def is_told(path: str, flagged: FlaggedLine) -> bool:
    """Tells whether a flag is shown to the operator. A guess of a learnt rule is not, if the line records the
    assistant's own words or is archived, which no platform loads (D52). Such a line is still flagged at the agent."""
    return flagged.rule not in LEARNT or not (is_archived(path) or _SAID_BY_AGENT.match(flagged.text))


def is_own_file(path: str) -> bool:
    """Tells whether a file holds the operator's instructions, like AGENTS.md, CLAUDE.md or USER.md."""
    return is_instructions(path) or path.rpartition("/")[2] in IDENTITY_FILES


@cache
def rules_version() -> str:
    """Returns a hash of the rules' files."""
    folder = Path(poison.__path__[0])
    files = (file for file in sorted(folder.rglob("*")) if file.suffix in (".py", ".toml", ".msgpack"))
    return sha256_hex(b"".join(sha256_hex(file.read_bytes()).encode() for file in files))[:16]
