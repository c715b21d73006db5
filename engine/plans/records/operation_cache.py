"""A cache of the operations' records, so that few are read; `check` and `log --verify` read them all."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from engine.errors import Damaged
from engine.plans.operation import STANDING, Operation, OperationKind, OperationState, Write, id_order
from engine.workspace.cache import Signature, signature
from engine.workspace.layout import TIER_FOLDERS
from engine.workspace.system_calls import read_cached, write_cached
from engine.workspace.unscanned import Clock, settled_at
from engine.workspace.values import MemoryTier

_FORMAT = "memdeck-operations-1"  # a cache of another format is made again
_SEMANTIC = TIER_FOLDERS[MemoryTier.SEMANTIC] + "/"

Load = Callable[[str], Operation]  # reads the record of that name; `Damaged` where it cannot be read


class Outline(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A record in short. `mark` is the file's change time, inode and size; `damage` the reason if it is unreadable."""

    name: str
    mark: tuple[int, int, int]
    kind: OperationKind = OperationKind.APPLY
    system: str = ""
    state: OperationState = OperationState.RUNNING
    instant: float = 0.0
    """The instant at which it counts as done, in seconds since the epoch, on its plan's clock."""
    semantic: bool = False  # true if it wrote semantic memory (decision A12)
    damage: str = ""

    @property
    def stands(self) -> bool:
        """True for an apply with effects that remain in the workspace."""
        return self.kind is OperationKind.APPLY and self.state in STANDING


class _Stored(msgspec.Struct, frozen=True, array_like=True):
    """The stored cache, newest first. `folder` is None while the folder may change without a new signature."""

    format: str = _FORMAT
    folder: Signature | None = None
    outlines: list[Outline] = []


class OperationCache:
    """Outlines of all records in `folder`, updated from its listing. Safe between threads and processes."""

    def __init__(self, folder: Path, load: Load, clock: Clock = time.time_ns) -> None:
        self._folder = folder
        self._file = folder.with_name(f"{folder.name}.cache")
        self._load = load
        self._clock = clock
        self._known: _Stored | None = None

    def outlines(self, *, look: bool = False) -> list[Outline]:
        """Gives all records, newest first. Lists the folder if it changed or `look`, and reads changed records."""
        known = self._known or _stored(self._file)
        now = self._clock()
        try:
            found = signature(self._folder.stat())
        except FileNotFoundError:
            return []
        if look or known.folder != found:
            # A folder changed a moment ago may change again without a trace: it is listed once more the next time.
            known = self._listed(known, found if settled_at(found) <= now else None)
        self._known = known
        return known.outlines

    def _listed(self, known: _Stored, folder: Signature | None) -> _Stored:
        before = {outline.name: outline for outline in known.outlines}
        found = [
            old if (old := before.get(name)) is not None and old.mark == mark else self._outline(name, mark)
            for name, mark in _records(self._folder)
        ]
        if len(found) == len(before) and all(outline is before.get(outline.name) for outline in found):
            found = known.outlines  # in order already
        else:
            found.sort(key=lambda outline: id_order(outline.name), reverse=True)
        fresh = _Stored(folder=folder, outlines=found)
        if found is not known.outlines or folder not in (None, known.folder):
            with suppress(OSError):  # it is only a shortcut
                write_cached(self._file, msgspec.msgpack.encode(fresh))
        return fresh

    def _outline(self, name: str, mark: tuple[int, int, int]) -> Outline:
        try:
            operation = self._load(name)
        except Damaged as error:
            return Outline(name, mark, damage=error.message)
        done = (operation.effects[index] for index in operation.done)
        semantic = any(isinstance(effect, Write) and effect.path.startswith(_SEMANTIC) for effect in done)
        instant = (operation.as_of or operation.started_at).timestamp()
        return Outline(name, mark, operation.kind, operation.system, operation.state, instant, semantic)


def _records(folder: Path) -> Iterator[tuple[str, tuple[int, int, int]]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if is_record(entry.name):
                with suppress(FileNotFoundError):
                    facts = entry.stat(follow_symlinks=False)
                    yield entry.name.removesuffix(".json"), (facts.st_ctime_ns, facts.st_ino, facts.st_size)


def is_record(name: str) -> bool:
    return name.startswith("o-") and name.endswith(".json")


def _stored(file: Path) -> _Stored:
    """Reads the stored cache; an empty one where it is missing, damaged or of another format."""
    with suppress(msgspec.MsgspecError):
        stored = msgspec.msgpack.decode(read_cached(file), type=_Stored)
        if stored.format == _FORMAT:
            return stored
    return _Stored()
