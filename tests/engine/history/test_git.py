"""Nothing stored in a repository is executed by the console, and only the workspace's own repository is used (D22)."""

import os
from pathlib import Path

import pytest

from engine.history.commit_dates import CommitDates
from engine.history.git import Git, GitFailed, GitTooSlow, clean_environment, run_limited
from engine.history.repository import Repository
from tests.engine.history.repos import commit, found, git, hostile, make_repo, refused, write


def marks_in(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.parametrize("count", [2, 40], ids=["few", "many"])
def test_d22_nothing_stored_in_the_repository_is_executed(tmp_path: Path, count: int) -> None:
    """Hooks, fsmonitor, filters, textconv, external diffs, gpg, pager, editor, ssh, includes, aliases, promisors."""
    workspace = make_repo(tmp_path / "ws", {f"memory/{i}.md": f"note {i}\n" for i in range(count)} | {"x.bin": "x"})
    marks = hostile(workspace, tmp_path / "marks")
    write(workspace, {f"memory/{i}.md": f"changed {i}\n" for i in range(count)} | {"x.bin": "secret"})
    repository = found(workspace)
    assert repository.under_way() == ""
    report = commit(workspace, *(f"memory/{i}.md" for i in range(count)), "x.bin", "memory/gone.md")
    assert report.commit == repository.head()
    assert report.problems == ("omitted from the commit (to be filtered by evil): x.bin",)
    assert commit(workspace, "memory/0.md").commit == report.commit
    dates = CommitDates(repository, "UTC")([f"memory/{i}.md" for i in range(count)])
    assert len(dates) == count
    assert marks_in(marks) == []


def test_the_hostile_repository_is_armed(tmp_path: Path) -> None:
    """The proof that the test above proves something: ordinary git in the same repository runs what is stored there."""
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n", "x.bin": "x"})
    marks = hostile(workspace, tmp_path / "marks")
    git(workspace, "config", "--unset-all", "core.worktree")
    (workspace / ".git" / "included").write_text("", encoding="utf-8")
    git(workspace, "config", "commit.gpgSign", "false")
    write(workspace, {"a.md": "b\n", "x.bin": "y"})
    git(workspace, "status", may_fail=True)
    write(workspace, {".gitattributes": "*.md diff=evil\n"})
    for args in (("add", "-A"), ("diff", "--cached"), ("commit", "-q", "-m", "x")):
        git(workspace, *args, may_fail=True)
    fired = {name.rpartition("-")[0] for name in marks_in(marks)}
    assert {"hook-pre-commit", "hook-reference-transaction", "hook-post-index-change", "fsmonitor", "command"} <= fired
    assert "process" in fired or "clean" in fired


def test_a_missing_object_of_a_partial_clone_is_not_fetched_by_command(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    marks = hostile(workspace, tmp_path / "marks")
    tree = found(workspace).git.line("rev-parse", "HEAD^{tree}")
    (workspace / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    for url in ("ext::" + str(tmp_path / "program") + " ext", str(tmp_path / "nowhere"), "ssh://host/x", "evil::x"):
        with (workspace / ".git" / "config").open("a", encoding="utf-8") as config:
            config.write(f'[remote "origin"]\n\turl = {url}\n')
        report = commit(workspace, "a.md")
        assert report.commit is None
        assert report.problems[0].startswith("not committed")
    assert marks_in(marks) == []


def test_git_sees_no_git_variable_of_ours() -> None:
    env = clean_environment(
        {"GIT_DIR": "/x", "GIT_CONFIG_COUNT": "1", "GIT_TRACE": "/y", "HOME": "/h", "EDITOR": "e"}, Path("/ws")
    )
    assert env["HOME"] == "/h"
    assert not {"GIT_DIR", "GIT_CONFIG_COUNT", "GIT_TRACE", "EDITOR"} & set(env)


def test_a_git_that_takes_long_is_told_while_it_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ignore rules can keep git busy for half a minute; nobody shall think that memdeck hangs."""
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    os.mkfifo(workspace / "slow")
    told: list[tuple[str, float]] = []
    monkeypatch.setattr("engine.history.git._PATIENCE", 0.05)
    git = Git(workspace / ".git", workspace, dict(os.environ), lambda command, _, limit: told.append((command, limit)))
    with pytest.raises(GitTooSlow, match="took longer than"):
        git.run("config", "--file", str(workspace / "slow"), "--list", timeout=0.5)
    assert told[0] == ("git config", 0.5)
    assert len(told) > 1
    assert git.run("hash-object", "--stdin", stdin=b"x" * 1_000_000), "what is sent survives the waiting"


def test_input_of_a_program_that_reads_late_is_sent_behind_each_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest of it was never sent, and the program ended at the time limit."""
    monkeypatch.setattr("engine.history.git._PATIENCE", 0.05)
    told: list[float] = []
    command = ["/bin/sh", "-c", "sleep 0.3; wc -c"]
    code, out, _ = run_limited(
        command, stdin=b"x" * 1_000_000, env={}, timeout=20, waiting=lambda gone, _: told.append(gone)
    )
    assert (code, int(out)) == (0, 1_000_000) and told


def test_a_git_that_waits_for_ever_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    (workspace / "memory").mkdir()
    os.mkfifo(workspace / "memory" / ".gitignore")
    monkeypatch.setattr("engine.history.commit.rules_obstacle", lambda *_: "")  # it came after the look
    monkeypatch.setattr(Git.attempt, "__kwdefaults__", {**(Git.attempt.__kwdefaults__ or {}), "timeout": 0.5})
    write(workspace, {"memory/new.md": "new\n"})
    report = commit(workspace, "memory/new.md")
    assert report.commit is None
    said = report.problems[0]
    assert "git check-ignore: took longer" in said and ".gitignore" in said


def test_what_git_says_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(GitFailed):
        found(make_repo(tmp_path / "ws", {})).git.run("cat-file", "-p", "HEAD")


def test_d22_without_git_there_is_no_repository_and_no_complaint(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    assert refused(tmp_path / "ws") == ""


def test_d22_a_git_folder_outside_is_used_only_if_the_policy_names_it(tmp_path: Path) -> None:
    main = make_repo(tmp_path / "main", {"a.md": "a\n"})
    git(main, "worktree", "add", "-q", str(tmp_path / "tree"))
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / ".git").symlink_to(main / ".git")
    inner = main / "agent" / "memory"
    inner.mkdir(parents=True)
    for workspace in (tmp_path / "tree", linked, inner):
        assert "git.outside" in refused(workspace)
        assert isinstance(found(workspace, main / ".git"), Repository)
    assert found(inner, main / ".git").prefix == "agent/memory/"
    write(inner, {"note.md": "note\n"})
    report = commit(inner, "note.md", repository=found(inner, main / ".git"))
    assert git(main, "show", "--format=", "--name-only", report.commit or "") == "agent/memory/note.md"
    write(tmp_path / "tree", {"b.md": "b\n"})
    report = commit(tmp_path / "tree", "b.md", repository=found(tmp_path / "tree", main / ".git"), number=2)
    assert git(tmp_path / "tree", "log", "-1", "--format=%H") == report.commit
    assert git(tmp_path / "tree", "status", "--porcelain") == ""


@pytest.mark.parametrize("place", ["objects", "refs", "refs/heads", "logs", "objects/pack", "HEAD", "index"])
def test_d22_a_link_inside_the_git_folder_does_not_lead_our_writes_outside(tmp_path: Path, place: str) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    real = workspace / ".git" / place
    real.rename(tmp_path / "elsewhere")
    real.symlink_to(tmp_path / "elsewhere")
    assert "is a link" in refused(workspace)


@pytest.mark.parametrize("place", ["logs/HEAD", "logs/refs/heads/main", "refs/heads/main"])
def test_d22_a_linked_file_of_git_is_not_written_through(tmp_path: Path, place: str) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    (tmp_path / "victim").write_text("mine\n", encoding="utf-8")
    (workspace / ".git" / place).unlink()
    (workspace / ".git" / place).symlink_to(tmp_path / "victim")
    assert "is a link" in refused(workspace)


def test_d22_a_link_where_git_would_report_a_crash_is_refused(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    (workspace / ".git/fast_import_crash_4711").symlink_to(tmp_path / "victim")
    assert "is a link" in refused(workspace)


@pytest.mark.parametrize(
    "head",
    [
        "ref: refs/heads/../../../../out/stolen\n",
        "ref:refs/heads/../../../../out/stolen",
        "ref:\t  refs/../../../out/stolen  \n",
        "ref: ../../out/stolen\n",
        "ref: /tmp/stolen\n",
        "ref: refs/heads/.hidden\n",
        "ref: refs/heads/a.lock\n",
        "ref: refs/heads/a.lock/b\n",
        "ref: refs/heads/a b\n",
        "ref: refs/heads//a\n",
        "ref: refs/heads/a/\n",
        "ref: index\n",
        "ref:" + " " * 5000 + "refs/heads/../../../../out/stolen\n",
    ],
)
def test_d22_a_head_that_names_no_branch_leads_no_write_outside(tmp_path: Path, head: str) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    repository = found(workspace)
    (workspace / ".git" / "HEAD").write_text(head, encoding="utf-8")
    assert "names no branch" in refused(workspace)
    write(workspace, {"a.md": "b\n"})
    before = {path for path in tmp_path.rglob("*") if "objects" not in path.parts}
    report = commit(workspace, "a.md", repository=repository)
    assert report.commit is None, "also where HEAD was changed after the repository was found"
    after = {path for path in tmp_path.rglob("*") if "objects" not in path.parts}
    assert after - before <= {tmp_path / "scratch"}


def test_d22_a_branch_that_is_another_name_of_something_is_not_followed(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    (workspace / ".git/refs/heads/main").write_text("ref: refs/heads/../../../../stolen\n", encoding="utf-8")
    assert "names no branch" in refused(workspace)


@pytest.mark.parametrize("name", ["refs/heads/main", "refs/heads/feature/x-1.2", "refs/heads/ünï", "refs/jj/root"])
def test_a_branch_of_any_decent_name_is_committed_to(tmp_path: Path, name: str) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    git(workspace, "update-ref", name, "HEAD")
    git(workspace, "symbolic-ref", "HEAD", name)
    write(workspace, {"a.md": "b\n"})
    report = commit(workspace, "a.md")
    assert report.commit
    assert git(workspace, "rev-parse", name) == report.commit
    assert git(workspace, "symbolic-ref", "HEAD") == name


def test_d22_a_git_folder_that_borrows_another_repository_is_refused(tmp_path: Path) -> None:
    victim = make_repo(tmp_path / "victim", {"v.md": "v\n"})
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    (workspace / ".git" / "commondir").write_text(str(victim / ".git"), encoding="utf-8")
    assert "shares the repository" in refused(workspace)


def test_a_stray_or_broken_dot_git_is_told(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / ".git").mkdir()
    assert refused(tmp_path / "ws") == ""
    (tmp_path / "ws" / ".git").write_text("nonsense", encoding="utf-8")
    assert "is not a git folder" in refused(tmp_path / "ws")
    (tmp_path / "ws" / ".git").unlink()
    os.mkfifo(tmp_path / "ws" / ".git")
    assert "is not a git folder" in refused(tmp_path / "ws")


def test_a_repository_of_another_user_is_used_all_the_same(tmp_path: Path) -> None:
    """The README advises to run the agent as another user: its repository is still the workspace's own."""
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    for path in [workspace, *workspace.rglob("*")]:
        os.chown(path, 12345, 12345)
    write(workspace, {"a.md": "b\n"})
    assert commit(workspace, "a.md").commit == found(workspace).head()


def test_d22_git_makes_durable_all_that_it_keeps_and_no_index_that_is_thrown_away(tmp_path: Path) -> None:
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    program.chmod(0o755)
    top = tmp_path / "ws"
    top.mkdir()
    told = Git(top / ".git", top, {"PATH": f"{program.parent}:/bin:/usr/bin"})
    assert "core.fsync=all" in told.run("status").decode().splitlines()
    assert "core.fsync=all,-index" in told.run("status", index=tmp_path / "index").decode().splitlines()
