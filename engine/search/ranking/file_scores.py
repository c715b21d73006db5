"""Scores files by their chunks: collects the evidence for each file, merges it, and sorts deterministically."""

import msgspec
import numpy as np

from engine.search.embedding.embedder import Embedder, NoEmbedder
from engine.search.ranking.day_gains import DateGains
from engine.search.ranking.lexical import Lexical, largest
from engine.search.ranking.merge import FileEvidence, Merge
from engine.search.ranking.postings import K1, SATURATED, B
from engine.search.store.schema import Database
from engine.search.vectors.layout import Layout, Meaning, layout
from engine.search.vectors.signs import is_large
from engine.text.arrays import Doubles, Ints, Mask

IN_TURNS = 80
"""Notes are in short turns if the median of the files' mean words per chunk, with title and headings, is below this."""


class RankingWeights(msgspec.Struct, frozen=True):
    """The weights of a file's best stretch, whole text and best chunk, one in all; and of its cosine, as a share of the
    embedder's. A stretch has `beside` chunks on either side. `spoken`: the user's own words count for more."""

    stretch: float
    whole: float
    best: float
    cosine: float
    beside: int
    spoken: bool


TURNS = RankingWeights(stretch=0.5, whole=0.25, best=0.25, cosine=0.32, beside=4, spoken=False)
"""Nine short turns, some 900 characters, make as much text as one chunk elsewhere, and a cosine says little."""
NOTES = RankingWeights(stretch=0.25, whole=0.5, best=0.25, cosine=0.5, beside=1, spoken=True)
"""Both were tuned on scenes and meetings of strangers, leaving each out once (`docs/quality.md`)."""


def weights_of(layout: Layout) -> RankingWeights:
    """Chooses the weights for a workspace."""
    if not len(layout.counts):
        return NOTES
    chunks, places = layout.chunks_of(np.arange(len(layout.counts)))
    words = np.bincount(places, weights=layout.lengths[chunks], minlength=len(layout.counts))
    return TURNS if float(np.median(words / np.maximum(layout.counts, 1))) < IN_TURNS else NOTES


def later_embedder(database: Database, embedder: Embedder | NoEmbedder, where: Layout | None = None) -> Embedder | None:
    """Returns the better embedder for the background, if notes are long and not very many."""
    later = None if isinstance(embedder, NoEmbedder) else embedder.later
    if later is None or is_large(database, later.dimensions):
        return None
    return later if weights_of(where or layout(database)) is NOTES else None


LEAST, KEYWORD_LEAST = 0.1, 0.4
"""The least cosines of a hit without any word of the query. The second holds if words already matched everything."""
ENOUGH = 3.0  # the number of times that a file says a term for half of what that can count: k1 of BM25 over files
RARITY = 1.5  # a rare term counts for more than BM25 says, since questions hold much that is said in passing
NEAR = 0.45
"""The least gain by date of a hit without a word of the question: all of a month, or ten days around a day."""
ENTRY_LEAST = 0.5  # the share of its gain that an entry of the day has without a word of the question
SUPPOSED = 0.75  # the quantile of the cosines that a file without vectors yet is supposed to have
GUESSES = 10  # files that may answer where none holds a word of the query: beyond them nearness in meaning is chance
CENTRES = 4_000
"""The number of stretches to weigh, around the best chunks: with all of them, the time would grow with the index."""


class ScoredFile(msgspec.Struct, frozen=True):
    """A file and its best chunk. `words`, `meaning`, `dates`: parts of its score; `bm25`, `cosine`: of its chunks."""

    place: int
    words: float
    meaning: float
    bm25: float
    cosine: float | None
    chunk: int
    dates: float = 0.0

    @property
    def score(self) -> float:
        return self.words + self.meaning + self.dates


def scored(
    words: Lexical,
    layout: Layout,
    meaning: Meaning | None,
    merge: Merge,
    weights: RankingWeights,
    most: int,
    among: Mask | None,
    gains: DateGains | None = None,
) -> list[ScoredFile]:
    """Returns the best files, at most `most`. `among`: which places may be hits; None: all. `gains`: by date. A file
    with neither a word nor a high cosine is no hit; with operators, none is by its cosine alone."""
    best, told, word_chunk = _by_words(words, layout, weights)
    cosine, vector_chunk, has_vector = _by_meaning(meaning, layout)
    likely = _with_supposed(cosine, has_vector) if meaning is not None and meaning.lacking else cosine
    likely = np.maximum(likely, 0.0)
    weight = weights.cosine * meaning.weight if meaning is not None else 0.0
    parts = merge(FileEvidence(best, told, likely, words.complete, weight))
    dates, dated_chunk = _by_days(gains, words, layout) if gains is not None else (np.zeros(len(best)), None)
    places = np.flatnonzero(_candidates(words, best, cosine, dates, among))
    # Without a single word in common the vectors alone order: beyond ten files that is chance.
    most = most if len(words.chunks) else min(most, GUESSES)
    score = parts.score + dates
    chunk = np.where(best > 0, word_chunk, np.where(has_vector, vector_chunk, layout.first))
    if dated_chunk is not None:
        chunk = np.where(dated_chunk > 0, dated_chunk, chunk)

    def file(at: int) -> ScoredFile:
        near = float(cosine[at]) if has_vector[at] else None
        said, meant = float(parts.words[at]), float(parts.meaning[at])
        return ScoredFile(at, said, meant, float(best[at]), near, int(chunk[at]), float(dates[at]))

    return [file(int(at)) for at in places[largest(score[places], most)]]


def chunk_worth(words: Lexical, layout: Layout, meaning: Meaning | None, weights: RankingWeights) -> Doubles:
    """Returns what each chunk is worth by itself: its share of the best chunk's BM25, and its cosine."""
    worth = np.zeros(len(layout.lengths))
    worth[words.chunks] = _shares(words.scores)
    if meaning is not None:
        worth[meaning.ids] += weights.cosine * meaning.weight * np.maximum(meaning.cosines, 0.0)
    return worth


def _candidates(words: Lexical, best: Doubles, cosine: Doubles, dates: Doubles, among: Mask | None) -> Mask:
    """Tells of each file whether it can be a hit: by its words, its meaning or its day."""
    # Where some chunk holds every word, nearness in meaning alone needs .4 in place of .1: the words have found it.
    found = (best > 0) | (cosine > (KEYWORD_LEAST if words.complete else LEAST)) & (not words.strict)
    found |= dates >= NEAR
    return found if among is None else found & among


def _by_days(gains: DateGains, words: Lexical, layout: Layout) -> tuple[Doubles, Ints]:
    """Per file: the gain by its own day or its best entry, and that entry's chunk or 0. An entry counts for more if its
    chunk has more of the question's words: a long note has one for every day."""
    said = np.zeros(len(layout.lengths))
    said[words.chunks] = _shares(words.scores)
    values = gains.gains * (ENTRY_LEAST + (1 - ENTRY_LEAST) * said[gains.chunks])
    best, chunk, _ = _best(gains.chunks, values, layout)
    return np.maximum(gains.files, best), np.where(best > gains.files, chunk, 0)


def _with_supposed(cosine: Doubles, has_vector: Mask) -> Doubles:
    """Assumes the upper quartile's cosine for files without vectors: with 0 they came last (MRR .294, not .318)."""
    return np.where(has_vector, cosine, np.quantile(cosine[has_vector], SUPPOSED)) if has_vector.any() else cosine


def _by_words(words: Lexical, layout: Layout, weights: RankingWeights) -> tuple[Doubles, Doubles, Ints]:
    """Per file: BM25 of its best chunk; the sum of stretch, file and chunk; the best chunk. Shares of the largest."""
    best, chunk, _ = _best(words.chunks, words.scores, layout)
    best = _shares(best)
    told = weights.stretch * _shares(by_stretches(words, layout, weights.beside))
    told += weights.whole * _shares(_as_wholes(words, layout, weights.spoken)) + weights.best * best
    return best, told, np.maximum(chunk, 0)


def _shares(values: Doubles) -> Doubles:
    return values / max(float(values.max(initial=0)), 1e-12)


def _as_wholes(words: Lexical, layout: Layout, spoken: bool) -> Doubles:
    """Per file: BM25 over whole files. A term's occurrences are added up over the chunks, with diminishing effect."""
    files, mean = len(layout.first), float(layout.lengths.sum()) / max(1, int(layout.counts.sum()))
    score = np.zeros(files)
    for posting in words.postings:
        long = K1 * (1 - B + B * layout.lengths[posting.chunks] / max(1.0, mean))
        said = posting.often if spoken else posting.plain / long
        often = np.bincount(layout.files_of(posting.chunks), weights=said, minlength=files)
        count = np.count_nonzero(often)
        rarity = np.log1p((files - count + 0.5) / (count + 0.5))
        # BM25 over files, without its length norm: a file's chunks were weighed by their own lengths already.
        score += rarity**RARITY * often / (often + ENOUGH)
    return score


def _best(chunks: Ints, values: Doubles, layout: Layout) -> tuple[Doubles, Ints, Mask]:
    """Per file: the largest value of its chunks, the first chunk with it, whether it has any. `chunks` are in order."""
    files = len(layout.first)
    best, chunk, has = np.zeros(files), np.zeros(files, np.int64), np.zeros(files, bool)
    if not len(chunks):
        return best, chunk, has
    place = layout.files_of(chunks)
    starts = np.flatnonzero(np.r_[True, place[1:] != place[:-1]])
    tops = np.maximum.reduceat(values, starts)
    at = place[starts]
    best[at], has[at] = tops, True
    is_top = np.flatnonzero(values == np.repeat(tops, np.diff(np.r_[starts, len(place)])))
    chunk[place[is_top][::-1]] = chunks[is_top][::-1]
    return best, chunk, has


def _by_meaning(meaning: Meaning | None, layout: Layout) -> tuple[Doubles, Ints, Mask]:
    """Per file: the cosine of its best chunk, that chunk, and whether it has vectors."""
    if meaning is None:
        return _best(np.zeros(0, np.int64), np.zeros(0), layout)
    return _best(meaning.ids, meaning.cosines.astype(np.float64), layout)


def by_stretches(words: Lexical, layout: Layout, beside: int) -> Doubles:
    """Returns each file's BM25 of its best stretch of neighbouring chunks, as short turns need context."""
    found = np.zeros(len(layout.first))
    if not len(words.chunks):
        return found
    centres = np.sort(words.chunks[largest(words.scores, CENTRES)])
    files = layout.files_of(centres)
    low = np.maximum(centres - beside, layout.first[files])
    high = np.minimum(centres + beside, layout.first[files] + layout.counts[files] - 1)
    before = np.concatenate([[0], np.cumsum(layout.lengths, dtype=np.int64)])
    lengths = before[high + 1] - before[low]
    long = K1 * (1 - B + B * lengths / lengths.mean())
    total, size = np.zeros(len(centres)), int(layout.counts.sum())
    for posting in words.postings:
        so_far = np.concatenate([[0.0], np.cumsum(posting.plain)])
        often = (
            so_far[np.searchsorted(posting.chunks, high, "right")]
            - so_far[np.searchsorted(posting.chunks, low, "left")]
        )
        rarity = np.log1p((size - len(posting.chunks) + 0.5) / (len(posting.chunks) + 0.5))
        total += rarity * SATURATED * often / (often + long)
    np.maximum.at(found, files, total)
    return found
