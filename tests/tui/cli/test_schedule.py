"""`schedule`: prints, installs, removes and runs the daily and the weekly dry runs, and applies nothing."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.engine.history.repos import git
from tests.ready_demo import Demo
from tests.tui.cli.conftest import Run
from tui.system.own_program import carried_environment, memdeck_program


@pytest.fixture
def crontab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A crontab of our own, with a line in it that is not ours."""
    table, programs = tmp_path / "table", tmp_path / "bin"
    table.write_text("@daily mine\n")
    programs.mkdir()
    program = programs / "crontab"
    program.write_text(f"#!/bin/sh\ncase $1 in -l) cat {table};; -) cat > {table};; esac\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    return table


def test_it_prints_both_forms_and_installs_nothing(run: Run, crontab: Path, tmp_path: Path) -> None:
    ran = run("schedule", "-w", str(tmp_path), "--now", "2026-03-14T12:00")
    assert ran.code == 0
    assert "schedule --run weekly --json" in ran.out and "OnCalendar=Sun *-*-* 03:00:00 UTC" in ran.out
    assert "schedule --run daily --json" in ran.out and "OnCalendar=*-*-* 04:30:00 UTC" in ran.out
    assert "next: Sun 2026-03-15 03:00 UTC" in ran.out and "next: Sun 2026-03-15 04:30 UTC" in ran.out
    assert "compact, then tree, then condense, then prune" in ran.out and "never apply" in ran.out
    assert crontab.read_text() == "@daily mine\n"


def test_json_has_the_job_and_the_files(run: Run, tmp_path: Path) -> None:
    value = json.loads(run("schedule", "-w", str(tmp_path), "--json", "--now", "2026-03-15T03:00").out)
    daily, weekly, monthly = value["jobs"]
    assert (weekly["cron"], weekly["zone"], weekly["next_at"]) == ("0 3 * * 0", "UTC", "2026-03-22T03:00:00+00:00")
    assert (daily["cron"], daily["runs"]) == ("30 4 * * *", ["flush", "tree", "condense"])
    assert (monthly["cron"], monthly["runs"]) == ("45 4 1 * *", ["distill", "archive"])
    assert value["done"] is None and len(value["files"]) == 7


def test_install_keeps_every_other_line_and_remove_gives_it_back(run: Run, crontab: Path, tmp_path: Path) -> None:
    workspace = tmp_path / "ws"
    workspace.mkdir()
    where = ("-w", str(workspace))
    assert "installed" in run("schedule", "--install", *where).out
    installed = crontab.read_text()
    assert installed.startswith("@daily mine\n")
    assert "--run daily" in installed and "--run weekly" in installed
    assert "already" in run("schedule", "--install", *where).out
    assert crontab.read_text() == installed
    assert "removed" in run("schedule", "--remove", *where).out
    assert crontab.read_text() == "@daily mine\n"
    assert "was not installed" in run("schedule", "--remove", *where).out


def test_a_timer_goes_where_systemd_looks(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "systemctl"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "ws").mkdir()
    where = ("-w", str(tmp_path / "ws"), "--systemd")
    assert run("schedule", "--install", *where).code == 0
    folder = tmp_path / "config" / "systemd" / "user"
    assert sorted(path.suffix for path in folder.iterdir()) == [".service"] * 3 + [".timer"] * 3
    assert run("schedule", "--remove", *where).code == 0
    assert list(folder.iterdir()) == []


def test_the_daily_job_goes_by_the_operators_zone(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config" / "memdeck").mkdir(parents=True)
    (tmp_path / "config" / "memdeck" / "policy.yaml").write_text("zone: Asia/Kolkata\n")
    (tmp_path / "ws").mkdir()
    ran = run("schedule", "-w", str(tmp_path / "ws"), "--now", "2026-03-14T12:00")
    assert "OnCalendar=*-*-* 04:30:00 Asia/Kolkata" in ran.out and "TZ=Asia/Kolkata date" in ran.out
    assert "next: Sat 2026-03-14 23:00 UTC" in ran.out


def test_a_job_queues_plans_says_what_it_skips_and_applies_nothing(run: Run, demo: Demo) -> None:
    before = {path: path.read_bytes() for path in demo.folder.rglob("*.md")}
    value = json.loads(run("schedule", "--run", "weekly", "--json", "--now", "2026-03-15T03:05").out)
    steps = {step["system"]: step for step in value["steps"]}
    assert value["job"] == "weekly" and list(steps) == ["compact", "tree", "condense", "prune", "verify"]
    assert steps["compact"]["outcome"]["state"] == "pending" and steps["tree"]["outcome"]["state"] == "pending"
    assert steps["compact"]["done"].startswith(f"queued {steps['compact']['outcome']['plan']}")
    assert all((step["done"] is None) is bool(step["skipped"]) for step in value["steps"])
    monthly = json.loads(run("schedule", "--run", "monthly", "--json", "--now", "2026-04-01T04:45").out)
    assert [step["error"] for step in monthly["steps"]] == [None, None]
    ran = run("schedule", "--run", "daily")
    assert ran.code == 0 and "flush: " in ran.out and "tree: queued" in ran.out
    assert before == {path: path.read_bytes() for path in demo.folder.rglob("*.md")}


def test_what_the_commits_did_stands_under_done(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = tmp_path / "ws"
    (workspace / "knowledge").mkdir(parents=True)
    (tmp_path / "memdeck").mkdir()
    (tmp_path / "memdeck" / "policy.yaml").write_text("git: {commit_others: true}\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    asked = ("schedule", "--run", "commits", "--json", "-w", str(workspace))
    git(workspace, "init", "-q", "-b", "main")
    (workspace / "knowledge" / "a.md").write_text("one\n")
    (step,) = json.loads(run(*asked).out)["steps"]
    assert step["done"].endswith("memory: 1 file changed by the agent") and step["skipped"] is None
    (step,) = json.loads(run(*asked).out)["steps"]
    assert step["done"] is None and step["skipped"] == "nothing changed"


def test_what_excludes_each_other_and_what_does_not_exist_is_told(run: Run, tmp_path: Path) -> None:
    assert run("schedule", "--install", "--run", "daily", "-w", str(tmp_path)).code == 2
    ran = run("schedule", "--run", "hourly", "-w", str(tmp_path))
    assert ran.code == 2 and "daily, weekly" in ran.err


def test_no_folder_and_no_cron_are_told(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("schedule", "-w", str(tmp_path / "missing")).code == 5
    monkeypatch.setenv("PATH", str(tmp_path))
    ran = run("schedule", "--install", "-w", str(tmp_path))
    assert ran.code != 0 and "crontab" in ran.err and ran.err.count("\n") == 1


def test_the_scheduler_starts_this_very_memdeck(tmp_path: Path) -> None:
    script = tmp_path / "memdeck"
    script.write_text("#!/bin/sh\n")
    assert memdeck_program(str(script), tmp_path) == (sys.executable, "-P", "-m", "tui.cli")
    script.chmod(0o755)
    assert memdeck_program(str(script), tmp_path) == (str(script),)
    assert memdeck_program("/x/pytest", tmp_path) == (sys.executable, "-P", "-m", "tui.cli")


def test_only_the_folders_of_the_records_are_carried() -> None:
    assert carried_environment({"XDG_STATE_HOME": "/s", "XDG_CONFIG_HOME": "", "SECRET": "x"}) == (
        ("XDG_STATE_HOME", "/s"),
    )
