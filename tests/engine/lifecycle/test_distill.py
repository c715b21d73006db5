"""The monthly distillation: archive or keep for what nobody touched, and two lists that stay true (D35, B16)."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.lifecycle.distill.indexes import ACTIVE, kept_index
from engine.lifecycle.prune.old_files import age_of
from engine.plans.plan import Append, Create, Move, Replace, RiskTier
from engine.plans.planning import PlanOutcome
from engine.services.engine import Engine
from engine.workspace.values import DateSource, FileDate, FileFacts
from tests.engine.lifecycle.applying import approve

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
LIST = "knowledge/projects/_active.md"
PEOPLE = "knowledge/people/_index.md"


def put(workspace: Path, path: str, text: str) -> None:
    file = workspace / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8", newline="")


def note(days: int, title: str, more: str = "", body: str = "") -> str:
    return f"---\nupdated: {(NOW - timedelta(days=days)).date()}\n{more}---\n\n# {title}\n\n{body}"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    put(folder, "knowledge/projects/atlas/context.md", note(2, "Atlas — the store"))
    put(folder, "knowledge/projects/atlas/notes.md", note(90, "Notes", body="see [[dana]]\n"))
    put(folder, "knowledge/projects/old/context.md", note(31, "Old"))
    put(folder, "knowledge/projects/old/progress.md", note(200, "Done"))
    put(folder, LIST, "---\ntype: project_index\n---\n\n# Active Projects\n\n- **old** — my own words\r\n  and more\n")
    put(folder, "knowledge/people/ana.md", note(31, "Ana", "name: Ana Lee\n"))
    put(folder, "knowledge/people/bo.md", note(30, "Bo"))
    put(folder, "knowledge/people/cy.md", note(99, "Cy", "pinned: true\n"))
    put(folder, "knowledge/people/dana.md", note(99, "Dana"))
    put(folder, "knowledge/people/eve.md", note(99, "Eve"))
    return folder


def plan_of(workspace: Path) -> PlanOutcome:
    with Engine.open(workspace, clock=lambda: NOW) as console:
        console.references.opened("knowledge/people/eve.md")
        return console.plans.make("distill")


def test_d35_untouched_projects_and_people_are_proposed_for_archive_or_keep_with_the_reason(workspace: Path) -> None:
    outcome = plan_of(workspace)
    assert outcome.plan is not None
    assert {one.path: one.to for one in outcome.plan.changes if isinstance(one, Move)} == {
        "knowledge/projects/old/context.md": "archive/projects/old/context.md",
        "knowledge/projects/old/progress.md": "archive/projects/old/progress.md",
        "knowledge/people/ana.md": "archive/people/ana.md",
    }
    for said in (
        "9 files of projects and people = 6 kept + 0 merged + 3 archived + 0 omitted; 5 are untouched",
        "archive  project old, 31 days: untouched for 31 days, and nothing refers to it",
        "archive  person ana, 31 days: untouched for 31 days, and nothing refers to it",
        "keep  person cy, 99 days: pinned",
        "keep  person dana, 99 days: linked by knowledge/projects/atlas/notes.md",
        "keep  person eve, 99 days: of use on 2026-11-23",
    ):
        assert said in outcome.report


def test_d35_both_lists_are_kept_and_a_line_of_what_is_archived_moves_word_for_word(workspace: Path) -> None:
    plan = plan_of(workspace).plan
    assert plan is not None
    changes = {one.path: one for one in plan.changes}
    made, active, people = changes["archive/projects/_active.md"], changes[LIST], changes[PEOPLE]
    assert isinstance(made, Create) and made.content.endswith("\n- **old** — my own words\r\n  and more\n")
    assert isinstance(active, Replace) and active.risk_tier is RiskTier.C and made.n in active.requires
    assert active.content == ("---\ntype: project_index\n---\n\n# Active Projects\n\n- **atlas** — Atlas — the store\n")
    assert isinstance(people, Create) and people.content == (
        "---\ntype: people_index\n---\n\n# People\n\n- **bo** — Bo\n- **cy** — Cy\n- **dana** — Dana\n- **eve** — Eve\n"
    )


def test_applied_and_run_again_nothing_is_left_to_do(workspace: Path) -> None:
    with Engine.open(workspace, clock=lambda: NOW) as console:
        console.references.opened("knowledge/people/eve.md")
        approve(console, console.plans.make("distill").plan)
        again = console.plans.make("distill")
        assert again.plan is None and "both lists are complete" in (again.reason_no_action or "")
        assert not console.plans.make("lint").plan, "both lists have the form that lint asks for"


def test_a_subject_that_the_operator_keeps_stays_in_its_list(workspace: Path) -> None:
    with Engine.open(workspace, clock=lambda: NOW) as console:
        plan = console.plans.make("distill").plan
        assert plan is not None
        (active,) = [one for one in plan.changes if one.path == LIST]
        old = [one.n for one in plan.changes if one.path.startswith("knowledge/projects/old/")]
        assert set(old) <= set(active.requires), "the line does not go while its project stays"


def test_a_line_of_an_archived_project_is_added_to_the_list_that_the_archive_has(workspace: Path) -> None:
    put(workspace, "archive/projects/_active.md", "# Old ones")
    plan = plan_of(workspace).plan
    assert plan is not None
    (change,) = [one for one in plan.changes if isinstance(one, Append)]
    assert (
        change.path == "archive/projects/_active.md" and change.content == "\n- **old** — my own words\r\n  and more\n"
    )


def test_without_projects_and_people_there_is_nothing_to_distill(tmp_path: Path) -> None:
    put(tmp_path / "ws", "MEMORY.md", "# Memory\n")
    assert plan_of(tmp_path / "ws").plan is None


NAMES = st.sampled_from(["atlas", "old", "billing", "ana"])


@given(
    st.lists(
        st.sampled_from(["- **atlas** — a\n", "- [Old](old/context.md)\n", "text\n", "\n", "- other\r\n", "```\n"])
    ),
    st.sets(NAMES),
    st.sets(NAMES),
)
def test_d35_every_other_line_of_a_list_stays_and_a_second_time_changes_nothing(
    parts: list[str], there: set[str], cold: set[str]
) -> None:
    old = "".join(parts)
    names = {name: name.title() for name in sorted(there)}
    edit = kept_index(ACTIVE, old, names, sorted(cold))
    again = kept_index(ACTIVE, edit.text, names, sorted(cold))
    assert "```\n" in parts or (again.text == edit.text and not again.added and not again.gone)
    left = [line.removesuffix("\r") for line in edit.text.split("\n") if line.strip()]
    kept = [line.strip() for line in parts if line.strip() and line.rstrip("\n") not in edit.gone]
    assert [line for line in left if line in kept] == kept


@pytest.mark.parametrize(
    ("source", "dated", "head", "written", "age"),
    [
        (DateSource.FRONTMATTER, 100, {}, 1, 100),
        (DateSource.FRONTMATTER, 100, {"updated": "2026-11-20"}, None, 3),
        (DateSource.FRONTMATTER, 3, {"updated": "2026-01-01"}, None, 3),
        (DateSource.GIT, 100, {}, 2, 2),
        (DateSource.GIT, 100, {}, None, 100),
        (DateSource.GIT, 100, {"updated": "2026-11-20"}, 50, 3),
        (DateSource.MTIME, 0, {"updated": "2026-11-20"}, None, 3),
        (DateSource.MTIME, 7, {"updated": "someday"}, None, 7),
        (DateSource.NAME, -5, {}, None, 0),
    ],
)
def test_g8_the_age_of_a_file_is_that_of_its_head_before_git_and_the_disk(
    source: DateSource, dated: int, head: dict[str, str | list[str]], written: int | None, age: int
) -> None:
    today = NOW.date()
    day = FileDate(today - timedelta(days=dated), source)
    facts = FileFacts(path="x.md", size=1, sha256="", lines=1, tokens=1, date=day, frontmatter=head)
    touched = today - timedelta(days=written) if written is not None else None
    assert age_of(facts, today, "UTC", lambda _: touched) == age
