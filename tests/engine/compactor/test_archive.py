"""Names in the archive and in episodic memory (decisions A8, A9)."""

import pytest

from engine.plans.plan import Create, Move
from engine.workspace.snapshot import LONGEST_NAME, FreeNames, obstacle
from tests.engine.compactor.workspace import TODAY, Workspace, days_ago, episodic


def names(*paths: str, skipped: tuple[tuple[str, str], ...] = ()) -> FreeNames:
    return FreeNames(Workspace(dict.fromkeys(paths, "x\n"), skipped=skipped).snapshot())


def test_a8_the_archive_name_carries_the_day() -> None:
    assert names().archived("memory/working/deploy.v2.md", TODAY) == "memory/archive/deploy.v2-archived-2026-03-15.md"


def test_a8_a_taken_name_gets_a_number() -> None:
    taken = names("memory/archive/x-archived-2026-03-15.md", "memory/archive/x-archived-2026-03-15-2.md")
    assert taken.archived("memory/working/x.md", TODAY) == "memory/archive/x-archived-2026-03-15-3.md"


def test_a8_names_given_before_are_taken_too() -> None:
    given = names()
    assert given.archived("memory/working/x.md", TODAY) != given.archived("memory/episodic/x.md", TODAY)


@pytest.mark.parametrize(
    "taken", ["memory/archive/X-ARCHIVED-2026-03-15.md", "memory/archive/x-archived-2026-03-15.MD"]
)
def test_a8_case_alone_makes_no_free_name(taken: str) -> None:
    found = names(skipped=((taken, "a folder in place of a file"),)).archived("memory/working/x.md", TODAY)
    assert found == "memory/archive/x-archived-2026-03-15-2.md"


def test_a8_a_decomposed_name_is_the_same_name() -> None:
    assert names("memory/episodic/ü.md").free("memory/episodic", "u\u0308") == "memory/episodic/u\u0308-2.md"


def test_a8_folders_and_links_of_that_name_are_in_the_way() -> None:
    blocked = names(skipped=(("memory/episodic/x.md", "a link"),))
    assert blocked.free("memory/episodic", "x") == "memory/episodic/x-2.md"


def test_a_name_too_long_for_a_file_system_is_shortened_at_a_character() -> None:
    path = names().archived(f"memory/working/{'é' * 125}.md", TODAY)
    name = path.rpartition("/")[2]
    assert len(name.encode()) <= LONGEST_NAME
    assert name.endswith("-archived-2026-03-15.md")


def test_a8_the_original_path_is_recorded() -> None:
    plan = Workspace({"memory/working/x.md": f"---\ndate: {days_ago(9)}\n---\nA note.\n"}).planned()
    compiled, moved = plan.changes
    assert isinstance(compiled, Create)
    assert isinstance(moved, Move)
    assert "source: memory/working/x.md\n" in compiled.content
    assert f"archived-as: {moved.to}\n" in compiled.content


def test_a9_an_episodic_name_that_is_taken_is_never_overwritten() -> None:
    note = f"---\ndate: {days_ago(9)}\n---\nA note.\n"
    plan = Workspace({"memory/working/x.md": note, "memory/episodic/x.md": episodic(9)}).planned()
    assert plan.changes[0].path == "memory/episodic/x-2.md"
    assert any("is taken" in warning for warning in plan.changes[0].warnings)


def test_two_notes_that_differ_in_case_get_two_names() -> None:
    note = f"---\ndate: {days_ago(9)}\n---\nA note.\n"
    plan = Workspace({"memory/working/Plan.md": note, "memory/working/plan.md": note}).planned()
    created = [change.path for change in plan.changes if isinstance(change, Create)]
    moved = [change.to for change in plan.changes if isinstance(change, Move)]
    assert created == ["memory/episodic/Plan.md", "memory/episodic/plan-2.md"]
    assert len({path.casefold() for path in moved}) == 2


@pytest.mark.parametrize("place", ["memory", "memory/archive"])
def test_a_link_in_place_of_the_archive_stops_everything(place: str) -> None:
    workspace = Workspace({"memory/working/x.md": f"---\ndate: {days_ago(9)}\n---\nx\n"}, skipped=[(place, "a link")])
    assert obstacle(workspace.snapshot(), "memory/archive") == f"{place}: a link"
    outcome = workspace.plan()
    assert outcome.plan is None
    assert "nothing can be archived" in str(outcome.reason_no_action)


def test_a_link_in_place_of_episodic_memory_leaves_the_notes_where_they_are() -> None:
    files = {"memory/working/x.md": f"---\ndate: {days_ago(9)}\n---\nx\n"}
    outcome = Workspace(files, skipped=[("memory/episodic", "a link")]).plan()
    assert outcome.plan is None
    assert "memory/working/x.md: nothing can be compiled: memory/episodic: a link" in outcome.report
