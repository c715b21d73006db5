"""Drafted entries that miss the schema, short reports, and when something is eligible (decisions A4, A15, A26)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.compactor.semantic.entry import FIELDS, read_entries
from engine.plans.plan import Move
from tests.engine.compactor.workspace import Workspace, days_ago, episodic

PATH = "memory/episodic/old.md"
OLD = f"---\ndate: {days_ago(40)}\n---\n# Old\n\n## Extracted Insights\n\n"
WHOLE = "Title: Drain the queue first\nContext: A migration failed.\nDurable Insight: Drain it before a migration.\n"


def note(age: int) -> str:
    return f"---\ndate: {days_ago(age)}\n---\nIt shipped.\n"


@pytest.mark.parametrize(
    ("draft", "line", "field"),
    [
        (WHOLE.replace("Context: A migration failed.\n", ""), 8, "Context"),
        (WHOLE.replace("Context:", "context:"), 9, "Context"),
        (WHOLE.replace("Context:", "**Context:**"), 9, "Context"),
        (WHOLE.lower(), 8, "Title"),
    ],
)
def test_a26_a_drafted_entry_that_misses_the_schema_keeps_its_file(draft: str, line: int, field: str) -> None:
    outcome = Workspace({PATH: OLD + draft, "memory/working/a.md": note(12)}).plan()
    assert outcome.plan is not None
    assert PATH not in {change.path for change in outcome.plan.changes if isinstance(change, Move)}
    assert not any(change.path.startswith("memory/semantic/") for change in outcome.plan.changes)
    assert all(gate.passed for gate in outcome.plan.gates)
    schema = next(gate for gate in outcome.plan.gates if gate.id == "schema")
    assert "1 file refused, which stay" in schema.detail
    errors = outcome.facts["schema_errors"]
    assert {"path": PATH, "line": line, "field": field}.items() <= errors[0].items() and errors[0]["message"]
    assert f"{PATH}:{line}: {field}" in outcome.report
    alone = Workspace({PATH: OLD + draft}).plan()
    assert alone.plan is None and f"{PATH}:{line}: {field}" in (alone.reason_no_action or "")


def test_a26_the_other_entries_of_such_a_file_are_taken() -> None:
    other = WHOLE.replace("Drain", "Stop").replace("Context:", "context:")
    plan = Workspace({PATH: f"{OLD}{WHOLE}\n{other}"}).planned()
    assert [change.path for change in plan.changes if change.path.startswith("memory/semantic/")]
    assert PATH not in {change.path for change in plan.changes}


@given(st.sampled_from(FIELDS[1:]), st.sampled_from(["{}:", "**{}:**", "**{}**:", " {} :", "{}："]), st.booleans())
def test_a_field_in_another_dress_is_named_and_never_glued(field: str, dress: str, lower: bool) -> None:
    written = dress.format(field.lower() if lower else field)
    _, problems = read_entries(WHOLE + f"{written} something\n")
    plain = written == f"{field}:"
    found = [(problem.line, problem.field) for problem in problems]
    assert (4, field) in found or (plain and field == "Operational Impact")


def test_a_report_that_comes_to_nothing_is_short_and_none_says_complete() -> None:
    files = {f"memory/episodic/n{n:03}.md": OLD + WHOLE.replace("Title:", "title:") for n in range(60)}
    outcome = Workspace(files).plan()
    assert outcome.plan is None and "Complete" not in outcome.report
    assert len(outcome.report.splitlines()) < 50
    assert "and 55 more" in outcome.report or "more; `--json` has all" in outcome.report
    assert len(outcome.facts["schema_errors"]) >= 60
    dry = Workspace({"memory/working/a.md": note(12)}).planned().report
    assert "Complete" not in dry and "dry run" in dry.splitlines()[0]


@pytest.mark.parametrize(("age", "until"), [(0, -8), (3, -5), (7, -1)])
def test_s35_status_and_plan_say_until_when_nothing_is_eligible(age: int, until: int) -> None:
    files = {f"memory/working/n{n}.md": note(age) for n in range(11)}
    outcome = Workspace(files).plan()
    assert outcome.plan is None
    assert f"nothing is eligible until {days_ago(until)}" in (outcome.reason_no_action or "")
    later = Workspace({f"memory/working/n{n}.md": note(age - until) for n in range(11)}).plan()
    assert later.plan is not None


def test_episodic_counts_by_its_own_days() -> None:
    outcome = Workspace({f"memory/episodic/n{n:02}.md": episodic(10) for n in range(21)}).plan()
    assert f"nothing is eligible until {days_ago(-21)}" in (outcome.reason_no_action or "")


@pytest.mark.parametrize("heading", ["Durable Insights", "Durable Insight", "Semantic Entries"])
def test_a26_an_entry_below_a_heading_of_its_own_is_a_draft_too(heading: str) -> None:
    """Below an unknown heading its fields were glued into one sentence that passed the schema."""
    text = OLD.replace("Extracted Insights", heading) + WHOLE.replace("Context: A migration failed.\n", "")
    outcome = Workspace({PATH: text}).plan()
    assert outcome.plan is None and f"{PATH}:8: Context" in (outcome.reason_no_action or "")
