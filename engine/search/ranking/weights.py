"""Weights of what a file says against a question, by the shape of the whole workspace: never two scales in one list."""

import msgspec
import numpy as np

from engine.search.embedding.embedder import Embedder, NoEmbedder
from engine.search.store.schema import Database
from engine.search.vectors.layout import Layout, layout
from engine.search.vectors.sign_table import is_large

IN_TURNS = 80
"""Words of the median of the files' mean chunks, title and headings counted, below which notes are in short turns."""


class RankingWeights(msgspec.Struct, frozen=True):
    """The weights of a file's best stretch, of all it says and of its best chunk, one in all, and of its cosine, as a
    share of the embedder's weight. A stretch has `beside` chunks on either side of the one in its middle. `spoken`: the
    user's own words count for more in the whole file, as where an assistant answers at length."""

    stretch: float
    whole: float
    best: float
    cosine: float
    beside: int
    spoken: bool


TURNS = RankingWeights(stretch=0.5, whole=0.25, best=0.25, cosine=0.32, beside=4, spoken=False)
"""In short turns nine of them, some 900 characters, are what a chunk is elsewhere, and a cosine says little."""
NOTES = RankingWeights(stretch=0.25, whole=0.5, best=0.25, cosine=0.5, beside=1, spoken=True)
"""Both were chosen on scenes and meetings of strangers, each left out once (`docs/quality.md`)."""


def weights_of(layout: Layout) -> RankingWeights:
    """The weights for all files of a workspace."""
    if not len(layout.counts):
        return NOTES
    chunks, places = layout.chunks_of(np.arange(len(layout.counts)))
    words = np.bincount(places, weights=layout.lengths[chunks], minlength=len(layout.counts))
    return TURNS if float(np.median(words / np.maximum(layout.counts, 1))) < IN_TURNS else NOTES


def later_embedder(database: Database, embedder: Embedder | NoEmbedder, where: Layout | None = None) -> Embedder | None:
    """The better embedder that an index is to have in the background: where notes are long and not very many."""
    later = None if isinstance(embedder, NoEmbedder) else embedder.later
    if later is None or is_large(database, later.dimensions):
        return None
    return later if weights_of(where or layout(database)) is NOTES else None
