"""`memdeck init --private`: git-crypt is set up by the operator's own program, as a plan (§11 phase 4, D22)."""

import os
import shutil
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Refused
from engine.history.crypt_setup import CryptSettings, crypt_state
from engine.lifecycle.requests import InitRequest
from engine.lifecycle.setup.plan import Encryption
from engine.plans.plan import RiskTier
from engine.plans.planning import PlanOutcome, PlanRequest
from engine.services.engine import Engine
from engine.text.document import LOCKED
from engine.workspace.layout import PRIVATE
from tests.engine.approved import applied
from tests.engine.history.repos import commit, found, git, make_repo, write

PROGRAM = shutil.which("git-crypt") or "/usr/bin/git-crypt"
LINES = [f"/{folder}/** filter=git-crypt diff=git-crypt" for folder in PRIVATE]
NOTE, SECRET = "knowledge/private/door.md", "the code of the door is 1234\n"
needs_git_crypt = pytest.mark.skipif(shutil.which("git-crypt") is None, reason="git-crypt is not installed")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "agent", {"a.md": "a\n"}, "-b", "main")


@pytest.fixture
def policy(own_home: Path) -> Path:
    file = Path(os.environ.get("XDG_CONFIG_HOME", own_home / ".config")) / "memdeck/policy.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def planned(console: Engine) -> PlanOutcome:
    return console.plans.make("init", PlanRequest(InitRequest(private=True)))


def attributes(workspace: Path) -> list[str]:
    return (workspace / ".gitattributes").read_text().splitlines()


@needs_git_crypt
@pytest.mark.parametrize("new", [False, True])
def test_d22_private_folders_are_encrypted_by_the_operators_git_crypt(
    tmp_path: Path, policy: Path, *, new: bool
) -> None:
    workspace = tmp_path / "agent"
    workspace.mkdir() if new else make_repo(workspace, {"a.md": "a\n"}, "-b", "main")
    policy.write_text("git: {filters: {git-crypt: git-crypt clean}}\n")
    with Engine.open(workspace) as console:
        made = planned(console)
        assert made.plan is not None and made.plan.risk_tier is RiskTier.C and PROGRAM in made.report
        assert "until the policy has" not in made.report
        assert not (workspace / ".git/git-crypt").exists(), "a plan changes nothing"
        operation = applied(console, made)
        assert operation.commit and not operation.problems
        assert planned(console).plan is None
    assert attributes(workspace)[-2:] == LINES
    assert git(workspace, "config", "filter.git-crypt.clean") == f'"{PROGRAM}" clean'
    assert crypt_state(found(workspace).git).settings is CryptSettings.OURS
    write(workspace, {NOTE: SECRET})
    git(workspace, "add", "-A")
    git(workspace, "commit", "-q", "-m", "private")
    assert found(workspace).git.run("cat-file", "blob", f"HEAD:{NOTE}").startswith(LOCKED)


@needs_git_crypt
def test_without_the_filter_in_the_policy_the_report_says_what_to_write_there(workspace: Path) -> None:
    with Engine.open(workspace) as console:
        made = planned(console)
        assert f"git: {{filters: {{git-crypt: {PROGRAM} clean}}}}" in made.report
        applied(console, made)
    write(workspace, {NOTE: SECRET})
    report = commit(workspace, NOTE, private=PRIVATE)
    assert report.commit is None and "to be filtered by git-crypt" in report.problems[0]


def test_without_git_crypt_nothing_is_planned_and_it_is_said(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A filter that git does not know lets everything through in clear."""
    place = workspace.parent / "bin"
    place.mkdir()
    (place / "git").symlink_to(shutil.which("git") or "git")
    monkeypatch.setenv("PATH", str(place))
    with Engine.open(workspace) as console:
        made = planned(console)
        assert made.plan is None and made.reason_no_action is not None
        assert "not installed" in made.reason_no_action and "apt install git-crypt" in made.reason_no_action
    assert not (workspace / ".gitattributes").exists()


def test_d22_a_git_crypt_in_the_workspace_is_never_taken(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(workspace, {"git-crypt": f"#!/bin/sh\ntouch {workspace.parent}/ran\n"})
    (workspace / "git-crypt").chmod(stat.S_IRWXU)
    git_folder = Path(shutil.which("git") or "git").parent
    place = workspace.parent / "bin"
    place.mkdir()
    (place / "git").symlink_to(git_folder / "git")
    monkeypatch.setenv("PATH", f"{workspace}:{place}")
    with Engine.open(workspace) as console:
        assert "not installed" in str(planned(console).reason_no_action)
    assert not (workspace.parent / "ran").exists()


@needs_git_crypt
@pytest.mark.parametrize("key", ["clean", "smudge", "process", "required"])
def test_d22_settings_of_somebody_else_stop_it_and_run_nothing(workspace: Path, tmp_path: Path, key: str) -> None:
    """Checked when it is planned and again when it is applied."""
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n", encoding="utf-8")
    program.chmod(stat.S_IRWXU)
    with Engine.open(workspace) as console:
        plan = planned(console).plan
        git(workspace, "config", f"filter.git-crypt.{key}", str(program))
        state = crypt_state(found(workspace).git)
        assert state.settings is CryptSettings.OTHER and str(program) in state.other
        refused = str(planned(console).reason_no_action)
        assert f"filter.git-crypt.{key}" in refused and "remove-section" in refused
        assert plan is not None
        with pytest.raises(Refused, match="name another filter"):
            applied(console, plan)
    assert not (workspace / ".gitattributes").exists() and not (workspace / ".git/git-crypt").exists()
    assert not (tmp_path / "ran").exists()


@needs_git_crypt
def test_a_locked_repository_gets_no_second_key(workspace: Path, tmp_path: Path) -> None:
    with Engine.open(workspace) as console:
        applied(console, planned(console))
        write(workspace, {NOTE: SECRET})
        git(workspace, "add", "-A")
        git(workspace, "commit", "-q", "-m", "private")
        git(workspace, "crypt", "export-key", str(tmp_path / "key"))
        git(workspace, "crypt", "lock")
        (workspace / ".gitattributes").unlink()
        plan = planned(console).plan
        assert plan is not None
        with pytest.raises(Refused, match="is locked"):
            applied(console, plan)
    assert not (workspace / ".git/git-crypt/keys/default").exists() and not (workspace / ".gitattributes").exists()


@pytest.mark.parametrize(
    ("text", "reason"),
    [("git: {private: []}\n", "names no folder"), ("git: {commit: false}\n", "git.commit is off")],
)
def test_what_the_policy_leaves_no_room_for_is_said(tmp_path: Path, policy: Path, text: str, reason: str) -> None:
    if shutil.which("git-crypt") is None and "commit" in text:
        pytest.skip("git-crypt is not installed")
    policy.write_text(text)
    (tmp_path / "agent").mkdir()
    with Engine.open(tmp_path / "agent") as console:
        made = planned(console)
        assert made.plan is None and reason in str(made.reason_no_action)


def an_encryption() -> Encryption:
    return Encryption(PRIVATE, PROGRAM, "", "", named=True)


@pytest.mark.parametrize("before", [b"", b"*.md text\n", b"* filter=git-crypt\n", b"\xff\xfe\n"])
def test_the_lines_come_once(before: bytes) -> None:
    missing = an_encryption().missing(before)
    assert list(missing[1:]) == LINES and missing[0].startswith("#")
    assert an_encryption().missing(before + "\n".join(missing).encode() + b"\n") == ()


@given(st.lists(st.sampled_from([*LINES, "*.md text", "* -filter", "knowledge/** !filter", "# x", ""]), max_size=8))
def test_no_line_about_filters_stands_behind_ours(lines: list[str]) -> None:
    before = "\n".join(lines)
    after = [*lines, *an_encryption().missing(before.encode())]
    last = max((n for n, line in enumerate(after) if "filter" in line and line not in LINES), default=-1)
    assert set(LINES) <= set(after[last + 1 :])


def test_only_a_setting_that_is_not_git_crypts_own_is_named(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs, so that any program of that name does."""
    program = workspace.parent / "bin/git-crypt"
    write(workspace.parent, {"bin/git-crypt": "#!/bin/sh\n"})
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    ours = {"smudge": f'"{program}" smudge', "clean": f'"{program}" clean', "required": "true"}
    for name, value in ours.items():
        git(workspace, "config", f"filter.git-crypt.{name}", value)
    assert crypt_state(found(workspace).git).settings is CryptSettings.OURS
    git(workspace, "config", "filter.git-crypt.required", "false")
    assert crypt_state(found(workspace).git).other == "filter.git-crypt.required = 'false'"
