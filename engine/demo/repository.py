"""Makes the demonstration's git repository: dated commits through one `git fast-import`, without hooks."""

import errno
import os
import subprocess
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Self

from engine.plans.apply.context import CommitOutcome, Committer
from engine.plans.operation import ChainHead, Operation
from engine.plans.records.audit import AuditLog
from engine.workspace.system_calls import find_program
from engine.workspace.values import Tick

AUTHOR = "Silas <silas@kornblume.example>"
OPERATOR = "demo <demo@kornblume.example>"
BRANCH = "refs/heads/main"


class DemoRepository:
    """A new repository in `folder`; commits must come in order of their dates."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._git = find_program("git", folder, os.environ) or "/usr/bin/git"
        self._run(["init", "--quiet", "--template=", "."])
        self._run(["symbolic-ref", "HEAD", BRANCH])
        self._import = subprocess.Popen(
            self._command(["fast-import", "--quiet", "--date-format=raw"]),
            cwd=folder,
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._mark = 0

    def commit(self, at: datetime, author: str, message: str, changes: Mapping[str, bytes | None]) -> str:
        """Commits the new contents of paths (None deletes one) and returns the commit's id."""
        self._mark += 1
        stamp = f"{author} {int(at.timestamp())} +0000"
        head = f"commit {BRANCH}\nmark :{self._mark}\nauthor {stamp}\ncommitter {stamp}\n"
        parts = [head.encode(), _data(message.encode())]
        for path, content in sorted(changes.items()):
            name = b'"' + path.encode().replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
            parts += [b"D " + name + b"\n"] if content is None else [b"M 100644 inline " + name + b"\n", _data(content)]
        parts.append(b"get-mark :%d\n" % self._mark)
        assert self._import.stdin is not None and self._import.stdout is not None  # noqa: S101 (both are pipes)
        self._import.stdin.write(b"".join(parts))
        self._import.stdin.flush()
        if not (made := self._import.stdout.readline().decode().strip()):
            raise BrokenPipeError(errno.EPIPE, "git fast-import ended early")
        return made

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._import.communicate()

    def refresh(self) -> None:
        """Makes the index equal to the last commit, so that only later changes count."""
        self._run(["read-tree", "HEAD"])
        self._run(["update-index", "-q", "--refresh"], check=False)

    def _run(self, arguments: Sequence[str], *, check: bool = True) -> None:
        subprocess.run(self._command(arguments), cwd=self.folder, env=_environment(), check=check, capture_output=True)

    def _command(self, arguments: Sequence[str]) -> list[str]:
        return [self._git, "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", *arguments]


def demo_committer(
    repository: DemoRepository, audit: AuditLog, at: datetime, changed: Mapping[str, bytes | None]
) -> Committer:
    """Gives a function that records an operation in the repository, as an apply does; see `plans.git_record`."""

    def commit(operation: Operation, paths: Sequence[str], head: ChainHead, tick: Tick | None = None) -> CommitOutcome:
        trailers = {
            "Memdeck-Operation": operation.id,
            "Memdeck-Plan": operation.plan,
            "Memdeck-Audit": f"{head.seq} {head.hash}",
            "Memdeck-Log": audit.identity(),
        }
        message = "\n".join([operation.message, "", *(f"{key}: {value}" for key, value in trailers.items()), ""])
        return CommitOutcome(repository.commit(at, OPERATOR, message, {path: changed[path] for path in paths}))

    return commit


def git_works(folder: Path) -> bool:
    """Tells whether git can be run."""
    if (program := find_program("git", folder, os.environ)) is None:
        return False
    try:
        done = subprocess.run([program, "--version"], cwd=folder, env=_environment(), capture_output=True)
    except OSError:
        return False
    return done.returncode == 0


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)
