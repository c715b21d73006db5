"""One operation, one commit: exactly our paths, whatever else goes on in the repository (decision D22)."""

import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from engine.history import commit as commit_module
from engine.history import git_index as index_module
from engine.history.git import Git
from engine.history.git_index import HeldIndex
from engine.history.repository import Repository
from tests.engine.history.repos import commit, found, git, make_repo, write


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "ws", {"a.md": "a\n", "b.md": "b\n", "sub/c.md": "c\n"})


def files_of(workspace: Path, ref: str = "HEAD") -> list[str]:
    return git(workspace, "ls-tree", "-r", "--name-only", ref).splitlines()


def test_d22_exactly_our_paths_are_committed_and_the_rest_is_left_alone(workspace: Path) -> None:
    write(workspace, {"a.md": "ours\n", "b.md": "theirs\n", "new.md": "new\n", "foreign.md": "theirs\n"})
    (workspace / "sub" / "c.md").unlink()
    git(workspace, "add", "b.md")
    report = commit(workspace, "a.md", "new.md", "sub/c.md")
    assert report.problems == ()
    assert git(workspace, "log", "--format=%H", "-1") == report.commit
    assert files_of(workspace) == ["a.md", "b.md", "new.md"]
    assert git(workspace, "show", "HEAD:a.md") == "ours"
    assert git(workspace, "show", "HEAD:b.md") == "b"
    assert git(workspace, "status", "--porcelain").splitlines() == ["M  b.md", "?? foreign.md"]


def test_d22_the_message_carries_the_operation_in_its_trailers(workspace: Path) -> None:
    write(workspace, {"a.md": "ours\n"})
    commit(workspace, "a.md")
    assert git(workspace, "log", "-1", "--format=%s") == "maintenance: compact, 1 change (manual)"
    trailers = git(workspace, "log", "-1", "--format=%(trailers:only,unfold)").splitlines()
    assert trailers[0] == "Memdeck-Operation: o-20260315-0001"
    assert git(workspace, "log", "-1", "--format=%an|%ae|%at|%ct") == "memdeck|memdeck@localhost|1773543600|1773543600"
    git(workspace, "config", "user.name", "Ana \x1b[31m")
    write(workspace, {"a.md": "again\n"})
    commit(workspace, "a.md", number=2)
    assert git(workspace, "log", "-1", "--format=%an") == "Ana ␛[31m"
    assert git(workspace, "fsck", "--strict") == ""


def test_every_byte_is_committed_as_it_is(workspace: Path) -> None:
    git(workspace, "config", "core.autocrlf", "true")
    write(workspace, {".gitattributes": "*.md text=auto eol=lf ident\n"})
    odd = b"\xef\xbb\xbfone\r\ntwo $Id$ \xff\n\n"
    (workspace / "a.md").write_bytes(odd)
    report = commit(workspace, "a.md")
    blob = git(workspace, "rev-parse", "HEAD:a.md")
    assert report.commit
    assert found(workspace).git.run("cat-file", "blob", blob) == odd


@pytest.mark.parametrize("options", [(), ("--object-format=sha256",)], ids=["sha1", "sha256"])
def test_d22_the_first_commit_of_a_repository(tmp_path: Path, options: tuple[str, ...]) -> None:
    workspace = make_repo(tmp_path / "ws", {}, *options)
    write(workspace, {f"memory/{i}.md": f"{i}\n" for i in range(20)} | {"foreign.md": "x"})
    report = commit(workspace, *(f"memory/{i}.md" for i in range(20)))
    assert report.problems == ()
    assert len(files_of(workspace)) == 20
    assert git(workspace, "status", "--porcelain") == "?? foreign.md"
    (workspace / "memory" / "3.md").unlink()
    assert commit(workspace, "memory/3.md", number=2).problems == ()
    assert len(files_of(workspace)) == 19


def test_a_detached_head_gets_the_commit(workspace: Path) -> None:
    git(workspace, "checkout", "-q", "--detach")
    write(workspace, {"a.md": "ours\n"})
    report = commit(workspace, "a.md")
    assert git(workspace, "rev-parse", "HEAD") == report.commit
    assert git(workspace, "rev-parse", "main") != report.commit


@pytest.mark.parametrize(
    ("state", "what"),
    [
        ("MERGE_HEAD", "a merge"),
        ("CHERRY_PICK_HEAD", "a cherry-pick"),
        ("rebase-merge", "a rebase"),
        ("rebase-apply", "a rebase"),
        ("BISECT_LOG", "a bisection"),
        ("REVERT_HEAD", "a revert"),
    ],
)
def test_d22_never_during_a_merge_or_rebase(workspace: Path, state: str, what: str) -> None:
    before = found(workspace).head()
    write(workspace, {"a.md": "ours\n", f".git/{state}": before})
    report = commit(workspace, "a.md")
    assert (report.commit, report.problems) == (None, (f"not committed: {what} is under way",))
    assert found(workspace).head() == before


def test_c3_a_foreign_commit_in_between_is_built_upon(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = commit_module._commit_object
    raced: list[str] = []

    def late(*told: Any) -> str:
        made = real(*told)
        if not raced:
            write(workspace, {"foreign.md": "theirs\n"})
            git(workspace, "add", "foreign.md")
            git(workspace, "commit", "-q", "-m", "theirs")
            raced.append(made)
        return made

    monkeypatch.setattr(commit_module, "_commit_object", late)
    write(workspace, {"a.md": "ours\n"})
    report = commit(workspace, "a.md")
    assert git(workspace, "log", "--format=%s").splitlines()[1:] == ["theirs", "first"]
    assert report.commit != raced[0]
    assert set(files_of(workspace)) == {"a.md", "b.md", "sub/c.md", "foreign.md"}
    assert git(workspace, "status", "--porcelain") == ""


def _cut_off(*_: object) -> None:
    raise OSError(5, "Input/output error")


def git_refused(workspace: Path, *args: str) -> str:
    """What git says when it refuses."""
    with pytest.raises(AssertionError) as refused:
        git(workspace, *args)
    return str(refused.value)


def test_c3_many_committers_lose_nothing(workspace: Path) -> None:
    def theirs() -> None:
        for i in range(8):
            write(workspace, {f"t{i}.md": "t\n"})
            blob = git(workspace, "hash-object", "-w", f"t{i}.md")
            for _ in range(50):
                head = git(workspace, "rev-parse", "HEAD")
                env = {"GIT_INDEX_FILE": str(workspace.parent / "their-index")}
                os.environ.update(env)
                tree_input = git(workspace, "ls-tree", head) + f"\n100644 blob {blob}\tt{i}.md\n"
                tree = git(workspace, "mktree", stdin=tree_input.encode())
                new = git(workspace, "commit-tree", tree, "-p", head, "-m", f"t{i}")
                try:
                    git(workspace, "update-ref", "HEAD", new, head)
                    break
                except AssertionError:
                    continue

    thread = threading.Thread(target=theirs)
    thread.start()
    reports = []
    for i in range(8):
        write(workspace, {f"o{i}.md": "o\n"})
        reports.append(commit(workspace, f"o{i}.md", number=i))
    thread.join()
    os.environ.pop("GIT_INDEX_FILE", None)
    assert all(report.commit for report in reports), reports
    assert {f"t{i}.md" for i in range(8)} | {f"o{i}.md" for i in range(8)} <= set(files_of(workspace))
    assert int(git(workspace, "rev-list", "--count", "HEAD")) == 17


def test_a_repeated_call_gives_the_same_commit_and_mends_the_index(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash between the commit and the index leaves nothing for the operator to clean up."""
    write(workspace, {"a.md": "ours\n"})
    with monkeypatch.context() as patch:
        patch.setattr(HeldIndex, "replace", _cut_off)
        first = commit(workspace, "a.md")
    assert first.commit == found(workspace).head()
    assert "the index does not show the commit yet" in first.owed
    assert (workspace / ".git" / "index.lock").exists(), "no other git may commit the old index back"
    assert "index.lock" in git_refused(workspace, "commit", "-q", "-m", "theirs", "--allow-empty")
    again = commit(workspace, "a.md")
    assert (again.commit, again.problems) == (first.commit, ())
    assert git(workspace, "status", "--porcelain") == ""
    assert git(workspace, "rev-list", "--count", "HEAD") == "2"


@pytest.mark.parametrize("code", [128, -9])
def test_a_branch_that_moved_though_git_failed_is_not_committed_twice(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """The second commit took the index for one that somebody had staged, and left it behind without a word."""
    attempt = Git.attempt

    def fails_late(self: Git, *args: str, **more: Any) -> tuple[int, bytes, bytes]:
        done = attempt(self, *args, **more)
        return (code, b"", b"fatal: unable to append to logs/HEAD") if args[0] == "update-ref" else done

    monkeypatch.setattr(Git, "attempt", fails_late)
    write(workspace, {"a.md": "ours\n"})
    report = commit(workspace, "a.md")
    assert (report.commit, report.problems) == (git(workspace, "rev-parse", "HEAD"), ())
    assert git(workspace, "rev-list", "--count", "HEAD") == "2"
    assert git(workspace, "status", "--porcelain") == ""


def test_files_that_somebody_else_committed_already_still_get_our_record(workspace: Path) -> None:
    write(workspace, {"a.md": "ours\n"})
    git(workspace, "commit", "-q", "-a", "-m", "auto")
    report = commit(workspace, "a.md")
    assert git(workspace, "log", "--format=%H", "-1") == report.commit
    assert git(workspace, "diff", "--stat", "HEAD~1", "HEAD") == ""


def test_d22_what_others_staged_of_our_paths_stays_staged(workspace: Path) -> None:
    write(workspace, {"a.md": "staged\n"})
    git(workspace, "add", "a.md")
    write(workspace, {"a.md": "ours\n", "b.md": "ours\n"})
    commit(workspace, "a.md", "b.md")
    assert git(workspace, "show", ":a.md") == "staged"
    assert git(workspace, "show", "HEAD:a.md") == "ours"
    assert git(workspace, "show", ":b.md") == "ours"
    assert git(workspace, "status", "--porcelain") == "MM a.md"


def test_d22_no_filter_of_the_repository_compares_a_file_that_is_as_young_as_the_index(workspace: Path) -> None:
    """Git compares such an entry by its bytes as it writes an index, through the filter; any file can be so young."""
    mark = workspace.parent / "ran"
    write(workspace, {"b.md": "young\n"})
    os.utime(workspace / "b.md", (4_000_000_000, 4_000_000_000))
    git(workspace, "add", "b.md")
    git(workspace, "config", "filter.evil.clean", f"sh -c 'touch {mark}; cat'")
    write(workspace, {".gitattributes": "b.md filter=evil\n", "a.md": "ours\n"})
    written = (workspace / ".git/index").stat().st_mtime_ns
    report = commit(workspace, "a.md")
    assert report.commit and report.problems == () and not mark.exists()
    assert (workspace / ".git/index").stat().st_mtime_ns == written, "the next git compares it"
    assert git(workspace, "diff", "--cached", "--name-only") == "b.md"


def test_d22_while_another_git_holds_the_index_nothing_is_committed(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The branch would move without the index, and the next `git commit` of anybody would take the commit back."""
    monkeypatch.setattr(index_module, "WAIT_SECONDS", 0.1)
    before = found(workspace).head()
    write(workspace, {"a.md": "ours\n", ".git/index.lock": ""})
    report = commit(workspace, "a.md")
    assert (report.commit, found(workspace).head()) == (None, before)
    assert "locked by another git" in report.owed
    assert report.problems == (f"not committed: {report.owed}",)
    assert (workspace / ".git" / "index.lock").exists()
    assert list((workspace / ".git").glob("index.memdeck-*")) == []


def test_the_lock_of_a_memdeck_that_died_needs_nobody_to_remove_it(workspace: Path) -> None:
    own = workspace / ".git" / "index.memdeck-999999999"
    own.write_bytes(b"half")
    os.link(own, workspace / ".git" / "index.lock")
    write(workspace, {"a.md": "ours\n"})
    assert commit(workspace, "a.md").problems == ()
    assert git(workspace, "status", "--porcelain") == ""
    assert not own.exists()


def test_d22_ignored_files_are_left_out_and_told_once(workspace: Path) -> None:
    write(workspace, {".gitignore": "*.log.md\nprivate/\n!private/*\n", "a.md": "ours\n"})
    write(workspace, {"x.log.md": "x", "y.log.md": "y", "private/p.md": "p"})
    git(workspace, "add", "-f", "y.log.md")
    git(workspace, "commit", "-q", "-m", "tracked though ignored")
    write(workspace, {"y.log.md": "yy"})
    report = commit(workspace, "a.md", "x.log.md", "y.log.md", "private/p.md")
    assert report.problems == ("omitted from the commit (ignored by git): x.log.md, private/p.md",)
    write(workspace, {f"{name}.log.md": name for name in ("k", "l", "m")})
    (problem,) = commit(workspace, *(f"{name}.log.md" for name in "klmx"), number=3).problems
    assert problem.endswith(": k.log.md, l.log.md, m.log.md and 1 more")
    assert git(workspace, "show", "--format=", "--name-only", "HEAD").splitlines() == ["a.md", "y.log.md"]
    assert commit(workspace, "x.log.md", number=2).commit is None


CRYPT = "#!/bin/sh\nprintf '\\0GITCRYPT\\0'\nbase64\n"


@pytest.fixture
def crypt(tmp_path: Path) -> str:
    program = tmp_path / "crypt"
    program.write_text(CRYPT, encoding="utf-8")
    program.chmod(stat.S_IRWXU)
    return str(program)


def test_d22_a_filtered_path_is_never_committed_in_clear(workspace: Path, crypt: str) -> None:
    write(workspace, {".gitattributes": "secret/** filter=git-crypt diff=git-crypt\n", "secret/s.md": "hunter2\n"})
    write(workspace, {"a.md": "ours\n"})
    report = commit(workspace, "a.md", "secret/s.md")
    assert report.problems == ("omitted from the commit (to be filtered by git-crypt): secret/s.md",)
    assert "secret/s.md" not in files_of(workspace)
    for name in git(workspace, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").splitlines():
        assert b"hunter2" not in found(workspace).git.run("cat-file", "-p", name)
    report = commit(workspace, "secret/s.md", filters={"git-crypt": f"{crypt} %f"}, number=2)
    assert report.problems == ()
    assert git(workspace, "show", "--no-textconv", "HEAD:secret/s.md").startswith("\0GITCRYPT\0")


def test_d22_dropping_the_attribute_on_disk_does_not_commit_in_clear(workspace: Path) -> None:
    write(workspace, {".gitattributes": "secret/** filter=git-crypt\n"})
    git(workspace, "add", ".gitattributes")
    git(workspace, "commit", "-q", "-m", "encrypt")
    write(workspace, {".gitattributes": "", "secret/s.md": "hunter2\n"})
    report = commit(workspace, "secret/s.md", ".gitattributes")
    assert "to be filtered by git-crypt" in report.problems[0]
    assert "secret/s.md" not in files_of(workspace)


def test_d22_attributes_of_the_operators_own_settings_count(workspace: Path, own_home: Path) -> None:
    (own_home / ".gitconfig").write_text(f"[core]\n\tattributesFile = {own_home}/attributes\n", encoding="utf-8")
    (own_home / "attributes").write_text("*.md filter=mine\n", encoding="utf-8")
    write(workspace, {"a.md": "ours\n"})
    assert "filtered by mine" in commit(workspace, "a.md").problems[0]


@pytest.mark.parametrize("command", ["false", "no-such-program-here", "'unbalanced"])
def test_a_filter_that_fails_leaves_its_path_out(workspace: Path, command: str) -> None:
    write(workspace, {".gitattributes": "a.md filter=x\n", "a.md": "hunter2\n", "b.md": "ours\n"})
    report = commit(workspace, "a.md", "b.md", filters={"x": command})
    assert report.commit
    assert len(report.problems) == 1
    assert git(workspace, "show", "HEAD:a.md") == "a"


def test_a_file_that_became_a_link_a_folder_or_a_repository_is_left_out(workspace: Path) -> None:
    (workspace / "a.md").unlink()
    (workspace / "a.md").symlink_to("/etc/hostname")
    make_repo(workspace / "nested", {"n.md": "n\n"})
    (workspace / "sub" / "c.md").unlink()
    (workspace / "sub" / "c.md").mkdir()
    report = commit(workspace, "a.md", "sub/c.md", "nested/n.md", "b.md")
    assert report.commit
    assert len(report.problems) == 3
    assert git(workspace, "show", "HEAD:a.md") == "a"
    assert files_of(workspace) == ["a.md", "b.md", "sub/c.md"]


def test_a_submodule_is_not_replaced_by_our_file(workspace: Path, tmp_path: Path) -> None:
    other = make_repo(tmp_path / "other", {"n.md": "n\n"})
    head = git(other, "rev-parse", "HEAD")
    git(workspace, "update-index", "--add", "--cacheinfo", f"160000,{head},module")
    git(workspace, "commit", "-q", "-m", "module")
    write(workspace, {"module/n.md": "n\n"})
    assert "another repository" in commit(workspace, "module/n.md").problems[0]


def test_e9_names_and_subjects_never_pass_a_shell(workspace: Path, tmp_path: Path) -> None:
    names = [
        "$(touch x).md",
        "`touch x`.md",
        "-rf.md",
        "--help",
        " lead.md",
        "a'b\".md",
        "日本.md",
        ":(top)x.md",
        "*.md",
    ]
    write(workspace, dict.fromkeys(names, "x\n"))
    report = commit(workspace, *names)
    assert report.problems == ()
    committed = found(workspace).git.run("ls-tree", "-r", "-z", "--name-only", "HEAD").decode().split("\0")
    assert set(names) <= set(committed)
    assert not list(tmp_path.rglob("x"))


def test_a_mode_that_was_executable_stays_so(workspace: Path) -> None:
    git(workspace, "update-index", "--chmod=+x", "a.md")
    git(workspace, "commit", "-q", "-m", "mode")
    write(workspace, {"a.md": "ours\n"})
    commit(workspace, "a.md")
    assert git(workspace, "ls-tree", "HEAD", "a.md").startswith("100755")


def test_a_repository_that_cannot_be_written_is_a_problem_and_no_failure(workspace: Path) -> None:
    write(workspace, {"a.md": "ours\n", ".git/refs/heads/main.lock": ""})
    report = commit(workspace, "a.md")
    assert report.commit is None
    lock = workspace / ".git/refs/heads/main.lock"
    assert report.problems[-1] == f"not committed: {lock}: the branch is locked by another git"
    (workspace / ".git" / "HEAD").write_bytes(b"\xff\x00garbage")
    broken = commit(workspace, "a.md", repository=Repository(Git(workspace / ".git", workspace, dict(os.environ)), ""))
    assert broken.commit is None
    assert broken.problems


def test_nothing_of_ours_is_left_behind(workspace: Path) -> None:
    before = {
        path for path in (workspace / ".git").rglob("*") if "objects" not in path.parts and "logs" not in path.parts
    }
    write(workspace, {"a.md": "ours\n"})
    commit(workspace, "a.md")
    after = {
        path for path in (workspace / ".git").rglob("*") if "objects" not in path.parts and "logs" not in path.parts
    }
    assert after == before
    assert list((workspace.parent / "scratch").iterdir()) == []
