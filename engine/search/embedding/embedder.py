"""Defines an embedder, which turns text into vectors, and opens the one that is asked for."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, assert_never

import msgspec

if TYPE_CHECKING:
    from engine.text.arrays import Floats


class Embedder(Protocol):
    """Turns texts into vectors of length 1. `id` names model and settings: vectors of another id are not comparable."""

    id: str
    dimensions: int
    quick: bool  # true if it keeps up with indexing; one that does not embeds in the background, some chunks at a time
    weight: float  # the weight of its cosine against the words' share of a score; chosen on the dev questions
    later: "Embedder | None"  # a better one where notes are long; this one answers until all its vectors are made

    def embed(self, texts: Sequence[str]) -> "Floats":
        """One row per text, of length 1, or all zero where the text says nothing. Raises `EmbeddingFailed`."""
        ...


class EmbeddingFailed(Exception):
    """No vectors could be had now; `str` says why in half a sentence."""


class NoEmbedder(msgspec.Struct, frozen=True):
    """No embedder, and why: search goes by words alone and says so."""

    reason: str
    fix: str = ""


class EmbeddingSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The policy's words on embeddings. `key` is the endpoint's; `ledger` is where its cost is written down."""

    embedder: Literal["auto", "static", "encoder", "endpoint", "none"] = "auto"
    model: str = ""
    url: str = ""
    key: str = ""
    usd_per_million_tokens: float = 0.0
    max_usd: float = 0.0
    ledger: Path = Path()
    now: Callable[[], datetime] | None = None  # real time, for the ledger


EMBEDDER_FIX = "install what `search.embedder` names, or change it in the policy"


def embedder_problem(embedder: str) -> str:
    """Says why there will be no vectors, as far as can be told without loading anything; empty if they will come."""
    if embedder == "encoder":
        from engine.text.encoder.encoder import encoder_problem

        return encoder_problem() or ""
    is_lacking = embedder in {"auto", "static"} and find_spec("wordllama") is None
    return "the package wordllama is not installed" if is_lacking else ""


def load_embedder(wish: EmbeddingSettings) -> Embedder | NoEmbedder:
    """The embedder, or why there is none; never raises for what is or is not installed."""
    match wish.embedder:
        case "auto":
            from engine.search.embedding.encoder_embedder import encoder_embedder
            from engine.search.embedding.static import static_embedder

            found, later = static_embedder(), encoder_embedder()
            if not isinstance(found, NoEmbedder) and not isinstance(later, NoEmbedder):
                found.later = later
            return found
        case "static":
            from engine.search.embedding.static import static_embedder

            return static_embedder()
        case "encoder":
            from engine.search.embedding.encoder_embedder import encoder_embedder

            return encoder_embedder()
        case "endpoint":
            from engine.search.embedding.endpoint import EndpointEmbedder

            return EndpointEmbedder(wish)
        case "none":
            return NoEmbedder("the policy asks for no vectors (search.embedder: none)")
        case other:
            assert_never(other)


@cache
def word_vectors() -> Embedder | None:
    """Opens the vectors that topics are compared by, once for all (0.2 s); None where this machine has none."""
    from engine.search.embedding.static import static_embedder

    found = static_embedder(centred=True)
    return None if isinstance(found, NoEmbedder) else found
