"""A memory store of Anthropic's service. Its texts are listed, and sent with the expected hash of the stored text: if
that has changed, the service answers 409 and overwrites nothing."""

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from itertools import islice
from typing import Any

import msgspec

from engine.errors import MemdeckError
from engine.models.claude import Claude, ModelFailed, OtherHost
from engine.text.canonical_json import sha256_hex
from engine.text.safe_text import visible_line

BETA = "agent-memory-2026-07-22"
LARGEST = 102_400  # bytes of one text, which is the service's own limit
MOST = 2_000  # texts of one store, which is the service's own limit
_PAGE = 20  # texts that the service is asked for at once, each with its content
_CHANGED, _GONE = 409, 404
"""HTTP statuses of a memory that was changed meanwhile, or deleted."""


class StoreFailed(MemdeckError, title="Memory store"):
    """The service gave no usable answer."""


class StoredText(msgspec.Struct, frozen=True):
    """A text of a store: its id and path there, its sha256 and the text itself."""

    id: str
    path: str
    sha256: str
    text: str


class Sending(StrEnum):
    """The outcome of sending one text."""

    SENT = "sent"
    CHANGED = "changed since"
    GONE = "gone at the store"
    UNCLEAR = "no answer: it may have arrived"


class MemoryStore:
    """One store, opened with the operator's key. `claude` is a client to which only the key is added."""

    def __init__(self, ident: str, env: Mapping[str, str], *, key_variable: str, url: str) -> None:
        self.id, self._named = ident, {"memory_store_id": ident}
        self._line = Claude("the store", env, key_variable=key_variable, url=url, headers={"anthropic-beta": BETA})

    def texts(self) -> Iterator[StoredText]:
        """Every text of the store. Raises `StoreFailed` if one is missing or does not match its own hash."""
        for count, item in enumerate(
            self._asked(lambda memories: list(islice(memories.list(self.id, view="full", limit=_PAGE), MOST + 1))), 1
        ):
            if count > MOST:
                raise StoreFailed(f"more than {MOST:,} texts", where=self.id)
            text = item.content
            if not isinstance(text, str) or sha256_hex(text.encode("utf-8", "replace")) != item.content_sha256:
                raise StoreFailed("a text is not what its hash says", where=visible_line(str(item.path)))
            yield StoredText(str(item.id), str(item.path), item.content_sha256, text)

    def update(self, ident: str, expected: str, text: str) -> Sending:
        """Replaces the text whose sha256 is `expected`, and no other."""
        only_if = {"type": "content_sha256", "content_sha256": expected}
        state, _ = self._sent(lambda store: store.update(ident, content=text, precondition=only_if, **self._named))
        return state

    def create(self, path: str, text: str) -> tuple[Sending, str]:
        """Sends a text to an unused path and returns its new id. An existing text stays as it is."""
        return self._sent(lambda memories: str(memories.create(path=path, content=text, **self._named).id))

    def _sent(self, call: Callable[[Any], Any]) -> tuple[Sending, Any]:
        try:
            return Sending.SENT, self._asked(call)
        except _Answered as answer:
            states = {_CHANGED: Sending.CHANGED, 412: Sending.CHANGED, _GONE: Sending.GONE}
            if answer.status in states:
                return states[answer.status], ""
            if answer.status:
                raise
            return Sending.UNCLEAR, ""

    def _asked(self, call: Callable[[Any], Any]) -> Any:
        """Makes one call. `StoreFailed` gives the reason, without the text sent and without the key."""
        try:
            sdk, client = self._line.opened()
        except ModelFailed as failed:
            raise StoreFailed(str(failed), where=self.id, hint="set it, then run the command again") from failed
        try:
            return call(client.beta.memory_stores.memories)
        except sdk.APIStatusError as error:
            raise _Answered(f"the service answered {error.status_code}", self.id, error.status_code) from error
        except OtherHost as error:
            raise StoreFailed(str(error), where=self.id) from error
        except (sdk.AnthropicError, ValueError) as error:
            if _other_host(error):
                raise StoreFailed("the request is for another host than the policy names", where=self.id) from error
            raise _Answered(f"no answer of the service: {type(error).__name__}", self.id, 0) from error


class _Answered(StoreFailed):
    """The service refused, or its answer was lost (`status` 0)."""

    def __init__(self, message: str, where: str, status: int) -> None:
        super().__init__(message, where=where, hint="try it again later")
        self.status = status


def _other_host(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, OtherHost):
            return True
        error = error.__cause__
    return False
