"""A program that the agent plants in its workspace is started by nothing, however PATH is set (decision D22)."""

import os
from pathlib import Path

import msgspec
import pytest

from engine.plans.operation import ConfirmationAnswer
from engine.services.engine import Engine
from tests.engine.history.repos import make_repo
from tests.engine.test_console import NOW
from tests.tui.cli.approvals import an_approval

PLANTED = ("git", "rg", "qmd", "sh", "crontab", "systemctl")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "agent"
    notes = {
        f"memory/working/2026-02-{day:02}-note.md": f"# Day {day}\n\n- We decided on number {day} because it is.\n"
        for day in range(1, 13)
    }
    make_repo(folder, {**notes, "memory/2026-02-12.md": "# d\n\n## T\n- request: x\n"})
    for name in PLANTED:
        program = folder / name
        program.write_text(f'#!/bin/sh\ntouch "{tmp_path}/PWNED-{name}"\nexec /usr/bin/{name} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
    return folder


@pytest.mark.sampled(2)
@pytest.mark.parametrize("path", [":/usr/bin:/bin", ".:/usr/bin:/bin", "{ws}:/usr/bin:/bin", "{link}:/usr/bin:/bin"])
def test_d22_nothing_that_lies_in_the_workspace_is_executed(
    workspace: Path, tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    (tmp_path / "link").symlink_to(workspace)
    config = own_home / "config" / "memdeck"
    config.mkdir(parents=True)
    (config / "policy.yaml").write_text("qmd: {run: update}\n", encoding="utf-8")
    monkeypatch.setenv("PATH", path.format(ws=workspace, link=tmp_path / "link"))
    monkeypatch.chdir(workspace)
    with Engine.open(workspace, now=NOW, env=os.environ) as console:
        assert console.status.read().git
        console.search.find("number")
        assert console.plans.make("tree").plan is not None
        plan = console.plans.make("compact").plan
        assert plan is not None
        answers = tuple(ConfirmationAnswer(id=question.id, reason="yes") for question in plan.confirmations)
        done = console.plans.apply(plan, msgspec.structs.replace(an_approval(plan), answers=answers))
        assert done.commit, done.problems
        reversal = console.history.reversal()
        approval = msgspec.structs.replace(
            an_approval(plan),
            target=reversal.digest,
            numbers=reversal.numbers,
            risk_tier=reversal.risk_tier,
            nonce="another",
        )
        assert console.history.undo(reversal, approval).commit
        console.maintenance.recover()
        console.maintenance.doctor()
        console.maintenance.check(deep=True)
        console._qmd.close()
        assert "outside the workspace" in console._qmd.problem
    assert sorted(tmp_path.glob("PWNED-*")) == []
