"""A server on loopback in the place of Anthropic's Message Batches: it keeps what it is sent, and bills by the half."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from typing import Any

from engine.models.model_task import BATCH, Price
from tests.engine.models.loopback import LoopbackServer, QuietHandler

USAGE = {"input_tokens": 100, "output_tokens": 10, "service_tier": "batch"}
PRICE = Price(1.0, 5.0)
Result = dict[str, Any]


def succeeded(text: str, stop: str = "end_turn") -> Result:
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "some-model", "stop_reason": stop,
        "stop_sequence": None, "content": [{"type": "text", "text": text}], "usage": USAGE,
    }  # fmt: skip
    return {"type": "succeeded", "message": message}


class BatchServer(LoopbackServer):
    """`result` answers one question, given its parameters; a batch has ended after `looks` looks at it."""

    def __init__(self) -> None:
        self.result: Callable[[dict[str, Any]], Result] = lambda _: succeeded("{}")
        self.looks = 0
        self.create = "made"
        """`made`; `lost`, `hangs`: made, and no answer comes; a number: refused with that, and not made."""
        self.refusal = "no"
        """The words of such a refusal."""
        self.results_host = ""
        self.cut_results = 0
        """Answers with results that break off half-way, before they come whole."""
        self.posts = 0
        self.sent: list[str] = []
        self.batches: dict[str, dict[str, Any]] = {}
        self.cancelled: list[str] = []
        self.usd = 0.0
        self.archived = False
        server = self

        class Handler(QuietHandler, BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
                server.sent.append(f"{self.requestline}\n{self.headers}\n{raw}")
                if self.path.endswith("/cancel") and not server.create.isdigit():
                    ident = self.path.split("/")[-2]
                    server.cancelled.append(ident)
                    self._json(server.shown(ident))
                    return
                server.posts += 1
                if server.create.isdigit():
                    error = {"type": "api_error", "message": server.refusal}
                    self._send(int(server.create), json.dumps({"type": "error", "error": error}).encode())
                    return
                ident = server.make(json.loads(raw)["requests"])
                if server.create == "hangs":
                    time.sleep(60)
                if server.create == "lost":
                    self.close_connection = True
                    return
                self._json(server.shown(ident))

            def do_GET(self) -> None:
                server.sent.append(f"{self.requestline}\n{self.headers}\n")
                path = self.path.partition("?")[0]
                if path.endswith("/results"):
                    body = server.answers(path.split("/")[-2])
                    cut = server.cut_results > 0
                    server.cut_results -= cut
                    self._send(200, body[: len(body) // 2] if cut else body, len(body), "application/x-jsonl")
                elif path.endswith("/batches"):
                    listed = [server.shown(one) for one in reversed(server.batches)]
                    self._json({"data": listed, "has_more": False, "first_id": None, "last_id": None})
                elif path.split("/")[-1] in server.batches:
                    self._json(server.shown(path.split("/")[-1], look=True))
                else:
                    self._send(404, b'{"type":"error","error":{"type":"not_found_error","message":"no"}}')

            def _json(self, found: dict[str, Any]) -> None:
                self._send(200, json.dumps(found).encode())

            def _send(self, status: int, body: bytes, length: int = 0, kind: str = "application/json") -> None:
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(length or len(body)))
                self.end_headers()
                self.wfile.write(body)
                self.close_connection = bool(length) and length != len(body)

        super().__init__(Handler)

    def make(self, requests: list[dict[str, Any]]) -> str:
        ident = f"msgbatch_{len(self.batches) + 1}"
        results = {one["custom_id"]: self.result(one["params"]) for one in requests}
        billed = [one["message"]["usage"] for one in results.values() if one["type"] == "succeeded"]
        self.usd += sum(BATCH * PRICE.of(one["input_tokens"], one["output_tokens"]) for one in billed)
        self.batches[ident] = {"results": results, "looks": 0}
        return ident

    def shown(self, ident: str, *, look: bool = False) -> dict[str, Any]:
        batch = self.batches[ident]
        batch["looks"] += look
        ended = batch["looks"] > self.looks
        kinds = [one["type"] for one in batch["results"].values()]
        counts = {kind: kinds.count(kind) * ended for kind in ("succeeded", "errored", "canceled", "expired")}
        results = f"{self.results_host or self.url}/v1/messages/batches/{ident}/results"
        at = datetime.now(UTC).isoformat()
        return {
            "id": ident, "type": "message_batch", "processing_status": "ended" if ended else "in_progress",
            "request_counts": {"processing": 0 if ended else len(kinds), **counts},
            "created_at": at, "expires_at": at, "ended_at": at if ended else None,
            "archived_at": at if self.archived else None,
            "cancel_initiated_at": at if ident in self.cancelled else None,
            "results_url": results if ended and not self.archived else None,
        }  # fmt: skip

    def answers(self, ident: str) -> bytes:
        found = self.batches[ident]["results"]
        lines = [json.dumps({"custom_id": one, "result": result}) for one, result in reversed(found.items())]
        return ("\n".join(lines) + "\n").encode()


@contextmanager
def batch_server() -> Iterator[BatchServer]:
    """A server that is gone behind the block."""
    made = BatchServer()
    try:
        yield made
    finally:
        made.close()
