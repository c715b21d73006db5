"""The operator's own records of one workspace: a private folder outside of it (decision G19)."""

import os
import stat
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from engine.errors import Damaged, Refused
from engine.plans.records.private_folder import OPEN_TO_OTHERS, private_chain, private_content, private_place
from engine.state.failpoints import step
from engine.text.canonical_json import sha256_hex
from engine.workspace.values import WorkspaceIdentity

IMPORTING = ".importing"
"""Ends the name of a whole and checked state that is about to take the place of another."""


class StateFolder(msgspec.Struct, frozen=True):
    """Queue, operations, audit log and displaced files of one workspace, readable by the operator alone."""

    path: Path
    closed: tuple[str, ...] = ()
    """Paths that other users could read until it was opened this time, with its mode then."""

    @classmethod
    def locate(cls, identity: WorkspaceIdentity, state_home: Path) -> "StateFolder":
        """The folder for this workspace below `state_home`, made with mode 0700 from there down where it is missing.

        `Refused` where it would lie inside the workspace, or the workspace inside of it, also through links, and where
        it belongs to another user, could be written by one, or holds a link (decision G23).
        """
        root = Path(identity.path)
        name = "".join(c if c.isascii() and c.isalnum() else "-" for c in root.name)[:40] or "root"
        top = Path(os.path.realpath(state_home))
        folder = top / "workspaces" / f"{name}-{sha256_hex(os.fsencode(root))[:16]}"
        refuse_inside(folder.parent, identity, "memdeck's state")
        state = cls(folder)
        try:
            _finish_import(folder)
            closed = list(private_chain(top, folder))
            for private in (state.queue, state.operations, state.displaced, state.held, state.held_log):
                closed += private_place(private)
            for checked in (folder, state.queue):
                closed += private_content(checked)
        except OSError as error:
            raise Damaged(f"no state folder: {error.strerror}", where=str(folder), hint="set XDG_STATE_HOME") from error
        return cls(folder, tuple(closed))

    @property
    def queue(self) -> Path:
        return self.path / "queue"

    @property
    def operations(self) -> Path:
        return self.path / "operations"

    @property
    def audit(self) -> Path:
        return self.path / "audit.jsonl"

    @property
    def journal(self) -> Path:
        return self.path / "journal.json"

    @property
    def displaced(self) -> Path:
        return self.path / "displaced"

    @property
    def held(self) -> Path:
        """Displaced files as the very inodes that were displaced."""
        return self.path / "held"

    @property
    def held_log(self) -> Path:
        """Per operation, what is held and until when."""
        return self.path / "held-log"

    @property
    def stage(self) -> Path:
        """New contents, whole and fsynced, before they take their place."""
        return self.path / "stage"

    @property
    def cache(self) -> Path:
        return self.path / "cache"

    @property
    def lock(self) -> Path:
        return self.path / "lock"

    def pulse(self) -> tuple[tuple[int, int], ...]:
        """A cheap sign (a few `stat`s) that differs once any process files or moves a plan, or records an operation."""
        return tuple(_signature(path) for path in (self.queue / "index", self.operations, self.audit))


def _finish_import(folder: Path) -> None:
    """Puts an imported state into its place where a kill came between the two renames of `state import`."""
    if not folder.exists() and (ready := folder.with_name(folder.name + IMPORTING)).is_dir():
        with suppress(FileNotFoundError):  # the import itself, or another process, was quicker
            ready.rename(folder)


def _signature(path: Path) -> tuple[int, int]:
    """Time of the last change in nanoseconds, and size; zeros where there is nothing."""
    try:
        found = path.stat()
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)


def state_home(env: Mapping[str, str]) -> Path:
    """Gives the folder of all state: below `XDG_STATE_HOME`, or the platform's own place."""
    return _home(env, "XDG_STATE_HOME", ".local/state", "user_state_path")


def config_home(env: Mapping[str, str]) -> Path:
    """Gives the folder of the operator's policy: below `XDG_CONFIG_HOME`, or the platform's own place."""
    return _home(env, "XDG_CONFIG_HOME", ".config", "user_config_path")


def _home(env: Mapping[str, str], variable: str, below_home: str, elsewhere: str) -> Path:
    chosen = env.get(variable, "")
    if chosen and Path(chosen).is_absolute():
        return Path(chosen) / "memdeck"
    if sys.platform == "linux" and env.get("HOME"):
        return Path(env["HOME"]) / below_home / "memdeck"
    import platformdirs

    found: Path = getattr(platformdirs, elsewhere)("memdeck", appauthor=False)
    return found


def refuse_inside(folder: Path, identity: WorkspaceIdentity, what: str) -> None:
    """`Refused` where `folder` lies inside the workspace or around it; compared by inode, so links do not matter."""
    here = (identity.device, identity.inode)
    if any(_inode(place) == here for place in _upwards(Path(os.path.realpath(folder)))):
        raise Refused(
            f"{what} may not lie inside the workspace", where=str(folder), hint="set XDG_STATE_HOME elsewhere"
        )
    around = _inode(folder)
    if around is not None and any(_inode(place) == around for place in _upwards(Path(identity.path))):
        raise Refused(f"the workspace may not lie inside {what}", where=identity.path, hint="move the workspace")


def _upwards(path: Path) -> Iterator[Path]:
    yield path
    yield from path.parents


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def make_private(folder: Path) -> None:
    """A folder only its owner may enter, made with its parents; one that others may read is closed to them.

    One that others may write is left as it is: opening the state refuses it, and says so.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    mode = stat.S_IMODE(folder.stat().st_mode)
    if mode & OPEN_TO_OTHERS and not mode & (stat.S_IWGRP | stat.S_IWOTH):
        folder.chmod(0o700)


def write_private(path: Path, data: bytes) -> None:
    """Replaces a state file as a whole: on disk, file and folder, when this returns. Mode 0600."""
    step("state-write")
    with beside(path) as fresh:
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            write_all(fd, data)
            step("state-fsync")
            os.fsync(fd)
        finally:
            os.close(fd)
        step("state-replace")
        fresh.replace(path)
    step("state-folder-fsync")
    fsync_folder(path.parent)


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """A name beside `path` to be written to and renamed. Where that fails it is gone, and the error names `path`."""
    fresh = temporary(path)
    try:
        yield fresh
    except OSError as error:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        error.filename, error.filename2 = str(path), None
        raise


def temporary(path: Path) -> Path:
    """A name beside `path` that no other process or thread uses; a crash may leave it behind."""
    return path.parent / f".{path.name}.{os.getpid()}-{threading.get_ident()}.new"


def leftovers(folder: Path) -> Iterator[Path]:
    """Temporary files in a state folder whose process is gone."""
    for file in folder.glob(".*.new"):
        pid = file.name.removesuffix(".new").rpartition(".")[2].partition("-")[0]
        if pid.isdigit() and not _runs(int(pid)):
            yield file


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def remove_private(path: Path) -> None:
    """Removes a state file that has done its work; already gone is fine."""
    step("state-remove")
    path.unlink(missing_ok=True)
    step("state-folder-fsync")
    fsync_folder(path.parent)


def write_all(fd: int, data: bytes) -> None:
    """Writes every byte, however short the single writes are. An error of the system names the file where it can."""
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(fd, view) :]
    except OSError as error:
        with suppress(OSError):  # a full disk says nothing of where; only Linux tells a descriptor's name
            error.filename = str(Path(f"/proc/self/fd/{fd}").readlink())
        raise


def fsync_folder(folder: Path) -> None:
    """Makes the folder's own entries durable."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
