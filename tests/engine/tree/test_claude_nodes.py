"""Nodes of the tree in Claude's words, by the real SDK from a server on loopback (decisions D30, D49)."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.errors import Cancelled
from engine.models import spending_cap
from engine.models.cost_ledger import CostLedger
from engine.plans.plan import Change, Create, Plan
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine
from engine.tree.cycle.idle import TreeRequest
from engine.tree.levels import ROOT_PATH
from engine.workspace.values import Progress
from tests.engine.models.loopback import KEY, Answer, Loopback, failure, loopback, message
from tests.engine.models.stand_in import numbered_lines, shortening
from tests.engine.tree.rig import entry

NOW = datetime(2026, 3, 16, 3, 0, tzinfo=UTC)
DAY, WEEK = "memory/daily/2026-03-15.md", "memory/weekly/2026-W11.md"
DRAIN = PlanRequest(TreeRequest(drain=True))


@pytest.fixture
def line() -> Iterator[Loopback]:
    with loopback() as made:
        made.answer = shortening
        yield made


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spending_cap, "PAUSE", 0.0)


class Place:
    """A workspace with one long raw log, and the operator's side of it."""

    def __init__(self, folder: Path, line: Loopback) -> None:
        self.folder, self.line = folder, line
        (folder / "notes/memory").mkdir(parents=True)
        made = entry(
            "storage [project]", *(f"decided: really the index of part {n} goes to shelf {n}" for n in range(210))
        )
        rule = entry("tea [user]", "Ana wants green tea at 4 pm")
        secret = entry("box [project]", "The password of the box is hunter2-Zebra!9 as it was")
        (folder / "notes/memory/2026-03-15.md").write_text(made + rule + secret, "utf-8")

    def open(self, cap: float = 0.5, model: str = "some-model") -> Engine:
        config = self.folder / "config/memdeck"
        config.mkdir(parents=True, exist_ok=True)
        llm = f"provider: claude, models: {{summarise: {model}}}, max_usd_per_plan: {cap}, url: '{self.line.url}'"
        (config / "policy.yaml").write_text(f"llm: {{{llm}}}\n", "utf-8")
        home = {"XDG_STATE_HOME": str(self.folder / "state"), "XDG_CONFIG_HOME": str(self.folder / "config")}
        return Engine.open(self.folder / "notes", now=NOW, env={**home, "ANTHROPIC_API_KEY": KEY}, clock=lambda: NOW)

    def plan(self, request: PlanRequest = DRAIN, **options: Any) -> Plan:
        with self.open(**options) as console:
            plan = console.plans.make("tree", request).plan
        assert plan is not None
        return plan

    def ledger(self) -> CostLedger:
        (file,) = (self.folder / "state").rglob("ledger.jsonl")
        return CostLedger(file)


@pytest.fixture
def place(tmp_path: Path, line: Loopback) -> Place:
    return Place(tmp_path, line)


def node(plan: Plan, path: str) -> Create:
    (found,) = (change for change in plan.changes if change.path == path)
    assert isinstance(found, Create)
    return found


def behind(change: Change, text: str) -> int:
    """The line of the raw log that a line of a node stands on, as the diff shows it."""
    assert isinstance(change, Create)
    (at,) = (n for n, line in enumerate(change.content.splitlines(), 1) if text in line)
    return next(one.source.start for one in change.origins if one.line == at)


def test_d30_nodes_stand_in_the_words_of_the_model_that_the_policy_names(place: Place) -> None:
    plan = place.plan()
    day = node(plan, DAY)
    assert "summary: claude some-model" in day.content and "really" not in day.content
    log = (place.folder / "notes/memory/2026-03-15.md").read_text("utf-8").splitlines()
    some = next(line for line in day.content.splitlines() if "index of part" in line)
    part = some.rpartition("index of part ")[2].split()[0]
    assert f"part {part} goes" in log[behind(day, f"index of part {part} ") - 1]
    assert plan.model is not None and (plan.model.name, plan.model.version) == ("claude", "some-model prompt 1")
    assert "summary: claude some-model" in node(plan, ROOT_PATH).content
    assert plan.cost.calls == len(place.line.sent) == len(place.ledger().lines()) > 1
    assert {(line.role, line.plan) for line in place.ledger().lines()} == {("summarise", "tree 2026-03-16 03:00:00")}


def test_what_never_shrinks_and_what_is_secret_is_not_sent(place: Place) -> None:
    plan = place.plan()
    sent = "\n".join(place.line.sent)
    assert "green tea" in node(plan, DAY).content and "green tea" not in sent and "hunter2" not in sent


def test_d49_a_sentence_that_its_lines_do_not_hold_is_dropped_and_nothing_is_lost(place: Place) -> None:
    def inventing(asked: dict[str, Any]) -> Answer:
        first, *_ = numbered_lines(asked)
        false = [{"text": "Ben decided to use Redis 7.", "lines": [first]}]
        true = [{"text": f"part {n - 1} to shelf {n - 1}", "lines": [n]} for n in numbered_lines(asked) if n < 10]
        return message(json.dumps({"sentences": false + true}))

    place.line.answer = inventing
    plan = place.plan()
    day = node(plan, DAY)
    assert "Redis" not in "".join(change.content for change in plan.changes if isinstance(change, Create))
    assert any("1 × sentence that its lines do not hold" in warning for warning in day.warnings)
    assert "summary: claude some-model" in day.content
    assert "really the index of part" in day.content, "what the answer left out stands as the rules put it"


FAILURES: dict[str, Callable[[dict[str, Any]], Answer]] = {
    "overloaded": lambda _asked: failure(529),
    "refused": lambda _asked: message("", stop="refusal"),
    "cut": lambda _asked: message('{"sentences": [{"te', stop="max_tokens"),
    "malformed": lambda _asked: message("Sure!"),
    "invented": lambda _asked: message(json.dumps({"sentences": [{"text": "It rained on Mars.", "lines": [1]}]})),
    "empty": lambda _asked: message('{"sentences": []}'),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", FAILURES)
def test_d49_where_no_usable_answer_comes_the_node_is_made_by_rules_and_marked(place: Place, kind: str) -> None:
    place.line.answer = FAILURES[kind]
    plan = place.plan()
    with place.open(model="null") as console:
        rules = console.plans.make("tree", DRAIN).plan
    assert rules is not None
    day = node(plan, DAY)
    assert day.content == node(rules, DAY).content and "summary: extractive" in day.content
    assert any("not written by Claude" in warning for warning in day.warnings)


def test_the_estimate_sends_nothing_and_a_plan_made_again_asks_nothing_anew(place: Place) -> None:
    with place.open() as console:
        before = console.plans.estimate("tree", DRAIN)
        assert before.calls > 0 and place.line.sent == []
    first, asked = place.plan(), len(place.line.sent)
    assert place.plan().digest == first.digest and len(place.line.sent) == asked
    with place.open() as console:
        assert console.plans.estimate("tree", DRAIN).calls == 0


def test_d49_the_cap_holds(place: Place) -> None:
    plan = place.plan(cap=0.0001)
    assert place.line.sent == [] and any("the budget is spent" in one for one in node(plan, DAY).warnings)


def test_a_dry_run_that_waits_for_answers_can_be_cancelled(place: Place) -> None:
    def stop(progress: Progress) -> None:
        if progress.stage == "asking Claude" and progress.done:
            raise Cancelled("stopped")

    with place.open() as console, pytest.raises(Cancelled):
        console.plans.make("tree", PlanRequest(TreeRequest(drain=True), tick=stop))
