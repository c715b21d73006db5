"""Reads the chunks that contain a word, with its BM25 in each, from the full-text index in one query. FTS5 returns the
places of each word, and its formula is computed here: its own `bm25()` reads the length of each chunk by itself, which
takes eight times as long as all the rest."""

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from engine.search.store.schema import Database, numbers
from engine.search.vectors.layout import Layout
from engine.text.arrays import Doubles, Ints

WEIGHTS = {"title": 4.0, "headings": 2.0, "body": 1.0, "marks": 1.5, "said": 1.0}  # the weight of a word by its place
SPOKEN = WEIGHTS | {"said": 3.0}
"""The same for a whole file. There, the user's own statements matter more than the answers."""
K1, B = 1.2, 0.75  # BM25's constants, as FTS5 has them
SATURATED = K1 + 1  # BM25 gives one word at most so many times its rarity
OFTEN = 99.0  # no word counts as said more often than that, for its length
MOST_PLACES, MOST_BEGUN = 1_000_000, 300_000
"""The places that are read for one word, and for a prefix: a single letter has millions."""
KEPT_ROWS = 500_000  # chunks of postings that are kept between questions: 16 MB

PLACES = "SELECT group_concat(at) FROM (SELECT doc * 8 + (unicode(col) & 7) AS at FROM places WHERE {} LIMIT ?)"
"""The places of a word: the chunk's id, with the column's initial in the lowest three bits."""
ROWS = "SELECT group_concat(rowid) FROM words WHERE words MATCH ?"
PHRASE = "SELECT rowid, bm25(words, ?, ?, ?, ?, ?), bm25(words, ?, ?, ?, ?, ?) FROM words WHERE words MATCH ?"


class Posting(msgspec.Struct, frozen=True):
    """One term: its chunks in order, its BM25 and relative frequency in each. `plain`: weighted by column alone."""

    chunks: Ints
    scores: Doubles
    often: Doubles
    plain: Doubles


class Lexicon:
    """The words of an index at one generation. Lookups are cached: a search while typing repeats them."""

    def __init__(self, database: Database, where: Layout) -> None:
        self.database = database
        self.size = int(where.counts.sum())
        self._lengths = where.lengths
        self._mean = max(1.0, float(where.lengths.sum()) / max(1, self.size))
        self._documents: dict[str, int] = {}
        self._postings: dict[tuple[Sequence[str], bool], Posting] = {}
        self._rows = 0

    def documents(self, word: str) -> int:
        """Counts the chunks that contain a word."""
        if (found := self._documents.get(word)) is None:
            rows = self.database.rows("SELECT doc FROM terms WHERE term = ?", (word,))
            found = self._documents[word] = int(rows[0][0]) if rows else 0
        return found

    def rarity(self, count: int) -> float:
        """Weighs a word by its rarity, with FTS5's formula."""
        return max(1e-6, math.log((max(0, self.size - count) + 0.5) / (count + 0.5)))

    def posting(self, form: tuple[str, ...], *, prefix: bool) -> Posting:
        """The chunks that contain one word, or several in a row."""
        key = form, prefix
        if (found := self._postings.pop(key, None)) is None:
            found = self._read(form, prefix=prefix)
            self._rows += len(found.chunks)
        self._postings[key] = found
        # Least recently used goes first: `pop` and set above move what was asked for to the end.
        while self._rows > KEPT_ROWS and len(self._postings) > 1:
            self._rows -= len(self._postings.pop(next(iter(self._postings))).chunks)
        return found

    def matching(self, condition: str) -> Ints:
        """The chunks that match a full-text condition."""
        return numbers(self.database.rows(ROWS, (condition,)))

    def _read(self, form: tuple[str, ...], *, prefix: bool) -> Posting:
        if len(form) > 1:
            return self._phrase(quoted(form) + (" *" if prefix else ""))
        if prefix:
            # A range of terms, which FTS5's vocabulary keeps in order; LIKE would read all of it.
            between = (form[0], form[0] + chr(0x10FFFF), MOST_BEGUN)
            return self._word(numbers(self.database.rows(PLACES.format("term >= ? AND term < ?"), between)))
        return self._word(numbers(self.database.rows(PLACES.format("term = ?"), (form[0], MOST_PLACES))))

    def _word(self, places: Ints) -> Posting:
        if np.any(places[1:] < places[:-1]):  # several words, as a prefix has
            places.sort()
        # A place is chunk × 8 + column: the shift gives the chunk, the mask the column.
        chunks = places >> 3
        starts = np.flatnonzero(np.r_[True, chunks[1:] != chunks[:-1]][: len(chunks)])
        chunks, columns = chunks[starts], places & 7
        plain, spoken = (_added(np.take(_by_initial(each), columns), starts) for each in (WEIGHTS, SPOKEN))
        # BM25 as FTS5 has it, so that a word and a phrase have scores of one scale.
        long = K1 * (1 - B + B * self._lengths[chunks] / self._mean)
        rarity = self.rarity(len(chunks))
        return Posting(chunks, rarity * SATURATED * plain / (plain + long), np.minimum(spoken / long, OFTEN), plain)

    def _phrase(self, condition: str) -> Posting:
        """Several words in a row, which only FTS5 can count. The frequency is computed back from its BM25."""
        rows = self.database.rows(PHRASE, (*WEIGHTS.values(), *SPOKEN.values(), condition))
        if not rows:
            return Posting(np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0))
        ids, plain, spoken = zip(*rows, strict=True)
        # FTS5 gives -rarity × 2.2 × f / (f + norm): solved for f / norm, and kept from dividing by 0.
        most, rarity = SATURATED * OFTEN / (1 + OFTEN), self.rarity(len(ids))
        part, said = (np.clip(-np.array(column) / rarity, 0, most) for column in (spoken, plain))
        chunks = np.array(ids, np.int64)
        long = K1 * (1 - B + B * self._lengths[chunks] / self._mean)
        return Posting(chunks, -np.array(plain), part / (SATURATED - part), said / (SATURATED - said) * long)


def quoted(words: Sequence[str]) -> str:
    """Quotes words in a row for FTS5, whatever characters they contain (decision D10)."""
    return '"' + " ".join(words).replace('"', '""') + '"'


def _added(values: Doubles, starts: Ints) -> Doubles:
    found: Doubles = np.add.reduceat(values, starts) if len(starts) else np.zeros(0)
    return found


def _by_initial(weights: dict[str, float]) -> Doubles:
    found = np.zeros(8)
    for column, weight in weights.items():
        found[ord(column[0]) & 7] = weight
    return found
