"""Pushing: off by default, to the remote of the policy alone, and nothing of the repository's settings counts (D22)."""

import json
from pathlib import Path

import pytest

from engine.errors import PolicyError
from engine.history.push import remote_problem
from engine.history.tags import TagKind
from engine.plans.policy.file import parse_policy
from engine.plans.policy.values import Policy
from engine.services.engine import Engine
from tests.engine.history.repos import git, hostile, make_repo, write


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "--bare", "remote.git")
    return tmp_path / "remote.git"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "agent", {"knowledge/a.md": "one\n"}, "-b", "main")


def policy(own_home: Path, text: str) -> None:
    file = own_home / "config" / "memdeck" / "policy.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def pushed(console: Engine) -> list[str]:
    steps = console.schedule.run("commits").steps
    return [step.told for step in steps if step.system == "push"]


def test_d22_push_is_off_and_needs_a_remote_and_a_branch_by_name(workspace: Path, remote: Path, own_home: Path) -> None:
    assert Policy().git.push is False
    git(workspace, "remote", "add", "origin", str(remote))
    with Engine.open(workspace) as console:
        assert pushed(console) == [] and console.repository.push() == ""
    assert git(remote, "for-each-ref") == ""
    for text in ("push: true", f"push: true, remote: {remote}", "push: true, branch: main"):
        with pytest.raises(PolicyError, match="must be named where"):
            parse_policy(f"git: {{{text}}}\n", "policy.yaml")


def test_the_branch_and_the_tags_of_memory_are_pushed(workspace: Path, remote: Path, own_home: Path) -> None:
    policy(own_home, f"git: {{push: true, remote: {remote}, branch: main}}\n")
    git(workspace, "tag", "other")
    git(workspace, "branch", "explore/x")
    with Engine.open(workspace) as console:
        console.repository.tag(TagKind.MILESTONE, "one")
        (told,) = pushed(console)
        assert told.startswith(f"push: {remote} has main at") and told.endswith("and 1 tags")
        assert console.schedule.commit_due() == ()  # half an hour is not over
    refs = git(remote, "for-each-ref", "--format=%(refname)").split()
    assert refs == ["refs/heads/main", "refs/tags/memory/milestone/one"]
    assert git(remote, "rev-parse", "main") == git(workspace, "rev-parse", "main")
    assert not list((workspace / ".git").rglob("remotes"))


def test_nothing_is_forced_and_the_refusal_is_told(
    workspace: Path, remote: Path, own_home: Path, tmp_path: Path
) -> None:
    other = make_repo(tmp_path / "other", {"b.md": "theirs\n"}, "-b", "main")
    git(other, "push", "-q", str(remote), "main")
    theirs = git(remote, "rev-parse", "main")
    policy(own_home, f"git: {{push: true, remote: {remote}, branch: main}}\n")
    with Engine.open(workspace) as console:
        (told,) = pushed(console)
        assert "rejected" in told
    assert git(remote, "rev-parse", "main") == theirs


@pytest.mark.parametrize(
    "address",
    [
        "ext::sh -c touch% PWNED",
        "ext::/bin/sh",
        "http://example.org/x.git",
        "git://example.org/x.git",
        "ftp://example.org/x",
        "fd::17",
        "--upload-pack=touch PWNED",
        "-oProxyCommand=touch PWNED",
        "ssh://-oProxyCommand=x/y",
        "relative/path",
        "origin",
        "https://ana:secret@example.org/x.git",
        "file://host/x",
        "/x\n",
        " /x",
        "https:///x",
        "transport::/x",
    ],
)
def test_only_named_protocols_are_spoken(address: str) -> None:
    assert remote_problem(address)
    with pytest.raises(PolicyError):
        parse_policy(f"git: {{push: true, branch: main, remote: {json.dumps(address)}}}\n", "policy.yaml")


@pytest.mark.parametrize(
    "address",
    ["https://example.org/x.git", "ssh://git@example.org:22/x", "git@example.org:me/x.git", "/srv/x.git", "file:///x"],
)
def test_addresses_that_may_be(address: str) -> None:
    assert remote_problem(address) == ""


def test_a_remote_inside_the_workspace_is_the_agents_and_refused(
    workspace: Path, own_home: Path, tmp_path: Path
) -> None:
    git(workspace, "init", "-q", "--bare", "mine.git")
    (tmp_path / "link").symlink_to(workspace / "mine.git")
    for place in (workspace / "mine.git", tmp_path / "link", workspace):
        policy(own_home, f"git: {{push: true, remote: {place}, branch: main}}\n")
        with Engine.open(workspace) as console:
            assert "lies in the workspace" in pushed(console)[0]


def test_d22_a_hostile_repository_runs_nothing_and_leads_nowhere_else(
    workspace: Path, remote: Path, own_home: Path, tmp_path: Path
) -> None:
    git(tmp_path, "init", "-q", "--bare", "thief.git")
    marks = hostile(workspace, tmp_path / "marks")
    write(
        workspace,
        {
            ".gitmodules": '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch PWNED"\n',
            ".git/objects/info/alternates": f"{tmp_path}/thief.git/objects\n",
        },
    )
    with (workspace / ".git/config").open("a") as config:
        config.write(f'[url "{tmp_path}/thief.git"]\n\tinsteadOf = {remote}\n\tpushInsteadOf = {remote}\n')
        config.write(f'[url "ext::{tmp_path}/program ext"]\n\tpushInsteadOf = {tmp_path}\n')
        config.write(f'[remote "{remote}"]\n\turl = ext::{tmp_path}/program x\n\treceivepack = {tmp_path}/program rp\n')
        config.write("[push]\n\trecurseSubmodules = on-demand\n\tgpgSign = true\n\tfollowTags = true\n")
    policy(own_home, f"git: {{push: true, remote: {remote}, branch: main}}\n")
    with Engine.open(workspace) as console:
        (told,) = pushed(console)
        assert told.startswith("push: ") and "has main" in told
    assert sorted(marks.iterdir()) == []
    assert git(tmp_path / "thief.git", "for-each-ref") == ""
    assert git(remote, "for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_the_workspaces_own_file_sets_nothing_of_it(workspace: Path, remote: Path) -> None:
    write(workspace, {"memory-config.yaml": f"git: {{push: true, remote: {remote}, branch: main, auto_push: true}}\n"})
    with Engine.open(workspace) as console:
        assert pushed(console) == []
        told = " ".join(f.what for f in console._opened.settings.safety_findings())
        assert "git.remote" in told and "git.push" in told
    assert git(remote, "for-each-ref") == ""


def test_a_head_that_the_agent_moved_elsewhere_changes_nothing(workspace: Path, remote: Path, own_home: Path) -> None:
    policy(own_home, f"git: {{push: true, remote: {remote}, branch: main}}\n")
    git(workspace, "checkout", "-qb", "secret")
    write(workspace, {"knowledge/a.md": "two\n"})
    git(workspace, "commit", "-qam", "two")
    with Engine.open(workspace) as console:
        assert "has main" in pushed(console)[0]
    assert (
        git(remote, "rev-parse", "main") == git(workspace, "rev-parse", "main") != git(workspace, "rev-parse", "HEAD")
    )
