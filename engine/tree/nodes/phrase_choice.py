"""Chooses what is said in so much room: the weightiest for their length, no two that say the same (decision C30)."""

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from heapq import heapify, heappop, heappush

from engine.tree.nodes.restated import Told
from engine.tree.nodes.worth import PRICE, Said

_NUMBERS = re.compile(r"\d+")
NEAR_LINES = 6
"""Lines of a log within which a second phrase tells of the same talk."""
MOST_ALIKE = 2
"""Phrases that differ from each other by numbers alone, unless they are decisions: more of them are a routine."""
NEAR_SHARE = 0.4
"""Share of its weight that a phrase keeps for each one chosen near it."""
FLOOR = 3
"""Part of the room, one in so many, that is for the best phrase of every group."""


def choose(
    said: Sequence[Said],
    groups: Sequence[Hashable],
    prices: Sequence[int],
    room: int,
    *,
    thrift: float = PRICE,
    floor: int = FLOOR,
) -> list[Said]:
    """The phrases that fit into so many tokens. `groups`: the topic or source of each; `prices`: its tokens. `thrift`:
    the power of its tokens by which a longer phrase weighs less. In one part of the room in `floor` every group gets
    its best phrase before any gets a second."""
    return [said[place] for place in sorted(_Choice(said, groups, prices, thrift).chosen(room, room // floor))]


class _Choice:
    """One choice under way, over the places of what may be chosen."""

    def __init__(self, said: Sequence[Said], groups: Sequence[Hashable], prices: Sequence[int], thrift: float) -> None:
        self._said, self._groups, self._prices = said, groups, prices
        self._values = [round(one.weight / price**thrift, 9) for one, price in zip(said, prices, strict=True)]
        self._told = Told()
        self._near: Counter[tuple[str, int]] = Counter()
        self._shapes: Counter[str] = Counter()

    def chosen(self, room: int, floor: int) -> set[int]:
        found: set[int] = set()
        spent = self._take(self._best_of_each(), floor, found)
        not_routine = (place for place in self._best_first(found) if not self._is_routine(place))
        self._take(not_routine, room - spent, found)
        return found

    def _take(self, places: Iterator[int], room: int, found: set[int]) -> int:
        """Takes what fits, and gives the tokens that it takes."""
        spent = 0
        for place in places:
            fits = spent + self._prices[place] <= room
            if fits and self._told.take(self._said[place].text):
                found.add(place)
                spent += self._prices[place]
                self._mark(place)
        return spent

    def _best_of_each(self) -> Iterator[int]:
        best: dict[Hashable, int] = {}
        for place, group in enumerate(self._groups):
            if group not in best or self._values[place] > self._values[best[group]]:
                best[group] = place
        return iter(sorted(best.values(), key=lambda place: (-self._values[place], place)))

    def _best_first(self, without: set[int]) -> Iterator[int]:
        """The weightiest first, each the less the more was chosen near it by then."""
        heap = [(-value, place, 0) for place, value in enumerate(self._values) if place not in without]
        heapify(heap)
        while heap:
            value, place, known = heappop(heap)
            one = self._said[place]
            near = self._near[one.fact.span.path, one.fact.span.start] + self._shapes[shape(one.text)]
            if near > known:
                heappush(heap, (value * NEAR_SHARE ** (near - known), place, near))
            else:
                yield place

    def _is_routine(self, place: int) -> bool:
        one = self._said[place]
        return one.fact.kind != "decision" and self._shapes[shape(one.text)] >= MOST_ALIKE

    def _mark(self, place: int) -> None:
        one = self._said[place]
        span = one.fact.span
        self._shapes[shape(one.text)] += 1
        for line in range(span.start - NEAR_LINES, min(span.end, span.start + NEAR_LINES) + NEAR_LINES + 1):
            self._near[span.path, line] += 1


def shape(text: str) -> str:
    """A text without its numbers, by which one day of a routine differs from the next."""
    return _NUMBERS.sub("#", text.casefold())
