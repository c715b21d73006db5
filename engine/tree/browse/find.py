"""Finds a text in the tree: its lines in ROOT, months, weeks, days and raw logs."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from datetime import date
from typing import NamedTuple

import msgspec

from engine.errors import MemdeckError
from engine.search.dates.days_in_question import spans_in
from engine.text.document import Document
from engine.text.pattern_file import pattern_file
from engine.text.secrets.detector import redact
from engine.tree.browse.browser import Browser
from engine.tree.browse.day_words import AskedWords, DayWords, folded, near_dates
from engine.tree.browse.drill import Drilled, LineRead, Said, drill, lines_read, said_in, stems, told_days
from engine.tree.levels import ROOT_PATH, NodeLevel, node_path
from engine.tree.nodes.things import terms
from engine.workspace.dates import parse_day
from engine.workspace.values import LineSpan, Progress

_DATES = pattern_file(__package__, "named_dates.toml")
MONTHS = {name: number for number, names in enumerate(_DATES["months"], 1) for name in names.split("|")}
_ANY_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_PATTERN = re.compile("|".join(_DATES["patterns"].values()).replace("<MONTH>", _ANY_MONTH), re.IGNORECASE)


class Named(NamedTuple):
    """A day or month that a text names; None for a year or day that it does not say."""

    year: int | None
    month: int
    day: int | None

    def holds(self, day: date) -> bool:
        """Tells whether this may mean the given day."""
        same_year = self.year is None or self.year == day.year
        return same_year and self.month == day.month and self.day in (None, day.day)


def named_dates(text: str) -> tuple[Named, ...]:
    """Returns every valid day or month that the text names, in order."""
    return tuple(named for found in _PATTERN.finditer(text) if (named := _named(found)) is not None)


def _named(found: re.Match[str]) -> Named | None:
    parts = {key: value for key, value in found.groupdict().items() if value}
    numbers = {key[0]: int(value) for key, value in parts.items() if key[0] != "n"}
    month = numbers.get("m") or next((MONTHS[value.casefold()] for key, value in parts.items() if key[0] == "n"), 0)
    named = Named(numbers.get("y"), month, numbers.get("d"))
    # A leap year stands in for the year that was left out.
    exists = 1 <= month <= 12 and parse_day(f"{named.year or 2024:04}-{month:02}-{named.day or 1:02}")
    return named if exists else None


def meant(text: str, days: Collection[date]) -> Iterator[date]:
    """Yields those of the given days that the text names."""
    named = named_dates(text)
    return (day for day in days if any(named_date.holds(day) for named_date in named))


MOST = 200  # lines that are listed
FEWEST_ASKED = 2
"""Fewest significant words for which the raw logs are scored; a single word only filters lines."""


class TreeHit(msgspec.Struct, frozen=True, kw_only=True):
    """A line that matches a search. `source`: the raw lines that it was made from."""

    level: str
    path: str
    line: int
    text: str
    source: LineSpan | None


class TreeHits(msgspec.Struct, frozen=True, kw_only=True):
    """The matching lines from ROOT down, and their number on each level."""

    text: str
    hits: tuple[TreeHit, ...]
    levels: dict[str, int]
    paths: dict[str, int] = {}  # the number of lines of each node or log that hold it
    topics: tuple[str, ...] = ()  # nodes of which a topic matches
    days: tuple[str, ...] = ()  # nodes of the days that the text names, as in `March 11th`
    likely: tuple[str, ...] = ()
    """Daily nodes that a drill ends at, the likeliest first: the answer where no line contains the whole question."""
    drilled: int = 0  # the number of nodes that drilling went through
    on_the_way: tuple[LineRead, ...] = ()  # their lines that lead to those days and share a word with the text
    unreadable: tuple[str, ...] = ()


def find(browser: Browser, text: str, tick: Callable[[Progress], None] | None = None) -> TreeHits:
    """Finds every line that contains all the words of `text` in any form, or `text` itself."""
    matches = LineMatcher(text)
    hits: list[TreeHit] = []
    levels: dict[str, int] = {}
    counts: dict[str, int] = {}
    unreadable: list[str] = []
    paths = list(_paths(browser))
    for done, (level, path) in enumerate(paths):
        if tick is not None and done % 50 == 0:
            tick(Progress("looking", done, len(paths)))
        try:
            # The whole text is looked at once: tracing each line to its sources costs more.
            able = matches.may_match(browser.survey.read(path).decode("utf-8", "replace"))
            lines = [line for line in browser.lines(path) if matches(line.text)] if able else []
        except MemdeckError:
            unreadable.append(path)
            continue
        levels[level] = levels.get(level, 0) + len(lines)
        if lines:
            counts[path] = len(lines)
        hits += [
            TreeHit(level=level, path=path, line=line.number, text=line.text.strip(), source=line.source)
            for line in lines[: max(0, MOST - len(hits))]
        ]
    drilled = drilled_to(browser, text)
    return TreeHits(
        text=redact(text),
        hits=tuple(hits),
        levels=levels,
        paths=counts,
        topics=browser.topic_paths(matches, matches.may_match),
        days=days_named(browser, text),
        likely=drilled.days,
        drilled=len(drilled.read),
        on_the_way=tuple(lines_read(text, drilled, lambda path: _without_secrets(_read(browser, path)))),
        unreadable=tuple(unreadable),
    )


def drilled_to(browser: Browser, text: str, words: DayWords | None = None) -> Drilled:
    """Drills for a text. Skips nodes that cannot be read. `words`: those of the raw logs, read here if None."""

    def said(path: str) -> Said:
        known: dict[str, Sequence[str]] = {child.path: () for child in browser.children(path) if child.status}
        lines = said_in(path, _read(browser, path)) if known else {}
        return known | {child: words for child, words in lines.items() if child in known}

    known = {node_path(NodeLevel.DAILY, str(day)): day for day in _days(browser)}
    meant_days = _days_meant(browser, text)
    spans = [(span.first, span.last) for span in spans_in(text, browser.survey.today)]
    asked = stems(text)
    found = (words or day_words(browser)).scores(asked) if len(asked) >= FEWEST_ASKED else {}
    near = near_dates(known, spans or [(day, day) for day in meant_days])
    told = told_days(_read(browser, ROOT_PATH), asked, found)
    below = {path: sum(part.get(path, 0.0) for part in (found, near, told)) for path in found.keys() | near.keys()}
    return drill(text, said, named=meant_days, below=below)


def _read(browser: Browser, path: str) -> bytes:
    try:
        return browser.survey.read(path)
    except MemdeckError:
        return b""


def _without_secrets(data: bytes) -> bytes:
    return redact(data.decode("utf-8", "replace"), keep_lines=True).encode("utf-8", "replace")


def day_words(browser: Browser) -> DayWords:
    """Reads the words of all readable raw logs, by the path of their daily node."""
    texts: dict[str, str] = {}
    for day, paths in sorted(browser.survey.tree_files.raws.items()):
        node = node_path(NodeLevel.DAILY, day.isoformat())
        for path in paths:
            with suppress(MemdeckError):
                said = Document.from_bytes(browser.survey.snapshot.content(path)).body
                texts[node] = f"{texts.get(node, '')}{said}\n"
    return DayWords(texts)


def _days(browser: Browser) -> list[date]:
    return [date.fromisoformat(day) for day in browser.survey.tree_files.periods[NodeLevel.DAILY]]


def _days_meant(browser: Browser, text: str) -> list[date]:
    return sorted(meant(text, _days(browser)), reverse=True)


def days_named(browser: Browser, text: str) -> tuple[str, ...]:
    """Returns the daily nodes of the days and months that a text names, latest first."""
    return tuple(node_path(NodeLevel.DAILY, str(day)) for day in _days_meant(browser, text))


class LineMatcher:
    """Matches lines that contain a text, or all its significant words."""

    def __init__(self, text: str) -> None:
        plain = " ".join(text.casefold().split())
        self._asked = AskedWords(term.key for term in terms(text))
        self._pattern = re.compile(re.escape(plain).replace(r"\ ", r"\s+")) if plain else None

    def __call__(self, line: str) -> bool:
        if self._pattern is not None and self._pattern.search(line.casefold()):
            return True
        if not self._asked.keys or not self._asked.may_all_stand_in(folded(line)):
            return False
        return self._asked.keys <= self._asked.counts(line).keys()

    def may_match(self, text: str) -> bool:
        """Tells quickly whether any line of a text may match."""
        words = bool(self._asked.keys) and self._asked.may_all_stand_in(folded(text))
        return words or (self._pattern is not None and self._pattern.search(text.casefold()) is not None)


def _paths(browser: Browser) -> Iterator[tuple[str, str]]:
    """Yields the level and path of ROOT, months, weeks, days and raw logs, newest first on each level."""
    survey = browser.survey
    if ROOT_PATH in survey.snapshot.files:
        yield NodeLevel.ROOT.value, ROOT_PATH
    for level in (NodeLevel.MONTHLY, NodeLevel.WEEKLY, NodeLevel.DAILY):
        for period in sorted(survey.tree_files.nodes[level], reverse=True):
            yield level.value, node_path(level, period)
    for day in sorted(survey.tree_files.raws, reverse=True):
        for path in survey.tree_files.raws[day]:
            yield "raw", path
