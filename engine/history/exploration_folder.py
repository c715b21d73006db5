"""Lays a commit out in the folder of an exploration, and takes out again what it laid out (D22, G4)."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

from engine.errors import Refused
from engine.history.git import read_regular
from engine.history.intents import Begun, Intent
from engine.history.repository import Repository
from engine.history.repository_history import BLOBS_AT_ONCE, TreeFile, blobs, files_and_others
from engine.workspace.paths import relative_path


def fill(repository: Repository, begun: Begun) -> tuple[str, ...]:
    """Writes every regular file of the intended commit into its folder; gives the paths that were left out."""
    folder, left = Path(begun.intent.folder), list[str]()
    for file, data in _contents(repository, begun.intent.commit, left):
        if not _written(folder, file, data):
            left.append(file.path)
    return tuple(left)


def take_out(repository: Repository, begun: Begun) -> None:
    """Removes from the folder what `fill` wrote there, the last file perhaps in part, and the folder once it is empty.
    What is not byte for byte ours stays. A folder that is not the one we made is left alone."""
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
    """Each regular file of a commit with its bytes, None where they are too many; the paths of others go to `left`."""
    whole = Repository(repository.git, "")
    found, others = files_and_others(whole, commit)
    left += others
    files = list(found.values())
    for start in range(0, len(files), BLOBS_AT_ONCE):
        part = files[start : start + BLOBS_AT_ONCE]
        data = blobs(whole, (file.blob for file in part))
        yield from ((file, data.get(file.blob)) for file in part)


def _place(folder: Path, file: TreeFile) -> Path | None:
    """Gives the place of a file in the folder; None where its name leads anywhere else."""
    try:
        parts = relative_path(file.path).split("/")
    except Refused:
        return None
    return None if any(part.casefold() in (".git", "git~1") for part in parts) else folder.joinpath(*parts)


def _written(folder: Path, file: TreeFile, data: bytes | None) -> bool:
    """Writes one file; False where it is too large, or its name leads anywhere else."""
    place = _place(folder, file)
    if data is None or place is None:
        return False
    write_new(place, data)
    return True


def write_new(place: Path, data: bytes) -> None:
    """Writes a file that must not be there yet, and makes the folders above it."""
    place.parent.mkdir(parents=True, exist_ok=True)
    fd = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    with os.fdopen(fd, "wb") as opened:
        opened.write(data)


def _remove(place: Path, data: bytes) -> None:
    """Removes a file that holds these bytes or the beginning of them."""
    try:
        ours = os.path.realpath(place) == str(place) and data.startswith(read_regular(place, len(data) + 1))
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.EINVAL):
            return  # no file
        raise
    if ours:
        place.unlink()
