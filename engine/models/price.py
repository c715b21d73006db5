"""Prices of a model as Anthropic bills them, and what a dry run would cost, before anything is sent."""

from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from engine.models.model_task import ModelQuestion
from engine.text.tokens import TokenCounter

CACHE_READ: Final = 0.1  # the price of a token that the service reads from its cache, in prices of an input token
CACHE_WRITE: Final = 1.25  # the price of a token that it keeps there for five minutes
CACHE_WRITE_HOUR: Final = 2.0  # the price of one that it keeps for an hour: the most that an input token may cost
BATCH: Final = 0.5
"""Shares of the price of input tokens for reading from the cache, for writing to it for five minutes and for an hour;
and the share of the whole price that a message of a batch costs."""


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens that one call is billed for. `input` holds none of the cache's."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0  # all that was written to the cache; `cache_write_hour` of it for an hour
    cache_write_hour: int = 0
    batch: bool = False
    cache_miss: str = ""
    """The service's reason why its cache did not have what the call before had in common with this one."""

    @property
    def read(self) -> int:
        """All tokens of input, from wherever they came."""
        return self.input + self.cache_read + self.cache_write


NOTHING_USED: Final = Usage()  # of a call that is not billed: it was never sent, or was answered by an error


NOT_SENT: Final = "not sent"  # the end of a call that nobody heard of: no line of the ledger


class Price(msgspec.Struct, frozen=True):
    """US dollars per million tokens."""

    input: float
    output: float

    def of(self, input_tokens: float, output_tokens: float) -> float:
        """Dollars for so many tokens without cache and batch."""
        return (input_tokens * self.input + output_tokens * self.output) / 1e6

    def cost(self, usage: Usage) -> float:
        """Dollars for what a call used."""
        written = (usage.cache_write - usage.cache_write_hour) * CACHE_WRITE + usage.cache_write_hour * CACHE_WRITE_HOUR
        whole = self.of(usage.input + usage.cache_read * CACHE_READ + written, usage.output)
        return whole * BATCH if usage.batch else whole


CLAUDE_COUNT = 1.4  # Claude's own count of a text over o200k's: 1.2 to 1.6
ANSWER = 500  # tokens of an answer about one note, as a rule


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
