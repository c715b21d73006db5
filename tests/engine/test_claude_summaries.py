"""Summaries that Claude writes, by the real SDK from a server on loopback: grounded, marked, capped, booked (D49)."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.models import spending_cap
from engine.models.cost_ledger import CostLedger
from engine.plans.plan import Create, Plan
from engine.services.engine import Engine
from tests.engine.models.loopback import KEY, Answer, Loopback, asked_text, failure, loopback, message

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)
NOTE = (
    "# Day {n}\n\nWe decided to use Postgres 16 for project {n}.\n\nAna reported that the import took 40 minutes.\n\n"
    "The password of the box is hunter2-Zebra!9 and nobody wrote it down.\n\nThe release is planned for 2026-04-0{n}.\n"
)


@pytest.fixture
def line() -> Iterator[Loopback]:
    with loopback() as made:
        yield made


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spending_cap, "PAUSE", 0.0)


class Place:
    """A workspace with three old notes, and the operator's side of it."""

    def __init__(self, folder: Path, line: Loopback) -> None:
        self.folder, self.line = folder, line
        (folder / "notes/memory/working").mkdir(parents=True)
        for n in (1, 2, 3):
            (folder / f"notes/memory/working/2026-01-0{n}.md").write_text(NOTE.format(n=n), "utf-8")
        for name in ("episodic", "semantic", "archive"):
            (folder / f"notes/memory/{name}").mkdir()

    def open(self, cap: float = 0.5, extra: str = "", provider: str = "claude") -> Engine:
        config = self.folder / "config/memdeck"
        config.mkdir(parents=True, exist_ok=True)
        llm = (
            f"provider: {provider}, models: {{summarise: some-model}}, max_usd_per_plan: {cap}, url: '{self.line.url}'"
        )
        (config / "policy.yaml").write_text(f"llm: {{{llm}{extra}}}\n", "utf-8")
        home = {"XDG_STATE_HOME": str(self.folder / "state"), "XDG_CONFIG_HOME": str(self.folder / "config")}
        env = {**home, "ANTHROPIC_API_KEY": KEY}
        return Engine.open(self.folder / "notes", now=NOW, env=env, clock=lambda: NOW)

    def plan(self, **options: Any) -> Plan:
        with self.open(**options) as console:
            plan = console.plans.make("compact").plan
        assert plan is not None
        return plan

    def ledger(self) -> CostLedger:
        (file,) = (self.folder / "state").rglob("ledger.jsonl")
        return CostLedger(file)


@pytest.fixture
def place(tmp_path: Path, line: Loopback) -> Place:
    return Place(tmp_path, line)


def sentence(text: str, *lines: int) -> dict[str, Any]:
    return {"text": text, "lines": list(lines)}


def numbered(asked: dict[str, Any]) -> dict[str, int]:
    """The sentences of the request by their first words, with their numbers."""
    return {text: int(n) for n, text in re.findall(r"(?m)^(\d+)\. (.*)$", asked_text(asked))}


def answering(*extra: str) -> Callable[[dict[str, Any]], Answer]:
    """Answers with what the note says, and `extra` sentences that stand on its first line."""

    def answer(asked: dict[str, Any]) -> Answer:
        known = numbered(asked)
        said = next(text for text in known if "Postgres" in text)
        took = next(text for text in known if "import" in text)
        project = said.split("project ")[1]
        found = {
            "events": [sentence("The import took 40 minutes, Ana reported.", known[took])]
            + [sentence(text, known[said]) for text in extra],
            "decisions": [sentence(f"Decided: Postgres 16 for project {project}", known[said])],
            "insights": [],
            "facts": [],
        }
        return message(json.dumps(found), input_tokens=900, output_tokens=120)

    return answer


def written(plan: Plan) -> list[Create]:
    return [change for change in plan.changes if isinstance(change, Create)]


def test_d49_claude_writes_the_summaries_where_the_policy_names_a_model(place: Place) -> None:
    place.line.answer = answering()
    plan = place.plan()
    first = written(plan)[0]
    assert "summary: claude some-model" in first.content
    assert "- The import took 40 minutes, Ana reported." in first.content
    origin = {one.line: one.source for one in first.origins}
    at = first.content.splitlines().index("- The import took 40 minutes, Ana reported.") + 1
    assert (origin[at].start, origin[at].end) == (5, 5), "the diff shows the line behind the sentence"
    assert plan.model is not None and (plan.model.name, plan.model.version) == ("claude", "some-model prompt 1")
    assert (plan.cost.calls, plan.cost.input_tokens) == (3, 2700)
    assert float(plan.cost.usd) == pytest.approx(place.ledger().total(), abs=1e-4)
    assert {line.plan for line in place.ledger().lines()} == {"compact 2026-03-15 03:00:00"}
    assert {line.role for line in place.ledger().lines()} == {"summarise"}


def test_what_the_lines_do_not_hold_is_dropped_and_named(place: Place) -> None:
    place.line.answer = answering("Ben decided to use Redis 7.")
    first = written(place.plan(extra=", most_ungrounded: 0.5"))[0]
    assert "Redis" not in first.content and "Postgres 16" in first.content
    assert any("1 × sentence that its lines do not hold" in warning for warning in first.warnings)
    assert "1 × sentence that its lines do not hold" in first.dropped


def test_an_answer_that_loses_too_much_falls_back_to_offline_and_is_marked(place: Place) -> None:
    place.line.answer = answering("Ben decided to use Redis 7.", "It costs $900.")
    first = written(place.plan())[0]
    assert "summary: extractive" in first.content
    assert any("not written by Claude: 2 of its 4 sentences" in warning for warning in first.warnings)


FAILURES: dict[str, Callable[[dict[str, Any]], Answer]] = {
    "overloaded": lambda _asked: failure(529),
    "refused": lambda _asked: message("", stop="refusal"),
    "cut": lambda _asked: message('{"events": [{"te', stop="max_tokens", output_tokens=4000),
    "malformed": lambda _asked: message("Sure! Here it is:"),
    "of another form": lambda _asked: message('{"events": []}'),
    "without lines": lambda _asked: message(
        json.dumps({"events": [sentence("It rained.")], "decisions": [], "insights": [], "facts": []})
    ),
}


@pytest.mark.parametrize("kind", FAILURES)
def test_d49_whatever_comes_back_the_note_is_summarised_and_the_ledger_is_the_servers_sum(
    place: Place, kind: str
) -> None:
    billed: list[float] = []

    def answer(asked: dict[str, Any]) -> Answer:
        status, body = FAILURES[kind](asked)
        if status == 200:
            usage = json.loads(body)["usage"]
            billed.append((usage["input_tokens"] + 5 * usage["output_tokens"]) / 1e6)
        return status, body

    place.line.answer = answer
    plan = place.plan()
    assert all("summary: extractive" in change.content for change in written(plan))
    assert all(any("not written by Claude" in one for one in change.warnings) for change in written(plan))
    assert place.ledger().total() == pytest.approx(sum(billed))
    assert len(place.ledger().lines()) == len(place.line.sent)
    assert len(place.line.sent) == (9 if kind == "overloaded" else 3), "only what is not billed is tried again"


def test_d49_the_cap_holds_and_what_is_over_it_goes_offline(place: Place) -> None:
    place.line.answer = answering()
    plan = place.plan(cap=0.0001)
    assert place.line.sent == []
    assert any("the budget is spent" in one for one in written(plan)[0].warnings)
    place.plan(cap=0.03)
    assert 0 < place.ledger().total() <= 0.03


def test_the_estimate_comes_before_and_sends_nothing(place: Place) -> None:
    place.line.answer = answering()
    with place.open() as console:
        before = console.plans.estimate("compact")
        assert (before.calls, place.line.sent, console.plans.queue()) == (3, [], ())
        assert 0 < before.usd < before.cap == 0.5 and before.line().startswith("3 calls of Claude, about $0.0")
        console.plans.make("compact")
        after = console.plans.estimate("compact")
        assert (after.calls, after.usd) == (0, 0.0), "what was paid for is kept"
    assert before.usd == pytest.approx(place.ledger().total(), rel=4)


def test_d49_the_audit_log_has_the_estimate_before_and_the_cost_after(place: Place) -> None:
    place.line.answer = answering()
    with place.open() as console:
        before = console.plans.estimate("compact")
        plan = console.plans.make("compact").plan
        assert plan is not None
        (record,) = [one for one in console.history.audit(20) if one.kind == "cost"]
        console.plans.make("compact")
        assert [one.kind for one in console.history.audit(20)].count("cost") == 1, "what is kept costs nothing again"
    assert record.data == {
        "system": "compact",
        "plan": plan.id,
        "calls": 3,
        "input_tokens": 2700,
        "output_tokens": 360,
        "usd": plan.cost.usd,
        "estimated_usd": f"{before.usd:.4f}",
    }
    assert float(plan.cost.usd) == pytest.approx(place.ledger().total(), abs=1e-4)


def test_a_plan_that_is_made_again_asks_nothing_anew_and_says_the_same(place: Place) -> None:
    place.line.answer = answering()
    first, again = place.plan(), place.plan()
    assert first.digest == again.digest and len(place.line.sent) == 3


def test_no_secret_is_sent_and_the_key_is_in_no_file(place: Place) -> None:
    place.line.answer = answering()
    place.plan()
    assert "hunter2" not in "\n".join(place.line.sent)
    files = [path for path in place.folder.rglob("*") if path.is_file()]
    assert files and not any(KEY.encode() in path.read_bytes() for path in files)


def test_nothing_is_asked_while_idle_nor_because_the_workspace_says_so(place: Place) -> None:
    config = "llm: {provider: claude, models: {summarise: some-model}}\nllm_provider: claude\n"
    (place.folder / "notes/memory-config.yaml").write_text(config, "utf-8")
    with place.open() as console:
        console.status.read()
        console.status.trends(console.status.read())
    assert place.line.sent == []
    assert all("summary: extractive" in change.content for change in written(place.plan(provider="extractive")))
    assert place.line.sent == []
