"""Weighs words in stretches of neighbouring chunks: a short turn is understood by what stands around it.

Where a file's chunks are short, its best stretch of seven says more than each chunk alone and than the whole file:
hit@1 +2 to +8 on chats in short turns, and nothing lost on other corpora, whose files keep their score as a whole.
Of seven corpora in short turns it loses on none; nine turns, with the mean of the best three cosines, gain more on most
of them, and lose on one.
"""

import numpy as np

from engine.search.arrays import Doubles, Mask
from engine.search.ranking.lexical import Lexical, largest
from engine.search.ranking.postings import K1, SATURATED, B
from engine.search.vectors.layout import Layout

SHORT = 35
"""Words of a file's mean chunk below which its chunks are short: some 200 characters."""
BESIDE = 3
"""Chunks on either side that belong to a stretch: seven short turns have about 900 characters."""
CENTRES = 4_000
"""Stretches that are weighed, those around the chunks that say most: with all of them a search grows with the index."""


def short_chunked(layout: Layout) -> Mask:
    """Tells of each file whether it has several chunks, and those are short."""
    chunks = layout.chunks_of(np.arange(len(layout.first)))
    words = np.bincount(chunks[1], weights=layout.lengths[chunks[0]], minlength=len(layout.first))
    found: Mask = (layout.counts > 1) & (words < SHORT * layout.counts)
    return found


def by_stretches(words: Lexical, layout: Layout, short: Mask) -> Doubles:
    """Per file: BM25 of its best stretch; 0 where no chunk of it holds a word, or its chunks are not `short`."""
    found = np.zeros(len(layout.first))
    among = np.flatnonzero(short[layout.files_of(words.chunks)])
    if not len(among):
        return found
    centres = np.sort(words.chunks[among[largest(words.scores[among], CENTRES)]])
    files = layout.files_of(centres)
    low = np.maximum(centres - BESIDE, layout.first[files])
    high = np.minimum(centres + BESIDE, layout.first[files] + layout.counts[files] - 1)
    before = np.concatenate([[0], np.cumsum(layout.lengths, dtype=np.int64)])
    lengths = before[high + 1] - before[low]
    long = K1 * (1 - B + B * lengths / lengths.mean())
    total, size = np.zeros(len(centres)), int(layout.counts.sum())
    for one in words.postings:
        so_far = np.concatenate([[0.0], np.cumsum(one.plain)])
        often = so_far[np.searchsorted(one.chunks, high, "right")] - so_far[np.searchsorted(one.chunks, low, "left")]
        rarity = np.log1p((size - len(one.chunks) + 0.5) / (len(one.chunks) + 0.5))
        total += rarity * SATURATED * often / (often + long)
    np.maximum.at(found, files, total)
    return found
