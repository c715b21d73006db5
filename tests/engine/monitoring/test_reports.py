"""Past dry runs as pages, and two of them compared."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UsageError
from engine.monitoring import dry_runs
from engine.monitoring.dry_runs import RunsWithoutPlan, compare, listed, report_of
from engine.plans.plan import Plan
from engine.plans.planning import PlanOutcome
from engine.state.database import StateDatabase
from engine.state.table import StateTable, Table
from tests.values import NOW, append_plan, compaction, entry_of

NOTHING = PlanOutcome(plan=None, reason_no_action="no threshold is met", report="Trigger: none\n", facts={"a": 1})


def keep(runs: RunsWithoutPlan, at: datetime = NOW) -> str:
    return runs.keep("compact", NOTHING, made_at=at, now=at, simulated_clock=False)


def with_facts(plan: Plan, facts: dict[str, Any]) -> Plan:
    return msgspec.structs.replace(plan, facts=facts)


def threshold(value: int | None, fired: bool) -> dict[str, Any]:
    return {"thresholds": [{"id": "working_files", "value": value, "threshold": 10, "fired": fired}]}


def test_a_run_without_a_plan_is_kept_with_its_reason(tmp_path: Path) -> None:
    runs = RunsWithoutPlan(StateDatabase(tmp_path))
    assert runs.entries() == ()
    name = keep(runs)
    (entry,) = RunsWithoutPlan(StateDatabase(tmp_path)).entries()
    assert (entry.id, entry.reason) == (name, "no threshold is met") == ("r-20260315-0001", entry.reason)
    assert runs.load(name).text == "Trigger: none\n"


def test_no_more_runs_are_kept_than_the_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dry_runs, "MOST", 3)
    runs = RunsWithoutPlan(StateDatabase(tmp_path))
    names = [keep(runs, NOW + timedelta(days=day)) for day in range(6)]
    assert [entry.id for entry in runs.entries()] == names[-3:]


def test_all_dry_runs_are_listed_newest_first(tmp_path: Path) -> None:
    runs = RunsWithoutPlan(StateDatabase(tmp_path))
    keep(runs, NOW + timedelta(hours=1))
    found = listed([entry_of(compaction(1)), entry_of(append_plan(2))], runs.entries())
    assert [entry.id for entry in found] == ["r-20260315-0001", "p-20260315-0002", "p-20260315-0001"]


def test_what_changed_between_two_runs_is_said() -> None:
    older = with_facts(compaction(1, notes=3), threshold(9, False))
    newer = with_facts(compaction(2, notes=4), threshold(13, True))
    newer = msgspec.structs.replace(newer, report=newer.report + "one more line\n")
    changed = msgspec.structs.replace(newer.changes[0], content="other\n")
    newer = msgspec.structs.replace(newer, changes=(changed, *newer.changes[1:]))
    found = compare(report_of(older, entry_of(older)), report_of(newer, entry_of(newer)))
    (shift,) = found.thresholds
    assert (shift.value_before, shift.value_after, shift.fired_before, shift.fired_after) == (9, 13, False, True)
    assert [change.path for change in found.added] == [
        "memory/episodic/2026-03-04-deploy.md",
        "memory/working/2026-03-04-deploy.md",
    ]
    assert found.removed == () and found.same == 5 and len(found.changed) == 1
    assert found.lines == (1, 0)


def test_two_equal_runs_differ_in_nothing() -> None:
    report = report_of(compaction(1), entry_of(compaction(1)))
    found = compare(report, report)
    assert (found.thresholds, found.added, found.removed, found.changed, found.lines) == ((), (), (), (), (0, 0))


@pytest.mark.parametrize("name", ["r-20260315-0009", "r-../../etc/passwd", "r-", "r-x/../r-20260315-0001", "r-\x00"])
def test_a_name_that_is_none_is_refused(tmp_path: Path, name: str) -> None:
    runs = RunsWithoutPlan(StateDatabase(tmp_path))
    keep(runs)
    with pytest.raises(UsageError):
        runs.load(name)


@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff", b"[" * 99_999, b'{"system": 5}'])
def test_a_damaged_run_is_left_out_and_its_number_is_not_given_again(tmp_path: Path, damage: bytes) -> None:
    database = StateDatabase(tmp_path)
    runs = RunsWithoutPlan(database)
    for _ in range(2):
        keep(runs)
    with Table(database, StateTable.DRY_RUNS).change() as rows:
        rows.put("r-20260315-0002", damage)
        rows.put("r-junk-x", damage)
    assert [entry.id for entry in runs.entries()] == ["r-20260315-0001"]
    assert "2 of the dry runs without a plan" in database.problem
    assert keep(runs) == "r-20260315-0003"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner), max_leaves=5
)


@given(st.dictionaries(st.sampled_from(["thresholds", "x"]), values), st.dictionaries(st.text(), values))
def test_figures_of_any_shape_can_be_compared(one: dict[str, Any], other: dict[str, Any]) -> None:
    report = report_of(compaction(1, notes=1), entry_of(compaction(1, notes=1)))
    rows = [{"id": "a", **other}, 5, None]
    found = compare(
        msgspec.structs.replace(report, facts=one), msgspec.structs.replace(report, facts={"thresholds": rows})
    )
    assert all(isinstance(shift.id, str) for shift in found.thresholds)


def test_times_without_an_offset_are_damage(tmp_path: Path) -> None:
    database = StateDatabase(tmp_path)
    runs = RunsWithoutPlan(database)
    name = keep(runs)
    with Table(database, StateTable.DRY_RUNS).change() as rows:
        body = rows.get(name)
        assert body is not None
        rows.put(name, body.replace(b"Z", b"").replace(b"+00:00", b""))
    assert runs.entries() == ()
