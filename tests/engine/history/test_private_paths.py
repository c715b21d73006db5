"""Files of private folders are committed encrypted or not at all, whatever the repository says (decision D22)."""

import shutil
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.history.crypt_setup import is_crypt, is_encrypted
from engine.text.document import LOCKED
from engine.workspace.layout import PRIVATE, lies_in
from tests.engine.history.repos import commit, found, git, make_repo, write

ATTRIBUTES = "knowledge/private/** filter=git-crypt diff=git-crypt\n"
SECRET = "the code of the door is 1234\n"
NOTE = "knowledge/private/door.md"
needs_git_crypt = pytest.mark.skipif(shutil.which("git-crypt") is None, reason="git-crypt is not installed")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "agent", {"a.md": "a\n"}, "-b", "main")


def in_clear(workspace: Path) -> bool:
    """Whether any object of the repository holds the secret."""
    names = git(workspace, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").splitlines()
    return any(SECRET.encode() in found(workspace).git.run("cat-file", "-p", name) for name in names)


@pytest.mark.parametrize("attributes", ["", "*.md -filter\n", "*.md !filter\n", "*.md filter\n", "*.md text\n"])
def test_d22_a_private_file_without_a_filter_is_left_out(workspace: Path, attributes: str) -> None:
    """Whoever takes the line out of `.gitattributes`, everywhere, does not get the next version in clear."""
    write(workspace, {".gitattributes": attributes, NOTE: SECRET, "b.md": "b\n"})
    report = commit(workspace, NOTE, "b.md", private=PRIVATE, filters={"git-crypt": "cat", "": "cat"})
    assert report.commit and f"{NOTE}" in report.problems[0] and "no filter that encrypts it" in report.problems[0]
    assert git(workspace, "ls-tree", "-r", "--name-only", "HEAD").splitlines() == ["a.md", "b.md"]
    assert not in_clear(workspace)


@pytest.mark.parametrize(("driver", "command"), [("git-crypt", "cat"), ("git-crypt-work", "cat"), ("age", "cat")])
def test_d22_a_filter_that_encrypts_nothing_leaves_the_file_out(workspace: Path, driver: str, command: str) -> None:
    write(workspace, {".gitattributes": f"knowledge/private/** filter={driver}\n", NOTE: SECRET})
    report = commit(workspace, NOTE, private=PRIVATE, filters={driver: command})
    assert report.commit is None and "gave it back in clear" in report.problems[0]
    assert not in_clear(workspace)


def test_d22_a_filter_of_the_repository_never_runs(workspace: Path, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n", encoding="utf-8")
    program.chmod(stat.S_IRWXU)
    for key in ("clean", "smudge", "process"):
        git(workspace, "config", f"filter.git-crypt.{key}", str(program))
    git(workspace, "config", "diff.git-crypt.textconv", str(program))
    write(workspace, {".gitattributes": ATTRIBUTES, NOTE: SECRET})
    assert commit(workspace, NOTE, private=PRIVATE).commit is None
    assert not (tmp_path / "ran").exists() and not in_clear(workspace)


def test_d22_a_locked_file_is_committed_as_it_is(workspace: Path) -> None:
    """Encrypted twice it could never be read again."""
    write(workspace, {".gitattributes": ATTRIBUTES})
    (workspace / "knowledge/private").mkdir(parents=True)
    locked = LOCKED + bytes(range(64))
    (workspace / NOTE).write_bytes(locked)
    report = commit(workspace, NOTE, private=PRIVATE, filters={"git-crypt": "false"})
    assert report.commit and not report.problems
    assert found(workspace).git.run("cat-file", "blob", f"HEAD:{NOTE}") == locked


@needs_git_crypt
def test_git_crypt_itself_encrypts_what_we_commit_and_opens_it_again(workspace: Path, tmp_path: Path) -> None:
    git(workspace, "crypt", "init")
    write(workspace, {".gitattributes": ATTRIBUTES, NOTE: SECRET})
    report = commit(workspace, ".gitattributes", NOTE, private=PRIVATE, filters={"git-crypt": "git-crypt clean"})
    assert report.commit and not report.problems and not in_clear(workspace)
    assert found(workspace).git.run("cat-file", "blob", f"HEAD:{NOTE}").startswith(LOCKED)
    assert git(workspace, "status", "--porcelain") == ""
    git(workspace, "crypt", "export-key", str(tmp_path / "key"))
    git(workspace, "crypt", "lock")
    assert (workspace / NOTE).read_bytes().startswith(LOCKED)
    git(workspace, "crypt", "unlock", str(tmp_path / "key"))
    assert (workspace / NOTE).read_text() == SECRET


@pytest.mark.parametrize(
    "path", ["knowledge/private", "knowledge/private/x", "Knowledge/PRIVATE/x", "archive/private/x"]
)
def test_what_lies_in_a_private_folder(path: str) -> None:
    assert lies_in(path, PRIVATE)


@pytest.mark.parametrize("path", ["knowledge/privatex", "knowledge", "x/knowledge/private/y", "archive/x"])
def test_what_does_not(path: str) -> None:
    assert not lies_in(path, PRIVATE)


@given(st.binary(max_size=40), st.sampled_from(["", "lfs", "git-crypt", "git-crypt-work", "git-crypted"]))
def test_only_bytes_of_git_crypt_count_as_encrypted(data: bytes, driver: str) -> None:
    assert is_encrypted(data, driver) == (data.startswith(LOCKED) and driver in ("", "git-crypt", "git-crypt-work"))
    assert is_encrypted(LOCKED + data, driver) == (not driver or is_crypt(driver))
