"""A memory store on loopback in the place of Anthropic's: pages of texts, and updates under their precondition."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from engine.text.canonical_json import sha256_hex
from tests.engine.models.loopback import LoopbackServer, QuietHandler

STORE = "memstore_01Silas"
_ROOT = f"/v1/memory_stores/{STORE}/memories"


class StoreServer(LoopbackServer):
    """One store. `texts` are what it holds, by path; each keeps its id."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.sent: list[str] = []
        """Each request: its line, its headers and its body."""
        self.status = 0
        """Answers every request with this status, where it is set."""
        server = self

        class Handler(QuietHandler, BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer("")

            def do_POST(self) -> None:
                self._answer(self.rfile.read(int(self.headers["content-length"])).decode())

            def _answer(self, raw: str) -> None:
                server.sent.append(f"{self.requestline}\n{self.headers}\n{raw}")
                status, body = server.answer(self.command, self.path, json.loads(raw) if raw else {})
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        super().__init__(Handler)

    @property
    def writes(self) -> list[str]:
        """The requests that would write."""
        return [one for one in self.sent if one.startswith("POST")]

    def answer(self, method: str, path: str, asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        place, query = urlsplit(path).path, parse_qs(urlsplit(path).query)
        if self.status or not place.startswith(_ROOT):
            return self.status or 404, {"type": "error", "error": {"type": "x", "message": "no"}}
        if method == "GET":
            return 200, self._page(int(query.get("page", ["0"])[0]), int(query["limit"][0]))
        ident = place.removeprefix(_ROOT).strip("/")
        return self._updated(ident, asked) if ident else self._created(asked)

    def _page(self, start: int, limit: int) -> dict[str, Any]:
        paths = list(self.texts)[start : start + limit]
        more = start + limit < len(self.texts)
        return {"data": [self._memory(path) for path in paths], "next_page": str(start + limit) if more else None}

    def _updated(self, ident: str, asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        path = next((path for path in self.texts if _id(path) == ident), "")
        if not path:
            return 404, {"type": "error", "error": {"type": "not_found_error", "message": "no"}}
        if asked["precondition"]["content_sha256"] != sha256_hex(self.texts[path].encode()):
            return 409, {"type": "error", "error": {"type": "memory_precondition_failed_error", "message": "no"}}
        self.texts[path] = asked["content"]
        return 200, self._memory(path)

    def _created(self, asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if asked["path"] in self.texts:
            return 409, {"type": "error", "error": {"type": "memory_path_conflict_error", "message": "no"}}
        self.texts[asked["path"]] = asked["content"]
        return 200, self._memory(asked["path"])

    def _memory(self, path: str) -> dict[str, Any]:
        text, at = self.texts[path], "2026-02-16T18:45:00Z"
        facts = {"id": _id(path), "type": "memory", "path": path, "content": text, "memory_store_id": STORE}
        sizes = {"content_sha256": sha256_hex(text.encode()), "content_size_bytes": len(text.encode())}
        return facts | sizes | {"created_at": at, "updated_at": at, "memory_version_id": "memver_1"}


def _id(path: str) -> str:
    return f"mem_{sha256_hex(path.encode())[:12]}"


@contextmanager
def store_server() -> Iterator[StoreServer]:
    """A store that is gone behind the block."""
    made = StoreServer()
    try:
        yield made
    finally:
        made.close()
