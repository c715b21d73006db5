"""Begins an exploration: a branch, and a folder of its own outside the workspace (autopoiesis §3.3, D22, D55).
memdeck writes the files as committed, because git's checkout would run filters and hooks. One rename tells git of
the prepared folder: an interrupted start is finished by that rename or undone. Clears what killed gits left (D22)."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from engine.errors import MemdeckError, Refused
from engine.history.explorations import PREFIX
from engine.history.git import Git, GitFailed, read_regular
from engine.history.git_locks import Begun, Intent, dead_intents, intended
from engine.history.new_repository import folder_owner
from engine.history.refs import clear_ref_lock, common_folder, make_ref
from engine.history.repository import Repository
from engine.history.repository_history import BLOBS_AT_ONCE, TreeFile, blobs, files_and_others
from engine.history.tags import ref_part
from engine.text.safe_text import visible_line
from engine.workspace.paths import relative_path
from engine.workspace.system_calls import fsync_folder, fsync_tree


def fill(repository: Repository, begun: Begun) -> tuple[str, ...]:
    """Writes each regular file of the intended commit into its folder; gives the paths that were not written."""
    folder, left = Path(begun.intent.folder), list[str]()
    for file, data in _contents(repository, begun.intent.commit, left):
        if not _written(folder, file, data):
            left.append(file.path)
    return tuple(left)


def take_out(repository: Repository, begun: Begun) -> None:
    """Removes the files that `fill` wrote and emptied folders; files with other bytes and foreign folders stay."""
    folder = Path(begun.intent.folder)
    try:
        facts = folder.lstat()
    except OSError:
        return
    if (facts.st_dev, facts.st_ino) != begun.intent.folder_id:
        return
    folders = {folder}
    for file, data in _contents(repository, begun.intent.commit, []):
        place = _place(folder, file)
        if place is not None and data is not None:
            _remove(place, data)
            folders |= {parent for parent in place.parents if folder in parent.parents}
    _remove(folder / ".git", gitfile(begun.intent))
    for empty in sorted(folders, key=lambda one: len(one.parts), reverse=True):
        try:
            empty.rmdir()
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR):
                raise


def gitfile(intent: Intent) -> bytes:
    """Gives the bytes of `.git` in the folder of an exploration."""
    return os.fsencode(f"gitdir: {intent.git}/worktrees/{intent.records}\n")


def _contents(repository: Repository, commit: str, left: list[str]) -> Iterator[tuple[TreeFile, bytes | None]]:
    """Yields each regular file of a commit with its bytes, None where they are too many; adds other paths to `left`."""
    whole = Repository(repository.git, "")
    found, others = files_and_others(whole, commit)
    left += others
    files = list(found.values())
    for start in range(0, len(files), BLOBS_AT_ONCE):
        part = files[start : start + BLOBS_AT_ONCE]
        data = blobs(whole, (file.blob for file in part))
        yield from ((file, data.get(file.blob)) for file in part)


def _place(folder: Path, file: TreeFile) -> Path | None:
    """Gives the path of a file in the folder; None where its name would lead outside or into `.git`."""
    try:
        parts = relative_path(file.path).split("/")
    except Refused:
        return None
    return None if any(part.casefold() in (".git", "git~1") for part in parts) else folder.joinpath(*parts)


def _written(folder: Path, file: TreeFile, data: bytes | None) -> bool:
    """Writes one file; False where it is too large or its name leads outside the folder."""
    place = _place(folder, file)
    if data is None or place is None:
        return False
    write_new(place, data)
    return True


def write_new(place: Path, data: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    fd = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    with os.fdopen(fd, "wb") as opened:
        opened.write(data)


def _remove(place: Path, data: bytes) -> None:
    """Removes a file whose content is these bytes or a beginning of them."""
    try:
        ours = os.path.realpath(place) == str(place) and data.startswith(read_regular(place, len(data) + 1))
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.EINVAL):
            return  # no file
        raise
    if ours:
        place.unlink()


_WORKTREES = "worktrees"
_MOST_NAMES = 100  # names that are tried for a worktree's records: `x`, `x-2` and so on


class Opened(msgspec.Struct, frozen=True):
    """A new exploration: its branch, its folder, its commit, and the paths of the commit that were not written."""

    branch: str
    folder: str
    commit: str
    left_out: tuple[str, ...] = ()


def explore(repository: Repository, name: str, folder: Path, scratch: Path, prefix: str = PREFIX) -> Opened:
    """Begins a branch at HEAD in a new or empty folder outside the workspace; undoes a start that fails. `Refused`
    where branch or folder exists, nothing is committed, or another user owns it. `scratch` keeps intents."""
    branch, head, git = f"{prefix}{ref_part(name)}", repository.head(), repository.git
    if not head:
        raise Refused("the branch has no commit yet", where=str(git.top), hint="commit first")
    if git.line("rev-parse", "--verify", "--quiet", "--end-of-options", f"refs/heads/{branch}"):
        raise Refused("this exploration is there already", where=branch, hint="choose another name")
    _check_folder(folder, git.top)
    if folder_owner(git.folder) is not None:
        raise Refused("the repository is another user's", where=str(git.folder), hint="explore as that user")
    common = common_folder(git)
    records = _free_name(common / _WORKTREES, name)
    folder.mkdir(parents=True, exist_ok=True)
    place = Path(os.path.realpath(folder))
    facts = place.lstat()
    made = Intent(str(common), f"refs/heads/{branch}", head, str(place), (facts.st_dev, facts.st_ino), records)
    with intended(scratch, made) as begun:
        try:
            left_out = _prepare(repository, begun)
            make_ref(git, begun, "--create-reflog", "-m", "branch: Created from HEAD")
        except (MemdeckError, OSError) as error:
            with suppress(MemdeckError, OSError):
                settle_exploration(repository, begun)
            if isinstance(error, OSError):
                raise GitFailed(error.strerror or str(error), where=str(error.filename or folder)) from error
            raise
        if held := settle_exploration(repository, begun):
            raise GitFailed(held, where=branch, hint="wait until that process ends, then memdeck recover")
    return Opened(branch, str(folder), head, left_out)


def settle_exploration(repository: Repository, begun: Begun) -> str:
    """Finishes a start whose branch is made, and undoes any other; gives what prevents it, empty for nothing."""
    git, intent = repository.git, begun.intent
    if held := clear_ref_lock(git, begun):
        return held
    present = git.commit_id(intent.ref)
    if begun.prepared.is_dir() and not begun.prepared.is_symlink():
        if present == intent.commit and (begun.prepared / "index").exists():
            place = Path(intent.git) / _WORKTREES
            place.mkdir(exist_ok=True)
            fsync_tree(begun.prepared)
            begun.prepared.rename(place / intent.records)
            fsync_folder(place)
            fsync_folder(place.parent)
        else:
            take_out(repository, begun)
            shutil.rmtree(begun.prepared)
    elif not os.path.lexists(Path(intent.git) / _WORKTREES / intent.records):
        take_out(repository, begun)
    begun.done()
    return ""


def _check_folder(folder: Path, top: Path) -> None:
    real = Path(os.path.realpath(folder))
    if os.path.lexists(folder) and (folder.is_symlink() or not folder.is_dir() or any(folder.iterdir())):
        raise Refused("there is something already", where=str(folder), hint="choose another folder with --at")
    if real == top or top in real.parents:
        raise Refused("it lies in the workspace, where it would be memory", where=str(folder), hint="choose --at")
    if "\n" in str(folder):
        raise Refused("git cannot write down a folder with a line break in its name", where=repr(str(folder)))


def _free_name(worktrees: Path, name: str) -> str:
    if worktrees.is_symlink():
        raise Refused("it is a link: git would write elsewhere", where=str(worktrees))
    names = (name if number == 1 else f"{name}-{number}" for number in range(1, _MOST_NAMES + 1))
    free = next((one for one in names if not os.path.lexists(worktrees / one)), None)
    if free is None:
        raise Refused(f"{_MOST_NAMES} worktrees have this name", where=name, hint="git worktree prune")
    return free


def _prepare(repository: Repository, begun: Begun) -> tuple[str, ...]:
    """Prepares the worktree's records and its folder; gives the paths of files that were not written."""
    intent, place = begun.intent, begun.prepared
    place.mkdir()
    for name, text in (
        ("HEAD", f"ref: {intent.ref}\n"),
        ("commondir", "../..\n"),
        ("gitdir", f"{intent.folder}/.git\n"),
    ):
        (place / name).write_bytes(os.fsencode(text))
    # Git refuses to make an index of names that lead elsewhere, before a byte of them is written.
    git = msgspec.structs.replace(repository.git, kept=(begun.fd,))
    git.run("read-tree", intent.commit, index=place / "index")
    left_out = fill(repository, begun)
    (Path(intent.folder) / ".git").write_bytes(gitfile(intent))
    return left_out


def clear_left_over(repository: Repository, git: Git, scratch: Path) -> tuple[str, ...]:
    """Clears the refs and locks of killed gits; tells for each ref what was done or prevents it."""
    told, common = [], ""
    for begun in dead_intents(scratch):
        name = visible_line(begun.intent.ref)
        common = common or str(common_folder(git))
        if begun.intent.git != common:
            begun.done()  # that repository is gone or another's
            continue
        try:
            held = _settled(repository, git, begun)
        except (MemdeckError, OSError) as error:
            held = error.line() if isinstance(error, MemdeckError) else str(error)
        told.append(f"{name}, which stays cut off: {held}" if held else f"{name}, which was cut off")
    return tuple(told)


def left_over(scratch: Path) -> tuple[str, ...]:
    """Gives the refs whose creation was interrupted."""
    return tuple(visible_line(begun.intent.ref) for begun in dead_intents(scratch))


def _settled(repository: Repository, git: Git, begun: Begun) -> str:
    if begun.intent.folder:
        return settle_exploration(repository, begun)
    if not (held := clear_ref_lock(git, begun)):
        begun.done()
    return held
