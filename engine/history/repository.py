"""Finds the repository that a workspace may use: its own, or one outside that the policy names (decision D22)."""

import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from engine.history.git import Git, read_regular
from engine.history.git_hazards import obstacle

GITFILE_BYTES = 4096  # bytes of a file of git's that names one thing: a folder, a branch or a commit
_UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "BISECT_LOG": "a bisection",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    # Of several commits: between two of them none of the HEAD files is there.
    "sequencer": "a cherry-pick or revert",
}
# What git itself writes in a git folder: a link here would carry its writes elsewhere.
_WRITTEN = ("HEAD", "index", "logs", "objects", "packed-refs", "refs", "reftable")
BRANCH_NAME = re.compile(
    r"refs/(?!.*(?:\.\.|//|/\.|\.lock/|@\{))[^\x00-\x20\x7f~^:?*\[\\/.][^\x00-\x20\x7f~^:?*\[\\]*(?<![/.])(?<!\.lock)"
)
"""The names that git allows for a branch: another name could make git write outside the git folder."""


class Repository(msgspec.Struct, frozen=True):
    """A repository that memdeck may write. `prefix` is the workspace's path below its top, empty or ending with `/`."""

    git: Git
    prefix: str

    def under_way(self) -> str:
        """Names the unfinished operation (a merge, a rebase …); empty if there is none."""
        return next((what for name, what in _UNDER_WAY.items() if os.path.lexists(self.git.folder / name)), "")

    def head(self) -> str:
        """Gives the commit of HEAD; empty on a branch without commits."""
        return self.git.commit_id("HEAD")

    def branch(self) -> str | None:
        """Gives the ref that a commit moves: the branch, or `HEAD` for a commit; None where it may not be moved."""
        return _branch(self.git.folder)


class NoRepository(msgspec.Struct, frozen=True):
    """No usable repository; `reason` is empty where there is no git at all. `passing`: the cause can be fixed."""

    reason: str = ""
    passing: bool = False


def find_repository(workspace: Path, outside: Sequence[str], env: Mapping[str, str]) -> Repository | NoRepository:
    """Finds the workspace's repository. A git folder outside the workspace is used only if `outside` names it."""
    for top in (workspace, *workspace.parents):
        dot_git = top / ".git"
        try:
            kind = dot_git.lstat().st_mode
        except OSError:
            continue
        if top != workspace and not (stat.S_ISREG(kind) or (dot_git / "HEAD").is_file()):
            continue  # stray `.git` of a parent says nothing about this workspace
        own = top == workspace and stat.S_ISDIR(kind)
        folder = dot_git if own else _resolved(dot_git, kind)
        if folder is None or (own and not (folder / "HEAD").is_file()):
            return NoRepository(f"{dot_git} is not a git folder")
        # The policy names the folder, or one that holds it: a linked worktree's is in the main one's.
        named = not {Path(os.path.realpath(place)) for place in outside}.isdisjoint((folder, *folder.parents))
        branch = _branch(folder)
        if problem := _problem(folder, named=named, own=own):
            return NoRepository(problem, passing=branch is None)
        waits = (obstacle(place, top, branch or "HEAD", env) for place in (folder, *_common(folder)))
        if problem := next(filter(None, waits), ""):
            return NoRepository(problem, passing=True)
        prefix = "" if top == workspace else f"{workspace.relative_to(top).as_posix()}/"
        return Repository(Git(folder, top, dict(env)), prefix)
    return NoRepository()


def _common(folder: Path) -> Iterator[Path]:
    try:
        name = os.fsdecode(read_regular(folder / "commondir", GITFILE_BYTES)).rstrip("\n")
    except OSError:
        return
    if name and "\0" not in name:
        yield folder / name


def _resolved(dot_git: Path, kind: int) -> Path | None:
    """Gives the git folder of a `.git` that is a link, a folder or a file naming a folder; None if there is none."""
    if not stat.S_ISREG(kind):
        return Path(os.path.realpath(dot_git)) if dot_git.is_dir() else None
    try:
        text = os.fsdecode(read_regular(dot_git, GITFILE_BYTES))
    except OSError:
        return None
    # A NUL byte would be an exception of Python's, not of the file.
    if not text.startswith("gitdir: ") or "\0" in text:
        return None
    return Path(os.path.realpath(dot_git.parent / text[len("gitdir: ") :].rstrip("\n")))


def _problem(folder: Path, *, named: bool, own: bool) -> str:
    if not own and not named:
        return f"its git folder {folder} lies outside the workspace; the policy's git.outside does not name it"
    if not named and (folder / "commondir").exists():
        return f"{folder} shares the repository of another folder; the policy's git.outside does not name it"
    if _branch(folder) is None:
        return f"{folder}/HEAD names no branch of its own"
    link = next(_links(folder), None)
    if link is not None and not named:
        return f"{link} is a link: git would write outside the workspace"
    return ""


def _links(folder: Path) -> Iterator[Path]:
    """Yields links on which git's writes would go elsewhere: at the top, in object folders, on the branch's path."""
    branch = Path(_branch(folder) or "HEAD")
    yield from (folder / name for name in _WRITTEN if (folder / name).is_symlink())
    # `fast-import` writes its report there when it is killed, by a name that can be guessed.
    yield from (report for report in folder.glob("fast_import_crash_*") if report.is_symlink())
    places = [folder / "objects", folder / "logs"]
    places += [
        root.joinpath(*branch.parts[:n]) for root in (folder, folder / "logs") for n in range(1, len(branch.parts))
    ]
    for place in places:
        try:
            with os.scandir(place) as entries:
                yield from (Path(entry.path) for entry in entries if entry.is_symlink())
        except OSError:
            continue


def _branch(folder: Path) -> str | None:
    """Gives the ref that HEAD names, `HEAD` where it has a commit; None for an alias or an invalid name."""
    if (name := _named_ref(folder / "HEAD")) is None:
        return "HEAD"
    # A branch that is an alias of another ref would move that one.
    return name if BRANCH_NAME.fullmatch(name) and _named_ref(folder / name) is None else None


def _named_ref(path: Path) -> str | None:
    """Gives the ref that a git ref file points to; None where it has a commit or is no file."""
    try:
        text = os.fsdecode(read_regular(path, GITFILE_BYTES))
    except OSError:
        return None
    return text[len("ref:") :].strip() if text.startswith("ref:") else None
