"""`init`, `tag` and `explore` as commands: what they print, as text and as JSON, and what they refuse."""

import json
from datetime import timedelta
from pathlib import Path

from engine.services.engine import utc_now
from tests.engine.history.repos import git, make_repo
from tests.engine.lifecycle.events import capture, end, said, start
from tests.tui.cli.conftest import Run


def test_init_queues_a_plan_and_changes_nothing(run: Run, tmp_path: Path) -> None:
    workspace = tmp_path / "agent"
    assert run("init", str(workspace)).code == 5
    workspace.mkdir()
    made = json.loads(run("init", str(workspace), "--json").out)
    assert made["system"] == "init" and made["risk_tier"] == "C" and len(made["changes"]) == 19
    assert {change["op"] for change in made["changes"]} == {"create"}
    assert not any(workspace.iterdir())
    ran = run("plan", "init", "-w", str(workspace))
    assert ran.code == 0 and "Applying it begins a git repository" in ran.out


def test_a_tag_is_made_and_listed(run: Run, tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "agent", {"a.md": "x"})
    where = ("-w", str(workspace))
    assert "no tag of memory yet" in run("tag", *where).out
    assert run("tag", "milestone", "first", *where).out == "tagged memory/milestone/first\n"
    assert json.loads(run("tag", "before", "move", "--json", *where).out) == {"tag": "memory/before/move"}
    rows = json.loads(run("tag", "--json", *where).out)
    assert {row["name"] for row in rows} == {"memory/milestone/first", "memory/before/move"}
    assert {row["commit"] for row in rows} == {git(workspace, "rev-parse", "HEAD")}
    assert "memory/before/move" in run("tag", *where).out


def test_what_is_no_tag_is_refused_in_one_line(run: Run, tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "agent", {"a.md": "x"})
    for words, code in (
        (("daily", "x"), 2),
        (("milestone",), 2),
        (("milestone", "a b"), 2),
        (("milestone", "../../heads/main"), 2),
        (("before", "--", "-x"), 2),
    ):
        ran = (
            run("tag", *words, "-w", str(workspace)) if "--" not in words else run("tag", "-w", str(workspace), *words)
        )
        assert ran.code == code and ran.err.count("\n") == 1, ran
    (tmp_path / "bare").mkdir()
    ran = run("tag", "milestone", "x", "-w", str(tmp_path / "bare"))
    assert ran.code == 3 and "there is no git here" in ran.err and "memdeck init" in ran.err
    assert git(workspace, "tag") == ""


def test_explorations_by_command(run: Run, tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "agent", {"knowledge/a.md": "one\n"})
    where = ("-w", str(workspace))
    assert "no exploration" in run("explore", *where).out
    ran = run("explore", "try", *where)
    assert ran.code == 0 and "branch explore/try at" in ran.out and "memdeck plan branches --take try" in ran.out
    assert run("explore", "try", *where).code == 3
    (row,) = json.loads(run("explore", "--json", *where).out)
    assert row["name"] == "try" and row["folder"].endswith("agent-explore/try")
    assert "explore/try" in run("explore", *where).out
    made = json.loads(run("explore", "other", "--at", str(workspace.parent / "there"), "--json", *where).out)
    assert made["branch"] == "explore/other" and made["left_out"] == []
    late = (utc_now() + timedelta(days=9)).isoformat()
    assert "older than a week" in run("explore", "--now", late, *where).out
    assert "lasts for 9 days" in run("status", "--now", late, *where).out
    made = json.loads(run("plan", "branches", "--now", late, "--json", *where).out)
    assert {change["op"] for change in made["changes"]} == {"move", "replace"}


def test_a_replay_on_a_branch_is_compared_listed_and_ended_by_command(run: Run, tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "agent", {"knowledge/a.md": "one\n"}, "-b", "main")
    where = ("-w", str(workspace))
    capture(workspace, start(), said("We decided to keep everything in SQLite."), end())
    made = json.loads(run("plan", "replay", "--branch", "--name", "v2", "--json", *where).out)
    assert made["risk_tier"] == "C" and {"id": "record", "passed": True} in [
        {key: gate[key] for key in ("id", "passed")} for gate in made["gates"]
    ]
    figures = json.loads(run("replay", "--compare", "--json", *where).out)["figures"]
    assert (figures["before"], figures["new"], figures["branch"], figures["weeks"]) == (0, 1, "extract/v2", 1)
    said_so = run("replay", "--compare", *where).out
    assert "extract/v2" in said_so and "1 added, 0 changed" in said_so
    assert "extract/v2" in run("explore", *where).out
    ended = json.loads(run("plan", "branches", "--take", "extract/v2", "--json", *where).out)
    assert ".git/refs/heads/extract/v2" in [change["path"] for change in ended["changes"]]
    assert run("plan", "branches", "--take", "v2", *where).code == 2
