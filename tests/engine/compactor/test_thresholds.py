"""Measurements, bands and what each threshold says (compactor §Volume-Based Triggers)."""

import pytest

from engine.compactor.limits.thresholds import band_of, band_warning, measure, trigger_states
from engine.plans.memory_status import SemanticBand
from engine.plans.policy.values import Limits, Policy, SemanticLimits, WorkingLimits
from tests.engine.compactor.workspace import TODAY, Workspace, days_ago, entry, episodic


def note(day: str, words: int = 10) -> str:
    return f"---\ndate: {day}\n---\n" + " ".join(["word"] * words) + "\n"


@pytest.mark.parametrize(
    ("tokens", "band"),
    [(0, "ok"), (900, "ok"), (901, "warning"), (1020, "warning"), (1021, "risk"), (1200, "risk"), (1201, "blocked")],
)
def test_a1_the_limits_themselves_belong_to_the_lower_band(tokens: int, band: str) -> None:
    assert band_of(tokens, SemanticLimits()) == band


@pytest.mark.parametrize(("tokens", "said"), [(900, ""), (901, "soft"), (1021, "sharding"), (1201, "blocked")])
def test_each_band_above_the_soft_limit_has_its_warning(tokens: int, said: str) -> None:
    warning = band_warning(tokens, SemanticLimits())
    assert said in warning
    assert bool(said) == bool(warning)


def test_bands_follow_the_policy() -> None:
    assert band_of(60, SemanticLimits(soft=50, risk=70, hard=90)) is SemanticBand.WARNING


def test_a13_every_file_is_a_shard_and_the_largest_one_decides() -> None:
    workspace = Workspace({"memory/semantic/a.md": entry("A", 300), "memory/semantic/b.md": entry("B", 900)})
    snapshot = workspace.snapshot()
    measured = measure(snapshot, TODAY)
    assert measured.semantic_tokens == snapshot.files["memory/semantic/b.md"].tokens > 1020
    fired = [s.id for s in trigger_states(measured, Limits(), weekly=False) if s.fired]
    assert fired == ["semantic_risk"]


def test_a13_two_shards_below_the_limit_do_not_add_up() -> None:
    workspace = Workspace({"memory/semantic/a.md": entry("A", 600), "memory/semantic/b.md": entry("B", 600)})
    assert not any(s.fired for s in trigger_states(measure(workspace.snapshot(), TODAY), Limits(), weekly=False))


def test_a17_an_empty_tier_has_no_oldest_file() -> None:
    measured = measure(Workspace().snapshot(), TODAY)
    assert measured.working.oldest_days is None
    assert measured.episodic.oldest_days is None
    states = {state.id: state for state in trigger_states(measured, Limits(), weekly=False)}
    assert states["working_age"].value is None
    assert not states["working_age"].fired
    assert states["working_files"].value == 0


def test_a17_only_regular_markdown_files_count_and_the_rest_is_listed() -> None:
    workspace = Workspace(
        {"memory/working/a.md": note(days_ago(1)), "memory/working/b.txt": "x"},
        skipped=[("memory/working/b.txt", "not a .md file"), ("memory/working/link.md", "a link")],
    )
    assert measure(workspace.snapshot(), TODAY).working.files == 1
    assert "memory/working/link.md: a link" in workspace.plan().report


def test_the_archive_and_files_outside_the_tiers_count_for_nothing() -> None:
    files = {"memory/archive/x.md": note(days_ago(90)), "memory/2026-01-01.md": "x\n", "notes.md": "x\n"}
    measured = measure(Workspace(files).snapshot(), TODAY)
    assert (measured.working.files, measured.episodic.files, measured.semantic_tokens) == (0, 0, 0)


def test_a7_the_age_of_an_episodic_file_is_that_of_its_source() -> None:
    workspace = Workspace({"memory/episodic/2026-03-10-x.md": episodic(46)})
    assert measure(workspace.snapshot(), TODAY).episodic.oldest_days == 46


def test_a5_every_trigger_is_reported_with_its_value_and_the_primary_is_the_first() -> None:
    files = {f"memory/working/{n}.md": note(days_ago(11)) for n in range(11)}
    outcome = Workspace(files).plan()
    assert outcome.plan is not None
    assert outcome.facts["primary_trigger"] == outcome.plan.trigger == "working_files"
    assert outcome.facts["fired"] == ["working_files", "working_age"]
    assert outcome.facts["thresholds"][0]["id"] == "semantic_hard"
    assert "working_files: 11 > 10, fired" in outcome.report
    assert "working_age: 11 > 10, fired" in outcome.report
    assert "episodic_age: —, limit 45, not met" in outcome.report


def test_limits_come_from_the_policy() -> None:
    policy = Policy(limits=Limits(working=WorkingLimits(files=0, tokens=1, age_days=1, eligible_days=20)))
    outcome = Workspace({"memory/working/a.md": note(days_ago(10))}).plan(policy=policy)
    assert outcome.facts["fired"] == ["working_files", "working_tokens", "working_age"]
    assert outcome.plan is None
    assert "older than 20 days" in str(outcome.reason_no_action)
