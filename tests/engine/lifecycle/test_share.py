"""Shared knowledge: fetched, read as a plan, pinned as a submodule, undone; nothing of it runs (§11, phase 4)."""

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.errors import MemdeckError, Refused, UsageError
from engine.history.push import remote_problem
from engine.lifecycle.requests import ArchiveRequest, ShareRequest
from engine.plans.plan import Create, Plan, RiskTier
from engine.plans.planning import PlanRequest
from engine.plans.trust_label import Trust
from engine.services.engine import Engine
from tests.engine.history.repos import git, hostile, make_repo, write
from tests.engine.lifecycle.applying import approve
from tests.engine.tree.test_idle import approved

NOW = datetime(2026, 3, 15, 9, 0, tzinfo=UTC)
TEAM = "knowledge/shared/team"
NOTES = {"deploy.md": "# Deploy\n\n- on Fridays never\n", "people/ana.md": "# Ana\n"}
OTHER = {"run.sh": "#!/bin/sh\n", ".gitattributes": "*.md filter=evil\n", ".hidden/x.md": "x\n", "data.md": "a\0b"}


@pytest.fixture
def team(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "team", {**NOTES, **OTHER}, "-b", "main")


@pytest.fixture
def workspace(tmp_path: Path, team: Path, own_home: Path) -> Path:
    policy(own_home, f"git: {{shared: {{team: {team}}}}}\n")
    return make_repo(tmp_path / "agent", {"knowledge/people/bo.md": "# Bo\n"}, "-b", "main")


def policy(own_home: Path, text: str) -> None:
    file = own_home / "config" / "memdeck" / "policy.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def opened(workspace: Path) -> Engine:
    return Engine.open(workspace, clock=lambda: NOW)


def planned(console: Engine, system: str = "share", *take: str) -> Plan:
    if system == "share":
        console.shares.fetch(take)
    plan = console.plans.make(system, PlanRequest(ShareRequest(take=take))).plan
    assert plan is not None
    return plan


def link(workspace: Path) -> str:
    """The submodule that is committed, as mode and commit."""
    return " ".join(git(workspace, "ls-tree", "HEAD", TEAM).split()[:3:2])


def test_shared_knowledge_comes_in_as_a_plan_and_is_pinned_as_a_submodule(workspace: Path, team: Path) -> None:
    tip = git(team, "rev-parse", "HEAD")
    with opened(workspace) as console:
        plan = planned(console)
        assert not (workspace / TEAM).exists() and not (workspace / ".gitmodules").exists()
        assert [(type(one), one.path, one.risk_tier) for one in plan.changes] == [
            (Create, ".gitmodules", RiskTier.C),
            (Create, f"{TEAM}/deploy.md", RiskTier.B),
            (Create, f"{TEAM}/people/ana.md", RiskTier.B),
        ]
        assert all(getattr(one.trust, "trust", None) is Trust.UNTRUSTED for one in plan.changes[1:])
        assert "4 other files do not come in" in plan.report
        operation = approve(console, plan)
        (status,) = console.shares.all()
        assert (status.pin, status.tip, status.notes, status.changed, status.problem) == (tip, tip, 2, (), "")
        assert console.plans.make("share").plan is None
    assert operation.commit and not operation.problems
    assert link(workspace) == f"160000 {tip}"
    assert git(workspace, "status", "--porcelain") == ""
    assert (workspace / TEAM / "deploy.md").read_text() == NOTES["deploy.md"]
    assert sorted(path.name for path in (workspace / TEAM).rglob("*")) == ["ana.md", "deploy.md", "people"]


def test_a_clone_with_submodules_has_the_same_notes(workspace: Path, tmp_path: Path) -> None:
    with opened(workspace) as console:
        approve(console, planned(console))
    options = ("-c", "protocol.file.allow=always")
    git(tmp_path, *options, "clone", "-q", "--recurse-submodules", str(workspace), "clone")
    assert (tmp_path / "clone" / TEAM / "deploy.md").read_text() == NOTES["deploy.md"]


def test_an_update_shows_the_diff_and_keeps_what_was_changed_here_for_undo(workspace: Path, team: Path) -> None:
    first = git(team, "rev-parse", "HEAD")
    with opened(workspace) as console:
        approve(console, planned(console))
        write(team, {"deploy.md": "# Deploy\n\n- on Mondays\n", "new.md": "# New\n"})
        git(team, "rm", "-q", "people/ana.md")
        git(team, "add", "-A")
        git(team, "commit", "-q", "-m", "second")
        second = git(team, "rev-parse", "HEAD")
        (workspace / TEAM / "deploy.md").write_text("mine\n")
        (workspace / TEAM / "own.md").write_text("# My own\n")
        (status,) = console.shares.fetch()
        assert status.is_behind and status.changed == ("deploy.md", "own.md")
        assert [one.id for one in console.shares.alarms()] == ["share-team"]
        plan = planned(console)
        assert {one.path: f"{type(one).__name__} {one.risk_tier}" for one in plan.changes} == {
            ".gitmodules": "Replace B",
            f"{TEAM}/deploy.md": "Replace C",
            f"{TEAM}/new.md": "Create B",
            f"{TEAM}/people/ana.md": "Move B",
        }
        assert f"team: {first[:12]} → {second[:12]}" in plan.report
        approve(console, plan)
        assert link(workspace) == f"160000 {second}"
        assert (workspace / "archive/shared/team/people/ana.md").is_file()
        assert (workspace / TEAM / "own.md").read_text() == "# My own\n"


def test_undo_takes_notes_pin_and_submodule_back(workspace: Path) -> None:
    with opened(workspace) as console:
        approve(console, planned(console))
        back = console.history.reversal()
        undone = console.history.undo(back, approved(back, back.numbers, NOW))
        assert not undone.problems
    assert link(workspace) == "" and not (workspace / TEAM).exists() and not (workspace / ".gitmodules").exists()
    assert git(workspace, "status", "--porcelain") == ""


def test_what_is_taken_out_goes_to_the_archive_and_the_submodule_goes(workspace: Path) -> None:
    with opened(workspace) as console:
        approve(console, planned(console))
        operation = approve(console, planned(console, "unshare", "team"))
        assert not operation.problems
        with pytest.raises(UsageError, match="nothing of this name"):
            console.plans.make("unshare", PlanRequest(ShareRequest(take=("team",))))
    assert link(workspace) == "" and (workspace / "archive/shared/team/deploy.md").is_file()
    assert "team" not in (workspace / ".gitmodules").read_text()
    assert git(workspace, "status", "--porcelain") == ""


def test_shared_notes_are_archived_by_no_other_plan_and_committed_as_no_ones_files(
    workspace: Path, own_home: Path
) -> None:
    with opened(workspace) as console:
        approve(console, planned(console))
        with pytest.raises(UsageError, match="never archived: shared knowledge"):
            console.plans.make("archive", PlanRequest(ArchiveRequest(take=(f"{TEAM}/deploy.md",))))
        before = git(workspace, "rev-parse", "HEAD")
        (workspace / TEAM / "deploy.md").write_text("mine\n")
        made = console.repository.commit_others()
        assert (made.commits, made.problems) == ((), ())
    assert git(workspace, "rev-parse", "HEAD") == before


def test_what_the_agent_writes_into_gitmodules_is_never_asked(workspace: Path, team: Path, tmp_path: Path) -> None:
    """Address and path come from the policy and the name; what else stands there is kept, and does nothing."""
    marks = tmp_path / "marks"
    marks.mkdir()
    run = f"ext::sh -c touch% {marks}/ran"
    evil = f'[submodule "knowledge/shared/evil"]\n\tpath = knowledge/shared/evil\n\turl = {run}\n\tpin = {"0" * 40}\n'
    evil += f'[submodule "../../x"]\n\tpath = .git/hooks\n\turl = {run}\n\tupdate = !touch {marks}/update\n'
    (workspace / ".gitmodules").write_text(evil)
    with opened(workspace) as console:
        assert [one.name for one in console.shares.all()] == ["evil", "team"]
        assert "is never fetched" in console.shares.all()[0].problem
        with pytest.raises(UsageError, match="policy shares nothing"):
            console.shares.fetch(["evil"])
        approve(console, planned(console))
        text = (workspace / ".gitmodules").read_text()
        assert text.startswith(evil)
        (workspace / ".gitmodules").write_text(text.replace(str(team), run))
        assert "names another address" in console.shares.all()[1].problem
        console.shares.fetch()
    assert list(marks.iterdir()) == [] and git(workspace, "ls-tree", "HEAD", "knowledge/shared/evil") == ""


def test_d22_nothing_of_a_hostile_workspace_or_source_is_executed(
    workspace: Path, team: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor a program that lies in the workspace, though git works in folders beside it here."""
    marks = hostile(workspace, tmp_path / "marks")
    planted = workspace / "git"
    planted.write_text(f'#!/bin/sh\ntouch "{marks}/planted"\nexec /usr/bin/git "$@"\n', encoding="utf-8")
    planted.chmod(0o755)
    hostile(team, tmp_path / "marks")
    git(team, "config", "--unset-all", "extensions.partialClone", may_fail=True)
    monkeypatch.setenv("PATH", f"{workspace}:{os.environ['PATH']}")
    with opened(workspace) as console:
        approve(console, planned(console))
        console.shares.all()
        console.shares.sparse("sub", ["knowledge"], tmp_path / "sub")
    assert sorted(path.name for path in marks.iterdir()) == []
    assert sorted(path.name for path in (tmp_path / "sub/.git").iterdir() if path.name == "hooks") == []


def test_hooks_of_the_workspace_and_of_the_source_are_not_executed(workspace: Path, team: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    for place in (workspace, team):
        for name in (
            "post-checkout",
            "post-merge",
            "reference-transaction",
            "post-index-change",
            "pre-commit",
            "update",
        ):
            hook = place / ".git/hooks" / name
            hook.parent.mkdir(exist_ok=True)
            hook.write_text(f'#!/bin/sh\ntouch "{mark}"\n')
            hook.chmod(0o755)
    with opened(workspace) as console:
        approve(console, planned(console))
        approve(console, planned(console, "unshare", "team"))
    assert not mark.exists()


def test_filters_that_a_source_or_the_workspace_names_are_not_executed(workspace: Path, tmp_path: Path) -> None:
    """`.gitattributes` of the source asks for the filter, settings of the workspace give it a command."""
    mark = tmp_path / "ran"
    write(workspace, {"knowledge/.gitattributes": "*.md filter=evil\n"})
    for key in ("clean", "smudge", "process"):
        git(workspace, "config", f"filter.evil.{key}", f"touch {mark}")
    with opened(workspace) as console:
        approve(console, planned(console))
        with pytest.raises(UsageError, match="nothing but private files"):
            console.shares.sparse("helper", ["knowledge/people"], tmp_path / "sub")
    assert not mark.exists() and (workspace / TEAM / "deploy.md").read_text() == NOTES["deploy.md"]


def test_gitmodules_of_a_source_starts_nothing(workspace: Path, team: Path, tmp_path: Path) -> None:
    """Git refuses such a tree as it is fetched, before anything of it is read."""
    mark = tmp_path / "ran"
    evil = f'[submodule "../../x"]\n\tpath = -x\n\turl = ext::sh -c touch% {mark}\n\tupdate = !touch {mark}\n'
    write(team, {".gitmodules": evil})
    git(team, "add", "-A")
    git(team, "commit", "-q", "-m", "evil")
    with opened(workspace) as console, pytest.raises(MemdeckError, match=r"fsck|gitmodules"):
        console.shares.fetch()
    assert not mark.exists() and not (workspace / TEAM).exists()


@pytest.mark.parametrize(
    "address", ["ext::sh -c id", "http://example.org/x.git", "../team", "-u/x", "git://h/x", "fd::1"]
)
def test_only_https_ssh_and_named_folders_are_asked(address: str) -> None:
    assert remote_problem(address)


def test_a_source_in_the_workspace_is_refused(workspace: Path, own_home: Path) -> None:
    policy(own_home, f"git: {{shared: {{team: {workspace}/inner.git}}}}\n")
    git(workspace, "init", "-q", "--bare", "inner.git")
    with opened(workspace) as console, pytest.raises(Refused, match="lies in the workspace"):
        console.shares.fetch()


def test_names_that_lead_elsewhere_do_not_come_in(workspace: Path, team: Path) -> None:
    """A tree can hold any name: links, folders of git, and ways up are left where they are."""
    blob = git(team, "hash-object", "-w", "--stdin", stdin=b"# Evil\n")
    (team / "link.md").symlink_to("/etc/passwd")
    git(team, "add", "-A")
    rows = f"100644 blob {blob}\tbad\\name.md\n160000 commit {'1' * 40}\tinner\n"
    tree = git(
        team, "mktree", "--missing", stdin=(rows + git(team, "ls-tree", git(team, "write-tree")) + "\n").encode()
    )
    git(team, "update-ref", "refs/heads/main", git(team, "commit-tree", tree, "-m", "evil"))
    with opened(workspace) as console:
        plan = planned(console)
    assert [one.path for one in plan.changes[1:]] == [f"{TEAM}/deploy.md", f"{TEAM}/people/ana.md"]


def test_a_folder_that_has_notes_is_not_taken(workspace: Path) -> None:
    write(workspace, {f"{TEAM}/mine.md": "# Mine\n"})
    with opened(workspace) as console, pytest.raises(Refused, match="there are notes already"):
        planned(console)


def test_a_fetch_that_fails_says_why_and_changes_nothing(workspace: Path, own_home: Path, tmp_path: Path) -> None:
    policy(own_home, f"git: {{shared: {{team: {tmp_path}/nowhere.git}}}}\n")
    with opened(workspace) as console:
        with pytest.raises(MemdeckError, match="nowhere"):
            console.shares.fetch()
        assert console.plans.make("share").plan is None
    assert git(workspace, "status", "--porcelain") == ""


# ── folders for sub-agents ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def private(tmp_path: Path) -> Path:
    files = {
        "knowledge/projects/x/a.md": "# A\n",
        "knowledge/projects/x/deep/b.md": "# B\n",
        "knowledge/memory/MEMORY.md": "secret core\n",
        "knowledge/private/diary.md": "secret diary\n",
        "raw/conversations/2026/03/01/t.md": "secret talk\n",
        "vault/x.md": "secret vault\n",
        "topics/t.md": "# T\n",
        "MEMORY.md": "secret top\n",
        ".gitattributes": "vault/** filter=git-crypt\n",
    }
    return make_repo(tmp_path / "agent", files, "-b", "main")


def test_a_sub_agent_gets_the_named_folders_and_nothing_of_the_others(private: Path, tmp_path: Path) -> None:
    with opened(private) as console:
        made = console.shares.sparse("helper", ["knowledge/projects/x", "topics"])
    folder = Path(made.folder)
    assert folder == tmp_path / "agent-agents" / "helper" and made.files == 3
    there = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.md"))
    assert there == ["knowledge/projects/x/a.md", "knowledge/projects/x/deep/b.md", "topics/t.md"]
    assert git(folder, "sparse-checkout", "list").split() == ["knowledge/projects/x", "topics"]
    assert git(folder, "status", "--porcelain") == "" and "missing" not in git(folder, "fsck", "--full")
    held = subprocess.run(
        "git cat-file --batch-all-objects --batch", shell=True, cwd=folder, capture_output=True, check=True
    ).stdout
    assert b"secret" not in held and b"memory" not in held and b"raw" not in held and b"diary" not in held
    write(folder, {"topics/t.md": "# T, changed\n"})
    git(folder, "commit", "-qam", "second")
    assert git(private, "status", "--porcelain") == "" and git(private, "worktree", "list").count("\n") == 0


def test_private_files_below_a_named_folder_are_omitted(private: Path, tmp_path: Path) -> None:
    with opened(private) as console:
        made = console.shares.sparse("helper", ["knowledge"], tmp_path / "all")
    assert made.left_out == ("knowledge/memory/MEMORY.md", "knowledge/private/diary.md") and made.files == 2


@pytest.mark.parametrize(
    ("only", "why"),
    [
        (["knowledge/memory"], "it is private"),
        (["KNOWLEDGE/Memory"], "it is private"),
        (["raw"], "it is private"),
        (["MEMORY.md"], "it is private"),
        ([".git"], "hidden folders"),
        (["../agent"], "not a path inside"),
        (["nowhere"], "nothing is committed there"),
        (["vault"], "nothing but private files"),
        ([], "which folders"),
    ],
)
def test_what_is_private_is_refused_by_name(private: Path, tmp_path: Path, only: list[str], why: str) -> None:
    with opened(private) as console, pytest.raises(MemdeckError, match=why):
        console.shares.sparse("helper", only, tmp_path / "sub")
    assert not (tmp_path / "sub").exists()


def test_a_folder_that_a_kill_left_unfinished_is_named_and_taken_away(
    private: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> str:
        raise KeyboardInterrupt

    with opened(private) as console:
        with monkeypatch.context() as patched:
            patched.setattr("engine.history.sparse_folder._filled", killed)
            patched.setattr(Path, "unlink", lambda *_args, **_more: None)
            with pytest.raises(KeyboardInterrupt):
                console.shares.sparse("helper", ["topics"], tmp_path / "sub")
        part = tmp_path / "sub.memdeck-part"
        assert part.is_dir() and not (tmp_path / "sub").exists()
        (finding,) = (one for one in console.maintenance.check() if one.id == "sparse_unfinished")
        assert (finding.where, finding.fix) == (str(part), "memdeck recover")
        assert "an unfinished folder was taken away" in [one.what for one in console.maintenance.recover()]
        assert not part.exists() and not [one for one in console.maintenance.check() if one.id == "sparse_unfinished"]
        assert console.shares.sparse("helper", ["topics"], tmp_path / "sub").files == 1


def test_the_folder_lies_outside_and_is_new(private: Path, tmp_path: Path) -> None:
    with opened(private) as console:
        with pytest.raises(Refused, match="lies in the workspace"):
            console.shares.sparse("helper", ["topics"], private / "sub")
        (tmp_path / "there").mkdir()
        with pytest.raises(Refused, match="something already"):
            console.shares.sparse("helper", ["topics"], tmp_path / "there")
