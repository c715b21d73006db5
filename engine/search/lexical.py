"""Words: FTS5's BM25 over chunks, and how much of a query the best chunk holds."""

import math
from collections.abc import Sequence

import msgspec

from engine.search.question import MOST_TERMS, Question, Term
from engine.search.schema import Database, Row
from engine.search.values import Category
from engine.search.words import is_wide, stem_in

DEPTH = 1_000
"""Chunks that are looked at; a file's score needs its three best."""
WEIGHTS = "bm25(4.0, 2.0, 1.0, 1.5)"
"""Title, headings, body, marks."""
SATURATED = 2.2
"""BM25 gives one word at most so many times its rarity (k1 + 1)."""
MANY = 2_000
"""Chunks from which it pays to leave common words out."""
COMMON = 1.1
"""The rarity of a word that is in a quarter of all chunks."""
MOST_COMPOUNDS = 6
SHORTEST_PART = 4


class Lexical(msgspec.Struct, frozen=True):
    """Chunk ids with their BM25, best first. `share` is the best one's part of what a perfect chunk would have.

    `complete`: some chunk holds every term of the query.
    """

    ids: list[int]
    scores: list[float]
    share: float = 0.0
    complete: bool = False


def lexical(database: Database, asked: Question, category: Category | None, depth: int = DEPTH) -> Lexical:
    """The best chunks for a question. Within one transaction of the caller's."""
    size = _count(database)
    weighed = _rarest(database, _with_compounds(database, asked.all_terms), size)
    if not weighed or not size:
        return Lexical([], [])
    terms = [term for term, _ in weighed]
    condition = _match(_telling(weighed) if size > MANY else terms, asked)
    rows = _ranked(database, condition, category, depth)
    ideal = SATURATED * sum(rarity for _, rarity in weighed)
    best = -rows[0][1] if rows else 0.0
    return Lexical(
        [row[0] for row in rows],
        [-row[1] for row in rows],
        min(1.0, best / ideal) if ideal > 0 else 0.0,
        bool(rows) and _complete(database, terms),
    )


def _telling(weighed: Sequence[tuple[Term, float]]) -> list[Term]:
    """The terms without those that are in so many chunks that they order nothing, and cost the most time."""
    most = max(rarity for _, rarity in weighed)
    return [term for term, rarity in weighed if rarity >= min(COMMON, most / 3)]


def _ranked(database: Database, condition: str, category: Category | None, depth: int) -> list[Row]:
    sql = "SELECT rowid, rank FROM words WHERE words MATCH ? AND rank MATCH ?"
    values: tuple[str | int, ...] = (condition, WEIGHTS)
    if category is not None:
        sql += " AND +rowid IN (SELECT c.id FROM files f JOIN chunks c ON c.file = f.id WHERE f.category = ?)"
        values += (category.value,)
    return database.rows(sql + " ORDER BY rank LIMIT ?", (*values, depth))


def _count(database: Database) -> int:
    return int(database.rows("SELECT count(*) FROM chunks")[0][0])


def _rarest(database: Database, terms: Sequence[Term], size: int) -> list[tuple[Term, float]]:
    """Each term with its rarity as BM25 reckons it; of too many the rarest that the index knows."""
    counted = [(term, _count_of(database, term)) for term in terms[: 8 * MOST_TERMS]]
    if len(counted) > MOST_TERMS:
        counted = sorted(counted, key=lambda one: (one[1] == 0, one[1]))[:MOST_TERMS]
    return [(term, max(1e-6, math.log((size - count + 0.5) / (count + 0.5)))) for term, count in counted]


def _count_of(database: Database, term: Term) -> int:
    """How many chunks hold the term's most frequent form; a phrase counts as its rarest word."""
    return max((min(_documents(database, word) for word in form) for form in term.forms), default=0)


def _documents(database: Database, word: str) -> int:
    found = database.rows("SELECT doc FROM terms WHERE term = ?", (word,))
    return int(found[0][0]) if found else 0


def _match(terms: Sequence[Term], asked: Question) -> str:
    """An FTS5 expression in which every word is quoted."""
    condition = " OR ".join(map(_any_form, terms))
    if asked.required:
        condition = " AND ".join([f"({condition})", *(f"({_any_form(term)})" for term in asked.required)])
    if asked.excluded:
        condition = f"({condition}) NOT ({' OR '.join(map(_any_form, asked.excluded))})"
    return condition


def _any_form(term: Term) -> str:
    return " OR ".join(_quoted(form) + (" *" if term.prefix else "") for form in term.forms)


def _quoted(words: Sequence[str]) -> str:
    return '"' + " ".join(words).replace('"', '""') + '"'


def _complete(database: Database, terms: Sequence[Term]) -> bool:
    if len(terms) > 12:
        return False
    condition = " AND ".join(f"({_any_form(term)})" for term in terms)
    return bool(database.rows("SELECT rowid FROM words WHERE words MATCH ? LIMIT 1", (condition,)))


def _with_compounds(database: Database, terms: Sequence[Term]) -> list[Term]:
    """Terms, each with the German compounds that begin or end with it among its forms."""
    if not database.rows("SELECT 1 FROM compounds LIMIT 1"):
        return list(terms)
    return [_compounded(database, term) for term in terms]


def _compounded(database: Database, term: Term) -> Term:
    part = stem_in(term.literal, "de")
    if len(part) < SHORTEST_PART or not part.isalpha() or is_wide(part) or term.prefix:
        return term
    found = database.rows(
        "SELECT stem FROM compounds WHERE instr(word, ?1) = 1 OR substr(stem, -length(?1)) = ?1"
        " ORDER BY length(word), word LIMIT ?2",
        (part, MOST_COMPOUNDS),
    )
    forms = dict.fromkeys((*term.forms, *((str(stem),) for (stem,) in found)))
    return msgspec.structs.replace(term, forms=tuple(forms))
