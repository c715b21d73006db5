"""Records what a git of ours is about to make, so that what it leaves when it is killed is known as ours (D22). A
record is a file of the state folder on which the kernel holds a lock, for us and for each git that inherits the
descriptor. Once that lock can be taken, none of them is alive, whatever their process numbers stand for by then."""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from engine.state.private_files import make_private
from engine.workspace.system_calls import fsync_folder, write_all

_PREFIX, _SUFFIX = "intent-", ".json"
_MOST_BYTES = 1 << 16
"""Bytes of a record of what git was about to be asked."""


class Intent(msgspec.Struct, frozen=True):
    """A ref that is about to be made or moved in a git folder; an exploration with its folder and its records."""

    git: str
    ref: str
    commit: str
    folder: str = ""
    folder_id: tuple[int, int] = (0, 0)
    """Device and inode of the folder that was made."""
    records: str = ""
    """The name in git's `worktrees` that the records of the worktree get."""
    head: str = ""
    """The git folder whose HEAD follows the ref, for a branch that is moved: git locks it too."""


class Begun(msgspec.Struct, frozen=True):
    """An intent that is on disk. `made` is the instant of its file by the clock of files, in nanoseconds."""

    intent: Intent
    file: Path
    fd: int
    made: int

    @property
    def prepared(self) -> Path:
        """The place in the git folder where a worktree's records are prepared."""
        return Path(self.intent.git) / f"memdeck-{self.file.stem}"

    def done(self) -> None:
        """Takes the record away: nothing is left to clear."""
        self.file.unlink(missing_ok=True)


@contextmanager
def intended(scratch: Path, intent: Intent) -> Iterator[Begun]:
    """Keeps an intent on disk for the length of a block, and beyond it unless the block calls `done`."""
    make_private(scratch)
    fd, name = tempfile.mkstemp(prefix=_PREFIX, suffix=_SUFFIX, dir=scratch)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        write_all(fd, msgspec.json.encode(intent))
        os.fsync(fd)
        fsync_folder(scratch)
        yield Begun(intent, Path(name), fd, os.fstat(fd).st_mtime_ns)
    finally:
        os.close(fd)


def dead_intents(scratch: Path) -> Iterator[Begun]:
    """Gives the intents whose memdeck and gits are gone. One that was torn as it was written had not begun anything."""
    for file in sorted(scratch.glob(f"{_PREFIX}*{_SUFFIX}")):
        try:
            fd = os.open(file, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not os.path.samestat(file.lstat(), os.fstat(fd)):
                continue
            intent = msgspec.json.decode(os.pread(fd, _MOST_BYTES, 0), type=Intent)
            yield Begun(intent, file, fd, os.fstat(fd).st_mtime_ns)
        except (msgspec.DecodeError, UnicodeDecodeError):
            file.unlink(missing_ok=True)
        except OSError:
            continue  # somebody has it
        finally:
            os.close(fd)
