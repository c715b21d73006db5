"""Defines the embedder's settings in the operator's policy."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Literal

import msgspec


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
