"""Replay by Claude's Message Batches, with the real SDK from a server on loopback: sent once, booked once (D48)."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.errors import Cancelled, MemdeckError, UsageError
from engine.extras.batches import batch_desk
from engine.extras.batches.batch_records import BatchFolder, BatchRecord, BatchState
from engine.lifecycle.requests import ReplayRequest
from engine.models.cost_ledger import CostLedger
from engine.models.model_task import BATCH
from engine.plans.plan import Create, Replace
from engine.plans.planning import PlanOutcome, PlanRequest
from engine.services.engine import Engine
from engine.workspace.values import Progress
from tests.engine.extras.batch_server import BatchServer, batch_server, succeeded
from tests.engine.lifecycle.events import capture, end, said, start
from tests.engine.models.loopback import KEY
from tests.engine.models.stand_in import numbered_lines

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)
DECIDED = "We decided to keep project {n} in SQLite."
QUIET = "Frida takes the night train number {n} on Sundays."
SECRET = "sk-ant-api03-Zx9Kq2LmN8vRt5Yw3Bd7Hf1Jc6Gp0Sa4"


def naming(asked: dict[str, Any]) -> dict[str, Any]:
    """Says that each sentence with Frida is of a person."""
    found = [{"line": n, "kind": "person"} for n, text in numbered_lines(asked).items() if "Frida" in text]
    return succeeded(json.dumps({"entries": found}))


def except_one(outcome: dict[str, Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Answers all but the question about train number 2, which ends otherwise."""
    return lambda asked: outcome if "number 2" in str(asked["messages"]) else naming(asked)


class Place:
    """Three transcripts, and the operator's side of them."""

    def __init__(self, folder: Path, server: BatchServer) -> None:
        self.folder, self.server, self.notes = folder, server, folder / "notes"
        (self.notes / "knowledge").mkdir(parents=True)
        (folder / "config/memdeck").mkdir(parents=True)
        self.policy()
        for n in (1, 2, 3):
            at = f"2026-02-1{n}T18:4"
            turns = said(f"{QUIET.format(n=n)} {DECIDED.format(n=n)} My key is {SECRET}.", at=f"{at}6:00Z")
            capture(self.notes, start(f"ses_{n}", f"{at}5:00Z"), turns, end(f"{at}9:00Z"))

    def policy(self, extra: str = "batch_from: 2") -> None:
        llm = f"provider: claude, models: {{extract: some-model}}, url: '{self.server.url}', {extra}"
        (self.folder / "config/memdeck/policy.yaml").write_text(f"llm: {{{llm}}}\n", "utf-8")

    @property
    def env(self) -> dict[str, str]:
        homes = {"XDG_STATE_HOME": str(self.folder / "state"), "XDG_CONFIG_HOME": str(self.folder / "config")}
        return {**homes, "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_CUSTOM_HEADERS": "x-leak: me"}

    def open(self) -> Engine:
        return Engine.open(self.notes, env=self.env, clock=lambda: NOW)

    def outcome(self) -> PlanOutcome:
        with self.open() as console:
            return console.plans.make("replay")

    def rows(self) -> list[str]:
        plan = self.outcome().plan
        texts = [one.content for one in plan.changes if isinstance(one, Create | Replace)] if plan else []
        return [row for text in texts for row in text.splitlines() if "<!-- x:" in row]

    def ledger(self) -> CostLedger:
        (folder,) = (self.folder / "state").rglob("batches")
        return CostLedger(folder.parent / "ledger.jsonl")

    def records(self) -> tuple[BatchRecord, ...]:
        (folder,) = (self.folder / "state").rglob("batches")
        return BatchFolder(folder).all()


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with batch_server() as made:
        made.result = naming
        yield made


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_desk, "PAUSES", (0.0, 0.0))


@pytest.fixture
def place(tmp_path: Path, server: BatchServer) -> Place:
    return Place(tmp_path, server)


def test_d48_a_replay_is_one_batch_at_half_the_price_and_a_second_one_asks_nothing(place: Place) -> None:
    place.server.looks = 3
    outcome = place.outcome()
    plan = outcome.plan
    assert plan is not None and plan.model is not None and plan.model.version == "some-model prompt 1"
    assert sum("Frida" in one.content for one in plan.changes if isinstance(one, Create | Replace)) == 1
    assert place.server.posts == 1 and plan.cost.calls == 3
    lines = place.ledger().lines()
    assert place.ledger().total() == pytest.approx(place.server.usd) == pytest.approx(float(plan.cost.usd), abs=1e-4)
    assert all(one.batch and one.stop == "end_turn" and not one.estimated and one.plan for one in lines)
    again = place.outcome()
    assert place.server.posts == 1 and again.cost.calls == 0
    assert again.plan is not None and again.plan.changes == plan.changes


def test_d48_an_estimate_knows_the_price_of_a_batch_and_sends_nothing(place: Place) -> None:
    with place.open() as console:
        batch = console.plans.estimate("replay")
    place.policy("batch_from: 4")
    with place.open() as console:
        single = console.plans.estimate("replay")
    assert batch.calls == single.calls == 3 and batch.usd == pytest.approx(BATCH * single.usd)
    assert "as a batch" in batch.line() and "as a batch" not in single.line()
    assert not place.server.sent


def test_no_secret_no_header_of_the_environment_and_only_the_operators_key_leave(place: Place) -> None:
    place.outcome()
    sent = "\n".join(place.server.sent)
    assert SECRET not in sent and "x-leak" not in sent and "Bearer" not in sent
    keys = re.findall(r"(?im)^x-api-key: (.*)$", sent)
    assert keys and {one.strip() for one in keys} == {KEY}
    for file in (place.folder / "state").rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes()


@pytest.mark.parametrize("kind", ["errored", "canceled", "expired"])
def test_d48_a_question_that_failed_alone_is_free_and_read_by_the_rules(place: Place, kind: str) -> None:
    error = {"type": "error", "error": {"type": "api_error", "message": "no"}}
    place.server.result = except_one({"type": kind} | ({"error": error} if kind == "errored" else {}))
    outcome = place.outcome()
    assert f"its batch ended: {kind}" in outcome.report and "1 of 3 parts" in outcome.report
    assert outcome.cost.calls == 2 and place.ledger().total() == pytest.approx(place.server.usd)
    plan = outcome.plan
    assert plan is not None and DECIDED.format(n=2) in "".join(
        one.content for one in plan.changes if isinstance(one, Create | Replace)
    )


@pytest.mark.parametrize(
    ("result", "said_of_it"),
    [
        (succeeded('{"entries": [', "max_tokens"), "stopped early (max_tokens)"),
        (succeeded("", "refusal"), "stopped early (refusal)"),
        (succeeded('{"entries": ['), "another form"),
        (succeeded('{"wrong": 1}'), "another form"),
    ],
)
def test_d49_what_a_batch_was_billed_for_is_booked_before_it_is_judged(
    place: Place, result: dict[str, Any], said_of_it: str
) -> None:
    place.server.result = except_one(result)
    outcome = place.outcome()
    assert said_of_it in outcome.report and outcome.cost.calls == 3
    assert place.ledger().total() == pytest.approx(place.server.usd)


def test_d48_a_lost_answer_is_looked_up_and_shown_and_never_sent_again(place: Place) -> None:
    place.server.create = "lost"
    outcome = place.outcome()
    assert "nobody knows whether batch" in outcome.report and "msgbatch_1" in outcome.report
    place.server.create = "made"
    assert "nobody knows" in place.outcome().report and place.server.posts == 1
    (record,) = place.records()
    assert record.state is BatchState.UNCLEAR
    assert place.ledger().total() == pytest.approx(record.usd_at_most), "at most, until it is known"
    with place.open() as console:
        assert console.batches.candidates(record.id) == ("msgbatch_1",)
        with pytest.raises(UsageError):
            console.batches.name(record.id, "msgbatch_7")
        console.batches.name(record.id, "msgbatch_1")
    assert len(place.rows()) == 3 and place.server.posts == 1
    assert place.ledger().total() == pytest.approx(place.server.usd)


def test_d48_an_unclear_batch_that_is_given_up_is_booked_at_the_most(place: Place) -> None:
    place.server.create = "500"
    place.outcome()
    (record,) = place.records()
    with place.open() as console:
        console.batches.forget(record.id)
        assert console.batches.all() == ()
    (line,) = place.ledger().lines()
    assert line.estimated and line.usd == pytest.approx(record.usd_at_most)
    place.server.create = "made"
    assert len(place.rows()) == 3 and place.server.posts == 2


@pytest.mark.parametrize("status", ["400", "401", "413", "429"])
def test_d48_a_refused_batch_was_not_made_and_costs_nothing(place: Place, status: str) -> None:
    place.server.create = status
    outcome = place.outcome()
    assert f"the batch was refused ({status})" in outcome.report
    assert place.ledger().total() == 0 and not place.records() and place.server.posts == 1


def test_d49_the_cap_holds_for_a_batch_as_a_whole(place: Place) -> None:
    place.policy("batch_from: 2, max_usd_per_plan: 0.012")
    outcome = place.outcome()
    assert "the budget is spent" in outcome.report
    assert 0 < len(place.ledger().lines()) < 3
    (record,) = place.records()
    assert record.usd_at_most <= 0.012 and place.ledger().total() == pytest.approx(place.server.usd)


def test_d48_results_at_another_host_are_not_fetched_and_the_key_stays_here(place: Place) -> None:
    with batch_server() as other:
        place.server.results_host = other.url
        outcome = place.outcome()
        assert "another host than the policy names" in outcome.report and not other.sent
    assert place.records()[0].state is BatchState.SENT, "nothing is lost: it can be fetched once that is mended"
    place.server.results_host = ""
    assert len(place.rows()) == 3 and place.server.posts == 1


def test_results_that_break_off_are_fetched_again_and_booked_once(place: Place) -> None:
    place.server.cut_results = 2
    assert len(place.rows()) == 3
    assert len(place.ledger().lines()) == 3 and place.ledger().total() == pytest.approx(place.server.usd)


def test_results_that_are_gone_are_booked_at_the_most(place: Place) -> None:
    place.server.archived = True
    outcome = place.outcome()
    assert "ended without a result" in outcome.report
    (record,) = place.records()
    assert place.ledger().total() == pytest.approx(record.usd_at_most)
    assert all(one.estimated for one in place.ledger().lines())


def test_d48_a_stopped_run_leaves_its_batch_and_no_share_is_invented(place: Place) -> None:
    place.server.looks = 10**9
    seen: list[Progress] = []

    def tick(progress: Progress) -> None:
        seen.append(progress)
        if place.server.posts:
            raise Cancelled("stopped")

    with place.open() as console, pytest.raises(Cancelled):
        console.plans.make("replay", PlanRequest(tick=tick))
    assert {one.done for one in seen if one.stage == "transcripts"} == {0}
    (record,) = place.records()
    with place.open() as console:
        assert console.batches.fetch(record.id).state is BatchState.SENT
        console.batches.cancel(record.id)
    assert place.server.cancelled == [record.remote]
    place.server.looks = 0
    with place.open() as console:
        assert console.batches.fetch(record.id).state is BatchState.DONE
        with pytest.raises(UsageError):
            console.batches.cancel(record.id)
    assert len(place.rows()) == 3 and place.server.posts == 1


RUN = """
import sys
from pathlib import Path
from engine.services.engine import Engine
with Engine.open(Path(sys.argv[1])) as console:
    console.plans.make("replay")
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("moment", ["while it is sent", "while it runs"])
def test_d48_a_killed_replay_sends_nothing_twice(place: Place, moment: str) -> None:
    place.server.looks = 10**9
    place.server.create = "hangs" if moment == "while it is sent" else "made"
    wanted = BatchState.SENDING if moment == "while it is sent" else BatchState.SENT
    run = subprocess.Popen([sys.executable, "-c", RUN, str(place.notes)], env=place.env)
    while not place.server.posts or place.records()[0].state is not wanted:
        assert run.poll() is None
        time.sleep(0.05)
    run.send_signal(signal.SIGKILL)
    run.wait()
    place.server.looks, place.server.create = 0, "made"
    if moment == "while it is sent":
        assert "memdeck ended while it was being sent" in place.outcome().report
        with place.open() as console:
            console.batches.name(place.records()[0].id, "msgbatch_1")
    assert len(place.rows()) == 3 and place.server.posts == 1
    assert place.ledger().total() == pytest.approx(place.server.usd)


def test_a_batch_that_nobody_knows_is_an_error_that_says_so(place: Place) -> None:
    with place.open() as console:
        with pytest.raises(UsageError):
            console.batches.forget("../../queue/x")
        with pytest.raises(MemdeckError):
            console.batches.fetch("20260101-000000-00000000")


def test_a_cluster_is_refused_where_claude_reads_and_nothing_is_sent(place: Place) -> None:
    asked = PlanRequest(ReplayRequest(scheduler="tcp://127.0.0.1:9"))
    with place.open() as console, pytest.raises(UsageError, match="a cluster reads by the rules"):
        console.plans.make("replay", asked)
    assert place.server.posts == 0


def test_what_claude_reads_is_kept_on_its_own_and_the_plan_has_the_cost(place: Place) -> None:
    with place.open() as console:
        plan = console.plans.make("replay", PlanRequest(ReplayRequest(name="v2", branch=True))).plan
        assert plan is not None and all(gate.passed for gate in plan.gates)
        assert plan.cost.calls == 3 and plan.model is not None and plan.model.version == "some-model prompt 1"
        assert console.replays.figures(plan.id).usd == pytest.approx(float(plan.cost.usd))
    folder = place.folder / "notes-extract" / "v2"
    assert any("Frida" in file.read_text("utf-8") for file in (folder / "knowledge").rglob("*.md"))
