"""Sentences that may become entries; facts of one note share an entry (compactor §Entry Schema)."""

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
    """A sentence that may become an entry: its rank, and the rules that keep it from being taken by itself. `further`
    are facts of the same note that the entry states too, in the order of the file."""

    point: Point
    rank: float
    rules: tuple[str, ...] = ()
    fact: bool = False
    further: tuple[Point, ...] = ()

    @property
    def points(self) -> tuple[Point, ...]:
        return (self.point, *self.further)


def ranked(found: Iterable[Found]) -> list[Found]:
    """The best first, each sentence once; what may not be taken by itself last."""
    first: dict[str, Found] = {}
    for one in found:
        first.setdefault(one.point.text.casefold(), one)
    return sorted(first.values(), key=lambda one: (bool(one.rules), -one.rank))


def together(found: Sequence[Found], whole: WholeNote | None) -> list[Found]:
    """`found`, best first, where the facts of one section share an entry. Sections never share one: its title would
    name one thing, and its insight speak of several."""
    facts = [one for one in found if one.fact and not one.rules]
    first: dict[Point, Found] = {}
    for group in _by_section(facts, whole):
        further = sorted((one.point for one in group[1:]), key=lambda point: point.start)
        first[group[0].point] = msgspec.structs.replace(group[0], further=tuple(further))
    return [first.get(one.point, one) for one in found if one.point in first or one not in facts]


def _by_section(facts: Sequence[Found], whole: WholeNote | None) -> list[list[Found]]:
    """Groups of facts that a section of the note states, each opened by a sure one; none says what another does."""
    groups: list[tuple[int | None, list[Found]]] = []
    for one in facts:
        if any(says_the_same(one.point.text, other.point.text) for _, group in groups for other in group):
            continue
        own = whole.section(one.point.text) if whole is not None else None
        home = next((group for section, group in groups if section == own is not None and _fits(group, one)), None)
        if home is not None:
            home.append(one)
        elif one.rank >= SURE:
            groups.append((own, [one]))
    return [group for _, group in groups]


def _fits(group: Sequence[Found], more: Found) -> bool:
    """Tells whether one entry can state both: by a shared word, or as a short second that its title names too."""
    both = [one.point for one in (*group, more)]
    if len(both) > MOST_TOGETHER or len(one_line(both)) > LONGEST_FIELD:
        return False
    words = {word for one in group for word in words_of(one.point.text)}
    return bool(words & words_of(more.point.text)) or (len(group) == 1 and len(one_line(both)) <= SHORT_PAIR)


def one_line(points: Sequence[Point]) -> str:
    """The sentences one after another, each of several with an end."""
    if len(points) == 1:
        return points[0].text
    return " ".join(point.text if point.text.endswith(_ENDS) else f"{point.text}." for point in points)
