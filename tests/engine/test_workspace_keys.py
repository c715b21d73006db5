"""Every key of `memory-config.yaml`: honoured within bounds, a safety key that is ignored, or obsolete (§9.3, G12)."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.context.platforms.platform import SessionKind
from engine.plans.plan import Plan
from engine.plans.planning import PlanRequest
from engine.plans.policy.workspace_keys import KeyStatus, workspace_keys, workspace_settings, workspace_tuning
from engine.services.context import NO_HISTORY
from engine.services.engine import Engine
from tests.engine.lifecycle.events import end, said, start

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
SPECIFIED = """
context_compiler: token_budget identity_budget_kb memory_budget_kb journal_budget_kb topic_budget_kb
search: bm25_weight vector_weight embedding_model embedding_dimensions
watchers: similarity_threshold gate_model gate_max_tokens
lifecycle: commit_interval_minutes journal_retention_days memory_line_cap transcript_root extraction_trigger
lifecycle: condensation_schedule
lifecycle: pruning_schedule
git: auto_commit auto_push auto_tag_daily commit_message_model
"""
"""The keys of §9.3, and the one of decision D32."""
KEYS = {one.key: one for one in workspace_keys()}


def config(tmp_path: Path, key: str, value: str) -> Path:
    folder = tmp_path / "ws"
    (folder / "knowledge/journal").mkdir(parents=True, exist_ok=True)
    section, _, name = key.partition(".")
    (folder / "memory-config.yaml").write_text(f"{section}:\n  {name}: {value}\n", "utf-8")
    return folder


def opened(folder: Path) -> Engine:
    return Engine.open(folder, clock=lambda: NOW)


def test_the_table_has_every_key_of_the_specification_and_no_other() -> None:
    named = [f"{section}.{name}" for section, names in re.findall(r"(\w+): (.+)", SPECIFIED) for name in names.split()]
    assert [one.key for one in workspace_keys()] == named
    assert all(one.reason for one in workspace_keys())


@pytest.mark.parametrize("key", [one.key for one in workspace_keys() if one.status is KeyStatus.SAFETY])
def test_g12_a_safety_key_is_reported_and_changes_nothing(tmp_path: Path, key: str) -> None:
    with opened(config(tmp_path, key, "true")) as console:
        told = [one.what for one in console.maintenance.doctor() if one.id == "workspace_policy"]
        assert told == [f"the safety key `{key}` is ignored here: true"]
        policy = {one.key: one.value for one in console.status.policy_values()}
        set_key = next(one for one in console.status.workspace_keys() if one.key == key)
    assert set_key.value == "true" and set_key.status is KeyStatus.SAFETY
    with Engine.open(tmp_path, clock=lambda: NOW) as console:
        assert policy == {one.key: one.value for one in console.status.policy_values()}


@pytest.mark.parametrize("key", [one.key for one in workspace_keys() if one.status is KeyStatus.OBSOLETE])
def test_an_obsolete_key_is_told_with_its_reason(tmp_path: Path, key: str) -> None:
    with opened(config(tmp_path, key, "1")) as console:
        told = [one.what for one in console.maintenance.doctor() if one.id == "workspace_key"]
        assert told == [f"`{key}` has no effect: {KEYS[key].reason}"]
        assert "workspace_policy" not in {one.id for one in console.status.read().degraded}


def _token_budget(folder: Path) -> int:
    with opened(folder) as console:
        return console.context.compile("hello", SessionKind.MAIN, history=NO_HISTORY).budget


def _retention(folder: Path) -> int:
    """The oldest of these days whose journal stays."""
    for days in (10, 50, 100):
        (folder / f"knowledge/journal/{(NOW - timedelta(days=days)).date()}.md").write_text("# day\n", "utf-8")
    plan = _pruned(folder)
    gone = {change.path for change in plan.changes} if plan is not None else set()
    left = [days for days in (10, 50, 100) if f"knowledge/journal/{(NOW - timedelta(days=days)).date()}.md" not in gone]
    return max(left, default=0)


def _line_cap(folder: Path) -> int:
    """The lines that are left of 120 and of 230."""
    memory = folder / "knowledge/memory/MEMORY.md"
    memory.parent.mkdir(parents=True, exist_ok=True)
    lines = ["# Core Memory", *(f"- 2025-{1 + n % 12:02}-11: the team took note {n}" for n in range(119))]
    memory.write_text("\n".join(lines) + "\n", "utf-8")
    plan = _pruned(folder)
    change = next((one for one in plan.changes if one.path.endswith("/MEMORY.md")), None) if plan else None
    return str(getattr(change, "content", "\n" * 120)).count("\n")


def _pruned(folder: Path) -> Plan | None:
    with opened(folder) as console:
        return console.plans.make("prune", PlanRequest()).plan


def _transcript_root(folder: Path) -> int:
    """The transcripts that a session gave outside; no policy here names that folder."""
    with opened(folder) as console:
        list(console.capture.record((start("ses_1"), said("Hello."), end())))
    return len(list(folder.parent.glob("outer/**/*.md")))


HONOURED: dict[str, tuple[Callable[[Path], int], dict[str, int]]] = {
    "context_compiler.token_budget": (
        _token_budget,
        {"2000": 2000, "999999": 8192, "1": 256, "many": 8192, "-5": 8192, "[1]": 8192},
    ),
    "lifecycle.journal_retention_days": (_retention, {"90": 50, "20": 10, "400": 100, "0": 0, "soon": 50}),
    "lifecycle.transcript_root": (_transcript_root, {"/": 0, "../outer": 0, "[1]": 0}),
    "lifecycle.memory_line_cap": (_line_cap, {"100": 80, "200": 120, "5000": 120, "121": 120, "1": 20}),
}


@pytest.mark.parametrize(
    ("key", "value", "effect"),
    [(key, value, of) for key, (_, values) in HONOURED.items() for value, of in values.items()],
)
def test_an_honoured_key_has_its_effect_within_its_bounds(tmp_path: Path, key: str, value: str, effect: int) -> None:
    assert HONOURED[key][0](config(tmp_path, key, value)) == effect


def test_every_honoured_key_has_a_test_of_its_effect() -> None:
    assert {one.key for one in workspace_keys() if one.status is KeyStatus.HONOURED} == HONOURED.keys()


def test_a_plan_that_the_file_tuned_is_bound_to_it(tmp_path: Path) -> None:
    folder = config(tmp_path, "lifecycle.journal_retention_days", "20")
    _retention(folder)
    plan = _pruned(folder)
    assert plan is not None and "memory-config.yaml" in {one.path for one in plan.inputs}
    (folder / "memory-config.yaml").write_text("{}\n", "utf-8")
    with opened(folder) as console:
        assert {entry.state.value for entry in console.plans.queue()} <= {"stale", "superseded"}


@pytest.mark.parametrize("data", [None, b"\xff\xfe", b"a: &x [*x]\n", b"- list\n", b"lifecycle: 3\n", b""])
def test_a_file_that_is_no_such_file_tunes_nothing(data: bytes | None) -> None:
    assert workspace_tuning(data) == workspace_tuning(None)
    assert not [one for one in workspace_settings(data) if one.value]
