"""Reads and changes committed folders without an index; only folders above the changed files are read."""

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import accumulate

import msgspec

from engine.history.git import TIMEOUT, Git, GitFailed

LINK, REPOSITORY = "120000", "160000"  # modes of a symbolic link, and of another repository's place
_FOLDER = "40000"  # as git stores it, without the leading zero
_AT_ONCE = 256
"""Names that are sent before answers are read: they fit into a pipe, so neither side waits for the other."""
_LARGEST = 64 << 20  # bytes of one object; a folder of a million files has fewer
_WHERE = "git cat-file"


class TreeEntry(msgspec.Struct, frozen=True, gc=False):
    """A line of a tree object: its mode, and the id of its file or folder."""

    mode: str
    id: str

    @property
    def file_mode(self) -> str:
        """The mode that an index has for it; old gits stored other modes too."""
        if self.mode in (LINK, REPOSITORY):
            return self.mode
        return "100755" if int(self.mode or "0", 8) & 0o100 else "100644"


class PathEntry(msgspec.Struct, frozen=True, gc=False):
    """A path of the next tree; a `blob` of None removes it."""

    path: str
    mode: str
    blob: str | None


Folder = dict[str, TreeEntry]
Folders = dict[str, Folder]  # committed folders by their paths, the top by an empty one


def above(path: str) -> list[str]:
    """Gives the folders above a path, beginning with the top folder, which is empty."""
    return ["", *accumulate(path.split("/")[:-1], lambda upper, name: f"{upper}/{name}")]


def read_folders(git: Git, commit: str, paths: Iterable[str]) -> Folders:
    """Reads the committed folders above these paths; only an empty top folder where there is no commit yet."""
    if not commit:
        return {"": {}}
    wanted = {folder for path in paths for folder in above(path)}
    folders: Folders = {}
    with tree_reader(git) as reader:
        level = {"": f"{commit}^{{tree}}"}
        while level:
            data = dict(zip(level, reader.trees(list(level.values())), strict=True))
            read = {path: parse_tree(tree, len(commit) // 2) for path, tree in data.items()}
            folders |= read
            level = {
                below: entry.id
                for path, folder in read.items()
                for name, entry in folder.items()
                if entry.mode == _FOLDER and (below := f"{path}/{name}" if path else name) in wanted
            }
    return folders


def entry_at(folders: Folders, path: str) -> TreeEntry | None:
    """Gives the committed file, link or submodule at a path; None if there is none and for a folder."""
    upper, _, name = path.rpartition("/")
    entry = folders.get(upper, {}).get(name)
    return None if entry is None or entry.mode == _FOLDER else entry


def parse_tree(data: bytes, id_bytes: int) -> Folder:
    """Gives the entries of a tree object by name; `GitFailed` where it is damaged."""
    entries: Folder = {}
    at = 0
    while at < len(data):
        end = data.find(b"\0", at)
        mode, _, name = data[at:end].partition(b" ")
        at = end + 1 + id_bytes
        if end < 0 or at > len(data) or not mode or mode.strip(b"01234567") or not name:
            raise GitFailed("a stored tree is damaged", where=_WHERE)
        # Some old gits stored folders with a zero in front.
        entries[os.fsdecode(name)] = TreeEntry(mode.lstrip(b"0").decode(), data[at - id_bytes : at].hex())
    return entries


def tree_bytes(folder: Mapping[str, TreeEntry]) -> bytes:
    rows = [(os.fsencode(name), entry) for name, entry in folder.items()]
    # In git's order a folder's name ends with a slash.
    rows.sort(key=lambda row: row[0] + b"/" if row[1].mode == _FOLDER else row[0])
    return b"".join(b"%s %s\0%s" % (one.mode.encode(), name, bytes.fromhex(one.id)) for name, one in rows)


def changed_tree(folders: Folders, entries: Iterable[PathEntry], keep: Callable[[bytes], str]) -> str:
    """Gives the id of the next commit's tree. `keep` takes the bytes of each changed tree and gives its id. Removals
    come first, so that a folder can replace a file and a file a folder. Empty folders are removed."""
    next_ones = {path: dict(folder) for path, folder in folders.items()}
    for entry in sorted(entries, key=lambda one: one.blob is not None):
        _enter(next_ones, entry)
    for path in sorted(next_ones, key=lambda one: one.count("/"), reverse=True):
        if not path or next_ones[path] == folders.get(path):
            continue
        upper, _, name = path.rpartition("/")
        if next_ones[path]:
            next_ones[upper][name] = TreeEntry(_FOLDER, keep(tree_bytes(next_ones[path])))
        else:
            next_ones[upper].pop(name, None)
    return keep(tree_bytes(next_ones[""]))


def _enter(folders: Folders, entry: PathEntry) -> None:
    upper, _, name = entry.path.rpartition("/")
    if entry.blob is None:
        if entry_at(folders, entry.path) is not None:
            del folders[upper][name]
        return
    for folder in above(entry.path):
        folders.setdefault(folder, {})
    if entry.path in folders:
        for gone in [one for one in folders if f"{one}/".startswith(f"{entry.path}/")]:
            del folders[gone]
    folders[upper][name] = TreeEntry(entry.mode, entry.blob)


class TreeReader:
    """Reads tree objects from one running `git cat-file`."""

    def __init__(self, asked: int, pieces: Iterator[bytes]) -> None:
        self._asked = asked
        self._pieces = pieces
        self._here = bytearray()

    def trees(self, names: Sequence[str]) -> Iterator[bytes]:
        """Yields the bytes of each tree in that order; `GitFailed` for one that is missing, too large or no tree."""
        for at in range(0, len(names), _AT_ONCE):
            some = names[at : at + _AT_ONCE]
            os.write(self._asked, "".join(f"{name}\n" for name in some).encode("ascii"))
            yield from map(self._tree, some)

    def _tree(self, name: str) -> bytes:
        while (end := self._here.find(b"\n")) < 0:
            self._more()
        head = self._bytes(end + 1).decode("ascii", "replace").split()
        kind, size = head[1:3] if len(head) == 3 else ("missing", "0")
        if kind != "tree" or int(size) > _LARGEST:
            raise GitFailed(f"{name} is no tree that can be read", where=_WHERE)
        return self._bytes(int(size) + 1)[:-1]

    def _bytes(self, count: int) -> bytes:
        while len(self._here) < count:
            self._more()
        found = bytes(self._here[:count])
        del self._here[:count]
        return found

    def _more(self) -> None:
        if not (piece := next(self._pieces, b"")):
            raise GitFailed("it ended before it answered", where=_WHERE)
        self._here += piece


@contextmanager
def tree_reader(git: Git) -> Generator[TreeReader, None, None]:
    """Opens a reader for a block; its git starts with the first question and ends with the block."""
    source, asked = os.pipe()
    try:
        with closing(git.stream("cat-file", "--batch", stdin=source, timeout=TIMEOUT)) as pieces:
            yield TreeReader(asked, pieces)
    finally:
        os.close(asked)
        os.close(source)
