"""Remembers what a check found whole, so that the next one reads only what came or changed since (promise B8).

A shortcut of the operator's own: where it is lost, altered or doubted, all is read again. `check --deep` never asks it.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from zlib import crc32

import msgspec

from engine.plans.operation import ChainHead
from engine.plans.records.chain import GENESIS
from engine.plans.records.displaced import DisplacedStore
from engine.plans.records.operation_cache import Outline
from engine.state.private_files import read_cached, write_cached

NAME = "checked"
_DIGITS = 15  # hexadecimal digits of a hash that make a number below 2 to the 63rd


class Checked(msgspec.Struct, frozen=True, array_like=True):
    """The part of the audit log that is sound, and marks of all records and kept bytes that are whole. `archived`: the
    hash of each archived file and the operation that put it there."""

    format: str = "memdeck-checked-1"
    size: int = 0
    sha256: str = ""
    head: ChainHead = GENESIS
    marks: bytes = b""
    archived: Mapping[str, tuple[str, str]] = {}


_DECODER = msgspec.msgpack.Decoder(Checked)


def load_checked(state: Path) -> Checked:
    """The last check's; an empty one where there is none that can be believed."""
    with suppress(msgspec.MsgspecError):
        stored = _DECODER.decode(read_cached(state / NAME))
        if stored.format == Checked().format:
            return stored
    return Checked()


def save_checked(state: Path, checked: Checked) -> None:
    with suppress(OSError):  # it is only a shortcut
        write_cached(state / NAME, msgspec.msgpack.encode(checked))


def packed(marks: Iterable[int]) -> bytes:
    return array("q", marks).tobytes()


def record_mark(outline: Outline) -> int:
    """A number that differs once the record is another file or was written to."""
    return hash((1, crc32(outline.name.encode()), *outline.mark))


def kept_marks(store: DisplacedStore) -> Iterator[tuple[int, int]]:
    """A number for each file of kept bytes, and when it was last changed."""
    for sha256, facts in store.files():
        changed = facts.st_ctime_ns
        yield hash((2, int(sha256[:_DIGITS], 16), changed, facts.st_ino, facts.st_size)), changed


def numbers(marks: bytes) -> frozenset[int]:
    return frozenset(array("q", marks)) if len(marks) % array("q").itemsize == 0 else frozenset((0,))
