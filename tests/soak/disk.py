"""What a power cut leaves of a run: the files and names that were made durable, and of the others what chance kept.

A file system promises of a file what was there at its last fsync, and of a folder the names that it had at its last.
What came later may be on the disk or not, in any mixture; only the names of one folder come in their order, and those
of one file, which is never without a name for that it gets another.
"""

import os
import random
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

Key = tuple[int, int]
"""Device and inode."""
_HEAD = struct.Struct("=13q")
_UNSEEN = ("-shm",)
"""Endings of files that are written through memory, which no call shows; SQLite makes them anew after a cut."""


class Change(NamedTuple):
    """One record of `faults.c`."""

    kind: str
    node: Key
    folder: Key
    other: Key
    at: int
    when: int
    name: str
    second: str
    data: bytes


def changes(log: memoryview) -> Iterator[Change]:
    """Reads the records of a run, in order. One that was cut off as it was written ends them."""
    start = 0
    while start + _HEAD.size <= len(log):
        length, kind, *numbers, first, second, size = _HEAD.unpack_from(log, start)
        if not length:
            return
        (node, folder, other), (at, when) = _pairs(numbers[:6]), numbers[6:]
        at_name = start + _HEAD.size
        name = os.fsdecode(bytes(log[at_name : at_name + first]))
        other_name = os.fsdecode(bytes(log[at_name + first : at_name + first + second]))
        data = bytes(log[at_name + first + second : at_name + first + second + size])
        yield Change(chr(kind), node, folder, other, at, when, name, other_name, data)
        start += length


def _pairs(numbers: Sequence[int]) -> list[Key]:
    return [(numbers[n], numbers[n + 1]) for n in range(0, len(numbers), 2)]


class Node:
    """A file, folder or link, as it is now and as it is on the disk."""

    def __init__(self, kind: str, key: Key, mode: int = 0) -> None:
        self.kind, self.key, self.mode = kind, key, mode
        self.now = b""
        self.durable: bytes = b""
        self.when: int | None = None
        """The time of the last change that is on the disk, in nanoseconds; None where nothing of it is."""
        self.writes: list[Change] = []
        self.names: dict[str, Node] = {}
        """The names that are on the disk."""
        self.pending: list[Naming] = []
        self.moves: list[tuple[Node, Naming]] = []
        """Where it got its last name: one that it gets later rests on that."""

    def write(self, change: Change) -> None:
        self.writes.append(change)
        self.now = _written(self.now, change)

    def sync(self, when: int) -> None:
        """Everything of it so far is on the disk; of a folder its names, not what bears them."""
        self.durable, self.when = self.now, when
        self.writes.clear()
        self.settle(len(self.pending))

    def settle(self, count: int) -> None:
        """So many of the pending names are on the disk, and what they rest on in other folders."""
        settled, self.pending = self.pending[:count], self.pending[count:]
        for naming in settled:
            naming.enter(self.names)
            for folder, upto in naming.rests():
                folder.settle(upto)


class Naming:
    """A name that a folder gets, or loses (`node` is None). `after` has to be on the disk before it, or with it."""

    def __init__(self, name: str, node: Node | None, *after: "tuple[Node, Naming]") -> None:
        self.name, self.node, self.after = name, node, list(after)

    def enter(self, names: dict[str, Node]) -> None:
        if self.node is None:
            names.pop(self.name, None)
        else:
            names[self.name] = self.node

    def rests(self) -> "list[tuple[Node, int]]":
        """The folders of which some pending names have to be there too, and how many of them."""
        return [(folder, folder.pending.index(one) + 1) for folder, one in self.after if one in folder.pending]


def _written(data: bytes, change: Change) -> bytes:
    if change.kind == "t":
        return data[: change.at].ljust(change.at, b"\0")
    return data[: change.at].ljust(change.at, b"\0") + change.data + data[change.at + len(change.data) :]


class Disk:
    """The disk below some folders: all that is there now is durable."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._nodes: dict[Key, Node] = {}
        self._roots = {root: self._read(root) for root in roots}
        self._names: dict[int, dict[str, Node]] = {}

    def _read(self, path: Path) -> Node:
        facts = path.lstat()
        key = (facts.st_dev, facts.st_ino)
        known = self._nodes.get(key)
        if known is not None:
            return known
        if path.is_symlink():
            node = Node("link", key)
            node.now = node.durable = os.fsencode(path.readlink())
        elif path.is_dir():
            node = Node("folder", key, facts.st_mode)
            node.names = {entry.name: self._read(Path(entry.path)) for entry in os.scandir(path)}
        elif path.is_file():
            node = Node("file", key, facts.st_mode)
            node.now = node.durable = path.read_bytes()
        else:
            node = Node("other", key)
        node.when = facts.st_mtime_ns
        self._nodes[key] = node
        return node

    def run(self, log: memoryview) -> None:
        """Lets everything happen that a run wrote down."""
        for change in changes(log):
            self._happen(change)

    def _happen(self, change: Change) -> None:
        folder, node = self._nodes.get(change.folder), self._nodes.get(change.node)
        match change.kind:
            case "w" | "t" if node is not None:
                node.write(change)
            case "y" if node is not None:
                if change.at:
                    node.now = change.data
                node.sync(change.when)
            case "o" | "m" | "s":
                kind = {"o": "file", "m": "folder", "s": "link"}[change.kind]
                self._nodes[change.node] = node = Node(kind, change.node, change.at)
                node.now = node.durable = change.data
                _name(folder, Naming(change.name, node))
            case "l" if node is not None:
                _name(folder, Naming(change.name, node))
            case "u":
                _name(folder, Naming(change.name, None))
            case "r" | "x" if node is not None:
                self._move(change, folder, node)

    def _move(self, change: Change, folder: Node | None, node: Node) -> None:
        other = self._nodes.get(change.other)
        new, old = Naming(change.second, node, *node.moves), Naming(change.name, None)
        node.moves = [] if other is None else [(other, new)]
        if other is not None:
            old.after.append((other, new))
        if change.kind == "x":  # two names change their nodes, together
            old.node = self._nodes.get((change.at, change.when))
            if old.node is not None and folder is not None:
                old.after += old.node.moves
                old.node.moves = [(folder, old)]
                new.after.append((folder, old))
        _name(other, new)
        _name(folder, old)

    def catch_up(self) -> None:
        """Takes in what no call showed, as the last writes of all."""
        for path in (path for root in self._roots for path in root.rglob("*") if path.is_file()):
            facts = path.lstat()
            node, data = self._nodes.get((facts.st_dev, facts.st_ino)), path.read_bytes()
            if node is not None and node.kind == "file" and node.now != data:
                for kind, part in (("t", b""), ("w", data)):
                    node.write(Change(kind, node.key, node.key, node.key, 0, 0, "", "", part))

    def survivors(self, mode: str, seed: str) -> dict[Path, dict[str, "Left"]]:
        """What each root holds after a power cut, by its path; a folder before what is in it.

        `cut`: what is durable, and no more. `cut-data`: every name came through, and no file beyond its fsync.
        `cut-names`: the reverse. `cut-mixed`: of both what chance kept.
        """
        chance = random.Random(seed)
        kept = {id(folder): _come_through(folder, mode, chance) for folder in self._folders()}
        self._names = self._closed(kept)
        return {root: dict(self._below(node, "", mode, chance)) for root, node in self._roots.items()}

    def _folders(self) -> Iterator[Node]:
        """Every folder, in an order that does not hang on inode numbers."""
        seen: dict[int, Node] = {}
        waiting = list(self._roots.values())
        while waiting:
            node = waiting.pop()
            if node.kind == "folder" and id(node) not in seen:
                seen[id(node)] = node
                waiting += [below for _, below in sorted(node.names.items(), key=lambda item: item[0])]
                waiting += [naming.node for naming in node.pending if naming.node is not None]
        yield from seen.values()

    def _closed(self, kept: dict[int, int]) -> dict[int, dict[str, Node]]:
        """The names of each folder, with what those that came through rest on."""
        folders = list(self._folders())
        more = True
        while more:
            more = False
            for folder in folders:
                for other, upto in (rest for one in folder.pending[: kept[id(folder)]] for rest in one.rests()):
                    if upto > kept.get(id(other), 0):
                        kept[id(other)] = upto
                        more = True
        names = {id(folder): dict(folder.names) for folder in folders}
        for folder in folders:
            for naming in folder.pending[: kept[id(folder)]]:
                naming.enter(names[id(folder)])
        return names

    def _below(self, folder: Node, path: str, mode: str, chance: random.Random) -> "Iterator[tuple[str, Left]]":
        for name, node in sorted(self._names[id(folder)].items(), key=lambda item: item[0]):
            here = f"{path}/{name}" if path else name
            yield here, self._left(node, here, mode, chance)
            if node.kind == "folder":
                yield from self._below(node, here, mode, chance)

    def _left(self, node: Node, path: str, mode: str, chance: random.Random) -> "Left":
        if node.kind != "file" or path.endswith(_UNSEEN):
            return Left(node, None)
        match mode:
            case "cut" | "cut-data":
                kept = 0
            case "cut-names":
                kept = len(node.writes)
            case _:
                kept = chance.choice((0, len(node.writes), chance.randint(0, len(node.writes))))
        data = node.durable
        for change in node.writes[:kept]:
            data = _written(data, change)
        return Left(node, data)

    def unseen(self) -> Iterator[str]:
        """The files whose bytes or names no call showed: what is known of the disk must be what is there."""
        self._names = self._closed({id(folder): len(folder.pending) for folder in self._folders()})
        for root, node in self._roots.items():
            told = dict(self._below(node, "", "cut-names", random.Random(0)))
            there = {str(path.relative_to(root)): path for path in root.rglob("*")}
            yield from (f"{root.name}/{path}" for path in sorted(told.keys() ^ there.keys()))
            for path in told.keys() & there.keys():
                data = told[path].data
                if data is not None and there[path].read_bytes() != data:
                    yield f"{root.name}/{path}"


def _name(folder: Node | None, naming: Naming) -> None:
    if folder is not None:
        folder.pending.append(naming)


def _come_through(folder: Node, mode: str, chance: random.Random) -> int:
    """How many of a folder's pending names are on the disk all the same."""
    most = len(folder.pending)
    match mode:
        case "cut" | "cut-names":
            return 0
        case "cut-data":
            return most
        case _:
            return chance.choice((0, most, chance.randint(0, most)))


class Left(NamedTuple):
    """What a path holds after a power cut; `data` of a file, None for what stays as it is."""

    node: Node
    data: bytes | None


def put_back(roots: Mapping[Path, Mapping[str, Left]], limbo: Mapping[int, Path]) -> None:
    """Makes the folders what a power cut left of them. Files keep their inodes: journals name them.

    `limbo` is a folder on each device, where files lie that lost their last name; it is empty afterwards.
    """
    for root in roots:  # all of them first: a file may have gone from one to another
        _gather(root, limbo)
    for root, left in roots.items():
        _prune(root, {path for path, one in left.items() if one.node.kind == "folder"})
        for path, one in left.items():
            _restore(root / path, one, limbo)
    for folder in set(limbo.values()):
        for file in folder.iterdir():
            file.unlink()


def _kept(key: Key, limbo: Mapping[int, Path]) -> Path:
    return limbo[key[0]] / f"{key[0]}-{key[1]}"


def _gather(root: Path, limbo: Mapping[int, Path]) -> None:
    for parent, _, names in os.walk(root):
        for name in names:
            path = Path(parent) / name
            facts = path.lstat()
            kept = _kept((facts.st_dev, facts.st_ino), limbo)
            if kept.exists() or not path.is_file() or path.is_symlink():
                path.unlink()
            else:
                path.rename(kept)


def _prune(root: Path, folders: set[str]) -> None:
    for parent, names, _ in os.walk(root, topdown=False):
        for name in names:
            path = Path(parent) / name
            if path.is_symlink():
                path.unlink()
            elif str(path.relative_to(root)) not in folders:
                path.rmdir()


def _restore(path: Path, left: Left, limbo: Mapping[int, Path]) -> None:
    node = left.node
    match node.kind:
        case "folder":
            path.mkdir(exist_ok=True)
            if node.mode & 0o7777:
                path.chmod(node.mode & 0o7777)
        case "link":
            path.symlink_to(os.fsdecode(node.now))
        case "file":
            kept = _kept(node.key, limbo)
            if kept.exists():
                os.link(kept, path)
            else:
                path.touch(mode=(node.mode & 0o7777) or 0o600)
            _refill(path, node, left.data)


def _refill(path: Path, node: Node, data: bytes | None) -> None:
    facts = path.stat()
    if data is None or path.read_bytes() == data:
        return
    path.chmod(0o600)
    path.write_bytes(data)
    path.chmod(facts.st_mode & 0o7777)
    if data == node.durable and node.when is not None:
        os.utime(path, ns=(node.when, node.when))
