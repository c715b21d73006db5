"""Compares two folders: the notes that differ, and what cannot be compared, with reasons."""

from pathlib import Path

import msgspec

from engine.errors import MemdeckError, UsageError
from engine.text.document import decode
from engine.text.safe_text import visible_line
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.values import Progress, Tick, steps
from engine.workspace.walk import Walk

MOST_FILES = 20_000  # notes on either side; more are refused
MOST_BYTES = 64 * 1024 * 1024  # bytes of all notes that differ; a plan holds them all, so that more is refused


class ChangedNote(msgspec.Struct, frozen=True):
    """A note that differs between the folders; None where a folder lacks it."""

    path: str
    before: bytes | None
    after: bytes | None


class FolderPair(msgspec.Struct, frozen=True, kw_only=True):
    """Two folders: the number of equal notes, the differing ones, and those not compared, with reasons."""

    same: int
    changed: tuple[ChangedNote, ...]
    problems: tuple[str, ...]


def read_pair(before: Path, after: Path, tick: Tick | None) -> FolderPair:
    """Compares the notes of two folders by path, without following links. `UsageError` where one is no folder or
    lies in the other. A note that cannot be read does not count as removed."""
    with _opened(before, "BEFORE") as old, _opened(after, "AFTER") as new:
        _apart(Path(old.identity.path), Path(new.identity.path))
        return _compared((_side("BEFORE", old, tick), _side("AFTER", new, tick)), tick)


_Side = tuple[str, WorkspaceRoot, Walk]


def _opened(place: Path, name: str) -> WorkspaceRoot:
    try:
        return WorkspaceRoot.open(place)
    except MemdeckError as error:
        raise UsageError(f"{name} is no folder that can be read", where=str(place), hint="name two folders") from error


def _apart(before: Path, after: Path) -> None:
    if before == after:
        raise UsageError("both are one folder", where=str(before), hint="name the folder before and the one after")
    if before in after.parents or after in before.parents:
        raise UsageError("one folder lies in the other", where=f"{before}, {after}", hint="copy it elsewhere first")


def _side(name: str, root: WorkspaceRoot, tick: Tick | None) -> _Side:
    def counted(files: int) -> None:
        if files > MOST_FILES:
            hint = "name folders further down"
            raise UsageError(f"more than {MOST_FILES:,} notes", where=root.identity.path, hint=hint)
        if tick is not None:
            tick(Progress(f"listing {name}", files))

    walk = Walk(counted)
    walk.walk(root)
    return name, root, walk


def _compared(sides: tuple[_Side, _Side], tick: Tick | None) -> FolderPair:
    skipped = [(name, path, why) for name, _, walk in sides for path, why in sorted(walk.skipped.items())]
    problems = [f"{name}/{visible_line(path)}: {why}" for name, path, why in skipped]
    closed = frozenset(path for _, path, _ in skipped)
    paths = sorted({path for _, _, walk in sides for path in walk.files})
    changed: list[ChangedNote] = []
    same = total = 0
    for path in steps([one for one in paths if not _under(one, closed)], "comparing notes", tick):
        try:
            before, after = (_read(side, path) for side in sides)
        except MemdeckError as error:
            problems.append(error.line())
            continue
        if before == after:
            same += 1
            continue
        changed.append(ChangedNote(path, before, after))
        total += len(before or b"") + len(after or b"")
        # All differing notes are held in memory until the plan is made.
        if total > MOST_BYTES:
            limit = f"more than {MOST_BYTES // 2**20} MiB of notes differ"
            raise UsageError(limit, where=visible_line(path), hint="name folders further down")
    return FolderPair(same=same, changed=tuple(changed), problems=tuple(problems))


def _read(side: _Side, path: str) -> bytes | None:
    """Reads a note of one side; None where it has none. Errors name the side."""
    name, root, walk = side
    if path not in walk.files:
        return None
    try:
        data = root.read(path)
        decode(data)
    except MemdeckError as error:
        raise MemdeckError(error.message, where=f"{name}/{path}") from error
    return data


def _under(path: str, skipped: frozenset[str]) -> bool:
    """Tells whether a path, or a folder above it, was skipped on one side."""
    parts = path.split("/")
    return any("/".join(parts[:depth]) in skipped for depth in range(len(parts) + 1))
