"""Runs git so that no program named in a repository is executed and no text reaches a shell (D22). The agent can
write all of `.git`: so only plumbing is called, on an explicit git folder, and settings that start programs are
overridden."""

import errno
import functools
import os
import select
import signal
import stat
import subprocess
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import msgspec

from engine.errors import MemdeckError
from engine.text.pattern_file import pattern_file
from engine.workspace.system_calls import find_program, search_path

TIMEOUT = 30.0  # Seconds. A repository can make git wait for ever, for example on a FIFO in place of an object.
LONG = 120.0  # seconds for a question about all of the history, whose answer comes piece by piece and can be stopped
SHORT = 5.0  # seconds for a question that git answers from one or two of its files

_SLOW = {"check-ignore": "look at the patterns in .gitignore"}  # the advice for a command that took too long
_PATIENCE = 1.0  # seconds after which somebody is told that a command takes long

Waiting = Callable[[str, float, float], None]
"""Is called with the command that takes long, the seconds it has run, and the seconds after which it is stopped."""

_KEPT = ("HOME", "XDG_CONFIG_HOME", "TMPDIR", "SYSTEMROOT")
"""The operator's own git settings stay in force: they have the identity, ignore rules and filter attributes."""


@functools.cache
def _safe_git() -> dict[str, Any]:
    return pattern_file(__package__, "safe_git.toml")


class GitFailed(MemdeckError, title="Git"):
    """A git command failed; the message is the last line that git printed."""


class GitTooSlow(GitFailed):
    """Git or a filter did not end within its time limit."""


class Git(msgspec.Struct, frozen=True):
    """One repository: its git folder, and the top folder of its files. `env` is the operator's environment."""

    folder: Path
    top: Path
    env: Mapping[str, str]
    waiting: Waiting | None = None  # is told of a command that takes long
    owner: tuple[int, int] | None = None  # whom the git folder belongs to, where root works beside that user
    objects: Path | None = None  # the folder of new objects, in place of the git folder
    kept: tuple[int, ...] = ()
    """File descriptors that each git inherits: while one is open, that git is still alive."""

    def run(
        self,
        *args: str,
        stdin: bytes = b"",
        index: Path | None = None,
        more: Mapping[str, str] | None = None,
        timeout: float = TIMEOUT,
        as_owner: bool = False,
    ) -> bytes:
        """Gives the output of a git command; `GitFailed` where it fails or takes too long. `index` replaces the
        repository's index; `more` is added to the environment; `as_owner` writes as the git folder's owner."""
        code, out, err = self.attempt(*args, stdin=stdin, index=index, more=more, timeout=timeout, as_owner=as_owner)
        if code != 0:
            raise GitFailed(_last_line(err) or f"git {args[0]} ended with {code}", where=f"git {args[0]}")
        return out

    def attempt(
        self,
        *args: str,
        stdin: bytes = b"",
        index: Path | None = None,
        more: Mapping[str, str] | None = None,
        timeout: float = TIMEOUT,
        as_owner: bool = False,
    ) -> tuple[int, bytes, bytes]:
        """Gives the exit code, the output and the messages of one git command, whatever the code."""
        command, env = self._call(args, index, more or {}, as_owner=as_owner)
        told = self.waiting and functools.partial(self.waiting, f"git {args[0]}")
        user = self.owner if as_owner else None
        try:
            return run_limited(command, stdin=stdin, env=env, timeout=timeout, waiting=told, user=user, kept=self.kept)
        except GitTooSlow as error:
            raise GitTooSlow(error.message, where=f"git {args[0]}", hint=_SLOW.get(args[0], "")) from error

    def stream(
        self, *args: str, timeout: float = LONG, stdin: int = subprocess.DEVNULL
    ) -> Generator[bytes, None, None]:
        """Yields the output of one git command piece by piece; `GitFailed` as with `run`. Closing the iterator ends
        the command. `stdin` is a descriptor to read from."""
        command, env = self._call(args, None, {}, as_owner=False)
        told = self.waiting and functools.partial(self.waiting, f"git {args[0]}")
        yield from stream_limited(command, env=env, timeout=timeout, waiting=told, stdin=stdin)

    def _call(
        self, args: Sequence[str], index: Path | None, more: Mapping[str, str], *, as_owner: bool
    ) -> tuple[list[str], dict[str, str]]:
        extra = {} if index is None else {"GIT_INDEX_FILE": str(index)}
        # A private index is thrown away: only what the repository keeps must reach the disk.
        durable = ("core.fsync=all" if index is None else "core.fsync=all,-index",)
        settings = (part for item in (*_safe_git()["settings"], *durable) for part in ("-c", item))
        command = [git_program(self.top, self.env), "-C", str(self.top), "--no-pager", *settings, *args]
        env = clean_environment(self.env, self.top) | {"GIT_DIR": str(self.folder), "GIT_WORK_TREE": str(self.top)}
        return command, env | extra | dict(more) | self._place(as_owner=as_owner)

    def _place(self, *, as_owner: bool) -> dict[str, str]:
        """Gives the environment for writing objects; without the operator's settings if the folder's owner runs git."""
        if self.owner is not None and as_owner:
            return {"HOME": "/", "XDG_CONFIG_HOME": "/", "GIT_CONFIG_GLOBAL": os.devnull}
        if self.objects is None:
            return {}
        borrowed = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": str(self.folder / "objects")}
        return {"GIT_OBJECT_DIRECTORY": str(self.objects), **borrowed}

    def line(self, *args: str) -> str:
        """Gives the single line that a command prints; empty where the command fails."""
        code, out, _ = self.attempt(*args, timeout=SHORT)
        return out.decode("utf-8", "replace").strip() if code == 0 else ""

    def commit_id(self, name: str) -> str:
        """Gives the id of the commit that an id, a branch or a tag names; empty if there is none."""
        return self.line("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")


def git_program(top: Path, env: Mapping[str, str]) -> str:
    """Gives the absolute path of git, found outside the repository's files; `GitFailed` where there is none."""
    if (program := find_program("git", top, env)) is None:
        raise GitFailed("cannot be started: it is not installed outside the workspace", where="git")
    return program


def clean_environment(env: Mapping[str, str], top: Path) -> dict[str, str]:
    """Gives the environment that git gets: search path, the operator's settings, and memdeck's restrictions."""
    kept = {name: env[name] for name in _KEPT if name in env}
    ours: dict[str, str] = _safe_git()["environment"]
    return kept | {"PATH": search_path(top, env)} | ours


def run_limited(
    command: list[str],
    *,
    stdin: bytes,
    env: Mapping[str, str],
    timeout: float = TIMEOUT,
    cwd: Path = Path("/"),
    waiting: Callable[[float, float], None] | None = None,
    user: tuple[int, int] | None = None,
    kept: tuple[int, ...] = (),
) -> tuple[int, bytes, bytes]:
    """Runs a program without a shell; after `timeout` seconds kills it with its children. `waiting` is called each
    second with the seconds gone and the limit. `user`: the user and group to run as; `kept`: descriptors to inherit."""
    process = _started(command, env, cwd, user, kept=kept)
    try:
        out, err = _communicated(process, stdin, timeout, waiting)
    except subprocess.TimeoutExpired as error:
        _killed(process)
        raise GitTooSlow(f"took longer than {timeout:g} seconds", where=_name(command)) from error
    except BaseException:
        _killed(process)
        raise
    return process.returncode, out, err


def stream_limited(
    command: list[str],
    *,
    env: Mapping[str, str],
    timeout: float,
    waiting: Callable[[float, float], None] | None = None,
    stdin: int = subprocess.DEVNULL,
) -> Iterator[bytes]:
    """Runs a program as `run_limited` does and yields its output piece by piece; closing the iterator ends it.
    `waiting` is called with the seconds gone and the limit while no output comes; its exceptions end the program."""
    import tempfile  # with shutil and the packers it is a fiftieth of `memdeck queue`

    with tempfile.TemporaryFile() as messages:  # a pipe that nobody empties would stop the program
        process = _started(command, env, Path("/"), None, stdin=stdin, stderr=messages)
        try:
            yield from _pieces(process, timeout, waiting)
            code = process.wait(timeout=SHORT)
        except subprocess.TimeoutExpired as error:
            raise GitTooSlow(f"took longer than {timeout:g} seconds", where=_name(command)) from error
        finally:
            _killed(process)
        if code != 0:
            messages.seek(0)
            raise GitFailed(_last_line(messages.read(_PIECE)) or f"ended with {code}", where=_name(command))


def _pieces(
    process: "subprocess.Popen[bytes]", timeout: float, waiting: Callable[[float, float], None] | None
) -> Iterator[bytes]:
    """Yields the output of a program until it closes it; `TimeoutExpired` after `timeout` seconds."""
    output, started = process.stdout, time.monotonic()
    while output is not None:
        gone = time.monotonic() - started
        if gone >= timeout:
            raise subprocess.TimeoutExpired(process.args, timeout)
        if not select.select([output], [], [], min(timeout - gone, _PULSE))[0]:
            if waiting is not None:
                waiting(gone, timeout)
            continue
        if not (piece := os.read(output.fileno(), _PIECE)):
            return
        yield piece


_PIECE = 64 * 1024  # bytes of git's output, or of what it complains of, that are read at once
_PULSE = 0.2  # seconds after which a reader that nothing comes to may stop


def _started(
    command: list[str],
    env: Mapping[str, str],
    cwd: Path,
    user: tuple[int, int] | None,
    stdin: int = subprocess.PIPE,
    stderr: "int | IO[bytes]" = subprocess.PIPE,
    kept: tuple[int, ...] = (),
) -> "subprocess.Popen[bytes]":
    uid, gid = user or (None, None)
    try:
        return subprocess.Popen(
            command,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            cwd=cwd,
            env=dict(env),
            # A group of its own, so that filters which git started end with it, and no Ctrl-C of the terminal reaches
            # it.
            start_new_session=True,
            pass_fds=kept,
            user=uid,
            group=gid,
            # Root's own groups must not stay with the other user.
            extra_groups=None if user is None else [],
        )
    except (OSError, subprocess.SubprocessError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise GitFailed(f"cannot be started: {why}", where=_name(command)) from error


def _communicated(
    process: "subprocess.Popen[bytes]", stdin: bytes, timeout: float, waiting: Callable[[float, float], None] | None
) -> tuple[bytes, bytes]:
    """Gives the output and the messages; `TimeoutExpired` at the limit."""
    if waiting is None:
        return process.communicate(stdin, timeout=timeout)
    _feed(process, stdin)
    started = time.monotonic()
    while True:
        left = timeout - (time.monotonic() - started)
        try:
            return process.communicate(timeout=min(left, _PATIENCE))
        except subprocess.TimeoutExpired:
            gone = time.monotonic() - started
            if gone >= timeout:
                raise
            waiting(gone, timeout)


def _feed(process: "subprocess.Popen[bytes]", data: bytes) -> None:
    """Sends a program its input from a thread: `communicate` sends no further input once it has timed out."""
    pipe, process.stdin = process.stdin, None
    if pipe is not None:
        threading.Thread(target=_send, args=(pipe, data), daemon=True).start()


def _send(pipe: IO[bytes], data: bytes) -> None:
    with suppress(BrokenPipeError), pipe:
        pipe.write(data)


def _killed(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def _name(command: list[str]) -> str:
    return Path(command[0]).name


def read_regular(path: Path, limit: int | None = None) -> bytes:
    """Reads a regular file, at most `limit` bytes; `OSError` for anything else, such as a FIFO that would block."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    with os.fdopen(fd, "rb") as file:
        return file.read() if limit is None else file.read(limit)


def zero_separated(paths: Iterable[str]) -> bytes:
    """Gives the paths as input for git's `-z --stdin`."""
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def _last_line(message: bytes) -> str:
    lines = message.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].removeprefix("fatal: ").removeprefix("error: ") if lines else ""
