"""Many questions to a server on loopback that takes its time: as many are under way as may be (32)."""

import time
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engine.models.claude_model import IN_FLIGHT, ClaudeModel
from engine.models.cost_ledger import CostLedger
from engine.models.model_task import ModelRole, Price
from engine.models.spending_cap import Budget, PaidModel
from engine.tree.nodes.entries import Fact
from engine.tree.nodes.node_task import HeadedFact, NodeTask
from engine.workspace.values import LineSpan
from tests.benchmarks.evaluate_claude import Kept
from tests.benchmarks.figure import Figure
from tests.engine.models.loopback import Answer, loopback
from tests.engine.models.stand_in import shortening

LATENCY = 2.0
"""Seconds that the server takes for an answer, as a short one of the real service does."""
ROUNDS = 4
NOW = datetime(2026, 3, 15, tzinfo=UTC)


def ratios() -> list[Figure]:
    """The time for four rounds of 32 questions over that of a line that is always full."""

    def slowly(asked: dict[str, Any]) -> Answer:
        time.sleep(LATENCY)
        return shortening(asked)

    with loopback() as line, TemporaryDirectory() as folder:
        line.answer = slowly
        ledger = CostLedger(Path(folder, "ledger.jsonl"))
        budget = Budget(
            100, ledger=ledger, price=Price(1, 5), role="summarise", model="m", clock=lambda: NOW, timer=lambda: 0.0
        )
        model = ClaudeModel(PaidModel(line.claude(), budget), ModelRole.SUMMARISE, Kept())
        spent = _seconds(model, ROUNDS * IN_FLIGHT)
        booked = len(ledger.lines())
    full = ROUNDS * LATENCY
    detail = f"{booked} booked calls of {LATENCY:g} s in {spent:.1f} s: {booked / spent:.1f} a second"
    return [Figure(f"{IN_FLIGHT} questions under way ÷ always full", spent / full, 1 / 0.9, "×", detail)]


def _seconds(model: ClaudeModel, questions: int) -> float:
    span = LineSpan("memory/2026-03-15.md", 1, 1)
    items = [(HeadedFact(0, "", Fact(f"the index of part {n} goes to shelf {n}", span)),) for n in range(questions)]
    task = NodeTask(0.25)
    model.results(task, items[:1], lambda done, total: None)  # the SDK takes 0.8 s to load
    start = time.perf_counter()
    model.results(task, items[1:], lambda done, total: None)
    return time.perf_counter() - start
