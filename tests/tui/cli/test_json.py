"""The JSON that scripts rely on: every key of CLI.md, and one value on stdout."""

import json
from typing import Any

import msgspec
import pytest

from engine.errors import Stale
from engine.plans.plan import Cost, PlanState
from engine.plans.planning import PlanOutcome
from engine.workspace.values import FindingKind
from tests.prepared import NOTE, Prepared
from tests.ready_demo import Demo
from tests.tui.cli.conftest import Run
from tests.values import a_finding, append_plan, compaction
from tui.cli.main import main

STATUS = {
    "workspace", "now", "tokenizer", "capabilities", "memory_tiers", "triggers", "primary_trigger", "risk_tier",
    "cooldown", "first_run", "tree", "window", "memory_md", "queue", "degraded",
}  # fmt: skip
PLAN = {
    "plan", "digest", "system", "risk_tier", "trigger", "state", "simulated_clock", "confirmations", "gates",
    "changes", "cost", "reason_no_action", "report", "also",
}  # fmt: skip
CHANGE = {"n", "op", "path", "to", "risk_tier", "added", "removed", "sources", "warnings"}
TRIGGERS = [
    "semantic_hard", "semantic_risk", "working_files", "working_tokens", "working_age", "episodic_files",
    "episodic_tokens", "episodic_age", "weekly",
]  # fmt: skip


def test_status_has_the_promised_keys(run: Run, demo: Demo) -> None:
    status = _value(run("status", "--json", "--now", "2026-03-15T03:00:00Z"))
    assert set(status) >= STATUS
    assert status["now"] == "2026-03-15T03:00:00+00:00"
    tiers = status["memory_tiers"]
    assert set(tiers) == {"working", "episodic", "semantic", "archive"}
    for name in ("working", "episodic"):
        assert set(tiers[name]) >= {"files", "tokens", "oldest_days", "eligible"}
    assert set(tiers["semantic"]["shards"][0]) >= {"path", "tokens", "band"}
    assert [trigger["id"] for trigger in status["triggers"]] == TRIGGERS
    assert set(status["triggers"][0]) >= {"id", "value", "threshold", "fired"}
    assert set(status["cooldown"]) >= {"active", "last", "until"}
    assert set(status["queue"]) >= {"pending", "stale"}
    assert set(status["memory_md"]) >= {"lines", "band"}
    assert status["risk_tier"] == "C" and status["primary_trigger"] == "semantic_risk"


def test_a_plan_and_what_show_says_of_it_agree(run: Run, stubbed: Prepared) -> None:
    stubbed.plans_next(append_plan(7))
    made = _value(run("plan", "compact", "--json"))
    shown = _value(run("show", made["plan"], "--json"))
    assert shown.pop("effect")["files"][0]["path"] == "memory/semantic/openclaw.md"
    assert set(made) >= PLAN and made == shown
    assert made["state"] == "pending" and made["system"] == append_plan(7).system
    assert isinstance(made["cost"]["usd"], float) and set(made["cost"]) >= {"calls", "input_tokens", "output_tokens"}
    for change in made["changes"]:
        assert set(change) >= CHANGE
        assert change["op"] in ("create", "append", "replace", "move")
        assert (change["to"] is not None) == (change["op"] == "move")
        assert all(":" in source for source in change["sources"])


def test_lines_added_are_counted_where_the_files_have_moved_on(run: Run, waiting: Prepared, stubbed: Prepared) -> None:
    stubbed.stub.fails("plans.diffs", Stale("changed"))
    plan = compaction(1)
    shown = _value(run("show", plan.id, "--json"))
    assert shown["changes"][0]["added"] > 5
    assert run("show", plan.id, "--diff").code == 4


def test_nothing_to_do_is_null_with_its_reason_and_0(run: Run, workspace: Prepared) -> None:
    """CLI.md: `plan` ends with 0 whenever it could report."""
    ran = run("plan", "compact", "--json")
    value = _value(ran)
    assert ran.code == 0 and set(value) >= PLAN
    assert value["plan"] is None and value["reason_no_action"] and value["changes"] == []


def test_further_plans_of_a_run_are_named(run: Run, stubbed: Prepared) -> None:
    """A22."""
    first, second = compaction(1), append_plan(2)
    stubbed.stub.gives("plans.make", PlanOutcome(plan=first, also=(second,)))
    assert _value(run("plan", "compact", "--json"))["also"] == [second.id]
    assert second.id in run("plan", "compact").out
    stubbed.stub.gives("plans.make", PlanOutcome(plan=None, also=(second,)))
    value = _value(run("plan", "compact", "--json"))
    assert value["plan"] is None and value["also"] == [second.id]


def test_the_cost_is_a_number_of_dollars(run: Run, workspace: Prepared) -> None:
    paid = Cost(calls=2, usd="0.07", estimated_usd="0.09")
    plan = workspace.add(msgspec.structs.replace(compaction(1), cost=paid))
    cost = _value(run("show", plan.id, "--json"))["cost"]
    assert (cost["usd"], cost["estimated_usd"]) == (0.07, 0.09)
    assert "2 calls, $0.07, reckoned at $0.09 before" in run("show", plan.id).out


def test_a_dry_run_that_came_to_nothing_tells_what_it_cost(run: Run, stubbed: Prepared) -> None:
    paid = PlanOutcome(plan=None, cost=Cost(calls=2, usd="0.07", estimated_usd="0.09"))
    stubbed.stub.gives("plans.make", paid)
    assert "cost: 2 calls, $0.07, reckoned at $0.09 before" in run("plan", "compact").out
    cost = _value(run("plan", "compact", "--json"))["cost"]
    assert (cost["calls"], cost["usd"], cost["estimated_usd"]) == (2, 0.07, 0.09)


def test_show_with_diffs_carries_their_text(run: Run, waiting: Prepared) -> None:
    plan = compaction(1)
    shown = _value(run("show", plan.id, "--diff", "--json"))
    assert len(shown["diffs"]) == len(shown["changes"])
    assert "+# Compiled" in "".join(shown["diffs"])


def test_options_reach_the_planner(run: Run, stubbed: Prepared) -> None:
    asked = stubbed.stub.asked("plans.make")
    run("plan", "compact", "--scheduled", "--route", "1=memory/semantic/a.md", "--route", "3=memory/semantic/b=c.md")
    ((system, request),) = asked
    assert system == "compact" and request.scheduled
    assert request.asked.routes == {1: "memory/semantic/a.md", 3: "memory/semantic/b=c.md"}


def test_plan_list_and_queue_are_arrays(run: Run, demo: Demo) -> None:
    systems = _value(run("plan", "--list", "--json"))
    assert "compact" in [system["system"] for system in systems]
    entries = _value(run("queue", "--json"))
    assert {"plan", "digest", "system", "risk_tier", "trigger", "state", "changes"} <= set(entries[0])
    assert {entry["state"] for entry in entries} <= {state.value for state in PlanState}


def test_log_has_operations_and_records(run: Run, demo: Demo) -> None:
    log = _value(run("log", "--verify", "--json"))
    operations = demo.made.operations
    assert len(log["operations"]) == operations and len(log["audit"]) == 3 * operations
    assert {record["kind"] for record in log["audit"]} == {"approval", "intent", "result"}
    assert log["verified"] is True and log["findings"] == []
    assert _value(run("log", "--json", "-n", "2"))["operations"] == log["operations"][:2]
    assert _value(run("log", "--json"))["verified"] is None


@pytest.mark.parametrize("command", ["check", "recover", "doctor"])
@pytest.mark.parametrize(
    ("kinds", "code"),
    [
        ((), 0),
        ((FindingKind.NOTICE,), 0),
        ((FindingKind.CONFLICT, FindingKind.NOTICE), 4),
        ((FindingKind.NOTICE, FindingKind.CONFLICT, FindingKind.DAMAGE), 5),
    ],
)
def test_findings_give_their_exit_code(
    run: Run, stubbed: Prepared, command: str, kinds: tuple[FindingKind, ...], code: int
) -> None:
    for name in (f"maintenance.{command}", "history.verify"):
        stubbed.stub.gives(name, tuple(map(a_finding, kinds)))
    ran = run(command, "--json")
    assert ran.code == code and [item["kind"] for item in _value(ran)] == [kind.value for kind in kinds]
    text = run(command)
    assert text.code == code and ("the record was altered" in text.out) == bool(kinds)
    assert run("log", "--verify").code == code


def test_policy_names_each_key_and_its_origin(run: Run, demo: Demo) -> None:
    values = {value["key"]: value for value in _value(run("policy", "--json"))}
    assert values["limits.semantic.risk"]["value"] == 1020 and values["limits.semantic.risk"]["origin"] == "default"
    assert values["approval.auto"]["value"] == []
    assert values["llm.max_usd_per_plan"]["value"] == 0.5


def test_json_is_ascii_and_alone_on_stdout(run: Run, demo: Demo) -> None:
    for arguments in (("status",), ("queue",), ("log",), ("policy",), ("doctor",), ("check",), ("plan", "--list")):
        ran = run(*arguments, "--json")
        assert ran.out.isascii() and ran.err == "" and ran.out.endswith("\n")
        json.loads(ran.out)


def test_reject_keeps_the_reason(run: Run, waiting: Prepared) -> None:
    plan = compaction(1)
    entry = _value(run("reject", plan.id, "--reason", "  not now ", "--json"))
    assert entry["state"] == "rejected" and entry["state_reason"] == "not now"


def _value(ran: Any) -> Any:
    return json.loads(ran.out)


def test_the_log_of_one_file_says_where_it_is_now(demo: Demo, capsys: pytest.CaptureFixture[str]) -> None:
    archived = next((demo.folder / "memory/archive").glob("*depot-sync-stalls-archived*"))
    source = f"memory/episodic/{archived.name.partition('-archived')[0]}.md:16"
    with pytest.MonkeyPatch.context() as patch:
        for name, value in demo.env.items():
            patch.setenv(name, value)
        assert main(["-w", str(demo.folder), "--json", "log", source]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["path"] == source.rpartition(":")[0] and found["now"].startswith("memory/archive/")
        assert (demo.folder / found["now"]).is_file() and len(found["operations"]) == 2
        assert main(["-w", str(demo.folder), "log", source, "--verify"]) == 2
        assert main(["-w", str(demo.folder), "log", "memory/never.md"]) == 0
        assert "where nothing is" in capsys.readouterr().out


def test_show_draws_the_gauges_and_has_the_figures_as_json(run: Run, workspace: Prepared) -> None:
    for day in range(1, 14):
        workspace.write(f"memory/working/2026-03-{day:02}-deploy.md", NOTE)
    plan = workspace.add(compaction(notes=4)).id
    assert "effect    working notes   ▕" in (shown := run("show", plan).out)
    assert "▏ 13 → 9\n" in shown and "▏ 0 → 4\n" in shown
    tiers = _value(run("show", plan, "--json"))["effect"]["tiers"]
    assert tiers[0] == {"tier": "working", "before": 13, "after": 9, "limit": 10}
    assert tiers[1:] == [{"tier": "episodic", "before": 0, "after": 4, "limit": 20}]
    workspace.set_state(plan, PlanState.APPLIED)
    assert "effect" not in run("show", plan).out, "of a plan that is over there is nothing to compare"
