"""The files that held what `state.db` holds: taken over once, then kept beside for `recover` alone."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from engine.state.failpoints import step
from engine.state.private_files import fsync_folder
from engine.state.rows import FOLLOWED_PATHS, JOB_RUNS, READ_MARKS, REFERENCES, SAVED_SEARCHES, SNOOZES, TableRows

if TYPE_CHECKING:
    import apsw

BESIDE = "before-state-db"
"""The folder in which the files lie after they were taken over."""
_LARGEST = 16 * 1024 * 1024
_MARKS = "followed-*.json"
_UNREADABLE = (OSError, ValueError, KeyError, RecursionError, msgspec.MsgspecError)

Found = dict[str, bytes]


def _instants(data: bytes) -> Found:
    found = msgspec.json.decode(data, type=dict[str, datetime])
    # Of years at the ends of the calendar no other zone's time can be told.
    there = {key: at.astimezone(UTC) for key, at in found.items() if at.tzinfo is not None and 1 < at.year < 9999}
    return {key: msgspec.json.encode(at) for key, at in there.items()}


def _searches(data: bytes) -> Found:
    found = msgspec.json.decode(data, type=list[dict[str, Any]])
    return {str(search["name"]): msgspec.json.encode(search) for search in found}


def _counts(data: bytes) -> Found:
    return {key: msgspec.json.encode(n) for key, n in msgspec.json.decode(data, type=dict[str, int]).items()}


def _paths(data: bytes) -> Found:
    return dict.fromkeys(msgspec.json.decode(data, type=list[str]), b"{}")


class _Places(msgspec.Struct):
    places: dict[str, msgspec.Raw] = {}


def read_mark_key(consumer: str, place: str) -> str:
    """The key of one place's marks: each consumer reads for itself."""
    return f"{consumer}\n{place}"


def _marks(consumer: str) -> Callable[[bytes], Found]:
    def read(data: bytes) -> Found:
        places = msgspec.json.decode(data, type=_Places).places
        return {read_mark_key(consumer, place): bytes(marks) for place, marks in places.items()}

    return read


_READERS: dict[str, tuple[str, Callable[[bytes], Found]]] = {
    "last-runs.json": (JOB_RUNS, _instants),
    "searches.json": (SAVED_SEARCHES, _searches),
    "references.json": (REFERENCES, _counts),
    "followed.json": (FOLLOWED_PATHS, _paths),
    "snoozed.json": (SNOOZES, _instants),
}


def was_before(folder: Path) -> bool:
    """Tells whether files lie in the state folder that are still to be taken over."""
    return next(_files(folder), None) is not None


def take_over(connection: "apsw.Connection", folder: Path) -> None:
    """Puts the facts of every file into their tables, inside the caller's transaction."""
    for table, facts in read_files(folder):
        step(f"state-take-over-{table}")
        rows = TableRows(connection, table)
        for key, body in facts.items():
            rows.put(key, body)


def read_files(folder: Path) -> Iterator[tuple[str, Found]]:
    """The facts of each file that can be read, with the table they belong to."""
    for file in _files(folder):
        table, read = _reader(file)
        with suppress(*_UNREADABLE):
            yield table, read(_bytes(file))


def unreadable(folder: Path) -> tuple[Path, ...]:
    """The files beside of which nothing could be taken over."""
    return tuple(file for file in _files(folder / BESIDE) if not _is_readable(file))


def keep_beside(folder: Path) -> None:
    """Moves the files that were taken over into a folder of their own; one of that name already there stays."""
    files = list(_files(folder))
    if not files:
        return
    beside = folder / BESIDE
    beside.mkdir(mode=0o700, exist_ok=True)
    for file in files:
        step("state-keep-beside")
        with suppress(FileNotFoundError):  # another process moved it
            if not (beside / file.name).exists():
                file.rename(beside / file.name)
    for changed in (beside, folder):
        fsync_folder(changed)


def _files(folder: Path) -> Iterator[Path]:
    yield from (folder / name for name in _READERS if (folder / name).is_file())
    yield from sorted(folder.glob(_MARKS))


def _reader(file: Path) -> tuple[str, Callable[[bytes], Found]]:
    return _READERS.get(file.name) or (READ_MARKS, _marks(file.stem.removeprefix("followed-")))


def _is_readable(file: Path) -> bool:
    try:
        _reader(file)[1](_bytes(file))
    except _UNREADABLE:
        return False
    return True


def _bytes(file: Path) -> bytes:
    if file.stat().st_size > _LARGEST:
        raise ValueError("too large")
    return file.read_bytes()
