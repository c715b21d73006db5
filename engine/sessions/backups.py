"""Backups of whole sessions in the operator's state: verified, kept 30 days, searchable (decision B19)."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from engine.errors import MemdeckError
from engine.sessions.folder import SessionFolder
from engine.sessions.messages import SessionMessage
from engine.sessions.session_file import read_session
from engine.state.database import StateDatabase
from engine.state.private_files import make_private, remove_private, write_private
from engine.state.table import Instant, StateTable, Table
from engine.text.canonical_json import sha256_hex
from engine.text.secrets.detector import redact
from engine.topics.messages import SessionTurn
from engine.workspace.paths import open_file_at

KEPT = timedelta(days=30)  # the time for which a session's backup is kept (decision B19)
MOST_BYTES = 1024 * 1024 * 1024  # bytes of a session file beyond which none is backed up
_FOLDER = "session-backups"
_PIECE = 4 * 1024 * 1024  # bytes of a session file, or of a backup, that are read at once


class SessionBackup(msgspec.Struct, frozen=True, kw_only=True):
    """A copy of a session file at an instant. `lines`: the complete lines by then."""

    source: str
    file: str
    sha256: str
    size: int
    lines: int
    at: Instant


class SessionBackups:
    """Makes and finds backups, outside the workspace."""

    def __init__(self, state: Path, database: StateDatabase) -> None:
        self._folder = state / _FOLDER
        self._table = Table(database, StateTable.SESSION_BACKUPS)

    def all(self) -> tuple[SessionBackup, ...]:
        """Returns every recorded backup, the oldest first."""
        return tuple(self._table.values(SessionBackup).values())

    def make(self, place: SessionFolder, path: str, now: datetime) -> SessionBackup:
        """Copies a session file, once, and verifies it; deletes backups after 30 days. `MemdeckError` if it differs."""
        source, data = place.source(path), _bytes(place, path)
        digest = sha256_hex(data)
        known = next((backup for backup in self.all() if (backup.source, backup.sha256) == (source, digest)), None)
        # Read back: a backup that the disk lost is made again.
        if known is not None and self._is_whole(known):
            return known
        make_private(self._folder)
        file, lines = f"{digest}{Path(path).suffix}", data.count(b"\n")
        backup = SessionBackup(source=source, file=file, sha256=digest, size=len(data), lines=lines, at=now)
        write_private(self._folder / backup.file, data)
        if not self._is_whole(backup):
            raise MemdeckError("the backup is not what was written", where=backup.file, hint="look after the disk")
        # Recorded only once the copy is read back and whole.
        with self._table.change() as rows:
            rows.put(f"{source}@{digest[:16]}", msgspec.json.encode(backup))
        self._expire(now)
        return backup

    @contextmanager
    def place(self) -> Iterator[SessionFolder]:
        """Opens the folder of the backups, to be read like session files."""
        place = SessionFolder.open(self._folder)
        try:
            yield place
        finally:
            place.close()

    def messages(self, backup: SessionBackup, longest: int) -> tuple[SessionMessage, ...]:
        """Returns the messages of a backup in order."""
        with self.place() as place:
            return read_session(place, backup.file, longest).messages

    def find(self, words: str, most: int = 50) -> Iterator[tuple[SessionBackup, SessionTurn]]:
        """Yields the turns with all these words, in any case, newest backup first, each turn once."""
        wanted, seen = words.casefold().split(), set[tuple[str, int]]()
        for backup in reversed(self.all()):
            for heard in self.messages(backup, _PIECE) if (self._folder / backup.file).is_file() else ():
                text = heard.message.text
                place = (backup.source, heard.line)
                if place not in seen and all(word in text.casefold() for word in wanted):
                    seen.add(place)
                    clean, role = redact(text, keep_lines=True), heard.role.value
                    yield backup, SessionTurn(source=backup.source, line=heard.line, role=role, text=clean)
                    if len(seen) >= most:
                        return

    def _is_whole(self, backup: SessionBackup) -> bool:
        try:
            return sha256_hex((self._folder / backup.file).read_bytes()) == backup.sha256
        except OSError:
            return False

    def _expire(self, now: datetime) -> None:
        rows = self._table.values(SessionBackup)
        if not (old := {key: one for key, one in rows.items() if now - one.at > KEPT}):
            return
        # Rows first: a kill between them leaves a file that nobody names, never a row without its file.
        with self._table.change() as changed:
            for key in old:
                changed.drop(key)
        # Two backups with the same bytes share a file.
        kept = {one.file for key, one in rows.items() if key not in old}
        for backup in old.values():
            if backup.file not in kept and (self._folder / backup.file).is_file():
                remove_private(self._folder / backup.file)


def _bytes(place: SessionFolder, path: str) -> bytes:
    parent, _, name = path.rpartition("/")
    with place.root.folder(parent, wanted=path) as folder:
        fd = open_file_at(folder, name)
    try:
        size = os.fstat(fd).st_size
        if size > MOST_BYTES:
            raise MemdeckError("larger than a backup may be", where=place.source(path))
        parts = []
        while size > 0 and (part := os.read(fd, min(size, _PIECE))):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)
    finally:
        os.close(fd)
