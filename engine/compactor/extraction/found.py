"""Ranks the sentences that may become entries, and joins facts of one section (compactor §Entry Schema)."""

from collections.abc import Iterable, Sequence

import msgspec

from engine.compactor.extraction.situation import WholeNote, words_of
from engine.compactor.semantic.pollution import LONGEST_FIELD
from engine.models.facts import SURE
from engine.models.selection import says_the_same
from engine.models.summary import Point

MOST_ENTRIES = 3  # entries that a plan takes from one file by itself, the best first; the others are offered
MOST_TOGETHER = 8  # facts that one entry states: what a person can check at a glance
SHORT_PAIR = 120  # characters of two facts that share no word and an entry all the same, under a title that names both
_ENDS = (".", "!", "?", "…", "。", "！", "？", "”", '"', "」")


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence that may become an entry: its rank, and the rules for which it is only offered or refused. `further`:
    other facts that the same entry states, in the order of the file. `owner`: the heading that stood in front of it."""

    point: Point
    rank: float
    rules: tuple[str, ...] = ()
    fact: bool = False
    further: tuple[Point, ...] = ()
    owner: str = ""

    @property
    def points(self) -> tuple[Point, ...]:
        return (self.point, *self.further)


def ranked(found: Iterable[Found]) -> list[Found]:
    """Sorts sentences, the best first, those with rules last; drops repeats."""
    first: dict[str, Found] = {}
    for sentence in found:
        first.setdefault(sentence.point.text.casefold(), sentence)
    return sorted(first.values(), key=lambda sentence: (bool(sentence.rules), -sentence.rank))


def together(found: Sequence[Found], whole: WholeNote | None) -> list[Found]:
    """Joins the facts of one section into one entry; two sections never share one, as its title names one thing."""
    facts = [sentence for sentence in found if sentence.fact and not sentence.rules]
    first: dict[Point, Found] = {}
    for group in _by_section(facts, whole):
        further = sorted((sentence.point for sentence in group[1:]), key=lambda point: point.start)
        first[group[0].point] = msgspec.structs.replace(group[0], further=tuple(further))
    kept = (sentence for sentence in found if sentence.point in first or sentence not in facts)
    return [first.get(sentence.point, sentence) for sentence in kept]


def _by_section(facts: Sequence[Found], whole: WholeNote | None) -> list[list[Found]]:
    """Groups the distinct facts of each section."""
    groups: list[tuple[int | None, list[Found]]] = []
    for fact in facts:
        if any(says_the_same(fact.point.text, other.point.text) for _, group in groups for other in group):
            continue
        own = whole.section(fact.point.text) if whole is not None else None
        home = next((group for section, group in groups if section == own is not None and _fits(group, fact)), None)
        if home is not None:
            home.append(fact)
        elif fact.rank >= SURE:
            groups.append((own, [fact]))
    return [group for _, group in groups]


def _fits(group: Sequence[Found], more: Found) -> bool:
    """Tells whether a fact can join a group: it shares a word with it, or both are short."""
    both = [sentence.point for sentence in (*group, more)]
    if len(both) > MOST_TOGETHER or len(one_line(both)) > LONGEST_FIELD:
        return False
    words = {word for sentence in group for word in words_of(sentence.point.text)}
    return bool(words & words_of(more.point.text)) or (len(group) == 1 and len(one_line(both)) <= SHORT_PAIR)


def one_line(points: Sequence[Point]) -> str:
    """Joins sentences on one line, each ending with a full stop if it has no other end."""
    if len(points) == 1:
        return points[0].text
    return " ".join(point.text if point.text.endswith(_ENDS) else f"{point.text}." for point in points)
