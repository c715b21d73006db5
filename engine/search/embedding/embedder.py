"""Defines an embedder, which turns text into vectors, and how its numbers are kept in a byte each."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from importlib.util import find_spec
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar, assert_never

import msgspec

if TYPE_CHECKING:
    from engine.search.arrays import Floats


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


class EmbeddingSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The policy's words on embeddings. `key` is the endpoint's; `ledger` is where its cost is written down."""

    embedder: Literal["static", "endpoint", "none"] = "static"
    model: str = ""
    url: str = ""
    key: str = ""
    usd_per_million_tokens: float = 0.0
    max_usd: float = 0.0
    ledger: Path = Path()
    now: Callable[[], datetime] | None = None
    """Real time, for the ledger."""


EMBEDDER_FIX = "install what `search.embedder` names, or change it in the policy"


def embedder_problem(embedder: str) -> str:
    """Says why there will be no vectors, as far as can be told without loading anything; empty if they will come."""
    return "the package wordllama is not installed" if embedder == "static" and find_spec("wordllama") is None else ""


def load_embedder(wish: EmbeddingSettings) -> Embedder | NoEmbedder:
    """The embedder, or why there is none; never raises for what is or is not installed."""
    match wish.embedder:
        case "static":
            from engine.search.embedding.static import static_embedder

            return static_embedder()
        case "endpoint":
            from engine.search.embedding.endpoint import EndpointEmbedder

            return EndpointEmbedder(wish)
        case "none":
            return NoEmbedder("the policy asks for no vectors (search.embedder: none)")
        case other:
            assert_never(other)
