"""Copies of sync tools, unsettled merges, other endings and encodings: named, and sources of nothing (decision G32)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.context.platforms.platform import SessionKind
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine
from engine.workspace.wreckage import left_reason
from tests.engine.approved import applied
from tests.engine.history.repos import write
from tui.present.context.platform_loads import file_words

LOG = "memory/2026-03-10.md"
TEXT = "# 2026-03-10\n\n- Decision: keep Postgres for billing\n- the queue was drained first\n- Ana agreed\n"
MORE = TEXT + "- only the copy says: the invoice run moved to Friday\n"
NAMES = {
    "2026-03-10 (conflicted copy 2026-03-11).md": "Dropbox, Nextcloud",
    "2026-03-10 (Ana's conflicted copy 2026-03-11).md": "Dropbox, Nextcloud",
    "2026-03-10.sync-conflict-20260311-101500-ABCDEFG.md": "Syncthing",
    "2026-03-10 2.md": "iCloud",
    "2026-03-10 (1).md": "Google Drive",
    "2026-03-10(1).md": "Google Drive",
    "2026-03-10-LAPTOP-AB12.md": "OneDrive",
    "2026-03-10-Annas-MacBook.md": "OneDrive",
}


@pytest.fixture
def engine(tmp_path: Path, own_home: Path) -> Iterator[Engine]:
    workspace = tmp_path / "agent"
    write(workspace, {LOG: TEXT})
    with Engine.open(workspace) as opened:
        yield opened


def skipped(engine: Engine) -> dict[str, str]:
    return {one.path: one.reason for one in engine.status.read().skipped}


def written(engine: Engine) -> str:
    """All that a plan of the tree would write."""
    plan = engine.plans.make("tree", PlanRequest()).plan
    assert plan is not None
    return "\n".join(getattr(change, "content", "") for change in plan.changes)


@pytest.mark.parametrize("name", NAMES)
def test_g32_a_copy_is_named_with_its_tool_and_is_no_source(engine: Engine, name: str) -> None:
    """field.md E15: each line of the day stood there up to three times."""
    write(engine.workspace, {f"memory/{name}": MORE})
    reason = skipped(engine)[f"memory/{name}"]
    assert reason.startswith(f"a conflict copy of {LOG} ({NAMES[name]}), no source")
    assert "invoice run moved to Friday" not in written(engine)
    (fault,) = engine.maintenance.lint()
    assert (fault.kind, fault.path, fault.line) == ("copy", f"memory/{name}", 1)
    write(engine.workspace, {f"memory/{name}": TEXT})
    assert skipped(engine)[f"memory/{name}"].startswith("an identical copy of")


@pytest.mark.parametrize(
    "name", ["2026-03-10 2.md", "2026-03-10 (1).md", "2026-03-10-Deploy.md", "2026-03-10-deploy.md"]
)
def test_g32_an_honest_note_beside_another_is_a_note(engine: Engine, name: str) -> None:
    write(engine.workspace, {f"memory/{name}": "# 2026-03-10\n\n- Decision: the second session chose Hetzner\n"})
    assert skipped(engine) == {} and "Hetzner" in written(engine)


def test_g32_a_copy_whose_original_is_gone_is_a_note(engine: Engine) -> None:
    (engine.workspace / LOG).rename(engine.workspace / "memory/2026-03-10 (conflicted copy 2026-03-11).md")
    assert skipped(engine) == {}


def test_g32_a_merge_nobody_settled_is_named_with_its_line_and_in_no_node(engine: Engine) -> None:
    """field.md E17: the markers and both decisions stood in the day, the week and the month."""
    merge = "<<<<<<< HEAD\n- Decision: MySQL\n=======\n- Decision: SQLite\n>>>>>>> laptop\n"
    write(
        engine.workspace,
        {"memory/2026-03-11.md": f"# 2026-03-11\n\n{merge}- Ana agreed\n", "MEMORY.md": f"- a\n{merge}"},
    )
    assert skipped(engine) == {
        "memory/2026-03-11.md": "merge-conflict markers, no source until they are settled, on line 3"
    }
    assert not {"<<<<<<<", "MySQL", "SQLite"} & set(written(engine).split())
    found = [(fault.kind, fault.path, fault.line) for fault in engine.maintenance.lint()]
    assert found == [("conflict", "MEMORY.md", 2), ("conflict", "memory/2026-03-11.md", 3)]


def test_g32_other_endings_encodings_and_links_are_named_and_no_plan_says_all_is_well(engine: Engine) -> None:
    """field.md I27, I28: `2026-11-07.MD` stood nowhere, a log in cp1252 made "the tree is up to date"."""
    write(engine.workspace, {"memory/2026-03-12.MD": TEXT, "memory/2026-03-13.md~": TEXT, "knowledge/a.md.orig": TEXT})
    (engine.workspace / "memory/2026-03-14.md").write_bytes("- caf\xe9\n".encode("cp1252"))
    (engine.workspace / "memory/2026-03-15.md").write_bytes("- caf\xe9\n".encode("utf-16"))
    (engine.workspace / "MEMORY.md").symlink_to("/dev/null")
    assert skipped(engine) == {
        "MEMORY.md": "a link; links are not followed",
        "knowledge/a.md.orig": "a copy that an editor or a merge left",
        "memory/2026-03-12.MD": "it ends with other letters than .md: rename it, and it is a note",
        "memory/2026-03-13.md~": "a copy that an editor or a merge left",
        "memory/2026-03-14.md": "not UTF-8: byte 0xe9 on line 1",
        "memory/2026-03-15.md": "UTF-16, not UTF-8",
    }
    assert {fault.path for fault in engine.maintenance.lint()} == set(skipped(engine))
    assert engine.status.read().memory_md == {"lines": 0, "band": "unknown", "reason": "a link; links are not followed"}


def test_names_that_are_nothing_are_passed_over() -> None:
    assert [left_reason(name) for name in ("a.md", "a.orig", "md", ".md~", "a.mdx", "a.txt~")] == [""] * 6


def test_g32_what_is_no_source_stands_on_the_plan_and_where_there_is_none(engine: Engine) -> None:
    (engine.workspace / "memory/2026-03-14.md").write_bytes("- caf\xe9\n".encode("cp1252"))
    plan = engine.plans.make("tree", PlanRequest()).plan
    assert plan is not None and "omitted: memory/2026-03-14.md: not UTF-8: byte 0xe9 on line 1" in plan.warnings
    outcome = engine.plans.make("compact", PlanRequest())
    assert outcome.plan is None and "omitted: memory/2026-03-14.md" in str(outcome.reason_no_action)


def test_g32_copies_that_differ_are_settled_by_a_plan(engine: Engine) -> None:
    copy = "memory/2026-03-10 (conflicted copy 2026-03-11).md"
    write(engine.workspace, {copy: MORE, "memory/2026-03-10 2.md": TEXT})
    applied(engine, engine.plans.make("lint", PlanRequest()))
    assert (engine.workspace / LOG).read_text() == MORE and not (engine.workspace / copy).exists()
    (kept,) = (engine.workspace / "memory/archive").iterdir()
    assert kept.read_text() == MORE and kept.name.startswith("2026-03-10-conflict-copy-")
    assert "identical" not in skipped(engine).get("memory/2026-03-10 2.md", "")
    assert "Friday" in written(engine)


def test_g32_a_loaded_file_behind_a_link_is_unknown(engine: Engine) -> None:
    """field.md I28: it was "0 lines, ok", and "no sign of it here"."""
    (engine.workspace / "MEMORY.md").symlink_to("../shared/MEMORY.md")
    load = next(one for one in engine.context.loads(SessionKind.MAIN) if one.platform.name == "claude-code")
    file = next(one for one in load.files if one.name == "MEMORY.md")
    assert (load.used, file.state.value, file.reason) == (True, "unknown", "a link to ../shared/MEMORY.md")
    assert file_words(file) == "unknown: a link to ../shared/MEMORY.md"
