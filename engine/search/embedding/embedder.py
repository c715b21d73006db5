"""Defines an embedder, which turns text into vectors, and how its numbers are kept in a byte each."""

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Protocol, TypeVar

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Bytes = NDArray[np.int8]

EndToEnd = TypeVar("EndToEnd", bytes, "Floats")


class Embedder(Protocol):
    """Turns texts into vectors of length 1. `id` names model and settings: vectors of another id are not comparable."""

    id: str
    dimensions: int
    quick: bool
    """True if it keeps up with indexing; one that does not embeds in the background, some chunks at a time."""
    weight: float
    """The weight of its cosine against the words' share of a score; chosen on the dev questions."""

    def embed(self, texts: Sequence[str]) -> "Floats":
        """One row per text, of length 1, or all zero where the text says nothing. Raises `EmbeddingFailed`."""
        ...


class EmbeddingFailed(Exception):
    """No vectors could be had now; `str` says why in half a sentence."""


class NoEmbedder(msgspec.Struct, frozen=True):
    """No embedder, and why: search goes by words alone and says so."""

    reason: str
    fix: str = ""


def unit(rows: "Floats") -> "Floats":
    """Each row at length 1; rows of zeros stay."""
    import numpy as np

    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    found: Floats = rows / np.maximum(lengths, np.float32(1e-9))
    return found


def packed(rows: "Floats") -> bytes:
    """Rows as one signed byte a number, each row scaled to its own largest: the direction keeps its 7 bits."""
    import numpy as np

    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0)
    scaled = rows * (127 / np.where(largest > 1e-12, largest, 1))
    return np.rint(scaled).astype(np.int8).tobytes()


def unpacked(data: bytes, dimensions: int) -> "Floats":
    """Unpacks what `packed` packed, each row at length 1 again."""
    import numpy as np

    return unit(np.frombuffer(data, dtype=np.int8).reshape(-1, dimensions).astype(np.float32))


def apart(data: EndToEnd, lengths: Iterable[int]) -> list[EndToEnd]:
    """The parts of what lies end to end, each of so many rows or bytes."""
    return [data[start:end] for start, end in pairwise(accumulate(lengths, initial=0))]
