"""Prices of a model and what an answer used of it, as Anthropic bills them."""

from typing import Final

import msgspec

CACHE_READ: Final = 0.1
"""The price of a token that the service reads from its cache, in prices of an input token."""
CACHE_WRITE: Final = 1.25
"""The price of a token that it keeps there for five minutes."""
CACHE_WRITE_HOUR: Final = 2.0
"""The price of one that it keeps for an hour: the most that an input token may cost."""
BATCH: Final = 0.5
"""Shares of the price of input tokens for reading from the cache, for writing to it for five minutes and for an hour;
and the share of the whole price that a message of a batch costs."""


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens that one call is billed for. `input` holds none of the cache's."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    """All that was written to the cache; `cache_write_hour` of it for an hour."""
    cache_write_hour: int = 0
    batch: bool = False
    cache_miss: str = ""
    """The service's reason why its cache did not have what the call before had in common with this one."""

    @property
    def read(self) -> int:
        """All tokens of input, from wherever they came."""
        return self.input + self.cache_read + self.cache_write


NOTHING_USED: Final = Usage()
"""Of a call that is not billed: it was never sent, or was answered by an error."""


NOT_SENT: Final = "not sent"
"""The end of a call that nobody heard of: no line of the ledger."""


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
