"""Links follow what a plan moves: archive, restore, and every other plan with a move (autopoiesis §11, phase 4)."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.lifecycle.references.file_links import LinkWay, NoteNames, file_links, written_target
from engine.lifecycle.requests import ArchiveRequest
from engine.plans.plan import Move, Plan, RiskTier
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine
from engine.text.note_links import note_links
from tests.engine.lifecycle.applying import approve
from tests.turn import examples

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
ANA = "knowledge/people/ana.md"
COLD = "archive/people/ana.md"


def put(folder: Path, path: str, text: str) -> None:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8", newline="")


def note(title: str, body: str = "") -> str:
    return f"---\nupdated: 2026-01-02\n---\n\n# {title}\n\n{body}"


def planned(folder: Path, system: str, *take: str) -> Plan:
    with Engine.open(folder, clock=lambda: NOW) as console:
        made = console.plans.make(system, PlanRequest(ArchiveRequest(take=take))).plan
    assert made is not None
    return made


def contents(plan: Plan) -> dict[str, str]:
    return {one.path: one.content for one in plan.changes if not isinstance(one, Move)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    workspace = tmp_path / "workspace"
    put(workspace, ANA, note("Ana"))
    return workspace


def test_an_archived_note_keeps_its_links_by_name_and_takes_its_links_by_path_along(folder: Path) -> None:
    text = "see [[ana]], [[people/ana]], [[knowledge/people/ana|her]] and [Ana](../people/ana.md#Work) `[[people/ana]]`"
    put(folder, "knowledge/procedures/call.md", note("Call", body=f"{text}\r\n"))
    plan = planned(folder, "archive", ANA)
    assert [type(one).__name__ for one in plan.changes] == ["Move", "Replace"]
    change = plan.changes[1]
    assert change.requires == (1,) and change.risk_tier is RiskTier.B and not change.flagged
    after = "see [[ana]], [[people/ana]], [[ana|her]] and [Ana](../../archive/people/ana.md#Work) `[[people/ana]]`"
    assert f"{after}\r\n" in contents(plan)["knowledge/procedures/call.md"]
    assert "links: 2 follow what moves, 0 stay" in plan.report and plan.facts["links"] == {"changed": 2, "kept": 0}


def test_what_comes_back_takes_its_links_back(folder: Path) -> None:
    (folder / ANA).unlink()
    put(folder, COLD, note("Ana"))
    put(folder, "knowledge/procedures/call.md", note("Call", body="[Ana](../../archive/people/ana.md)\n"))
    plan = planned(folder, "restore", COLD)
    assert "[Ana](../people/ana.md)\n" in contents(plan)["knowledge/procedures/call.md"]


def test_a_note_of_a_memory_tier_answers_to_the_name_that_it_had(folder: Path) -> None:
    put(folder, "memory/working/2026-01-02-queue.md", note("Queue"))
    put(
        folder,
        "knowledge/procedures/call.md",
        note("Call", body="[[2026-01-02-queue]] [[memory/working/2026-01-02-queue]]\n"),
    )
    plan = planned(folder, "archive", "memory/working/2026-01-02-queue.md")
    to = plan.changes[0].to.removesuffix(".md").rpartition("/")[2] if isinstance(plan.changes[0], Move) else ""
    written = contents(plan)["knowledge/procedures/call.md"]
    assert f"[[2026-01-02-queue]] [[{to}|memory/working/2026-01-02-queue]]\n" in written


def test_what_never_changes_is_named_in_the_report(folder: Path) -> None:
    put(folder, "memory/2026-01-02.md", "# 2026-01-02\n\n[a](../knowledge/people/ana.md)\n")
    put(folder, "raw/conversations/2026/01/02/t.md", "[a](../../../../../knowledge/people/ana.md)\n")
    put(folder, "archive/people/old.md", "[a](../../knowledge/people/ana.md)\n")
    plan = planned(folder, "archive", ANA)
    assert len(plan.changes) == 1
    assert f"memory/2026-01-02.md:3 keeps its link to {COLD}: its bytes are never changed" in plan.report


def test_a_link_in_memory_md_is_tier_c_and_stands_there_once_it_is_approved(folder: Path) -> None:
    put(folder, "knowledge/memory/MEMORY.md", "# Core\n\n- 2026-01-02: see [Ana](../people/ana.md)\n")
    with Engine.open(folder, clock=lambda: NOW) as console:
        plan = console.plans.make("archive", PlanRequest(ArchiveRequest(take=(ANA,)))).plan
        approve(console, plan)
    assert plan is not None and plan.changes[1].risk_tier is RiskTier.C
    assert "see [Ana](../../archive/people/ana.md)\n" in (folder / "knowledge/memory/MEMORY.md").read_text("utf-8")


def test_another_note_of_the_name_does_not_take_a_link_over(folder: Path) -> None:
    """The name means the note that stays, so that the link to what moves is written as a path."""
    put(folder, "archive/people/bo.md", note("Bo"))
    put(folder, "knowledge/procedures/bo.md", note("Bo, again"))
    put(folder, "knowledge/people/lists.md", note("Lists", body="[[bo]] [[archive/people/bo]]\n"))
    plan = planned(folder, "restore", "archive/people/bo.md")
    assert (
        "[[knowledge/procedures/bo|bo]] [[knowledge/people/bo|archive/people/bo]]"
        in contents(plan)["knowledge/people/lists.md"]
    )


NAMES = st.sampled_from(["a", "b", "c d", "x(1)", "é"])
PATHS = st.builds(lambda parts, name: "/".join((*parts, f"{name}.md")), st.lists(NAMES, max_size=3), NAMES)


@given(st.sets(PATHS, min_size=2, max_size=8), PATHS, st.data())
@settings(max_examples=examples(200))
def test_a_target_that_is_written_means_the_note(paths: set[str], source: str, data: st.DataObject) -> None:
    names = NoteNames(paths)
    path = data.draw(st.sampled_from(sorted(paths)))
    for text in ("[[t]]", "[t](t.md)", "[t](<t>)", "[t](/t)"):
        (link,) = note_links(text)
        for way in LinkWay:
            target = written_target(names, source, link, way, path)
            if target:
                new = f"{text[: link.start]}{target}{text[link.end :]}"
                assert [one.path for one in file_links(source, new.encode(), names)] == [path]
            else:
                assert len([one for one in paths if one.rpartition("/")[2] == path.rpartition("/")[2]]) > 1
