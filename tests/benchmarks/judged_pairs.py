"""Supersession: what `recall held` answers after the last statement of a pair, each in a workspace of its own."""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from tests.benchmarks.corpora.judged import Item, Part, items
from tests.benchmarks.judged_shared import Place, Row, caught, compared, place
from tests.engine.lifecycle.applying import approve

SIDES = (("earlier", "2026-11-10"), ("between", "2026-11-11"), ("later", "2026-11-12"))


class Answer(NamedTuple):
    """Whether each side is an entry at all, and whether it holds after the last."""

    entered: frozenset[str]
    held: frozenset[str]


def rows(part: Part) -> Iterator[Row]:
    every = items(part, "supersession")
    product = [_answer(one) for one in every]
    keyword = [_by_words(one) for one in every]
    placebo = [Answer(frozenset(("earlier", "later")), frozenset(("later",))) for _ in every]
    both = [n for n, one in enumerate(every) if _replaced(one) and {"earlier", "later"} <= product[n].entered]
    yield (
        "pairs right where both sides are entries",
        f"{sum(_right(every[n], product[n]) for n in both):.0f}/{len(both)}",
        "",
    )
    for name, chosen in _groups(every):
        entered = sum({"earlier", "later"} <= product[n].entered for n in chosen)
        note = f"{entered} with an entry from either side" if "neighbour" not in name else ""
        mine, words, chance = ([_right(every[n], by[n]) for n in chosen] for by in (product, keyword, placebo))
        yield compared(f"{name} right", mine, words, chance, note)
    apart = [n for n, one in enumerate(every) if not _replaced(one)]
    wrong = sum("earlier" in product[n].entered - product[n].held for n in apart)
    yield "neighbours that superseded wrongly", f"{wrong}/{len(apart)}", "0 is right"


def _groups(every: Sequence[Item]) -> Iterator[tuple[str, list[int]]]:
    numbers = range(len(every))
    yield "replaced pairs", [n for n in numbers if _replaced(every[n])]
    for language in ("en", "de", "zh"):
        for reason in (False, True):
            name = f"  {language}, {'with' if reason else 'without'} a reason"
            yield (
                name,
                [
                    n
                    for n in numbers
                    if _replaced(every[n]) and (every[n]["lang"], every[n]["reason"]) == (language, reason)
                ],
            )
    yield "neighbours", [n for n in numbers if not _replaced(every[n])]


def _replaced(one: Item) -> bool:
    return one["relation"] in ("replaces", "withdraws", "back")


def _right(one: Item, answer: Answer) -> float:
    """Of a pair that replaces the last alone holds; a question, plan, hearsay or past value leaves the first."""
    if one["relation"] == "withdraws":
        return float("earlier" not in answer.held)
    if not _replaced(one):
        return float(set(one["stands"]) <= answer.held)
    return float("later" in answer.held and not answer.held & {"earlier", "between"})


def _answer(one: Item) -> Answer:
    with place() as there:
        transcripts = _extracted(there, one)
        with there.open() as engine:
            entries = engine.recall.held(date(2026, 11, 19), "").entries
            held = frozenset(transcripts[entry.source.path] for entry in entries if entry.source)
        written = "\n".join(file.read_text("utf-8") for file in there.workspace.glob("knowledge/**/*.md"))
        return Answer(frozenset(side for side, _ in SIDES if side in one and _stands(one[side], written)), held)


def _extracted(there: Place, one: Item) -> dict[str, str]:
    """Captures the sides a day each, extracts and applies once, and tells which transcript is which side."""
    with there.open() as engine:
        made = {
            caught(engine, side, [{"role": "user", "text": one[side]}], day): side for side, day in SIDES if side in one
        }
        plan = engine.plans.make("extract").plan
        if plan is not None:
            approve(engine, plan)
    return made


def _stands(said: str, written: str) -> bool:
    return any(row in said or said in row for row in re.findall(r"\d: (.+?)\s*<!-- x:", written))


def _by_words(one: Item) -> Answer:
    """The keyword rule: two words in common, and no question mark, supersede. It is given every side as an entry."""
    sides = frozenset(side for side, _ in SIDES if side in one)
    common = _words(one["earlier"]) & _words(one["later"])
    supersedes = len(common) > 1 and not re.search(r"[?？]", one["later"])
    return Answer(sides, frozenset(("later",)) if supersedes else sides)


def _words(text: str) -> set[str]:
    chinese = re.findall(r"(?=([\u4e00-\u9fff]{2}))", text)
    return {*re.findall(r"[a-zäöüß]{4,}", text.casefold()), *chinese}
