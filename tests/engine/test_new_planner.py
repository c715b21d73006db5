"""A further system is one function and one line in the list of planners: everything else is there already."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.plans.plan import Append, PlanState, QualityGate, RiskTier
from engine.plans.planning import Draft, Planning, PlanOutcome, PlanRequest
from engine.services.engine import Engine
from engine.services.open_workspace import OpenWorkspace
from engine.services.planner import Planner
from engine.services.systems import SYSTEMS
from tests.engine.tree.test_idle import approved

NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
PATH = "memory/working/2026-03-15-greeting.md"


def plan_greeting(_: OpenWorkspace, planning: Planning, request: PlanRequest) -> PlanOutcome:
    """Greets in a note, at the end of what it has."""
    planning.report("greeting", 0, 1)
    draft = Draft(planning)
    draft.add(
        Append(
            n=draft.next_number,
            path=PATH,
            risk_tier=RiskTier.A,
            reason=f"it is {planning.today}",
            content="hello\n",
        )
    )
    gate = QualityGate("polite", True)
    plan = draft.finish(
        "greet", "asked", gates=(gate,), report="one greeting\n", facts={"scheduled": request.scheduled}
    )
    return PlanOutcome(plan=plan, report=plan.report, facts=plan.facts)


def test_a_planner_of_a_test_is_planned_shown_applied_and_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "workspace"
    (folder / PATH).parent.mkdir(parents=True)
    (folder / PATH).write_text("good morning\n")
    monkeypatch.setitem(SYSTEMS, "greet", Planner("greet", "says hello", "", plan_greeting))
    stages: list[str] = []
    env = {"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CONFIG_HOME": str(tmp_path), "HOME": str(tmp_path)}
    with Engine.open(folder, env=env, clock=lambda: NOON) as engine:
        assert ("greet", "says hello") in engine.plans.systems()
        plan = engine.plans.make("greet", PlanRequest(tick=lambda progress: stages.append(progress.stage))).plan
        assert plan is not None
        assert "greeting" in stages
        assert (plan.now, plan.zone, plan.simulated_clock, plan.made_at) == (NOON, "UTC", False, NOON)
        operation = engine.plans.apply(plan, approved(plan, (1,), NOON))
        assert (folder / PATH).read_text() == "good morning\nhello\n"
        assert [entry.state for entry in engine.plans.queue() if entry.id == plan.id] == [PlanState.APPLIED]
        back = engine.history.reversal(operation.id)
        engine.history.undo(back, approved(back, back.numbers, NOON))
    assert (folder / PATH).read_text() == "good morning\n"
