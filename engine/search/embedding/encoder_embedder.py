"""The encoder of sentences as a source of vectors: in the background, since it takes some 10 ms a chunk."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.search.embedding.embedder import Embedder, EmbeddingFailed, NoEmbedder
from engine.text.encoder.encoder import FIX, NoEncoder, TextEncoder, encoder_problem, text_encoder

if TYPE_CHECKING:
    from engine.text.arrays import Floats


class EncoderEmbedder:
    """Vectors of the one encoder of this process, which is read when the first text comes."""

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
    """The encoder as an embedder, or why there is none; reads nothing yet."""
    problem = encoder_problem()
    return EncoderEmbedder() if problem is None else NoEmbedder(problem, FIX)
