"""Sixty answers of each bad kind, by the real SDK from a server on loopback: the cap holds, the ledger agrees (D49)."""

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from engine.models import claude
from engine.models.claude import Claude
from engine.models.cost_ledger import CostLedger
from engine.models.model_task import Price
from engine.topics.gate.claude import ClaudeGate
from engine.topics.gate.question import GateFailed, GateQuestion
from engine.topics.topic import PatternTrigger
from tests.engine.models.loopback import LoopbackServer, QuietHandler
from tests.engine.topics.building import topic

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)
PRICE = Price(1.0, 5.0)
CAP = 0.05
QUESTIONS = 60
CACHED = {"cache read": 0.1, "cache write": 1.25, "cache write for an hour": 2.0}


class Biller(LoopbackServer):
    """A server on loopback that answers in one way and adds up what it bills."""

    def __init__(self) -> None:
        self.kind = "end_turn"
        self.tokens = (100_000, 20)
        self.calls, self.usd = 0, 0.0
        biller = self

        class Handler(QuietHandler, BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                biller.calls += 1
                status, body = biller.answer()
                if status == 0:
                    self.close_connection = True
                    return
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body) + 50 * (biller.kind == "cut")))
                self.end_headers()
                self.wfile.write(body)

        super().__init__(Handler)

    def answer(self) -> tuple[int, bytes]:
        if self.kind == "http 500":
            return 500, b'{"type": "error", "error": {"type": "api_error", "message": "no"}}'
        self.usd += PRICE.of(self.tokens[0] * CACHED.get(self.kind, 1.0), self.tokens[1])
        if self.kind == "hang up":
            return 0, b""
        if self.kind == "no json":
            return 200, b"<html>"
        text = '{"answer": "YES", "reason": "x"}' if self.kind != "malformed" else '{"answer": "YES'
        stop = self.kind if self.kind in ("max_tokens", "refusal", "pause_turn") else "end_turn"
        return 200, json.dumps(
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": "some-model",
                "content": [] if self.kind == "empty" else [{"type": "text", "text": text}],
                "stop_reason": stop,
                "stop_sequence": None,
                "usage": self.usage(),
            }
        ).encode()

    def usage(self) -> dict[str, Any]:
        read, output = self.tokens
        found: dict[str, Any] = {"input_tokens": read, "output_tokens": output}
        match self.kind:
            case "cache read":
                return found | {"input_tokens": 0, "cache_read_input_tokens": read}
            case "cache write":
                return found | {"input_tokens": 0, "cache_creation_input_tokens": read}
            case "cache write for an hour":
                hour = {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": read}
                return found | {"input_tokens": 0, "cache_creation_input_tokens": read, "cache_creation": hour}
        return found


@pytest.fixture
def biller() -> Iterator[Biller]:
    made = Biller()
    yield made
    made.close()


def sixty(biller: Biller, folder: Path) -> tuple[CostLedger, int]:
    """Asks sixty questions; the ledger, and how many were answered."""
    ledger = CostLedger(folder / "ledger.jsonl")
    model = Claude("some-model", {"ANTHROPIC_API_KEY": "k"}, url=biller.url)
    gate = ClaudeGate(model, price=PRICE, max_usd=CAP, ledger=ledger, timer=lambda: 0.0, clock=lambda: NOW)
    answered = 0
    for number in range(QUESTIONS):
        try:
            of = topic("one", PatternTrigger(match="zebra"))
            gate.ask(GateQuestion(message=f"zebra {number}", topic=of, tier1=True, score=0.4))
            answered += 1
        except GateFailed:
            pass
    return ledger, answered


@pytest.mark.parametrize("kind", ["end_turn", "max_tokens", "refusal", "pause_turn", "malformed", "empty"])
def test_d49_answers_are_booked_before_they_are_judged(biller: Biller, tmp_path: Path, kind: str) -> None:
    biller.kind = kind
    ledger, _ = sixty(biller, tmp_path)
    assert biller.calls == 1, "one call of 100,000 tokens is over the cap already"
    assert ledger.total() == pytest.approx(biller.usd)
    (line,) = ledger.lines()
    assert (line.time, line.role, line.model, line.input, line.output) == (NOW, "gate", "some-model", 100_000, 20)
    assert line.price == PRICE and not line.estimated
    assert line.stop == (kind if kind in ("max_tokens", "refusal", "pause_turn") else "end_turn")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", ["end_turn", "max_tokens", "refusal", "malformed", "empty", *CACHED])
@pytest.mark.parametrize("tokens", [(700, 300), (200, 20), (9_000, 300)])
def test_d49_the_cap_is_passed_by_no_call_and_the_ledger_is_the_servers_sum(
    biller: Biller, tmp_path: Path, kind: str, tokens: tuple[int, int]
) -> None:
    biller.kind, biller.tokens = kind, tokens
    ledger, _ = sixty(biller, tmp_path)
    assert 0 < biller.usd <= CAP
    assert ledger.total() == pytest.approx(biller.usd)
    assert len(ledger.lines()) == biller.calls


@pytest.mark.parametrize(("kind", "share"), CACHED.items())
def test_d49_what_the_cache_read_and_wrote_is_in_the_ledger_apart(
    biller: Biller, tmp_path: Path, kind: str, share: float
) -> None:
    biller.kind = kind
    ledger, _ = sixty(biller, tmp_path)
    (line,) = ledger.lines()
    figures = (line.input, line.cache_read, line.cache_write, line.cache_write_hour)
    read = biller.tokens[0]
    hour = read if "hour" in kind else 0
    assert figures == ((0, read, 0, 0) if kind == "cache read" else (0, 0, read, hour))
    assert line.usd == pytest.approx(PRICE.of(read * share, 20)) == pytest.approx(biller.usd)


def test_errors_of_the_server_cost_nothing_and_are_kept(biller: Biller, tmp_path: Path) -> None:
    biller.kind = "http 500"
    ledger, answered = sixty(biller, tmp_path)
    assert (answered, ledger.total()) == (0, 0.0)
    assert {line.stop for line in ledger.lines()} == {"http 500"} and len(ledger.lines()) == biller.calls


@pytest.mark.parametrize("kind", ["no json", "hang up", "cut"])
def test_what_nobody_knows_is_booked_at_its_worst_and_marked(biller: Biller, tmp_path: Path, kind: str) -> None:
    biller.kind, biller.tokens = kind, (300, 100)
    ledger, _ = sixty(biller, tmp_path)
    assert biller.usd <= ledger.total() <= CAP
    assert all(line.estimated for line in ledger.lines()) and len(ledger.lines()) == biller.calls


def test_a_timeout_is_booked_at_its_worst_and_the_call_is_not_made_twice(
    biller: Biller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claude, "SECONDS", 0.2)
    held = threading.Event()
    answer = biller.answer

    def late() -> tuple[int, bytes]:
        held.wait(30)
        return answer()

    biller.answer = late  # type: ignore[method-assign]
    try:
        ledger, _ = sixty(biller, tmp_path)
    finally:
        held.set()
    assert {line.stop for line in ledger.lines()} == {"timeout"} and all(line.estimated for line in ledger.lines())
    assert len(ledger.lines()) == biller.calls and 0 < ledger.total() <= CAP


def test_a_server_that_is_not_there_costs_nothing(biller: Biller, tmp_path: Path) -> None:
    biller.server.server_close()
    biller.server.shutdown()
    ledger, answered = sixty(biller, tmp_path)
    assert (answered, ledger.lines(), ledger.total()) == (0, (), 0.0)
