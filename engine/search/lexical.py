"""Words: how much each term of a query says of each chunk that holds it, by FTS5's BM25.

Each term is asked for alone: one after the other they cost less than all in one expression, and what a file says of a
term in all its chunks can be added up.
"""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from engine.search.question import MOST_TERMS, Question, Term
from engine.search.schema import Database
from engine.search.words import is_wide, stem_in

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Doubles = NDArray[np.float64]

DEPTH = 1_000
"""Chunks that are given by name, the best ones."""
FORM = (
    "SELECT rowid, bm25(words, 4.0, 2.0, 1.0, 1.5, 1.0), bm25(words, 4.0, 2.0, 1.0, 1.5, 3.0)"
    " FROM words WHERE words MATCH ?"
)
"""What a word counts in title, headings, body, marks, and in what a user said: for the chunk, and for its file as a
whole. There, what users say of themselves tells more than what they are answered."""
SATURATED = 2.2
"""BM25 gives one word at most so many times its rarity (k1 + 1)."""
MANY = 2_000
"""Chunks from which it pays to leave common words out."""
COMMON = 1.1
"""The rarity of a word that is in a quarter of all chunks."""
MOST_ROWS = 40_000
"""Chunks that the rarest terms of a query may be in, the rarest alone in more. What the others say counts in those."""
MOST_COMPOUNDS = 6
SHORTEST_PART = 4
KEPT_ROWS = 500_000
"""Chunks of postings that are kept between questions: 12 MB."""


class Posting(msgspec.Struct, frozen=True):
    """One term: the chunks that hold it, its BM25 in each (`spoken`: by the file's weights), and how often each says it
    for its length.
    """

    chunks: "Ints"
    scores: "Doubles"
    spoken: "Doubles"
    often: "Doubles"


class Lexical(msgspec.Struct, frozen=True):
    """Chunks in order with their BM25, and the terms one by one. `ids`: the best chunks, best first.

    `share` is the best one's part of what a perfect chunk would have. `complete`: some chunk holds every term.
    """

    chunks: "Ints"
    scores: "Doubles"
    postings: tuple[Posting, ...] = ()
    ids: list[int] = []
    share: float = 0.0
    complete: bool = False


class Lexicon:
    """The words of an index at one generation of it. What was asked for is kept: who types asks for the same again."""

    def __init__(self, database: Database, size: int) -> None:
        self.database = database
        self.size = size
        self._documents: dict[str, int] = {}
        self._postings: dict[tuple[str, bool], Posting] = {}
        self._rows = 0

    def documents(self, word: str) -> int:
        """How many chunks hold a word."""
        found = self._documents.get(word)
        if found is None:
            rows = self.database.rows("SELECT doc FROM terms WHERE term = ?", (word,))
            found = self._documents[word] = int(rows[0][0]) if rows else 0
        return found

    def posting(self, form: Sequence[str], *, prefix: bool) -> Posting:
        """The chunks that hold one word, or several in a row."""
        key = _quoted(form), prefix
        found = self._postings.pop(key, None)
        if found is None:
            found = _form(self.database, form, self.size, prefix=prefix)
            self._rows += len(found.chunks)
        self._postings[key] = found
        while self._rows > KEPT_ROWS and len(self._postings) > 1:
            self._rows -= len(self._postings.pop(next(iter(self._postings))).chunks)
        return found


def lexical(lexicon: Lexicon, asked: Question) -> Lexical:
    """What the words of a question are worth in each chunk. Within one transaction of the caller's."""
    import numpy as np

    database, size = lexicon.database, lexicon.size
    weighed = _rarest(lexicon, _with_compounds(database, asked.all_terms))
    if not weighed or not size:
        return Lexical(np.zeros(0, np.int64), np.zeros(0))
    terms = [term for term, _, _ in weighed]
    postings = _postings(lexicon, _telling(weighed) if size > MANY else weighed)
    if asked.required or asked.excluded:
        allowed = _allowed(database, asked, terms)
        postings = [_only(posting, allowed) for posting in postings]
    chunks, scores = _added_up([(one.chunks, one.scores) for one in postings])
    best = np.argsort(-scores, kind="stable")[:DEPTH]
    ideal = SATURATED * sum(rarity for _, rarity, _ in weighed)
    return Lexical(
        chunks,
        scores,
        tuple(postings),
        [int(chunk) for chunk in chunks[best]],
        min(1.0, float(scores[best[0]]) / ideal) if len(best) and ideal > 0 else 0.0,
        bool(len(best)) and _complete(database, terms),
    )


def _telling(weighed: Sequence[tuple[Term, float, int]]) -> list[tuple[Term, float, int]]:
    """The terms without those that are in so many chunks that they order nothing, and cost the most time."""
    most = max(rarity for _, rarity, _ in weighed)
    return [one for one in weighed if one[1] >= min(COMMON, most / 3)]


def _postings(lexicon: Lexicon, weighed: Sequence[tuple[Term, float, int]]) -> list[Posting]:
    """All chunks of the rarest terms, and what the other terms say in those. A chunk without any of the rarest ones
    would need nearly all of the others to come up to them.
    """
    left = sorted(weighed, key=lambda one: one[2])
    leading: list[Posting] = []
    forms: list[str] = []
    rows = 0
    while left and (rows < DEPTH or rows + left[0][2] <= MOST_ROWS):
        term = left.pop(0)[0]
        forms += [_one_form(form, term) for form in term.forms if _known(lexicon, form, term)]
        leading.append(_posting(lexicon, term))
        rows += len(leading[-1].chunks)
    return [*leading, *(_posting_among(lexicon, term, leading, " OR ".join(forms)) for term, *_ in left)]


def _posting_among(lexicon: Lexicon, term: Term, leading: Sequence[Posting], among: str) -> Posting:
    """A term in the chunks of the leading ones alone: their part, which is known, is taken from what BM25 says."""
    import numpy as np

    chunks, plain = _added_up([(one.chunks, one.scores) for one in leading])
    _, spoken = _added_up([(one.chunks, one.spoken) for one in leading])
    found: list[Posting] = []
    for form in term.forms:
        if _known(lexicon, form, term):
            ids, both, spoken_both = _asked(lexicon.database, f"({_one_form(form, term)}) AND ({among})")
            at = np.searchsorted(chunks, ids)
            rarity = _rarity(lexicon.size, min(map(lexicon.documents, form)))
            found.append(_weighed(ids, both - plain[at], spoken_both - spoken[at], rarity))
    return _together(found)


def _posting(lexicon: Lexicon, term: Term) -> Posting:
    """The chunks that hold any form of a term."""
    return _together([lexicon.posting(form, prefix=term.prefix) for form in term.forms if _known(lexicon, form, term)])


def _together(found: Sequence[Posting]) -> Posting:
    """One term of several forms: what a chunk has of each is added up."""
    if len(found) == 1:
        return found[0]
    chunks, scores = _added_up([(one.chunks, one.scores) for one in found])
    _, spoken = _added_up([(one.chunks, one.spoken) for one in found])
    _, often = _added_up([(one.chunks, one.often) for one in found])
    return Posting(chunks, scores, spoken, often)


def _known(lexicon: Lexicon, form: Sequence[str], term: Term) -> bool:
    return term.prefix or all(map(lexicon.documents, form))


def _form(database: Database, form: Sequence[str], size: int, *, prefix: bool) -> Posting:
    """One word, or several in a row."""
    ids, plain, spoken = _asked(database, _quoted(form) + (" *" if prefix else ""))
    return _weighed(ids, plain, spoken, _rarity(size, len(ids)))


def _asked(database: Database, condition: str) -> "tuple[Ints, Doubles, Doubles]":
    """The chunks that fulfil a condition, in order, with their BM25 by either weights."""
    import numpy as np

    rows = database.rows(FORM, (condition,))
    if not rows:
        return np.zeros(0, np.int64), np.zeros(0), np.zeros(0)
    ids, plain, spoken = zip(*rows, strict=True)
    return np.array(ids, np.int64), -np.array(plain), -np.array(spoken)


def _weighed(ids: "Ints", plain: "Doubles", spoken: "Doubles", rarity: float) -> Posting:
    """How often the term is there is read back from what BM25 made of it."""
    import numpy as np

    part = np.clip(spoken / rarity, 0, SATURATED * 0.99)
    return Posting(ids, plain, spoken, part / (SATURATED - part))


def _added_up(parts: "Sequence[tuple[Ints, Doubles]]") -> "tuple[Ints, Doubles]":
    """The chunks of all parts in order, and the sum of their values in each."""
    import numpy as np

    if not parts:
        return np.zeros(0, np.int64), np.zeros(0)
    every = np.unique(np.concatenate([chunks for chunks, _ in parts]))
    total = np.zeros(len(every))
    for chunks, values in parts:
        total[np.searchsorted(every, chunks)] += values
    return every, total


def _allowed(database: Database, asked: Question, terms: Iterable[Term]) -> "Ints":
    """The chunks that hold what must be there and nothing of what must not."""
    import numpy as np

    condition = " AND ".join(f"({_any_form(term)})" for term in asked.required) or " OR ".join(map(_any_form, terms))
    if asked.excluded:
        condition = f"({condition}) NOT ({' OR '.join(map(_any_form, asked.excluded))})"
    rows = database.rows("SELECT rowid FROM words WHERE words MATCH ?", (condition,))
    return np.array([row[0] for row in rows], np.int64)


def _only(posting: Posting, allowed: "Ints") -> Posting:
    import numpy as np

    kept = np.isin(posting.chunks, allowed)
    return Posting(posting.chunks[kept], posting.scores[kept], posting.spoken[kept], posting.often[kept])


def _rarity(size: int, count: int) -> float:
    """How rare a term is that so many of all chunks hold, as FTS5 reckons it."""
    return max(1e-6, math.log((size - count + 0.5) / (count + 0.5)))


def _rarest(lexicon: Lexicon, terms: Sequence[Term]) -> list[tuple[Term, float, int]]:
    """Each term with its rarity and the number of its chunks; of too many the rarest that the index knows."""
    counted = [(term, _count_of(lexicon, term)) for term in terms[: 8 * MOST_TERMS]]
    if len(counted) > MOST_TERMS:
        counted = sorted(counted, key=lambda one: (one[1] == 0, one[1]))[:MOST_TERMS]
    return [(term, _rarity(lexicon.size, count), count) for term, count in counted]


def _count_of(lexicon: Lexicon, term: Term) -> int:
    """How many chunks hold the term's most frequent form; a phrase counts as its rarest word."""
    return max((min(map(lexicon.documents, form)) for form in term.forms), default=0)


def _any_form(term: Term) -> str:
    return " OR ".join(_one_form(form, term) for form in term.forms)


def _one_form(form: Sequence[str], term: Term) -> str:
    return _quoted(form) + (" *" if term.prefix else "")


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
