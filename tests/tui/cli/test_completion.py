"""The completion of a shell is installed where that shell looks, and offers what memdeck takes."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.tui.cli.conftest import Run
from tui.cli.completion import PLACES
from tui.cli.main import main
from tui.registry.commands import COMMANDS


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


@pytest.mark.parametrize("shell", PLACES)
def test_a_script_is_written_and_written_again(run: Run, home: Path, shell: str) -> None:
    done, again = (json.loads(run("--install-completion", shell, "--json").out) for _ in range(2))
    assert done == again
    written = [file for file in home.rglob("*") if file.is_file()]
    assert [str(file) for file in written] == [done["file"]]
    assert f"_MEMDECK_COMPLETE={shell}_complete" in written[0].read_text("utf-8")
    program = shutil.which(shell)
    if program:
        assert subprocess.run([program, "-n", str(written[0])], check=False).returncode == 0


def test_the_shell_is_that_of_the_environment(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/usr/bin/zsh")
    assert "fpath=(" in run("--install-completion").out
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    refused = run("--install-completion")
    assert refused.code == 2 and "bash, zsh, fish" in refused.err


def test_what_is_not_ours_stays_and_read_only_writes_nothing(run: Run, home: Path) -> None:
    there = home / "config/fish/completions/memdeck.fish"
    assert run("--read-only", "--install-completion", "fish").code == 3 and not there.exists()
    there.parent.mkdir(parents=True)
    there.write_text("complete -c memdeck\n")
    assert run("--install-completion", "fish").code == 3
    assert there.read_text() == "complete -c memdeck\n"


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("memdeck ", set(COMMANDS) - {"open"}),
        ("memdeck qu", {"queue"}),
        ("memdeck plan conde", {"condense"}),
        ("memdeck queue --sn", {"--snooze"}),
        ("memdeck recall w", {"when"}),
        ("memdeck nosuch x", set()),
    ],
)
def test_a_shell_is_offered_commands_systems_and_options(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: str, offered: set[str]
) -> None:
    assert {line.partition(",")[2] for line in asked(capsys, monkeypatch, words)} == offered


@pytest.mark.parametrize(
    ("words", "kind"), [("memdeck ./x", "dir"), ("memdeck -w x", "dir"), ("memdeck --policy x", "file")]
)
def test_folders_and_files_are_left_to_the_shell(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: str, kind: str
) -> None:
    assert [line.partition(",")[0] for line in asked(capsys, monkeypatch, words)] == [kind]


def asked(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: str) -> list[str]:
    """What click answers to the script of bash, with the cursor at the end of `words`."""
    for name, value in {"_MEMDECK_COMPLETE": "bash_complete", "COMP_WORDS": words}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out.split()
