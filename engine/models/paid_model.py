"""Asks a model within a budget: reserved before, booked before the answer is looked at, tried again only if unpaid."""

import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

import msgspec

from engine.models.budget import Booking, Budget
from engine.models.claude import END_TURN, ModelFailed, Reply
from engine.text.safe_text import visible

T = TypeVar("T")
TRIES = 3
"""Calls for one answer, the first included, while each may be paid for."""
PAUSE = 1.0
"""Seconds before the second try; each further one waits twice as long."""
_BUSY = frozenset({"http 408", "http 409", "http 429", "http 500", "http 502", "http 503", "http 504", "http 529"})
"""Ends of a call that are not billed and may be better soon. One whose answer was lost is never made twice."""


class LanguageModel(Protocol):
    """The model that answers."""

    model: str

    def ask(self, *, system: str, prompt: str, schema: Mapping[str, Any], max_tokens: int) -> Reply:
        """Raises `ModelFailed`."""
        ...


class PaidModel:
    """A model and the budget that its answers are paid from."""

    def __init__(
        self, model: LanguageModel, budget: Budget, *, tries: int = 1, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.name = model.model
        self.budget = budget
        self._model, self._tries, self._sleep = model, tries, sleep

    def ask(
        self, *, system: str, prompt: str, schema: Mapping[str, Any], answer: type[T], max_tokens: int
    ) -> tuple[T, float]:
        """The answer, checked against its own type, and the dollars that it cost. `OverBudget` before anything is sent,
        `ModelFailed` where no such answer came, `OSError` where it cannot be booked."""
        # In bytes, since no text has more tokens: the reservation is never too small.
        size = len((system + prompt).encode("utf-8", "replace")) + len(msgspec.json.encode(schema))
        for attempt in range(self._tries):
            if attempt:
                self._sleep(PAUSE * 2 ** (attempt - 1))
            try:
                with self.budget.call(size, max_tokens) as booking:
                    reply = self._booked(booking, system, prompt, schema, max_tokens)
                return self._checked(reply, answer), booking.usd
            except ModelFailed as failed:
                if failed.stop not in _BUSY or attempt == self._tries - 1:
                    raise
        raise AssertionError("a model is tried at least once")

    def _booked(self, booking: Booking, system: str, prompt: str, schema: Mapping[str, Any], max_tokens: int) -> Reply:
        try:
            reply = self._model.ask(system=system, prompt=prompt, schema=schema, max_tokens=max_tokens)
        except ModelFailed as failed:
            # A failed call may be billed too (decision D49).
            booking.used(failed.usage, failed.stop)
            raise
        booking.used(reply.usage, reply.stop)
        return reply

    def _checked(self, reply: Reply, answer: type[T]) -> T:
        # Booked by now, and only then judged (decision D49).
        if reply.stop != END_TURN:
            raise ModelFailed(f"{self.name} stopped early ({visible(reply.stop)[:40]})", stop=reply.stop)
        try:
            return msgspec.json.decode(reply.text.encode("utf-8", "replace"), type=answer)
        except (msgspec.DecodeError, RecursionError):
            raise ModelFailed(f"{self.name} answered in another form than it was asked for", stop="malformed") from None
