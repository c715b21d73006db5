"""Explorations: branches `explore/*`, each with a folder of its own, in which an agent tries something (§3.3, D55).

A folder is filled by us, byte for byte as committed: git's own checkout would run filters and hooks (decision D22).
"""

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from engine.errors import MemdeckError, Refused
from engine.history.commit_dates import instant_of
from engine.history.git import GitFailed, read_regular
from engine.history.owner import folder_owner
from engine.history.past import TreeFile, blobs, files_and_others
from engine.history.repository import Repository
from engine.history.tags import ref_part
from engine.workspace.paths import relative_path

PREFIX = "explore/"
LASTS = timedelta(days=7)
"""An exploration that is older is reported, and offered to a plan."""
_HEADS = f"refs/heads/{PREFIX}"
_LOG_BYTES = 4096
_PACKED_BYTES = 16 << 20
_AT_ONCE = 200


class Exploration(msgspec.Struct, frozen=True):
    """A branch that tries something. `begun`: its first record in git's log, or its last commit where there is none."""

    name: str
    commit: str
    begun: datetime
    folder: str = ""
    """The folder in which it is checked out; empty for none."""

    def is_old(self, now: datetime) -> bool:
        """Tells whether it lasts longer than an exploration should."""
        return now - self.begun > LASTS


def explorations(repository: Repository) -> tuple[Exploration, ...]:
    """Every exploration, the oldest first. Without any, git is not asked."""
    folder = repository.git.folder
    if not _has_any(folder):
        return ()
    form = "--format=%(refname)%00%(objecttype)%00%(objectname)%00%(committerdate:unix)"
    rows = repository.git.run("for-each-ref", form, _HEADS).decode("utf-8", "replace").splitlines()
    places = dict(_worktrees(folder))
    found = []
    for cells in (row.split("\0") for row in rows):
        if len(cells) == 4 and cells[1] == "commit":
            name = cells[0].removeprefix(_HEADS)
            begun = _begun(folder / "logs" / cells[0]) or instant_of(cells[3])
            found.append(Exploration(name, cells[2], begun, places.get(cells[0], "")))
    return tuple(sorted(found, key=lambda one: (one.begun, one.name)))


def _has_any(folder: Path) -> bool:
    with suppress(OSError):
        if any((folder / _HEADS).iterdir()):
            return True
    with suppress(OSError):
        return f" {_HEADS}".encode() in read_regular(folder / "packed-refs", _PACKED_BYTES)
    return (folder / "reftable").is_dir()


def _worktrees(folder: Path) -> "Sequence[tuple[str, str]]":
    """The branch and the folder of each worktree."""
    found = []
    with suppress(OSError):
        for place in sorted((folder / "worktrees").iterdir()):
            with suppress(OSError):
                head = os.fsdecode(read_regular(place / "HEAD", _LOG_BYTES)).strip()
                gitfile = os.fsdecode(read_regular(place / "gitdir", _LOG_BYTES)).strip()
                found.append((head.removeprefix("ref: "), gitfile.removesuffix("/.git")))
    return found


def _begun(log: Path) -> datetime | None:
    """The instant of the first record of a branch's log: `OLD NEW NAME <MAIL> SECONDS ZONE`."""
    try:
        first = read_regular(log, _LOG_BYTES).partition(b"\n")[0]
    except OSError:
        return None
    words = first.partition(b"\t")[0].rpartition(b"> ")[2].split()
    return instant_of(words[0].decode("ascii", "replace")) if words and words[0].isdigit() else None


class Opened(msgspec.Struct, frozen=True):
    """A new exploration: its branch, its folder, and what of the commit is not in it."""

    branch: str
    folder: str
    commit: str
    left_out: tuple[str, ...] = ()


def explore(repository: Repository, name: str, folder: Path) -> Opened:
    """Begins a branch at what is committed, in a new folder outside of the workspace.

    `Refused` where the branch or the folder is there, where nothing is committed, or where the repository is another
    user's. What fails on the way is taken back.
    """
    branch, head, git = f"{PREFIX}{ref_part(name)}", repository.head(), repository.git
    if not head:
        raise Refused("the branch has no commit yet", where=str(git.top), hint="commit first")
    if git.line("rev-parse", "--verify", "--quiet", "--end-of-options", f"refs/heads/{branch}"):
        raise Refused("this exploration is there already", where=branch, hint="choose another name")
    _check_folder(folder, git.top)
    if folder_owner(git.folder) is not None:
        raise Refused("the repository is another user's", where=str(git.folder), hint="explore as that user")
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir()  # ours from here on: what fails may be taken back
    try:
        git.run("worktree", "add", "--quiet", "--no-checkout", "-b", branch, "--", str(folder), head)
        return Opened(branch, str(folder), head, _fill(repository, folder, head))
    except (MemdeckError, OSError) as error:
        _take_back(repository, branch, folder, head)
        if isinstance(error, OSError):
            raise GitFailed(error.strerror or str(error), where=str(error.filename or folder)) from error
        raise


def _check_folder(folder: Path, top: Path) -> None:
    real = Path(os.path.realpath(folder))
    if os.path.lexists(folder):
        raise Refused("there is something already", where=str(folder), hint="choose another folder with --at")
    if real == top or top in real.parents:
        raise Refused("it lies in the workspace, where it would be memory", where=str(folder), hint="choose --at")


def _fill(repository: Repository, folder: Path, head: str) -> tuple[str, ...]:
    """Writes the index of the worktree, then every regular file of a commit; gives what was left out.

    Git refuses to make an index of names that lead elsewhere, before a byte of them is written.
    """
    gitfile = os.fsdecode(read_regular(folder / ".git", _LOG_BYTES)).strip().removeprefix("gitdir: ")
    repository.git.run("read-tree", head, index=Path(gitfile) / "index")
    whole = Repository(repository.git, "")
    found, left = files_and_others(whole, head)
    files = list(found.values())
    for start in range(0, len(files), _AT_ONCE):
        part = files[start : start + _AT_ONCE]
        data = blobs(whole, (file.blob for file in part))
        left += [file.path for file in part if not _written(folder, file, data.get(file.blob))]
    return tuple(left)


def _written(folder: Path, file: TreeFile, data: bytes | None) -> bool:
    """Writes one file; False where it is too large, or its name leads anywhere else."""
    try:
        parts = relative_path(file.path).split("/")
    except Refused:
        return False
    if data is None or any(part.casefold() in (".git", "git~1") for part in parts):
        return False
    place = folder.joinpath(*parts)
    place.parent.mkdir(parents=True, exist_ok=True)
    fd = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    with os.fdopen(fd, "wb") as opened:
        opened.write(data)
    return True


def _take_back(repository: Repository, branch: str, folder: Path, head: str) -> None:
    """Removes what a failed start left: only what it made itself."""
    shutil.rmtree(folder, ignore_errors=True)
    for command in (("worktree", "prune"), ("update-ref", "-d", f"refs/heads/{branch}", head)):
        with suppress(MemdeckError):
            repository.git.run(*command)
