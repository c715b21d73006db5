"""Caches answers about files by the files' hash, in the state folder."""

from collections.abc import Collection
from contextlib import suppress
from typing import Generic, TypeVar

import msgspec

from engine.services.open_workspace import OpenWorkspace
from engine.state.private_files import write_private
from engine.text.derived import holds_secret

T = TypeVar("T")


class FileAnswers(Generic[T]):
    """The answers of one kind. A damaged cache, or one of another `basis`, is ignored."""

    def __init__(self, opened: OpenWorkspace, name: str, basis: str, kind: type[T]) -> None:
        """Takes as `basis` all that the answers depend on beside the file's bytes, such as a version."""
        self._file, self._basis, self._read_only = opened.state.path / name, basis, opened.database.read_only
        self._known: dict[str, tuple[str, T]] = {}  # by path, with the hash of the bytes
        self._changed = False
        made = tuple[str, dict[str, tuple[str, kind]]]  # type: ignore[valid-type]
        with suppress(OSError, msgspec.MsgspecError):
            kept, known = msgspec.msgpack.decode(self._file.read_bytes(), type=made)
            self._known = known if kept == basis else {}

    def found(self, path: str, sha256: str) -> T | None:
        """Gives the answer for the file with these bytes; None where it is not cached."""
        kept, answer = self._known.get(path, ("", None))
        return answer if kept == sha256 else None

    def keep(self, path: str, sha256: str, answer: T) -> None:
        """Caches the answer for a file, unless it has a secret."""
        before = self._known.pop(path, None)
        if not holds_secret(answer):
            self._known[path] = sha256, answer
        self._changed |= self._known.get(path) != before

    def write(self, paths: Collection[str]) -> None:
        """Writes the answers of these paths to disk; drops all others."""
        gone = self._known.keys() - set(paths)
        if (self._changed or gone) and not self._read_only:
            self._known = {path: one for path, one in self._known.items() if path not in gone}
            with suppress(OSError):  # what is not kept is read again
                write_private(self._file, msgspec.msgpack.encode((self._basis, self._known)))
                self._changed = False
