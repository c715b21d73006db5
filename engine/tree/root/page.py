"""Makes ROOT from the months: four sections within a cap of tokens (tree §Step 5, decisions C13, C14, C17)."""

from collections.abc import Iterable, Sequence

import msgspec

from engine.plans.plan import LineOrigin
from engine.plans.records.operation_fold import Moves
from engine.text.derived import NONE
from engine.text.document import Document, split_lines
from engine.text.secrets.detector import redact
from engine.text.tokens import TokenCounter
from engine.tree.levels import ROOT_PATH, month_of_week
from engine.tree.nodes.entries import TopicEntry
from engine.tree.nodes.node_frontmatter import EXTRACTIVE, SummaryLine, node_text
from engine.tree.nodes.node_summary import MARGIN
from engine.tree.nodes.node_task import OFFLINE, NodeWriter
from engine.tree.nodes.things import Prices
from engine.tree.nodes.worth import LATER_IN_ROOT, PhraseWeights
from engine.tree.root.held_lines import Holding
from engine.tree.root.history import Moved, WrittenLines, historical_lines, within_cap
from engine.tree.root.named_things import TopicEvidence
from engine.tree.root.sources import RootSources
from engine.tree.root.topic_ages import LedgerTopic, ledger
from engine.tree.root.topics_index import ACTIVE_DAYS, ToldFacts, TopicsIndex, active_lines, in_order, pattern_lines
from engine.tree.survey.node_status import Source, sources_digest
from engine.tree.survey.survey import Survey
from engine.tree.survey.tree_status import root_sources
from engine.tree.topic_headings import KEPT_WHOLE
from engine.workspace.dates import week_of
from engine.workspace.values import FileFacts

ACTIVE_TITLE = "Active Context (recent ~7 days)"
PATTERNS_TITLE = "Recent Patterns"
HISTORY_TITLE = "Historical Summary"
INDEX_TITLE = "Topics Index"
ACTIVE_SHARE, PATTERN_SHARE, HISTORY_FLOOR = 0.15, 0.08, 0.08
"""Shares of the cap; Historical Summary is the first to shrink (decision C13)."""
INDEX_SHARE = 0.25
"""Largest share of ROOT for its index; what never shrinks is included whatever its length (decision C31)."""
YOUNG_PART, YOUNG_TOKENS = 0.17, 300
"""Target size of ROOT while raw logs are few, as a share of their tokens, and the least target in tokens. What never
shrinks comes on top."""
NO_MOVES = Moves()
_GAP = SummaryLine("")


class RootPage(msgspec.Struct, frozen=True, kw_only=True):
    """The whole text of ROOT, the nodes read for it beside the months, and warnings for the operator."""

    content: str
    why: str
    tokens: int
    read: tuple[str, ...]
    origins: tuple[LineOrigin, ...] = ()
    dropped: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    by: str  # the one that put its sentences: the rules, or a model
    taken: tuple[str, ...] = ()  # keys of the flagged texts in it that the operator took


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
    """Makes ROOT again if it would say something new, else None. `moved`: this run writes a month, so another tool's
    ROOT may go. `take_flagged`: with flagged lines. `writer`: a model. `moves`: new places of files."""
    current = survey.snapshot.files.get(ROOT_PATH)
    why = _why(survey, current, moved=moved, take_flagged=take_flagged) if sources else ""
    if not why:
        return None
    holding = Holding(
        survey.records.lines,
        survey.is_there,
        named=lambda path: survey.is_there(path) or survey.is_there(moves.place(path)),
        take=take_flagged,
    )
    made = _Maker(survey, [path for path, _ in sources], cap, counter, holding, writer).made(why)
    return None if current is not None and _same(survey, made.content) else made


def _why(survey: Survey, current: FileFacts | None, *, moved: bool, take_flagged: bool) -> str:
    """Returns the reason to make ROOT again, such as a changed month or a new day; empty if there is none."""
    if current is None:
        return "there is none yet"
    if (stated := current.frontmatter.get("source-sha256")) is None:
        return "a month below it changed" if moved or take_flagged else ""
    if stated != sources_digest(root_sources(survey)):
        return "a month below it changed" if moved else "what it is made from changed"
    if current.frontmatter.get("last-updated") != survey.today.isoformat():
        return "the ages of its topics moved on"
    return "flagged lines are taken" if take_flagged else ""


def _same(survey: Survey, content: str) -> bool:
    """Tells whether the ROOT on disk differs at most in its date."""
    both = (Document.from_bytes(data) for data in (survey.snapshot.content(ROOT_PATH), content.encode()))
    # The day alone is no reason for a plan: one would wait every morning.
    held, made = ((document.frontmatter.values | {"last-updated": ""}, document.body) for document in both)
    return held == made


class _Maker:
    def __init__(
        self, survey: Survey, months: list[str], cap: int, counter: TokenCounter, holding: Holding, writer: NodeWriter
    ) -> None:
        self._survey, self._cap, self._counter, self._holding = survey, cap, counter, holding
        self._prices = Prices(counter)
        self._sources = RootSources(survey, months, holding, writer)
        # A young workspace is not to be told at the length of an old one.
        self._aim = min(cap, max(YOUNG_TOKENS, int(YOUNG_PART * self._sources.raw_tokens())))
        said = [entry for entries in self._sources.months.values() for entry in entries]
        named = [*said, *holding.entries(self._sources.only_named(said))]
        self._evidence = TopicEvidence(named)
        self._all = self._evidence.without_journal(named)
        self._months = {path: self._evidence.without_journal(entries) for path, entries in self._sources.months.items()}
        self._weights = PhraseWeights(self._all, later=LATER_IN_ROOT)
        over = frozenset(" ".join(task.name.casefold().split()) for task in self._sources.tasks if task.over)
        self._ledger = ledger(self._all, dict(self._sources.known_pointers()), over)
        self._index = TopicsIndex(survey, counter, self._weights, self._prices, self._evidence)

    def made(self, why: str) -> RootPage:
        over = {topic.key for topic in self._ledger if topic.done}
        days = (self._sources.entries(path) for path in self._sources.recent_days(ACTIVE_DAYS))
        recent = self._evidence.without_journal(entry for entries in days for entry in entries)
        active = self._within(active_lines(self._sources.tasks, recent, over, self._weights), ACTIVE_SHARE)
        lasting = [topic for topic in self._ledger if self._evidence.names_a_thing(topic.key)]
        patterns = self._within(pattern_lines(self._survey, lasting, self._all, self._weights), PATTERN_SHARE)
        lines, tokens = self._fitted(active, patterns)
        # What the logs of days that are still to come say counts as said today (decision G8).
        raws = self._survey.tree_files.raws
        future = [path for day, paths in raws.items() if day > self._survey.today for path in paths]
        warnings = [
            *self._index.warnings,
            *(f"{path}: its date lies in the future; it counts as age 0" for path in future),
        ]
        warnings += self._sources.warnings
        if tokens > self._cap:
            warnings.append(f"ROOT has {tokens} tokens, {tokens - self._cap} over its cap; nothing was cut off")
        above = len(split_lines(self._head))
        return RootPage(
            content=redact(self._content(lines), keep_lines=True),
            why=why,
            by=self._sources.by or EXTRACTIVE,
            tokens=tokens,
            read=tuple(self._sources.read),
            origins=tuple(LineOrigin(above + n, line.spans[-1]) for n, line in enumerate(lines, 1) if line.spans),
            dropped=(*self._holding.dropped, *self._index.dropped),
            taken=tuple(sorted(self._holding.taken)),
            warnings=tuple(warnings),
        )

    def _fitted(self, active: Sequence[SummaryLine], patterns: Sequence[SummaryLine]) -> WrittenLines:
        """Returns all lines and their tokens: Historical Summary and the index share what the others leave."""
        # What never shrinks: the first two sections, the headings of the others, and the frontmatter.
        first = [*_section(ACTIVE_TITLE, active), *_section(PATTERNS_TITLE, patterns)]
        others = [*_section(HISTORY_TITLE, []), *_section(INDEX_TITLE, [])]
        fixed = self._count(first) + self._count(others) + self._counter.count(self._head)
        # Only Historical Summary and the index give way: the order of shrinking is the decision's (C13).
        most = int(self._aim * INDEX_SHARE)
        heads, gone = self._index.heads(self._ledger, min(most, self._cap - fixed - int(self._aim * HISTORY_FLOOR)))
        never = sum(self._index.price(text) for topic, text in heads if topic.type in KEPT_WHOLE)
        room = max(int(self._aim * HISTORY_FLOOR), self._aim - fixed - max(most, never))
        told = ToldFacts().with_lines((*active, *patterns), self._all)
        moved = self._moved_topics(gone)
        plain = historical_lines(self._untold(told), moved, room, self._weights, self._prices)
        # A quarter of all that is to be said. What has no tag stands there for what it says, and the history tells what
        # that does not; a tagged topic stands there anyway, and tells what the history does not (decisions C30, C31).
        left = min(most, int((fixed + self._count(plain)) * INDEX_SHARE * MARGIN))
        left -= sum(self._index.price(text) for _, text in heads)
        untagged = self._index.untagged(self._ledger, self._all, left, told)
        told = told.with_lines(in_order(untagged), self._all)
        months = self._untold(told)
        told = told.with_lines(historical_lines(months, moved, room, self._weights, self._prices), self._all)
        left -= sum(self._index.price(line.text) for line in in_order(untagged))
        index = in_order((*untagged, *self._index.tagged(heads, left, told)))

        def write(room: int, every_name: bool) -> WrittenLines:
            history = historical_lines(months, moved, room, self._weights, self._prices, every_name=every_name)
            titled = (ACTIVE_TITLE, active), (PATTERNS_TITLE, patterns), (HISTORY_TITLE, history), (INDEX_TITLE, index)
            lines = [line for title, own in titled for line in (_GAP, *_section(title, self._holding.lines(own)))][1:]
            return lines, self._counter.count(self._content(lines))

        return within_cap(write, room, self._cap)

    def _untold(self, told: ToldFacts) -> dict[str, list[TopicEntry]]:
        return {path: told.without(entries) for path, entries in self._months.items()}

    def _within(self, lines: Iterable[SummaryLine], share: float) -> list[SummaryLine]:
        room, found = int(self._aim * share), list[SummaryLine]()
        for line in lines:
            price = self._index.price(line.text)
            if price <= room:
                found.append(line)
                room -= price
        return found

    def _moved_topics(self, gone: Sequence[LedgerTopic]) -> dict[str, Moved]:
        """Returns, by month of last mention, completed projects and the topics that left the index."""
        found: dict[str, Moved] = {}
        left = {topic.key for topic in gone}
        over = (topic for topic in self._ledger if topic.done and topic.tagged and topic.key not in left)
        for topic in (*over, *gone):
            month = month_of_week(week_of(topic.last))
            done, also = found.get(month, Moved())
            found[month] = Moved((*done, topic.name), also) if topic.done else Moved(done, (*also, topic.name))
        return found

    @property
    def _head(self) -> str:
        values: dict[str, str | list[str]] = {
            "type": "root",
            "status": "tentative",
            "last-updated": self._survey.today.isoformat(),
            "source-sha256": sources_digest(root_sources(self._survey)),
            "summary": self._sources.by or EXTRACTIVE,
        }
        return node_text(values, "")

    def _content(self, lines: Sequence[SummaryLine]) -> str:
        return self._head + "\n".join(line.text for line in lines) + "\n"

    def _count(self, lines: Sequence[SummaryLine]) -> int:
        return self._counter.count("\n".join(line.text for line in lines)) + 1


def _section(title: str, lines: Sequence[SummaryLine]) -> list[SummaryLine]:
    return [SummaryLine(f"## {title}"), *(lines or [SummaryLine(NONE)])]
