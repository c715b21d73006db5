"""Keeps a replay in a copy of the folder, where there is no git: the steps overwrite files there (§10.4, D28). The copy
is the operator's to look at and to remove; the state remembers that memdeck made it, so that no other folder is ever
written."""

import os
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path

import msgspec

from engine.errors import MemdeckError, Refused
from engine.history.replay_worktree import write_below
from engine.state.private_files import write_private
from engine.text.canonical_json import sha256_hex
from engine.text.safe_text import visible_line
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.snapshot import Snapshot


class _Made(msgspec.Struct, frozen=True):
    """A copy as the state remembers it: its folder, and the hash of each file as it was written there."""

    folder: str
    inode: int
    written: Mapping[str, str] = {}


class ReplayCopy(msgspec.Struct, frozen=True, kw_only=True):
    """A copy of the notes, in which a replay leaves its files. `record` is the state's file of it."""

    folder: Path
    snapshot: Snapshot
    record: Path
    made: _Made
    branch: str = ""

    def commit(self) -> str:
        """A copy has no commits."""
        return ""

    def keep(self, _subject: str, files: Mapping[str, bytes], _at: datetime) -> None:
        """A copy keeps no steps: its files are written once all of them are known."""

    def settle(self, after: Mapping[str, bytes], _present: Callable[[str], bytes | None]) -> tuple[str, ...]:
        """Writes the notes as the replay leaves them; what is not written, each in one line."""
        notes = {path: self.snapshot.content(path) for path in self.snapshot.files} | dict(after)
        there, written = self.contents(notes), dict(self.made.written)
        found = []
        for path, data in notes.items():
            present = there.get(path)
            if present is not None and present != data and sha256_hex(present) != written.get(path):
                found.append(f"{visible_line(path)} was edited in {visible_line(str(self.folder))}: it stays there")
                continue
            try:
                if present != data:
                    write_below(self.folder, path, data)
                written[path] = sha256_hex(data)
            except (MemdeckError, OSError) as error:
                found.append(visible_line(f"{path} is not laid out: {error}"))
        write_private(self.record, msgspec.json.encode(msgspec.structs.replace(self.made, written=written)))
        return tuple(found)

    def contents(self, paths: Iterable[str]) -> dict[str, bytes]:
        """The bytes that these files have in the copy."""
        found: dict[str, bytes] = {}
        with WorkspaceRoot.open(self.folder) as root:
            for path in paths:
                try:
                    found[path] = root.read(path)
                except MemdeckError:
                    continue
        return found


def replay_copy(snapshot: Snapshot, folder: Path, record: Path) -> ReplayCopy:
    """The copy of a replay, made where it is not there yet; `Refused` where the folder is another's."""
    known = _known(record)
    if os.path.lexists(folder):
        if known is None or (known.folder, known.inode) != (str(folder), folder.lstat().st_ino):
            raise Refused("there is something already", where=str(folder), hint="choose another --name")
        return ReplayCopy(folder=folder, snapshot=snapshot, record=record, made=known)
    folder.mkdir(parents=True)
    made = _Made(str(folder), folder.lstat().st_ino)
    write_private(record, msgspec.json.encode(made))
    return ReplayCopy(folder=folder, snapshot=snapshot, record=record, made=made)


def _known(record: Path) -> _Made | None:
    try:
        return msgspec.json.decode(record.read_bytes(), type=_Made)
    except (OSError, msgspec.DecodeError):
        return None
