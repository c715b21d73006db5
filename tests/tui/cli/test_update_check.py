"""`update-check` is off by default, and asks by pip alone; no test asks any index."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from engine import __version__
from tests.tui.cli.conftest import Run
from tui.cli import update_check


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that would have been run; each gets the answer that the index has version 99.0.1."""
    commands: list[list[str]] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        return subprocess.CompletedProcess(command, 0, "memdeck (99.0.1)\nAvailable versions: 99.0.1, 0.9\n", "")

    monkeypatch.setattr("tui.cli.update_check.subprocess.run", run)
    return commands


@pytest.fixture
def allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config/memdeck").mkdir(parents=True)
    (tmp_path / "config/memdeck/console.yaml").write_text("update_check: on\n")
    monkeypatch.chdir(tmp_path)


def test_it_is_off_by_default(
    run: Run, asked: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    refused = run("update-check")
    assert refused.code == 3 and "update_check: on" in refused.err and asked == []


@pytest.mark.usefixtures("allowed")
def test_it_writes_nothing(run: Run, asked: list[list[str]], tmp_path: Path) -> None:
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    assert run("update-check").code == 0 and len(asked) == 1
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before


@pytest.mark.usefixtures("allowed")
def test_it_names_what_is_newer_and_how_it_is_had(run: Run, asked: list[list[str]]) -> None:
    assert json.loads(run("update-check", "--json").out) == {
        "installed": __version__,
        "newest": "99.0.1",
        "newer": True,
    }
    assert "pipx upgrade memdeck" in run("update-check").out
    assert all(command[1:6] == ["-I", "-m", "pip", "index", "versions"] for command in asked)


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize(
    ("answer", "code", "words"),
    [
        (f"memdeck ({__version__})\n", 0, "is the newest"),
        ("memdeck (0.0.9)\n", 0, "is the newest"),
        ("memdeck (1.0rc1\x1b[2J)\n", 1, "names no version"),
    ],
)
def test_other_answers(run: Run, monkeypatch: pytest.MonkeyPatch, answer: str, code: int, words: str) -> None:
    monkeypatch.setattr(update_check, "answer_of_index", lambda: answer)
    ran = run("update-check")
    assert ran.code == code and words in ran.out + ran.err


@pytest.mark.usefixtures("allowed")
def test_an_index_that_is_silent_or_says_no_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        raise subprocess.TimeoutExpired(command, 30)

    def wrong(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        raise subprocess.CalledProcessError(1, command, "", "WARNING: x\nERROR: no such host\n")

    for stub, words in ((late, "no answer in 30 s"), (wrong, "no such host")):
        monkeypatch.setattr("tui.cli.update_check.subprocess.run", stub)
        ran = run("update-check")
        assert ran.code == 1 and words in ran.err
