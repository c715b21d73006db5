"""Keeps displaced files: their bytes for good by sha256, and the inode for a day (decision A10)."""

import os
import re
from collections.abc import Container, Iterator
from contextlib import suppress
from datetime import timedelta
from itertools import chain
from pathlib import Path

import msgspec

from engine.errors import Damaged, Refused
from engine.plans.operation import Held
from engine.state.folder import StateFolder
from engine.state.private_files import read_record, remove_private, step, write_private
from engine.text.canonical_json import canonical_json, sha256_hex
from engine.workspace.paths import MAX_KEPT
from engine.workspace.system_calls import beside, fsync_folder, write_all

_SHA256 = re.compile("[0-9a-f]{64}")
HOLD = timedelta(hours=24)  # the time for which a displaced inode is kept at least (decision A10)

_LOST = "memdeck check says whether another copy is left"


class Forgotten(Damaged):
    """The operator had these bytes forgotten."""

    title = Refused.title
    exit_code = Refused.exit_code


FORGOTTEN = "forgotten"  # the list of the sha256 of bytes that were forgotten, in the store's own folder


class DisplacedStore:
    """Bytes by their sha256. Only forgotten ones are removed (decision D62)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._unsynced: set[Path] = set()

    def put(self, data: bytes) -> str:
        """Keeps `data` and gives its sha256. Durable after the next `flush`."""
        sha256 = sha256_hex(data)
        place = self._place(sha256)
        # Compared by its bytes: a damaged one of that name is written anew.
        if self._holds(place, sha256):
            return sha256
        step("displaced-write")
        if not place.parent.is_dir():
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # A new folder's own name must reach the disk as well.
            self._unsynced.add(self.folder)
        with beside(place) as fresh:
            fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                write_all(fd, data)
                os.fsync(fd)
            finally:
                os.close(fd)
            step("displaced-rename")
            fresh.replace(place)
        self._unsynced.add(place.parent)
        return sha256

    def flush(self) -> None:
        """Makes everything put so far durable; syncs each folder once."""
        for folder in sorted(self._unsynced):
            step("displaced-folder-fsync")
            fsync_folder(folder)
        self._unsynced.clear()

    def forget(self, sha256: str) -> None:
        """Records that bytes are forgotten, before they are removed; ignores names that are no sha256."""
        known = self.forgotten()
        if _SHA256.fullmatch(sha256) and sha256 not in known:
            write_private(self.folder / FORGOTTEN, "\n".join(sorted({*known, sha256})).encode())

    def forgotten(self) -> frozenset[str]:
        try:
            return frozenset((self.folder / FORGOTTEN).read_text("ascii").split())
        except FileNotFoundError:
            return frozenset()

    def get(self, sha256: str) -> bytes:
        """Gives the bytes with this hash. `Damaged` if missing or altered; `Forgotten` if forgotten on request."""
        place = self._place(sha256)
        if not place.exists() and sha256 in self.forgotten():
            what = "what would come back holds words that were forgotten, and is gone for good"
            raise Forgotten(what, where=sha256[:12], hint="memdeck log names the operation `forget`")
        try:
            data = place.read_bytes()
        except OSError as error:
            message = f"displaced bytes are missing: {error.strerror}"
            raise Damaged(message, where=str(place), hint=_LOST) from error
        if sha256_hex(data) != sha256:
            raise Damaged("displaced bytes were altered", where=str(place), hint=_LOST)
        return data

    def has(self, sha256: str) -> bool:
        """Tells whether the store has these bytes unaltered."""
        return self._holds(self._place(sha256), sha256)

    def hashes(self) -> list[str]:
        return sorted(sha256 for sha256, _ in self.files())

    def files(self) -> Iterator[tuple[str, os.stat_result]]:
        """Yields the sha256 and file metadata of all kept bytes."""
        for place in filter(Path.is_dir, self.folder.glob("??")):
            with os.scandir(place) as entries:
                for entry in entries:
                    if _SHA256.fullmatch(entry.name):
                        with suppress(FileNotFoundError):
                            yield entry.name, entry.stat(follow_symlinks=False)

    def _place(self, sha256: str) -> Path:
        return self.folder / sha256[:2] / sha256

    @staticmethod
    def _holds(place: Path, sha256: str) -> bool:
        try:
            return sha256_hex(place.read_bytes()) == sha256
        except OSError:
            return False


class HeldFiles:
    """Records which inodes are held until when, in one file per operation."""

    def __init__(self, state: StateFolder) -> None:
        self.folder = state.held_log

    def record(self, operation_id: str, held: tuple[Held, ...]) -> None:
        """Records the files that an operation displaced; no record without any."""
        if held:
            write_private(self.folder / f"{operation_id}.json", canonical_json(held))

    def forget(self, operation_id: str) -> None:
        """Removes an operation's record once none of its files is held."""
        remove_private(self.folder / f"{operation_id}.json")

    def entries(self) -> dict[str, tuple[Held, ...]]:
        what, files = "the record of held files cannot be read", sorted(self.folder.glob("[!.]*.json"))
        return {file.stem: read_record(file, tuple[Held, ...], what) or () for file in files}


class LateHeld(msgspec.Struct, frozen=True):
    """A held file that somebody changed after `operation` had displaced it, with its present bytes."""

    operation: str
    held: Held
    data: bytes


def late_bytes(state: StateFolder, store: DisplacedStore, operation_id: str | None = None) -> tuple[LateHeld, ...]:
    """Finds held files, of one operation or all, that somebody changed, and keeps their bytes in the store."""
    found = []
    for name, held in HeldFiles(state).entries().items():
        for file in held if operation_id in (None, name) else ():
            data = read_held(file)
            if data is None or sha256_hex(data) == file.sha256:
                continue
            if len(data) <= MAX_KEPT:
                store.put(data)
            found.append(LateHeld(name, file, data))
    store.flush()
    return tuple(found)


def refill(state: StateFolder, store: DisplacedStore, wanted: Container[str]) -> tuple[str, ...]:
    """Copies lost bytes with the sha256 `wanted` from held files to the store; gives the files' workspace paths."""
    back, forgotten = [], store.forgotten()
    for file in chain.from_iterable(HeldFiles(state).entries().values()):
        if (
            file.sha256 in wanted
            and file.sha256 not in forgotten
            and not store.has(file.sha256)
            and (data := unaltered(file)) is not None
        ):
            store.put(data)
            back.append(file.path)
    store.flush()
    return tuple(back)


def unaltered(held: Held) -> bytes | None:
    """Gives the bytes of a held file if they are unchanged, else None."""
    data = read_held(held)
    return data if data is not None and sha256_hex(data) == held.sha256 else None


def read_held(held: Held) -> bytes | None:
    """Reads a held file, the beginning of a too large one, without following links; None where it is gone."""
    try:
        fd = os.open(held.place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(fd, "rb") as file:
        # One byte more than is kept, so that a longer file has another hash and another length.
        return file.read(MAX_KEPT + 1)
