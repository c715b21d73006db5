"""Drafted entries that miss the schema, short reports, and when something is eligible (decisions A4, A15, A26)."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.compactor.limits.evaluation import evaluate
from engine.compactor.semantic.entry import FIELDS, read_entries
from engine.plans.plan import Append, Create, Move
from engine.plans.policy.values import Policy
from tests.engine.compactor.workspace import NOW, SEEN, Workspace, days_ago, episodic

PATH = "memory/episodic/old.md"
OLD = f"---\ndate: {days_ago(40)}\n---\n# Old\n\n## Extracted Insights\n\n"
WHOLE = "Title: Drain the queue first\nContext: A migration failed.\nDurable Insight: Drain it before a migration.\n"
WITHOUT_CONTEXT = WHOLE.replace("Context: A migration failed.\n", "")


def note(age: int) -> str:
    return f"---\ndate: {days_ago(age)}\n---\nIt shipped.\n"


@pytest.mark.parametrize(
    ("draft", "line", "field"),
    [
        (WITHOUT_CONTEXT, 8, "Context"),
        (WITHOUT_CONTEXT.lower(), 8, "Context"),
        (WHOLE.replace("A migration failed.", ""), 9, "Context"),
        (WHOLE + "Context: Another one failed.\n", 11, "Context"),
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
    text = (OLD + draft).splitlines()[line - 1]
    assert {"path": PATH, "line": line, "field": field, "text": text}.items() <= errors[0].items() and errors[0]["rule"]
    assert f"{PATH}:{line}: {field}" in outcome.report
    alone = Workspace({PATH: OLD + draft}).plan()
    assert alone.plan is None and f"{PATH}:{line}: {field}" in (alone.reason_no_action or "")


def test_a26_the_other_entries_of_such_a_file_are_taken() -> None:
    other = WITHOUT_CONTEXT.replace("Drain", "Stop")
    plan = Workspace({PATH: f"{OLD}{WHOLE}\n{other}"}).planned()
    assert [change.path for change in plan.changes if change.path.startswith("memory/semantic/")]
    assert PATH not in {change.path for change in plan.changes}


DRESSES = ("{}:", "**{}:**", "**{}**:", "_{}_ :", " {} :", "{}：", "**{}:")


@given(st.sampled_from(DRESSES), st.sampled_from([str, str.lower, str.upper]))
def test_a26_a_field_in_any_case_and_dress_is_read_as_one(dress: str, case: Callable[[str], str]) -> None:
    """In lower case the fields were glued into one paragraph, which then passed the schema."""
    texts = ("Drain the queue first", "A **migration** failed.", "Drain it before a migration.", "We drain it.")
    written = "".join(f"{dress.format(case(field))} {text}\n" for field, text in zip(FIELDS, texts, strict=True))
    ((entry,), problems) = read_entries(written)
    assert problems == ()
    assert entry.fields() == tuple(zip(FIELDS, texts, strict=True))


def test_a26_a_draft_in_lower_case_is_taken_and_written_as_the_schema_has_it() -> None:
    plan = Workspace({PATH: OLD + "title: a good title\ncontext: a b c\ndurable insight: x y z counts\n"}).planned()
    (append,) = [change for change in plan.changes if isinstance(change, Create | Append) and "semantic" in change.path]
    assert append.content.startswith("Title: a good title\nContext: a b c\nDurable Insight: x y z counts\n")
    assert PATH in plan.targets()


def test_a26_a_secret_in_a_line_that_is_quoted_is_hidden() -> None:
    text = WITHOUT_CONTEXT.replace("queue first", "password = hunter2hunter2X9")
    errors = Workspace({PATH: OLD + text}).plan().facts["schema_errors"]
    assert errors and "hunter2" not in str(errors)


def test_a_report_that_comes_to_nothing_is_short_and_none_says_complete() -> None:
    files = {f"memory/episodic/n{n:03}.md": OLD + WITHOUT_CONTEXT for n in range(60)}
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
    status = evaluate(Workspace(files).snapshot(), Policy(), NOW, SEEN)
    assert (status.judged.primary, str(status.next_eligible)) == ("working_files", days_ago(until))
    later = Workspace({f"memory/working/n{n}.md": note(age - until) for n in range(11)}).plan()
    assert later.plan is not None


def test_episodic_counts_by_its_own_days() -> None:
    outcome = Workspace({f"memory/episodic/n{n:02}.md": episodic(10) for n in range(21)}).plan()
    assert f"nothing is eligible until {days_ago(-21)}" in (outcome.reason_no_action or "")


@pytest.mark.parametrize("heading", ["Durable Insights", "Durable Insight", "Semantic Entries"])
def test_a26_an_entry_below_a_heading_of_its_own_is_a_draft_too(heading: str) -> None:
    """Below an unknown heading its fields were glued into one sentence that passed the schema."""
    text = OLD.replace("Extracted Insights", heading) + WITHOUT_CONTEXT
    outcome = Workspace({PATH: text}).plan()
    assert outcome.plan is None and f"{PATH}:8: Context" in (outcome.reason_no_action or "")


def test_a26_an_entry_below_any_heading_is_a_draft_and_not_glued_into_a_sentence() -> None:
    whole = Workspace({PATH: f"---\ndate: {days_ago(40)}\n---\n# Queue\n\n{WHOLE}"}).planned()
    (entry,) = [change for change in whole.changes if "semantic" in change.path and isinstance(change, Create | Append)]
    assert entry.content.startswith(WHOLE)
    other = Workspace({PATH: f"---\ndate: {days_ago(40)}\n---\n# Queue\n\n{WITHOUT_CONTEXT}"}).plan()
    assert other.plan is None and f"{PATH}:6: Context" in (other.reason_no_action or "")
