"""`memdeck share` as a command, and how shared knowledge shows in the status."""

import json
from pathlib import Path

import pytest

from tests.engine.history.repos import git, make_repo, write
from tui.cli.main import main


@pytest.fixture
def place(tmp_path: Path, own_home: Path) -> Path:
    team = make_repo(tmp_path / "team", {"deploy.md": "# Deploy\n\n- never on Fridays \x1b[31m\n"}, "-b", "main")
    file = own_home / "config" / "memdeck" / "policy.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"git: {{shared: {{team: {team}}}}}\n")
    return make_repo(tmp_path / "agent", {"knowledge/people/bo.md": "# Bo\n"}, "-b", "main")


def run(place: Path, *words: str) -> int:
    return main(["-w", str(place), *words])


def test_it_is_listed_planned_and_told(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(place, "share") == 0
    assert "team  not pinned  never fetched" in capsys.readouterr().out
    assert run(place, "share", "add", "team") == 0
    out = capsys.readouterr().out
    assert "queued p-" in out and "team: new → " in out and not (place / "knowledge/shared").exists()
    assert run(place, "--json", "share") == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["name"] == "team" and found["pin"] == "" and len(found["tip"]) == 40
    assert run(place, "share", "remove", "team") == 2
    assert "nothing of this name is shared here" in capsys.readouterr().err


def test_a_fetched_commit_that_is_not_pinned_is_told_by_the_status(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pin = '[submodule "knowledge/shared/team"]\n\tpath = knowledge/shared/team\n\turl = {}\n\tpin = {}\n'
    (place / ".gitmodules").write_text(pin.format(tmp_path / "team", "1" * 40))
    assert run(place, "share", "update") == 0
    capsys.readouterr()
    assert run(place, "--json", "status") == 0
    status = json.loads(capsys.readouterr().out)
    told = {one["id"]: one for one in status["degraded"]}
    assert status["shared"] == ["team"] and "is pinned to 111111111111" in told["share-team"]["what"]
    assert run(place, "status") == 0
    assert "git ✓ · 1 shared" in capsys.readouterr().out
    assert run(place, "share") == 0
    assert "pinned 111111111111" in capsys.readouterr().out


def test_what_it_cannot_do_is_said_with_what_to_do(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(place, "share", "steal") == 2
    assert run(place, "share", "add") == 2
    assert run(place, "share", "add", "other") == 2
    assert "git.shared of your policy" in capsys.readouterr().err


def test_a_folder_for_a_sub_agent(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(place, "share", "sparse", "helper", "--only", "knowledge/people", "--at", str(tmp_path / "sub")) == 0
    assert "1 file of" in capsys.readouterr().out
    assert git(tmp_path / "sub", "ls-files") == "knowledge/people/bo.md"
    write(tmp_path / "sub", {"knowledge/people/bo.md": "# Bo, changed\n"})
    assert run(place, "share", "sparse", "other", "--only", "knowledge/memory") == 3
    assert "it is private" in capsys.readouterr().err
