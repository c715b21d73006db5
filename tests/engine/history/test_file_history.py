"""What was committed is read through GitPython, and nothing stored in the repository runs for it (decision D56)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.history.git import GitFailed
from engine.history.gitpython_reader import MOST_COMMITS, committed_versions, history_reader
from tests.engine.history.repos import found, git, hostile, make_repo, write

PATHS = ("memory/a.md", "memory/with blank.md", "memory/-p.md", "memory/:(glob)*.md", "memory/é\n.md")


def committed(workspace: Path, files: dict[str, str]) -> None:
    write(workspace, files)
    git(workspace, "add", "-A")
    git(workspace, "commit", "-q", "-m", "next")


@pytest.mark.parametrize("options", [(), ("--object-format=sha256",)], ids=["sha1", "sha256"])
@pytest.mark.parametrize("path", PATHS)
def test_the_versions_of_a_file_come_newest_first(tmp_path: Path, path: str, options: tuple[str, ...]) -> None:
    workspace = make_repo(tmp_path / "ws", {path: "one\n"}, *options)
    committed(workspace, {"memory/other.md": "x\n"})
    committed(workspace, {path: "two\r\n"})
    versions = list(committed_versions(found(workspace), path))
    assert [version.data for version in versions] == [b"two\r\n", b"one\n"]
    assert versions[0].commit == found(workspace).head()
    assert list(committed_versions(found(workspace), "memory/none.md")) == []


def test_a_commit_that_removed_the_file_has_no_version_and_only_the_latest_are_looked_at(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "0\n", "b.md": "b\n"})
    for number in range(MOST_COMMITS):
        committed(workspace, {"a.md": f"{number + 1}\n"})
    (workspace / "a.md").unlink()
    committed(workspace, {})
    assert [version.data for version in committed_versions(found(workspace), "a.md")] == [
        f"{number}\n".encode() for number in range(MOST_COMMITS, 1, -1)
    ]


def test_d56_nothing_stored_in_the_repository_is_executed(tmp_path: Path) -> None:
    """Each kind of command that reads history, in a repository in which all that git could execute is armed."""
    workspace = make_repo(tmp_path / "ws", {"memory/a.md": "one\n", "x.bin": "x"})
    marks = hostile(workspace, tmp_path / "marks")
    repository = found(workspace)
    assert [version.data for version in committed_versions(repository, "memory/a.md")] == [b"one\n"]
    assert [version.data for version in committed_versions(repository, "x.bin")] == [b"x"]
    assert history_reader(repository.git).rev_list("HEAD") == f"{repository.head()}\n".encode()
    assert list(marks.iterdir()) == []


def test_d56_no_variable_of_git_and_no_settings_of_the_library_reach_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    other = make_repo(tmp_path / "other", {"a.md": "other\n"})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(tmp_path / "program"))
    assert [version.data for version in committed_versions(found(workspace), "a.md")] == [b"a\n"]


@pytest.mark.parametrize("path", [":", ".:", "{ws}:"])
def test_d22_the_import_of_the_library_starts_no_program(tmp_path: Path, path: str) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    for name in ("git", "ps", "pgrep"):
        program = workspace / name
        program.write_text(f'#!/bin/sh\ntouch "{tmp_path}/PWNED-{name}"\nexec /usr/bin/{name} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
    code = (
        "import os, sys; from pathlib import Path; from engine.history.gitpython_reader import committed_versions\n"
        "from tests.engine.history.repos import found\n"
        "before = dict(os.environ)\n"
        "versions = committed_versions(found(Path(sys.argv[1])), 'a.md')\n"
        "print([version.data for version in versions], os.environ == before)"
    )
    root = str(Path(__file__).resolve().parents[3])
    env = {**os.environ, "PATH": path.format(ws=workspace) + os.environ["PATH"], "PYTHONPATH": root}
    command = [sys.executable, "-c", code, str(workspace)]
    done = subprocess.run(command, cwd=workspace, env=env, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[b'a\\n'] True\n", "")
    assert not list(tmp_path.glob("PWNED-*"))


def test_what_cannot_be_read_is_an_error_of_ours_and_no_shell_is_opened(tmp_path: Path) -> None:
    reader = history_reader(found(make_repo(tmp_path / "ws", {"a.md": "a\n"})).git)
    with pytest.raises(GitFailed, match="bad revision"):
        reader.log("no-such-branch", "--")
    for options in ({"output_stream": None}, {"kill_after_timeout": 1}, {"shell": True}):
        with pytest.raises(ValueError, match="not done"):
            reader.log("HEAD", **options)
    with pytest.raises(ValueError, match="shell command"):
        reader.execute("git log")
