"""Turns a text into a query. Every text is valid: operators are read only on request (D10)."""

import re
from collections.abc import Iterator

import msgspec

from engine.text.language import ASKED, FUNCTION, FUNCTION_SPELLED, KOREAN_ENDINGS, PARTICLES
from engine.text.words import cut, fold, is_wide, normal, pairs, pieces, stems_of

MOST_CHARACTERS = 4_000  # characters of a query that are read: more than anyone types
MOST_TERMS = 48  # terms that are looked for; of a longer query those that are rarest in the index

_PHRASE = re.compile(r"[\"“”„]([^\"“”„]{2,400})[\"“”„]")


class QueryTerm(msgspec.Struct, frozen=True):
    """One term to look for. Any of its `forms` matches; each is one word, or several in a row. `prefix`: the last word
    may continue. `literal`: the term as written, for searching plain text."""

    forms: tuple[tuple[str, ...], ...]
    literal: str
    prefix: bool = False


class Query(msgspec.Struct, frozen=True):
    """The terms to look for, the required ones, and the excluded ones."""

    text: str
    terms: tuple[QueryTerm, ...]
    phrases: tuple[QueryTerm, ...] = ()
    required: tuple[QueryTerm, ...] = ()
    excluded: tuple[QueryTerm, ...] = ()

    @property
    def all_terms(self) -> tuple[QueryTerm, ...]:
        return (*self.phrases, *self.terms)


def question(text: str, *, operators: bool = False) -> Query:
    """Reads any string. With `operators`, `+word` is required, `-word` excluded, and `word*` a prefix."""
    text = text[:MOST_CHARACTERS].encode("utf-8", "replace").decode().replace("\0", " ")
    phrases = tuple(term for match in _PHRASE.finditer(text) if (term := _phrase(match[1])) is not None)
    # Every character is text unless operators were asked for (decision D10): `C++` and `-1` are words of notes.
    if not operators:
        return Query(text, tuple(_distinct(_terms(text))), phrases)
    plain, required, excluded = list[QueryTerm](), list[QueryTerm](), list[QueryTerm]()
    for word in _PHRASE.sub(" ", text).split():
        sign, rest = (word[0], word[1:]) if word[0] in "+-" and len(word) > 1 else ("", word)
        terms = list(_terms(rest.rstrip("*"), prefix=rest.endswith("*") and len(rest) > 1))
        (excluded if sign == "-" else plain).extend(terms)
        required += terms if sign == "+" else []
    plain += [term for match in _PHRASE.finditer(text) for term in _terms(match[1])]
    return Query(text, tuple(_distinct(plain)), phrases, (*required, *phrases), tuple(excluded))


def _distinct(terms: Iterator[QueryTerm] | list[QueryTerm]) -> list[QueryTerm]:
    return list({term.forms: term for term in terms}.values())


def _terms(text: str, *, prefix: bool = False) -> Iterator[QueryTerm]:
    found = cut(text, "en")
    words = list(pieces(normal(text)))
    telling = [word for word in words if word not in ASKED] or words
    yield from (QueryTerm(((mark,),), mark) for mark in found.marks)
    alone = len(telling) == 1
    for word in telling:
        if is_wide(word):
            yield from _wide_terms(word)
        elif len(word) > 1 or alone or not found.marks:
            forms = tuple((stem,) for stem in ((fold(word),) if prefix else stems_of(word)))
            yield QueryTerm(forms, word, prefix)


def _wide_terms(run: str) -> Iterator[QueryTerm]:
    """Yields a run's pairs; a single character matches as the beginning of any pair. A short run is also a term as a
    whole. For a Korean word of one syllable with an ending, the syllable is a term too: other endings may follow it."""
    if len(run) == 1 or (len(run) == 2 and run[1] in KOREAN_ENDINGS):
        yield QueryTerm(((run[0],),), run[0], prefix=True)
    if len(run) == 1:
        return
    two = pairs(run)[:-1]
    for pair in [pair for pair in two if not _says_nothing(pair)] or two:
        yield QueryTerm(((pair,),), pair)
    if 3 <= len(run) <= 8:
        yield QueryTerm((tuple(two),), run)


def _says_nothing(pair: str) -> bool:
    """Tells whether a pair has no content: two Chinese function characters, or a particle with its neighbour."""
    return pair not in FUNCTION_SPELLED and (set(pair) <= FUNCTION or not PARTICLES.isdisjoint(pair))


def _phrase(text: str) -> QueryTerm | None:
    """Cuts words in a row as the index does, without the last character's own word, which only ends a run."""
    forms = []
    for words in (cut(text, "en").words, cut(text, "de").words):
        ends_run = len(words) > 1 and is_wide(words[-1])
        forms.append(tuple(words[:-1] if ends_run else words))
    distinct = tuple(dict.fromkeys(form for form in forms if len(form) > 1))
    return QueryTerm(distinct, text.strip()) if distinct else None
