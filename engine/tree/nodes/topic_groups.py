"""Groups entries by topic, and chooses the phrases that a summary says of each (decisions C14, C25)."""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from datetime import date
from heapq import heapify, heappop, heappush

import msgspec

from engine.models.selection import says_the_same
from engine.text.derived import derived_line
from engine.tree.nodes.entries import TopicEntry
from engine.tree.nodes.kept_or_left_out import NODE_WORDS, pointers_once
from engine.tree.nodes.things import stems
from engine.tree.nodes.worth import PRICE, Said
from engine.tree.source_references import raw_day
from engine.tree.topic_headings import KEPT_WHOLE, NEVER_SHRUNK, merged_type
from engine.workspace.dates import parse_day
from engine.workspace.values import LineSpan

SAME_WORDS = 0.8  # share of all their telling words that two texts share if they say the same

_SAID_ON = re.compile(r" \(said on (?P<days>\d{4}-\d\d-\d\d(?:[ ,]+\d{4}-\d\d-\d\d)*)\)\Z")


class Statement(msgspec.Struct, frozen=True):
    """A rule in its latest wording, and the days on which it was said."""

    text: str
    days: tuple[date, ...]

    def __str__(self) -> str:
        """The rule; if it was said on several days, with those days."""
        return f"{self.text} (said on {', '.join(map(str, self.days))})" if len(self.days) > 1 else self.text

    @property
    def brief(self) -> str:
        """The rule; of more than three days only the number, the first and the last."""
        many = f"{self.text} ({len(self.days)} times, {self.days[0]} to {self.days[-1]})"
        return many if len(self.days) > 3 else str(self)


def statements(said: Iterable[tuple[str, date]]) -> list[Statement]:
    """Returns each rule once, in order of first mention; of near-equal ones the latest wording."""
    found: list[tuple[str, str, frozenset[date]]] = []
    for whole, day in said:
        text, days = _parts(whole, day)
        shape = NODE_WORDS["ticket"].sub("#", text)
        place = next((n for n, (known, *_) in enumerate(found) if _same(known, shape)), len(found))
        if text:
            known_days = (rule[2] for rule in found[place : place + 1])
            found[place : place + 1] = [(shape, text, days.union(*known_days))]
    return [Statement(text, tuple(sorted(days))) for _, text, days in found]


def _same(one: str, other: str) -> bool:
    return one == other or (says_the_same(one, other) and telling(one) == telling(other))


def telling(text: str) -> tuple[str, ...]:
    """Returns the numbers and small words that must agree for two similar texts to say the same."""
    return tuple(sorted(NODE_WORDS["telling"].findall(text.casefold())))


class Told:
    """Remembers texts, and refuses one that says nearly the same as an earlier one."""

    def __init__(self) -> None:
        self._sizes: list[int] = []
        self._holding: dict[tuple[tuple[str, ...], str], list[int]] = {}

    def take(self, text: str) -> bool:
        """Adds a text and returns True, unless an earlier one says the same."""
        kind, own = telling(text), stems(text) or frozenset([text])
        shared = Counter(place for key in own for place in self._holding.get((kind, key), ()))
        if any(count >= SAME_WORDS * (len(own) + self._sizes[place] - count) for place, count in shared.items()):
            return False
        for key in own:
            self._holding.setdefault((kind, key), []).append(len(self._sizes))
        self._sizes.append(len(own))
        return True


def _parts(whole: str, day: date) -> tuple[str, frozenset[date]]:
    """Splits a rule of a node into its text and its days."""
    found = _SAID_ON.search(whole)
    stated = map(parse_day, re.split(r"[ ,]+", found["days"])) if found else ()
    return whole[: found.start()] if found else whole, frozenset([day, *filter(None, stated)])


NEAR_LINES = 6  # lines of a log within which a second phrase tells of the same talk
NEAR_SHARE = 0.4  # share of its weight that a phrase keeps for each one chosen near it
FLOOR = 3  # part of the room, one in so many, that is for the best phrase of every group


def choose(
    said: Sequence[Said],
    groups: Sequence[Hashable],
    prices: Sequence[int],
    room: int,
    *,
    thrift: float = PRICE,
    floor: int = FLOOR,
) -> list[Said]:
    """Chooses the phrases that fit into `room` tokens. `groups`, `prices`: the topic or source and the tokens of each.
    `thrift`: the power of tokens that divides a weight. A `floor`-th of the room goes to the best of every group."""
    return [said[place] for place in sorted(_Choice(said, groups, prices, thrift).chosen(room, room // floor))]


class _Choice:
    def __init__(self, said: Sequence[Said], groups: Sequence[Hashable], prices: Sequence[int], thrift: float) -> None:
        self._said, self._groups, self._prices = said, groups, prices
        self._values = [round(one.weight / price**thrift, 9) for one, price in zip(said, prices, strict=True)]
        self._told = Told()
        self._near: Counter[tuple[str, int]] = Counter()

    def chosen(self, room: int, floor: int) -> set[int]:
        best: dict[Hashable, int] = {}
        for place, group in enumerate(self._groups):
            if group not in best or self._values[place] > self._values[best[group]]:
                best[group] = place
        found: set[int] = set()
        spent = self._take(sorted(best.values(), key=lambda place: (-self._values[place], place)), floor, found)
        self._take(self._best_first(found), room - spent, found)
        return found

    def _take(self, places: Iterable[int], room: int, found: set[int]) -> int:
        """Adds the phrases that fit and are new, and returns their tokens."""
        spent = 0
        for place in places:
            one, price = self._said[place], self._prices[place]
            if spent + price <= room and self._told.take(one.text):
                found.add(place)
                spent += price
                path, start, end = one.fact.span.path, one.fact.span.start, one.fact.span.end
                for line in range(start - NEAR_LINES, min(end, start + NEAR_LINES) + NEAR_LINES + 1):
                    self._near[path, line] += 1
        return spent

    def _best_first(self, without: set[int]) -> Iterator[int]:
        """Yields the heaviest phrases first, each the lighter the more phrases near it were chosen."""
        heap = [(-value, place, 0) for place, value in enumerate(self._values) if place not in without]
        heapify(heap)
        while heap:
            value, place, known = heappop(heap)
            span = self._said[place].fact.span
            near = self._near[span.path, span.start]
            if near > known:
                heappush(heap, (value * NEAR_SHARE ** (near - known), place, near))
            else:
                yield place


class TopicGroup(msgspec.Struct):
    """The entries of one topic, or the untitled entries of one source, and the phrases chosen from them."""

    topic: str
    type: str
    entries: list[TopicEntry]
    chosen: list[Said] = []

    @property
    def done(self) -> bool:
        """True if the latest entry says that the project is completed (decision C25)."""
        return self.type == "project" and bool(self.topic) and self.latest.done

    @property
    def name(self) -> str:
        return f"{self.topic} [{self.type}{', done' if self.done else ''}]:"

    @property
    def latest(self) -> TopicEntry:
        """The latest mention, from which the topic's age counts (decision C14)."""
        return max(self.entries, key=_when)

    @property
    def kept(self) -> str:
        """The whole text of a type that never shrinks, near-equal rules once; of a reference its pointers."""
        if self.type not in KEPT_WHOLE:
            return ""
        if self.type == "reference":
            return pointers_once([derived_line(entry.kept) for entry in sorted(self.entries, key=_when) if entry.kept])
        return "; ".join(map(str, statements((derived_line(entry.kept), entry.day) for entry in self.entries)))

    @property
    def pointer(self) -> str:
        pointers = [pointer for entry in self.entries for pointer in entry.pointers]
        return f" → {derived_line(pointers[-1])}" if pointers else ""

    def spans(self, most: int) -> tuple[LineSpan, ...]:
        """Returns one range of lines for each source, at most `most`: the first and the latest ones."""
        by_path: dict[str, LineSpan] = {}
        for span in (span for entry in self.entries for span in entry.spans):
            known = by_path.setdefault(span.path, span)
            if self.topic == "" or span.start - known.end <= 2:
                by_path[span.path] = LineSpan(span.path, min(known.start, span.start), max(known.end, span.end))
        spans = sorted(by_path.values(), key=lambda span: (raw_day(span.path) or date.min, span))
        if most == 1:
            return tuple(spans[-1:])
        return tuple(spans if len(spans) <= most else (spans[0], *spans[1 - most :]))


def topic_groups(entries: Sequence[TopicEntry]) -> list[TopicGroup]:
    """Groups titled entries by topic and untitled ones by source, in order of first mention."""
    found: dict[str, TopicGroup] = {}
    for entry in entries:
        key = f"t:{entry.key}" if entry.topic else f"u:{entry.spans[0].path}:{entry.type in NEVER_SHRUNK}"
        if key in found and entry.tagged:
            found[key].type = merged_type(found[key].type, entry.type)
        found.setdefault(key, TopicGroup(entry.topic, entry.type, [])).entries.append(entry)
    return [group for group in found.values() if group.topic or any(e.facts or e.kept for e in group.entries)]


def _when(entry: TopicEntry) -> tuple[date, LineSpan]:
    return entry.day, entry.spans[-1]
