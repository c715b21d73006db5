"""The tree in the words of a stand-in for Claude beside the tree by rules, and what grounding refuses (decision D49).

The stand-in is a server on loopback that shortens each sentence, asked by the real SDK: the figures tell whether
anything is lost on that path, not how well Claude writes.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from engine.models.claude_model import ClaudeModel
from engine.models.cost_ledger import CostLedger
from engine.models.evidence import ungrounded
from engine.models.model_task import ModelRole, Price
from engine.models.spending_cap import Budget, PaidModel
from engine.tree.levels import ROOT_PATH, NodeLevel, node_path
from engine.tree.nodes.node_task import NodeWriter
from tests.benchmarks.evaluate_tree import BEAM, NEAR, Drills, each_fact_once, gain, percent, stated
from tests.benchmarks.tree_cases import Case, cases, plan_nodes
from tests.conftest import SHARED
from tests.engine.models.grounding_cases import grounding_cases
from tests.engine.models.loopback import loopback
from tests.engine.models.stand_in import shortening

Row = tuple[str, str, str]
T = TypeVar("T")
NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
SETS = ("chat for judging", "log", "MemAware, whole")


class Kept:
    """Answers kept in memory."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, ...], object] = {}

    def get(self, key: tuple[str, ...], answer: type[T]) -> T | None:
        found = self._answers.get(key)
        return found if isinstance(found, answer) else None

    def put(self, key: tuple[str, ...], answer: object) -> None:
        self._answers[key] = answer


def rows() -> Iterator[Row]:
    """Grounding, then the sets that have questions, by rules and in the stand-in's words."""
    yield from _grounding()
    for name, some in cases():
        if name in SETS and (SHARED.is_dir() or "MemAware" not in name):
            (case,) = some
            yield from _beside(name, case, in_other_words(case))


def in_other_words(case: Case) -> tuple[Case, float, int]:
    """The same case with the tree in the stand-in's words, the dollars it would cost and the calls."""
    with loopback() as line, TemporaryDirectory() as folder:
        line.answer = shortening
        ledger = CostLedger(Path(folder, "ledger.jsonl"))
        budget = Budget(
            1e6, ledger=ledger, price=Price(1.0, 5.0), role="summarise", model="m", clock=lambda: NOW, timer=lambda: 0.0
        )
        model = ClaudeModel(PaidModel(line.claude(), budget), ModelRole.SUMMARISE, Kept())
        made = Case(case.raw, case.questions)
        made.__dict__["nodes"] = plan_nodes(case.raw, writer=NodeWriter(model, 0.25))
        return made, budget.spent.usd, budget.spent.calls


def _grounding() -> Iterator[Row]:
    some = grounding_cases()
    invented = [bool(ungrounded(case.sentence, case.lines)) for case in some if not case.held]
    faithful = [bool(ungrounded(case.sentence, case.lines)) for case in some if case.held]
    yield "inventions that grounding refuses", f"{percent(invented):.1f} %", f"of {len(invented)}; at least 95 %"
    yield "faithful sentences that it refuses", f"{percent(faithful):.1f} %", f"of {len(faithful)}; at most 2 %"


def _beside(name: str, rules: Case, written: tuple[Case, float, int]) -> Iterator[Row]:
    ours, usd, calls = written
    share = percent("\nsummary: claude " in text for text in ours.nodes.values())
    yield f"{name}: nodes in the stand-in's words", f"{share:.0f} %", f"{calls} questions, ${usd:.2f} at $1 and $5"
    days = [min(question.days) for question in rules.questions]
    for what, of in (("drill, among three", drilled), ("BM25 over day nodes, among three", retrieved)):
        by_rules, by_model = of(rules), of(ours)
        value = f"{percent(by_model):.1f} %"
        yield f"  {what}", value, f"by rules {percent(by_rules):.1f} %; {gain(by_model, by_rules, days)}"
    asked = [one for one in each_fact_once(rules.questions) if one.recall]
    if asked:
        texts = [[(case.nodes[ROOT_PATH].split("\n"), one) for one in asked] for case in (rules, ours)]
        by_rules, by_model = (stated(pairs, NEAR) for pairs in texts)
        told = gain(by_model, by_rules, [min(one.days) for one in asked])
        yield "  facts in ROOT", f"{percent(by_model):.1f} %", f"by rules {percent(by_rules):.1f} %; {told}"


def drilled(case: Case) -> list[bool]:
    """Tells of each question whether drilling finds one of its days among the first three."""
    found = Drills(case)
    return [_hit(found.drilled(question.text).days, question.days) for question in case.questions]


def retrieved(case: Case) -> list[bool]:
    """Tells of each question whether the words of a day's node lead to one of its days."""
    nodes = {path: text for path, text in case.nodes.items() if "/daily/" in path}
    texts = {day: nodes[path] for day in case.raw if (path := node_path(NodeLevel.DAILY, str(day))) in nodes}
    made = Case(texts, case.questions)
    made.__dict__["nodes"] = {}
    found = Drills(made)
    return [_hit(found.flat(question.text)["BM25"], question.days) for question in case.questions]


def _hit(ranked: Sequence[str], days: Iterable[date]) -> bool:
    return bool(set(ranked[:BEAM]) & {node_path(NodeLevel.DAILY, str(day)) for day in days})
