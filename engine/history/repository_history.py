"""Reads the history of a repository through GitPython: commits with their changes, trees, bytes (decision D56). Text
conversion and external diffs, which could start a program of the repository, are off."""

import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from io import BytesIO
from itertools import islice

import msgspec

from engine.errors import UsageError
from engine.history.commit_dates import instant_of
from engine.history.git import read_regular
from engine.history.gitmodules import is_commit
from engine.history.gitpython_reader import history_reader
from engine.history.repository import Repository
from engine.text.secrets.detector import redact

LARGEST = 4 << 20  # bytes of a file up to which its past is read
_REGULAR = ("100644", "100755")  # modes of files; links and submodules have others
_PLAIN = ("--no-textconv", "--no-ext-diff", "--no-renames", "--no-color", "--ignore-submodules")
_OWN_BRANCH = ("--first-parent", "--diff-merges=first-parent")
"""The branch's own commits: a merge counts as one change."""
_FORMAT = "--format=%x01%H %ct %(trailers:key=Memdeck-Operation,valueonly,separator=%x2C,unfold)%x02%s%x02%P"
BLOBS_AT_ONCE = 200  # blobs whose bytes a walk over many holds in memory: 800 MB at the very most
_MOST_LOOKED_AT = 3_000  # commits of which the files are looked at for the last change of each note
_MOST_AT_ONCE = 64  # commits whose bytes are asked for in one call, once the first ones were answered


class Commit(msgspec.Struct, frozen=True):
    """A commit. `claims` is the operation that its message names, unconfirmed. `merge`: it has several parents."""

    id: str
    at: datetime
    subject: str
    claims: str = ""
    merge: bool = False


class BlobStep(msgspec.Struct, frozen=True, gc=False):
    """A commit's change of one workspace file. `old` and `new` are blob ids, empty for no regular file."""

    path: str
    old: str
    new: str


class CommitSteps(msgspec.Struct, frozen=True):
    commit: Commit
    steps: tuple[BlobStep, ...]


class TreeFile(msgspec.Struct, frozen=True, gc=False):
    """A regular file of a committed tree, with the id of its blob."""

    path: str
    blob: str
    size: int


def steps_of(repository: Repository, paths: Sequence[str], most: int) -> tuple[CommitSteps, ...]:
    """Gives the newest commits of the branch that changed one of `paths`, newest first, at most `most`."""
    asked = [repository.prefix + path for path in paths]
    pieces = _log(repository, *_OWN_BRANCH, f"--max-count={most}", "HEAD", "--", *asked)
    return tuple(_commits(pieces, repository.prefix))


def renamed_from(repository: Repository, commit: str, path: str) -> str:
    """Gives the earlier name of a file that this commit renamed; empty where the commit created it."""
    # 400 files on either side at most: git compares each pair.
    options = ("-z", "--raw", "--find-renames", "-l400", "--root", "--no-abbrev", "--diff-filter=R", "--format=")
    plain = [one for one in _PLAIN if one != "--no-renames"]
    asked = (*options, *plain, *_OWN_BRANCH, "--max-count=1", commit, "--", repository.prefix or ".")
    cells = os.fsdecode(history_reader(repository.git).log(*asked)).split("\0")
    names = {new: old for old, new in zip(cells[1::3], cells[2::3], strict=False)}
    return names.get(repository.prefix + path, "").removeprefix(repository.prefix)


def steps_with(repository: Repository, text: str) -> Iterator[CommitSteps]:
    """Yields commits that changed how often a text occurs, newest first; merges if it changed against all parents."""
    pieces = _log(repository, "--diff-merges=combined", f"-S{text}", "HEAD", "--", repository.prefix or ".")
    yield from _commits(pieces, repository.prefix)


def steps_in(repository: Repository, commit: str) -> tuple[BlobStep, ...]:
    """Gives the changes of one commit; of a merge, those against its first parent."""
    pieces = _log(repository, "--max-count=1", *_OWN_BRANCH, commit, "--", repository.prefix or ".")
    return tuple(step for one in _commits(pieces, repository.prefix) for step in one.steps if one.commit.id == commit)


def commit_at(repository: Repository, at: datetime) -> Commit | None:
    """Gives the newest commit of the branch at an instant; None where there was none yet."""
    pieces = _log(repository, *_OWN_BRANCH, "--max-count=1", f"--before={int(at.timestamp())}", "HEAD")
    return next((steps.commit for steps in _commits(pieces, "")), None)


def last_changes(repository: Repository, commit: str, paths: Iterable[str]) -> dict[str, Commit]:
    """Gives the last commit that changed each of these files, among the newest few thousand commits."""
    left, found = set(paths), dict[str, Commit]()
    asked = (*_OWN_BRANCH, f"--max-count={_MOST_LOOKED_AT}", commit, "--", repository.prefix or ".")
    for steps in _commits(_log(repository, *asked), repository.prefix):
        for step in steps.steps:
            if step.path in left:
                left.discard(step.path)
                found[step.path] = steps.commit
        if not left:
            break
    return found


def shallow_commits(repository: Repository) -> frozenset[str]:
    """Gives the oldest commits of a shallow clone: their parents were never fetched."""
    try:
        return frozenset(read_regular(repository.git.folder / "shallow", LARGEST).decode("ascii", "replace").split())
    except OSError:
        return frozenset()


def first_commit(repository: Repository) -> datetime | None:
    """Gives the instant of the branch's oldest commit; None without commits."""
    found = list(_commits(_log(repository, "--max-parents=0", "HEAD"), ""))
    return min((steps.commit.at for steps in found), default=None)


def commit_named(repository: Repository, name: str) -> Commit:
    """Gives the commit that a tag, a branch or an id names; `UsageError` where there is none."""
    reader = history_reader(repository.git)
    asked = ("--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    code, out, _ = reader.rev_parse(*asked, with_extended_output=True, with_exceptions=False)
    found = _commits(_log(repository, "--max-count=1", out.decode("ascii", "replace").strip()), "") if not code else ()
    for steps in found:
        return steps.commit
    hint = "like 2026-03-01, 3w, yesterday, HEAD~3, a tag"
    raise UsageError("there is no such date, commit or tag", where=name, hint=hint)


def tree_of(repository: Repository, commit: str) -> dict[str, TreeFile]:
    """Gives the regular files of a commit by their workspace path, without links and submodules."""
    return files_and_others(repository, commit)[0]


def files_and_others(repository: Repository, commit: str) -> tuple[dict[str, TreeFile], list[str]]:
    """Gives the regular files of a commit by workspace path, and the paths of links and submodules."""
    below = (repository.prefix,) if repository.prefix else ()
    out = history_reader(repository.git).ls_tree("-r", "-z", "-l", "--full-tree", commit, "--", *below)
    found, others = dict[str, TreeFile](), list[str]()
    for row in os.fsdecode(out).split("\0"):
        facts, _, name = row.partition("\t")
        path = name.removeprefix(repository.prefix)
        if name and facts.startswith(_REGULAR):
            _, _, blob, size = facts.split()
            found[path] = TreeFile(path, blob, int(size))
        elif name:
            others.append(path)
    return found, others


def blobs(repository: Repository, names: Iterable[str]) -> dict[str, bytes]:
    """Gives the bytes of these blobs; leaves out blobs that are missing or larger than `LARGEST`."""
    if not (wanted := sorted({name for name in names if name})):
        return {}
    reader = history_reader(repository.git)
    facts = reader.cat_file("--batch-check", istream=_lines(wanted)).decode("ascii", "replace").splitlines()
    sizes = {row.split()[0]: int(row.split()[2]) for row in facts if " blob " in row}
    small = [name for name, size in sizes.items() if size <= LARGEST]
    out, at, found = reader.cat_file("--batch", istream=_lines(small)) if small else b"", 0, {}
    for name in small:
        start = out.index(b"\n", at) + 1
        found[name] = out[start : start + sizes[name]]
        at = start + sizes[name] + 1
    return found


def line_commits(repository: Repository, commit: str, path: str) -> list[Commit]:
    """Gives the commit that last changed each line of a file, as `git blame` tells it."""
    reader = history_reader(repository.git)
    out = reader.blame("--porcelain", "--no-textconv", "--root", commit, "--", repository.prefix + path)
    commits: list[str] = []
    known: dict[str, dict[str, str]] = {}
    for row in out.decode("utf-8", "replace").split("\n"):
        key, _, value = row.partition(" ")
        # The line itself, behind its facts.
        if row.startswith("\t"):
            continue
        if is_commit(key):
            commits.append(key)
        elif commits:
            known.setdefault(commits[-1], {})[key] = value
    facts = {name: Commit(name, instant_of(one["committer-time"]), one["summary"]) for name, one in known.items()}
    return [facts[name] for name in commits]


def in_growing_groups(commits: Iterator[CommitSteps]) -> Iterator[list[CommitSteps]]:
    """Yields groups of one, three, nine commits and so on: the first answer comes early, and many need few calls."""
    size = 1
    while group := list(islice(commits, size)):
        yield group
        size = min(size * 3, _MOST_AT_ONCE)


def _log(repository: Repository, *asked: str) -> Iterator[bytes]:
    if not repository.head():
        return iter(())
    options = ("-z", "--raw", "--no-abbrev", *_PLAIN, _FORMAT)
    pieces: Iterator[bytes] = history_reader(repository.git).log(*options, *asked, as_process=True)
    return pieces


def _commits(pieces: Iterable[bytes], prefix: str) -> Iterator[CommitSteps]:
    """Yields the commits of a log as git writes them; one written in pieces comes with other files each time."""
    reading, rest = _LogReader(prefix), b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\0")
        yield from reading.take(map(os.fsdecode, whole))
        if not rest and reading.steps:
            yield from reading.given()
    yield from reading.take([os.fsdecode(rest)])
    if reading.commit is not None:
        yield from reading.given()


class _LogReader:
    """Reads the cells of a log: one for a commit, then two for each of its files, facts and name."""

    def __init__(self, prefix: str) -> None:
        self.commit: Commit | None = None
        self.steps: list[BlobStep] = []
        self._prefix = prefix
        self._facts = ""
        self._given = True

    def take(self, cells: Iterable[str]) -> Iterator[CommitSteps]:
        """Takes the next cells; yields each commit that is complete."""
        for cell in cells:
            if self._facts:
                if cell.startswith(self._prefix):
                    self.steps.append(_step(self._facts, cell.removeprefix(self._prefix)))
                self._facts = ""
            elif cell.startswith("\x01"):
                yield from self.given()
                self.commit, self._given = _commit(cell), False
            else:
                self._facts = cell.lstrip("\n")

    def given(self) -> Iterator[CommitSteps]:
        """Yields the present commit, unless it was yielded and has no further file."""
        if self.commit is not None and (self.steps or not self._given):
            yield CommitSteps(self.commit, tuple(self.steps))
        self.steps, self._given = [], True


def _commit(cell: str) -> Commit:
    """Reads `\\x01ID SECONDS OPERATION\\x02SUBJECT\\x02PARENTS`."""
    head, _, rest = cell.rstrip("\n").partition("\x02")
    ident, seconds, claims = (*head.removeprefix("\x01").split(" ", 2), "", "")[:3]
    subject, _, parents = rest.rpartition("\x02")
    said = redact(subject.encode("utf-8", "replace").decode())
    return Commit(ident, instant_of(seconds), said, claims.strip(), merge=" " in parents)


def _step(facts: str, path: str) -> BlobStep:
    """Reads `:MODE MODE OLD NEW STATUS`; of a merge, which has modes and ids for each parent, the first parent."""
    cells = facts.lstrip(":").split(" ")
    sides = len(cells) // 2 - 1
    old_mode, new_mode, old, new = cells[0], cells[sides], cells[sides + 1], cells[-2]
    return BlobStep(path, old if old_mode in _REGULAR else "", new if new_mode in _REGULAR else "")


def _lines(names: Sequence[str]) -> BytesIO:
    return BytesIO("".join(f"{name}\n" for name in names).encode("ascii"))
