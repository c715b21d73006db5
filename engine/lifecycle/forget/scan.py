"""Scans every byte of folders and of git for words, without knowing any plan (decision D62)."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec

from engine.errors import MemdeckError
from engine.history.git import LONG, Git
from engine.lifecycle.forget.sought_words import WordMatcher, count_in
from engine.workspace.private_database import connect

_SQLITE = b"SQLite format 3\0"  # the first bytes of every database


class Trace(msgspec.Struct, frozen=True, kw_only=True):
    """A place that has the words, or could not be read; `reason` tells why, if known."""

    place: str
    what: str
    count: int = 0
    reason: str = ""


class Looked(msgspec.Struct, kw_only=True):
    """The extent of a scan."""

    files: int = 0
    bytes: int = 0
    rows: int = 0
    objects: int = 0


class Scan:
    """One scan, whose methods yield traces; `looked` counts what was read."""

    def __init__(self, matcher: WordMatcher) -> None:
        self._matcher = matcher
        self.looked = Looked()

    def folder(self, top: Path, label: str, skip: tuple[Path, ...] = ()) -> Iterator[Trace]:
        """Yields the traces in a folder's names and files, without following links or entering `skip`."""
        for folder, names, files in os.walk(top):
            names[:] = sorted(name for name in names if Path(folder, name) not in skip)
            for name in (*names, *sorted(files)):
                path = Path(folder, name)
                shown = f"{label}{path.relative_to(top).as_posix()}"
                if count := self._matcher.count(name):
                    yield Trace(place=shown, what="a name", count=count, reason="a file's name is not changed")
                if name in files:
                    yield from self.file(path, shown)

    def file(self, path: Path, shown: str) -> Iterator[Trace]:
        """Yields the traces in one file: in its bytes, unpacked if packed, and in the rows of a database."""
        try:
            if path.is_symlink() or not path.is_file():
                data = os.fsencode(path.readlink()) if path.is_symlink() else b""
            else:
                data = path.read_bytes()
                self.looked.files += 1
                self.looked.bytes += len(data)
            if count := count_in(data, self._matcher):
                yield Trace(place=shown, what="its bytes", count=count)
            if data.startswith(_SQLITE):
                yield from self._rows(path, shown)
        except FileNotFoundError:
            return
        except (OSError, ValueError, MemoryError) as error:
            yield Trace(place=shown, what="not read", reason=str(getattr(error, "strerror", None) or error))

    def _rows(self, path: Path, shown: str) -> Iterator[Trace]:
        """Reads all rows, whose values may span pages; free pages are read only as bytes."""
        import apsw

        try:
            with closing(connect(path, "", 0, read_only=True)) as database:
                free = database.execute("PRAGMA freelist_count").fetchone()
                if free and free[0]:
                    yield Trace(place=shown, what="free pages", reason=f"{free[0]:,}: looked at as bytes, page by page")
                names = database.execute("SELECT name FROM sqlite_schema WHERE type='table' AND rootpage")
                rows = (row for (name,) in names.fetchall() for row in database.execute(f'SELECT * FROM "{name}"'))  # noqa: S608
                if count := sum(map(self._row, rows)):
                    yield Trace(place=shown, what="rows", count=count)
        except apsw.Error as error:
            yield Trace(place=shown, what="not read as a database", reason=str(error))

    def _row(self, row: tuple[object, ...]) -> int:
        self.looked.rows += 1
        values = (value.encode() if isinstance(value, str) else value for value in row)
        return sum(count_in(value, self._matcher) for value in values if isinstance(value, bytes))

    def git(self, git: Git) -> Iterator[Trace]:
        """Yields the traces in a repository's objects, reachable or not."""
        found = dict[str, list[str]]()
        try:
            for name, kind, data in _objects(git):
                self.looked.objects += 1
                if count_in(data, self._matcher):
                    found.setdefault(kind, []).append(name)
        except MemdeckError as error:
            yield Trace(place="git", what="not read", reason=error.line())
        for kind, names in sorted(found.items()):
            told = ", ".join(name[:12] for name in names[:3])
            yield Trace(place=f"git, {kind}s", what="objects", count=len(names), reason=f"git's history stays ({told})")


def _objects(git: Git) -> Iterator[tuple[str, str, bytes]]:
    """Yields id, kind and content of every object; `MemdeckError` where git cannot read one."""
    pieces = git.stream("cat-file", "--batch-all-objects", "--unordered", "--batch", timeout=5 * LONG)
    held = bytearray()
    for piece in pieces:
        held += piece
        while (end := held.find(b"\n")) >= 0:
            head = held[:end].decode("ascii", "replace").split(" ")
            if len(head) != 3:
                raise MemdeckError(f"git cannot read an object: {' '.join(head)[:80]}", where="git", hint="git fsck")
            last = end + 1 + int(head[2])
            if len(held) <= last:
                break
            yield head[0], head[1], bytes(held[end + 1 : last])
            del held[: last + 1]
    if held:
        raise MemdeckError("git's answer ended within an object", where="git", hint="git fsck")
