"""Statements and hard negatives: the entries that an extraction would promote from each turn's own session."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import NamedTuple

from engine.lifecycle.requests import CondenseRequest, ExtractRequest
from engine.plans.plan import Append, Create, Replace
from engine.plans.planning import PlanOutcome, PlanRequest
from tests.benchmarks.corpora.judged import Item, Part, items
from tests.benchmarks.judged_shared import Row, caught, compared, place
from tests.engine.approved import applied

CUES: Mapping[str, str] = {
    "decision": r"decid|decision|going with|go with|let's|agreed|entschied|beschlossen|决定|décid|decidi",
    "lesson": r"learn|lesson|turns out|mistake|gelernt|教训|appris|aprendi",
    "preference": r"\bi (like|prefer|want)\b|please|ich (will|mag|möchte)|bitte|喜欢|préfère|prefier",
    "correction": r"\b(stop|don't|never|always)\b|\bnie\b|immer|不要|jamais",
    "procedure": r"\bfirst\b.*\bthen\b|steps|\berst\b.*\bdann\b|先.*再|primero",
    "person": r"\b(she|he|dr\.?|mr|mrs|frau|herr)\b|负责",
    "fact": r"\d{3,}|\bkey\b|address|端口|nummer|schlüssel",
    "journal": r"\b(today|yesterday|finished|heute|hoy)\b|今天",
}
"""The keyword rule: words of a dictionary, not tuned; but chosen by the author of the texts, which flatters it."""


DAYS = 60
"""Days that are condensed at the most: they end before the present of a `Place`."""


class Entry(NamedTuple):
    """What would be promoted."""

    kind: str
    grade: str
    text: str


def rows(part: Part) -> Iterator[Row]:
    yield from _statements(items(part, "statements"))
    yield from _negatives(items(part, "hard_negatives"), shown=part == "choose")


def entries(sessions: Sequence[Item]) -> list[list[Entry]]:
    """What an extraction of each session alone would promote."""
    with place() as there, there.open() as engine:
        paths = [caught(engine, one["id"], one["turns"]) for one in sessions]
        return [
            _promoted(engine.plans.make("extract", PlanRequest(ExtractRequest(transcripts=(path,))))) for path in paths
        ]


def _promoted(outcome: PlanOutcome) -> list[Entry]:
    made: Mapping[str, Mapping[str, str]] = outcome.facts.get("entries", {})
    written = "\n".join(
        one.content
        for one in (outcome.plan.changes if outcome.plan else ())
        if isinstance(one, Create | Replace | Append)
    )
    said = {ident: text for text, ident in re.findall(r"^(.*?)\s*<!-- x:([0-9a-f]{10})", written, re.MULTILINE)}
    return [Entry(one["kind"], one["grade"], said[ident]) for ident, one in made.items() if ident in said]


def _by_words(one: Item) -> set[str]:
    text = "\n".join(turn["text"] for turn in one["turns"] if turn["role"] == "user").casefold()
    return {kind for kind, pattern in CUES.items() if re.search(pattern, text)}


class _Judged(NamedTuple):
    """Kinds of one item: right, wrong and missed."""

    right: int
    wrong: int
    missed: int

    @property
    def whole(self) -> float:
        return float(not self.wrong and not self.missed)


def _judged(one: Item, kinds: set[str]) -> _Judged:
    wanted = [{entry["kind"], *entry.get("or", ())} for entry in one["entries"]]
    right = sum(bool(each & kinds) for each in wanted)
    return _Judged(right, len(kinds - set().union(*wanted)), len(wanted) - right)


def _scores(judged: Sequence[_Judged]) -> str:
    right, wrong, missed = map(sum, zip(*judged, strict=True))
    return f"{right / max(1, right + wrong):.2f} / {right / max(1, right + missed):.2f}"


def _statements(every: Sequence[Item]) -> Iterator[Row]:
    found = entries(every)
    product = [_judged(one, {entry.kind for entry in mine}) for one, mine in zip(every, found, strict=True)]
    keyword = [_judged(one, _by_words(one)) for one in every]
    placebo = [_judged(one, kinds) for one, kinds in zip(every, _drawn(every), strict=True)]
    beside = f"keyword {_scores(keyword)}, placebo {_scores(placebo)}"
    yield "statements, kinds: precision / recall", _scores(product), beside
    mine, words, chance = ([each.whole for each in by] for by in (product, keyword, placebo))
    yield compared("statements wholly right", mine, words, chance)
    for language in ("en", "de", "zh", "other"):
        numbers = [n for n, one in enumerate(every) if _language(one) == language]
        of_it, by_words = ([by[n] for n in numbers] for by in (product, keyword))
        yield f"  {language}: precision / recall", _scores(of_it), f"{len(numbers)} turns; keyword {_scores(by_words)}"
    said = [entry for one, mine in zip(every, found, strict=True) for entry in mine if not one["entries"]]
    empty = sum(not one["entries"] for one in every)
    yield "  entries from turns that hold nothing", str(len(said)), f"{empty} such turns"
    lasting = [one for one in every if one["entries"]][:DAYS]
    journals, rolled = _condensed(lasting)
    yield "  that last, in a journal, condensed", f"{journals}/{len(lasting)}", f"{rolled} rows of MEMORY.md"
    agreed = [
        mine for one, mine in zip(every, found, strict=True) if any(e["grade"] == "confirmed" for e in one["entries"])
    ]
    heard = sum(any(entry.grade == "confirmed" for entry in mine) for mine in agreed)
    yield "  agreed proposals graded confirmed", f"{heard}/{len(agreed)}", ""


def _language(one: Item) -> str:
    return one["lang"] if one["lang"] in ("en", "de", "zh") else "other"


def _drawn(every: Sequence[Item]) -> Iterator[set[str]]:
    """The placebo: a kind by its share of the labels, for as many turns as hold something."""
    chance = Random(7)
    kinds = Counter(entry["kind"] for one in every for entry in one["entries"])
    holding = sum(bool(one["entries"]) for one in every) / len(every)
    for _ in every:
        yield set(chance.choices(list(kinds), weights=list(kinds.values()))) if chance.random() < holding else set()


def _negatives(every: Sequence[Item], *, shown: bool) -> Iterator[Row]:
    """Kinds are named for the part that may be looked at alone."""
    chance = Random(7)
    product = [float(bool(mine)) for mine in entries(every)]
    keyword = [float(bool(_by_words(one))) for one in every]
    placebo = [float(chance.random() < 0.7) for _ in every]
    yield compared("hard negatives that come through", product, keyword, placebo, "0 is right")
    journals, rolled = _condensed(every)
    yield "  in a journal, condensed", f"{journals}/{len(every)}", "target ≤ 2 of 60"
    yield "  rows of MEMORY.md after the weekly rollups", str(rolled), "target 0"
    if shown:
        through = Counter(one["kind"] for one, came in zip(every, product, strict=True) if came)
        named = ", ".join(f"{kind} {n}" for kind, n in through.most_common())
        yield "  by kind", str(sum(through.values())), named or "none"


def _condensed(every: Sequence[Item]) -> tuple[int, int]:
    """Journals with a row, and rows in MEMORY.md: each item on a day of its own, all weeks rolled up."""
    days = [date(2026, 9, 14) + timedelta(number) for number in range(min(len(every), DAYS))]
    weeks = [
        PlanRequest(CondenseRequest(take=(week,))) for week in dict.fromkeys(day.strftime("%G-W%V") for day in days)
    ]
    with place() as there:
        memory = there.workspace / "MEMORY.md"
        memory.write_text("# Memory\n", "utf-8")
        with there.open() as engine:
            for one, day in zip(every, days, strict=False):
                caught(engine, one["id"], one["turns"], str(day))
            for request in (PlanRequest(), *weeks):
                if (plan := engine.plans.make("condense", request).plan) is not None:
                    applied(engine, plan)
        journals = [_rows(there.workspace / f"knowledge/journal/{day}.md") for day in days]
        return sum(map(bool, journals)), len(_rows(memory))


def _rows(file: Path) -> list[str]:
    return re.findall(r"^- .+", file.read_text("utf-8"), re.MULTILINE) if file.exists() else []
