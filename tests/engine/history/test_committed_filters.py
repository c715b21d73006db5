"""Which filters count for a commit: those of the disk and those committed, whichever the agent changed (D22)."""

from pathlib import Path
from typing import Any

import pytest

from engine.history.git import Git
from engine.history.new_objects import committed_filters
from engine.history.trees import read_folders
from tests.engine.history.repos import commit, found, git, make_repo, write


def filters(workspace: Path, *paths: str) -> dict[str, str]:
    repository = found(workspace)
    folders = read_folders(repository.git, repository.head(), paths)
    index = workspace.parent / "filters-index"
    index.unlink(missing_ok=True)
    return committed_filters(repository, paths, folders, index)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return make_repo(
        tmp_path / "ws", {".gitattributes": "*.md filter=one\n", "sub/.gitattributes": "s.md filter=two\n"}
    )


def test_attributes_as_they_are_committed(workspace: Path) -> None:
    assert filters(workspace, "a.md", "sub/s.md", "sub/deep/t.md") == {
        "a.md": "one",
        "sub/s.md": "two",
        "sub/deep/t.md": "one",
    }
    assert filters(workspace) == {}


@pytest.mark.parametrize("text", ["", "*.md -filter\n", None])
def test_attributes_that_left_the_disk_still_count(workspace: Path, text: str | None) -> None:
    for name in (".gitattributes", "sub/.gitattributes"):
        (workspace / name).unlink() if text is None else (workspace / name).write_text(text)
    assert filters(workspace, "a.md", "sub/s.md") == {"a.md": "one", "sub/s.md": "two"}


def test_attributes_that_are_on_the_disk_alone_count(workspace: Path) -> None:
    write(workspace, {"sub/below/.gitattributes": "* filter=three\n", ".git/info/attributes": "*.bin filter=four\n"})
    assert filters(workspace, "sub/below/x", "y.bin") == {"sub/below/x": "three", "y.bin": "four"}


def test_a_link_in_the_place_of_attributes_is_not_taken_for_what_is_committed(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "same").write_text("*.md filter=one\n")
    (workspace / ".gitattributes").unlink()
    (workspace / ".gitattributes").symlink_to(tmp_path / "same")
    assert filters(workspace, "a.md") == {"a.md": "one"}


def test_no_change_of_the_disk_comes_between_the_look_and_the_question(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agent drops its attributes as soon as they were compared with those committed."""
    run = Git.run

    def drops(self: Git, *args: str, **more: Any) -> bytes:
        if args[0] == "check-attr":
            (workspace / ".gitattributes").write_text("")
        return run(self, *args, **more)

    monkeypatch.setattr(Git, "run", drops)
    assert filters(workspace, "a.md") == {"a.md": "one"}


def test_a_commit_of_one_known_note_starts_few_gits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each costs some milliseconds, and a listing of all files many."""
    workspace = make_repo(tmp_path / "ws", {f"notes/{n}.md": "n\n" for n in range(20)})
    asked: list[tuple[str, ...]] = []
    call = Git._call

    def counted(self: Git, args: Any, *more: Any, **named: Any) -> Any:
        asked.append(tuple(args))
        return call(self, args, *more, **named)

    monkeypatch.setattr(Git, "_call", counted)
    write(workspace, {"notes/3.md": "ours\n"})
    assert commit(workspace, "notes/3.md").problems == ()
    assert len(asked) <= 8, asked
    assert git(workspace, "status", "--porcelain") == ""
