"""Keeps in the state folder what was found in files, by the hash of their bytes: none is read twice for it."""

from collections.abc import Collection
from contextlib import suppress
from typing import Generic, TypeVar

import msgspec

from engine.services.open_workspace import OpenWorkspace
from engine.state.private_files import write_private
from engine.text.derived import holds_secret

T = TypeVar("T")


class FileAnswers(Generic[T]):
    """The answers of one kind. The file may be deleted; what is damaged or of another basis counts as none."""

    def __init__(self, opened: OpenWorkspace, name: str, basis: str, kind: type[T]) -> None:
        """`basis` names all that answers depend on besides a file's bytes, such as a version."""
        self._file, self._basis, self._read_only = opened.state.path / name, basis, opened.database.read_only
        self._known: dict[str, tuple[str, T]] = {}  # by path, with the hash of the bytes
        self._changed = False
        made = tuple[str, dict[str, tuple[str, kind]]]  # type: ignore[valid-type]
        with suppress(OSError, msgspec.MsgspecError):
            kept, known = msgspec.msgpack.decode(self._file.read_bytes(), type=made)
            self._known = known if kept == basis else {}

    def found(self, path: str, sha256: str) -> T | None:
        """The answer for the file with these bytes; None where it has to be read."""
        kept, answer = self._known.get(path, ("", None))
        return answer if kept == sha256 else None

    def keep(self, path: str, sha256: str, found: T) -> None:
        """Takes in the answer for a file that was read; one that holds a secret is asked for anew each time."""
        before = self._known.pop(path, None)
        if not holds_secret(found):
            self._known[path] = sha256, found
        self._changed |= self._known.get(path) != before

    def write(self, paths: Collection[str]) -> None:
        """Makes the answers outlive this process, those of other paths left out."""
        gone = self._known.keys() - set(paths)
        if (self._changed or gone) and not self._read_only:
            self._known = {path: one for path, one in self._known.items() if path not in gone}
            with suppress(OSError):  # what is not kept is read again
                write_private(self._file, msgspec.msgpack.encode((self._basis, self._known)))
                self._changed = False
