"""Execution: one at a time, durable before it says so, and nothing but its own paths."""

import os
import threading
from pathlib import Path

import pytest

from engine.errors import MemdeckError, Refused
from engine.plans.apply.entry import apply
from engine.plans.operation import OperationState
from engine.state.workspace_lock import hold
from tests.engine.plans.rig import START, Rig, append, create, move, overwrite

CHANGES = (
    create(1, "memory/episodic/new.md", "summary\n"),
    append(2, "memory/semantic/openclaw.md", "Title: y\n"),
    overwrite(3, "memory/notes.md", "new\n"),
    move(4, "memory/working/a.md", "memory/archive/a.md"),
)


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    rig = Rig(tmp_path / "workspace", tmp_path / "home")
    rig.write("memory/working/a.md", "alpha\n")
    rig.write("memory/semantic/openclaw.md", "Title: x\n")
    rig.write("memory/notes.md", "old\n")
    return rig


def test_b3_files_and_folders_are_fsynced_before_it_says_done(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """B3: after "done" a loss of power loses nothing: each new file, then each folder whose entries changed."""
    synced: list[str] = []
    fsync = os.fsync

    def noting(fd: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{fd}"))  # noqa: PTH115 (what the kernel says, not a path of ours)
        fsync(fd)

    if not Path("/proc/self/fd").exists():
        pytest.skip("needs /proc to tell what was fsynced")
    monkeypatch.setattr(os, "fsync", noting)
    operation = rig.apply(*CHANGES)
    memory = rig.folder.resolve() / "memory"
    folders = [memory, memory / "episodic", memory / "archive", memory / "working", memory / "semantic"]
    for folder in (*folders, rig.ctx.state.held):
        assert str(folder) in synced, folder
    staged = [name for name in synced if f"/stage/{operation.id}-" in name]
    assert len(staged) == 3
    last_staged = max(synced.index(name) for name in staged)
    first_visible = min(synced.index(str(memory / "episodic")), synced.index(str(memory / "semantic")))
    assert last_staged < first_visible
    record = next(n for n, name in enumerate(synced) if operation.id in name and "operations" in name)
    assert max(n for n, name in enumerate(synced) if name in map(str, folders)) < record


def test_each_folder_is_fsynced_once_however_many_files(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand notes in one folder cost one fsync of it per phase."""
    for n in range(20):
        rig.write(f"memory/working/{n}.md", f"{n}\n")
    count = [0]
    fsync = os.fsync

    def counting(fd: int) -> None:
        count[0] += 1
        fsync(fd)

    monkeypatch.setattr(os, "fsync", counting)
    rig.apply(*[move(n + 1, f"memory/working/{n}.md", f"memory/archive/{n}.md") for n in range(20)])
    assert count[0] < 30


def test_only_one_at_a_time(rig: Rig) -> None:
    """C2: while another holds the lock, exit 3 and nothing written."""
    plan = rig.plan(*CHANGES)
    before = rig.tree()
    with hold(rig.ctx.state, now=START, purpose="applying another"), pytest.raises(Refused, match="applying another"):
        apply(rig.ctx, plan, rig.approve(plan))
    assert rig.tree() == before


def test_two_applies_at_once_apply_once(rig: Rig) -> None:
    """B4: two consoles, one plan: one of them applies it, the other is told."""
    plan = rig.plan(*CHANGES)
    approvals = [rig.approve(plan), rig.approve(plan)]
    contexts = [rig.open(), rig.open()]
    outcomes: list[object] = []

    def run(k: int) -> None:
        try:
            outcomes.append(apply(contexts[k], plan, approvals[k]).state)
        except MemdeckError as error:
            outcomes.append(type(error))

    threads = [threading.Thread(target=run, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert OperationState.DONE in outcomes
    assert Refused in outcomes
    assert rig.read("memory/semantic/openclaw.md") == b"Title: x\nTitle: y\n"


def test_nothing_else_in_the_workspace_is_touched(rig: Rig) -> None:
    """DESIGN §1: times and inodes of all other files stay."""
    for n in range(5):
        rig.write(f"memory/other/{n}.md", f"{n}\n")
    others = sorted((rig.folder / "memory/other").iterdir())
    before = [(file.stat().st_mtime_ns, file.stat().st_ino, file.stat().st_ctime_ns) for file in others]
    moved = (rig.folder / "memory/working/a.md").stat()
    rig.apply(*CHANGES)
    assert [(file.stat().st_mtime_ns, file.stat().st_ino, file.stat().st_ctime_ns) for file in others] == before
    arrived = (rig.folder / "memory/archive/a.md").stat()
    assert (arrived.st_ino, arrived.st_mtime_ns) == (moved.st_ino, moved.st_mtime_ns)
    assert {file.name for file in rig.folder.iterdir()} == {"memory"}


def test_more_folders_than_descriptors_are_no_trouble(rig: Rig) -> None:
    """Folders are opened as needed and given back: 200 of them with 64 open at once."""
    before = len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 0
    operation = rig.apply(*[create(n + 1, f"memory/episodic/{n}/note.md", f"{n}\n") for n in range(200)])
    assert len(operation.done) == 200
    rig.undo()
    assert not (rig.folder / "memory/episodic").exists()
    if before:
        assert len(list(Path("/proc/self/fd").iterdir())) <= before + 1
