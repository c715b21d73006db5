"""Opens files of a workspace by folder descriptors, and never follows a link (decisions G15, G17)."""

import errno
import os
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from engine.errors import Damaged, MemdeckError, Refused, Stale, Unreachable
from engine.workspace.layout import CONVERSATIONS
from engine.workspace.transcript_root import TranscriptRoot, is_transcript_path
from engine.workspace.values import WorkspaceIdentity

MAX_FILE = 16 * 1024 * 1024  # bytes above which a file is no note: it is skipped, never read

MAX_KEPT = 4 * MAX_FILE
"""Bytes above which no file of a plan or operation can be: others made such a file. No more is ever read into memory,
however large a sparse file is or however fast a file grows."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: opening a FIFO that took a file's place returns at once instead of waiting for a writer.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
_CHUNK = 1 << 20  # bytes that are read at once: a file's stated size is no reason to ask for as much memory


class FileMissing(Stale, title="Missing"):
    """The file no longer exists."""


def name_problem(name: str) -> str | None:
    """Says why a name cannot be in our paths; None if it can. Files with such names are skipped."""
    if name in ("", ".", ".."):
        return f"{name or 'an empty name'!s} is not a file name"
    if not name.isprintable() or "\\" in name:
        if any("\ud800" <= char <= "\udfff" for char in name):
            return "its name is not valid UTF-8"
        if "\\" in name:
            return "its name holds a backslash"
        if any(unicodedata.category(char) in ("Cc", "Zl", "Zp") for char in name):
            return "its name holds control characters"
    return "its name holds a slash" if "/" in name else None


def relative_path(text: str) -> str:
    """Returns `text` as a workspace-relative POSIX path; raises `Refused` if it is absolute, climbs or is malformed."""
    if text.startswith("/"):
        raise Refused("an absolute path is not inside the workspace", where=repr(text))
    for part in text.split("/"):
        if (problem := name_problem(part)) is not None:
            raise Refused(f"not a path inside the workspace: {problem}", where=repr(text))
    return text


def os_reason(error: OSError) -> str:
    """Returns the system's reason; raises `Damaged` if descriptors or memory ran out, which is no file's fault."""
    if error.errno in _EXHAUSTED:
        raise Damaged(f"the system is out of resources: {error.strerror}", hint="close other programs and retry")
    return (error.strerror or str(error)).lower()


def kind_problem(mode: int) -> str | None:
    """Says why a file of this `st_mode` is no note; None for a regular file."""
    if stat.S_ISREG(mode):
        return None
    for test, name in (
        (stat.S_ISLNK, "a link; links are not followed"),
        (stat.S_ISDIR, "a folder in place of a file"),
        (stat.S_ISFIFO, "a FIFO"),
        (stat.S_ISSOCK, "a socket"),
    ):
        if test(mode):
            return name
    return "a device"


def open_file_at(folder: int, name: str) -> int:
    """Opens a regular file in an opened folder; raises `OSError`, or `Refused` for another kind. Checks the kind before
    opening too, since opening a device can have effects."""
    _check_kind(os.stat(name, dir_fd=folder, follow_symlinks=False), name)
    try:
        fd = os.open(name, _FILE, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise Refused("a link; links are not followed", where=repr(name)) from error
        raise
    try:
        _check_kind(os.fstat(fd), name)
    except Refused:
        os.close(fd)
        raise
    return fd


def _check_kind(facts: os.stat_result, name: str) -> None:
    if (problem := kind_problem(facts.st_mode)) is not None:
        raise Refused(problem, where=repr(name))


def read_to_end(fd: int, size: int, limit: int) -> bytes:
    """Reads all bytes of a descriptor of a file of `size` bytes; raises `Refused` above `limit`."""
    if size > limit:
        raise Refused(too_large(limit))
    parts: list[bytes] = []
    total = 0
    # One byte more than the file had: an end that does not come tells that it grew.
    want = size + 1
    while True:
        # A file that grows is read on in pieces of a page at least.
        if not (part := os.read(fd, min(max(want - total, 4096), _CHUNK))):
            return parts[0] if len(parts) == 1 else b"".join(parts)
        parts.append(part)
        total += len(part)
        if total > limit:
            raise Refused(too_large(limit))


def too_large(limit: int) -> str:
    return f"larger than {limit // (1024 * 1024)} MiB" if limit >= 1024 * 1024 else f"larger than {limit} bytes"


class WorkspaceRoot:
    """A workspace folder, opened once. Safe to use from several threads."""

    def __init__(self, fd: int, identity: WorkspaceIdentity) -> None:
        self.fd = fd
        self.identity = identity
        self.transcripts: TranscriptRoot | None = None
        """The folder outside that is read in the place of `raw/conversations` (decision D32); None: that is inside."""

    @classmethod
    def open(cls, path: Path) -> "WorkspaceRoot":
        """Opens the workspace at `path`; raises `Unreachable` if it is no folder."""
        try:
            real = os.path.realpath(path, strict=True)
            fd = os.open(real, _FOLDER)
        except (OSError, ValueError) as error:
            reason = os_reason(error) if isinstance(error, OSError) else str(error)
            raise Unreachable(
                f"no workspace here: {reason}", where=str(path), hint="name a folder with --workspace"
            ) from error
        try:
            real.encode("utf-8")
        except UnicodeEncodeError as error:  # plans and records name the folder in JSON
            os.close(fd)
            raise Damaged("the folder's path is not UTF-8", where=real, hint="rename it") from error
        facts = os.fstat(fd)
        return cls(fd, WorkspaceIdentity(real, facts.st_dev, facts.st_ino))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the descriptor; later access fails."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
        if self.transcripts is not None:
            self.transcripts.close()

    def is_outside(self, path: str) -> bool:
        """Tells whether a path is among transcripts outside the workspace, which only capture writes (D32)."""
        return self.transcripts is not None and is_transcript_path(path)

    def place(self, path: str) -> Path:
        """Returns the absolute path on disk, for code that cannot use a descriptor."""
        if self.transcripts is not None and is_transcript_path(path):
            return Path(self.transcripts.path + path[len(CONVERSATIONS) :])
        return Path(self.identity.path) / path

    def verify(self) -> None:
        """Raises `Unreachable` if the opened path is now another folder or none."""
        try:
            facts = Path(self.identity.path).lstat()
        except OSError as error:
            raise Unreachable(
                f"the workspace is gone: {os_reason(error)}",
                where=self.identity.path,
                hint="put the folder back where it was",
            ) from error
        if (facts.st_dev, facts.st_ino) != (self.identity.device, self.identity.inode):
            what = "another folder has taken the workspace's place"
            raise Unreachable(what, where=self.identity.path, hint="reopen it")

    def open_folder(self, path: str, *, wanted: str = "") -> int:
        """Opens a folder (`""`: the workspace); the caller closes it. Raises `FileMissing` if there is none, `Refused`
        if a part is a link or no folder; errors name the path `wanted`."""
        where = wanted or path
        parts = relative_path(path).split("/") if path else []
        fd, parts = self._start(parts, path)
        for depth, part in enumerate(parts, 1):
            try:
                deeper = open_folder_at(fd, part)
            except OSError as error:
                raise _explained(error, where) from error
            except Refused as refusal:
                what = refusal.message if where == path and depth == len(parts) else f"{part}: {refusal.message}"
                raise Refused(what, where=where, hint="put a real folder there") from refusal
            finally:
                os.close(fd)
            fd = deeper
        return fd

    def _start(self, parts: list[str], path: str) -> tuple[int, list[str]]:
        """Opens the folder where walking a path begins; returns it with the remaining names."""
        if self.transcripts is not None and is_transcript_path(path):
            return self.transcripts.start(), parts[CONVERSATIONS.count("/") + 1 :]
        try:
            return os.open(".", _FOLDER, dir_fd=self.fd), parts
        except OSError as error:
            raise Unreachable(
                f"the workspace cannot be entered: {os_reason(error)}", where=self.identity.path
            ) from error

    @contextmanager
    def folder(self, path: str, *, wanted: str = "") -> Iterator[int]:
        """Opens a folder for the length of a `with` block."""
        fd = self.open_folder(path, wanted=wanted)
        try:
            yield fd
        finally:
            os.close(fd)

    def read(self, path: str, limit: int = MAX_FILE) -> bytes:
        """Reads a regular file; raises `FileMissing`, or `Refused` with the reason (a link, a FIFO, over `limit`)."""
        parent, _, name = relative_path(path).rpartition("/")
        with self.folder(parent, wanted=path) as folder:
            try:
                fd = open_file_at(folder, name)
                try:
                    return read_to_end(fd, os.fstat(fd).st_size, limit)
                finally:
                    os.close(fd)
            except OSError as error:
                raise _explained(error, path) from error
            except Refused as refusal:
                raise Refused(refusal.message, where=path) from refusal

    def read_or_none(self, path: str, limit: int = MAX_FILE) -> bytes | None:
        """Reads a regular file; returns None if it cannot be read."""
        try:
            return self.read(path, limit)
        except MemdeckError:
            return None

    def lstat(self, path: str) -> os.stat_result | None:
        """Returns the stat of `path`, not following links; None if missing. Raises `Refused` if a folder is a link."""
        parent, _, name = relative_path(path).rpartition("/")
        if self.transcripts is not None and path == CONVERSATIONS:
            return self.transcripts.facts()
        try:
            with self.folder(parent, wanted=path) as folder:
                return os.stat(name, dir_fd=folder, follow_symlinks=False)
        except (FileMissing, FileNotFoundError):
            return None
        except OSError as error:
            raise _explained(error, path) from error


def open_folder_at(folder: int, name: str) -> int:
    """Opens a folder in an opened folder; raises `OSError`, or `Refused` for a link or another kind."""
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except OSError as error:
        if error.errno not in (errno.ENOTDIR, errno.ELOOP, errno.EMLINK):
            raise
        # The kernel answers a link with ENOTDIR, as it does a file: a second look tells which it is.
        is_link = stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
        raise Refused("a link; links are not followed" if is_link else "not a folder", where=repr(name)) from error


def _explained(error: OSError, path: str) -> Refused | FileMissing:
    if isinstance(error, FileNotFoundError):
        return FileMissing("there is no such file any more", where=path, hint="plan again")
    return Refused(os_reason(error), where=path)
