"""The tree on real logs with known answers: how small it gets, what it keeps, and whether drilling finds the day.

Drilling reads ROOT, picks the best months by their lines in it, their best weeks by the lines in the months, and the
best days by the lines in the weeks: beam 1 keeps one at each level, beam 3 three. The judge is that of `memdeck tree
find`, BM25 over the children at hand, for all alike. Baselines have as many tokens in every parent: the day's top
TF-IDF keywords with the date, its first lines, and its top TF-IDF lines. Flat BM25 reads all raw days. Where many
questions name a day, whoever drills takes it for what it says, for all alike; the figures by words alone stand beside.
"""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from engine.plans.plan import Create
from engine.plans.planning import Planning
from engine.plans.policy.values import Policy
from engine.text.canonical_json import sha256_hex
from engine.text.document import split_lines
from engine.text.frontmatter import read_frontmatter
from engine.text.tokens import counter
from engine.tree import calendar
from engine.tree.browse.drill import Drilled, child_of, drill, said_in, scores, stems
from engine.tree.browse.spoken_dates import meant
from engine.tree.cycle.options import TreeOptions
from engine.tree.cycle.plan import plan_tree
from engine.tree.levels import ROOT_PATH, NodeLevel, node_path
from engine.tree.nodes.keywords import terms
from engine.tree.refs import raw_day
from engine.tree.survey.records import TreeRecords
from engine.workspace.facts import count_lines
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Capability, DateSource, FileDate, FileFacts, WorkspaceIdentity
from tests.conftest import SHARED

Row = tuple[str, str, str]
Maker = Callable[[date, int], str]
"""What a baseline writes of a day in so many tokens."""
TOKENS = counter("o200k_base")


class Question(msgspec.Struct, frozen=True):
    """A question, its answer, the fact it needs and the days that hold it."""

    text: str
    answer: str
    recall: str
    days: frozenset[date]


class Case(msgspec.Struct, frozen=True):
    """One workspace: its raw days, and the tree that one drain makes of them."""

    raw: dict[date, str]
    nodes: dict[str, str]
    questions: list[Question]


@lru_cache(maxsize=500_000)
def keys(text: str) -> tuple[str, ...]:
    return stems(text)


def load(folder: Path) -> Case:
    """The raw logs of a data set, the tree that is planned for them, and the questions that have evidence."""
    raw = {date.fromisoformat(file.stem): file.read_text("utf-8") for file in sorted((folder / "memory").glob("*.md"))}
    questions = [
        q for line in (folder / "questions.jsonl").open(encoding="utf-8") if (q := _question(json.loads(line)))
    ]
    return Case(raw, plan_nodes(raw), questions)


def _question(row: Mapping[str, Any]) -> Question | None:
    days = frozenset(day for path in row["evidence_days"] if (day := raw_day(path)))
    if not days or not row.get("answerable", True):
        return None
    return Question(
        row.get("question_full") or row["question"], row.get("answer") or "", row.get("should_recall") or "", days
    )


def plan_nodes(raw: Mapping[date, str]) -> dict[str, str]:
    """The text of every node that a drain plans, some time after the last log."""
    files = {f"memory/{day}.md": text.encode() for day, text in raw.items()}
    now = datetime.combine(max(raw) + timedelta(days=1), datetime.min.time(), UTC)
    snapshot = Snapshot(
        workspace=WorkspaceIdentity("/eval", 1, 2),
        taken_at=now,
        zone="UTC",
        tokenizer=TOKENS.name,
        capabilities=frozenset({Capability.TREE}),
        files={path: _facts(path, data) for path, data in sorted(files.items())},
        skipped=(),
        reader=lambda path: files[path],
    )
    planning = Planning(snapshot=snapshot, policy=Policy(), now=now, counter=TOKENS)
    outcome = plan_tree(planning, records=TreeRecords(), options=TreeOptions(drain=True))
    assert outcome.plan is not None
    return {change.path: change.content for change in outcome.plan.changes if isinstance(change, Create)}


def _facts(path: str, data: bytes) -> FileFacts:
    return FileFacts(
        path=path,
        size=len(data),
        sha256=sha256_hex(data),
        lines=count_lines(data),
        tokens=TOKENS.count(data.decode()),
        date=FileDate(raw_day(path) or date.min, DateSource.NAME),
        frontmatter=read_frontmatter(data).values,
    )


# ── what each parent says of each day ──────────────────────────────────────────────────────────────────────────────

Index = dict[str, dict[str, list[str]]]
"""By path of a parent: what it says of each child, as the stems of the child's lines."""


def our_index(case: Case) -> Index:
    """What the lines of our nodes say of each child."""
    return {path: said_in(path, text.encode()) for path, text in case.nodes.items() if "/daily/" not in path}


def baseline_index(case: Case, lines_of: Callable[[date, int], str]) -> Index:
    """A tree with the same parents and as many tokens in each, whose lines are a baseline's for each day."""
    found: Index = {}
    for path, text in case.nodes.items():
        if path.startswith("memory/daily/"):
            continue
        days = [day for day in case.raw if _is_below(path, day)]
        room = TOKENS.count(text) // max(1, len(days))
        children: dict[str, list[str]] = {}
        for day in days:
            children.setdefault(child_of(path, day), []).extend(keys(lines_of(day, room)))
        found[path] = children
    return found


def _is_below(path: str, day: date) -> bool:
    week = calendar.week_of(day)
    period = path.rpartition("/")[2].removesuffix(".md")
    return path == ROOT_PATH or period in (str(day), week, calendar.month_of_week(week))


def naive_keywords(case: Case) -> Callable[[date, int], str]:
    """The day's top TF-IDF keywords behind its date."""
    counts = {day: Counter(term.key for term in terms(text)) for day, text in case.raw.items()}
    frequency = Counter(key for count in counts.values() for key in count)
    surface: dict[str, str] = {}
    for text in case.raw.values():
        for term in terms(text):
            surface.setdefault(term.key, term.surface)
    order = {
        day: sorted(count, key=lambda key: (-count[key] * math.log(len(counts) / frequency[key]), key))
        for day, count in counts.items()
    }

    def lines(day: date, room: int) -> str:
        return _filled((surface[key] for key in order[day]), room - 7)

    return lines


def first_lines(case: Case) -> Callable[[date, int], str]:
    """The first lines of the day."""

    def lines(day: date, room: int) -> str:
        return _filled(split_lines(case.raw[day]), room - 7)

    return lines


def top_lines(case: Case) -> Callable[[date, int], str]:
    """The day's lines with the highest mean TF-IDF."""
    frequency = Counter(key for text in case.raw.values() for key in set(keys(text)))

    def weight(line: str) -> float:
        found = keys(line)
        return sum(math.log(len(case.raw) / frequency[key]) for key in found) / math.sqrt(len(found) + 1)

    def lines(day: date, room: int) -> str:
        return _filled(sorted(split_lines(case.raw[day]), key=lambda line: (-weight(line), line)), room - 7)

    return lines


def _filled(parts: Iterable[str], room: int) -> str:
    """As many parts as fit; the first that does not is cut."""
    kept: list[str] = []
    for part in parts:
        price = _price(part)
        if price > room:
            words = part.split()
            while words and _price(" ".join(words)) > room:
                words.pop()
            return " ".join([*kept, *words])
        kept.append(part)
        room -= price
    return " ".join(kept)


@lru_cache(maxsize=200_000)
def _price(text: str) -> int:
    return TOKENS.count(" " + text)


# ── drilling ───────────────────────────────────────────────────────────────────────────────────────────────────────


def drilled(case: Case, index: Index, question: str, beam: int, *, dates: bool) -> Drilled:
    """Where drilling ends. `dates`: whether who drills takes a date in the question for what it says."""
    named = tuple(meant(question, case.raw)) if dates else ()
    return drill(question, lambda path: index.get(path, {}), beam=beam, named=named)


def hits(case: Case, index: Index, beam: int, *, dates: bool = False) -> float:
    return _found(case, lambda text: drilled(case, index, text, beam, dates=dates).days)


def flat_hits(case: Case, beam: int, *, dates: bool = False) -> float:
    """The same judge over the whole text of every day at once."""
    documents = {node_path(NodeLevel.DAILY, str(day)): keys(text) for day, text in case.raw.items()}

    def best(text: str) -> Sequence[str]:
        score = scores(keys(text), documents)
        named = {node_path(NodeLevel.DAILY, str(day)) for day in meant(text, case.raw)} if dates else set()
        return sorted(documents, key=lambda path: (path not in named, -score[path], path))[:beam]

    return _found(case, best)


def _found(case: Case, days_for: Callable[[str], Sequence[str]]) -> float:
    """Percent of the questions for which one of the days is a day of the evidence."""
    wanted = [{node_path(NodeLevel.DAILY, str(day)) for day in question.days} for question in case.questions]
    pairs = zip(case.questions, wanted, strict=True)
    return 100 * sum(not days.isdisjoint(days_for(question.text)) for question, days in pairs) / len(wanted)


def tokens_read(case: Case, index: Index, beam: int) -> float:
    """Tokens of the nodes that drilling reads, on average, as a share of all raw days."""
    sizes = {path: TOKENS.count(text) for path, text in case.nodes.items()}
    total = sum(TOKENS.count(text) for text in case.raw.values())
    read = [sum(sizes[path] for path in drilled(case, index, q.text, beam, dates=False).read) for q in case.questions]
    return 100 * sum(read) / len(read) / total


# ── figures ────────────────────────────────────────────────────────────────────────────────────────────────────────


def compression(case: Case) -> dict[str, float]:
    """Tokens of each level's nodes, in percent of the raw logs."""
    raw = sum(TOKENS.count(text) for text in case.raw.values())
    folders = {"day": "memory/daily/", "week": "memory/weekly/", "month": "memory/monthly/", "ROOT": ROOT_PATH}
    return {
        name: 100 * sum(TOKENS.count(text) for path, text in case.nodes.items() if path.startswith(folder)) / raw
        for name, folder in folders.items()
    }


def retention(case: Case) -> dict[str, float]:
    """Of the answers' words that stand in their day's log, how many stand in its day, week, month node and in ROOT."""
    kept: Counter[str] = Counter()
    total = 0
    stems = {path: frozenset(keys(text)) for path, text in case.nodes.items()}
    for question in case.questions:
        answer = set(keys(question.answer))
        for day in question.days:
            wanted = answer & set(keys(case.raw.get(day, "")))
            total += len(wanted)
            week = calendar.week_of(day)
            for name, path in (
                ("day", node_path(NodeLevel.DAILY, str(day))),
                ("week", node_path(NodeLevel.WEEKLY, week)),
                ("month", node_path(NodeLevel.MONTHLY, calendar.month_of_week(week))),
                ("ROOT", ROOT_PATH),
            ):
                kept[name] += len(wanted & stems.get(path, frozenset()))
    return {name: 100 * count / max(1, total) for name, count in kept.items()}


def coverage(case: Case, text: str) -> float:
    """Facts of which at least half of the words that the question does not give stand in the text."""
    there = set(keys(text))
    found = total = 0
    for question in case.questions:
        novel = set(keys(question.recall)) - set(keys(question.text))
        if novel:
            total += 1
            found += 2 * len(novel & there) >= len(novel)
    return 100 * found / max(1, total)


def keyword_root(case: Case, make: Callable[[date, int], str]) -> str:
    """A ROOT of a baseline: as many tokens as ours, an equal part for each day."""
    room = TOKENS.count(case.nodes[ROOT_PATH]) // len(case.raw)
    return "\n".join(make(day, room) for day in case.raw)


def rows() -> Iterator[Row]:
    """Every figure of the tree, for `make eval`."""
    yield from _of_set("MemAware", [load(SHARED / "memaware")])
    for name in ("en", "cn"):
        cases = [load(folder) for folder in sorted((SHARED / f"memorybank-{name}").iterdir()) if folder.is_dir()]
        yield from _of_set(f"MemoryBank {name}", [case for case in cases if case.questions])


def _mean(cases: Sequence[Case], figure: Callable[[Case], float]) -> float:
    weights = [len(case.questions) for case in cases]
    return sum(figure(case) * weight for case, weight in zip(cases, weights, strict=True)) / sum(weights)


def _drilled(
    cases: Sequence[Case], makers: Mapping[str, Callable[[Case], Maker]], beam: int, *, dates: bool
) -> tuple[str, str]:
    ours = _mean(cases, lambda case: hits(case, our_index(case), beam, dates=dates))
    others = []
    for label, make in makers.items():
        indexed = [baseline_index(case, make(case)) for case in cases]
        figures = [hits(case, index, beam, dates=dates) for case, index in zip(cases, indexed, strict=True)]
        mean = sum(f * len(c.questions) for f, c in zip(figures, cases, strict=True))
        others.append(f"{label} {mean / sum(len(case.questions) for case in cases):.1f}")
    flat = _mean(cases, lambda case: flat_hits(case, beam, dates=dates))
    return f"{ours:.1f} %", "; ".join([*others, f"flat BM25 over raw {flat:.1f}"])


def _of_set(name: str, cases: Sequence[Case]) -> Iterator[Row]:
    def mean(figure: Callable[[Case], float]) -> float:
        return _mean(cases, figure)

    levels = ("day", "week", "month", "ROOT")
    sizes = {level: mean(lambda case, level=level: compression(case)[level]) for level in levels}  # type: ignore[misc]
    yield f"{name}: size in % of raw", _levels(sizes), "day / week / month / ROOT"
    kept = {level: mean(lambda case, level=level: retention(case)[level]) for level in levels}  # type: ignore[misc]
    yield f"{name}: answer words kept", _levels(kept), "% in day / week / month / ROOT"
    makers = {"TF-IDF keywords per day": naive_keywords, "first lines": first_lines, "top TF-IDF lines": top_lines}
    asked = [bool(tuple(meant(q.text, case.raw))) for case in cases for q in case.questions]
    dated = sum(asked) > len(asked) / 10
    for beam, dates in ((1, True), (1, False), (3, True), (3, False)) if dated else ((1, False), (3, False)):
        label = f"{name}: drilling, beam {beam}{', words alone' if dated and not dates else ''}"
        yield (label, *_drilled(cases, makers, beam, dates=dates))
        if not dates:
            read = mean(lambda case, beam=beam: tokens_read(case, our_index(case), beam))  # type: ignore[misc]
            yield f"{name}: tokens read, beam {beam}", f"{read:.1f} %", "of all raw days"
    if any(question.recall for case in cases for question in case.questions):
        ours = mean(lambda case: coverage(case, case.nodes[ROOT_PATH]))
        naive = mean(lambda case: coverage(case, keyword_root(case, naive_keywords(case))))
        size = mean(lambda case: TOKENS.count(case.nodes[ROOT_PATH]))
        yield (
            f"{name}: gold facts in ROOT",
            f"{ours:.1f} %",
            f"of {size:.0f} tokens; keywords per day {naive:.1f} %; reach for > 20 %",
        )


def _levels(figures: Mapping[str, float]) -> str:
    return " / ".join(f"{figures[level]:.0f}" for level in ("day", "week", "month", "ROOT"))
