"""From chunks to files: the evidence for each file, the merge's score, and an order that never depends on chance."""

from datetime import date
from typing import TYPE_CHECKING

import msgspec

from engine.search.lexical import Lexical
from engine.search.merge import Evidence, Merge
from engine.search.vectors import Layout, Meaning

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Doubles = NDArray[np.float64]

HALF_LIFE_DAYS = 7.0
"""Recency for search (decision D6)."""
LEAST, KEYWORD_LEAST = 0.1, 0.4
"""Cosines from which a file without any word of the query is an answer; more is asked where words found it all."""
TIE = 3
"""Scores equal to so many decimals are a tie, which references and recency break."""


class Scored(msgspec.Struct, frozen=True):
    """One file by its place in the layout, with its score, its parts, and the chunk that answers best."""

    place: int
    score: float
    bm25: float
    cosine: float | None
    chunk: int


def scored(
    words: Lexical,
    layout: Layout,
    meaning: Meaning | None,
    merge: Merge,
    most: int,
    among: "Ints | None",
) -> list[Scored]:
    """The best files, at most `most`; `among` are the places that may be answers, None for all.

    A file without a word of the query and without
    a telling cosine is no answer.
    """
    import numpy as np

    files = len(layout.first)
    best, three, word_chunk = _by_words(words, layout)
    cosine, vector_chunk, has_vector = _by_meaning(meaning, layout)
    weight = meaning.weight if meaning is not None else 0.0
    evidence = Evidence(best, three, np.maximum(cosine, 0.0), words.share, words.complete, weight)
    score = merge(evidence)
    candidates = (best > 0) | (cosine > (KEYWORD_LEAST if words.complete else LEAST))
    if among is not None:
        allowed = np.zeros(files, bool)
        allowed[among] = True
        candidates &= allowed
    places = np.flatnonzero(candidates)
    order = places[np.argsort(-score[places], kind="stable")][:most]
    return [
        Scored(
            place=int(at),
            score=float(score[at]),
            bm25=float(best[at]),
            cosine=float(cosine[at]) if has_vector[at] else None,
            chunk=int(word_chunk[at] if best[at] > 0 else vector_chunk[at]),
        )
        for at in order
    ]


def _by_words(words: Lexical, layout: Layout) -> "tuple[Doubles, Doubles, Ints]":
    """Per file: BM25 of its best chunk and the mean of its three best, as shares of the largest; the best chunk."""
    import numpy as np

    files = len(layout.first)
    best, three = np.zeros(files), np.zeros(files)
    chunk = np.zeros(files, np.int64)
    if not words.ids:
        return best, three, chunk
    ids, scores = np.array(words.ids), np.array(words.scores)
    place = layout.files_of(ids)
    order = np.lexsort((-scores, place))
    place, scores, ids = place[order], scores[order], ids[order]
    starts = np.flatnonzero(np.r_[True, place[1:] != place[:-1]])
    rank = np.arange(len(place)) - np.repeat(starts, np.diff(np.r_[starts, len(place)]))
    np.add.at(three, place[rank < 3], scores[rank < 3] / 3)
    best[place[starts]], chunk[place[starts]] = scores[starts], ids[starts]
    return best / max(best.max(), 1e-12), three / max(three.max(), 1e-12), chunk


def _by_meaning(meaning: "Meaning | None", layout: Layout) -> "tuple[Doubles, Ints, NDArray[np.bool_]]":
    """Per file: the cosine of its best chunk, that chunk, and whether it has vectors at all."""
    import numpy as np

    files = len(layout.first)
    if meaning is None or not len(meaning.ids):
        return np.zeros(files), np.zeros(files, np.int64), np.zeros(files, bool)
    cosines = meaning.cosines
    place = layout.files_of(meaning.ids)
    starts = np.flatnonzero(np.r_[True, place[1:] != place[:-1]])
    largest = np.maximum.reduceat(cosines, starts)
    cosine, chunk, has = np.zeros(files), np.zeros(files, np.int64), np.zeros(files, bool)
    at = place[starts]
    cosine[at], has[at] = largest, True
    is_best = np.flatnonzero(cosines == np.repeat(largest, np.diff(np.r_[starts, len(place)])))
    chunk[place[is_best][::-1]] = meaning.ids[is_best][::-1]
    return cosine, chunk, has


def recency(day: date, today: date) -> float:
    """1 today, half of it each week before; a future date counts as today (decision D6)."""
    return float(0.5 ** (max(0, (today - day).days) / HALF_LIFE_DAYS))
