"""ROOT: four sections within a cap of tokens, made from the months below (tree §Step 5, decisions C13, C14, C17)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from functools import lru_cache

import msgspec

from engine.errors import MemdeckError
from engine.models.cleaning import point_text
from engine.plans.plan import LineOrigin
from engine.plans.records.moves import Moves
from engine.text.derived import derived_line
from engine.text.document import Document, split_lines
from engine.text.secrets.detector import redact
from engine.text.tokens import TokenCounter
from engine.tree import calendar
from engine.tree.levels import ROOT_PATH, NodeLevel, node_path
from engine.tree.nodes.digest import DigestLine
from engine.tree.nodes.entries import EntryList, Fact, TopicEntry
from engine.tree.nodes.extent import raw_tokens
from engine.tree.nodes.keywords import Prices
from engine.tree.nodes.node_frontmatter import EXTRACTIVE, node_text
from engine.tree.nodes.node_source import read_text
from engine.tree.nodes.node_task import OFFLINE, NodeWriter
from engine.tree.nodes.phrases import names_nothing, telegram, telling_clause
from engine.tree.nodes.restated import Told
from engine.tree.nodes.worth import LATER_IN_ROOT, PhraseWeights, Said
from engine.tree.refs import write_ref
from engine.tree.root.held_lines import Holding
from engine.tree.root.history import Moved, historical_lines
from engine.tree.root.told_facts import ToldFacts
from engine.tree.root.topic_ages import LedgerTopic, index_pointers, ledger, named_entries
from engine.tree.root.topics_index import TopicsIndex
from engine.tree.root.working_file import Task, read_tasks
from engine.tree.survey.node_topics import headed_topics, merge
from engine.tree.survey.source_hashes import Source, sources_digest
from engine.tree.survey.status import WORKING, root_sources
from engine.tree.survey.survey import Survey
from engine.tree.topics import KEPT_WHOLE, read_topics
from engine.workspace.dates import week_of
from engine.workspace.values import FileFacts, LineSpan

ACTIVE_DAYS = 7
"""Days back, today included, whose nodes fill Active Context."""
ACTIVE_WORDS = 20
"""Words of a phrase of the last days."""
UNTITLED_AT_ONCE = 6
"""Phrases without a topic that stand beside the first one of every topic, and again beside the second."""
MOST_RECENT = 200
"""Phrases of the recent days that Active Context chooses from."""
PATTERN_DAYS = 35
"""Days back, five weeks, in which a topic must recur to be a pattern."""
PATTERN_TIMES = 3
"""Days of the last five weeks on which a topic must come up to be a pattern."""
ACTIVE_SHARE, PATTERN_SHARE, HISTORY_FLOOR = 0.15, 0.08, 0.08
"""Shares of the cap; Historical Summary is the first to shrink (decision C13)."""
HISTORY_PART = 0.5
"""The part that Historical Summary has of what the names of topics leave; the rest is for a phrase behind each."""
MOST_BEHIND = 24
"""Tokens for what the index says of a topic, at most."""
YOUNG_PART, YOUNG_TOKENS = 0.17, 300
"""The part of the raw logs' tokens that ROOT aims for while they are few, and what it may always have: it is no use to
read as much as the logs themselves. Names of topics, and what never shrinks, come on top."""
LEAST_HISTORY = 24
"""Tokens below which Historical Summary shrinks no further."""
NONE = "(none)"
NO_MOVES = Moves()


class RootPage(msgspec.Struct, frozen=True, kw_only=True):
    """The whole text of ROOT, the nodes read for it beside the months, and what the operator should know."""

    content: str
    why: str
    tokens: int
    read: tuple[str, ...]
    origins: tuple[LineOrigin, ...] = ()
    dropped: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    by: str
    """The one that put its sentences: the rules, or a model."""
    taken: tuple[str, ...] = ()
    """Keys of the flagged texts in it that the operator took."""


def plan(
    survey: Survey,
    sources: Sequence[Source],
    cap: int,
    counter: TokenCounter,
    *,
    moved: bool,
    take_flagged: bool = False,
    writer: NodeWriter = OFFLINE,
    moves: Moves = NO_MOVES,
) -> RootPage | None:
    """ROOT made anew where it would say something else; None where it is as it should be, or there is nothing yet.

    `moved`: this run writes a month. A ROOT of another tool is left alone until then. `take_flagged`: the operator
    takes the flagged lines that are held out otherwise. `writer` has a model put the sentences that it has not put
    before. `moves`: where operations moved files that texts still name.
    """
    if not sources:
        return None
    holding = Holding(
        survey.records.lines,
        survey.is_there,
        named=lambda path: survey.is_there(path) or survey.is_there(moves.place(path)),
        take=take_flagged,
    )
    current = survey.snapshot.files.get(ROOT_PATH)
    why = _why(survey, current, moved=moved, take_flagged=take_flagged)
    if not why:
        return None
    made = _Maker(survey, sources, cap, counter, holding, writer, why).made()
    return None if current is not None and _same(survey, made.content) else made


def _why(survey: Survey, current: FileFacts | None, *, moved: bool, take_flagged: bool) -> str:
    """The reason to make ROOT anew, or none: a month changed, WORKING.md did, or ages moved on with the day."""
    if current is None:
        return "there is none yet"
    stated = current.frontmatter.get("source-sha256")
    if stated is None:
        return "a month below it changed" if moved or take_flagged else ""
    if stated != sources_digest(root_sources(survey)):
        return "a month below it changed" if moved else "what it is made from changed"
    if current.frontmatter.get("last-updated") != survey.today.isoformat():
        return "the ages of its topics moved on"
    return "flagged lines are taken" if take_flagged else ""


def _same(survey: Survey, content: str) -> bool:
    """Tells whether the ROOT on disk says the same, on whatever day it was made."""
    held = Document.from_bytes(survey.snapshot.content(ROOT_PATH))
    made = Document.from_bytes(content.encode())
    fresh = held.frontmatter.values | {"last-updated": ""} == made.frontmatter.values | {"last-updated": ""}
    return fresh and held.body == made.body


class _Maker:
    """One ROOT under way."""

    def __init__(
        self,
        survey: Survey,
        sources: Sequence[Source],
        cap: int,
        counter: TokenCounter,
        holding: Holding,
        writer: NodeWriter,
        why: str,
    ) -> None:
        self._why = why
        self._writer = writer
        self._by = ""
        self._holding = holding
        self._survey = survey
        self._today = survey.today
        self._cap = cap
        self._counter = counter
        self._prices = Prices(counter)
        self._warnings: list[str] = []
        self._dropped: list[str] = []
        self._read: list[str] = []
        self._months = {path: self._entries(path) for path, _ in sources}
        # A young workspace is not to be told at the length of an old one.
        self._aim = min(cap, max(YOUNG_TOKENS, int(YOUNG_PART * self._raw_tokens())))
        self._tasks = self._working()
        said = [entry for entries in self._months.values() for entry in entries]
        self._all = [*said, *self._holding.entries(self._only_named(said))]
        self._weights = PhraseWeights(self._all, later=LATER_IN_ROOT)
        over = frozenset(" ".join(task.name.casefold().split()) for task in self._tasks if task.over)
        self._ledger = ledger(self._all, dict(self._known_pointers()), over)
        self._index = TopicsIndex(survey, counter, self._weights, self._prices)

    def made(self) -> RootPage:
        active = self._active()
        patterns = self._patterns()
        topics = list(self._ledger)
        fixed = self._count(
            [*_section("Active Context (recent ~7 days)", active), *_section("Recent Patterns", patterns)]
        )
        fixed += (
            self._count([*_section("Historical Summary", []), *_section("Topics Index", [])])
            + self._frontmatter_tokens()
        )
        floor = int(self._aim * HISTORY_FLOOR)
        # Only Historical Summary and the index give way: the order of shrinking is the decision's (C13).
        heads, gone = self._index.heads(topics, self._cap - fixed - floor)
        names = self._index.of_names(self._all) if not heads else []
        left = self._aim - fixed - sum(self._index.price(text) for _, text in heads) - self._count(names)
        room = max(floor, int(left * HISTORY_PART), left - MOST_BEHIND * len(heads))
        told = ToldFacts().with_lines((*active, *patterns), self._all)
        self._months = {path: told.without(entries) for path, entries in self._months.items()}
        history = historical_lines(self._months, self._moved_topics(gone), room, self._weights, self._prices)
        told = told.with_lines(history, self._all)
        index = names or self._index.lines(heads, left - self._count(history), told)
        lines, tokens = self._within_cap(active, patterns, index, gone, room)
        if tokens > self._cap:
            self._warnings.append(f"ROOT has {tokens} tokens, {tokens - self._cap} over its cap; nothing was cut off")
        return RootPage(
            content=redact(self._content(lines), keep_lines=True),
            why=self._why,
            by=self._by or EXTRACTIVE,
            tokens=tokens,
            read=tuple(self._read),
            origins=self._origins(lines),
            dropped=(*self._holding.dropped, *self._index.dropped, *self._dropped),
            taken=tuple(sorted(self._holding.taken)),
            warnings=(*self._index.warnings, *self._future(), *self._warnings),
        )

    def _future(self) -> Iterable[str]:
        """Names the logs of days that are still to come: what they say counts as said today (decision G8)."""
        for day, paths in self._survey.tree_files.raws.items():
            if day > self._today:
                yield from (f"{path}: its date lies in the future; it counts as age 0" for path in paths)

    def _within_cap(
        self,
        active: Sequence[DigestLine],
        patterns: Sequence[DigestLine],
        index: Sequence[DigestLine],
        gone: Sequence[LedgerTopic],
        room: int,
    ) -> tuple[list[DigestLine], int]:
        """All lines and their tokens, Historical Summary as short as it must be; still over, it names every topic."""
        moved = self._moved_topics(gone)
        while True:
            history = historical_lines(self._months, moved, room, self._weights, self._prices)
            lines = self._lines(active, patterns, history, index)
            tokens = self._counter.count(self._content(lines))
            if tokens <= self._cap:
                return lines, tokens
            if room <= LEAST_HISTORY:
                break
            # Eight tokens more than it is over: lines are whole, so that the room is seldom used to its end.
            room = max(LEAST_HISTORY, room - (tokens - self._cap) - 8)
        history = historical_lines(self._months, moved, room, self._weights, self._prices, every_name=True)
        lines = self._lines(active, patterns, history, index)
        return lines, self._counter.count(self._content(lines))

    # ── reading ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _entries(self, path: str) -> list[TopicEntry]:
        try:
            found = _entries_of(path, self._survey.read(path))
        except MemdeckError as error:
            self._warnings.append(f"{path} cannot be read: {error.message}")
            return []
        return self._written(path, self._holding.entries(found))

    def _written(self, path: str, entries: list[TopicEntry]) -> list[TopicEntry]:
        """The entries of a node in a model's words, where there is one; what it wrote before it is not asked again."""
        held = self._survey.held(path)
        if self._writer.by and held is not None and held.values.get("summary") == self._writer.by:
            self._by = self._writer.by
            return entries
        found = self._writer.written([EntryList(tuple(entries), {})])
        self._by = self._by or found.by
        self._warnings += found.warnings
        return [entry for read in found.reads for entry in read.entries]

    def _only_named(self, said: Sequence[TopicEntry]) -> list[TopicEntry]:
        """The topics that months name in their frontmatter and of whose last mention no line tells."""
        stated = ((path, one) for path in self._months if (one := self._survey.held(path)) is not None)
        return named_entries(merge(pair for path, one in stated for pair in headed_topics(path, one.values)), said)

    def _raw_tokens(self) -> int:
        """Tokens of all raw logs, as the months state them."""
        held = ((path, self._survey.held(path)) for path in self._months)
        return sum(raw_tokens(path, one.values, one.tokens) for path, one in held if one is not None)

    def _working(self) -> tuple[Task, ...]:
        if WORKING not in self._survey.snapshot.files:
            return ()
        try:
            tasks = read_tasks(Document.from_bytes(self._survey.snapshot.content(WORKING)).body)
        except MemdeckError:
            return ()
        self._read.append(WORKING)
        return tasks

    def _known_pointers(self) -> Iterable[tuple[str, str]]:
        """The pointers of the ROOT that is there: kept, whoever wrote them (decision C24)."""
        if ROOT_PATH not in self._survey.snapshot.files:
            return
        try:
            lines = Document.from_bytes(self._survey.snapshot.content(ROOT_PATH)).body_lines
        except MemdeckError:
            return
        yield from index_pointers(lines)

    # ── Active Context ─────────────────────────────────────────────────────────────────────────────────────────────

    def _active(self) -> list[DigestLine]:
        """Selects what is in progress: open tasks, then what matters most of the last days, each topic's best first."""
        return self._within((*self._open_tasks(), *self._recent()), int(self._aim * ACTIVE_SHARE))

    def _within(self, lines: Iterable[DigestLine], room: int) -> list[DigestLine]:
        """The lines that fit into so many tokens, the first first."""
        found: list[DigestLine] = []
        for line in lines:
            price = self._index.price(line.text)
            if price <= room:
                found.append(line)
                room -= price
        return found

    def _open_tasks(self) -> Iterable[DigestLine]:
        for task in self._tasks:
            if not task.over:
                goal = f": {task.goal}" if task.goal else ""
                yield DigestLine(f"- {task.name}{goal} (in progress)", (LineSpan(WORKING, task.line, task.line),))

    def _recent(self) -> Iterable[DigestLine]:
        """Phrases of the last days, decisions before requests; of what is over only how it ended."""
        over = {topic.key for topic in self._ledger if topic.done}
        recent = [
            entry for path in self._recent_days() for entry in self._entries(path) if entry.type not in KEPT_WHOLE
        ]
        said = [
            one
            for one in self._weights.said(recent, ACTIVE_WORDS)
            if one.entry.key not in over or not one.entry.topic or one.entry.done
        ]
        said.sort(key=lambda one: (-one.weight, -one.entry.day.toordinal(), one.fact.span, one.text))
        told: Counter[str] = Counter()
        ranked: list[tuple[int, int, Said]] = []
        for place, one in enumerate(said):
            ranked.append((told[one.entry.key] if one.entry.topic else place // UNTITLED_AT_ONCE, place, one))
            told[one.entry.key] += bool(one.entry.topic)
        told_before = Told()
        for *_, one in sorted(ranked, key=lambda pair: pair[:2])[:MOST_RECENT]:
            text = derived_line(point_text(telegram(one.text)))
            if text and told_before.take(text):
                yield DigestLine(f"- {self._about(one.entry, one.fact)}{text}", (one.fact.span,))

    @staticmethod
    def _about(entry: TopicEntry, fact: Fact) -> str:
        return f"{write_ref(fact.span, year=True)} {entry.topic + ': ' if entry.topic else ''}"

    def _recent_days(self) -> list[str]:
        periods = self._survey.tree_files.periods[NodeLevel.DAILY]
        recent = [day for day in periods if 0 <= (self._today - date.fromisoformat(day)).days <= ACTIVE_DAYS]
        paths = [path for day in recent if self._survey.trusted(path := node_path(NodeLevel.DAILY, day)) is not None]
        self._read += paths
        return paths

    # ── Recent Patterns ────────────────────────────────────────────────────────────────────────────────────────────

    def _patterns(self) -> list[DigestLine]:
        """Topics that keep coming up, and the latest lessons."""
        return self._within((*self._recurring(), *self._lessons()), int(self._aim * PATTERN_SHARE))

    def _recurring(self) -> Iterable[DigestLine]:
        counted = []
        named_on = self._named_on()
        for topic in self._ledger:
            days = named_on.get(topic.key, [])
            if len(days) >= PATTERN_TIMES:
                counted.append((len(days), topic, min(days)))
        for many, topic, first in sorted(counted, key=lambda one: (-one[0], one[1].key))[:6]:
            yield DigestLine(f"- {topic.name}: {many} days since {first.isoformat()}", (topic.entries[-1].spans[-1],))

    def _named_on(self) -> dict[str, list[date]]:
        """By topic, the days of the last weeks whose nodes name it."""
        found: dict[str, list[date]] = {}
        for period in self._survey.tree_files.periods[NodeLevel.DAILY]:
            day = date.fromisoformat(period)
            held = self._survey.trusted(node_path(NodeLevel.DAILY, period))
            if held is not None and 0 <= (self._today - day).days <= PATTERN_DAYS:
                for topic in read_topics(held.values):
                    found.setdefault(topic.key, []).append(day)
        return found

    def _lessons(self) -> Iterable[DigestLine]:
        """The latest lessons, each with its source."""
        facts = [(entry, fact) for entry in self._all for fact in entry.facts if fact.kind == "insight"]
        recent = [
            (entry, fact)
            for entry, fact in facts
            if (self._today - entry.day).days <= PATTERN_DAYS and (entry.topic or not names_nothing(fact.text))
        ]
        recent.sort(key=lambda pair: (-pair[0].day.toordinal(), pair[1].span))
        for entry, fact in recent[:8]:
            text = derived_line(point_text(telegram(telling_clause(fact.text, ACTIVE_WORDS).text)))
            yield DigestLine(f"- {self._about(entry, fact)}{text}", (fact.span,))

    # ── the whole ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _moved_topics(self, gone: Sequence[LedgerTopic]) -> dict[str, Moved]:
        """By month of their last mention, the projects that are over and the topics that left the index."""
        found: dict[str, Moved] = {}
        left = {topic.key for topic in gone}
        for topic in (*(one for one in self._ledger if one.done and one.key not in left), *gone):
            month = calendar.month_of_week(week_of(topic.last))
            over, also = found.get(month, Moved())
            found[month] = Moved((*over, topic.name), also) if topic.done else Moved(over, (*also, topic.name))
        return found

    def _lines(
        self,
        active: Sequence[DigestLine],
        patterns: Sequence[DigestLine],
        history: Sequence[DigestLine],
        index: Sequence[DigestLine],
    ) -> list[DigestLine]:
        may = self._holding.lines
        return [
            *_section("Active Context (recent ~7 days)", may(active)),
            DigestLine(""),
            *_section("Recent Patterns", may(patterns)),
            DigestLine(""),
            *_section("Historical Summary", may(history)),
            DigestLine(""),
            *_section("Topics Index", may(index)),
        ]

    def _values(self) -> dict[str, str | list[str]]:
        return {
            "type": "root",
            "status": "tentative",
            "last-updated": self._today.isoformat(),
            "source-sha256": sources_digest(root_sources(self._survey)),
            "summary": self._by or EXTRACTIVE,
        }

    def _content(self, lines: Sequence[DigestLine]) -> str:
        return node_text(self._values(), "\n".join(line.text for line in lines) + "\n")

    def _frontmatter_tokens(self) -> int:
        return self._counter.count(node_text(self._values(), ""))

    def _origins(self, lines: Sequence[DigestLine]) -> tuple[LineOrigin, ...]:
        above = len(split_lines(node_text(self._values(), "")))
        return tuple(LineOrigin(above + n, line.spans[-1]) for n, line in enumerate(lines, 1) if line.spans)

    def _count(self, lines: Sequence[DigestLine]) -> int:
        return self._counter.count("\n".join(line.text for line in lines)) + 1


@lru_cache(maxsize=256)
def _entries_of(path: str, data: bytes) -> tuple[TopicEntry, ...]:
    """The entries of a node; most months are the same from one ROOT to the next."""
    document = Document.from_bytes(data)
    return read_text(path, document, document.frontmatter.body_line).entries


def _section(title: str, lines: Sequence[DigestLine]) -> list[DigestLine]:
    return [DigestLine(f"## {title}"), *(lines or [DigestLine(NONE)])]
