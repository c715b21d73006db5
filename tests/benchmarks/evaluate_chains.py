"""Chains of values: does the compiled prompt give the one that holds, and an earlier one only where it is marked?

Each language of a half is one workspace: every chain is said in sessions of its own, a day each, with its distractors,
extracted and applied once a month; then each question is asked. A value counts as there where a line of the prompt,
other than the question, has it; as unmarked where no such line says that it was replaced. Beside it: the same prompt
without any mark (append-only), and the placebo, which marks as many lines at random.
"""

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from engine.context.platforms.platform import SessionKind
from tests.benchmarks.judged_shared import Place, Row, caught, place
from tests.engine.lifecycle.applying import approve

CORPORA = Path(__file__).parent / "corpora/content"
MARK = re.compile(r"\(superseded: [^)]*\)|\(said otherwise on [^)]*\)")
Chain = dict[str, Any]


def rows() -> Iterator[Row]:
    for half in ("choose", "held"):
        read = (CORPORA / half / "chains.jsonl").read_text("utf-8").splitlines()
        yield from _half_rows(half, [json.loads(line) for line in read])


def _half_rows(half: str, chains: Sequence[Chain]) -> Iterator[Row]:
    by_language = defaultdict(list)
    for one in chains:
        by_language[one["lang"]].append(one)
    found = [row for some in by_language.values() for row in asked(some)]
    told = [_there(one, prompt) for one, prompt in found]
    plain = [_there(one, MARK.sub("", prompt)) for one, prompt in found]
    chance = random.Random(1)
    shuffled = [_there(one, _dealt(prompt, chance)) for one, prompt in found]
    yield f"chains, {half}: the value that holds is there", _share([now for now, _ in told]), f"{len(chains)} chains"
    beside = f"append-only {_share([old for _, old in plain])}, placebo {_share([old for _, old in shuffled])}"
    yield f"chains, {half}: an earlier one, unmarked", _share([old for _, old in told]), beside
    for language in by_language:
        own = [one for one, (chain, _) in zip(told, found, strict=True) if chain["lang"] == language]
        yield f"  {language}", _share([now for now, _ in own]), f"earlier unmarked {_share([old for _, old in own])}"


def _share(values: Sequence[bool]) -> str:
    return f"{sum(values) / len(values):.1%}"


def asked(chains: Sequence[Chain]) -> Iterator[tuple[Chain, str]]:
    """Each chain with the prompt for its question, in one workspace."""
    with place() as there:
        _said(there, chains)
        with there.open() as engine:
            for one in chains:
                made = engine.context.compile(one["question"], SessionKind.MAIN, history="none").prompt
                yield one, made.rpartition("[message]")[0]


def _said(there: Place, chains: Sequence[Chain]) -> None:
    with there.open() as engine:
        for one in chains:
            days = defaultdict(list)
            for turn in (*one["turns"], *one["others"]):
                role = "agent" if turn["role"] == "assistant" else "user"
                days[turn["day"]].append({"role": role, "text": turn["text"]})
            for day, turns in days.items():
                caught(engine, f"{one['id']}-{day}", turns, day)
        plan = engine.plans.make("extract").plan
        if plan is not None:
            approve(engine, plan)
        engine.search.index()


def _there(one: Chain, prompt: str) -> tuple[bool, bool]:
    """Tells whether the value that holds is in the prompt, unmarked, and whether a replaced one is, unmarked."""
    lines = prompt.casefold().split("\n")
    now = any(one["current"].casefold() in line and not MARK.search(line) for line in lines)
    told = [turn["text"].casefold() for turn in one["turns"][:-1]]
    old = (line for line in lines if any(value.casefold() in line for value in one["replaced"]))
    return now, any(not MARK.search(line) for line in old if any(_same(line, text) for text in told))


def _same(line: str, text: str) -> bool:
    """Tells whether a line says a turn, or a sentence of it."""
    said = re.sub(r"^\W*(?:\d{4}-\d\d-\d\d: )?", "", MARK.sub("", line).partition(" <!--")[0]).strip()
    return len(said) > 3 and (said in text or text in said)


def _dealt(prompt: str, chance: random.Random) -> str:
    """The prompt with its marks dealt out to other lines by chance."""
    marks, lines = MARK.findall(prompt), MARK.sub("", prompt).split("\n")
    for at, mark in zip(chance.sample(range(len(lines)), min(len(marks), len(lines))), marks, strict=False):
        lines[at] += mark
    return "\n".join(lines)
