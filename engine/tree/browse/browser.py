"""Reads the tree for screens and commands, one node at a time, however many years it covers."""

from collections.abc import Callable, Sequence
from datetime import date

import msgspec
from msgspec.structs import replace

from engine.errors import UsageError
from engine.text.derived import redacted_lines
from engine.text.document import Document
from engine.tree.levels import (
    LEVELS,
    ROOT_PATH,
    Freshness,
    NodeLevel,
    NodeStatus,
    days_of_week,
    is_period,
    node_path,
    node_place,
    parent_period,
)
from engine.tree.root.lines import about_lines
from engine.tree.source_references import raw_day, trace
from engine.tree.survey.node_status import Node
from engine.tree.survey.node_topics import DOUBTFUL_DAYS, OLD_DAYS, merge, near_day, stated_topics
from engine.tree.survey.survey import Survey
from engine.tree.survey.tree_status import notice_table, root_freshness
from engine.tree.topic_headings import read_topics
from engine.workspace.dates import parse_day
from engine.workspace.values import LineSpan

RAW = "raw"


class TreeNode(msgspec.Struct, frozen=True, kw_only=True):
    """A node, a raw log, or an empty place for a missing node. `level`: root, monthly, weekly, daily or raw."""

    path: str
    level: str
    period: str
    status: str
    """`fixed`, `tentative`, `needs-summarization`, `permanent` for raw logs, or empty where there is no node."""
    freshness: Freshness
    ours: bool = False
    children: int = 0
    lines: int = 0
    tokens: int = 0
    fixed_from: date | None = None
    """The first day on which the calendar lets the node be fixed; None for ROOT and for a fixed node."""
    gaps: tuple[str, ...] = ()  # children that should be there and are not, and sources that cannot be read
    topics: int = 0
    summary: str = ""  # the method by which its text was made, as it says: `verbatim`, `concatenated`, `extractive`


class NodeLine(msgspec.Struct, frozen=True):
    """A line of a node, with the lines of the child and of the raw log that it was made from, if they are known."""

    number: int
    text: str
    child: LineSpan | None = None
    source: LineSpan | None = None
    topic: str = ""  # the topic to look for in `child`, where that is a node as a whole


class TopicRow(msgspec.Struct, frozen=True):
    """A topic and its age. `doubtful`: a reference not mentioned for a month; `old`: a project not for a quarter."""

    name: str
    type: str
    last: date
    age: int
    doubtful: bool
    old: bool


class Todo(msgspec.Struct, frozen=True):
    """A fault of a node (`what`) and its remedy (`do`)."""

    path: str
    freshness: Freshness
    what: str
    do: str


class Browser:
    """Reads one survey of the tree. Each method reads only the files that it needs."""

    def __init__(self, survey: Survey) -> None:
        self.survey = survey
        self._snapshot = survey.snapshot

    def node(self, path: str) -> TreeNode:
        """Returns the node or raw log at a path; raises `UsageError` for any other path."""
        if raw_day(path) is not None:
            return self._raw(path)
        place = node_place(path)
        if place is None or not is_period(*place):
            raise UsageError("neither a node of the tree nor a raw log", where=path, hint="memdeck tree")
        level, period = place
        return self._root() if level is NodeLevel.ROOT else self._of(self.survey.node(level, period))

    def children(self, path: str, *, empty_days: bool = False) -> tuple[TreeNode, ...]:
        """Returns a node's children, newest first; a day's raw logs. `empty_days`: with a week's days without a log."""
        if (place := node_place(path)) is None:
            return ()
        level, period = place
        if level is NodeLevel.DAILY:
            return tuple(self._raw(raw) for raw in self._raw_paths(period))
        below = list(reversed(self.survey.children(level, period)))
        if empty_days and level is NodeLevel.WEEKLY:
            known, today = self.survey.tree_files.periods[NodeLevel.DAILY], str(self.survey.today)
            days = map(str, reversed(days_of_week(period)))
            below = [(NodeLevel.DAILY, day) for day in days if day in known or (known and known[0] <= day <= today)]
        nodes = (self.survey.node(*child) for child in below)
        return tuple(self._of(node) for node in nodes if empty_days or node.exists or node.sources or node.missing)

    def parent(self, path: str) -> str | None:
        """Returns the path of the node above; None above ROOT."""
        if (day := raw_day(path)) is not None:
            return node_path(NodeLevel.DAILY, day.isoformat())
        place = node_place(path)
        if place is None or place[0] is NodeLevel.ROOT:
            return None
        return node_path([*LEVELS, NodeLevel.ROOT][LEVELS.index(place[0]) + 1], parent_period(*place))

    def breadcrumbs(self, path: str) -> tuple[str, ...]:
        """Returns the paths from ROOT down to this one."""
        found = [path]
        while (above := self.parent(found[-1])) is not None:
            found.append(above)
        return tuple(reversed(found))

    def lines(self, path: str) -> tuple[NodeLine, ...]:
        """Returns every line of a node or raw log, secrets masked, each with its origin. Reads one file."""
        document = Document.from_bytes(self._snapshot.content(path))
        lines = redacted_lines(document.lines)
        first = document.frontmatter.body_line if raw_day(path) is None else len(lines) + 1
        plain = [NodeLine(number, line) for number, line in enumerate(lines[: first - 1], 1)]
        if raw_day(path) is not None:
            return tuple(plain)
        if path == ROOT_PATH:
            return (*plain, *self._with_children(document, _traced(lines[first - 1 :], first, self.survey.today)))
        return (*plain, *_traced(lines[first - 1 :], first, near_day(path)))

    def _with_children(self, document: Document, body: Sequence[NodeLine]) -> list[NodeLine]:
        """Returns the lines of ROOT; a line without references gets the node that it is about."""
        stated = document.frontmatter.values.get("last-updated", "")
        updated = parse_day(stated) if isinstance(stated, str) else None
        about = about_lines([line.text for line in body], updated or self.survey.today, self._snapshot.files)
        return [
            line if line.source is not None or found is None else replace(line, child=found.span, topic=found.topic)
            for line, found in zip(body, about, strict=True)
        ]

    def topics(self, path: str = ROOT_PATH) -> tuple[TopicRow, ...]:
        """Lists the topics below a node with their ages, latest first. Reads frontmatter only."""
        months = self.survey.tree_files.periods[NodeLevel.MONTHLY]
        paths = [node_path(NodeLevel.MONTHLY, month) for month in months] if path == ROOT_PATH else [path]
        held = ((path, self.survey.held(path)) for path in paths)
        pairs = [pair for one, node in held if node is not None for pair in stated_topics(one, node.values)]
        rows = []
        for topic, day in merge(pairs).values():
            age = max(0, (self.survey.today - day).days)
            doubtful = topic.type == "reference" and age > DOUBTFUL_DAYS
            old = topic.type == "project" and age > OLD_DAYS
            rows.append(TopicRow(topic.name, topic.type, day, age, doubtful, old))
        return tuple(sorted(rows, key=lambda row: (row.age, row.name.casefold())))

    def topic_paths(
        self, matches: Callable[[str], bool], may_match: Callable[[str], bool] | None = None
    ) -> tuple[str, ...]:
        """Lists nodes with a matching topic, newest first, by frontmatter. `may_match` quickly rules texts out."""
        nodes = self.survey.tree_files.nodes
        paths = (node_path(level, period) for level in LEVELS for period in sorted(nodes[level], reverse=True))
        held = ((path, node.values) for path in paths if (node := self.survey.held(path)) is not None)
        able = ((path, values) for path, values in held if may_match is None or may_match(str(values)))
        return tuple(path for path, values in able if any(matches(topic.name) for topic in read_topics(values)))

    def todo(self) -> tuple[Todo, ...]:
        """Lists the missing, stale and damaged nodes, each with its remedy."""
        nodes = (node for level in LEVELS for node in self.survey.nodes(level) if _wants_doing(node))
        return tuple(Todo(node.path, node.freshness, *_advice(node)) for node in nodes)

    def fixed_on(self, day: date) -> tuple[str, ...]:
        """Lists the tentative nodes that cycles up to `day` would fix if no log changes."""
        later = Survey(self._snapshot, self.survey.records, day)
        fixed: set[str] = set()
        found: list[str] = []
        for level in LEVELS:
            for period in later.tree_files.periods[level]:
                path = node_path(level, period)
                node = later.node(level, period)
                if node.fixed or self._will_be(node, later, fixed):
                    fixed.add(path)
                    if not node.fixed:
                        found.append(path)
        return tuple(found)

    @staticmethod
    def _will_be(node: Node, later: Survey, fixed: set[str]) -> bool:
        if later.today < node.fixed_from or node.missing:
            return False
        if not (children := later.children(node.level, node.period)):
            return bool(node.sources) or node.exists
        below = [later.node(*child) for child in children]
        return all(child.path in fixed for child in below if child.exists or child.sources or child.missing)

    def _raw_paths(self, period: str) -> Sequence[str]:
        day = date.fromisoformat(period)
        tree_files = self.survey.tree_files
        return (*tree_files.raws.get(day, ()), *tree_files.unreadable.get(day, ()))

    def _raw(self, path: str) -> TreeNode:
        facts = self._snapshot.files.get(path)
        return TreeNode(
            path=path,
            level=RAW,
            period=path.removeprefix("memory/").removesuffix(".md"),
            status="permanent" if facts else "",
            freshness=Freshness.FRESH if facts else Freshness.MISSING,
            lines=facts.lines if facts else 0,
            tokens=facts.tokens if facts else 0,
        )

    def _root(self) -> TreeNode:
        facts = self._snapshot.files.get(ROOT_PATH)
        return TreeNode(
            path=ROOT_PATH,
            level=NodeLevel.ROOT.value,
            period="",
            status=NodeStatus.TENTATIVE.value if facts else "",
            freshness=root_freshness(self.survey),
            ours=facts is not None and self.survey.records.wrote(ROOT_PATH, facts.sha256),
            children=len(self.survey.tree_files.periods[NodeLevel.MONTHLY]),
            lines=facts.lines if facts else 0,
            tokens=facts.tokens if facts else 0,
        )

    def _of(self, node: Node) -> TreeNode:
        held = self.survey.held(node.path)
        is_day = node.level is NodeLevel.DAILY
        below = self._raw_paths(node.period) if is_day else self.survey.children(node.level, node.period)
        summary, topics = (held.values.get(key, "") if held else "" for key in ("summary", "topics"))
        return TreeNode(
            path=node.path,
            level=node.level.value,
            period=node.period,
            status=node.status.value if node.status else "",
            freshness=node.freshness,
            ours=node.ours,
            children=len(below),
            lines=held.lines if held else 0,
            tokens=held.tokens if held else 0,
            fixed_from=None if node.fixed else node.fixed_from,
            gaps=(*node.waiting, *node.missing, *([f"omitted: {node.doubt}"] if node.doubt else ())),
            topics=len(topics) if isinstance(topics, list) else topics.count(",") + bool(topics.strip()),
            summary=summary if isinstance(summary, str) else "",
        )


def _traced(lines: Sequence[str], first: int, near: date) -> list[NodeLine]:
    found: list[NodeLine] = []
    for line, on_disk in zip(trace(lines, first, near), lines, strict=True):
        raw = [span for span in line.spans if raw_day(span.path) is not None]
        child = line.copied[0] if line.copied else line.opens
        found.append(NodeLine(line.line, on_disk, child, next(reversed(raw), None)))
    return found


def _wants_doing(node: Node) -> bool:
    if node.missing or node.waiting or node.status is NodeStatus.NEEDS_SUMMARIZATION:
        return True
    is_known = node.freshness.value in notice_table()["advice"]
    return is_known and (node.freshness is not Freshness.MISSING or bool(node.sources))


def _advice(node: Node) -> tuple[str, str]:
    row = notice_table()["advice"].get(node.freshness.value)
    if node.freshness is not Freshness.FORGED:
        if node.missing:
            remedy = "make the file readable; until then it stays tentative"
            return f"cannot be read: {', '.join(node.missing[:3])}", remedy
        if node.status is NodeStatus.NEEDS_SUMMARIZATION:
            return "another tool left it to be summarised", "memdeck plan tree"
    if row is not None:
        return row["what"].format(doubt=node.doubt), row["do"].format(period=node.period)
    many = len(node.waiting)
    below = f"{many} nodes below are" if many > 1 else "1 node below is"
    return f"{below} not there yet" if many else "it waits for its children", "memdeck plan tree"
