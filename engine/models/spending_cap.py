"""Caps the cost of model calls: reserves the worst case before a call, books the real cost after it (D49). Retries only
calls that cost nothing."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from threading import Lock
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec.structs import asdict

from engine.models.claude import END_TURN, ModelFailed, Reply
from engine.models.cost_ledger import CostLedger, LedgerLine, OverBudget
from engine.models.model_task import NOT_SENT, Price, Usage
from engine.text.safe_text import visible

OVERHEAD = 200  # tokens that a service puts around a prompt: roles, and what it says of the shape of the answer


class Spent(msgspec.Struct, frozen=True):
    """The amounts that a budget has paid: calls, tokens read and written, US dollars."""

    calls: int = 0
    input: int = 0
    output: int = 0
    usd: float = 0.0


class Budget:
    """The cap on all calls for one purpose, safe for several threads."""

    def __init__(
        self,
        cap: float,
        *,
        ledger: CostLedger,
        price: Price,
        role: str,
        model: str,
        clock: Callable[[], datetime],
        timer: Callable[[], float],
        plan: str = "",
    ) -> None:
        """`cap` in US dollars, 0 for no calls. `clock`: real time; `timer`: seconds."""
        self.cap = cap
        self.price = price
        self._ledger, self._clock, self._timer = ledger, clock, timer
        self._role, self._model, self.plan = role, model, plan
        self._lock = Lock()
        self._used = 0.0  # spent or reserved
        self.spent = Spent()
        self._finer = 1.0  # the factor of tokens over bytes that a service has counted so far, at least 1

    @contextmanager
    def call(self, size: int, most_output: int) -> Iterator["Booking"]:
        """Reserves a call of `size` bytes and `most_output` tokens, and books it; `OverBudget` before sending."""
        # Set aside before it is sent: calls of several threads together never pass the cap.
        most = self._set_aside(size, most_output, batch=False)
        booking = Booking()
        start = self._timer()
        # On disk before the call: one that was lost with the process is still in the ledger (decision D49).
        key = self._ledger.reserve(self._line(most, booking, 0.0))
        try:
            yield booking
        finally:
            self._book(key, most, booking, 1e3 * (self._timer() - start))

    def reserve(self, size: int, most_output: int) -> Usage:
        """Reserves the most that a batch message may use; raises `OverBudget` if it is not left."""
        return self._set_aside(size, most_output, batch=True)

    def _set_aside(self, size: int, most_output: int, *, batch: bool) -> Usage:
        with self._lock:
            read = round(self._finer * (size + OVERHEAD))
            # A service may write all of it to its cache, at twice the price at most.
            most = Usage(cache_write=read, cache_write_hour=read, output=most_output, batch=batch)
            if self._used + self.price.cost(most) > self.cap:
                raise OverBudget
            self._used += self.price.cost(most)
        return most

    def take_over(self, most: Usage) -> None:
        """Counts a batch message sent earlier, even above the cap."""
        with self._lock:
            self._used += self.price.cost(most)

    def settle(self, most: Usage, used: Usage, *, billed: bool) -> None:
        """Replaces a message's reservation by what it used."""
        with self._lock:
            self._put_in_place(most, used, billed=billed)

    def _put_in_place(self, most: Usage, used: Usage, *, billed: bool) -> None:
        usd = self.price.cost(used)
        # The difference, so that what was set aside for other calls stays.
        self._used += usd - self.price.cost(most)
        if billed:
            before = self.spent
            read, output = before.input + used.read, before.output + used.output
            self.spent = Spent(before.calls + 1, read, output, before.usd + usd)

    def _book(self, key: str, most: Usage, booking: "Booking", latency_ms: float) -> None:
        # Nobody knows what was billed: the most that it can have been.
        used = booking.usage if booking.usage is not None else most
        with self._lock:
            self._put_in_place(most, used, billed=booking.stop != NOT_SENT)
            # Only upwards: a service that once counted more tokens than bytes may do so again.
            self._finer = max(self._finer, self._finer * used.read / most.cache_write)
        booking.usd = self.price.cost(used)
        # Nothing left this machine, so nothing can be billed.
        if booking.stop == NOT_SENT:
            self._ledger.release(key)
            return
        self._ledger.book(key, self._line(used, booking, latency_ms))

    def _line(self, usage: Usage, booking: "Booking", latency_ms: float) -> LedgerLine:
        return LedgerLine(
            time=self._clock(),
            role=self._role,
            plan=self.plan,
            model=self._model,
            **asdict(usage),
            price=self.price,
            usd=self.price.cost(usage),
            estimated=booking.usage is None,
            stop=booking.stop,
            latency_ms=round(latency_ms, 1),
        )


class Booking:
    """The outcome of one call; until it is known, the reservation counts."""

    def __init__(self) -> None:
        self.usage: Usage | None = None
        self.stop = "interrupted"
        self.usd = 0.0

    def used(self, usage: Usage | None, stop: str) -> None:
        """Records what the call is billed for, before its answer is checked; None if unknown."""
        self.usage, self.stop = usage, stop


T = TypeVar("T")
TRIES = 3  # calls for one answer, the first included, while each may be paid for
PAUSE = 1.0  # seconds before the second try; each further one waits twice as long
_BUSY = frozenset({"http 408", "http 409", "http 429", "http 500", "http 502", "http 503", "http 504", "http 529"})
"""Ends of a call that are not billed and may pass. A call whose answer was lost is never repeated."""


class LanguageModel(Protocol):
    """The model that answers."""

    model: str

    def ask(self, *, system: str, prompt: str, schema: Mapping[str, Any], max_tokens: int) -> Reply:
        """Asks once; raises `ModelFailed`."""


class PaidModel:
    """A model whose calls a budget pays."""

    def __init__(
        self, model: LanguageModel, budget: Budget, *, tries: int = 1, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.name = model.model
        self.budget = budget
        self._model, self._tries, self._sleep = model, tries, sleep

    def ask(
        self, *, system: str, prompt: str, schema: Mapping[str, Any], answer: type[T], max_tokens: int
    ) -> tuple[T, float]:
        """Returns the answer, checked by type, and its cost in dollars; `OverBudget`, `ModelFailed` or `OSError`."""
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
