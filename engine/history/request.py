"""Defines a request for a commit and its report, and reads the trailers of our own commits back."""

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
"""Gives the bytes to commit of a workspace-relative path; None takes it out; `MemdeckError` leaves it out."""


class Since(msgspec.Struct, frozen=True):
    """The state when a commit became owed, so that it takes back nothing that others committed since. `base` is the
    commit that HEAD named, empty on a branch without any, None where it is not known. `before` gives the bytes that the
    operation met at a path; None for no file, or where they are not known any more."""

    base: str | None
    before: Callable[[str], bytes | None]


class Trailer(msgspec.Struct, frozen=True):
    """One `Key: value` line at the end of a commit message."""

    key: str
    value: str


class Person(msgspec.Struct, frozen=True):
    """A name and address as git records them."""

    name: str
    email: str


class CommitRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The paths to commit and the message. By its trailers a repeated call knows its commit again. `at` is real time,
    the same in every call, so that the commit is the same as well: a lock that a killed git left on the branch is known
    as ours by the commit that stands in it."""

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
    """The commit's id, or None; and what was left out or went wrong, each in one line. `owed` says why the commit, or
    the index after it, is still to be made: ask again. Empty for settled."""

    commit: str | None
    problems: tuple[str, ...] = ()
    owed: str = ""


def messages(git: Git, head: str, *options: str) -> Iterator[tuple[str, list[str]]]:
    """Id and message lines of the commits that `head` reaches, newest first, as `rev-list` options choose them."""
    if not head:
        return
    out = git.run("rev-list", *options, "--format=%B%x00", "--end-of-options", head).decode("utf-8", "replace")
    for block in out.split("\0"):
        first, _, message = block.lstrip("\n").partition("\n")
        if first.startswith("commit "):
            yield first.removeprefix("commit "), message.splitlines()


def trailer_values(git: Git, head: str, line: str, key: str, most: int = 1000) -> Iterator[str]:
    """Gives the value of the trailer `key` in each of the latest commits whose message has exactly the line `line`."""
    options = (f"--max-count={most}", "--fixed-strings", f"--grep={line}")
    for _, lines in messages(git, head, *options):
        if line in lines:
            yield from (row.removeprefix(f"{key}: ") for row in lines if row.startswith(f"{key}: "))
