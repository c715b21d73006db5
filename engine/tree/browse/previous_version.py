"""Finds the previous version of a node, among the displaced files or in git."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime

import msgspec

from engine.errors import MemdeckError
from engine.history.repository import Repository
from engine.plans.diff import FileDiff, file_diff, without_secrets
from engine.plans.operation import Operation, Withdraw, Write
from engine.text.canonical_json import sha256_hex


class Compared(msgspec.Struct, frozen=True):
    """The diff from an earlier version. `origin`: `o-…` or `commit 1a2b3c4`. `left`: that operation wrote it."""

    diff: FileDiff
    origin: str
    at: datetime | None
    left: bool = False


def compared(
    path: str,
    present: bytes | None,
    operations: Iterable[Operation],
    stored: Callable[[str], bytes],
    repository: Repository | None,
) -> Compared | None:
    """Compares a node with its latest other version, if known. `stored` reads displaced bytes by their sha256."""
    now = sha256_hex(present) if present is not None else None
    for sha256, operation, left in _hashes(path, operations):
        with suppress(MemdeckError):
            if sha256 != now:
                return Compared(_diff(path, stored(sha256), present), operation.id, operation.started_at, left)
    return _committed(path, present, repository) if repository is not None else None


def _diff(path: str, data: bytes, present: bytes | None) -> FileDiff:
    return without_secrets(file_diff(path, data, present))


def _hashes(path: str, operations: Iterable[Operation]) -> Iterator[tuple[str, Operation, bool]]:
    """Yields each earlier hash of the file, latest first, and whether the operation wrote it or replaced it."""
    for operation in operations:
        for effect in (effect for effect in operation.effects if effect.path == path):
            if isinstance(effect, Write):
                yield effect.after, operation, True
            if isinstance(effect, Write | Withdraw) and effect.before is not None:
                yield effect.before, operation, False


def _committed(path: str, present: bytes | None, repository: Repository) -> Compared | None:
    from engine.history.gitpython_reader import committed_versions

    with suppress(MemdeckError, ValueError):
        for version in committed_versions(repository, path):
            if version.data != present:
                return Compared(_diff(path, version.data, present), f"commit {version.commit[:7]}", version.at)
    return None
