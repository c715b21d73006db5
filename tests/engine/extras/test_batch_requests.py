"""All that the engine asks a model by a batch, with the real SDK: without secrets, and the key nowhere (D30, D48)."""

import json
import logging
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.extras.batches import batch_desk
from engine.extras.batches.batch_desk import BatchDesk
from engine.extras.batches.batch_records import BatchFolder
from engine.extras.batches.batch_service import BatchingModel
from engine.extras.batches.claude_batches import ClaudeBatches, UnclearBatch
from engine.models.claude import Claude, ModelFailed
from engine.models.claude_model import ClaudeModel
from engine.models.cost_ledger import CostLedger
from engine.models.model_task import ModelQuestion, ModelRole, Price
from engine.models.spending_cap import TRIES, Budget, PaidModel
from engine.services.answers import AnswerFolder
from tests.engine.extras.batch_server import BatchServer, batch_server, succeeded
from tests.engine.models.loopback import KEY, asked_text
from tests.engine.test_model_requests import EACH, KINDS, NOW, TASKS

BOAT = "We decided to keep the boat on the lake."


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with batch_server() as made:
        made.result = lambda _: succeeded("{}")
        yield made


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_desk, "PAUSES", (0.0, 0.0))


def claude_of(server: BatchServer) -> Claude:
    return Claude("some-model", {"ANTHROPIC_API_KEY": KEY}, url=server.url, seconds=2)


def batched(folder: Path, server: BatchServer, role: ModelRole, what: str, texts: list[str]) -> list[Any]:
    """What comes of the texts where all of them are sent as one batch."""
    task, item = TASKS[role][what]
    ledger, answers = CostLedger(folder / "ledger.jsonl"), AnswerFolder(folder / "answers")
    budget = Budget(
        50.0, ledger=ledger, price=Price(1, 5), role=role.value, model="m", clock=lambda: NOW, timer=lambda: 0.0
    )
    claude = claude_of(server)
    desk = BatchDesk(
        ClaudeBatches(claude), BatchFolder(folder / "batches"), ledger, answers, clock=lambda: NOW, sleep=lambda _: None
    )
    single = ClaudeModel(PaidModel(claude, budget, tries=TRIES), role, answers)
    model = BatchingModel(single, lambda: desk, budget, role, answers, least=1, plan="p")
    return model.results(task, [item(text) for text in texts], lambda done, total: None)


def bodies(server: BatchServer) -> list[dict[str, Any]]:
    """What every request put to the service, in order."""
    return [json.loads(body) for one in server.sent if (body := one.rpartition("\n")[2])]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("role", "what"), EACH)
def test_d48_no_secret_of_forty_kinds_is_in_any_batch(
    server: BatchServer, tmp_path: Path, role: ModelRole, what: str
) -> None:
    """D30, D48: the batches, what is kept of them and of their answers hold none of the secrets."""
    server.result = lambda asked: succeeded(json.dumps({"said": [case.text for case in KINDS.values()]}))
    assert len(KINDS) >= 40
    batched(tmp_path, server, role, what, [f"{BOAT} {case.text}" for case in KINDS.values()])
    assert server.posts == 1, "all of them went in one batch, none was asked alone"
    asked = [one["params"] for body in bodies(server) for one in body["requests"]]
    assert len(asked) >= 1 and all("boat" in asked_text(one) for one in asked)
    everything = "\n".join(server.sent)
    assert [case.kind for case in KINDS.values() if case.secret in everything] == []
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert kept and [case.kind for case in KINDS.values() if case.secret.encode() in kept] == []


def question(prompt: str) -> ModelQuestion:
    return ModelQuestion(
        role=ModelRole.SUMMARISE, model="m", system="s", prompt=prompt, schema={"type": "object"}, max_tokens=9
    )


def test_d48_a_question_with_a_secret_closes_the_door_of_the_whole_batch(server: BatchServer) -> None:
    for case in KINDS.values():
        with pytest.raises(ModelFailed, match="secret") as caught:
            ClaudeBatches(claude_of(server)).create({"one": question(BOAT), "two": question(case.text)})
        assert server.sent == [] and case.secret not in str(caught.value), case.kind


def _refused(server: BatchServer) -> None:
    server.create = "401"


def _overloaded(server: BatchServer) -> None:
    server.create = "529"


def _lost(server: BatchServer) -> None:
    server.create = "lost"


def _elsewhere(server: BatchServer) -> None:
    server.results_host = "https://evil.example"


def _cut(server: BatchServer) -> None:
    server.cut_results = 99


def _errored(server: BatchServer) -> None:
    error = {"type": "error", "error": {"type": "authentication_error", "message": f"invalid x-api-key: {KEY}"}}
    server.result = lambda _: {"type": "errored", "error": error}


def _stopped(server: BatchServer) -> None:
    server.result = lambda _: succeeded("", "refusal")


def _malformed(server: BatchServer) -> None:
    server.result = lambda _: succeeded("no")


FAULTS: dict[str, Callable[[BatchServer], None]] = {
    "refused": _refused,
    "overloaded": _overloaded,
    "lost": _lost,
    "elsewhere": _elsewhere,
    "cut": _cut,
    "errored": _errored,
    "stopped": _stopped,
    "malformed": _malformed,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_d48_the_key_is_in_no_log_no_word_and_no_file(
    server: BatchServer, tmp_path: Path, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    """D48, D49: whatever a batch comes to, and though the service repeats the key in its error."""
    caplog.set_level(logging.DEBUG)
    server.refusal = f"invalid x-api-key: {KEY}"
    FAULTS[fault](server)
    found = batched(tmp_path, server, ModelRole.SUMMARISE, "notes", [BOAT, f"{BOAT} We decided to sell the car."])
    assert all("by Claude: " in one.remark for one in found) and KEY not in repr(found)
    assert f"x-api-key: {KEY}" in server.sent[0].casefold(), "the key went to the service, and nowhere else"
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files and not [path.name for path in files if KEY.encode() in path.read_bytes()]
    assert KEY not in caplog.text and not [one for one in caplog.records if KEY in repr(one.__dict__)]


ASKS: dict[str, Callable[[Claude], object]] = {
    "create": lambda claude: ClaudeBatches(claude).create({}),
    "cancel": lambda claude: ClaudeBatches(claude).cancel("msgbatch_1"),
    "live": lambda claude: claude.ask(system="s", prompt="p", schema={}, max_tokens=1),
}


@pytest.mark.parametrize("status", ["401", "500"])
@pytest.mark.parametrize("what", ASKS)
def test_d48_an_error_is_told_without_what_the_service_said(server: BatchServer, status: str, what: str) -> None:
    """D48: also a traceback, which prints what an error came from, has no key."""
    server.create, server.refusal = status, f"invalid x-api-key: {KEY}"
    with pytest.raises((ModelFailed, UnclearBatch)) as caught:
        ASKS[what](claude_of(server))
    assert status in str(caught.value)
    assert KEY not in "".join(traceback.format_exception(caught.value))
