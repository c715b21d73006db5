"""Names the array types of vectors, and packs vectors. Importing numpy takes 0.1 s, at the first question."""

from collections.abc import Iterable
from itertools import accumulate, pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]
Mask = NDArray[np.bool_]
EndToEnd = TypeVar("EndToEnd", bytes, Floats)


def unit(rows: Floats) -> Floats:
    """Scales each row to length 1; rows of zeros stay."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    found: Floats = rows / np.maximum(lengths, np.float32(1e-9))
    return found


def packed(rows: Floats) -> bytes:
    """Packs each number into one signed byte, each row scaled by its largest number: 7 bits of direction stay."""
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0)
    scaled = rows * (127 / np.where(largest > 1e-12, largest, 1))
    return np.rint(scaled).astype(np.int8).tobytes()


def unpacked(data: bytes, dimensions: int) -> Floats:
    """Unpacks rows that `packed` made, scaled to length 1."""
    return unit(np.frombuffer(data, dtype=np.int8).reshape(-1, dimensions).astype(np.float32))


def apart(data: EndToEnd, lengths: Iterable[int]) -> list[EndToEnd]:
    """Splits concatenated data into parts of the given numbers of rows or bytes."""
    return [data[start:end] for start, end in pairwise(accumulate(lengths, initial=0))]
