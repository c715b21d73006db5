"""An OpenAI-compatible endpoint: batches, retries, cost, and what is never sent. The server is on loopback."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.models.cost_ledger import CostLedger
from engine.search.embedding.embedder import EmbeddingFailed, EmbeddingSettings, NoEmbedder, load_embedder
from engine.search.embedding.endpoint import BATCH, KEPT, PAUSE, EndpointEmbedder
from tests.engine.models.loopback import LoopbackServer, QuietHandler
from tests.engine.search.place import MakePlace


class Server(LoopbackServer):
    """Answers with a vector per text; `answers` are statuses or raw bodies to give first."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.answers: list[int | bytes] = []
        outer = self

        class Handler(QuietHandler, BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append(body)
                outer.headers.append(dict(self.headers))
                outer.paths.append(self.path)
                status, data = outer.answer(body["input"])
                self.send_response(status)
                self.end_headers()
                self.wfile.write(data)

        super().__init__(Handler)

    @property
    def url(self) -> str:
        return f"{super().url}/v1"

    def answer(self, texts: list[str]) -> tuple[int, bytes]:
        first = self.answers.pop(0) if self.answers else 200
        if isinstance(first, bytes):
            return 200, first
        rows = [{"index": at, "embedding": [len(text), 1.0, 9.0 * ("zebra" in text)]} for at, text in enumerate(texts)]
        data = {"data": list(reversed(rows)), "usage": {"prompt_tokens": 10 * len(texts)}}
        return first, json.dumps(data).encode()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def wish(server: Server, tmp_path: Path, **changes: Any) -> EmbeddingSettings:
    values: dict[str, Any] = {
        "embedder": "endpoint", "model": "small", "url": server.url, "key": "k-1", "usd_per_million_tokens": 100.0,
        "max_usd": 1.0, "ledger": tmp_path / "ledger.jsonl",
    }  # fmt: skip
    return EmbeddingSettings(**{**values, **changes})


def embedder(server: Server, tmp_path: Path, **changes: Any) -> EndpointEmbedder:
    return EndpointEmbedder(wish(server, tmp_path, **changes), sleep=lambda seconds: None)


def test_texts_go_in_batches_and_come_back_in_order(server: Server, tmp_path: Path) -> None:
    rows = embedder(server, tmp_path).embed(["x" * number for number in range(1, BATCH + 6)])
    assert [len(request["input"]) for request in server.requests] == [BATCH, 5]
    assert rows.shape == (BATCH + 5, 3)
    assert np.all(np.diff(rows[:, 0]) > 0) and np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert server.paths[0] == "/v1/embeddings" and server.headers[0]["Authorization"] == "Bearer k-1"
    assert server.requests[0]["model"] == "small"


def test_a_busy_server_is_asked_again_and_a_refusal_is_not(server: Server, tmp_path: Path) -> None:
    server.answers = [429, 503]
    assert len(embedder(server, tmp_path).embed(["a", "b"])) == 2
    assert len(server.requests) == 3
    server.answers = [401]
    with pytest.raises(EmbeddingFailed, match="answered 401"):
        embedder(server, tmp_path).embed(["a", "b"])
    assert len(server.requests) == 4


def test_a_server_that_is_not_there_is_an_answer_too(server: Server, tmp_path: Path) -> None:
    with pytest.raises(EmbeddingFailed, match="cannot be reached"):
        embedder(server, tmp_path, url="http://127.0.0.1:9/v1").embed(["a"])


def test_who_types_waits_for_no_server_that_is_not_there(server: Server, tmp_path: Path) -> None:
    waited: list[float] = []
    now = [0.0]
    gone = EndpointEmbedder(
        wish(server, tmp_path, url="http://127.0.0.1:9/v1"), sleep=waited.append, clock=lambda: now[0]
    )
    with pytest.raises(EmbeddingFailed, match="cannot be reached"):
        gone.embed(["a question"])
    assert waited == []
    busy = EndpointEmbedder(wish(server, tmp_path), sleep=waited.append, clock=lambda: now[0])
    server.answers = [503, 503]
    for question in ("a question", "a question t", "a question th"):
        with pytest.raises(EmbeddingFailed, match="answered 503"):
            busy.embed([question])
    assert len(server.requests) == 2 and len(waited) == 1
    now[0] += PAUSE
    assert len(busy.embed(["a question"])) == 1


def test_the_same_question_is_sent_and_paid_once(server: Server, tmp_path: Path) -> None:
    model = embedder(server, tmp_path)
    first = model.embed(["a question"])
    assert np.array_equal(model.embed(["a question"]), first) and len(server.requests) == 1
    for number in range(KEPT):
        model.embed([f"question {number}"])
    model.embed(["a question"])
    assert len(server.requests) == KEPT + 2


@pytest.mark.parametrize(
    "body",
    [
        b"<html>", b"{}", b'{"data": []}', b'{"data": [{"embedding": []}]}', b'{"data": [{"embedding": ["x"]}]}',
        b'{"data": [{"embedding": [1e400]}]}', b'{"data": [{"embedding": [NaN]}]}',
    ],
)  # fmt: skip
def test_an_answer_that_is_none_is_refused(server: Server, tmp_path: Path, body: bytes) -> None:
    server.answers = [body]
    with pytest.raises(EmbeddingFailed):
        embedder(server, tmp_path).embed(["a"])


def test_secrets_are_never_sent(server: Server, tmp_path: Path) -> None:
    key = "sk-ant-api03-" + "Ab1" * 30
    embedder(server, tmp_path).embed([f"the key is {key}", "password: hunter2hunter2X9"])
    sent = json.dumps(server.requests)
    assert key not in sent and "hunter2hunter2X9" not in sent and "secret" in sent


def test_cost_is_written_down_and_stops_at_the_budget(server: Server, tmp_path: Path) -> None:
    model = embedder(server, tmp_path, max_usd=0.0045)
    model.embed(["a", "b"])
    ledger = CostLedger(tmp_path / "ledger.jsonl")
    assert ledger.total() == pytest.approx(20 * 100 / 1e6)
    model.embed(["a", "b"])
    with pytest.raises(EmbeddingFailed, match="budget"):
        model.embed(["a long text " * 20])
    assert len(server.requests) == 2


def test_a_search_through_an_endpoint(server: Server, tmp_path: Path, make_place: MakePlace) -> None:
    chosen = load_embedder(wish(server, tmp_path))
    assert not isinstance(chosen, NoEmbedder)
    place = make_place(chosen)
    for name in ("zebra", "lion", "other"):
        place.write(f"{name}.md", f"about the {name}")
    report = place.update()
    assert (report.vectors, report.lacking, report.embedder) == (3, 0, "endpoint-small")
    hit = place.search("zebra").hits[0]
    assert hit.path == "zebra.md" and hit.vector is not None


def test_nothing_is_sent_before_something_is_to_be_embedded(server: Server, tmp_path: Path) -> None:
    load_embedder(wish(server, tmp_path))
    assert server.requests == []
