"""A repository on which git would wait for ever is told apart before git is asked anything (decision D22)."""

import os
from pathlib import Path

import pytest

from engine.history import commit_dates, git_index
from engine.history.commit_dates import CommitDates
from engine.history.git import Git
from engine.history.repository import Repository
from tests.engine.history.repos import commit, found, git, make_repo, refused, write

SETTINGS = ["config", "config.worktree", "info/exclude", "info/attributes", "info/grafts"]
REFS = [
    "reftable/tables.list",
    "index",
    "packed-refs",
    "shallow",
    "commondir",
    "refs/heads/main",
    "logs/HEAD",
    "logs/refs/heads/main",
]
STORE = [
    "info/alternates",
    "info/commit-graph",
    "info/commit-graphs/commit-graph-chain",
    "pack/pack-1.idx",
    "pack/multi-pack-index.d/multi-pack-index-chain",
    "78/d57edeaf13bf1487c687fb80570c160a3df950",
]
PLACES = [f".git/{place}" for place in (*SETTINGS, *REFS, *(f"objects/{place}" for place in STORE))]
TOP = [".gitattributes", ".gitignore", ".gitmodules", ".mailmap"]


@pytest.fixture(autouse=True)
def git_is_not_asked_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """The proof is that nothing here needs the time limit: a git under way when it ends would be an error."""
    monkeypatch.setattr(Git, "attempt", _never)


def _never(*_: object, **__: object) -> None:
    raise AssertionError("git was asked about a repository that makes it wait")


def fifo(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    return path


@pytest.mark.parametrize("place", [*PLACES, *TOP])
def test_d22_a_fifo_where_git_reads_is_named(tmp_path: Path, place: str) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"}, "-b", "main")
    waiting = fifo(workspace / place)
    reason = refused(workspace)
    assert str(waiting) in reason or "shares the repository" in reason
    assert "git.outside" in reason or "remove it" in reason


@pytest.mark.parametrize(
    "settings",
    [
        "[include]\n\tpath = waits\n",
        "[INCLUDE]\npath = ./waits\n",
        '[include]\n\tpath = "{folder}/waits"\n',
        '[includeIf "gitdir:**"]\n\tpath = waits\n',
        '[includeIf "onbranch:main"]\n\tpath = {folder}/waits\n',
        "[include]\n\tpath = through\n",
        "[include]\n\tpath = itself\n\tpath = ~/waits\n",
    ],
)
def test_d22_a_fifo_that_the_settings_include_is_named(
    tmp_path: Path, settings: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"}, "-b", "main")
    folder = workspace / ".git"
    monkeypatch.setenv("HOME", str(folder))
    waiting = fifo(folder / "waits")
    (folder / "through").write_text("[include]\n\tpath = waits\n", encoding="utf-8")
    (folder / "itself").write_text("[include]\n\tpath = itself\n", encoding="utf-8")
    with (folder / "config").open("a", encoding="utf-8") as config:
        config.write(settings.format(folder=folder))
    assert f"{waiting} is a FIFO" in refused(workspace)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full"])
def test_d22_a_device_among_the_settings_is_named(tmp_path: Path, device: str) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    with (workspace / ".git" / "config").open("a", encoding="utf-8") as config:
        config.write(f"[include]\n\tpath = {device}\n")
    assert f"{device} is a FIFO or a device" in refused(workspace)


def test_d22_a_fifo_in_a_store_that_is_borrowed_from_is_named(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    waiting = fifo(tmp_path / "store" / "info" / "alternates")
    (workspace / ".git/objects/info/alternates").write_text(f"{tmp_path}/store\n", encoding="utf-8")
    assert str(waiting) in refused(workspace)


def test_d22_a_fifo_in_the_main_folder_of_a_worktree_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main = make_repo(tmp_path / "main", {"a.md": "a\n"})
    git(main, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert isinstance(found(tmp_path / "tree", main / ".git"), Repository)
    waiting = fifo(main / ".git" / "packed-refs")
    assert waiting.name in refused(tmp_path / "tree", main / ".git")
    waiting.unlink()
    waiting = fifo(main / ".git/worktrees/tree/commondir")
    assert str(waiting) in refused(tmp_path / "tree", main / ".git")


def test_settings_that_include_ordinary_files_or_none_are_used(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    (workspace / "shared.cfg").write_text("[user]\n\tname = Ana\n", encoding="utf-8")
    with (workspace / ".git" / "config").open("a", encoding="utf-8") as config:
        config.write("[include]\n\tpath = ../shared.cfg\n\tpath = missing\n\tpath\n")
    assert isinstance(found(workspace), Repository)


@pytest.mark.parametrize("place", [".git/config", ".git/refs/heads/main", ".git/objects/info/alternates", ".gitignore"])
def test_d22_a_sparse_file_that_git_would_take_into_memory_is_named(tmp_path: Path, place: str) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"}, "-b", "main")
    huge = workspace / place
    huge.touch()
    os.truncate(huge, 1 << 40)
    assert f"{huge} is larger than 64 MiB" in refused(workspace)


def test_a_store_of_loose_objects_is_listed_again_once_it_changed(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    for _ in range(2):
        assert isinstance(found(workspace), Repository)
        waiting = fifo(next((workspace / ".git/objects").glob("??")) / ("0" * 38))
        assert str(waiting) in refused(workspace)
        assert str(waiting) in refused(workspace)
        waiting.unlink()


def test_no_more_stores_are_followed_than_a_person_would_name(tmp_path: Path) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    (workspace / ".git/objects/info/alternates").write_text("/no/such/store\n" * 50_000, encoding="utf-8")
    assert isinstance(found(workspace), Repository)


@pytest.fixture
def git_may_be_asked(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Takes back what the fixture for all of them did."""
    monkeypatch.undo()
    return monkeypatch


@pytest.mark.usefixtures("git_may_be_asked")
@pytest.mark.parametrize("rules", [".gitattributes", "memory/.gitignore", "memory/working/.gitattributes"])
def test_d22_a_fifo_among_the_rules_on_the_way_to_a_file_is_named(tmp_path: Path, rules: str) -> None:
    workspace = make_repo(tmp_path / "ws", {"memory/working/a.md": "a\n"})
    repository = found(workspace)
    waiting = fifo(workspace / rules)
    report = commit(workspace, "memory/working/a.md", repository=repository)
    assert report.commit is None
    assert report.problems == (
        f"not committed: {waiting} is a FIFO or a device, on which git would wait for ever: remove it",
    )


@pytest.mark.usefixtures("git_may_be_asked")
@pytest.mark.parametrize("key", ["excludesFile", "attributesFile"])
def test_d22_a_fifo_that_the_settings_name_for_rules_is_named(tmp_path: Path, key: str) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    waiting = fifo(tmp_path / "waits")
    write(workspace, {"a.md": "changed\n"})
    git(workspace, "config", f"core.{key}", str(waiting))
    report = commit(workspace, "a.md")
    assert report.commit is None
    assert str(waiting) in report.problems[0]
    git(workspace, "config", f"core.{key}", os.devnull)
    assert commit(workspace, "a.md").problems == ()


def test_d22_a_huge_index_is_left_alone_and_told(tmp_path: Path, git_may_be_asked: pytest.MonkeyPatch) -> None:
    git_may_be_asked.setattr(git_index, "_LARGEST", 1 << 20)
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    write(workspace, {"a.md": "changed\n"})
    os.truncate(workspace / ".git/index", 2 << 20)
    report = commit(workspace, "a.md")
    assert report.commit is None, "the branch never moves without the index"
    assert "the index is larger than 1 MiB" in report.problems[0]
    assert (workspace / ".git/index").stat().st_size == 2 << 20
    git(workspace, "read-tree", "HEAD")
    git_may_be_asked.setattr(git_index, "_LARGEST", (workspace / ".git/index").stat().st_size)
    assert commit(workspace, "a.md").commit is not None, "of the size itself it is not too large"


def test_a_history_that_does_not_answer_is_given_up_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A FIFO that comes after the look is found by waiting alone: that is told, and not asked again."""
    monkeypatch.undo()
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    repository = found(workspace)
    tree = git(workspace, "rev-parse", "HEAD^{tree}")
    fifo(workspace / ".git/objects" / tree[:2] / tree[2:])
    monkeypatch.setattr(commit_dates, "LONGEST", 0.3)
    asked = CommitDates(repository, "UTC")
    assert asked(["a.md"]) == {}
    assert "took longer" in asked.problem
