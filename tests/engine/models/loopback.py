"""A server on loopback in the place of Anthropic's: it answers as told, bills, and keeps every byte it was sent."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from engine.models.claude import Claude

Answer = tuple[int, bytes]
KEY = "key-of-the-operator"
SECONDS_TO_END = 0.01
"""After which a server looks whether it is to end. Python's half a second is waited for at each test."""


class LoopbackServer:
    """A server at a free port of this machine; `handler` answers its requests, until the block is over."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(SECONDS_TO_END,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class QuietHandler(BaseHTTPRequestHandler):
    """Writes no log."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


class Loopback(LoopbackServer):
    """Answers each request by `answer`, given the request's body."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        """Each request as it came: its line, its headers and its body."""
        self.answer: Callable[[dict[str, Any]], Answer] = lambda _asked: message("{}")
        self.headers: dict[str, str] = {}
        loopback = self

        class Handler(QuietHandler, BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["content-length"])).decode()
                loopback.sent.append(f"{self.requestline}\n{self.headers}\n{raw}")
                status, body = loopback.answer(json.loads(raw))
                self.send_response(status)
                for name, value in {"content-type": "application/json", **loopback.headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        super().__init__(Handler)

    def claude(self) -> Claude:
        return Claude("some-model", {"ANTHROPIC_API_KEY": KEY}, url=self.url)


@contextmanager
def loopback() -> Iterator[Loopback]:
    """A server that is gone behind the block."""
    made = Loopback()
    try:
        yield made
    finally:
        made.close()


def message(text: str, *, stop: str = "end_turn", **usage: Any) -> Answer:
    """An answer as the service gives it, billed for `usage`."""
    return 200, json.dumps(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "some-model",
            "content": [{"type": "text", "text": text}],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": 100, "output_tokens": 10} | usage,
        }
    ).encode()


def failure(status: int) -> Answer:
    """An answer with an error, which is not billed."""
    return status, b'{"type": "error", "error": {"type": "api_error", "message": "no"}}'


def asked_text(asked: dict[str, Any]) -> str:
    """The text that the request puts to the model."""
    return str(asked["messages"][0]["content"])
