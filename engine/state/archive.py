"""The operator's state as one tar of plain files, ended by a manifest of their sha256, which all must match."""

import hashlib
import io
import os
import tarfile
from collections.abc import Iterator
from datetime import datetime
from operator import attrgetter
from pathlib import Path, PurePosixPath
from typing import IO

import msgspec

from engine.errors import Damaged, MemdeckError, Refused
from engine.state.private_files import step
from engine.workspace.private_database import connect
from engine.workspace.system_calls import fsync_folder
from engine.workspace.values import Progress, Tick, WorkspaceIdentity

FORMAT = 1  # number of the archive's layout: one that this memdeck does not know is refused, never read half
MANIFEST = "manifest.json"
_INSIDE = "state/"  # the folder of all members but the manifest
_DATABASE = ".db"
_ANSWERS = ("transcript-days", "transcript-entries", "note-ends", "windows")
_SEARCH = ("index.journal", "index.seal", "index.turn")
"""Files about `memory.db` of this workspace, which another workspace does not have."""
_CACHES = ("cache", "topics.cache", "operations.cache", "operations.db", "checked", *_ANSWERS)
_OWN = ("prompt.sock", "lock", "journal.json", "stage", "held", "held-log", "git", "shared")
LEFT_OUT = frozenset((*_OWN, *_CACHES, *_SEARCH))
"""Files of the state folder that are never archived: of one process, of this machine's inodes, or rebuildable."""
_PASSING = (".new", "-wal", "-shm")  # temporary files, and logs whose content the copy has
_MOST_FILES = 2_000_000  # members of an archive that are read at most, whatever its manifest says
_LARGEST_MANIFEST = 512 * 1024 * 1024  # bytes of the list of files and hashes, which is decoded in memory
_LONGEST_NAME = 255  # bytes of a name that file systems take
_CHUNK = 1 << 20  # bytes of a file that are hashed and written at once


class ArchivedFile(msgspec.Struct, frozen=True, gc=False):
    """A file of the state folder: its path there, its size in bytes and its sha256."""

    path: str
    size: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """All files of an archive, and the workspace that they belong to."""

    format: int
    made_at: datetime
    workspace: WorkspaceIdentity
    files: tuple[ArchivedFile, ...]


def pack(folder: Path, target: IO[bytes], workspace: WorkspaceIdentity, now: datetime, tick: Tick | None) -> Manifest:
    """Writes the state folder as an archive. The caller holds the workspace's lock. Raises `OSError`."""
    files = []
    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for done, (path, source) in enumerate(_sources(folder)):
            if tick is not None:
                tick(Progress("files", done))
            with source as opened:
                size = opened.seek(0, os.SEEK_END)
                opened.seek(0)
                hashed = _Hashed(opened)
                tar.addfile(_info(_INSIDE + path, size), hashed)
                files.append(ArchivedFile(path, size, hashed.sha256.hexdigest()))
        manifest = Manifest(format=FORMAT, made_at=now, workspace=workspace, files=tuple(files))
        data = msgspec.json.encode(manifest)
        tar.addfile(_info(MANIFEST, len(data)), io.BytesIO(data))
    return manifest


def unpack(source: IO[bytes], folder: Path, tick: Tick | None) -> Manifest:
    """Unpacks into an empty folder. `Damaged` where a file differs; `Refused` for all but files below `state/`."""
    unpacked: dict[str, ArchivedFile] = {}
    manifest = None
    try:
        # Uncompressed only: a packed archive of a few bytes could fill the disk.
        with tarfile.open(fileobj=source, mode="r:") as tar:
            for member in tar:
                # The manifest is the last member: what follows it was put there by others.
                if manifest is not None or len(unpacked) >= _MOST_FILES:
                    raise Damaged("more files than its manifest names", where=str(member.name))
                opened = _plain(tar, member)
                if member.name == MANIFEST:
                    manifest = _manifest(opened, member.size)
                    continue
                path = _safe(member.name)
                if path in unpacked:
                    raise Damaged("the same file twice", where=path)
                if tick is not None:
                    tick(Progress("files", len(unpacked)))
                unpacked[path] = _extract(opened, folder, path)
    except tarfile.TarError as error:
        raise Damaged(f"it is no whole archive: {error}") from error
    if manifest is None:
        raise Damaged("it is no whole archive: its manifest is missing")
    by_path = attrgetter("path")
    if sorted(unpacked.values(), key=by_path) != sorted(manifest.files, key=by_path):
        raise Damaged("its files are not those of its manifest: it was altered or cut off")
    for place in (*(file for file in folder.rglob("*") if file.is_dir()), folder):
        fsync_folder(place)
    return manifest


# ── packing ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _sources(folder: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Yields every file to be packed, opened. Index files come before the files that they name."""
    names = sorted(_names(folder, folder), key=lambda name: (name.count("/"), "index" not in name, name))
    for name in names:
        file = folder / name
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
        yield name, _copy_of(file) if name.endswith(_DATABASE) else os.fdopen(os.open(file, flags), "rb")


def _names(folder: Path, top: Path) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if (folder == top and entry.name in LEFT_OUT) or entry.name.endswith(_PASSING):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _names(Path(entry.path), top)
            elif entry.is_file(follow_symlinks=False):
                yield str(Path(entry.path).relative_to(top))


def _copy_of(file: Path) -> IO[bytes]:
    """Copies a database in one consistent state, while others may write to it."""
    import apsw

    try:
        source, copy = connect(file, "", 10_000, read_only=True), apsw.Connection(":memory:")
        try:
            with copy.backup("main", source, "main") as backup:
                backup.step()
            return io.BytesIO(copy.serialize("main"))
        finally:
            copy.close()
            source.close()
    except apsw.Error as error:
        raise Damaged(f"it cannot be read: {error}", where=str(file), hint="memdeck recover") from error


class _Hashed(io.RawIOBase):
    """Computes the sha256 of the bytes while they are read."""

    def __init__(self, source: IO[bytes]) -> None:
        super().__init__()
        self.sha256 = hashlib.sha256()
        self._source = source

    def read(self, size: int = -1, /) -> bytes:
        data = self._source.read(size)
        self.sha256.update(data)
        return data


def _info(name: str, size: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o600
    return info


# ── unpacking ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _plain(tar: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    plain = member.type == tarfile.REGTYPE and not member.issparse() and not member.linkname
    opened = tar.extractfile(member) if plain else None
    if opened is None:
        raise Refused("an archive of the state holds plain files alone", where=member.name)
    return opened


def _safe(name: str) -> str:
    """Gives a member's path in the state folder; `Refused` where it leads outside or may not be imported."""
    path = name.removeprefix(_INSIDE)
    parts = path.split("/")
    odd = not name.startswith(_INSIDE) or not path.isascii() or not path.isprintable() or "\\" in path
    if odd or any(part in ("", ".", "..") or len(part) > _LONGEST_NAME for part in parts) or len(parts) > 4:
        raise Refused("this path leads out of the state folder", where=ascii(name))
    if parts[0] in LEFT_OUT or PurePosixPath(path).name.endswith(_PASSING):
        raise Refused("a state that is imported may not bring this file", where=path)
    return path


def _manifest(opened: IO[bytes], size: int) -> Manifest:
    if size > _LARGEST_MANIFEST:
        raise Damaged("its manifest is too large")
    try:
        found = msgspec.json.decode(opened.read(), type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Damaged(f"its manifest cannot be read: {error}") from error
    if found.format != FORMAT:
        raise MemdeckError(f"it has format {found.format}, and this memdeck reads {FORMAT}", hint="use a newer one")
    return found


def _extract(opened: IO[bytes], folder: Path, path: str) -> ArchivedFile:
    target = folder / path
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    step("state-unpack")
    hashed, size = hashlib.sha256(), 0
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(target, flags, 0o600), "wb") as file:
        while part := opened.read(_CHUNK):
            hashed.update(part)
            size += len(part)
            file.write(part)
        file.flush()
        os.fsync(file.fileno())
    return ArchivedFile(path, size, hashed.hexdigest())
