"""The offline summary of a day, week or month: keyword-dense lines, each with its source date and lines (G9, C26)."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

import msgspec

from engine.models.cleaning import point_text, shortened
from engine.models.selection import Taken
from engine.text.derived import derived_line
from engine.text.tokens import TokenCounter
from engine.tree.levels import NodeLevel
from engine.tree.nodes.entries import EntryList, Fact, TopicEntry
from engine.tree.nodes.extent import shares
from engine.tree.nodes.keywords import (
    MEASURED,
    KeywordBag,
    Prices,
    WeightedText,
    Weighting,
    bag,
    merged,
    pick,
    rarity,
    telegram,
    weigh,
)
from engine.tree.refs import raw_day, write_ref
from engine.tree.topics import NEVER_SHRUNK, merged_type
from engine.workspace.values import LineSpan

NONE = "(none)"
PART = {NodeLevel.DAILY: 0.2, NodeLevel.WEEKLY: 0.08, NodeLevel.MONTHLY: 0.06}
"""Part of the raw logs' tokens that the keyword and sentence lines of a summary aim for (topics and what never shrinks
come on top): an eventful week needs more words than a quiet one to be found by."""
ROOM = {NodeLevel.DAILY: (1000, 2000), NodeLevel.WEEKLY: (1000, 5000), NodeLevel.MONTHLY: (2000, 8000)}
"""The least and the most of it."""
SENTENCES = {NodeLevel.DAILY: 0.25, NodeLevel.WEEKLY: 0.08, NodeLevel.MONTHLY: 0.05}
"""Share of the budget that whole sentences (decisions, lessons, …) may take."""
LONGEST = {NodeLevel.DAILY: 240, NodeLevel.WEEKLY: 160, NodeLevel.MONTHLY: 140}
"""Characters of such a sentence."""
MOST_REFS = 4
"""References on one line: the first and the latest."""
TERMS_PER_LINE = {NodeLevel.DAILY: 8, NodeLevel.WEEKLY: 16, NodeLevel.MONTHLY: 1000}
"""Words of untitled entries after which a new line begins: shorter lines point more exactly, longer ones cost less."""
OTHERS = 10
"""Names or themes listed."""

SECTIONS: dict[NodeLevel, tuple[tuple[str, str], ...]] = {
    NodeLevel.DAILY: (
        ("decision", "Key Decisions"),
        ("done", "Tasks Completed"),
        ("insight", "Lessons Learned"),
        ("open", "Open Items"),
    ),
    NodeLevel.WEEKLY: (
        ("decision", "Key Decisions"),
        ("done", "Tasks Completed"),
        ("insight", "Lessons Learned"),
        ("open", "Open Items"),
        ("names", "Entities"),
    ),
    NodeLevel.MONTHLY: (
        ("themes", "Key Themes"),
        ("decision", "Major Decisions"),
        ("done", "Completed Work"),
        ("insight", "Lessons"),
        ("open", "Carried Forward"),
    ),
}
"""decision C26, below `## Topics`."""


class DigestLine(msgspec.Struct, frozen=True):
    """One line of a summary, and the lines it came from."""

    text: str
    spans: tuple[LineSpan, ...] = ()


class Digest(msgspec.Struct, frozen=True):
    """The body of a summary, and what was left out, named."""

    lines: tuple[DigestLine, ...]
    dropped: tuple[str, ...]


class _Unit(msgspec.Struct):
    """The entries that become one line, or a few: those of one topic, or the untitled ones of one source."""

    topic: str
    type: str
    entries: list[TopicEntry]
    size: float
    """The raw log that it stands for, in tokens."""

    @property
    def done(self) -> bool:
        """The last entry says it is over, and nothing is newer (decision C25)."""
        return self.type == "project" and bool(self.topic) and max(self.entries, key=_when).done


def digest(
    level: NodeLevel,
    children: Sequence[EntryList],
    counter: TokenCounter,
    *,
    tokens: Sequence[int] = (),
    how: Weighting = MEASURED,
) -> Digest:
    """The summary of what was read. Deterministic; a topic's heading and what never shrinks are always in it.

    `tokens`: how much raw log each child stands for; without it each for its own words.
    """
    extents = tokens or [_own_tokens(child, counter) for child in children]
    return _Digester(level, children, extents, Prices(counter), how).made()


def _own_tokens(child: EntryList, counter: TokenCounter) -> int:
    return 1 + sum(counter.count(fact.text) for entry in child.entries for fact in entry.facts)


def room_for(level: NodeLevel, raw_tokens: int) -> int:
    """Tokens that a summary of so much raw log aims for."""
    least, most = ROOM[level]
    return min(most, max(least, round(PART[level] * raw_tokens)))


class _Digester:
    """One summary under way."""

    def __init__(
        self, level: NodeLevel, children: Sequence[EntryList], extents: Sequence[int], prices: Prices, how: Weighting
    ) -> None:
        self._level = level
        self._entries = [entry for child in children for entry in child.entries]
        self._dropped: Counter[str] = Counter()
        for child in children:
            self._dropped.update(child.dropped)
        self._prices = prices
        self._budget = room_for(level, sum(extents))
        self._how = how
        self._rare = rarity([bag_of([entry]) for entry in self._entries])
        self._units = _units(self._entries, _sizes(children, extents))

    def made(self) -> Digest:
        sections = [self._section(kind, title) for kind, title in SECTIONS[self._level]]
        spent = sum(self._price(line.text) for lines in sections for line in lines)
        lines = [DigestLine("## Topics"), *(self._topics(self._budget - spent) or [DigestLine(NONE)])]
        for section in sections:
            lines += [DigestLine(""), *section]
        dropped = tuple(f"{count:,} × {reason}" for reason, count in sorted(self._dropped.items()) if count)
        return Digest(tuple(lines), dropped)

    # ── topics ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _topics(self, budget: int) -> list[DigestLine]:
        bags = [bag_of(unit.entries) for unit in self._units]
        heads = [self._head(unit) for unit in self._units]
        free = max(budget - sum(self._price(head) for head in heads), budget // 4)
        sizes = [0.0 if unit.type in NEVER_SHRUNK else unit.size for unit in self._units]
        found: list[DigestLine] = []
        for unit, one, share in zip(self._units, bags, shares(sizes), strict=True):
            found += self._unit_lines(unit, one, int(free * share))
        return found

    def _unit_lines(self, unit: _Unit, one: KeywordBag, room: int) -> Iterator[DigestLine]:
        if unit.topic:
            text = self._text_of(unit, one, room)
            yield DigestLine(f"{self._head(unit)} {text}".rstrip() + _pointer(unit), _spans(unit))
            return
        chosen = self._chosen(one, room)
        said: set[str] = set()
        pieces: list[str] = []
        spans: list[LineSpan] = []
        for entry in unit.entries:
            if entry.kept:
                yield DigestLine(
                    f"- {write_ref(entry.spans[0])} [{entry.type}]: {derived_line(entry.kept)}", entry.spans[:1]
                )
                continue
            words = telegram(entry.words, [fact.text for fact in entry.facts], chosen, said)
            if not words:
                continue
            pieces.append(words)
            spans.append(entry.spans[0])
            if sum(piece.count(" ") + 1 for piece in pieces) >= TERMS_PER_LINE[self._level]:
                yield self._untitled(pieces, spans)
                pieces, spans = [], []
        if pieces:
            yield self._untitled(pieces, spans)

    @staticmethod
    def _untitled(pieces: Sequence[str], spans: Sequence[LineSpan]) -> DigestLine:
        whole = LineSpan(spans[0].path, min(span.start for span in spans), max(span.end for span in spans))
        return DigestLine(f"- {write_ref(whole)} {', '.join(pieces)}", (whole,))

    def _text_of(self, unit: _Unit, one: KeywordBag, room: int) -> str:
        """Makes the text behind a topic: its whole text, its pointer's description, or its words."""
        if unit.type in NEVER_SHRUNK:
            return "; ".join(dict.fromkeys(derived_line(entry.kept) for entry in unit.entries if entry.kept))
        facts = [fact for entry in unit.entries for fact in entry.facts]
        if unit.type == "reference" and facts:
            return shortened(_line(facts[-1].text), 140)
        said = set(bag([WeightedText(unit.topic)]).counts)
        return derived_line(telegram(one, [fact.text for fact in facts], self._chosen(one, room, said), said))

    def _chosen(self, one: KeywordBag, room: int, without: Iterable[str] = ()) -> dict[str, str]:
        left_out = set(without)
        weights = weigh(one, self._rare, self._prices, self._how)
        keys = pick({key: value for key, value in weights.items() if key not in left_out}, one, self._prices, room)
        return {key: one.surfaces[key] for key in keys}

    def _head(self, unit: _Unit) -> str:
        refs = " ".join(write_ref(span) for span in _spans(unit))
        return f"- {refs} {unit.topic} [{unit.type}{', done' if unit.done else ''}]:" if unit.topic else f"- {refs}"

    # ── sections ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _section(self, kind: str, title: str) -> list[DigestLine]:
        if kind == "names":
            lines = _names(self._entries)
        elif kind == "themes":
            lines = _themes(self._units)
        else:
            lines = list(self._sentences(kind))
        return [DigestLine(f"## {title}"), *(lines or [DigestLine(NONE)])]

    def _sentences(self, kind: str) -> Iterator[DigestLine]:
        """The sentences of one kind that say most for their length, in the order of time."""
        room = int(self._budget * SENTENCES[self._level] / 4)
        facts = [(entry, fact) for entry in self._entries for fact in entry.facts if fact.kind == kind]
        ranked = sorted(facts, key=lambda pair: (-self._worth(pair[1]), pair[1].span, pair[1].text))
        taken = Taken()
        chosen: list[tuple[TopicEntry, Fact, str]] = []
        for place, (entry, fact) in enumerate(ranked[:400]):
            text = shortened(_line(fact.text), LONGEST[self._level])
            price = self._price(text) + 9
            if price > room:
                continue
            if text and taken.take(place, text):
                chosen.append((entry, fact, text))
                room -= price
        if len(ranked) > len(chosen):
            self._dropped[f"further or repeated {kind} sentence"] += len(ranked) - len(chosen)
        for _, fact, text in sorted(chosen, key=lambda one: (one[1].span, one[2])):
            yield DigestLine(f"- {write_ref(fact.span)} {text}", (fact.span,))

    def _worth(self, fact: Fact) -> float:
        words = bag([WeightedText(fact.text)])
        total = sum(self._rare.get(key, 1.0) for key in words.counts)
        return round(fact.prior * total / math.sqrt(len(fact.text) + 20), 9)

    def _price(self, text: str) -> int:
        return sum(self._prices.of(word) for word in text.split())


def _line(text: str) -> str:
    return derived_line(point_text(text))


def _units(entries: Sequence[TopicEntry], sizes: Sequence[float]) -> list[_Unit]:
    """Titled entries by topic, untitled ones by their source, in the order in which they first come."""
    found: dict[str, _Unit] = {}
    for entry, size in zip(entries, sizes, strict=True):
        key = f"t:{entry.key}" if entry.topic else f"u:{entry.spans[0].path}:{entry.type in NEVER_SHRUNK}"
        unit = found.get(key)
        if unit is None:
            found[key] = _Unit(entry.topic, entry.type, [entry], size)
            continue
        unit.entries.append(entry)
        unit.size += size
        unit.type = merged_type(unit.type, entry.type) if entry.tagged else unit.type
    return [unit for unit in found.values() if unit.topic or any(e.facts or e.kept for e in unit.entries)]


def _when(entry: TopicEntry) -> tuple[date, LineSpan]:
    return entry.day, entry.spans[-1]


def _spans(unit: _Unit) -> tuple[LineSpan, ...]:
    """One stretch of lines for each source, at most `MOST_REFS`: the first, and the latest."""
    by_path: dict[str, LineSpan] = {}
    for entry in unit.entries:
        for span in entry.spans:
            known = by_path.get(span.path)
            if known is None:
                by_path[span.path] = span
            elif unit.topic == "" or span.start - known.end <= 2:
                by_path[span.path] = LineSpan(span.path, min(known.start, span.start), max(known.end, span.end))
    spans = sorted(by_path.values(), key=lambda span: (raw_day(span.path) or date.min, span))
    return tuple(spans if len(spans) <= MOST_REFS else (spans[0], *spans[1 - MOST_REFS :]))


def _pointer(unit: _Unit) -> str:
    pointers = [pointer for entry in unit.entries for pointer in entry.pointers]
    return f" → {derived_line(pointers[-1])}" if pointers else ""


def bag_of(entries: Sequence[TopicEntry]) -> KeywordBag:
    """The words of some entries, and in how many of them each stands."""
    return merged([entry.words for entry in entries])


def _sizes(children: Sequence[EntryList], extents: Sequence[int]) -> list[float]:
    """Weighs each entry by the raw log it stands for: what its child does, by its part of the child's words."""
    found: list[float] = []
    for child, extent in zip(children, extents, strict=True):
        words = [sum(entry.words.counts.values()) for entry in child.entries]
        total = sum(words) or 1.0
        found += [extent * size / total for size in words]
    return found


def _names(entries: Sequence[TopicEntry]) -> list[DigestLine]:
    """Capitalised words and numbers that more than one day mentions."""
    days: dict[str, set[date]] = {}
    surface: dict[str, str] = {}
    for entry in entries:
        one = bag_of([entry])
        for key in one.names:
            if not one.surfaces[key][0].isdigit():
                days.setdefault(key, set()).add(entry.day)
                surface.setdefault(key, one.surfaces[key])
    found = sorted((key for key, seen in days.items() if len(seen) > 1), key=lambda key: (-len(days[key]), key))
    return [DigestLine("- " + ", ".join(derived_line(surface[key]) for key in found[:OTHERS]))] if found else []


def _themes(units: Sequence[_Unit]) -> list[DigestLine]:
    """Topics of three days or more, the most frequent first, each with its first and last day."""
    days = [(sorted({entry.day for entry in unit.entries}), unit.topic) for unit in units if unit.topic]
    found = sorted(((seen, topic) for seen, topic in days if len(seen) > 2), key=lambda one: (-len(one[0]), one[1]))
    return [
        DigestLine(f"- {topic}: {len(seen)} days, {seen[0]:%m-%d} to {seen[-1]:%m-%d}")
        for seen, topic in found[:OTHERS]
    ]
