"""Summarises a day, week or month offline: phrases of its sources, each with its date and lines (C26, C30)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from engine.models.plain_line import point_text
from engine.text.derived import NONE, derived_line
from engine.text.tokens import TokenCounter
from engine.tree.levels import MOST_PART, NodeLevel
from engine.tree.nodes.entries import EntryList, TopicEntry
from engine.tree.nodes.node_frontmatter import SECTIONS, NodeSummary, SummaryLine
from engine.tree.nodes.phrases import names_nothing, telling_clause
from engine.tree.nodes.things import Prices, things
from engine.tree.nodes.topic_groups import TopicGroup, choose, topic_groups
from engine.tree.nodes.worth import PhraseWeights, Said
from engine.tree.source_references import write_ref
from engine.tree.topic_headings import DEFAULT_TYPE, KEPT_WHOLE
from engine.workspace.values import LineSpan

PART = {NodeLevel.DAILY: 0.25, NodeLevel.WEEKLY: 0.14, NodeLevel.MONTHLY: 0.07}
"""Target size of a summary, as a share of the raw logs' tokens, beside topics and what never shrinks."""
ROOM = {NodeLevel.DAILY: (1000, 2500), NodeLevel.WEEKLY: (1000, 5000), NodeLevel.MONTHLY: (1500, 6000)}
"""Least and greatest target size, in tokens."""
LEAST_ROOM = 100  # tokens of phrases that every summary may hold, however small the logs are
MARGIN = 0.92  # share of the most that a node may be which its lines aim for: tokens of lines add up only roughly
WORDS = {NodeLevel.DAILY: 30, NodeLevel.WEEKLY: 24, NodeLevel.MONTHLY: 20}  # words of a phrase
REF_PRICE, HEAD_PRICE = 8, 6  # tokens of a line's reference, and of the topic in front of it, beside its name
MOST_REFS = {NodeLevel.DAILY: 4, NodeLevel.WEEKLY: 4, NodeLevel.MONTHLY: 1}
"""Most references on a line that keeps a whole topic; a month needs the room for phrases."""
MOST_PHRASES = 3  # phrases on one line
OTHERS = 10  # names or themes listed
THEMES_PART = 8  # part of a summary's room, one in so many, that its themes take at most


def node_summary(
    level: NodeLevel,
    children: Sequence[EntryList],
    counter: TokenCounter,
    *,
    raw_tokens: int | None = None,
    overhead: int = 0,
    every_topic: bool = False,
) -> NodeSummary:
    """Summarises entries; what never shrinks is always included. A month includes a topic without room only for
    `every_topic`. `raw_tokens`: those of the raw logs, else of the facts; `overhead`: tokens of the frontmatter."""
    if raw_tokens is None:
        raw_tokens = sum(counter.count(fact.text) for child in children for e in child.entries for fact in e.facts)
    room = room_for(level, raw_tokens, overhead)
    return _Writer(level, children, Prices(counter), room, every_topic or level is not NodeLevel.MONTHLY).made()


def room_for(level: NodeLevel, raw_tokens: int, overhead: int = 0) -> int:
    """Returns the target size of a summary in tokens; the whole node stays below `MOST_PART` of its logs (C7)."""
    least, most = ROOM[level]
    wanted = min(most, max(least, round(PART[level] * raw_tokens)))
    return max(LEAST_ROOM, min(wanted, int(MOST_PART[level] * MARGIN * raw_tokens) - overhead))


class _Writer:
    def __init__(
        self, level: NodeLevel, children: Sequence[EntryList], prices: Prices, room: int, every_topic: bool
    ) -> None:
        self._level, self._prices, self._every_topic = level, prices, every_topic
        self._entries = [entry for child in children for entry in child.entries]
        self._dropped = Counter[str]()
        for child in children:
            self._dropped.update(child.dropped)
        self._groups = topic_groups(self._entries)
        self._themes = _within(_themes(self._groups), room // THEMES_PART, prices)
        self._choose(room)

    def _choose(self, room: int) -> None:
        """Chooses each group's phrases that say most for their length, first the best of every kind."""
        # The parts' headings, and the themes of a month, are there whatever was chosen.
        titles = ("Topics", *(title for _, title in SECTIONS[self._level]))
        fixed = [line.text for group in self._groups for line in self._head(group)]
        fixed += [f"\n\n## {title}\n{NONE}" for title in titles]
        fixed += [line.text for line in self._themes] if self._level is NodeLevel.MONTHLY else []
        by_entry = {id(entry): group for group in self._groups for entry in group.entries}
        words = WORDS[self._level]
        weighed = PhraseWeights(self._entries).said(self._entries, words)
        said = [phrase for phrase in weighed if phrase.entry.type not in KEPT_WHOLE]
        own = [by_entry[id(phrase.entry)] for phrase in said]
        heads = [HEAD_PRICE + self._prices.of(group.topic) if group.topic else 0 for group in own]
        prices = [self._prices.of(one.text) + REF_PRICE + head for one, head in zip(said, heads, strict=True)]
        groups = [(id(group), one.fact.kind) for group, one in zip(own, said, strict=True)]
        # A quarter for phrases at least: headings alone would tell nothing.
        room = max(LEAST_ROOM, room - sum(map(self._prices.of, fixed)), room // 4)
        chosen = choose(said, groups, prices, room)
        for one in chosen:
            by_entry[id(one.entry)].chosen.append(one)
        facts = (fact for entry in self._entries if not entry.topic for fact in entry.facts)
        nameless = sum(names_nothing(telling_clause(fact.text, words).text) for fact in facts)
        self._dropped["sentence that says neither who nor what"] += nameless
        left = Counter(phrase.fact.kind for phrase in said) - Counter(phrase.fact.kind for phrase in chosen)
        for kind, count in left.items():
            self._dropped[f"further or repeated {kind or 'other'} sentence"] += count

    def made(self) -> NodeSummary:
        topics = [line for group in self._groups for line in self._group_lines(group)]
        lines = [SummaryLine("## Topics"), *(topics or [SummaryLine(NONE)])]
        for kind, title in SECTIONS[self._level]:
            lines += [SummaryLine(""), SummaryLine(f"## {title}"), *(self._section(kind) or [SummaryLine(NONE)])]
        dropped = tuple(f"{count:,} × {reason}" for reason, count in sorted(self._dropped.items()) if count)
        return NodeSummary(tuple(lines), dropped)

    def _group_lines(self, group: TopicGroup) -> Iterator[SummaryLine]:
        in_time = sorted(group.chosen, key=lambda phrase: (phrase.entry.day, phrase.fact.span, phrase.text))
        plain = [phrase for phrase in in_time if not phrase.fact.kind]
        if not group.topic:
            yield from self._head(group)
            yield from (_line(phrase.fact.span, _text(phrase)) for phrase in plain)
        elif group.type in KEPT_WHOLE:
            yield from self._head(group)
        else:
            yield from self._topic_lines(group, plain)

    def _head(self, group: TopicGroup) -> list[SummaryLine]:
        """Returns the lines that are always included: what never shrinks, pointers and each topic's name."""
        if group.topic:
            kept, pointer = group.kept, group.pointer
            if not (self._every_topic or kept or pointer) and group.type == DEFAULT_TYPE:
                return []
            spans = group.spans(MOST_REFS[self._level])
            refs = " ".join(map(write_ref, spans))
            return [SummaryLine(f"- {refs} {group.name} {kept}".rstrip() + pointer, spans)]
        return [
            SummaryLine(f"- {write_ref(entry.spans[0])} [{entry.type}]: {derived_line(entry.kept)}", entry.spans[:1])
            for entry in group.entries
            if entry.kept
        ]

    def _topic_lines(self, group: TopicGroup, plain: Sequence[Said]) -> Iterator[SummaryLine]:
        """Yields a topic's phrases, a few on a line, with their references in the same order, latest day last."""
        latest = group.latest
        days = {phrase.entry.day for phrase in (*plain, *(phrase for phrase in group.chosen if phrase.fact.kind))}
        if not plain and (latest.day not in days or group.pointer):
            yield from self._head(group)
        parts = [plain[at : at + MOST_PHRASES] for at in range(0, len(plain), MOST_PHRASES)]
        for part in parts:
            spans, pointer = [phrase.fact.span for phrase in part], ""
            if part is parts[-1]:
                spans += [latest.spans[-1]] if latest.day not in days else []
                pointer = group.pointer
            text = f"{group.name} {'; '.join(map(_text, part))}{pointer}"
            yield SummaryLine(f"- {' '.join(map(write_ref, spans))} {text}", tuple(spans))

    def _section(self, kind: str) -> list[SummaryLine]:
        if kind == "names":
            return _names(self._entries)
        if kind == "themes":
            return self._themes
        said = [(phrase, group) for group in self._groups for phrase in group.chosen if phrase.fact.kind == kind]
        return [
            _line(one.fact.span, f"{group.name} {_text(one)}" if group.topic else _text(one))
            for one, group in sorted(said, key=lambda pair: (pair[0].fact.span, pair[0].text))
        ]


def _line(span: LineSpan, text: str) -> SummaryLine:
    return SummaryLine(f"- {write_ref(span)} {derived_line(point_text(text))}", (span,))


def _text(one: Said) -> str:
    """Returns a phrase without the signs that separate phrases on a line."""
    return derived_line(point_text(one.text)).replace("; ", ", ").replace(" → ", " to ")


def _within(lines: Iterable[SummaryLine], room: int, prices: Prices) -> list[SummaryLine]:
    found: list[SummaryLine] = []
    for line in lines:
        room -= prices.of(line.text)
        if room < 0:
            break
        found.append(line)
    return found


def _names(entries: Sequence[TopicEntry]) -> list[SummaryLine]:
    """Returns a line of the things that several days mention."""
    found = [derived_line(name) for name, _ in named_things(entries)]
    return [SummaryLine("- " + ", ".join(found[:OTHERS]))] if found else []


def named_things(entries: Sequence[TopicEntry]) -> list[tuple[str, date]]:
    """Returns the things that several days mention with the last such day, the most frequent first."""
    texts: dict[date, list[str]] = {}
    for entry in entries:
        texts.setdefault(entry.day, []).extend(fact.text for fact in entry.facts)
    surfaces: dict[str, str] = {}
    days: dict[str, list[date]] = {}
    for day, said in texts.items():
        for name in things(said):
            surfaces.setdefault(name.casefold(), name)
            days.setdefault(name.casefold(), []).append(day)
    several = {key: seen for key, seen in days.items() if len(seen) > 1}
    ranked = sorted(several, key=lambda key: (-len(several[key]), key))
    return [(surfaces[key], max(several[key])) for key in ranked]


def _themes(groups: Sequence[TopicGroup]) -> list[SummaryLine]:
    """Returns a line for each topic of three days or more, the most frequent first, with its first and last day."""
    days = [(sorted({entry.day for entry in group.entries}), group.topic) for group in groups if group.topic]
    found = sorted((pair for pair in days if len(pair[0]) > 2), key=lambda pair: (-len(pair[0]), pair[1]))[:OTHERS]
    return [SummaryLine(f"- {topic}: {len(seen)} days, {seen[0]:%m-%d} to {seen[-1]:%m-%d}") for seen, topic in found]
