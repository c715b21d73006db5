"""Lets git write as the owner of its folder where root works beside an agent of another user. New objects are made in a
folder of ours, with the operator's own settings in force, and handed over as a pack to a git that runs as the owner. So
nothing in the git folder comes to belong to root, and root follows nothing in it."""

import os
from pathlib import Path

import msgspec

from engine.errors import MemdeckError
from engine.history.git import Git
from engine.history.repository import Repository


def as_its_owner(repository: Repository, scratch: Path) -> Repository:
    """Gives the repository as root writes it; unchanged where we are not root, or the owner is root or cannot enter."""
    git = repository.git
    owner = folder_owner(git.folder)
    if owner is None:
        return repository
    theirs = msgspec.structs.replace(git, owner=owner)
    try:
        code, _, _ = theirs.attempt("rev-parse", "--git-dir", as_owner=True)
    except MemdeckError:
        return repository
    if code != 0:  # a folder that its owner cannot reach: nobody of that name works in it
        return repository
    objects = scratch / "objects"
    objects.mkdir()
    return Repository(msgspec.structs.replace(theirs, objects=objects), repository.prefix)


def folder_owner(folder: Path) -> tuple[int, int] | None:
    """Gives the user and group of a git folder, where we are root and it is not root's; None elsewhere."""
    facts = folder.stat()
    return (facts.st_uid, facts.st_gid) if os.geteuid() == 0 and facts.st_uid != 0 else None


def hand_over(git: Git, new: str, old: str) -> None:
    """Gives the objects that the commit `new` adds to `old` to the repository; nothing where they are there already."""
    if git.objects is None:
        return
    wanted = f"{new}\n^{old}\n" if old else f"{new}\n"
    pack = git.run("pack-objects", "--revs", "--stdout", "-q", stdin=wanted.encode())
    git.run("unpack-objects", "-q", stdin=pack, as_owner=True)
