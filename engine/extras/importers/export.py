"""Writes imported files back into a folder, byte for byte. Files are only added, and no link is followed."""

import errno
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

import msgspec

from engine.errors import Conflict, MemdeckError, Refused, UsageError
from engine.extras.importers.originals import ImportedPlace, Original, Originals
from engine.text.canonical_json import sha256_hex
from engine.text.safe_text import visible_line
from engine.workspace.paths import FileMissing, WorkspaceRoot, os_reason, relative_path
from engine.workspace.system_calls import write_all
from engine.workspace.values import Tick, steps

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})


class ExportFolder:
    """Opens the folder, and makes it if missing. The operator's path may be a link; below it none is followed."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            hint = "name a folder that can be written"
            raise Refused(f"no such folder can be made: {os_reason(error)}", where=str(folder), hint=hint) from error
        self._root = WorkspaceRoot.open(folder)
        self.path = self._root.identity.path  # the real one

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._root.close()

    def read(self, path: str, most: int) -> bytes | None:
        """The bytes of a file, or None. Raises `Refused` for a link, a folder or a larger file."""
        try:
            return self._root.read(path, most)
        except FileMissing:
            return None

    def write(self, path: str, data: bytes) -> None:
        """Adds a file, readable by its owner alone. Raises `Conflict` if something is there by now."""
        try:
            folder = self._parent(path)
            try:
                _add(folder, relative_path(path).rpartition("/")[2], data)
            finally:
                os.close(folder)
        except FileExistsError as error:
            raise Conflict("something was put there meanwhile", where=f"{self.path}/{path}") from error
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise Refused("a link or a file in place of a folder", where=f"{self.path}/{path}") from error
            raise MemdeckError(f"it cannot be written: {os_reason(error)}", where=f"{self.path}/{path}") from error

    def _parent(self, path: str) -> int:
        here = os.open(".", _FOLDER, dir_fd=self._root.fd)
        for name in relative_path(path).split("/")[:-1]:
            try:
                with suppress(FileExistsError):
                    os.mkdir(name, 0o700, dir_fd=here)
                below = os.open(name, _FOLDER, dir_fd=here)
            finally:
                os.close(here)
            here = below
        return here


def _add(folder: int, name: str, data: bytes) -> None:
    """Writes a file under a temporary name and links it to its name, which fails if that exists: never half a file."""
    fresh = f".memdeck-{os.getpid()}.new"
    with suppress(FileNotFoundError):
        os.unlink(fresh, dir_fd=folder)  # of a process of this number that was killed
    _write(folder, fresh, data)
    try:
        os.link(fresh, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _write(folder, name, data)
    finally:
        os.unlink(fresh, dir_fd=folder)
    os.fsync(folder)


def _write(folder: int, name: str, data: bytes) -> None:
    fd = os.open(name, _NEW, 0o600, dir_fd=folder)
    try:
        write_all(fd, data)
        os.fsync(fd)
    finally:
        os.close(fd)


_SHOWN = 5  # files that a line names; it counts the others


class ExportChoice(msgspec.Struct, frozen=True):
    """The files of an export in order, and those left out, each with the reason."""

    files: tuple[Original, ...]
    left_out: tuple[str, ...] = ()


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """A finished export: `written` files, `same` ones that were there already, and those left out, with reasons."""

    kind: str
    folder: str
    written: int
    same: int
    size: int
    left_out: tuple[str, ...] = ()


def choose(places: Sequence[ImportedPlace], present: Collection[str], where: str) -> ExportChoice:
    """Selects the files with a session or memory in the workspace, and those beside them. `where` names the imported
    place. Raises `UsageError` if there is none, or if two places have different files at a path."""
    if not (asked := [place for place in places if where in ("", place.place)]):
        hint = "import it first: memdeck import KIND PATH" if not places else f"one of: {_named(places)}"
        raise UsageError("nothing is kept of such an import", where=where, hint=hint)
    found: dict[str, Original] = {}
    left: list[str] = []
    for place in asked:
        mine = [file for file in place.files.values() if any(key in present for key in file.sessions)]
        beside = [file for file in place.files.values() if not file.sessions] if mine else []
        out = sorted(set(place.files) - {file.path for file in (*mine, *beside)})
        left += [f"{place.place}: nothing of it is in the workspace: {_few(out)}"] if out else []
        left += [f"{place.place}: {problem}" for problem in place.problems]
        for original in (*mine, *beside):
            other = found.setdefault(original.path, original)
            if other.sha256 != original.sha256:
                hint = f"name one with --from: {_named(asked)}"
                raise UsageError("two places have different files there", where=original.path, hint=hint)
    return ExportChoice(tuple(found[path] for path in sorted(found)), tuple(map(visible_line, left)))


def export(originals: Originals, choice: ExportChoice, target: ExportFolder, kind: str, tick: Tick | None) -> Exported:
    """Writes the files below the folder; existing files stay. Raises `Conflict`, and writes nothing, if an existing
    file differs, and `Damaged` if a copy is incomplete."""
    if not choice.files:
        raise UsageError("nothing of such an import is in the workspace", where=kind, hint="apply its plan first")
    there = frozenset(_checked(target, choice.files))
    lacking = [file for file in choice.files if file.path not in there]
    for original in steps(lacking, "writing", tick):
        target.write(original.path, originals.read(original))
    written, same, size = len(lacking), len(there), sum(file.size for file in lacking)
    return Exported(kind=kind, folder=target.path, written=written, same=same, size=size, left_out=choice.left_out)


def _checked(target: ExportFolder, files: Sequence[Original]) -> Iterator[str]:
    """The paths where the same bytes exist already. `Conflict` names those with anything else."""
    other: list[str] = []
    for original in files:
        try:
            data = target.read(original.path, original.size)
        except MemdeckError as error:
            other.append(f"{original.path} ({error.message})")
            continue
        if data is not None and sha256_hex(data) == original.sha256:
            yield original.path
        elif data is not None:
            other.append(original.path)
    if other:
        message = f"something else is there already: {_few(other)}; nothing was written"
        raise Conflict(message, where=target.path, hint="name an empty folder")


def _few(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _SHOWN:,} more" if len(paths) > _SHOWN else ""
    return ", ".join(map(visible_line, paths[:_SHOWN])) + more


def _named(places: Sequence[ImportedPlace]) -> str:
    return ", ".join(visible_line(place.place) for place in places)
