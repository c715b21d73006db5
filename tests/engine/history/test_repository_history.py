"""The past of a whole repository: commits with their files, trees, bytes; nothing in it runs (decisions D22, D56)."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.history import repository_history as history
from engine.history.git import GitFailed
from engine.history.repository import Repository
from tests.engine.history.repos import found, git, hostile, make_repo, write

NOW = datetime(2100, 1, 1, tzinfo=UTC)
NAMES = ("memory/a.md", "memory/é\n.md", "memory/\x01:x.md", ":(glob)*.md", "-p.md")
QUESTIONS: dict[str, Callable[[Repository], object]] = {
    "steps_of": lambda repository: history.steps_of(repository, ["memory/a.md"], 10),
    "steps_with": lambda repository: list(history.steps_with(repository, "one")),
    "steps_in": lambda repository: history.steps_in(repository, repository.head()),
    "renamed_from": lambda repository: not history.renamed_from(repository, repository.head(), "memory/a.md"),
    "line_commits": lambda repository: history.line_commits(repository, repository.head(), "memory/a.md"),
    "commit_at": lambda repository: history.commit_at(repository, NOW),
    "first_commit": history.first_commit,
    "commit_named": lambda repository: history.commit_named(repository, "HEAD"),
    "tree_of": lambda repository: history.tree_of(repository, "HEAD"),
    "blobs": lambda repository: history.blobs(repository, [history.tree_of(repository, "HEAD")["memory/a.md"].blob]),
}


def committed(workspace: Path, files: dict[str, str], message: str = "next") -> None:
    write(workspace, files)
    git(workspace, "add", "-A")
    git(workspace, "commit", "-q", "--allow-empty", "-m", message)


@pytest.mark.parametrize("options", [(), ("--object-format=sha256",)], ids=["sha1", "sha256"])
@pytest.mark.parametrize("name", NAMES)
def test_commits_come_newest_first_with_their_files(tmp_path: Path, name: str, options: tuple[str, ...]) -> None:
    workspace = make_repo(tmp_path / "ws", {name: "one\n", "other.md": "x\n"}, *options)
    committed(workspace, {name: "one\ntwo\n"}, "second :000000\n\nMemdeck-Operation: o-20260315-0001\n")
    (workspace / name).unlink()
    committed(workspace, {}, "third")
    steps = history.steps_of(found(workspace), [name], 10)
    assert [one.commit.subject for one in steps] == ["third", "second :000000", "first"]
    assert [one.commit.claims for one in steps] == ["", "o-20260315-0001", ""]
    assert [[step.path for step in one.steps] for one in steps] == [[name], [name], [name]]
    data = history.blobs(found(workspace), [step.new for one in steps for step in one.steps])
    assert history.blobs(found(workspace), [""]) == {}
    assert [data.get(one.steps[0].new) for one in steps] == [None, b"one\ntwo\n", b"one\n"]


def test_a_text_is_found_in_the_commits_that_brought_it_and_took_it(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "x\n"})
    committed(workspace, {"a.md": "x\nuse OAuth .*\n", "b.md": "use OAuth\n"}, "came")
    committed(workspace, {"c.md": "nothing\n"}, "between")
    committed(workspace, {"a.md": "x\n"}, "went")
    found_in = [
        (one.commit.subject, [step.path for step in one.steps]) for one in history.steps_with(found(workspace), "use")
    ]
    assert found_in == [("went", ["a.md"]), ("came", ["a.md", "b.md"])]
    assert [one.commit.subject for one in history.steps_with(found(workspace), "OAuth .*")] == ["went", "came"]
    assert list(history.steps_with(found(workspace), "--all")) == []


@pytest.fixture
def merged(tmp_path: Path) -> Path:
    """A branch that renames a note; another is merged into it with words that neither had."""
    start = "- one\n- two\n- three\n- four\n"
    workspace = make_repo(tmp_path / "ws", {"memory/a.md": start}, at="2026-01-01T00:00:00Z")
    git(workspace, "mv", "memory/a.md", "memory/b.md")
    git(workspace, "commit", "-qam", "renamed", at="2026-01-02T00:00:00Z")
    git(workspace, "checkout", "-qb", "side")
    write(workspace, {"memory/b.md": start.replace("one", "side"), "memory/side.md": "- of the side\n"})
    git(workspace, "add", "-A")
    git(workspace, "commit", "-qm", "side", at="2026-01-04T00:00:00Z")
    git(workspace, "checkout", "-q", "-")
    write(workspace, {"memory/b.md": start.replace("one", "main")})
    git(workspace, "commit", "-qam", "main", at="2026-01-03T00:00:00Z")
    git(workspace, "merge", "-q", "side", may_fail=True)
    write(workspace, {"memory/b.md": start.replace("one", "resolved")})
    git(workspace, "add", "-A")
    git(workspace, "commit", "-qm", "merge", at="2026-01-05T00:00:00Z")
    return workspace


def test_what_a_merge_alone_brought_is_found_and_the_past_is_that_of_the_own_branch(merged: Path) -> None:
    repository = found(merged)
    (only,) = (one for one in history.steps_with(repository, "resolved") if one.steps)
    assert only.commit.subject == "merge" and only.commit.merge
    at = history.commit_at(repository, datetime(2026, 1, 4, 12, tzinfo=UTC))
    assert at is not None and at.subject == "main"
    assert [one.commit.subject for one in history.steps_of(repository, ["memory/b.md"], 9)] == [
        "merge",
        "main",
        "renamed",
    ]
    steps = history.steps_in(repository, repository.head())
    assert [step.path for step in steps] == ["memory/b.md", "memory/side.md"]
    data = history.blobs(repository, [steps[0].old, steps[0].new, steps[1].new])
    assert [data[blob][:10] for blob in (steps[0].old, steps[0].new)] == [b"- main\n- t", b"- resolved"]
    assert steps[1].old == "" and data[steps[1].new] == b"- of the side\n"
    assert [one.subject for one in history.line_commits(repository, "HEAD", "memory/b.md")] == ["merge", *["first"] * 3]


def test_the_commit_that_renamed_a_file_tells_its_old_name(merged: Path) -> None:
    renamed, first = git(merged, "rev-list", "--first-parent", "HEAD~2").split()
    assert history.renamed_from(found(merged), renamed, "memory/b.md") == "memory/a.md"
    assert history.renamed_from(found(merged), first, "memory/a.md") == ""


def test_each_of_the_files_that_a_commit_renamed_has_its_old_name(tmp_path: Path) -> None:
    names = {f"memory/{name}.md": f"memory/was-{name}.md" for name in "abc"}
    workspace = make_repo(tmp_path / "ws", {old: f"{old}: a text of its own, {old[::-1]}\n" for old in names.values()})
    for new, old in names.items():
        git(workspace, "mv", old, new)
    committed(workspace, {}, "renamed")
    repository = found(workspace)
    assert {new: history.renamed_from(repository, repository.head(), new) for new in names} == names


def test_settings_of_the_repository_change_no_answer(merged: Path) -> None:
    """An order that is not there ends every log of git's, and a first commit can be told to have brought nothing."""
    for name, value in {
        "diff.orderFile": "/nowhere",
        "log.follow": "true",
        "log.showRoot": "false",
        "log.diffMerges": "separate",
        "trailer.separators": "=",
    }.items():
        git(merged, "config", name, value)
    repository = found(merged)
    assert [one.commit.subject for one in history.steps_with(repository, "one") if one.steps][-1] == "first"
    assert len(history.steps_of(repository, ["memory/b.md"], 9)) == 3
    assert history.line_commits(repository, "HEAD", "memory/side.md")[0].subject == "side"


def test_a_search_that_nobody_wants_any_more_ends_its_git(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "1\n"})
    for number in range(2, 30):
        committed(workspace, {"a.md": "1\n" * number})
    search = history.steps_with(found(workspace), "1")
    assert next(search).steps[0].path == "a.md"
    search.close()  # type: ignore[attr-defined]  # a generator
    assert list(search) == []


def test_what_git_cannot_read_is_an_error_of_ours(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "1\n"})
    with pytest.raises(GitFailed):
        list(found(workspace).git.stream("log", "no such revision"))


def test_names_are_below_the_workspace_and_an_empty_branch_has_no_past(tmp_path: Path) -> None:
    top = make_repo(tmp_path / "top", {"ws/a.md": "one\n", "beside.md": "one\n"})
    below = found(top / "ws", top / ".git")
    assert list(history.tree_of(below, "HEAD")) == ["a.md"]
    assert [step.path for one in history.steps_with(below, "one") for step in one.steps] == ["a.md"]
    empty = found(make_repo(tmp_path / "empty", {}))
    assert history.commit_at(empty, NOW) is None and history.first_commit(empty) is None
    assert list(history.steps_with(empty, "one")) == []
    with pytest.raises(UsageError):
        history.commit_named(empty, "HEAD")


def test_a_tree_has_regular_files_alone(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "one\n"})
    (workspace / "link.md").symlink_to("/etc/passwd")
    committed(workspace, {})
    assert {path: file.size for path, file in history.tree_of(found(workspace), "HEAD").items()} == {"a.md": 4}
    (workspace / "a.md").unlink()
    (workspace / "a.md").symlink_to("/etc/passwd")
    committed(workspace, {})
    assert [step.new for one in history.steps_of(found(workspace), ["a.md"], 1) for step in one.steps] == [""]


def test_the_newest_commit_at_an_instant_and_by_name(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "one\n"})
    git(workspace, "tag", "memory/milestone/x")
    first = history.commit_named(found(workspace), "memory/milestone/x")
    assert history.commit_at(found(workspace), first.at) == first
    assert history.commit_at(found(workspace), datetime(2001, 1, 1, tzinfo=UTC)) is None
    for name in ("nothing", "--all", "HEAD:a.md", ""):
        with pytest.raises(UsageError):
            history.commit_named(found(workspace), name)


def test_a_file_that_is_too_large_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "LARGEST", 3)
    repository = found(make_repo(tmp_path / "ws", {"a.md": "one\n", "b.md": "1\n"}))
    tree = history.tree_of(repository, "HEAD")
    assert history.blobs(repository, ["", "0" * 40, *(file.blob for file in tree.values())]) == {
        tree["b.md"].blob: b"1\n"
    }


@pytest.mark.parametrize("question", QUESTIONS)
def test_d22_and_d56_no_question_about_the_past_runs_anything(tmp_path: Path, question: str) -> None:
    """Each call of git that recall makes, in a repository in which all that git could execute is armed."""
    workspace = make_repo(tmp_path / "ws", {"memory/a.md": "one\n", "x.bin": "x"})
    committed(workspace, {"memory/a.md": "one\none\n"})
    marks = hostile(workspace, tmp_path / "marks")
    assert QUESTIONS[question](found(workspace))
    assert list(marks.iterdir()) == []
