"""Asks an OpenAI-compatible endpoint (`/v1/embeddings`) for vectors: by the operator's policy alone, never with
secrets. The cost is estimated before a text is sent, kept in a ledger, and stays below the policy's `search.max_usd`. A
question without an answer in time is answered by words alone."""

import http.client
import math
import ssl
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

import msgspec
import numpy as np

from engine.models.cost_ledger import CostLedger, LedgerLine, OverBudget
from engine.models.egress import Unsendable, outgoing
from engine.models.model_task import Price
from engine.search.embedding.embedder import Embedder, EmbeddingFailed, EmbeddingSettings
from engine.text.arrays import Floats, unit

BATCH = 64  # texts of one request
LONGEST = 6_000  # characters of a text that are sent
MOST_WAIT = 8.0  # seconds between two tries at most; they double from one on
PAUSE = 20.0  # seconds without questions after one that had no answer: who types would wait at every letter
KEPT = 100  # questions whose vectors are kept: the same one is asked again whenever a note changes
MOST_ANSWER = 64 << 20  # bytes of an answer that are read: an endpoint may send without end
BYTES_PER_TOKEN = 1  # no text has more tokens than bytes: what a call may cost at most is reserved by it
_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""HTTP statuses after which a later try may succeed: busy, too early, too many, or an error of the server's own."""


class _Row(msgspec.Struct):
    embedding: list[float]
    index: int = -1


class _Usage(msgspec.Struct):
    prompt_tokens: int


class _Bill(msgspec.Struct):
    usage: _Usage


class _Answer(msgspec.Struct):
    data: list[_Row]


class _Patience(NamedTuple):
    """The number of requests to the server, and the seconds for each. `insists`: retries even if nobody answers."""

    tries: int
    seconds: float
    insists: bool


_PATIENT = _Patience(tries=4, seconds=30.0, insists=True)  # for the batches of indexing, for which nobody waits
_WAITED_FOR = _Patience(tries=2, seconds=5.0, insists=False)  # for a single text, for which mostly somebody waits


class EndpointEmbedder:
    """Asks the endpoint that the policy names. Makes no call before there is text to embed."""

    quick = False
    weight = 3.0
    later: Embedder | None = None

    def __init__(
        self,
        wish: EmbeddingSettings,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._wish = wish
        self._sleep, self._clock = sleep, clock
        self._questions: dict[str, Floats] = {}
        self._pause: tuple[float, str] = (-math.inf, "")
        self._ledger = CostLedger(wish.ledger)
        self.id = f"endpoint-{wish.model}"
        self.dimensions = 0

    def embed(self, texts: Sequence[str]) -> Floats:
        if len(texts) == 1:
            return self._question(texts[0])
        parts = [self._embed(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH)]
        return np.concatenate(parts) if parts else np.zeros((0, max(1, self.dimensions)), np.float32)

    def _question(self, text: str) -> Floats:
        if (found := self._questions.get(text)) is not None:
            return found
        until, problem = self._pause
        if self._clock() < until:
            raise EmbeddingFailed(problem)
        try:
            found = self._embed([text], _WAITED_FOR)
        except EmbeddingFailed as error:
            self._pause = self._clock() + PAUSE, str(error)
            raise
        while len(self._questions) >= KEPT:
            self._questions.pop(next(iter(self._questions)), None)
        self._questions[text] = found
        return found

    def _embed(self, texts: Sequence[str], patience: _Patience = _PATIENT) -> Floats:
        clean = [_clean(text) or " " for text in texts]
        tokens = math.ceil(sum(len(text.encode()) for text in clean) / BYTES_PER_TOKEN)
        body = msgspec.json.encode({"model": self._wish.model, "input": clean, "encoding_format": "float"})
        rows = sorted(self._ask(body, tokens, patience).data, key=lambda row: row.index)
        width = {len(row.embedding) for row in rows}
        if len(rows) != len(texts) or len(width) != 1 or (self.dimensions and width != {self.dimensions}) or 0 in width:
            raise EmbeddingFailed("the endpoint's answer does not fit the question")
        self.dimensions = width.pop()
        found = np.array([row.embedding for row in rows], dtype=np.float32)
        if not np.all(np.isfinite(found)):
            raise EmbeddingFailed("the endpoint's answer holds numbers that are none")
        return unit(found)

    def _ask(self, body: bytes, most: int, patience: _Patience) -> _Answer:
        """Sends a batch of at most `most` tokens, again if the server is busy. Raises `EmbeddingFailed` in the end."""
        problem = ""
        for attempt in range(patience.tries):
            if attempt:
                self._sleep(min(MOST_WAIT, 0.5 * 2**attempt))
            try:
                status, data = self._paid(body, most, patience.seconds)
            except (OSError, http.client.HTTPException) as error:
                problem = f"the embeddings endpoint cannot be reached: {error}"
                if patience.insists:
                    continue
                break
            if status == 200:
                return _decoded(data)
            problem = f"the embeddings endpoint answered {status}"
            if status not in _AGAIN:
                break
        raise EmbeddingFailed(problem)

    def _paid(self, body: bytes, most: int, seconds: float) -> tuple[int, bytes]:
        """Sends once: reserves the cost in the ledger before, and books it before the answer is read."""
        cap = self._wish.max_usd if self._wish.usd_per_million_tokens > 0 else None
        try:
            key = self._ledger.reserve(self._line(most, "reserved", estimated=True), cap)
        except OverBudget:
            what = f"the budget for embeddings is spent (search.max_usd: {self._wish.max_usd:g})"
            raise EmbeddingFailed(what) from None
        line: LedgerLine | None = self._line(most, "cut off", estimated=True)
        try:
            status, data = self._post(body, seconds)
            used = _used(data) if status == 200 else 0
            stop = "end_turn" if status == 200 else f"http {status}"
            line = self._line(most if used is None else used, stop, estimated=used is None)
        except ConnectionRefusedError:
            line = None
            raise
        finally:
            if line is None:
                self._ledger.release(key)
            else:
                self._ledger.book(key, line)
        return status, data

    def _line(self, tokens: int, stop: str, *, estimated: bool) -> LedgerLine:
        price = Price(self._wish.usd_per_million_tokens, 0.0)
        return LedgerLine(
            time=self._wish.now() if self._wish.now is not None else None,
            role="embeddings",
            model=self._wish.model,
            input=tokens,
            output=0,
            price=price,
            usd=price.of(tokens, 0),
            estimated=estimated,
            stop=stop,
        )

    def _post(self, body: bytes, seconds: float) -> tuple[int, bytes]:
        url = urlsplit(self._wish.url)
        connection = _connection(url, seconds)
        try:
            headers = {"Content-Type": "application/json", "Accept": "application/json"}
            if self._wish.key:
                headers["Authorization"] = f"Bearer {self._wish.key}"
            path = url.path.rstrip("/")
            path = path if path.endswith("/embeddings") else (path or "/v1") + "/embeddings"
            connection.request("POST", path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read(MOST_ANSWER)
        finally:
            connection.close()


def _connection(url: SplitResult, seconds: float) -> http.client.HTTPConnection:
    if url.scheme == "https":
        return http.client.HTTPSConnection(url.netloc, timeout=seconds, context=ssl.create_default_context())
    return http.client.HTTPConnection(url.netloc, timeout=seconds)


def _used(data: bytes) -> int | None:
    try:
        tokens = msgspec.json.decode(data, type=_Bill).usage.prompt_tokens
    except msgspec.DecodeError:
        return None
    return tokens if tokens >= 0 else None


def _decoded(data: bytes) -> _Answer:
    try:
        return msgspec.json.decode(data, type=_Answer)
    except msgspec.DecodeError as error:
        raise EmbeddingFailed("the embeddings endpoint answered something else than vectors") from error


def _clean(text: str) -> str:
    try:
        return outgoing(text, LONGEST)
    except Unsendable as error:
        raise EmbeddingFailed(str(error)) from error
