"""Finds the locks that gits hold or left, with their age and what is known of their holder (decision D22). Locks of
other programs are reported and never removed, because git may hold one without having it open. Before a git of
memdeck makes a ref, a file in the state folder records it; git inherits a kernel lock on this file, which is free
once git has ended."""

import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from engine.state.private_files import make_private
from engine.workspace.system_calls import fsync_folder, write_all

LINGERS = timedelta(minutes=1)  # a lock that is younger is that of a git at work
LOCK_BYTES = 4096  # bytes of a ref's lock that are read: one holds the name of a commit
_PROC = Path("/proc")


class StandingLock(msgspec.Struct, frozen=True):
    """A lock file, its age, and what is known of its holder."""

    path: Path
    age: timedelta
    known: str
    fix: str


def standing_locks(folder: Path, branch: str | None, now: datetime) -> Iterator[StandingLock]:
    """Yields the locks that are older than a minute and prevent every commit."""
    for path in lock_paths(folder, branch):
        with suppress(OSError, ValueError):
            facts = path.lstat()
            age = now - datetime.fromtimestamp(facts.st_mtime, tz=now.tzinfo)
            if stat.S_ISREG(facts.st_mode) and age >= LINGERS:
                yield _described(path, facts, age)


def lock_paths(folder: Path, branch: str | None) -> tuple[Path, ...]:
    """Gives the locks that a commit needs: those of the index, of HEAD and of the branch."""
    names = dict.fromkeys(("index.lock", "HEAD.lock", f"{branch or 'HEAD'}.lock"))
    return tuple(folder / name for name in names)


def _described(path: Path, facts: os.stat_result, age: timedelta) -> StandingLock:
    open_in, others = holders(facts), _gits()
    if open_in:
        return StandingLock(path, age, f"process {open_in[0]} has it open", "wait until that process ends")
    if others:
        known = f"no process seen has it open, but git runs as process {others[0]}"
        return StandingLock(path, age, known, f"wait until that git ends; if it works elsewhere: rm {path}")
    seen = "no process seen has it open and no git runs here" if _PROC.is_dir() else "nobody can tell who has it here"
    fix = f"if no other machine or container works in this repository: rm {path}, then memdeck recover"
    return StandingLock(path, age, seen, fix)


def holders(facts: os.stat_result) -> list[int]:
    """Gives the processes that have the file open, as far as this user may see."""
    found = []
    for process in _processes():
        with suppress(OSError):
            for descriptor in (process / "fd").iterdir():
                with suppress(OSError):
                    if os.path.samestat(descriptor.stat(), facts):
                        found.append(int(process.name))
                        break
    return found


def git_at_work(places: Sequence[Path]) -> int | None:
    """Gives the number of a git that runs in one of the folders or may not be inspected; None if there is none."""
    return next((number for number in _gits() if _is_in(_PROC / str(number), places)), None)


def _is_in(process: Path, places: Sequence[Path]) -> bool:
    """Tells whether a process works in one of the folders, or names one in its command line or environment."""
    try:
        here = (process / "cwd").readlink()
        told = b"".join((process / name).read_bytes() for name in ("cmdline", "environ"))
    except (FileNotFoundError, ProcessLookupError):
        return False  # it has ended
    except OSError:
        return True
    real = [Path(os.path.realpath(place)) for place in places]
    return any(place == here or place in here.parents or os.fsencode(place) in told for place in real)


def _gits() -> list[int]:
    found = []
    for process in _processes():
        with suppress(OSError):
            if (process / "comm").read_bytes().strip() == b"git":
                found.append(int(process.name))
    return found


def _processes() -> Iterator[Path]:
    with suppress(OSError):
        yield from (entry for entry in _PROC.iterdir() if entry.name.isdecimal())


def age_words(age: timedelta) -> str:
    """Gives an age in its largest unit: `3 days`, `5 hours`, `2 minutes`, `12 seconds`."""
    seconds = int(age.total_seconds())
    for unit, name in ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")):
        if count := seconds // unit:
            return f"{count} {name}{'s' * (count != 1)}"
    return "a moment"


_PREFIX, _SUFFIX = "intent-", ".json"
_MOST_BYTES = 1 << 16  # bytes of a record of what git was about to be asked


class Intent(msgspec.Struct, frozen=True):
    """A record of a ref that is about to be made or moved; for an exploration, of its folder and records too."""

    git: str
    ref: str
    commit: str
    folder: str = ""
    folder_id: tuple[int, int] = (0, 0)  # device and inode of the folder that was made
    records: str = ""  # the name in git's `worktrees` that the records of the worktree get
    head: str = ""  # the git folder whose HEAD follows the ref, for a branch that is moved: git locks it too


class Begun(msgspec.Struct, frozen=True):
    """An intent that was written to disk. `made` is the time of its file in nanoseconds."""

    intent: Intent
    file: Path
    fd: int
    made: int

    @property
    def prepared(self) -> Path:
        """The folder inside the git folder where the records of a worktree are prepared."""
        return Path(self.intent.git) / f"memdeck-{self.file.stem}"

    def done(self) -> None:
        """Removes the record, because nothing is left to clear."""
        self.file.unlink(missing_ok=True)


@contextmanager
def intended(scratch: Path, intent: Intent) -> Iterator[Begun]:
    """Keeps an intent on disk during a block, and afterwards unless the block calls `done`."""
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
    """Yields the intents whose memdeck and gits have ended; removes those that are incomplete, which began nothing."""
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
