"""Reckons what a dry run would cost, before anything is sent."""

from collections.abc import Callable, Iterable

import msgspec

from engine.models.model_task import ModelQuestion
from engine.models.price import BATCH, Price
from engine.text.tokens import TokenCounter

CLAUDE_COUNT = 1.4
"""Claude's own count of a text over o200k's: 1.2 to 1.6."""
ANSWER = 500
"""Tokens of an answer about one note, as a rule."""


class CostEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """Calls, tokens and US dollars as expected; `cap` is what no plan passes."""

    calls: int
    input: int
    output: int
    usd: float
    cap: float
    batch: bool = False

    def line(self) -> str:
        """Says it in one line."""
        if not self.calls:
            return "nothing is asked of Claude"
        calls = "1 call" if self.calls == 1 else f"{self.calls:,} calls"
        if self.batch:
            calls += " as a batch"
        return f"{calls} of Claude, about ${self.usd:.4f}, at most ${self.cap:.2f}"


def estimate(
    questions: Iterable[ModelQuestion],
    counter: TokenCounter,
    price_of: Callable[[str], Price],
    cap: float,
    *,
    batch_from: int = 0,
) -> CostEstimate:
    """Reckons what questions cost, each at its model's price, with one answer. No more than the cap is ever spent. From
    `batch_from` questions on they are a batch, at its price; 0: never."""
    asked = list(questions)
    sizes = [round(CLAUDE_COUNT * counter.count(question.system + question.prompt)) for question in asked]
    batch = 0 < batch_from <= len(sizes)
    whole = sum(price_of(one.model).of(size, ANSWER) for one, size in zip(asked, sizes, strict=True))
    usd = whole * (BATCH if batch else 1.0)
    read, written = sum(sizes), ANSWER * len(sizes)
    return CostEstimate(calls=len(sizes), input=read, output=written, usd=min(cap, usd), cap=cap, batch=batch)
