"""Weighs words: the BM25 of a query's terms in each chunk that has any of them. Terms are looked up one by one, so that
a term can be added up over all chunks of a file."""

from collections.abc import Iterable, Sequence
from itertools import accumulate

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.search.query import MOST_TERMS, Query, QueryTerm
from engine.search.ranking.postings import Lexicon, Posting, quoted
from engine.search.store.schema import Database
from engine.text.arrays import Doubles, Ints
from engine.text.words import is_wide, stem_in

DEPTH = 1_000  # chunks that are given by name, the best ones
MANY = 2_000  # chunks from which it pays to leave common words out
COMMON = 1.1  # the rarity of a word that is in a quarter of all chunks
MOST_ROWS = 800_000
"""The chunks read for all terms of a query together; more only for the rarest term. The most common are left out."""
MOST_COMPOUNDS = 6  # compounds of one word that are searched too, the shortest first
SHORTEST_PART = 4  # letters of a word that is looked for inside compounds


class Lexical(msgspec.Struct, frozen=True):
    """Chunks with their BM25 and terms. `ids`: the best; `complete`: one has every term; `strict`: operators decide."""

    chunks: Ints
    scores: Doubles
    postings: tuple[Posting, ...] = ()
    ids: list[int] = []
    complete: bool = False
    strict: bool = False


def lexical(lexicon: Lexicon, asked: Query) -> Lexical:
    """Weighs a question's words in each chunk. The caller opens the transaction."""
    has_compounds = lexicon.database.rows("SELECT 1 FROM compounds LIMIT 1")
    forms = [_compounded(lexicon.database, term) for term in asked.all_terms] if has_compounds else asked.all_terms
    weighed = _rarest(lexicon, forms)
    if not weighed or not lexicon.size:
        return Lexical(np.zeros(0, np.int64), np.zeros(0))
    terms = [term for term, _, _ in weighed]
    telling = _affordable(_telling(weighed) if lexicon.size > MANY else weighed)
    postings = [_posting(lexicon, term) for term, _, _ in telling]
    if asked.required or asked.excluded:
        allowed = _allowed(lexicon, asked, terms)
        postings = [_only(posting, allowed) for posting in postings]
    chunks, scores = _added_up([(posting.chunks, posting.scores) for posting in postings])
    best = largest(scores, DEPTH)
    return Lexical(
        chunks,
        scores,
        tuple(postings),
        [int(chunk) for chunk in chunks[best]],
        bool(len(best)) and _complete(lexicon.database, terms),
        bool(asked.required or asked.excluded),
    )


def _telling(weighed: Sequence[tuple[QueryTerm, float, int]]) -> list[tuple[QueryTerm, float, int]]:
    """Leaves out the terms that are in so many chunks that they do not affect the order, but take the most time."""
    # A third of the rarest: a question of common words alone keeps them, since they are all it has.
    most = max(rarity for _, rarity, _ in weighed)
    return [term_weight for term_weight in weighed if term_weight[1] >= min(COMMON, most / 3)]


def _affordable(weighed: Sequence[tuple[QueryTerm, float, int]]) -> list[tuple[QueryTerm, float, int]]:
    """The rarest terms, as many as can be read within `MOST_ROWS`."""
    # A query's time grows with the rows read: the rarest term is read however many chunks hold it.
    left = sorted(weighed, key=lambda term_weight: term_weight[2])
    sums = accumulate(count for *_, count in left)
    return [term_weight for term_weight, rows in zip(left, sums, strict=True) if rows <= max(MOST_ROWS, term_weight[2])]


def _posting(lexicon: Lexicon, term: QueryTerm) -> Posting:
    """The chunks with any form of a term; the scores of the forms are added up."""
    forms = (form for form in term.forms if term.prefix or all(map(lexicon.documents, form)))
    found = [lexicon.posting(form, prefix=term.prefix) for form in forms]
    if len(found) == 1:
        return found[0]
    chunks, scores = _added_up([(posting.chunks, posting.scores) for posting in found])
    often, plain = (
        _added_up([(posting.chunks, values) for posting, values in zip(found, column, strict=True)])[1]
        for column in ([posting.often for posting in found], [posting.plain for posting in found])
    )
    return Posting(chunks, scores, often, plain)


def _added_up(parts: Sequence[tuple[Ints, Doubles]]) -> tuple[Ints, Doubles]:
    """Adds up the values of each chunk over all parts, with the chunks in order."""
    if not parts:
        return np.zeros(0, np.int64), np.zeros(0)
    # A sum by place in one array: ids are dense, and nothing has to be sorted.
    total = np.zeros(1 + max(int(chunks[-1]) if len(chunks) else 0 for chunks, _ in parts))
    # A sum of 0 is no sign that a chunk was not there.
    held = np.zeros(len(total), bool)
    for chunks, values in parts:
        total[chunks] += values
        held[chunks] = True
    every = np.flatnonzero(held)
    return every, total[every]


def largest(scores: NDArray[np.floating], count: int) -> Ints:
    """The places of the `count` largest scores, largest first; for equal scores the first place."""
    if not 0 < count < len(scores):
        return np.argsort(-scores, kind="stable")[:count]
    # Sorting all scores takes n log n; the partition is linear, and equal scores stay in the order of their places.
    least = np.partition(scores, len(scores) - count)[len(scores) - count]
    among = np.flatnonzero(scores >= least)
    return among[np.argsort(-scores[among], kind="stable")[:count]]


def _allowed(lexicon: Lexicon, asked: Query, terms: Iterable[QueryTerm]) -> Ints:
    """The chunks with all required terms and none of the excluded ones."""
    condition = " AND ".join(f"({_any_form(term)})" for term in asked.required) or " OR ".join(map(_any_form, terms))
    if asked.excluded:
        condition = f"({condition}) NOT ({' OR '.join(map(_any_form, asked.excluded))})"
    return lexicon.matching(condition)


def _only(posting: Posting, allowed: Ints) -> Posting:
    kept = np.isin(posting.chunks, allowed, assume_unique=True)
    return Posting(posting.chunks[kept], posting.scores[kept], posting.often[kept], posting.plain[kept])


def _rarest(lexicon: Lexicon, terms: Sequence[QueryTerm]) -> list[tuple[QueryTerm, float, int]]:
    """Each term with its rarity and its number of chunks. Too many terms are cut to the rarest that the index knows."""
    # A pasted page may have thousands of words: looking each up is bounded before the rarest are chosen.
    # A term counts as its most frequent form, a phrase as its rarest word.
    forms = ((term, [min(map(lexicon.documents, form)) for form in term.forms]) for term in terms[: 8 * MOST_TERMS])
    counted = [(term, max(counts, default=0)) for term, counts in forms]
    if len(counted) > MOST_TERMS:
        # Words that no chunk has come last: they order nothing.
        counted = sorted(counted, key=lambda term_weight: (term_weight[1] == 0, term_weight[1]))[:MOST_TERMS]
    return [(term, lexicon.rarity(count), count) for term, count in counted]


def _any_form(term: QueryTerm) -> str:
    return " OR ".join(quoted(form) + (" *" if term.prefix else "") for form in term.forms)


def _complete(database: Database, terms: Sequence[QueryTerm]) -> bool:
    """Tells whether some chunk has every term."""
    # FTS5 intersects all terms: with more than a dozen it is slow, and such a chunk is as good as a copy.
    if not 1 < len(terms) <= 12:
        return len(terms) == 1
    condition = " AND ".join(f"({_any_form(term)})" for term in terms)
    return bool(database.rows("SELECT rowid FROM words WHERE words MATCH ? LIMIT 1", (condition,)))


def _compounded(database: Database, term: QueryTerm) -> QueryTerm:
    part = stem_in(term.literal, "de")
    if len(part) < SHORTEST_PART or not part.isalpha() or is_wide(part) or term.prefix:
        return term
    found = database.rows(
        "SELECT stem FROM compounds WHERE instr(word, ?1) = 1 OR substr(stem, -length(?1)) = ?1"
        # The shortest compounds are nearest to the word itself.
        " ORDER BY length(word), word LIMIT ?2",
        (part, MOST_COMPOUNDS),
    )
    forms = dict.fromkeys((*term.forms, *((str(stem),) for (stem,) in found)))
    return msgspec.structs.replace(term, forms=tuple(forms))
