"""Drills from ROOT down to the days that a question is probably about, by words and by dates."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date

import msgspec

from engine.text.document import Document
from engine.tree.browse.day_words import K1, bm25
from engine.tree.levels import ROOT_PATH, NodeLevel, is_period, month_of_week, node_path, node_place
from engine.tree.nodes.things import terms
from engine.tree.source_references import Traced, raw_day, trace
from engine.tree.survey.node_topics import near_day
from engine.workspace.dates import parse_day, week_of
from engine.workspace.values import LineSpan

Stems = tuple[str, ...]
Said = Mapping[str, Sequence[str]]
"""A parent's statements about each child: the stems of its lines, by the child's path."""

BEAM = 3  # nodes that are looked into on each level
_ABOUT = re.compile(r"- (?P<first>\d{4}-(?:W\d{2}|\d{2}(?:-\d{2})?))(?:~(?P<last>(?:\d{4}-)?\d{2}))?:")
LINES = 0.05
"""Weight of a parent's lines about a child, beside the search below that child; with more, days are missed."""
TOLD, TOLD_SHARE = 2.0, 0.6
"""Weight of a day that ROOT itself tells about, and the share of the question's words that ROOT must then contain."""
NOTHING: Mapping[str, float] = {}
_DAY, _MONTH = len("2026-03-15"), len("2026-03")
_MOST_MONTHS = 1200  # a hundred years of months: a span that an agent wrote may name any


class Drilled(msgspec.Struct, frozen=True):
    """The daily nodes that a drill ends at, the likeliest first, and the nodes that it read on the way."""

    days: tuple[str, ...]
    read: tuple[str, ...]


def stems(text: str) -> Stems:
    """Returns the significant words of a text as stems."""
    return tuple(term.key for term in terms(text))


def child_of(parent: str, day: date) -> str:
    """Returns the path of the node directly below `parent` that contains a day."""
    if parent == ROOT_PATH:
        return node_path(NodeLevel.MONTHLY, month_of_week(week_of(day)))
    if parent.startswith("memory/monthly/"):
        return node_path(NodeLevel.WEEKLY, week_of(day))
    return node_path(NodeLevel.DAILY, day.isoformat())


def said_in(path: str, text: bytes) -> dict[str, list[str]]:
    """Returns what ROOT, a month or a week says about each child, by the child's path."""
    document = Document.from_bytes(text)
    found: dict[str, list[str]] = {}
    if path == ROOT_PATH:
        for child, said in _root_lines(document):
            found.setdefault(child, []).extend(said)
        return found
    for line in trace(document.body_lines, document.frontmatter.body_line, near_day(path)):
        for child in sorted({child_of(path, day) for span in line.spans if (day := raw_day(span.path))}):
            found.setdefault(child, []).extend(stems(line.text))
    return found


def _root_lines(document: Document) -> Iterator[tuple[str, Stems]]:
    """Yields each child with its stems. A word counts once a day, since ROOT's sections repeat each other."""
    by_months: dict[tuple[tuple[str, ...], str], dict[str, None]] = {}
    for line in document.body_lines:
        if (about := _ABOUT.match(line)) is not None:
            months = tuple(_months(about["first"], about["last"]))
            said = by_months.setdefault((months, about["first"]), {})
            said.update(dict.fromkeys(stems(line.partition(" ")[2].partition(" ")[2])))
    for (months, _), said in by_months.items():
        yield from ((node_path(NodeLevel.MONTHLY, month), tuple(said)) for month in months)


def _months(first: str, last: str | None) -> Iterator[str]:
    """Yields the months of a day, a week, a month or a range of months; none for an invalid date."""
    day = parse_day(first) if len(first) == _DAY else None
    week = week_of(day) if day else first
    if "W" in week and is_period(NodeLevel.WEEKLY, week):
        yield month_of_week(week)
    elif len(first) == _MONTH and is_period(NodeLevel.MONTHLY, first):
        until = first if last is None else last if len(last) == _MONTH else f"{first[:4]}-{last}"
        for _ in range(_MOST_MONTHS):
            yield first
            if first >= until:
                return
            first = f"{int(first[:4]) + (first[5:] == '12'):04}-{int(first[5:]) % 12 + 1:02}"


def told_days(root: bytes, asked: Stems, found: Mapping[str, float]) -> dict[str, float]:
    """Returns the extra score of each day that ROOT itself tells about, by the path of its node. For a range of days,
    `found` (the score of each day's logs) decides which of them gets it."""
    wanted, told = set(asked), dict[str, float]()
    for line in Document.from_bytes(root).body_lines:
        about = _ABOUT.match(line)
        first = parse_day(about["first"]) if about is not None and len(about["first"]) == _DAY else None
        if about is None or first is None:
            continue
        last = parse_day(about["first"][:8] + (about["last"] or about["first"][8:])) or first
        within = [path for path in found if (place := node_place(path)) and f"{first}" <= place[1] <= f"{last}"]
        most = max((found[path] for path in within), default=0.0) or 1.0
        for phrase in line[about.end() :].split("; "):
            shared = len(wanted.intersection(stems(phrase)))
            if shared >= max(2, TOLD_SHARE * len(wanted)):
                for path in within:
                    told[path] = max(told.get(path, 0.0), TOLD * shared / len(wanted) * found[path] / most)
    return told


def scores(question: Sequence[str], children: Said) -> dict[str, float]:
    """Scores each child by BM25 over its siblings."""
    wanted = set(question)
    counts = {child: Counter(word for word in said if word in wanted) for child, said in children.items()}
    # Lengths are not levelled out: the writer gives each child room by how much it stands for, so that a child with
    # more lines has more to be found by.
    return bm25(counts, len(counts), lambda _: K1)


def drill(
    question: str,
    said: Callable[[str], Said],
    *,
    beam: int = BEAM,
    named: Sequence[date] = (),
    below: Mapping[str, float] = NOTHING,
) -> Drilled:
    """Goes down from ROOT to months, weeks and days, on each level into the best `beam` nodes. `said` reads what a node
    says of its children. `named`: days whose nodes go first. `below`: each day's search score, by its node."""
    words = stems(question)
    beams, read = [ROOT_PATH], list[str]()
    likely: list[str] = []
    days = [(date.fromisoformat(place[1]), worth) for path, worth in below.items() if (place := node_place(path))]
    # Three steps down: ROOT to months, to weeks, to days.
    for _ in range(3):
        children: dict[str, Sequence[str]] = {}
        best: dict[str, float] = {}
        for parent in beams:
            children.update(said(parent))
            for day, worth in days:
                child = child_of(parent, day)
                best[child] = max(worth, best.get(child, 0.0))
        here = {child_of(parent, day) for parent in beams for day in named}
        read += beams
        score = _judged(scores(words, children), best)
        # Of equals the latest. The last sort is stable: within both parts the best stays first.
        ranked = sorted(sorted(score, reverse=True), key=lambda child: -score[child])
        beams = sorted(ranked, key=lambda child: child not in here)[:beam]
        likely = [child for child in beams if score[child] or child in here]
    return Drilled(tuple(likely), tuple(read))


def _judged(lines: Mapping[str, float], below: Mapping[str, float]) -> dict[str, float]:
    """Adds to each child's search score a smaller score for what its parent says about it."""
    best = max(lines.values(), default=0.0) or 1.0
    # Without a search inside the nodes the lines above are all there is.
    share = LINES if below else 1.0
    return {child: below.get(child, 0.0) + share * score / best for child, score in lines.items()}


MOST_LINES = 1
"""Lines that a drill shows of each child it went on to; with two, a log of 2,000 tokens is read to a third."""


class LineRead(msgspec.Struct, frozen=True):
    """A line that a drill shows: the path of its node, its number and its text."""

    path: str
    number: int
    text: str


def lines_read(question: str, found: Drilled, text_of: Callable[[str], bytes]) -> Iterator[LineRead]:
    """Yields each visited child's line that shares most words with the question; skips copies of shown lines."""
    words, went = set(stems(question)), {*found.read, *found.days}
    told: set[LineSpan] = set()
    for path in found.read:
        document = Document.from_bytes(text_of(path))
        lines = trace(document.body_lines, document.frontmatter.body_line, near_day(path))
        shared = {line.line: len(words & set(stems(line.text))) for line in lines}
        shown: Counter[str] = Counter()
        chosen: list[Traced] = []
        for line in sorted(lines, key=lambda line: (-shared[line.line], line.line)):
            leads = _leads(path, line) & went
            is_new = shared[line.line] and not {*line.spans} & told
            if is_new and any(shown[child] < MOST_LINES for child in leads):
                chosen.append(line)
                shown.update(leads)
        told.update(span for line in chosen for span in line.spans)
        for number in sorted(line.line for line in chosen):
            yield LineRead(path, number, document.lines[number - 1])


def _leads(path: str, line: Traced) -> set[str]:
    about = _ABOUT.match(line.text) if path == ROOT_PATH else None
    months = _months(about["first"], about["last"]) if about else ()
    days = {day for span in line.spans if (day := raw_day(span.path))}
    return {child_of(path, day) for day in days} | {node_path(NodeLevel.MONTHLY, month) for month in months}
