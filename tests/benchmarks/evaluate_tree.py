"""The tree on real logs with known answers: what ROOT says, how small a tree gets, whether drilling finds the day.

ROOT is judged by gold facts, each once and without those of questions about what was never said: one counts where at
least half of its telling words stand in one line, and within eight words of each other. Three placebos of as many
tokens must lose: the commonest words, random sentences, first lines. Drilling is that of `memdeck tree find`, three
beams; its rival is BM25 over all raw days. All gains are in pairs, with intervals from a bootstrap over days.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from statistics import fmean

from engine.models.plain_line import cleaned
from engine.models.sentence_candidates import read_lines
from engine.search.dates.days_in_question import spans_in
from engine.tree.browse.day_words import K1, B, DayWords, bm25, near_dates
from engine.tree.browse.drill import Drilled, drill, lines_read, said_in, stems, told_days
from engine.tree.browse.find import meant
from engine.tree.levels import ROOT_PATH, NodeLevel, node_path
from engine.tree.nodes.things import terms
from tests.benchmarks.tree_cases import TOKENS, Case, Question, cases, plan_nodes
from tests.benchmarks.tree_reading import RULE, Reader

Row = tuple[str, str, str]
__all__ = ["plan_nodes", "rows"]
NEAR = 8
"""Words within which half of a fact's words must stand."""
PLACEBO_TOKENS = 3_000
BEAM = 3
DRAWS = 2_000
SHOWN = 40
FOLDERS = {"day": "/daily/", "week": "/weekly/", "month": "/monthly/", "ROOT": ROOT_PATH}


def rows() -> Iterator[Row]:
    """Every figure of the tree, for `make eval`."""
    sampled: list[str] = []
    yield "a line reads if", "", RULE
    for name, some in cases():
        yield from _sizes(name, some)
        if any(case.questions for case in some):
            yield from _drills(name, some)
        if any(question.recall for case in some for question in case.questions):
            yield from _facts(name, some)
        lines = [line for case in some for line in said_lines(case)]
        placebo = f"of the commonest words {_read_share(some, common_words):.1f} %"
        yield f"{name}: lines that read", f"{_read_share(some, said_lines):.1f} %", f"of {len(lines)}; {placebo}"
        sampled += random.Random(3).sample(lines, min(SHOWN, len(lines)))
    sampled = list(dict.fromkeys(sampled))
    for line in random.Random(5).sample(sampled, min(SHOWN, len(sampled))):
        yield "  line", "", line


# ── facts in ROOT ──────────────────────────────────────────────────────────────────────────────────────────────────


def _facts(name: str, some: Sequence[Case]) -> Iterator[Row]:
    asked = [(case, question) for case in some for question in each_fact_once(case.questions)]
    days = [min(question.days) for _, question in asked]
    rivals: dict[str, Callable[[Case], Sequence[str]]] = {
        "commonest words": common_words,
        "random sentences": random_sentences,
        "first lines": first_lines,
    }
    root = {id(case): case.nodes[ROOT_PATH].split("\n") for case in some}
    ours = stated([(root[id(case)], question) for case, question in asked], NEAR)
    anywhere = stated([(root[id(case)], question) for case, question in asked], None)
    size = fmean(TOKENS.count(case.nodes[ROOT_PATH]) for case in some)
    both = f"{percent(anywhere):.1f} / {percent(ours):.1f} %"
    detail = f"half of their words in one line / within {NEAR} words; {len(asked)} facts, {size:.0f} tokens"
    yield f"{name}: facts in ROOT", both, detail
    for rival, make in rivals.items():
        lines = {id(case): make(case) for case in some}
        theirs, near = (stated([(lines[id(case)], one) for case, one in asked], width) for width in (None, NEAR))
        gains = f"{gain(anywhere, theirs, days)} / {gain(ours, near, days)}"
        yield f"  {rival}", f"{percent(theirs):.1f} / {percent(near):.1f} %", gains


def each_fact_once(questions: Iterable[Question]) -> list[Question]:
    """The questions whose fact was said, one for each fact: its first."""
    return list({one.fact: one for one in reversed(list(questions)) if one.fact and one.content}.values())[::-1]


def stated(pairs: Iterable[tuple[Sequence[str], Question]], near: int | None) -> list[bool]:
    """Tells of each fact whether half of its words stand in one line, so near to each other."""
    return [any(_holds(_keys(line), question.content, near) for line in lines) for lines, question in pairs]


def _holds(words: Sequence[str], content: frozenset[str], near: int | None) -> bool:
    if 2 * len(content & set(words)) < len(content):
        return False
    width = near or len(words)
    return any(2 * len(content & set(words[at : at + width])) >= len(content) for at in range(len(words)))


@lru_cache(maxsize=100_000)
def _keys(line: str) -> tuple[str, ...]:
    return stems(line)


def common_words(case: Case) -> list[str]:
    """The words that stand most often, twelve a line."""
    counts = Counter(term.surface for text in case.raw.values() for term in terms(text))
    words = [word for word, _ in counts.most_common(4_000)]
    return _filled(" ".join(words[at : at + 12]) for at in range(0, len(words), 12))


def random_sentences(case: Case) -> list[str]:
    found = [one for text in case.raw.values() for one in _sentences(text)]
    random.Random(7).shuffle(found)
    return _filled(found)


def first_lines(case: Case) -> list[str]:
    """The first sentences of each day by turns."""
    days = [_sentences(text) for text in case.raw.values()]
    return _filled(day[at] for at in range(max(map(len, days))) for day in days if at < len(day))


def _sentences(text: str) -> list[str]:
    return [one.text for one in read_lines(cleaned(text.split("\n")), 1).candidates if one.kind != "heading"]


def _filled(lines: Iterable[str], room: int = PLACEBO_TOKENS) -> list[str]:
    kept: list[str] = []
    for line in lines:
        price = TOKENS.count(line) + 1
        if price <= room:
            kept.append(line)
            room -= price
        if room < 8:
            break
    return kept


# ── sizes and lines ────────────────────────────────────────────────────────────────────────────────────────────────


def _sizes(name: str, some: Sequence[Case]) -> Iterator[Row]:
    """Tokens of each level's nodes in percent of the raw logs, and the largest summary of a week and month."""
    raw = sum(case.raw_tokens for case in some)
    parts = {
        level: sum(TOKENS.count(text) for case in some for path, text in case.nodes.items() if folder in path)
        for level, folder in FOLDERS.items()
    }
    shown = " / ".join(f"{100 * tokens / raw:.1f}" for tokens in parts.values())
    largest = "; ".join(
        f"largest summary of a {level} {max(found):.0f} %"
        for level in ("week", "month")
        if (found := _shares(some, level))
    )
    yield f"{name}: size in % of raw", shown, f"day / week / month / ROOT; {largest or 'all of them are copies'}"


def _shares(some: Sequence[Case], level: str) -> list[float]:
    nodes = [text for case in some for path, text in case.nodes.items() if FOLDERS[level] in path]
    summaries = [text for text in nodes if "\nsummary: extractive\n" in text]
    return [
        100 * TOKENS.count(text) / int(text.split("raw-tokens: ")[1].split("\n")[0].strip("'\"")) for text in summaries
    ]


def _read_share(some: Sequence[Case], lines_of: Callable[[Case], Sequence[str]]) -> float:
    return percent(
        reader.reads(line) for case in some for reader in [Reader(case.raw.values())] for line in lines_of(case)
    )


def said_lines(case: Case) -> list[str]:
    """The lines that summaries and ROOT made: no copies, no headings, no lists of names."""
    found: list[str] = []
    for text in case.nodes.values():
        if "\nsummary: extractive\n" in text:
            part = ""
            for line in text.split("\n"):
                part = line[3:] if line.startswith("## ") else part
                if line.startswith("- ") and part not in ("Entities", "Key Themes", "Topics Index"):
                    found.append(line)
    return found


# ── drilling ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _drills(name: str, some: Sequence[Case]) -> Iterator[Row]:
    ours: list[tuple[bool, bool]] = []
    theirs: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    days: list[date] = []
    shares: list[float] = []
    whole: list[float] = []
    for case in some:
        found = Drills(case)
        sizes = {path: TOKENS.count(text) for path, text in case.nodes.items()}
        for question in case.questions:
            wanted = {node_path(NodeLevel.DAILY, str(day)) for day in question.days}
            drilled = found.drilled(question.text)
            ours.append(_hit(drilled.days, wanted))
            for rival, ranked in found.flat(question.text).items():
                theirs[rival].append(_hit(ranked, wanted))
            days.append(min(question.days))
            shares.append(100 * found.tokens(question.text, drilled) / case.raw_tokens)
            whole.append(100 * sum(sizes[path] for path in drilled.read) / case.raw_tokens)
    first, three = [one for one, _ in ours], [one for _, one in ours]
    read = f"read {fmean(shares):.1f} % of the raw tokens, of whole nodes {fmean(whole):.1f} %"
    yield f"{name}: drill, first / among three", f"{percent(first):.1f} / {percent(three):.1f} %", read
    for rival, hits in theirs.items():
        label = f"{percent(one for one, _ in hits):.1f} / {percent(one for _, one in hits):.1f} %"
        above = gain(three, [one for _, one in hits], days)
        yield f"  {rival} over raw days", label, f"{above}; {len(days)} questions"


def _hit(ranked: Sequence[str], wanted: set[str]) -> tuple[bool, bool]:
    return bool(set(ranked[:1]) & wanted), bool(set(ranked[:BEAM]) & wanted)


class Drills:
    """What drills in one tree read, worked out once."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._days = {node_path(NodeLevel.DAILY, str(day)): day for day in case.raw}
        texts = {path: case.raw[day] for path, day in self._days.items()}
        self._words = DayWords(texts)
        self._said = {path: said_in(path, text.encode()) for path, text in case.nodes.items() if "/daily/" not in path}
        bags = [Counter(stems(text)) for text in texts.values()]
        average = fmean(bag.total() for bag in bags)
        self._bags = dict(zip(texts, bags, strict=True))
        self._long = {path: K1 * (1 - B + B * bag.total() / average) for path, bag in self._bags.items()}

    def drilled(self, question: str) -> Drilled:
        named = sorted(meant(question, self._case.raw), reverse=True)
        spans = [(one.first, one.last) for one in spans_in(question, max(self._case.raw))]
        found = self._words.scores(stems(question))
        near = near_dates(self._days, spans or [(day, day) for day in named])
        told = told_days(self._case.nodes[ROOT_PATH].encode(), stems(question), found)
        below = {path: sum(part.get(path, 0.0) for part in (found, near, told)) for path in found.keys() | near.keys()}
        return drill(question, lambda path: self._said.get(path, {}), beam=BEAM, named=named, below=below)

    def flat(self, question: str) -> dict[str, list[str]]:
        asked = set(stems(question))
        found = ((path, {word: bag[word] for word in asked if word in bag}) for path, bag in self._bags.items())
        counts = {path: held for path, held in found if held}
        flat = {"BM25": lambda path: self._long[path], "BM25 without lengths": lambda _: K1}
        return {name: _ranked(bm25(counts, len(self._bags), long)) for name, long in flat.items()}

    def tokens(self, question: str, drilled: Drilled) -> int:
        """Tokens of ROOT, which is always loaded, and of the lines that lead down."""
        lines = lines_read(question, drilled, lambda path: self._case.nodes[path].encode())
        shown = [line.text for line in lines if line.path != ROOT_PATH]
        return TOKENS.count(self._case.nodes[ROOT_PATH]) + TOKENS.count("\n".join(shown))


def _ranked(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda path: (-scores[path], path))


# ── figures ────────────────────────────────────────────────────────────────────────────────────────────────────────


def percent(found: Iterable[bool]) -> float:
    each = list(found)
    return 100 * sum(each) / max(1, len(each))


def gain(ours: Sequence[bool], theirs: Sequence[bool], groups: Sequence[object]) -> str:
    """By how much ours is above, in points, with the interval of 95 %: whole groups drawn anew."""
    by_group: dict[object, list[int]] = defaultdict(list)
    for one, other, group in zip(ours, theirs, groups, strict=True):
        by_group[group].append(one - other)
    parts, chance = list(by_group.values()), random.Random(7)
    drawn = (chance.choices(parts, k=len(parts)) for _ in range(DRAWS))
    means = sorted(100 * fmean(gain for part in one for gain in part) for one in drawn)
    low, high = means[DRAWS // 40], means[-DRAWS // 40]
    return f"ours {percent(ours) - percent(theirs):+.1f} ({low:+.1f} to {high:+.1f})"
