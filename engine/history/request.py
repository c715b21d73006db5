"""Defines the request for a commit and its report; reads the trailers of memdeck's commits."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

import msgspec

from engine.history.git import Git


class Content(msgspec.Struct, frozen=True):
    """The bytes of a file, and whether it is executable."""

    data: bytes
    executable: bool = False


ReadFile = Callable[[str], Content | None]
"""Gives the bytes to commit at a workspace path; None removes the path; `MemdeckError` leaves it out."""


class Since(msgspec.Struct, frozen=True):
    """The state when a commit became owed, so that it undoes no later commit. `base`: HEAD's commit, empty without one,
    None if unknown. `before`: the bytes that the operation found at a path; None if unknown."""

    base: str | None
    before: Callable[[str], bytes | None]


class Trailer(msgspec.Struct, frozen=True):
    """One `Key: value` line at the end of a commit message."""

    key: str
    value: str


class Person(msgspec.Struct, frozen=True):
    """A name and an address as git records them."""

    name: str
    email: str


class CommitRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The paths to commit and the message. A repeated call finds its commit by the trailers. `at` must be the same
    in every call: then the commit's id is the same, by which the lock of a killed git is recognised."""

    paths: tuple[str, ...]
    subject: str
    body: tuple[str, ...] = ()  # lines below the subject; each begins with a mark, so that none is taken for a trailer
    trailers: tuple[Trailer, ...]
    at: datetime
    filters: Mapping[str, str]
    private: tuple[str, ...]  # folders of the workspace whose files are committed encrypted or not at all
    scratch: Path  # a private folder of ours outside the workspace, where nothing else is called `git-…`
    author: Person | None = None  # the author, where the words are not the operator's; then the committer is memdeck
    since: Since | None = None  # set where the commit was owed for a while


class CommitReport(msgspec.Struct, frozen=True):
    """The commit's id, or None, and one line for each path that was left out or failed. `owed` gives the reason why
    the commit or the index update is still to be made; empty when settled."""

    commit: str | None
    problems: tuple[str, ...] = ()
    owed: str = ""


def messages(git: Git, head: str, *options: str) -> Iterator[tuple[str, list[str]]]:
    """Yields id and message lines of the commits that `head` reaches, newest first, limited by `rev-list` options."""
    if not head:
        return
    out = git.run("rev-list", *options, "--format=%B%x00", "--end-of-options", head).decode("utf-8", "replace")
    for block in out.split("\0"):
        first, _, message = block.lstrip("\n").partition("\n")
        if first.startswith("commit "):
            yield first.removeprefix("commit "), message.splitlines()


def trailer_values(git: Git, head: str, line: str, key: str, most: int = 1000) -> Iterator[str]:
    """Yields the value of the trailer `key` in each recent commit whose message has the line `line`."""
    options = (f"--max-count={most}", "--fixed-strings", f"--grep={line}")
    for _, lines in messages(git, head, *options):
        if line in lines:
            yield from (row.removeprefix(f"{key}: ") for row in lines if row.startswith(f"{key}: "))
