"""Commits exactly the given paths by plumbing: private index, compare-and-swap of the branch (decision D22)."""

import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from hashlib import sha1, sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from engine.errors import MemdeckError
from engine.history.filters import filtered, filters_of, ignored
from engine.history.git import GitFailed
from engine.history.index import refresh_index
from engine.history.messages import messages
from engine.history.repository import Repository
from engine.history.waiting import rules_obstacle
from engine.workspace.text_safety import visible_line

_ATTEMPTS = 8
_RETRY_SECONDS = 0.05
_FEW = 8
"""Up to so many blobs are written one by one; for more, one `fast-import` is cheaper."""
_RECENT = 50
_LINK, _REPOSITORY = "120000", "160000"

ReadFile = Callable[[str], bytes | None]
"""The bytes of a workspace-relative path now; None where there is no file; raises `MemdeckError` where it is none."""


class Trailer(msgspec.Struct, frozen=True):
    """One `Key: value` line at the end of a commit message."""

    key: str
    value: str


class CommitRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What to commit and what to say. `at` is real time; by its trailers a repeated call knows its commit again."""

    paths: tuple[str, ...]
    subject: str
    trailers: tuple[Trailer, ...]
    at: datetime
    filters: Mapping[str, str]
    scratch: Path
    """A private folder of ours outside the workspace, where nothing else is called `git-…`."""


class CommitReport(msgspec.Struct, frozen=True):
    """The commit's id, or None; and what was left out or went wrong, each in one line."""

    commit: str | None
    problems: tuple[str, ...] = ()


class _Entry(msgspec.Struct, frozen=True):
    """A path in the new tree; `blob` None takes it out."""

    path: str
    mode: str
    blob: str | None


@dataclass
class _Work:
    """One commit in the making. Facts that cost a call of git are asked for once."""

    repository: Repository
    request: CommitRequest
    read: ReadFile
    folder: Path
    problems: list[str]

    @property
    def index(self) -> Path:
        return self.folder / "index"

    @cached_property
    def id_length(self) -> int:
        """Hexadecimal digits of the repository's ids."""
        return 64 if self.repository.git.line("rev-parse", "--show-object-format") == "sha256" else 40

    @cached_property
    def identity(self) -> dict[str, str]:
        """The name git is set up with, or ours; and the real time."""
        git = self.repository.git
        at = self.request.at
        facts = {
            "NAME": visible_line(git.line("config", "--get", "user.name")) or "memdeck",
            "EMAIL": visible_line(git.line("config", "--get", "user.email")) or "memdeck@localhost",
            "DATE": f"@{int(at.timestamp())} {at:%z}",
        }
        return {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in facts.items()}


def commit_paths(repository: Repository, request: CommitRequest, read: ReadFile) -> CommitReport:
    """Makes one commit of `request.paths` as they are now, on top of HEAD. Never raises for what git says.

    A foreign commit in between is built upon; nothing is committed while a merge or the like is under way. Left out
    and reported: what git ignores, what a filter should encrypt that the policy does not name, what is no file.
    """
    problems: list[str] = []
    try:
        with _scratch(request.scratch) as folder:
            return _commit(_Work(repository, request, read, folder, problems))
    except (MemdeckError, OSError) as error:
        what = error.line() if isinstance(error, MemdeckError) else str(error)
        return CommitReport(None, (*problems, f"not committed: {visible_line(what)}"))


@contextmanager
def _scratch(parent: Path) -> Iterator[Path]:
    """A private folder for git's files; what a crash left of earlier ones goes with it."""
    for left in parent.glob("git-*"):
        shutil.rmtree(left, ignore_errors=True)
    with TemporaryDirectory(prefix="git-", dir=parent) as folder:
        yield Path(folder)


def _commit(work: _Work) -> CommitReport:
    what = work.repository.under_way()
    if what:
        return CommitReport(None, (f"not committed: {what} is under way",))
    waits = rules_obstacle(work.repository.git, (work.repository.prefix + path for path in work.request.paths))
    if waits:
        return CommitReport(None, (f"not committed: {visible_line(waits)}",))
    old = work.repository.head()
    known = _already(work, old)
    if known:
        if known == old:
            _tell(work, _refresh_again(work, known))
        return CommitReport(known, tuple(work.problems))
    why = ""
    for _ in range(_ATTEMPTS):
        work.problems.clear()
        entries = _build_index(work, old)
        if not entries:
            return CommitReport(None, tuple(work.problems))
        new = _commit_object(work, old)
        why = _move_head(work, new, old)
        if not why:
            lines = _index_lines(entries, len(new))
            _tell(work, refresh_index(work.repository.git, old, lines, work.folder))
            return CommitReport(new, tuple(work.problems))
        old = work.repository.head()
    return CommitReport(None, (*work.problems, f"not committed: {why}"))


def _already(work: _Work, head: str) -> str:
    """The recent commit that bears our trailers, where an earlier call came that far."""
    wanted = set(_trailer_lines(work.request))
    recent = messages(work.repository.git, head, f"--max-count={_RECENT}")
    return next((commit for commit, lines in recent if wanted <= set(lines)), "")


def _refresh_again(work: _Work, commit: str) -> str:
    """Refreshes the index for a commit that an earlier call made before it was cut off."""
    git = work.repository.git
    tree = dict(_modes_and_blobs(git.run("ls-tree", "-r", "-z", "--full-tree", commit)))
    paths = [work.repository.prefix + path for path in work.request.paths]
    entries = [_Entry(path, *tree.get(path, ("100644", None))) for path in paths]
    old = git.line("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^1")
    return refresh_index(git, old, _index_lines(entries, len(commit)), work.folder)


def _modes_and_blobs(listing: bytes) -> Iterator[tuple[str, tuple[str, str]]]:
    for row in os.fsdecode(listing).split("\0"):
        facts, _, path = row.partition("\t")
        if path:
            yield path, (facts[:6], facts.rpartition(" ")[2])


def _build_index(work: _Work, old: str) -> list[_Entry]:
    """Fills the private index with HEAD's tree and our paths; returns our entries, none where nothing is left."""
    git = work.repository.git
    git.run(*(("read-tree", old) if old else ("read-tree", "--empty")), index=work.index)
    modes = dict(_modes(git.run("ls-files", "--stage", "-z", index=work.index)))
    paths = _committable(work, modes)
    blobs = _contents(work, paths)
    ids = _write_blobs(work, list(blobs.values()))
    entries = [_Entry(path, modes.get(path, "100644"), None) for path in paths if path not in blobs and path in modes]
    entries += [_Entry(path, modes.get(path, "100644"), blob) for path, blob in zip(blobs, ids, strict=True)]
    lines = _index_lines(entries, work.id_length)
    git.run("update-index", "-z", "--index-info", stdin=lines, index=work.index)
    return entries


def _modes(listing: bytes) -> Iterator[tuple[str, str]]:
    """Path and mode of each entry of `ls-files --stage -z`. A link that became a file gets a file's mode."""
    for row in os.fsdecode(listing).split("\0"):
        if row:
            facts, _, path = row.partition("\t")
            yield path, "100644" if facts.startswith(_LINK) else facts[:6]


def _committable(work: _Work, modes: Mapping[str, str]) -> list[str]:
    """Our paths as git names them, without those it must not get."""
    paths = [work.repository.prefix + path for path in dict.fromkeys(work.request.paths)]
    foreign = [path for path in paths if _in_other_repository(path, modes, work.repository.git.top)]
    paths = [path for path in paths if path not in foreign]
    left_out = ignored(work.repository, paths, work.index) if paths else frozenset()
    _report(work, "inside another repository", foreign)
    _report(work, "ignored by git", [path for path in paths if path in left_out])
    return [path for path in paths if path not in left_out]


def _in_other_repository(path: str, modes: Mapping[str, str], top: Path) -> bool:
    parts = path.split("/")
    folders = ["/".join(parts[:n]) for n in range(1, len(parts))]
    return any(modes.get(folder) == _REPOSITORY or (top / folder / ".git").exists() for folder in folders)


def _contents(work: _Work, paths: list[str]) -> dict[str, bytes]:
    """The bytes to commit of each path that has some; paths that may not be committed leave `paths`."""
    drivers = filters_of(work.repository, paths, work.index) if paths else {}
    found: dict[str, bytes] = {}
    in_clear: list[str] = []
    for path in paths.copy():
        try:
            data = work.read(path.removeprefix(work.repository.prefix))
            if data is not None and path in drivers:
                command = work.request.filters.get(drivers[path])
                if command is None:
                    in_clear.append(path)
                    paths.remove(path)
                    continue
                data = filtered(command, path, data, work.repository, work.repository.git.env)
        except MemdeckError as error:
            work.problems.append(f"left out of the commit: {visible_line(error.line())}")
            paths.remove(path)
            continue
        if data is not None:
            found[path] = data
    _report(work, "to be filtered by " + ", ".join(sorted({drivers[path] for path in in_clear})), in_clear)
    return found


def _report(work: _Work, why: str, paths: Sequence[str]) -> None:
    if paths:
        named = ", ".join(visible_line(path) for path in paths[:3])
        more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
        work.problems.append(f"left out of the commit ({why}): {named}{more}")


def _tell(work: _Work, problem: str) -> None:
    if problem:
        work.problems.append(problem)


def _write_blobs(work: _Work, contents: list[bytes]) -> list[str]:
    """Writes the contents as they are, no filter applied, and returns their ids."""
    git = work.repository.git
    if len(contents) <= _FEW:
        return [_one_line(git.run("hash-object", "-w", "--no-filters", "--stdin", stdin=data)) for data in contents]
    stream = b"".join(b"blob\ndata %d\n%s\n" % (len(data), data) for data in contents)
    git.run("fast-import", "--quiet", "--done", stdin=stream + b"done\n")
    algorithm = sha256 if work.id_length == 64 else sha1
    return [algorithm(b"blob %d\0%s" % (len(data), data)).hexdigest() for data in contents]


def _one_line(out: bytes) -> str:
    return out.decode("utf-8", "replace").strip()


def _index_lines(entries: Sequence[_Entry], id_length: int) -> bytes:
    """Entries for `update-index --index-info`. Those that leave come first: a folder may take a file's place."""
    gone = [b"0 %s\t%s\0" % (b"0" * id_length, os.fsencode(entry.path)) for entry in entries if entry.blob is None]
    there = [
        f"{entry.mode} {entry.blob}\t".encode() + os.fsencode(entry.path) + b"\0" for entry in entries if entry.blob
    ]
    return b"".join(gone + there)


def _commit_object(work: _Work, old: str) -> str:
    git = work.repository.git
    tree = _one_line(git.run("write-tree", index=work.index))
    parents = ("-p", old) if old else ()
    message = "\n".join((visible_line(work.request.subject), "", *_trailer_lines(work.request), "")).encode()
    return _one_line(git.run("commit-tree", tree, *parents, "-F", "-", stdin=message, more=work.identity))


def _trailer_lines(request: CommitRequest) -> list[str]:
    return [f"{trailer.key}: {visible_line(trailer.value)}" for trailer in request.trailers]


def _move_head(work: _Work, new: str, old: str) -> str:
    """Moves the branch from `old` to `new`; why not, where somebody moved it first or holds its lock; empty if moved.

    The branch goes by its own name: HEAD, and what a ref file says, could be rewritten to lead anywhere.
    """
    branch = work.repository.branch()
    if branch is None:
        raise GitFailed("HEAD names no branch of its own", where="git update-ref")
    expected = old or "0" * len(new)
    subject = visible_line(work.request.subject)
    command = ("update-ref", "--no-deref", "-m", subject, branch, new, expected)
    code, _, err = work.repository.git.attempt(*command, more=work.identity)
    if code == 0:
        return ""
    if work.repository.head() != old:
        return "the branch kept changing"
    if b"lock" not in err:
        raise GitFailed(visible_line(_one_line(err)), where="git update-ref")
    time.sleep(_RETRY_SECONDS)
    return visible_line(" ".join(_one_line(err).split()))
