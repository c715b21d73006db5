"""The reason of a miss of the prompt cache, as the service gives it, is in the ledger (decision D49)."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.models.claude import CACHED_FROM
from engine.models.cost_ledger import CostLedger
from engine.models.cost_report import cost_total
from engine.models.model_task import Price
from engine.models.spending_cap import Budget, PaidModel
from tests.engine.models.loopback import Answer, loopback, message

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)


class Word(msgspec.Struct):
    said: str


@pytest.mark.parametrize("reason", ["system_changed", "messages_changed", "unavailable"])
def test_d49_a_miss_is_booked_with_its_reason_and_the_call_names_the_one_before(tmp_path: Path, reason: str) -> None:
    asked: list[dict[str, Any]] = []

    def answer(body: dict[str, Any]) -> Answer:
        asked.append(body)
        status, data = message('{"said": "x"}', cache_read_input_tokens=300 if len(asked) == 1 else 0)
        found = json.loads(data) | {"id": f"msg_{len(asked)}"}
        if len(asked) > 1:
            missed = {"type": reason} | ({"cache_missed_input_tokens": 300} if reason != "unavailable" else {})
            found["diagnostics"] = {"cache_miss_reason": missed}
        return status, json.dumps(found).encode()

    ledger = CostLedger(tmp_path / "ledger.jsonl")
    with loopback() as line:
        line.answer = answer
        budget = Budget(
            1.0, ledger=ledger, price=Price(1, 5), role="gate", model="m", clock=lambda: NOW, timer=lambda: 0.0
        )
        model = PaidModel(line.claude(), budget)
        for _ in range(3):
            model.ask(system="s" * CACHED_FROM, prompt="p", schema={"type": "object"}, answer=Word, max_tokens=50)
    assert [body.get("diagnostics") for body in asked] == [
        None,
        {"previous_message_id": "msg_1"},
        {"previous_message_id": "msg_2"},
    ]
    assert all(body["system"][0]["cache_control"] == {"type": "ephemeral"} for body in asked), "the part that stays"
    assert [one.cache_miss for one in ledger.lines()] == ["", reason, reason]
    total = cost_total(ledger.lines())
    assert total.cache_misses == {reason: 2} and total.cache_share == pytest.approx(300 / 600)
