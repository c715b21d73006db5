"""The compactor's part of the status (CLI.md §JSON)."""

from datetime import timedelta

import msgspec

from engine.compactor.limits.evaluation import counted_tiers, evaluate
from engine.compactor.options import CompactorHistory
from engine.plans.policy.values import Policy
from tests.engine.compactor.workspace import NOW, SEEN, Workspace, days_ago, entry, episodic


def note(age: int) -> str:
    return f"---\ndate: {days_ago(age)}\n---\nIt shipped.\n"


def test_the_figures_are_those_that_scripts_rely_on() -> None:
    workspace = Workspace(
        {
            "memory/working/a.md": note(12),
            "memory/working/b.md": note(8),
            "memory/working/c.md": note(1),
            "memory/semantic/openclaw.md": entry("x", 700),
            "memory/archive/y/z.md": "gone\n",
        }
    )
    status = evaluate(workspace.snapshot(), Policy(), NOW, CompactorHistory())
    figures = msgspec.to_builtins(counted_tiers(workspace.snapshot(), Policy().limits.semantic, status))
    assert figures["working"] == {"files": 3, "tokens": 30, "oldest_days": 12, "eligible": 2}
    assert figures["episodic"] == {"files": 0, "tokens": 0, "oldest_days": None, "eligible": 0}
    assert figures["semantic"]["shards"][0]["band"] == "warning"
    assert figures["semantic"]["files"] == figures["archive"]["files"] == 1
    assert (status.judged.primary, status.judged.risk_tier, status.first_run) == ("working_age", "B", True)
    assert [state.id for state in status.judged.states][-1] == "weekly"
    assert any("above the soft limit" in text for text in status.warnings)


def test_nothing_fired_means_no_trigger_and_no_risk_tier() -> None:
    workspace = Workspace({"memory/working/a.md": note(9)})
    status = evaluate(workspace.snapshot(), Policy(), NOW, SEEN)
    assert status.judged.primary is None
    assert status.judged.risk_tier is None
    tiers = counted_tiers(workspace.snapshot(), Policy().limits.semantic, status)
    assert tiers.working.eligible == 1, "3 eligible, no trigger (A4)"
    assert not status.first_run


def test_semantic_risk_makes_the_run_c() -> None:
    status = evaluate(Workspace({"memory/semantic/a.md": entry("x", 850)}).snapshot(), Policy(), NOW, SEEN)
    assert (status.judged.primary, status.judged.risk_tier) == ("semantic_risk", "C")


def test_the_cooldown_is_shown_with_its_end() -> None:
    history = CompactorHistory(applied=True, last_semantic_at=NOW - timedelta(hours=2))
    cooldown = evaluate(Workspace().snapshot(), Policy(), NOW, history).cooldown
    assert (cooldown.active, cooldown.until) == (True, NOW + timedelta(hours=22))


def test_status_and_dry_run_see_the_same() -> None:
    files = {f"memory/working/{n}.md": note(n) for n in range(14)} | {"memory/episodic/x.md": episodic(46)}
    workspace = Workspace(files)
    status = evaluate(workspace.snapshot(), Policy(), NOW, SEEN)
    plan = workspace.planned()
    assert plan.trigger == status.judged.primary
    assert plan.facts["thresholds"] == [msgspec.to_builtins(state) for state in status.judged.states]
    tiers = counted_tiers(workspace.snapshot(), Policy().limits.semantic, status)
    assert plan.facts["working"]["eligible"] == tiers.working.eligible
