"""Lists the session files of a file or folder, without following links out of it."""

import os
import stat
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from engine.errors import MemdeckError, UsageError
from engine.workspace.paths import WorkspaceRoot, name_problem, open_folder_at

ENDINGS = (".jsonl", ".md")  # endings of a session file's name: JSON lines, or a transcript of ours
MOST_FILES = 10_000  # session files that are followed at once, the youngest first
_DEEPEST = 12  # folders below a followed one
_MOST_LOOKED_AT = 200_000  # entries of all folders together: a folder with more is listed in part, which is told


class ListedFile(msgspec.Struct, frozen=True, gc=False):
    """A listed session file. `modified` is in nanoseconds since 1970."""

    path: str
    device: int
    inode: int
    size: int
    modified: int

    @property
    def written(self) -> datetime:
        """The instant at which it was modified."""
        return datetime.fromtimestamp(self.modified / 1e9, UTC)


class SessionFileInfo(msgspec.Struct, frozen=True):
    """A session that can be replayed. `source`: the name to show and to ask for."""

    source: str
    size: int
    modified: datetime


class SessionListing(msgspec.Struct, frozen=True):
    """The session files, and the number of unusable or surplus ones that were omitted."""

    files: tuple[ListedFile, ...] = ()
    left_out: int = 0


class SessionFolder:
    """An opened folder, limited to session files below `folder` or to one file."""

    def __init__(
        self, root: WorkspaceRoot, folder: str = "", only: str = "", label: str = "", *, owned: bool = False
    ) -> None:
        self.root = root
        self._owned = owned
        self.folder = folder
        self.only = only
        self.label = label  # the words before a file's path where the operator reads it

    @classmethod
    def open(cls, path: Path) -> "SessionFolder":
        """Opens a place that the operator names, following a link there. Raises `UsageError` if there is none."""
        try:
            real = Path(os.path.realpath(path, strict=True))
            mode = real.stat().st_mode
        except (OSError, ValueError) as error:
            raise UsageError(
                "there is nothing here to follow", where=str(path), hint="name a session file or a folder of them"
            ) from error
        if stat.S_ISDIR(mode):
            return cls(WorkspaceRoot.open(real), label=f"{path}".rstrip("/") + "/", owned=True)
        if not stat.S_ISREG(mode):
            raise UsageError("neither a file nor a folder", where=str(path), hint="name a session file")
        return cls(WorkspaceRoot.open(real.parent), only=real.name, label=f"{path}".removesuffix(real.name), owned=True)

    def source(self, path: str) -> str:
        """Returns the name of a file for the operator."""
        return f"{self.label}{path}"

    def list(self) -> SessionListing:
        """Lists the present session files; none if the folder does not exist yet."""
        if self.only:
            return SessionListing(tuple(self._single()))
        try:
            fd = self.root.open_folder(self.folder)
        except MemdeckError:
            return SessionListing()
        prefix = f"{self.folder}/" if self.folder else ""
        left = [0]
        try:
            found = list(_walk(fd, prefix, 0, [_MOST_LOOKED_AT], left))
        finally:
            os.close(fd)
        found.sort(key=lambda file: (-file.modified, file.path))
        return SessionListing(tuple(found[:MOST_FILES]), left[0] + max(0, len(found) - MOST_FILES))

    def _single(self) -> Iterator[ListedFile]:
        try:
            facts = self.root.lstat(self.only)
        except MemdeckError:
            return
        if facts is not None and stat.S_ISREG(facts.st_mode):
            yield ListedFile(self.only, facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns)

    def close(self) -> None:
        """Closes a folder opened for this place; the workspace's own stays open."""
        if self._owned:
            self.root.close()


def listed_once(places: Iterable[SessionFolder]) -> Iterator[tuple[SessionFolder, ListedFile]]:
    """Yields the session files of several places, each once."""
    seen: set[tuple[int, int]] = set()
    for place in places:
        for file in place.list().files:
            if (file.device, file.inode) not in seen:
                seen.add((file.device, file.inode))
                yield place, file


def _walk(folder: int, prefix: str, depth: int, budget: list[int], left: list[int]) -> Iterator[ListedFile]:
    """Yields session files below an opened folder; skips links, hidden names and unprintable names."""
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        budget[0] -= 1
        if budget[0] < 0:
            left[0] += 1
            return
        if name.startswith(".") or name_problem(name) is not None:
            left[0] += name.endswith(ENDINGS)
            continue
        try:
            facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            continue
        if stat.S_ISREG(facts.st_mode) and name.endswith(ENDINGS):
            yield ListedFile(prefix + name, facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns)
        elif stat.S_ISDIR(facts.st_mode) and depth < _DEEPEST:
            yield from _below(folder, name, prefix, depth, budget, left)


def _below(folder: int, name: str, prefix: str, depth: int, budget: list[int], left: list[int]) -> Iterator[ListedFile]:
    try:
        deeper = open_folder_at(folder, name)
    except (OSError, MemdeckError):
        return
    try:
        yield from _walk(deeper, f"{prefix}{name}/", depth + 1, budget, left)
    finally:
        os.close(deeper)
