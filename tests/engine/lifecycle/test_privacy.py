"""Private files that git has in clear, or would take so, are told by status, check, doctor and lint (D22)."""

import shutil
from pathlib import Path
from unittest.mock import patch

import pytest

from engine.errors import Refused
from engine.history.crypt_setup import private_in_clear
from engine.services.engine import Engine
from engine.text.document import LOCKED
from engine.workspace.values import Finding, LineSpan
from tests.engine.history.repos import git, hostile, make_repo, write
from tui.present.history.recall_rows import text_lines
from tui.present.spans import plain

NOTE, SECRET = "knowledge/private/door.md", "the code of the door is 1234\n"
LINES = "/knowledge/private/** filter=git-crypt diff=git-crypt\n"
PROGRAM = shutil.which("git-crypt")
needs_git_crypt = pytest.mark.skipif(PROGRAM is None, reason="git-crypt is not installed")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "agent", {"knowledge/a.md": "a\n"}, "-b", "main")


def encrypt(workspace: Path) -> None:
    """The operator sets git-crypt up by hand, as `init --private` would."""
    git(workspace, "crypt", "init")
    for name in ("clean", "smudge"):
        git(workspace, "config", f"filter.git-crypt.{name}", f'"{PROGRAM}" {name}')
    write(workspace, {".gitattributes": LINES})


def committed(workspace: Path, files: dict[str, str]) -> None:
    write(workspace, files)
    git(workspace, "add", "-A")
    git(workspace, "commit", "-q", "-m", "work")


def told(console: Engine) -> dict[str, Finding]:
    console.status.read()
    return {one.id: one for one in console.maintenance.check() if one.id.startswith("private")}


def test_a_workspace_without_private_files_is_told_nothing(workspace: Path) -> None:
    with Engine.open(workspace) as console:
        assert told(console) == {} and console.privacy.alarms() == ()


def test_d22_clear_text_in_history_is_told_everywhere(workspace: Path) -> None:
    """Also when today's version is gone: who has the repository has the old one."""
    committed(workspace, {NOTE: SECRET})
    committed(workspace, {NOTE: SECRET + "and 5678\n"})
    with Engine.open(workspace) as console:
        finding = told(console)["private_in_clear"]
        assert finding.where == NOTE and "2 versions" in finding.what and "today's too" in finding.what
        (alarm,) = [one for one in console.status.read().degraded if one.id == "private"]
        assert NOTE in alarm.what and "memdeck init --private" in alarm.fix
        assert NOTE in {one.path for one in console.maintenance.lint() if one.kind == "private"}
        assert "private_in_clear" in {one.id for one in console.maintenance.doctor()}
        (workspace / NOTE).unlink()
        git(workspace, "commit", "-qam", "gone")
        finding = told(console)["private_in_clear"]
        assert "2 versions" in finding.what and "today" not in finding.what


def test_d22_clear_text_on_another_branch_or_tag_is_told(workspace: Path) -> None:
    git(workspace, "checkout", "-q", "-b", "other")
    committed(workspace, {NOTE: SECRET})
    git(workspace, "checkout", "-q", "main")
    with Engine.open(workspace) as console:
        assert told(console)["private_in_clear"].where == NOTE


def test_a_private_file_that_nothing_encrypts_is_told_before_it_is_committed(workspace: Path) -> None:
    write(workspace, {NOTE: SECRET})
    with Engine.open(workspace) as console:
        finding = told(console)["private_open"]
        assert finding.where == NOTE and finding.fix == "memdeck init --private"
    write(workspace, {".gitattributes": LINES})
    with Engine.open(workspace) as console:
        found_now = told(console)
        assert "private_open" not in found_now
        assert "knows no filter git-crypt" in found_now["private_filter"].what


@needs_git_crypt
def test_d22_a_filter_of_somebody_else_is_told_and_not_run(workspace: Path, tmp_path: Path) -> None:
    encrypt(workspace)
    committed(workspace, {NOTE: SECRET})
    with Engine.open(workspace) as console:
        assert told(console) == {}
        git(workspace, "config", "filter.git-crypt.clean", f"touch {tmp_path}/ran; cat")
        finding = told(console)["private_filter"]
        assert "filter.git-crypt.clean" in finding.what and f"{tmp_path}/ran" in finding.what
        assert "remove-section" in finding.fix
    assert not (tmp_path / "ran").exists()


@needs_git_crypt
def test_what_git_crypt_encrypted_is_no_alarm_and_a_locked_file_no_note(workspace: Path, tmp_path: Path) -> None:
    encrypt(workspace)
    committed(workspace, {NOTE: SECRET})
    git(workspace, "crypt", "export-key", str(tmp_path / "key"))
    git(workspace, "crypt", "lock")
    with Engine.open(workspace) as console:
        status = console.status.read()
        assert told(console) == {} and not [one for one in status.degraded if one.id == "private"]
        assert (NOTE, "locked by git-crypt") in {(one.path, one.reason) for one in status.skipped}
        console.search.index()
        assert NOTE not in {hit.path for hit in console.search.find("door").hits}
    git(workspace, "crypt", "unlock", str(tmp_path / "key"))
    with Engine.open(workspace) as console:
        assert NOTE not in {one.path for one in console.status.read().skipped}


def test_a_file_that_begins_like_git_crypts_is_locked_without_any_git_crypt(workspace: Path) -> None:
    (workspace / "knowledge/private").mkdir(parents=True)
    (workspace / NOTE).write_bytes(LOCKED + b"\x01" * 40)
    write(workspace, {".gitattributes": LINES})
    git(workspace, "add", "-A")
    git(workspace, "commit", "-q", "-m", "locked")
    with Engine.open(workspace) as console:
        assert (NOTE, "locked by git-crypt") in {(one.path, one.reason) for one in console.status.read().skipped}
        assert told(console) == {}
        assert console.plans.make("extract").plan is None
    assert (workspace / NOTE).read_bytes() == LOCKED + b"\x01" * 40


def test_d22_the_look_runs_nothing_of_a_hostile_repository(workspace: Path, tmp_path: Path) -> None:
    committed(workspace, {NOTE: SECRET})
    marks = hostile(workspace, tmp_path / "marks")
    write(workspace, {".gitattributes": LINES + "*.md filter=evil diff=evil\n"})
    with Engine.open(workspace) as console:
        assert "private_in_clear" in told(console)
    assert sorted(marks.iterdir()) == []


def test_the_history_is_read_again_only_where_something_moved(workspace: Path) -> None:
    committed(workspace, {NOTE: SECRET})
    with (
        patch("engine.history.crypt_setup.private_in_clear", wraps=private_in_clear) as look,
        Engine.open(workspace) as console,
    ):
        for _ in range(3):
            console.status.read()
        assert look.call_count == 1
        committed(workspace, {"knowledge/a.md": "b\n"})
        console.status.read()
        assert look.call_count == 2


def test_every_view_of_a_locked_file_says_that_it_is_locked(workspace: Path) -> None:
    """In the console, by command and to the agent: no line of what is no text."""
    (workspace / "knowledge/private").mkdir(parents=True)
    (workspace / NOTE).write_bytes(LOCKED + b"\x01\n" * 40)
    git(workspace, "add", "-A")
    git(workspace, "commit", "-q", "-m", "locked")
    said = ("locked by git-crypt: git-crypt unlock opens it",)
    with Engine.open(workspace) as console:
        assert console.search.note(NOTE) == said
        assert console.plans.source_lines(LineSpan(NOTE, 7, 9)) == said
        past = console.recall.show(NOTE, console.recall.instant("HEAD"))
        assert plain(text_lines(past)[-1]).endswith(said[0])
        assert [line.text for line in console.recall.blame(NOTE).lines] == list(said)


@pytest.mark.parametrize("target", ["HEAD", f"{NOTE}@HEAD"])
def test_d22_a_revert_never_writes_what_git_has_encrypted(workspace: Path, target: str) -> None:
    (workspace / "knowledge/private").mkdir(parents=True)
    (workspace / NOTE).write_bytes(LOCKED + b"\x01\n" * 40)
    git(workspace, "add", "-A")
    git(workspace, "commit", "-q", "-m", "locked")
    (workspace / NOTE).write_text(SECRET)
    head = git(workspace, "rev-parse", "HEAD")
    with Engine.open(workspace) as console, pytest.raises(Refused, match="git has it encrypted"):
        console.revert.plan([target.replace("HEAD", head)])
    assert (workspace / NOTE).read_text() == SECRET
