"""Defines an embedder, which turns text into vectors, and opens the one that the policy names."""

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
    """Turns texts into vectors of length 1. `id` names model and settings; only vectors of one id can be compared."""

    id: str
    dimensions: int
    quick: bool  # true if it keeps up with indexing; one that does not embeds in the background, some chunks at a time
    weight: float  # the weight of its cosine against the words' share of a score; chosen on the dev questions
    later: "Embedder | None"  # a better one where notes are long; this one answers until all its vectors are made

    def embed(self, texts: Sequence[str]) -> "Floats":
        """Returns one row per text, of length 1, or all zero for a text without content. Raises `EmbeddingFailed`."""
        ...


class EmbeddingFailed(Exception):
    """The embedder gave no vectors. `str` is the reason, in half a sentence."""


class NoEmbedder(msgspec.Struct, frozen=True):
    """There is no embedder, and `reason` says why: search uses words alone and says so."""

    reason: str
    fix: str = ""


class EmbeddingSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The policy's settings for embeddings. `key` is the endpoint's; costs are recorded in `ledger`."""

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
    """Returns the reason for which there will be no vectors, without loading anything; empty if there will be some."""
    if embedder == "encoder":
        from engine.text.encoder.encoder import encoder_problem

        return encoder_problem() or ""
    is_lacking = embedder in {"auto", "static"} and find_spec("wordllama") is None
    return "the package wordllama is not installed" if is_lacking else ""


def load_embedder(wish: EmbeddingSettings) -> Embedder | NoEmbedder:
    """Returns the embedder, or the reason for which there is none. Never raises because of a missing package."""
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
    """Opens the vectors that topics are compared by, once per process (0.2 s). None if this machine has none."""
    from engine.search.embedding.static import static_embedder

    found = static_embedder(centred=True)
    return None if isinstance(found, NoEmbedder) else found
