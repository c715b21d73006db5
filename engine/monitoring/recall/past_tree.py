"""Reconstructs the workspace's files at an instant, each with its source and certainty (decision D50)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from hashlib import sha1, sha256

import msgspec

from engine.errors import MemdeckError
from engine.history.repository_history import blobs, commit_at, last_changes, tree_of
from engine.monitoring.recall.timeline import Sources, Teller
from engine.plans.diff import FileDiff, file_diff
from engine.plans.operation import Operation, OperationState, Write
from engine.plans.past_effects import took_place
from engine.plans.prediction import effect_sides
from engine.workspace.layout import is_closed_folder, is_note
from engine.workspace.paths import relative_path


class PastFile(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A file at an instant. `key`: its bytes for the `teller`: a blob, a sha256, or its present path. `ref`, `changed`:
    its last change, empty and None if unknown. `sure`: no record suggests other bytes at that instant."""

    path: str
    teller: Teller
    at: datetime | None
    key: str
    ref: str = ""
    size: int | None = None
    changed: datetime | None = None
    sure: bool = True


class PastTree(msgspec.Struct, frozen=True, kw_only=True):
    """All files at an instant, by path. `oldest`: since when anything is known."""

    at: datetime
    files: Mapping[str, PastFile]
    commit: str  # the commit that it starts from; empty where git tells nothing
    unknown: tuple[str, ...]  # paths of now of which nobody knows whether they were there
    oldest: datetime | None  # the oldest operation that was asked; None for none


Written = Callable[[str], datetime | None]
"""Returns when a file was last written, by its mtime; None if unknown."""


def tree_at(at: datetime, sources: Sources, notes: Iterable[str], written: Written) -> PastTree:
    """Reconstructs the notes at an instant. `notes`: the present paths."""
    repository = sources.repository
    commit = commit_at(repository, at) if repository is not None else None
    tree = tree_of(repository, commit.id) if repository is not None and commit is not None else {}
    tracked = frozenset(tree_of(repository, "HEAD")) if repository is not None and repository.head() else frozenset()
    ended = [operation for operation in sources.operations if operation.state is not OperationState.RUNNING]
    later, earlier = [one for one in ended if one.started_at > at], [one for one in ended if one.started_at <= at]
    told = _Told()
    if commit is not None:
        notes_there = {path: one for path, one in tree.items() if _is_memory(path)}
        last = last_changes(repository, commit.id, notes_there) if repository is not None else {}
        for path, one in notes_there.items():
            by = last.get(path)
            told.files[path] = PastFile(
                path=path,
                teller=Teller.GIT,
                at=commit.at,
                key=one.blob,
                ref=by.id if by is not None else "",
                size=one.size,
                changed=by.at if by is not None else None,
            )
    for operation in reversed(earlier):  # oldest first: what git does not have yet is put upon the commit
        if commit is None or not operation.commit or operation.started_at > commit.at:
            told.do(operation)
    unknown = _from_now(told, (path for path in notes if path not in tracked), written, at)
    for operation in later:  # newest first: undone again, for files that git does not have
        told.undo(operation, tracked)
    return PastTree(
        at=at,
        files=dict(sorted(told.files.items())),
        commit=commit.id if commit else "",
        unknown=tuple(sorted(path for path in unknown if path not in told.files)),
        oldest=min((operation.started_at for operation in (*later, *earlier)), default=None),
    )


def present_tree(sources: Sources, notes: Iterable[str]) -> PastTree:
    """Returns the files as they are now."""
    files = {path: PastFile(path=path, teller=Teller.NOW, at=sources.now, key=path) for path in sorted(notes)}
    return PastTree(at=sources.now, files=files, commit="", unknown=(), oldest=None)


def contents(tree: PastTree, sources: Sources, paths: Iterable[str]) -> dict[str, bytes]:
    """Returns the bytes of these files at that instant; omits lost and too large ones."""
    wanted = [tree.files[path] for path in paths if path in tree.files]
    git = {file.key for file in wanted if file.teller is Teller.GIT}
    committed = blobs(sources.repository, git) if sources.repository is not None else {}
    return {file.path: data for file in wanted if (data := _bytes(file, committed, sources)) is not None}


def differing(before: PastTree, after: PastTree, sources: Sources) -> tuple[str, ...]:
    """Returns the paths whose bytes differ between two instants; compares names of bytes where possible."""
    paths = sorted({*before.files, *after.files})
    return tuple(path for path in paths if not _same(before.files.get(path), after.files.get(path), sources))


def diffs(before: PastTree, after: PastTree, sources: Sources, paths: Iterable[str]) -> Iterator[FileDiff]:
    """Yields the differences of these files between two instants."""
    wanted = tuple(paths)
    old, new = contents(before, sources, wanted), contents(after, sources, wanted)
    for path in wanted:
        left, right = old.get(path), new.get(path)
        lost = (path in before.files and left is None) or (path in after.files and right is None)
        if lost or (left is None and right is None):
            note = "not shown: one side is too large or was not kept"
            yield FileDiff(path=path, to=None, rows=(), added=0, removed=0, note=note)
        elif left != right:
            yield file_diff(path, left, right)


class _Told:
    """The files while operations are applied or reversed."""

    def __init__(self) -> None:
        self.files: dict[str, PastFile] = {}

    def do(self, operation: Operation) -> None:
        """Applies the operation's effects."""
        for path, _, after in _notes(operation):
            self._put(path, after, operation, sure=True)

    def undo(self, operation: Operation, tracked: frozenset[str]) -> None:
        """Reverses an operation outside git; unsure, as the agent may have written the earlier bytes before it."""
        for path, before, _ in _notes(operation):
            known = self.files.get(path)
            told = known is not None and known.teller is Teller.OPERATION and known.sure
            if path not in tracked and not told:
                self._put(path, before, operation, sure=False)

    def _put(self, path: str, key: str | None, operation: Operation, *, sure: bool) -> None:
        if key is None:
            self.files.pop(path, None)
            return
        at, teller = operation.started_at, Teller.OPERATION
        self.files[path] = PastFile(path=path, teller=teller, at=at, key=key, ref=operation.id, changed=at, sure=sure)


def _from_now(told: _Told, paths: Iterable[str], written: Written, at: datetime) -> tuple[str, ...]:
    """Takes present files not written since by mtime; returns the others."""
    unknown = []
    for path in paths:
        if path in told.files:
            continue
        since = written(path)
        if since is not None and since <= at:
            told.files[path] = PastFile(path=path, teller=Teller.NOW, at=since, key=path, changed=since, sure=False)
        else:
            unknown.append(path)
    return tuple(unknown)


def _notes(operation: Operation) -> Iterator[tuple[str, str | None, str | None]]:
    sides = effect_sides(operation.effects[index] for index in took_place(operation))
    return (side for side in sides if _is_memory(side[0]))


def _is_memory(path: str) -> bool:
    """Tells whether a scan finds notes at a path; a tree in git may contain any name."""
    *folders, name = path.split("/")
    try:
        inside = relative_path(path) == path
    except MemdeckError:
        return False
    return inside and is_note(name) and not any(map(is_closed_folder, folders))


def _bytes(one: PastFile, committed: Mapping[str, bytes], sources: Sources) -> bytes | None:
    match one.teller:
        case Teller.GIT:
            return committed.get(one.key)
        case Teller.NOW:
            return sources.present(one.path)
        case _:
            return sources.bytes_of(one.key, one.path) or _written(one, sources)


def _written(one: PastFile, sources: Sources) -> bytes | None:
    try:
        operation = sources.operations.load(one.ref)
    except MemdeckError:
        return None
    writes = (effect for effect in operation.effects if isinstance(effect, Write))
    write = next((effect for effect in writes if effect.after == one.key), None)
    return sources.written(operation, write) if write is not None else None


def _same(left: PastFile | None, right: PastFile | None, sources: Sources) -> bool:
    if left is None or right is None:
        return left is right
    # Names of one teller are compared without reading a byte.
    if left.teller is right.teller:
        return left.key == right.key
    one, other = (left, right) if left.teller is Teller.GIT else (right, left)
    if one.teller is Teller.GIT:
        data = _bytes(other, {}, sources)
        return data is not None and _blob_name(data, len(one.key)) == one.key
    return _bytes(left, {}, sources) == _bytes(right, {}, sources)


def _blob_name(data: bytes, digits: int) -> str:
    # 40 hexadecimal digits are a SHA-1, as git's older format has them.
    made = sha1(b"blob %d\0" % len(data), usedforsecurity=False) if digits == 40 else sha256(b"blob %d\0" % len(data))
    made.update(data)
    return made.hexdigest()
