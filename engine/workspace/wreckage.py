"""Finds notes that are no sources: copies by sync tools, and unresolved merges (decision G32)."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from engine.errors import MemdeckError
from engine.text.pattern_file import made_of, pattern_file
from engine.text.safe_text import visible_line
from engine.workspace.generated import generated_blocks
from engine.workspace.layout import is_archived, is_raw_log
from engine.workspace.values import FileFacts, Skipped

CONFLICT = "merge-conflict"
COPY = " copy of "
_MAYBE = re.compile(r"(?: \d|\)|-[A-Za-z0-9]*[A-Z][\w-]*|\.sync-conflict-[\w-]+)\.md\Z")
_MOST_READ = 1 << 20  # bytes of two notes that are compared by their lines


class SyncCopy(NamedTuple):
    """A copy beside its original. `same`: both have equal bytes."""

    path: str
    original: str
    tool: str
    same: bool

    @property
    def reason(self) -> str:
        kind = "an identical" if self.same else "a conflict"
        settle = "" if self.same else "; memdeck lint --plan offers what only it has"
        return f"{kind}{COPY}{visible_line(self.original)} ({self.tool}), no source{settle}"


class Wreckage:
    """Checks the notes of a workspace; compares each pair of notes only once."""

    def __init__(self, read: Callable[[str], bytes]) -> None:
        self._read = read
        self._alike: dict[tuple[str, str], bool] = {}
        self.found: tuple[SyncCopy, ...] = ()  # the copies at the last look

    def reasons(self, notes: Mapping[str, FileFacts]) -> dict[str, str]:
        """Returns the notes that are no sources, each with the reason."""
        self.found = tuple(self.copies(notes))
        found = {copy.path: copy.reason for copy in self.found}
        for path, facts in notes.items():
            # Of other notes the lines between the markers alone are left out.
            if facts.notes and is_raw_log(path):
                line = self._conflict_line(path) if any(CONFLICT in note for note in facts.notes) else 0
                if line:
                    found[path] = f"{CONFLICT} markers, no source until they are settled, on line {line}"
        return found

    def copies(self, notes: Mapping[str, FileFacts]) -> Iterator[SyncCopy]:
        """Yields the copies by sync tools whose originals exist."""
        for path in notes:
            if _MAYBE.search(path) and not is_archived(path) and (copy := self._copy(path, notes)) is not None:
                yield copy

    def _copy(self, path: str, notes: Mapping[str, FileFacts]) -> SyncCopy | None:
        folder, slash, name = path.rpartition("/")
        for rule in rules()["copy"]:
            found = rule["pattern"].fullmatch(name)
            original = f"{folder}{slash}{found['name']}.md" if found else path
            if original == path or original not in notes:
                continue
            same = notes[path].sha256 == notes[original].sha256
            if same or rule.get("sure") or self._is_alike(notes[path], notes[original]):
                return SyncCopy(path, original, rule["tool"], same)
        return None

    def _is_alike(self, copy: FileFacts, original: FileFacts) -> bool:
        """Tells whether half of the shorter note's lines, without headings, are in the other."""
        key = copy.sha256, original.sha256
        if key not in self._alike and copy.size + original.size <= _MOST_READ:
            try:
                one, other = (_lines(self._read(facts.path)) for facts in (copy, original))
            except MemdeckError:
                return False
            least = min(len(one), len(other))
            self._alike[key] = least > 0 and 2 * len(one & other) >= least
        return self._alike.get(key, False)

    def _conflict_line(self, path: str) -> int:
        try:
            return conflict_line(self._read(path))
        except MemdeckError:
            return 0


def conflict_line(data: bytes) -> int:
    """Returns the first line of an unresolved merge, from 1; 0 if there is none."""
    blocks = generated_blocks(data.decode("utf-8", "replace")) if b"<<<<<<<" in data else ()
    return next((block.start for block in blocks if block.kind == CONFLICT and block.closed), 0)


def is_left(one: Skipped) -> bool:
    """Tells whether a skipped file looks like a note, so that its words would be missed."""
    is_note_name = one.path.endswith(".md") and not one.reason.startswith("an identical")
    return is_note_name or bool(left_reason(one.path.rpartition("/")[2]))


def left_reason(name: str) -> str:
    """Says why a file that looks like a note is none; empty for any other file."""
    return next((rule["reason"] for rule in rules()["left"] if rule["pattern"].fullmatch(name)), "")


@cache
def rules() -> dict[str, list[dict[str, Any]]]:
    """Reads the table of sync tools' names, with compiled patterns."""
    where = "engine/workspace/sync_copies.toml"
    return {
        kind: [{**rule, "pattern": made_of(re.compile, rule["pattern"], where, kind)} for rule in listed]
        for kind, listed in pattern_file(__package__, "sync_copies.toml").items()
    }


def _lines(data: bytes) -> frozenset[str]:
    rows = (row.strip() for row in data.decode("utf-8", "replace").split("\n"))
    return frozenset(row for row in rows if row and not row.startswith("#"))
