"""A name is on the disk before anything rests on it: what a power cut drops, git's own names among it (D22, G23, D49).

git fsyncs its files and none of its folders. The fault campaign (`tests/soak`) cuts the power at each call; here is
each name that it found missing.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.history import refs
from engine.history.exploration_start import explore
from engine.history.git_locks import Begun
from engine.history.new_repository import begin_repository, may_begin
from engine.history.shared_store import SharedStore
from engine.history.tags import TagKind, make_tag
from engine.models.cost_ledger import CostLedger, LedgerLine
from engine.state.folder import StateFolder
from engine.state.private_files import make_private
from engine.workspace.system_calls import fsync_tree
from engine.workspace.values import WorkspaceIdentity
from tests.engine.history.repos import commit, found, git, make_repo, write


class Synced:
    """The files and folders that were fsynced so far, by their inodes."""

    def __init__(self) -> None:
        self.inodes: list[int] = []

    def __contains__(self, path: Path) -> bool:
        return path.stat().st_ino in self.inodes

    def missing(self, *paths: Path) -> list[Path]:
        return [path for path in paths if path not in self]


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> Iterator[Synced]:
    seen, real = Synced(), os.fsync

    def fsync(fd: int) -> None:
        seen.inodes.append(os.fstat(fd).st_ino)
        real(fd)

    monkeypatch.setattr(os, "fsync", fsync)
    yield seen


def test_g23_a_new_state_folder_is_on_the_disk_with_every_folder_above_it(tmp_path: Path, synced: Synced) -> None:
    folder = tmp_path / "home/.local/state/memdeck"
    (tmp_path / "ws").mkdir()
    facts = (tmp_path / "ws").stat()
    state = StateFolder.locate(
        WorkspaceIdentity(path=str(tmp_path / "ws"), device=facts.st_dev, inode=facts.st_ino), folder
    )
    above = [place for place in state.path.parents if place.is_relative_to(tmp_path)]
    assert synced.missing(state.path, *above) == []
    make_private(state.path / "a/b")
    assert synced.missing(state.path / "a") == []


def test_g23_a_link_that_leads_nowhere_is_no_state_folder(tmp_path: Path) -> None:
    (tmp_path / "memdeck").symlink_to(tmp_path / "gone")
    with pytest.raises(OSError, match="exists"):
        make_private(tmp_path / "memdeck")


@pytest.mark.parametrize("notes", [1, 40], ids=["each in a file", "by fast-import"])
def test_d22_objects_are_on_the_disk_before_the_branch_names_them(
    tmp_path: Path, synced: Synced, monkeypatch: pytest.MonkeyPatch, notes: int
) -> None:
    """A branch that came through a power cut alone would name a commit that is nowhere."""
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    write(workspace, {f"{n}.md": f"{n}\n" for n in range(notes)})
    objects = workspace / ".git/objects"
    before = {path for path in objects.rglob("*") if path.is_file()}
    late: list[Path] = []
    real = refs._moved

    def moved(*arguments: object) -> str:
        new = {path.parent for path in objects.rglob("*") if path.is_file() and path not in before}
        late.extend(synced.missing(objects, *new))
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(refs, "_moved", moved)
    assert commit(workspace, *(f"{n}.md" for n in range(notes))).problems == ()
    assert late == []
    assert workspace / ".git/refs/heads" in synced
    assert workspace / ".git" in synced, "the index's name"


def test_d22_a_commit_that_was_cut_off_is_on_the_disk_once_it_is_found_again(tmp_path: Path, synced: Synced) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    write(workspace, {"a.md": "ours\n"})
    made = commit(workspace, "a.md").commit
    synced.inodes.clear()
    assert commit(workspace, "a.md").commit == made
    assert workspace / ".git/refs/heads" in synced


def test_d22_a_tag_is_on_the_disk_with_the_folders_made_for_it(tmp_path: Path, synced: Synced) -> None:
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    make_tag(found(workspace).git, TagKind.MILESTONE, "one", git(workspace, "rev-parse", "HEAD"), tmp_path / "scratch")
    tags = workspace / ".git/refs/tags"
    assert synced.missing(tags / "memory/milestone", tags / "memory", tags, tags.parent, tags.parent.parent) == []


def test_d22_an_exploration_is_on_the_disk_before_its_intent_goes(
    tmp_path: Path, synced: Synced, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cut in between left a folder of records beside git's own that nothing knew of any more."""
    workspace = make_repo(tmp_path / "ws", {"a.md": "a\n"})
    records = workspace / ".git/worktrees/try"
    late: list[Path] = []

    def done(begun: Begun) -> None:
        late.extend(synced.missing(records / "HEAD", records / "gitdir", records, records.parent))
        begun.file.unlink()

    monkeypatch.setattr(Begun, "done", done)
    explore(found(workspace), "try", tmp_path / "try", tmp_path / "scratch")
    assert late == []
    assert not list((tmp_path / "scratch").glob("intent-*"))


def test_d22_a_new_repository_is_on_the_disk_and_one_without_a_head_is_begun_again(
    tmp_path: Path, synced: Synced
) -> None:
    """Git writes HEAD without an fsync; a power cut leaves it empty, which git takes for no repository."""
    begin_repository(tmp_path, os.environ)
    head = tmp_path / ".git/HEAD"
    assert synced.missing(tmp_path, head, head.parent / "config", head.parent / "refs/heads", head.parent) == []
    assert not may_begin(tmp_path)
    head.write_bytes(b"")
    assert may_begin(tmp_path)
    begin_repository(tmp_path, os.environ)
    assert git(tmp_path, "symbolic-ref", "HEAD") == "refs/heads/main"
    shutil.rmtree(tmp_path / ".git/objects")
    (tmp_path / ".git/config.lock").touch()
    assert may_begin(tmp_path), "a git that is killed in `init` leaves no objects, and the lock of its settings"
    begin_repository(tmp_path, os.environ)
    assert not (tmp_path / ".git/config.lock").exists()
    assert git(tmp_path, "status", "--porcelain") == ""
    head.unlink()
    head.symlink_to(tmp_path / "elsewhere")
    assert not may_begin(tmp_path), "a link is somebody's, wherever it leads"


def test_a_shared_store_that_a_power_cut_left_half_made_is_begun_again(tmp_path: Path, synced: Synced) -> None:
    team = make_repo(tmp_path / "team", {"deploy.md": "# Deploy\n"}, "-b", "main")
    (tmp_path / "ws").mkdir()
    folder = tmp_path / "state/shared/team.git"
    folder.mkdir(parents=True)
    for name in ("HEAD", "config"):
        (folder / name).write_bytes(b"")
    store = SharedStore(folder, tmp_path / "ws", {**os.environ, "GIT_ALLOW_PROTOCOL": "file"})
    assert store.fetch(str(team)) == git(team, "rev-parse", "HEAD")
    assert synced.missing(folder / "HEAD", folder / "config", folder, folder / "refs") == []


def test_d49_a_new_ledger_and_what_is_reserved_are_on_the_disk(tmp_path: Path, synced: Synced) -> None:
    line = LedgerLine(time=None, role="gate", model="small", input=1, output=1, usd=1.0)
    ledger = CostLedger(tmp_path / "ledger.jsonl")
    key = ledger.reserve(line)
    assert tmp_path in synced
    synced.inodes.clear()
    ledger.book(key, line)
    assert tmp_path in synced, "the reservation is gone, and stays gone"


def test_a_tree_is_made_durable_and_no_link_is_followed(tmp_path: Path, synced: Synced) -> None:
    (tmp_path / "out").write_bytes(b"out")
    tree = tmp_path / "tree"
    (tree / "below").mkdir(parents=True)
    (tree / "below/file").write_bytes(b"x")
    (tree / "link").symlink_to(tmp_path / "out")
    os.mkfifo(tree / "fifo")
    fsync_tree(tree)
    assert synced.missing(tree, tree / "below", tree / "below/file") == []
    assert tmp_path / "out" not in synced
