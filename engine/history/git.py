"""Runs git so that nothing stored in a repository is executed, and nothing of ours reaches a shell (decision D22).

The agent can write every byte of `.git`. So only plumbing is called, by an explicit git folder; whatever in the
repository's own settings could start a program is overridden; and every call has a time limit.
"""

import errno
import os
import signal
import stat
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from engine.errors import MemdeckError

TIMEOUT = 30.0
"""Seconds. A repository can make git wait for ever, for example on a FIFO in place of an object."""
SHORT = 5.0
"""Seconds for a question that git answers from one or two of its files."""

_OVERRIDES = (
    "core.hooksPath=/dev/null",  # update-ref and update-index call hooks
    "core.fsmonitor=false",
    "core.untrackedCache=keep",
    "core.splitIndex=false",  # a private index must not leave files in the git folder
    "core.pager=cat",
    "core.editor=false",
    "core.sshCommand=false",
    "core.askPass=false",
    "core.alternateRefsCommand=false",
    "core.quotePath=false",
    "credential.helper=",
    "diff.external=",
    "diff.renames=false",
    "commit.gpgSign=false",
    "tag.gpgSign=false",
    "gpg.program=false",
    "log.showSignature=false",
    "log.mailmap=false",
    "i18n.commitEncoding=UTF-8",
    "i18n.logOutputEncoding=UTF-8",
    "submodule.recurse=false",
    "protocol.allow=never",
    "advice.graftFileDeprecated=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "fetch.recurseSubmodules=false",
)

_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",  # a partial clone would fetch missing objects by any command its remote names
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "false",
    "GIT_ASKPASS": "false",
    "SSH_ASKPASS": "false",
    "LC_ALL": "C",
    "LANGUAGE": "C",
}
_KEPT = ("PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "SYSTEMROOT")
"""The operator's own git settings stay in force: his identity, ignore rules and filter attributes live there."""


class GitFailed(MemdeckError):
    """Git could not do it; the message is its own last line."""

    title = "Git"


class GitTooSlow(GitFailed):
    """Git, or a filter, did not end within its time limit."""


class Git(msgspec.Struct, frozen=True):
    """One repository: its git folder, and the top of its files. `env` is the operator's environment."""

    folder: Path
    top: Path
    env: Mapping[str, str]

    def run(
        self,
        *args: str,
        stdin: bytes = b"",
        index: Path | None = None,
        more: Mapping[str, str] | None = None,
        timeout: float = TIMEOUT,
    ) -> bytes:
        """The output of one git command; `GitFailed` where it fails or takes too long.

        `index` stands in for the repository's own index; `more` is added to the environment.
        """
        code, out, err = self.attempt(*args, stdin=stdin, index=index, more=more, timeout=timeout)
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
    ) -> tuple[int, bytes, bytes]:
        """Exit code, output and messages of one git command, whatever the code."""
        extra = {} if index is None else {"GIT_INDEX_FILE": str(index)}
        # A private index is thrown away: only what the repository keeps must reach the disk.
        durable = ("core.fsync=all" if index is None else "core.fsync=all,-index",)
        settings = (part for item in (*_OVERRIDES, *durable) for part in ("-c", item))
        command = ["git", "--no-pager", *settings, *args]
        env = clean_environment(self.env) | {"GIT_DIR": str(self.folder), "GIT_WORK_TREE": str(self.top)}
        return run_limited(command, stdin=stdin, cwd=self.top, env={**env, **extra, **(more or {})}, timeout=timeout)

    def line(self, *args: str) -> str:
        """The one line that a command prints; empty where it fails."""
        code, out, _ = self.attempt(*args, timeout=SHORT)
        return out.decode("utf-8", "replace").strip() if code == 0 else ""


def clean_environment(env: Mapping[str, str]) -> dict[str, str]:
    """What git gets to see: where programs and the operator's settings are, and our own restrictions."""
    return {name: env[name] for name in _KEPT if name in env} | _ENVIRONMENT


def run_limited(
    command: list[str], *, stdin: bytes, cwd: Path, env: Mapping[str, str], timeout: float = TIMEOUT
) -> tuple[int, bytes, bytes]:
    """Runs a program without a shell or a terminal; after `timeout` seconds it ends with all that it started."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=dict(env),
            start_new_session=True,
        )
    except OSError as error:
        raise GitFailed(f"cannot be started: {error.strerror}", where=command[0]) from error
    try:
        out, err = process.communicate(stdin, timeout=timeout)
    except subprocess.TimeoutExpired as error:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise GitTooSlow(f"took longer than {timeout:g} seconds", where=command[0]) from error
    return process.returncode, out, err


def read_regular(path: Path, limit: int | None = None) -> bytes:
    """The bytes of a regular file, at most `limit`; `OSError` for anything else, also for a FIFO that would block."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    with os.fdopen(fd, "rb") as file:
        return file.read() if limit is None else file.read(limit)


def zero_separated(paths: Iterable[str]) -> bytes:
    """Paths for a `-z --stdin` option."""
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def _last_line(message: bytes) -> str:
    lines = message.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].removeprefix("fatal: ").removeprefix("error: ") if lines else ""
