"""Defines the embedder's settings in the operator's policy."""

from collections.abc import Callable
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, assert_never

import msgspec

from engine.search.embedding.embedder import Embedder, NoEmbedder


class EmbeddingSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The policy's words on embeddings. `key` is the endpoint's; `ledger` is where its cost is written down."""

    embedder: Literal["static", "transformer", "endpoint", "none"] = "static"
    model: str = ""
    url: str = ""
    key: str = ""
    usd_per_million_tokens: float = 0.0
    max_usd: float = 0.0
    ledger: Path = Path()
    now: Callable[[], datetime] | None = None
    """Real time, for the ledger."""


EMBEDDER_FIX = "install what `search.embedder` names, or change it in the policy"
_PACKAGES = {"static": "wordllama", "transformer": "onnxruntime"}


def embedder_problem(embedder: str) -> str:
    """Says why there will be no vectors, as far as can be told without loading anything; empty if they will come."""
    package = _PACKAGES.get(embedder)
    if package is None or find_spec(package) is not None:
        return ""
    return f"the package {package} is not installed"


def load_embedder(wish: EmbeddingSettings) -> Embedder | NoEmbedder:
    """The embedder, or why there is none; never raises for what is or is not installed."""
    match wish.embedder:
        case "static":
            from engine.search.embedding.static import static_embedder

            return static_embedder()
        case "transformer":
            from engine.search.embedding.transformer import transformer_embedder

            return transformer_embedder(Path(wish.model) if wish.model else None)
        case "endpoint":
            from engine.search.embedding.endpoint import EndpointEmbedder

            return EndpointEmbedder(wish)
        case "none":
            return NoEmbedder("the policy asks for no vectors (search.embedder: none)")
        case other:
            assert_never(other)
