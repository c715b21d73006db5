"""Finds private files in git's history, in clear or encrypted, by the first bytes of each version (decision D22).
Private is what lies in a folder of the policy's `git.private`, and what `.gitattributes` has git-crypt encrypt. Nothing
is run but git's plumbing: no filter, no textconv."""

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from engine.history.git import LONG
from engine.history.git_filters import filters_of, is_crypt
from engine.history.repository import Repository
from engine.history.repository_history import BLOBS_AT_ONCE, blobs, tree_of
from engine.text.document import is_locked
from engine.workspace.layout import lies_in

_MOST_PATHS = 500
"""Paths outside the private folders whose history is looked at."""


class PrivateFile(msgspec.Struct, frozen=True):
    """A private file that git knows: how many of its versions are in clear, and whether that of HEAD is one."""

    path: str
    in_clear: int
    now: bool


def state_of_refs(repository: Repository) -> str:
    """Gives a text that changes with every ref, and so with every commit that is kept."""
    git = repository.git
    return f"{repository.head()} {git.line('for-each-ref', '--format=%(objectname)')}"


def committed_private(repository: Repository, folders: Sequence[str]) -> dict[str, str]:
    """Gives the private files of HEAD, each with its blob."""
    head = repository.head()
    tree = tree_of(repository, head) if head else {}
    names = {repository.prefix + path: path for path in tree}
    drivers = filters_of(repository, list(names), repository.git.folder / "index") if names else {}
    crypt = {names[name] for name, driver in drivers.items() if is_crypt(driver) and name in names}
    return {path: file.blob for path, file in tree.items() if path in crypt or lies_in(path, folders)}


def holds_locked(repository: Repository, folders: Sequence[str]) -> bool:
    """Tells whether HEAD has private files that git-crypt encrypted."""
    return any(is_locked(data) for _, data in _contents(repository, committed_private(repository, folders).values()))


def private_in_clear(repository: Repository, folders: Sequence[str]) -> tuple[PrivateFile, ...]:
    """Finds private files with a version in clear somewhere in the history, by path. An empty one says nothing."""
    present = committed_private(repository, folders)
    versions = _versions(repository, (*folders, *sorted(set(present))[:_MOST_PATHS]))
    for path, blob in present.items():
        versions.setdefault(blob, path)
    clear = defaultdict[str, set[str]](set)
    for blob, data in _contents(repository, versions):
        if data and not is_locked(data):
            clear[versions[blob]].add(blob)
    return tuple(PrivateFile(path, len(found), present.get(path) in found) for path, found in sorted(clear.items()))


def _versions(repository: Repository, paths: Sequence[str]) -> dict[str, str]:
    """Gives every blob of these paths that a ref leads to, with a path it has had."""
    if not paths or not repository.head():
        return {}
    asked = [repository.prefix + path for path in paths]
    out = repository.git.run("rev-list", "--objects", "--all", "--", *asked, timeout=LONG)
    found: dict[str, str] = {}
    for row in os.fsdecode(out).splitlines():
        blob, _, path = row.partition(" ")
        if path:
            found.setdefault(blob, path.removeprefix(repository.prefix))
    return found


def _contents(repository: Repository, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    wanted = list(dict.fromkeys(names))
    for start in range(0, len(wanted), BLOBS_AT_ONCE):
        yield from blobs(repository, wanted[start : start + BLOBS_AT_ONCE]).items()
