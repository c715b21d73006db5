"""Uses Claude's Message Batches: many questions at once, answered within a day at half the price (decision D48). A
batch is sent only once: if it is unclear whether it arrived, that is reported. Everything else may be repeated."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from importlib import import_module
from itertools import islice
from typing import Any, TypeVar

import msgspec

from engine.models.claude import Claude, ModelFailed, OtherHost, Reply, reply_of
from engine.models.model_task import NOTHING_USED, ModelQuestion
from engine.text.safe_text import visible

SECONDS = 120.0  # seconds that a request about a batch may take
MOST_LISTED = 100
"""The newest batches, among which one with an unclear creation is searched (decision D48)."""
_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,100}")
T = TypeVar("T")
_UNCLEAR = frozenset({408, 409})
"""Errors of the service, besides those from 500 on, after which a batch may exist all the same."""


class UnclearBatch(Exception):
    """It is unclear whether the batch was made. `str` is the reason, in half a sentence."""


class BatchStanding(msgspec.Struct, frozen=True, kw_only=True):
    """A batch as the service describes it. The service does not count finished questions while it runs."""

    id: str
    ended: bool
    results: bool  # the answers can be fetched
    archived: bool  # the answers are gone, 29 days after it was made
    created_at: datetime
    size: int


class BatchResult(msgspec.Struct, frozen=True):
    """The outcome of one question: `succeeded` with its reply; `errored`, `canceled` and `expired` are free."""

    custom_id: str
    kind: str
    reply: Reply | None


class ClaudeBatches:
    """The batches of one key at one address. `ModelFailed` if the service gives no usable answer."""

    def __init__(self, claude: Claude) -> None:
        self._claude = claude

    def create(self, questions: Mapping[str, ModelQuestion]) -> str:
        """Sends the questions once; returns the batch's id. `ModelFailed` if surely not made, else `UnclearBatch`."""
        asked = [{"custom_id": ident, "params": self._parameters(question)} for ident, question in questions.items()]
        sdk, client = self._opened()
        try:
            made = client.messages.batches.create(requests=asked)
        except sdk.APIStatusError as error:
            if error.status_code >= 500 or error.status_code in _UNCLEAR:
                raise UnclearBatch(f"the service answered {error.status_code}") from None
            raise ModelFailed(
                f"the batch was refused ({error.status_code})", NOTHING_USED, f"http {error.status_code}"
            ) from None  # what the service says may repeat the key, and `--debug` prints where an error came from
        except sdk.AnthropicError as error:
            # No connection came about, so nothing was sent.
            if type(error.__cause__).__name__ in ("ConnectError", "ConnectTimeout", "OtherHost"):
                raise ModelFailed(f"the service cannot be reached: {type(error).__name__}", NOTHING_USED) from error
            raise UnclearBatch("the answer was lost on its way") from error
        except ValueError as error:
            raise UnclearBatch("the answer was something else than a batch") from error
        # The id becomes a part of addresses and of file names.
        ident = getattr(made, "id", None)
        if not isinstance(ident, str) or not _PLAIN.fullmatch(ident):
            raise UnclearBatch("the answer was something else than a batch")
        return ident

    def standing(self, ident: str) -> BatchStanding:
        """The state of a batch."""
        sdk, client = self._opened()
        return self._asked(sdk, lambda: _standing(client.messages.batches.retrieve(_plain(ident)), self._claude))

    def made_since(self, at: datetime) -> tuple[BatchStanding, ...]:
        """The batches of this key made since that instant, at most the last hundred."""
        sdk, client = self._opened()
        found = self._asked(sdk, lambda: list(islice(client.messages.batches.list(limit=MOST_LISTED), MOST_LISTED)))
        read = self._asked(sdk, lambda: [_standing(batch, self._claude, results=False) for batch in found])
        return tuple(batch for batch in read if batch.created_at >= at)

    def cancel(self, ident: str) -> None:
        """Asks the service to start nothing more of a batch. Questions already started are answered and billed."""
        sdk, client = self._opened()
        self._asked(sdk, lambda: client.messages.batches.cancel(_plain(ident)))

    def results(self, ident: str) -> tuple[BatchResult, ...]:
        """All results, unordered. Raises `ModelFailed` if they are incomplete. They may be fetched again."""
        self.standing(ident)  # refuses results that are at another host, before the key is sent there
        sdk, client = self._opened()
        return self._asked(sdk, lambda: tuple(_results(client.messages.batches.results(_plain(ident)))))

    def _parameters(self, asked: ModelQuestion) -> dict[str, Any]:
        return self._claude.parameters(
            system=asked.system, prompt=asked.prompt, schema=asked.schema, max_tokens=asked.max_tokens
        )

    def _opened(self) -> tuple[Any, Any]:
        sdk, client = self._claude.opened()
        # The SDK's own second try would create a second batch (decision D48).
        return sdk, client.with_options(max_retries=0, timeout=SECONDS)

    def _asked(self, sdk: Any, ask: Callable[[], T]) -> T:
        """Returns the service's answer, and turns every failure into `ModelFailed`."""
        # The SDK does not wrap what its own transport, whichever it is, raises while results are read.
        transport = import_module(sdk.DefaultHttpxClient.__mro__[1].__module__.partition(".")[0]).HTTPError
        try:
            return ask()
        except sdk.APIStatusError as error:
            raise ModelFailed(
                f"the service answered {error.status_code}", NOTHING_USED, f"http {error.status_code}"
            ) from None
        except OtherHost as error:
            raise ModelFailed(str(error), NOTHING_USED, "other host") from error
        except sdk.AnthropicError as error:
            if isinstance(error.__cause__, OtherHost):
                raise ModelFailed(str(error.__cause__), NOTHING_USED, "other host") from error
            raise ModelFailed(f"the service cannot be reached: {type(error).__name__}", NOTHING_USED) from error
        except (transport, ValueError, TypeError, AttributeError) as error:
            raise ModelFailed("the service answered something else than was asked", NOTHING_USED) from error


def _plain(ident: str) -> str:
    if not _PLAIN.fullmatch(ident):
        raise ModelFailed("that is no id of a batch", NOTHING_USED)
    return ident


def _standing(found: Any, claude: Claude, *, results: bool = True) -> BatchStanding:
    if not isinstance(found.id, str) or not _PLAIN.fullmatch(found.id) or not isinstance(found.created_at, datetime):
        raise ValueError("no batch")
    url = found.results_url if results else None
    if url and not claude.at_home(str(url)):
        raise OtherHost("its answers are at another host than the policy names, and are not fetched from there")
    counts = found.request_counts
    kinds = (counts.processing, counts.succeeded, counts.errored, counts.canceled, counts.expired)
    return BatchStanding(
        id=found.id,
        ended=found.processing_status == "ended",
        results=bool(url),
        archived=found.archived_at is not None,
        created_at=found.created_at,
        size=sum(int(kind) for kind in kinds),
    )


def _results(lines: Any) -> Iterator[BatchResult]:
    for line in lines:
        kind = visible(str(line.result.type))[:20]
        yield BatchResult(str(line.custom_id), kind, reply_of(line.result.message) if kind == "succeeded" else None)
