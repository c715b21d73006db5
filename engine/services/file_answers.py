"""Keeps in the state folder what was found in files, by the hash of their bytes: none is read twice for it."""

from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from engine.services.open_workspace import OpenWorkspace
from engine.state.private_files import write_private
from engine.text.derived import holds_secret

T = TypeVar("T")


class _Found(msgspec.Struct, Generic[T], frozen=True, array_like=True):
    sha256: str
    found: T


class _File(msgspec.Struct, Generic[T], frozen=True):
    """The file: what was found in each file, by path, and what that depends on besides its bytes."""

    basis: str
    found: dict[str, _Found[T]]


class FileAnswers(Generic[T]):
    """The answers of one kind. The file may be deleted; what is damaged or of another basis counts as none."""

    def __init__(self, opened: OpenWorkspace, name: str, basis: str, kind: type[T]) -> None:
        """`basis` names all that answers depend on besides a file's bytes, such as a version."""
        self._file, self._basis, self._read_only = opened.state.path / name, basis, opened.database.read_only
        self._known = _load(self._file, msgspec.msgpack.Decoder(_File[kind]), basis)  # type: ignore[valid-type]
        self._changed = False

    def found(self, path: str, sha256: str) -> T | None:
        """The answer for the file with these bytes; None where it has to be read."""
        known = self._known.get(path)
        return known.found if known is not None and known.sha256 == sha256 else None

    def keep(self, path: str, sha256: str, found: T) -> None:
        """Takes in the answer for a file that was read; one that holds a secret is asked for anew each time."""
        if holds_secret(found):
            self._changed |= self._known.pop(path, None) is not None
            return
        kept = _Found(sha256, found)
        self._changed |= self._known.get(path) != kept
        self._known[path] = kept

    def write(self, paths: Collection[str]) -> None:
        """Makes the answers outlive this process, those of other paths left out."""
        gone = self._known.keys() - set(paths)
        if not (self._changed or gone) or self._read_only:
            return
        file = _File(self._basis, {path: one for path, one in self._known.items() if path not in gone})
        with suppress(OSError):  # what is not kept is read again
            write_private(self._file, msgspec.msgpack.encode(file))
            self._known, self._changed = file.found, False


def _load(file: Path, decoder: "msgspec.msgpack.Decoder[_File[T]]", basis: str) -> dict[str, _Found[T]]:
    try:
        kept = decoder.decode(file.read_bytes())
    except (OSError, msgspec.MsgspecError):
        return {}
    return kept.found if kept.basis == basis else {}
