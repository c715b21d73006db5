"""A repository on which git would wait for ever is told apart before git is asked anything (decision D22)."""

import os
from pathlib import Path

import pytest

from engine.history import dates
from engine.history.dates import CommitDates
from engine.history.git import Git
from engine.history.repository import Repository
from tests.engine.history.repos import found, git, make_repo, refused

SETTINGS = ["config", "config.worktree", "info/exclude", "info/attributes", "info/grafts"]
REFS = ["index", "packed-refs", "shallow", "commondir", "refs/heads/main", "logs/HEAD", "logs/refs/heads/main"]
STORE = ["info/alternates", "info/commit-graph", "info/commit-graphs/commit-graph-chain", "pack/pack-1.idx"]
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


def test_a_history_that_does_not_answer_is_given_up_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A FIFO in place of an object is found by waiting alone: that is told, and not asked again."""
    monkeypatch.undo()
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    tree = git(workspace, "rev-parse", "HEAD^{tree}")
    fifo(workspace / ".git/objects" / tree[:2] / tree[2:])
    monkeypatch.setattr(dates, "LONGEST", 0.3)
    asked = CommitDates(found(workspace), "UTC")
    assert asked(["a.md"]) == {}
    assert "took longer" in asked.problem
