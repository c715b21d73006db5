"""Reads the sources of ROOT: the months, the nodes of the last days and WORKING.md (decisions C14, C19, C25)."""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import date
from functools import lru_cache

import msgspec

from engine.errors import MemdeckError
from engine.extraction.rows import IN_DOUBT
from engine.text.derived import derived_line
from engine.text.document import Document
from engine.text.markdown import heading_of
from engine.tree.levels import ROOT_PATH, NodeLevel, node_path
from engine.tree.nodes.entries import EntryList, Fact, TopicEntry
from engine.tree.nodes.node_source import raw_tokens, read_text
from engine.tree.nodes.node_task import NodeWriter
from engine.tree.root.held_lines import Holding
from engine.tree.root.topic_ages import index_pointers, named_entries
from engine.tree.survey.node_topics import headed_topics, merge
from engine.tree.survey.survey import Survey
from engine.tree.survey.tree_status import WORKING
from engine.tree.topic_headings import DEFAULT_TYPE, read_heading, topic_name

NEWEST_LOGS = 7  # days, the newest, by whose logs it is told whether headings have tags
OVER = frozenset({"done", "failed", "abandoned", "completed", "cancelled", "shipped", "closed", "merged"})

_TASK = re.compile(r"#{2,3} +(?:\[(?P<task>[^\]]+)\]|(?P<plain>\S.*?)) *\Z")
_FIELD = re.compile(r"[-*] +(?P<key>status|goal)\s*:\s*(?P<value>\S.*?)\s*\Z", re.IGNORECASE)


class Task(msgspec.Struct, frozen=True):
    """A task of WORKING.md: its name, whether it is over, its goal and its line number."""

    name: str
    over: bool
    goal: str
    line: int


def read_tasks(text: str) -> tuple[Task, ...]:
    """Returns the tasks that state a status."""
    found: list[Task] = []
    name, line, fields = "", 0, dict[str, str]()
    for number, raw in enumerate((*text.split("\n"), "## end of tasks"), 1):
        if head := _TASK.match(raw.strip()):
            if name and "status" in fields:
                over = fields["status"].split()[0].strip(".,;").casefold() in OVER
                found.append(Task(name, over, derived_line(fields.get("goal", ""))[:160], line))
            name, line, fields = topic_name(head["task"] or head["plain"] or ""), number, {}
            continue
        if field := _FIELD.match(raw.strip()):
            fields.setdefault(field["key"].casefold(), field["value"])
    return tuple(found)


class RootSources:
    """Reads each source once. `by`: the model that wrote; `read`: the paths; `warnings`: the errors."""

    def __init__(self, survey: Survey, months: Iterable[str], holding: Holding, writer: NodeWriter) -> None:
        self._survey, self._holding, self._writer = survey, holding, writer
        self.by = ""
        self.read: list[str] = []
        self.warnings: list[str] = []
        self._by_tag = self._tags()
        self.months = {path: self.entries(path) for path in months}
        self.tasks = self._working()

    def entries(self, path: str) -> list[TopicEntry]:
        """Returns the entries of a node without flagged lines; none if the node cannot be read."""
        try:
            found = _entries_of(path, self._survey.read(path))
        except MemdeckError as error:
            self.warnings.append(f"{path} cannot be read: {error.message}")
            return []
        held = (msgspec.structs.replace(entry, facts=tuple(filter(_stands, entry.facts))) for entry in found)
        return self._written(path, self._holding.entries(map(self._as_tagged, held)))

    def _as_tagged(self, entry: TopicEntry) -> TopicEntry:
        """Removes the tag that a summary adds to every topic, if the headings in the logs have no tag."""
        if not (entry.summarised and entry.tagged and entry.type == DEFAULT_TYPE):
            return entry
        return entry if self._by_tag(entry.key) else msgspec.structs.replace(entry, tagged=False)

    def _tags(self) -> Callable[[str], bool]:
        """Returns a function that tells, from the newest logs, whether a topic's headings have tags."""
        newest = [path for _, paths in sorted(self._survey.tree_files.raws.items())[-NEWEST_LOGS:] for path in paths]
        tagged: dict[str, bool] = {}
        for path in newest:
            with suppress(MemdeckError):
                lines = Document.from_bytes(self._survey.read(path)).body_lines
                for heading in (read_heading(one.text) for one in map(heading_of, lines) if one is not None):
                    if heading.topic:
                        key = " ".join(heading.topic.casefold().split())
                        tagged[key] = heading.type is not None or tagged.get(key, False)
        usual = 2 * sum(tagged.values()) >= max(1, len(tagged))
        return lambda key: tagged.get(key, usual)

    def _written(self, path: str, entries: list[TopicEntry]) -> list[TopicEntry]:
        """Has the model word the entries of a node, unless it wrote that node before."""
        held = self._survey.held(path)
        # Asked once for each month: its words are in the node already.
        if self._writer.by and held is not None and held.values.get("summary") == self._writer.by:
            self.by = self._writer.by
            return entries
        found = self._writer.written([EntryList(tuple(entries), {})])
        self.by = self.by or found.by
        self.warnings += found.warnings
        return [entry for read in found.reads for entry in read.entries]

    def only_named(self, said: Sequence[TopicEntry]) -> list[TopicEntry]:
        """Returns the topics in the months' frontmatter whose last mention is in no line."""
        stated = ((path, one) for path in self.months if (one := self._survey.held(path)) is not None)
        named = merge(pair for path, one in stated for pair in headed_topics(path, one.values))
        return list(map(self._as_tagged, named_entries(named, said)))

    def raw_tokens(self) -> int:
        """Returns the tokens of all raw logs, as the months state them."""
        held = ((path, self._survey.held(path)) for path in self.months)
        return sum(raw_tokens(path, one.values, one.tokens) for path, one in held if one is not None)

    def _working(self) -> tuple[Task, ...]:
        with suppress(MemdeckError):
            if WORKING in self._survey.snapshot.files:
                tasks = read_tasks(Document.from_bytes(self._survey.snapshot.content(WORKING)).body)
                self.read.append(WORKING)
                return tasks
        return ()

    def known_pointers(self) -> Iterable[tuple[str, str]]:
        """Yields the pointers of the present ROOT, whoever wrote them (decision C24)."""
        lines: Sequence[str] = ()
        with suppress(MemdeckError):
            if ROOT_PATH in self._survey.snapshot.files:
                lines = Document.from_bytes(self._survey.snapshot.content(ROOT_PATH)).body_lines
        return index_pointers(lines)

    def recent_days(self, days: int) -> list[str]:
        """Returns the paths of the daily nodes of the last `days` days, without days in the future."""
        periods = self._survey.tree_files.periods[NodeLevel.DAILY]
        recent = [day for day in periods if 0 <= (self._survey.today - date.fromisoformat(day)).days <= days]
        paths = [path for day in recent if self._survey.trusted(path := node_path(NodeLevel.DAILY, day)) is not None]
        self.read += paths
        return paths


def _stands(fact: Fact) -> bool:
    """Tells whether a fact still holds: no later correction marks it as doubtful."""
    return not IN_DOUBT.search(fact.text)


@lru_cache(maxsize=256)
def _entries_of(path: str, data: bytes) -> tuple[TopicEntry, ...]:
    """Returns the entries of a node, cached: most months stay the same from one ROOT to the next."""
    document = Document.from_bytes(data)
    return read_text(path, document, document.frontmatter.body_line).entries
