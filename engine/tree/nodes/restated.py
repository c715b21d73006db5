"""Tells whether two texts say the same, and makes near-equal rules one line with the days on which each was said."""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import date

import msgspec

from engine.models.selection import says_the_same
from engine.tree.nodes.exclusions import NODE_WORDS
from engine.tree.nodes.things import stems
from engine.workspace.dates import parse_day

SAME_WORDS = 0.8
"""Share of all their telling words that two texts share if they say the same."""

_SAID_ON = re.compile(r" \(said on (?P<days>\d{4}-\d\d-\d\d(?:[ ,]+\d{4}-\d\d-\d\d)*)\)\Z")


class Statement(msgspec.Struct, frozen=True):
    """A rule as last said, and the days on which it was."""

    text: str
    days: tuple[date, ...]

    def __str__(self) -> str:
        """The rule; where it was said on several days, with them."""
        if len(self.days) < 2:
            return self.text
        return f"{self.text} (said on {', '.join(map(str, self.days))})"

    @property
    def brief(self) -> str:
        """The same where room is short: of many days the number, the first and the last."""
        if len(self.days) < 4:
            return str(self)
        return f"{self.text} ({len(self.days)} times, {self.days[0]} to {self.days[-1]})"


def statements(said: Iterable[tuple[str, date]]) -> list[Statement]:
    """Each rule once, in the order in which it first comes; of near-equal ones the latest wording."""
    found: list[tuple[str, str, frozenset[date]]] = []
    for whole, day in said:
        text, days = _parts(whole, day)
        if not text:
            continue
        shape = NODE_WORDS["ticket"].sub("#", text)
        place = next((n for n, (known, *_) in enumerate(found) if _same(known, shape)), None)
        if place is None:
            found.append((shape, text, days))
        else:
            found[place] = (shape, text, found[place][2] | days)
    return [Statement(text, tuple(sorted(days))) for _, text, days in found]


def _same(one: str, other: str) -> bool:
    if one == other:
        return True
    return says_the_same(one, other) and telling(one) == telling(other)


def telling(text: str) -> tuple[str, ...]:
    """The numbers and small words in which texts that look alike must agree to say the same."""
    return tuple(sorted(NODE_WORDS["telling"].findall(text.casefold())))


class Told:
    """Remembers what was said so far; says no to a text that says the same again, in nearly the same words."""

    def __init__(self) -> None:
        self._sizes: list[int] = []
        self._holding: dict[tuple[tuple[str, ...], str], list[int]] = {}

    def take(self, text: str) -> bool:
        """Takes a text unless it says what was taken before."""
        kind, own = telling(text), stems(text) or frozenset([text])
        shared = Counter(place for key in own for place in self._holding.get((kind, key), ()))
        if any(count >= SAME_WORDS * (len(own) + self._sizes[place] - count) for place, count in shared.items()):
            return False
        for key in own:
            self._holding.setdefault((kind, key), []).append(len(self._sizes))
        self._sizes.append(len(own))
        return True


def _parts(whole: str, day: date) -> tuple[str, frozenset[date]]:
    """A rule and its days, as a node below may state them."""
    found = _SAID_ON.search(whole)
    if found is None:
        return whole, frozenset([day])
    stated = (parse_day(one) for one in re.split(r"[ ,]+", found["days"]))
    return whole[: found.start()], frozenset([day, *(one for one in stated if one is not None)])
