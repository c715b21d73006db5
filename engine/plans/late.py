"""Lines that came late: a program had a note open while it was moved, and wrote on into the file where it is now."""

from collections.abc import Iterator
from hashlib import sha256

import msgspec

from engine.errors import Damaged, MemdeckError
from engine.plans.operation import Operation, Rename
from engine.plans.records.displaced import DisplacedStore, LateHeld
from engine.text.document import split_lines
from engine.workspace.paths import MAX_KEPT, WorkspaceRoot


class Late(msgspec.Struct, frozen=True):
    """The file at `path` begins with the bytes that an operation put there; `added` came after them."""

    path: str
    original: bytes
    added: bytes

    @property
    def first(self) -> int:
        """The number of the first line that came late or was written on."""
        return self.original.count(b"\n") + 1

    @property
    def lines(self) -> tuple[str, ...]:
        """The late lines as text."""
        return tuple(split_lines(self.added.decode("utf-8", "replace")))


def late_lines(path: str, present: bytes, wanted: str, size: int | None) -> Late | None:
    """Finds what was added behind the bytes with the hash `wanted`; None if nothing was, or they are no beginning.
    `size` counts those bytes; where it is not known they are looked for up to the end of each line."""
    for end in _ends(present, size):
        if sha256(present[:end]).hexdigest() == wanted:
            return Late(path, present[:end], present[end:])
    return None


def late_at(root: WorkspaceRoot, path: str, wanted: str, size: int | None) -> Late | None:
    """Does the same for a file of the workspace as it is now."""
    try:
        present = root.read(path, MAX_KEPT)
    except MemdeckError:
        return None
    return None if sha256(present).hexdigest() == wanted else late_lines(path, present, wanted, size)


def late_held(store: DisplacedStore, one: LateHeld) -> Late | None:
    """Does the same for a file that was replaced and is held; None also where it was rewritten or made huge."""
    if len(one.data) > MAX_KEPT:
        return None
    try:
        original = store.get(one.held.sha256)
    except Damaged:
        return None
    return Late(one.held.path, original, one.data[len(original) :]) if one.data.startswith(original) else None


def size_of(operation: Operation, path: str) -> int | None:
    """Gives the number of bytes that the operation moved to `path`; None where its record does not tell."""
    shifts = (effect for effect in operation.effects if isinstance(effect, Rename) and effect.to == path)
    return next((effect.size for effect in shifts), None)


def _ends(present: bytes, size: int | None) -> Iterator[int]:
    if size is not None:
        yield from (end for end in (size,) if end < len(present))
        return
    at = present.find(b"\n")
    while 0 <= at < len(present) - 1:
        yield at + 1
        at = present.find(b"\n", at + 1)
