"""Embeds with the sentence encoder. It runs in the background, since it takes some 10 ms a chunk."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.search.embedding.embedder import Embedder, EmbeddingFailed, NoEmbedder
from engine.text.encoder.encoder import FIX, NoEncoder, TextEncoder, encoder_problem, text_encoder

if TYPE_CHECKING:
    from engine.text.arrays import Floats


class EncoderEmbedder:
    """Vectors of this process's one encoder, which is loaded when the first text comes."""

    id = TextEncoder.id
    dimensions = 512
    quick = False
    weight = 3.0
    later: Embedder | None = None

    def embed(self, texts: Sequence[str]) -> "Floats":
        found = text_encoder()
        if isinstance(found, NoEncoder):
            raise EmbeddingFailed(found.reason)
        return found.encode(texts)


def encoder_embedder() -> EncoderEmbedder | NoEmbedder:
    """Returns the encoder as an embedder, or the reason for which there is none. Loads nothing yet."""
    problem = encoder_problem()
    return EncoderEmbedder() if problem is None else NoEmbedder(problem, FIX)
