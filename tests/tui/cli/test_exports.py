"""`memdeck export` as typed: into a folder of the operator's own."""

import json
from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.lifecycle.requests import ImportRequest
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine
from tests.engine.extras.other_tools import WRITERS
from tests.engine.extras.test_imports import put
from tui.cli.main import main
from tui.system.given_path import STARTED_IN, given_path


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "ws/knowledge").mkdir(parents=True)
    WRITERS["claude-code"](tmp_path / "there")
    with Engine.open(tmp_path / "ws") as console:
        request = PlanRequest(ImportRequest("claude-code", str(tmp_path / "there")))
        put(tmp_path / "ws", console.plans.make("import", request).plan)
    return tmp_path / "ws"


def test_it_says_what_was_written_where(workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    back = tmp_path / "back"
    assert main(["-w", str(workspace), "export", "claude-code", str(back)]) == 0
    assert f"1 file, 2.4 KiB, written into {back}" in capsys.readouterr().out
    name = "-home-user/s-1.jsonl"
    assert (back / name).read_bytes() == (tmp_path / "there" / name).read_bytes()
    assert main(["-w", str(workspace), "export", "claude-code", str(back), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["written"], told["same"], told["folder"]) == (0, 1, str(back))


def test_other_files_there_are_a_conflict(workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "back/-home-user/s-1.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("mine", encoding="utf-8")
    assert main(["-w", str(workspace), "export", "claude-code", str(tmp_path / "back")]) == 4
    assert "something else is there already: -home-user/s-1.jsonl" in capsys.readouterr().err
    assert file.read_text("utf-8") == "mine"


def test_the_list_names_what_was_imported_and_from_where(
    workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["-w", str(workspace), "export", "--list"]) == 0
    assert str(tmp_path / "there") in capsys.readouterr().out
    assert main(["-w", str(workspace), "export", "--list", "--json"]) == 0
    (place,) = json.loads(capsys.readouterr().out)
    assert (place["kind"], place["place"], place["files"]) == ("claude-code", str(tmp_path / "there"), 1)


@pytest.mark.parametrize(
    ("words", "code"), [(["dance", "x"], 2), ([], 2), (["codex", "../back"], 2), (["claude-code", "."], 3)]
)
def test_what_cannot_be_exported_is_said(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], code: int
) -> None:
    monkeypatch.chdir(workspace)
    assert main(["-w", str(workspace), "export", *words]) == code


def test_a_relative_path_in_the_console_stands_for_the_folder_it_was_started_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    monkeypatch.setenv(STARTED_IN, str(tmp_path))
    assert given_path("../sessions") == tmp_path / "../sessions"
    assert given_path("/elsewhere") == Path("/elsewhere")
    monkeypatch.delenv(STARTED_IN)
    with pytest.raises(UsageError, match="a name alone"):
        given_path("sessions")
