"""Runs GitPython's commands in the environment of every other git call; reads a file's versions (D22, D56)."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from engine.history.git import Git
from engine.history.repository import Repository

if TYPE_CHECKING:
    import git as gitpython


def history_reader(git: Git) -> Any:
    """Gives GitPython's command object for a repository: `reader.log(…)`, `reader.blame(…)`, each returning bytes."""
    return _reader_class()(git)


@cache
def _reader_class() -> Callable[[Git], "gitpython.Git"]:
    with _starting_nothing():
        import git as gitpython

    class HistoryReader(gitpython.Git):
        """Builds command lines by the library, and runs each as `Git` does. The library would pass on `GIT_*`, and
        look for programs in a PATH that may lead into the workspace; its `Repo` would read the agent's config."""

        def __init__(self, git: Git) -> None:
            super().__init__(str(git.top))
            self._hardened = git

        def execute(self, command: Any, **options: Any) -> Any:  # type: ignore[override]  # what is left out is not done
            """Gives bytes, or code, bytes and messages with `with_extended_output`; raises `GitFailed`. `as_process`:
            gives the output piece by piece. `istream`: what the command reads."""
            unknown = options.keys() - {"with_extended_output", "with_exceptions", "as_process", "istream"}
            if unknown or isinstance(command, str):
                raise ValueError(f"not done in this environment: {', '.join(sorted(unknown)) or 'a shell command'}")
            args = list(map(os.fsdecode, command[1:]))
            if options.get("as_process"):
                return self._hardened.stream(*args)
            stdin = options["istream"].read() if "istream" in options else b""
            if options.get("with_exceptions", True):
                done = (0, self._hardened.run(*args, stdin=stdin), b"")
            else:
                done = self._hardened.attempt(*args, stdin=stdin)
            return done if options.get("with_extended_output") else done[1]

    return HistoryReader


@contextmanager
def _starting_nothing() -> Iterator[None]:
    """Prevents GitPython from running `git version` at its import, from a PATH that may lead into the workspace."""
    kept = {name: os.environ.get(name) for name in _AT_IMPORT}
    os.environ.update(_AT_IMPORT)
    try:
        yield
    finally:
        for name, value in kept.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


_AT_IMPORT = {"GIT_PYTHON_GIT_EXECUTABLE": os.devnull, "GIT_PYTHON_REFRESH": "quiet"}
"""A program that cannot be started, and no message about that."""


MOST_COMMITS = 20  # commits that touched the file which are looked at


class CommittedVersion(msgspec.Struct, frozen=True):
    """The bytes of a file in one commit, and when the commit was made."""

    commit: str
    at: datetime
    data: bytes


def committed_versions(repository: Repository, path: str) -> Iterator[CommittedVersion]:
    """Yields the committed versions of a workspace file, newest first, without filters or diff drivers (D22); skips
    commits without the file. Raises `GitFailed`, and `ValueError` for a date beyond the calendar."""
    name = repository.prefix + path
    reader = history_reader(repository.git)
    listing = reader.log("HEAD", "--", name, max_count=MOST_COMMITS, format="%H %ct")
    for line in listing.decode("ascii", "replace").splitlines():
        commit, _, seconds = line.partition(" ")
        code, data, _ = reader.cat_file("blob", f"{commit}:{name}", with_extended_output=True, with_exceptions=False)
        if code == 0:
            yield CommittedVersion(commit, datetime.fromtimestamp(int(seconds), UTC), data)
