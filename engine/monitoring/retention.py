"""Lists what is kept of the past: displaced bytes forever, displaced files for a day (decision A10)."""

import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

import msgspec

from engine.errors import Damaged
from engine.plans.operation import Held
from engine.plans.records.displaced import HOLD, DisplacedStore, HeldFiles
from engine.workspace.values import Finding, damage


class KeptBytes(msgspec.Struct, frozen=True, kw_only=True):
    """Displaced bytes, kept forever. `path`, `operation`: the write that displaced them last."""

    sha256: str
    size: int
    path: str
    operation: str


class HeldFile(msgspec.Struct, frozen=True, kw_only=True):
    """A displaced file as the same inode, so that late writes of an open program are kept. `size`: None if gone;
    `over`: the next operation may delete it."""

    path: str
    place: str
    operation: str
    until: datetime
    size: int | None
    over: bool


class Retention(msgspec.Struct, frozen=True, kw_only=True):
    """Everything kept, the largest first. `hold_hours`: least hours that a held file is kept."""

    displaced: tuple[KeptBytes, ...]
    displaced_bytes: int
    held: tuple[HeldFile, ...]
    held_bytes: int
    hold_hours: int = int(HOLD.total_seconds() // 3600)
    problems: tuple[Finding, ...] = ()


def kept(
    store: DisplacedStore, held: HeldFiles, displaced_by: Iterable[tuple[str, str, str]], now: datetime
) -> Retention:
    """Lists what the state folder keeps of one workspace, without reading files. `displaced_by`: from the index."""
    displaced = sorted(_displaced(store, displaced_by), key=lambda item: (-item.size, item.sha256))
    problems: tuple[Finding, ...] = ()
    files: list[HeldFile] = []
    try:
        files = [_held(operation, item, now) for operation, items in held.entries().items() for item in items]
    except Damaged as error:
        problems = (damage("held_damaged", error.where, error.message, "memdeck check"),)
    return Retention(
        displaced=tuple(displaced),
        displaced_bytes=sum(item.size for item in displaced),
        held=tuple(sorted(files, key=lambda file: (file.until, file.path))),
        held_bytes=sum(file.size or 0 for file in files),
        problems=problems,
    )


def _displaced(store: DisplacedStore, displaced_by: Iterable[tuple[str, str, str]]) -> Iterable[KeptBytes]:
    sizes = {sha256: facts.st_size for sha256, facts in store.files()}
    for sha256, path, operation in displaced_by:
        if (size := sizes.pop(sha256, None)) is not None:
            yield KeptBytes(sha256=sha256, size=size, path=path, operation=operation)
    for sha256, size in sizes.items():
        yield KeptBytes(sha256=sha256, size=size, path="", operation="")


def _held(operation: str, held: Held, now: datetime) -> HeldFile:
    place, until, size = held.place, held.until, _size(Path(held.place))
    return HeldFile(path=held.path, place=place, operation=operation, until=until, size=size, over=until <= now)


def _size(path: Path) -> int | None:
    try:
        return os.lstat(path).st_size
    except (OSError, ValueError):
        return None
