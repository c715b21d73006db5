"""Finds facts about people and the world: preferences, names, numbers, dates, commitments. A fact is said by the user
or is in a note of one's own, is specific, and is no question, wish or plan. Words are in `languages/*.toml`; weights
were chosen on half of MemAware's days and tested on the rest."""

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from engine.models.cue_matcher import TABLES
from engine.text.pattern_file import filter_bytes

if TYPE_CHECKING:
    from engine.models.sentence_candidates import SentenceCandidate

LEAST, SURE = 0.7, 1.0  # weights from which a sentence is a fact worth a line of a summary, and one worth an entry
MOST_FACTS = 32  # facts of one note
_EACH = 9  # sentences of a note for each of its facts

_SHORT, _PLAIN, _BRIEF = 8, 18, 0.8
_MOST_WORDS, _LONG = 22, 0.3
"""Words above which a fact weighs much less: otherwise a day's facts are half as long again as as many first
sentences."""

_STATED = {
    "deed": 1.0, "shared_deed": 0.5, "named_kin": 1.2, "own_thing": 0.7, "habit": 0.8, "taste": 1.2, "standing": 1.2,
    "dated": 0.6, "state": 0.5, "called": 0.6, "told": 1.0, "said": 1.0, "lasting": 1.7,
}  # fmt: skip
"""Weight that each form adds to a sentence; its three best forms count."""
_VAGUE = {"wishing": 0.5, "would": 0.4, "asking": 0.4, "leaning": 0.6, "wishing_so": 0.5}  # factors: it wishes or asks
_NAME = re.compile(r"(?<=[a-z,] )(?!I\b|I['’])[A-Z][\w'’-]+|[\"“《「『][^\"”》」』]{2,60}[\"”》」』]")
_AROUND = {
    "lead_in": "(?i)^(?:{})+", "number": r"(?i)\d|{}", "condition": "(?i)^(?:{})",
    "behind": "(?i){}", "begun": "(?i){}", "clause": r"{}|[,;]|\s[–—-]\s",
}  # fmt: skip
"""Stands around the words of a table."""
_SHORTEST_HEAD = 30  # characters that a fact keeps where it is cut
_REACH = 400  # characters of a sentence that are looked at


def fact_count(sentences: int) -> int:
    """Returns the number of facts that a note of so many sentences may have."""
    return min(MOST_FACTS, -(-sentences // _EACH)) if sentences > 1 else 0


def fact_weight_of(candidate: "SentenceCandidate") -> float:
    """Weighs how surely a sentence states a fact; 0 for questions, headings, rows, lists and an assistant's words."""
    is_part = candidate.kind in ("heading", "row") or "; " in candidate.text
    if candidate.question or is_part or candidate.speaker == "assistant":
        return 0.0
    return fact_weight(candidate.text) * (1.1 if candidate.speaker == "user" else 1.0)


@lru_cache(maxsize=32768)
def fact_weight(sentence: str) -> float:
    """Weighs a sentence by the words of its factual clause alone."""
    text = fact_text(sentence)[:_REACH]
    forms = {name for name in _possible_forms(text) if _form(name).search(text)}
    stated = sum(sorted((_STATED[name] for name in forms & _STATED.keys()), reverse=True)[:3])
    if not stated:
        return 0.0
    specific = min(3, len(_form("number").findall(text))) + min(3, len(_NAME.findall(text)))
    weight = stated * (0.6 + 0.35 * min(4, specific))
    for name, factor in _VAGUE.items():
        if name in forms:
            weight *= factor
    words = max(_SHORT, len(text.split()) if text.isascii() else len(text) // 5)
    brief = (_PLAIN / words) ** _BRIEF
    # A short sentence without a name or a figure is no surer for being short.
    return float(weight * (brief if specific else min(1.0, brief)) * (_LONG if words > _MOST_WORDS else 1.0))


def is_of_the_user(sentence: str) -> bool:
    """Tells whether a sentence describes its speaker: tastes, people, rules, habits."""
    return any(_form(name).search(sentence) for name in ("taste", "standing", "named_kin", "habit", "state"))


def fact_text(sentence: str) -> str:
    """Returns the factual part of a sentence, word for word: no lead-in, trailing wish or praise."""
    text = _form("lead_in").sub("", sentence, count=1)
    cut = _form("behind").search(text)
    if cut and cut.start() >= _SHORTEST_HEAD:
        text = text[: cut.start()].rstrip(" ,;–—-")
    return _first_clauses(text) or sentence


def _first_clauses(text: str) -> str:
    """Returns whole clauses up to `_MOST_WORDS`; the whole text if the first one is longer."""
    if not text.isascii() or len(text.split()) <= _MOST_WORDS or _form("condition").match(text):
        return text
    heads = [text[: found.start()] for found in _form("clause").finditer(text) if found.start() >= _SHORTEST_HEAD]
    whole = (head for head in reversed(heads) if not _form("begun").search(head))
    return next((head for head in whole if len(head.split()) <= _MOST_WORDS), text)


@cache
def _form(name: str) -> re.Pattern[str]:
    """Returns the pattern of a form; forms that state something match case."""
    around = _AROUND.get(name, "{}")
    return TABLES.compiled(f"facts.{name}", lambda words: re.compile(around.replace("{}", words)))


def _possible_forms(text: str) -> set[str]:
    """Names the forms that a text may have: one look at it spares most of their patterns."""
    forms, wider = _filter()
    return {forms[number] for number in wider.Match(filter_bytes(text)) or ()}


@cache
def _filter() -> tuple[list[str], Any]:
    """Gives the form of each line of the tables, and the filter over these lines in the same order."""
    lines = [(name, line) for name in (*_STATED, *_VAGUE) for line in TABLES.lines(f"facts.{name}")]
    # The edge of a word that ends a line may stand behind a blank, and the filter knows only one behind a letter.
    wider = TABLES.filter_over([line for _, line in lines], lambda line: line.replace(r"\b", ""))
    return [name for name, _ in lines], wider
