"""What is learnt lands where the platform of the workspace loads it, and else the plan says so (decision D60)."""

from pathlib import Path

import pytest

from engine.plans.plan import Create, Plan, Replace
from engine.services.engine import Engine
from tests.engine.lifecycle.applying import approve
from tests.engine.lifecycle.events import capture, end, said, start

PREFERRED, CORRECTED = "I prefer short answers in three bullets.", "Never push to the main branch, open a pull request."


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    capture(folder, start("s1"), said(PREFERRED), said(f"No, use tabs, not spaces. {CORRECTED}"), end())
    return folder


def plan_of(workspace: Path) -> Plan:
    with Engine.open(workspace) as console:
        plan = console.plans.make("extract").plan
    assert plan is not None
    return plan


def texts(plan: Plan) -> dict[str, str]:
    return {one.path: one.content for one in plan.changes if isinstance(one, Create | Replace)}


def test_d60_the_root_files_of_openclaw_take_preferences_and_corrections(workspace: Path) -> None:
    for name in ("SOUL.md", "USER.md", "AGENTS.md"):
        (workspace / name).write_text(f"# {name}\n\nOurs.\n", "utf-8")
    plan = plan_of(workspace)
    made = texts(plan)
    assert set(made) == {"USER.md", "AGENTS.md"} and all(text.startswith("# ") for text in made.values())
    assert PREFERRED in made["USER.md"] and "use tabs, not spaces" in made["AGENTS.md"]
    assert not [one for one in plan.warnings if "not loaded" in one]
    assert {one.risk_tier.value for one in plan.changes} == {"C"}
    with Engine.open(workspace) as console:
        approve(console, console.plans.make("extract").plan)
        assert console.plans.make("extract").plan is None, "a row of a root file is known again"


def test_d60_a_file_that_no_platform_loads_is_told(workspace: Path) -> None:
    (workspace / "SOUL.md").write_text("# Soul\n", "utf-8")
    told = [one for one in plan_of(workspace).warnings if "not loaded by" in one]
    assert told == [f"knowledge/identity/{name}.md: not loaded by OpenClaw" for name in ("AGENTS", "USER")]


def test_d60_where_no_platform_is_used_it_is_told_once(workspace: Path) -> None:
    plan = plan_of(workspace)
    assert set(texts(plan)) == {"knowledge/identity/USER.md", "knowledge/identity/AGENTS.md"}
    told = [one for one in plan.warnings if "not loaded" in one]
    assert told == ["not loaded by any platform, for none is used here: memdeck load"]


def test_d60_claude_codes_own_memory_gets_topics_and_its_index_leads_to_them(workspace: Path) -> None:
    index = "- [Build](project_build.md) — how it is built\n"
    (workspace / "MEMORY.md").write_text(index, "utf-8")
    (workspace / "project_build.md").write_text("---\nname: build\ntype: project\n---\n\nmake all\n", "utf-8")
    made = texts(plan_of(workspace))
    assert set(made) == {"MEMORY.md", "user_preferences.md", "feedback_rules.md"}
    assert made["user_preferences.md"].startswith("---\nname: user_preferences\ndescription: ")
    assert "type: user\n" in made["user_preferences.md"] and "type: feedback\n" in made["feedback_rules.md"]
    assert made["MEMORY.md"].startswith(index) and "](user_preferences.md) — " in made["MEMORY.md"]
    with Engine.open(workspace) as console:
        approve(console, console.plans.make("extract").plan)
        assert console.plans.make("extract").plan is None
