"""Writes the objects of a commit by one git, and knows each by its id beforehand; finds the filters of their paths."""

import stat
import struct
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from hashlib import sha1, sha256
from pathlib import Path

from engine.history.crypt_setup import filters_of
from engine.history.git import Git, read_regular
from engine.history.git_index import index_lines
from engine.history.repository import Repository
from engine.history.request import Person
from engine.history.trees import Folders, PathEntry, TreeEntry, above, entry_at
from engine.workspace.system_calls import fsync_folder

_KINDS = {"commit": 1, "tree": 2, "blob": 3}
_CRUD = "".join(map(chr, range(33))) + ".,:;<>\"\\'"  # characters that git takes off both ends of a name and an address


class NewObjects:
    """Objects to write, each once. `long`: ids have 64 digits, in place of 40."""

    def __init__(self, *, long: bool) -> None:
        self._hash = sha256 if long else sha1
        self.by_id: dict[str, tuple[str, bytes]] = {}

    def id_of(self, kind: str, data: bytes) -> str:
        """Computes the id that git gives to these bytes."""
        return self._hash(b"%s %d\0%s" % (kind.encode(), len(data), data)).hexdigest()

    def add(self, kind: str, data: bytes) -> str:
        """Takes in one object, gives its id."""
        name = self.id_of(kind, data)
        self.by_id[name] = (kind, data)
        return name

    def write(self, git: Git) -> None:
        """Writes all of them, each in a file of its own, as long as git has none of it."""
        git.run("unpack-objects", "-q", stdin=self.pack())

    def pack(self) -> bytes:
        """Packs all of them in git's format for sending, without deltas."""
        body = b"".join(_head(_KINDS[kind], len(data)) + zlib.compress(data, 1) for kind, data in self.by_id.values())
        pack = b"PACK" + struct.pack(">II", 2, len(self.by_id)) + body
        return pack + self._hash(pack).digest()


def sync_objects(common: Path, ids: Iterable[str]) -> None:
    """Makes the names of objects durable: git fsyncs the files, and leaves their folders to chance."""
    folder = common / "objects"
    for names in {folder, folder / "pack", *(folder / name[:2] for name in ids)}:
        with suppress(FileNotFoundError, NotADirectoryError):  # it may have come into a pack, or be there in one
            fsync_folder(names)


def _head(kind: int, size: int) -> bytes:
    """Gives an object's kind and size: four bits beside the kind, then seven in each byte, the lowest first."""
    first, size = kind << 4 | size & 15, size >> 4
    cells = [first]
    while size:
        cells[-1] |= 128
        cells.append(size & 127)
        size >>= 7
    return bytes(cells)


def as_git_writes(person: Person) -> Person:
    """Gives the name and address without what git takes out of them; either is empty where nothing else is in it."""
    clean = ["".join(sign for sign in text.strip(_CRUD) if sign not in "<>\n") for text in (person.name, person.email)]
    return Person(*clean)


def stamp(at: datetime) -> str:
    """Seconds and zone as git stores them; a zone has no seconds there."""
    return f"{int(at.timestamp())} {at.strftime('%z')[:5] or '+0000'}"


def commit_bytes(tree: str, parent: str, author: Person, committer: Person, at: datetime, message: str) -> bytes:
    """Gives a commit as git stores it. `parent` is empty for the first of a branch."""
    when = stamp(at)
    rows = [f"tree {tree}", *([f"parent {parent}"] if parent else [])]
    rows += [f"{role} {who.name} <{who.email}> {when}" for role, who in (("author", author), ("committer", committer))]
    return "\n".join((*rows, "", message)).encode()


_RULES = ".gitattributes"


def committed_filters(repository: Repository, paths: Sequence[str], folders: Folders, index: Path) -> dict[str, str]:
    """Gives the filter of each path that has one; `folders` are those of the commit, `index` is a file to fill. Where
    the same attributes are on the disk, those of the commit answer for both: no change on the disk comes between."""
    if not paths:
        return {}
    rules = sorted({f"{one}/{_RULES}" if one else _RULES for path in paths for one in above(path)})
    committed = {path: entry for path in rules if (entry := entry_at(folders, path)) is not None}
    entries = [PathEntry(path, entry.file_mode, entry.id) for path, entry in committed.items()]
    if entries:
        lines = index_lines(entries, len(entries[0].blob or ""))
        repository.git.run("update-index", "-z", "--index-info", stdin=lines, index=index)
    same = all(_is_as_committed(repository.git.top / path, committed.get(path)) for path in rules)
    return filters_of(repository, paths, index, as_committed=same)


def _is_as_committed(file: Path, entry: TreeEntry | None) -> bool:
    """Tells whether the file has on the disk what is committed of it, or is in neither place."""
    try:
        data = read_regular(file) if stat.S_ISREG(file.lstat().st_mode) else None
    except FileNotFoundError:
        return entry is None
    except OSError:
        return False
    if entry is None or data is None or not entry.mode.startswith("100"):
        return False
    return NewObjects(long=len(entry.id) == 64).id_of("blob", data) == entry.id
