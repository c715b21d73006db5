"""Shortens a sentence to its most informative part: a whole clause for nodes, telegram style for ROOT (C30)."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from engine.models.facts import fact_text, fact_weight
from engine.models.labels import comes_off
from engine.models.plain_line import shortened
from engine.text.language import HAN, HANGUL, KANA, SMALL
from engine.text.pattern_file import PatternFile
from engine.tree.nodes.things import stems

FEWEST_WORDS = 4  # words below which a clause is a fragment
_WIDE = re.compile(f"[{HAN}{KANA}{HANGUL}]")
_WIDE_PER_WORD = 2  # characters of a script without blanks that say as much as one word
_WORDS = PatternFile(
    __package__,
    "phrases.toml",
    """cut leans light wide_pronoun opener condition telegram begun label within
    subject addressed writer leans_first opened""",
)
_LEANING_SHARE = 0.7  # share of its weight that a clause keeps for each word that leans on the sentence before
_NAMELESS_SHARE = 0.02  # share of its weight that a clause keeps that names nothing at all
_LEANS_FIRST_SHARE, _ADDRESSED_SHARE = 0.4, 0.2
"""Share of its weight that a clause keeps if it begins with a word for something said before, or if it addresses its
reader, as requests, prompts and small talk do."""
_MOST_WIDE = 8
"""Longest clause in characters that begins with a Chinese or Japanese pronoun and counts as naming nothing."""
_EDGES = " ,;:.!?，。；：！？、–—-"


class Clause(NamedTuple):
    """A clause and its weight: how much it states a fact."""

    text: str
    weight: float
    is_whole: bool = True  # false if it ends where the words ran out, and no clause does


def words_in(text: str) -> int:
    """Counts words; two characters of a script without blanks count as one."""
    return len(_WIDE.sub(" ", text).split()) + -(-len(_WIDE.findall(text)) // _WIDE_PER_WORD)


@lru_cache(maxsize=32768)
def telling_clause(sentence: str, most_words: int) -> Clause:
    """Returns the adjacent clauses, at most so many words, that state most; else the sentence's first clauses."""
    if (label := _WORDS["label"].match(sentence)) is not None:
        # `Rate limits: …` is what its clause is about; `decision: …` says no more than its section does.
        told = telling_clause(sentence[label.end() :], most_words - words_in(label[0]))
        return told if comes_off(label["key"]) else told._replace(text=label[0] + told.text)
    text = fact_text(sentence)
    whole = Clause(text, _weight(text))
    if words_in(text) <= most_words and not whole.weight:
        return whole
    found = max(_stretches(text, most_words), key=lambda stretch: stretch.weight, default=whole)
    if found.weight and words_in(found.text) <= most_words:
        return found._replace(text=_closed(found.text))
    first = _first_clauses(text, most_words)
    return Clause(_closed(first) or _first_words(text, most_words), 0.0, bool(first))


def unlabelled(text: str) -> str:
    """Returns a clause without a leading label such as `Rate limits:`."""
    label = _WORDS["label"].match(text)
    return text[label.end() :] if label is not None else text


def _weight(text: str) -> float:
    return fact_weight(text) * standing(text)


@lru_cache(maxsize=32768)
def standing(text: str) -> float:
    """Returns the share of its weight that a clause keeps, less the more it refers to earlier sentences."""
    if names_nothing(text):
        return _NAMELESS_SHARE
    share = _LEANS_FIRST_SHARE if _WORDS["leans_first"].match(text) else 1.0
    share *= _ADDRESSED_SHARE if is_addressed(text) and not names_its_writer(text) else 1.0
    return float(share * _LEANING_SHARE ** min(4, len(_WORDS["leans"].findall(text))))


@lru_cache(maxsize=32768)
def is_addressed(text: str) -> bool:
    """Tells whether a clause addresses its reader; quotations do not count."""
    return _WORDS["addressed"].search(_WORDS["within"].sub(" ", text)) is not None


@lru_cache(maxsize=32768)
def names_nothing(text: str) -> bool:
    """Tells whether a clause says neither who nor what, as in `it works now`."""
    if _WIDE.search(text):
        return bool(_WORDS["wide_pronoun"].match(text)) and len(text) <= _MOST_WIDE and text.isalpha()
    return all(map(str.isdecimal, stems(text) - stems(_WORDS.texts["light"])))


def _stretches(text: str, most_words: int) -> Iterator[Clause]:
    parts = _parts(text)
    for first, (start, _) in enumerate(parts[:1] if _WORDS["condition"].match(text) else parts):
        # A clause that leans on the one before for its subject says less than nothing alone.
        if first and not _WORDS["subject"].match(text, start) and text[parts[first - 1][1]] == ",":
            continue
        # Four clauses at most: a stretch of more is no phrase.
        for last, (_, end) in enumerate(parts[first : first + 4], first):
            if last + 1 < len(parts) and _WORDS["condition"].match(text, _opens(text, end)):
                continue
            part = text[start:end]
            words = words_in(part)
            if words > most_words:
                break
            if words >= FEWEST_WORDS:
                # A longer stretch says more, but far less than in proportion.
                yield Clause(part, _weight(part) * words**0.3)


def _opens(text: str, end: int) -> int:
    """Returns the place at or after `end` where the next word begins."""
    while end < len(text) and not text[end].isalnum():
        end += 1
    return end


def _parts(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = 0
    within = [found.span() for found in _WORDS["within"].finditer(text)]
    for match in _WORDS["cut"].finditer(text):
        if any(start <= match.start() < end for start, end in within):
            continue
        if match.start() > at:
            found.append((at, match.start()))
        at = match.end()
    return [*found, (at, len(text))] if at < len(text) else found or [(0, len(text))]


@lru_cache(maxsize=32768)
def names_its_writer(text: str) -> bool:
    """Tells whether a clause says I or we; quotations do not count."""
    return _WORDS["writer"].search(_WORDS["within"].sub(" ", text)) is not None


def _first_clauses(text: str, most_words: int) -> str:
    end = 0
    for _, stop in _parts(text):
        if words_in(text[:stop]) > most_words:
            break
        # Never just before its condition, without which it would say something else.
        end = end if _WORDS["condition"].match(text, _opens(text, stop)) else stop
    return _bare(text[:end]) if words_in(text[:end]) >= FEWEST_WORDS else ""


def _first_words(text: str, most_words: int) -> str:
    wide = len(_WIDE.findall(text)) * 2 > len(text)
    words = shortened(text, most_words * (_WIDE_PER_WORD if wide else 6)).removesuffix(" …").split(" ")
    while len(words) > FEWEST_WORDS and words[-1].casefold().strip(_EDGES) in SMALL:
        words.pop()
    text = " ".join(words)
    # Cut at a word, it may end with the first words of a clause that it only begins.
    begun = _WORDS["begun"].search(text)
    return _closed(text[: begun.start()] if begun and words_in(text[: begun.start()]) >= FEWEST_WORDS else text)


def _closed(text: str) -> str:
    """Removes code, a quote or brackets that the end of the text cuts through."""
    opened = _WORDS["opened"].search(_WORDS["within"].sub(lambda found: "x" * len(found[0]), text))
    return _bare(text[: opened.start()] if opened and words_in(text[: opened.start()]) >= FEWEST_WORDS else text)


@lru_cache(maxsize=32768)
def telegram(text: str) -> str:
    """Removes the small words that the text can be understood without."""
    short = _WORDS["opener"].sub("", _WORDS["telegram"].sub("", f"{text} ")).strip()
    return _bare(short) if words_in(short) >= FEWEST_WORDS - 1 else _bare(text)


def _bare(text: str) -> str:
    return text.strip(_EDGES) or text
