"""The compiled prompt on MemAware: the questions as messages, and whether what they need stands in 8,192 tokens.

A fact counts as there where half of its telling words stand in one line of the prompt, within eight words of each
other; the message itself is not looked at. Beside the prompt stand, at as many tokens: search alone, and ROOT alone,
made as large as that; ROOT of 3,000 tokens as it is loaded; the placebo is the prompt compiled for another question.
Gains are in pairs, with intervals from a bootstrap over the days of the evidence.
"""

import json
import random
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import msgspec

from engine.context.compile.prompt import CompiledPrompt
from engine.context.compile.recalled import hit_pieces
from engine.context.platforms.platform import SessionKind
from engine.plans.policy.values import Policy
from engine.services.context import NO_HISTORY
from engine.services.engine import Engine
from engine.tree.levels import ROOT_PATH
from tests.benchmarks.evaluate_tree import NEAR, gain, percent, stated
from tests.benchmarks.tree_cases import TOKENS, Question, load, plan_nodes
from tests.conftest import SHARED

BUDGET = 8_192
MOST_HITS = 200
Row = tuple[str, str, str]


def rows() -> Iterator[Row]:
    """Every figure of the context, for `make eval`."""
    folder = SHARED / "memaware"
    case = load(folder)
    asked = [one for one in case.questions if one.fact and one.content]
    days = [min(one.days) for one in asked]
    large = plan_nodes(case.raw, _with_root(BUDGET))[ROOT_PATH]
    with (
        tempfile.TemporaryDirectory(prefix="memdeck-eval-") as base,
        opened(_copied(folder, Path(base)), case.nodes, max(case.raw)) as engine,
    ):
        prompts = [compiled(engine, one.text) for one in asked]
        found = [searched(engine, one.text, made.tokens) for one, made in zip(asked, prompts, strict=True)]
    ours = _stated(asked, [recalled(made) for made in prompts])
    size = sum(made.tokens for made in prompts) / len(prompts)
    yield (
        "MemAware: evidence in the compiled prompt",
        f"{percent(ours):.1f} %",
        f"{len(asked)} messages, {size:.0f} tokens",
    )
    others = list(range(len(asked)))
    random.Random(11).shuffle(others)
    rivals = {
        "search alone, as many tokens": found,
        "ROOT alone, as many tokens": [large] * len(asked),
        "ROOT alone, 3,000 tokens": [case.nodes[ROOT_PATH]] * len(asked),
        "placebo: the prompt of another message": [recalled(prompts[at]) for at in others],
    }
    for name, texts in rivals.items():
        theirs = _stated(asked, texts)
        yield f"  {name}", f"{percent(theirs):.1f} %", gain(ours, theirs, days)
    yield from _files(folder, asked, prompts)


def _files(folder: Path, asked: Sequence[Question], prompts: Sequence[CompiledPrompt]) -> Iterator[Row]:
    """The share of prompts with a piece of a note that holds the evidence, whichever piece it is."""
    lines = (folder / "questions.jsonl").read_text("utf-8").splitlines()
    paths = {row["question"]: set(row["evidence_paths"]) for row in map(json.loads, lines)}
    held = [
        any(item.end > item.start and item.path in paths[one.text] for item in made.items)
        for one, made in zip(asked, prompts, strict=True)
    ]
    yield "  a piece of the evidence's own note is in", f"{percent(held):.1f} %", "whichever piece of it"


def _copied(folder: Path, base: Path) -> Path:
    """The transcripts and the raw logs, in a workspace of their own."""
    for name in ("raw", "memory"):
        shutil.copytree(folder / name, base / "agent" / name)
    return base / "agent"


def opened(place: Path, nodes: Mapping[str, str], last: date) -> Engine:
    """A workspace with the tree that a drain makes of it, the day after its last log; its state lies beside it."""
    for path, text in nodes.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text, encoding="utf-8")
    now = datetime.combine(last + timedelta(days=1), datetime.min.time(), UTC)
    env = {f"XDG_{name}_HOME": str(place.parent / name.lower()) for name in ("STATE", "CONFIG", "CACHE")}
    engine = Engine.open(place, env=env, clock=lambda: now)
    engine.search.index()
    return engine


def compiled(engine: Engine, message: str) -> CompiledPrompt:
    return engine.context.compile(message, SessionKind.MAIN, budget=BUDGET, history=NO_HISTORY, look=False)


def recalled(made: CompiledPrompt) -> str:
    """The prompt without the message."""
    return made.prompt[: made.items[-1].start]


def searched(engine: Engine, message: str, tokens: int) -> str:
    """What search finds for the message, the best pieces first, as the compiler fences them, while there is room."""
    answer = engine.search.find(message, MOST_HITS, look=False, seconds=None)
    read = (engine.workspace / "").joinpath
    pieces = hit_pieces(answer.hits, lambda path: read(path).read_bytes(), (), "", SessionKind.MAIN, "")
    kept: list[str] = []
    for piece in pieces:
        price = TOKENS.count(piece.block)
        if not piece.refused and price <= tokens:
            kept.append(piece.block)
            tokens -= price
    return "".join(kept)


def _stated(asked: Sequence[Question], texts: Sequence[str]) -> list[bool]:
    return stated([(text.split("\n"), one) for text, one in zip(texts, asked, strict=True)], NEAR)


def _with_root(tokens: int) -> Policy:
    limits = msgspec.structs.replace(Policy().limits, root_tokens=tokens)
    return msgspec.structs.replace(Policy(), limits=limits)
