"""Makes a folder for a sub-agent: a repository of its own, with one commit of some folders (autopoiesis §11, phase
4). In a worktree the sub-agent could read every object of the workspace's git, also old versions. memdeck writes the
files as committed: no filter, hook or attribute counts (decision D22)."""

import os
import shutil
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import msgspec

from engine.errors import MemdeckError, Refused, UsageError
from engine.history.crypt_setup import filters_of
from engine.history.exploration_start import write_new
from engine.history.git import Git, GitFailed
from engine.history.repository import Repository
from engine.history.repository_history import TreeFile, blobs, files_and_others
from engine.text.safe_text import visible_line
from engine.workspace.layout import MEMORY_MD_PATHS
from engine.workspace.paths import relative_path

PRIVATE = ("raw/", "knowledge/memory/", "knowledge/private/", "private/", "secrets/")
"""Folders that no sub-agent gets: transcripts, core memory (only the main session sees it, D41), private folders."""
BRANCH = "agent"
_MOST = 5_000  # files of one folder
_CONFIG = """\
[core]
\trepositoryformatversion = {version}
\tbare = false
\tlogallrefupdates = true
\tsparseCheckout = true
\tsparseCheckoutCone = true
"""
_PERSON = {"NAME": "memdeck", "EMAIL": "memdeck@localhost"}


class SparseFolder(msgspec.Struct, frozen=True):
    """A sub-agent folder: its commit, the commit of the workspace that it copies, its files, and the paths left out."""

    folder: str
    commit: str
    source: str
    files: int
    left_out: tuple[str, ...]


def unfinished(folder: Path) -> Path:
    """Gives the temporary name of a folder until it is complete."""
    return folder.with_name(f"{folder.name}.memdeck-part")


def make_sparse(repository: Repository, only: Sequence[str], folder: Path) -> SparseFolder:
    """Makes the folder with the committed files below `only`; a killed start leaves `unfinished(folder)`. `Refused` for
    a private folder, and a taken place or one in the workspace; `UsageError` if nothing is committed."""
    head, top = repository.head(), repository.git.top
    if not head:
        raise Refused("the branch has no commit yet", where=str(top), hint="commit first")
    if not (chosen := tuple(dict.fromkeys(_checked(name) for name in only))):
        raise UsageError("which folders?", where="sparse", hint="memdeck share sparse NAME --only knowledge/projects/x")
    files, left = _selected(repository, head, chosen)
    _check_place(folder, top)
    folder.parent.mkdir(parents=True, exist_ok=True)
    part = unfinished(folder)
    part.mkdir()  # ours from here on: what fails may be taken back
    try:
        commit = _filled(repository, files, part, chosen, head)
        part.rename(folder)
        return SparseFolder(str(folder), commit, head, len(files), tuple(left))
    except (MemdeckError, OSError) as error:
        shutil.rmtree(part, ignore_errors=True)
        if isinstance(error, OSError):
            raise GitFailed(error.strerror or str(error), where=str(error.filename or folder)) from error
        raise


def is_private(path: str) -> bool:
    """Tells whether a path is never given to a sub-agent, whatever its upper or lower case."""
    folded = path.casefold()
    return f"{folded}/".startswith(PRIVATE) or folded in {one.casefold() for one in MEMORY_MD_PATHS}


def _checked(name: str) -> str:
    path = relative_path(name.rstrip("/"))
    if any(part.startswith(".") for part in path.split("/")):
        raise Refused("hidden folders are given to nobody", where=visible_line(path))
    if is_private(path):
        raise Refused("it is private, and given to no sub-agent", where=visible_line(path))
    return path


def _selected(repository: Repository, head: str, chosen: Sequence[str]) -> tuple[Mapping[str, TreeFile], list[str]]:
    """Gives the files of the commit below the chosen folders, and the paths that are left out."""
    found, others = files_and_others(repository, head)
    below = tuple(f"{name}/" for name in chosen)
    wanted = {path: file for path, file in found.items() if path.startswith(below) or path in chosen}
    for name in chosen:
        if not any(path == name or path.startswith(f"{name}/") for path in (*wanted, *others)):
            raise UsageError("nothing is committed there", where=visible_line(name), hint="a folder as git has it")
    drivers = filters_of(repository, list(wanted), repository.git.folder / "index") if wanted else {}
    files = {path: file for path, file in wanted.items() if _is_given(path) and path not in drivers}
    left = sorted((wanted.keys() - files.keys()) | {path for path in others if path.startswith(below)})
    if not files:
        raise UsageError("nothing but private files is there", where=", ".join(map(visible_line, chosen)))
    if len(files) > _MOST:
        raise Refused(f"{len(files):,} files, and at most {_MOST:,} fit", where="--only", hint="name fewer folders")
    return files, left


def _is_given(path: str) -> bool:
    try:
        parts = relative_path(path).split("/")
    except Refused:
        return False
    return not is_private(path) and not any(part.casefold().startswith((".git", "git~")) for part in parts)


def _check_place(folder: Path, top: Path) -> None:
    real = Path(os.path.realpath(folder))
    if os.path.lexists(unfinished(folder)):
        raise Refused("one was begun there and never finished", where=str(folder), hint="memdeck recover")
    if os.path.lexists(folder):
        raise Refused("there is something already", where=str(folder), hint="choose another folder with --at")
    if real == top or top in real.parents:
        raise Refused("it lies in the workspace, where it would be memory", where=str(folder), hint="choose --at")


def _filled(
    repository: Repository, files: Mapping[str, TreeFile], folder: Path, chosen: Collection[str], head: str
) -> str:
    data = blobs(Repository(repository.git, ""), (file.blob for file in files.values()))
    if lost := [path for path, file in files.items() if file.blob not in data]:
        raise Refused("it is too large, or git has lost it", where=visible_line(lost[0]))
    git = _begun(folder, repository.git.env, chosen, files, long=len(head) == 64)
    names = "".join(f"{one}\n" for one in sorted({file.blob for file in files.values()}))
    pack = repository.git.run("pack-objects", "--quiet", "--stdout", stdin=names.encode("ascii"))
    git.run("unpack-objects", "-q", stdin=pack)
    rows = b"".join(f"100644 {file.blob}\t".encode() + os.fsencode(path) + b"\0" for path, file in files.items())
    git.run("update-index", "-z", "--index-info", stdin=rows)
    commit = _committed(git, head)
    for path, file in files.items():
        write_new(folder.joinpath(*path.split("/")), data[file.blob])
    return commit


def _begun(folder: Path, env: Mapping[str, str], chosen: Collection[str], files: Collection[str], *, long: bool) -> Git:
    """Makes the git folder of the sub-agent's repository without a template or hooks."""
    place = folder / ".git"
    for name in ("objects/info", "objects/pack", "refs/heads", "info"):
        (place / name).mkdir(parents=True)
    settings = _CONFIG.format(version=int(long)) + ("[extensions]\n\tobjectFormat = sha256\n" if long else "")
    (place / "config").write_text(settings, "ascii")
    (place / "HEAD").write_text(f"ref: refs/heads/{BRANCH}\n", "ascii")
    (place / "info/sparse-checkout").write_text(_patterns(chosen, files), "utf-8")
    return Git(place, folder, env)


def _patterns(chosen: Collection[str], files: Collection[str]) -> str:
    """Gives the patterns of a sparse checkout in cone mode: the chosen folders, and the files of those above them."""
    folders = {name if name not in files else name.rpartition("/")[0] for name in chosen} - {""}
    outer = {name for name in folders if not any(name.startswith(f"{folder}/") for folder in folders)}
    above = {"/".join(name.split("/")[:n]) for name in outer for n in range(1, name.count("/") + 1)} - outer
    rows = ["/*", "!/*/"]
    for name in sorted(above | outer):
        rows += [f"/{_escaped(name)}/", *([f"!/{_escaped(name)}/*/"] if name in above else [])]
    return "".join(f"{row}\n" for row in rows)


def _escaped(name: str) -> str:
    return "".join(f"\\{sign}" if sign in "*?[\\" else sign for sign in name)


def _committed(git: Git, head: str) -> str:
    tree = git.run("write-tree").decode("ascii").strip()
    people = {f"GIT_{who}_{key}": value for who in ("AUTHOR", "COMMITTER") for key, value in _PERSON.items()}
    said = f"explore: some folders for a sub-agent\n\nMemdeck-From: {head}\n".encode()
    commit = git.run("commit-tree", tree, "-F", "-", stdin=said, more=people).decode("ascii").strip()
    git.run("update-ref", f"refs/heads/{BRANCH}", commit)
    return commit
