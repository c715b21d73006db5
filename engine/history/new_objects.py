"""Writes the objects of a commit by one git; computes their ids beforehand, and finds the filters of their paths."""

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

_KINDS = {"commit": 1, "tree": 2, "blob": 3}  # the numbers of git's pack format
_CRUD = "".join(map(chr, range(33))) + ".,:;<>\"\\'"  # characters that git takes off both ends of a name and an address


class NewObjects:
    """The objects to write, each once. `long`: ids have 64 digits instead of 40."""

    def __init__(self, *, long: bool) -> None:
        self._hash = sha256 if long else sha1
        self.by_id: dict[str, tuple[str, bytes]] = {}

    def id_of(self, kind: str, data: bytes) -> str:
        """Computes the id that git gives to these bytes."""
        return self._hash(b"%s %d\0%s" % (kind.encode(), len(data), data)).hexdigest()

    def add(self, kind: str, data: bytes) -> str:
        name = self.id_of(kind, data)
        self.by_id[name] = (kind, data)
        return name

    def write(self, git: Git) -> None:
        """Writes all of them, each to a file of its own, unless git has the object already."""
        git.run("unpack-objects", "-q", stdin=self.pack())

    def pack(self) -> bytes:
        """Gives all of them as a pack file, without deltas."""
        body = b"".join(_head(_KINDS[kind], len(data)) + zlib.compress(data, 1) for kind, data in self.by_id.values())
        pack = b"PACK" + struct.pack(">II", 2, len(self.by_id)) + body
        return pack + self._hash(pack).digest()


def sync_objects(common: Path, ids: Iterable[str]) -> None:
    """Syncs the folders of new objects, because git syncs only the files."""
    folder = common / "objects"
    for names in {folder, folder / "pack", *(folder / name[:2] for name in ids)}:
        with suppress(FileNotFoundError, NotADirectoryError):  # it may have come into a pack, or be there in one
            fsync_folder(names)


def _head(kind: int, size: int) -> bytes:
    """Encodes kind and size of an object: four bits of the size beside the kind, then seven a byte, lowest first."""
    first, size = kind << 4 | size & 15, size >> 4
    cells = [first]
    while size:
        cells[-1] |= 128
        cells.append(size & 127)
        size >>= 7
    return bytes(cells)


def as_git_writes(person: Person) -> Person:
    """Gives the name and address as git stores them, without characters that git removes; either may become empty."""
    clean = ["".join(sign for sign in text.strip(_CRUD) if sign not in "<>\n") for text in (person.name, person.email)]
    return Person(*clean)


def stamp(at: datetime) -> str:
    """Gives the seconds and the zone as git stores them, without seconds in the zone."""
    return f"{int(at.timestamp())} {at.strftime('%z')[:5] or '+0000'}"


def commit_bytes(tree: str, parent: str, author: Person, committer: Person, at: datetime, message: str) -> bytes:
    """Gives the bytes of a commit object. `parent` is empty for the first commit of a branch."""
    when = stamp(at)
    rows = [f"tree {tree}", *([f"parent {parent}"] if parent else [])]
    rows += [f"{role} {who.name} <{who.email}> {when}" for role, who in (("author", author), ("committer", committer))]
    return "\n".join((*rows, "", message)).encode()


_RULES = ".gitattributes"


def committed_filters(repository: Repository, paths: Sequence[str], folders: Folders, index: Path) -> dict[str, str]:
    """Gives the filter of each path that has one. `folders` are those of the commit, `index` is a file to fill. The
    attributes on disk are asked only where they differ from the committed ones."""
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
    """Tells whether the file on the disk equals the committed one, or neither exists."""
    try:
        data = read_regular(file) if stat.S_ISREG(file.lstat().st_mode) else None
    except FileNotFoundError:
        return entry is None
    except OSError:
        return False
    if entry is None or data is None or not entry.mode.startswith("100"):
        return False
    return NewObjects(long=len(entry.id) == 64).id_of("blob", data) == entry.id
