"""File systems: state on another one, moves across two, a full one, a read-only one (A10, B2)."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import Conflict, MemdeckError
from engine.plans.apply import folders
from engine.plans.apply.entry import apply
from engine.plans.apply.recovery import recover
from engine.plans.operation import OperationState
from engine.plans.records.displaced import late_bytes
from engine.state.private_files import hooked
from tests.engine.plans.campaign import Crash
from tests.engine.plans.rig import Rig, append, create, move, overwrite

CHANGES = (
    create(1, "memory/episodic/a.md", "summary\n"),
    append(2, "memory/semantic/openclaw.md", "Title: y\n"),
    overwrite(3, "memory/notes.md", "new\n"),
    move(4, "memory/working/a.md", "memory/archive/a.md"),
)


def filled(rig: Rig) -> Rig:
    rig.write("memory/working/a.md", "alpha\n")
    rig.write("memory/semantic/openclaw.md", "Title: x\n")
    rig.write("memory/notes.md", "old\n")
    (rig.folder / "memory/archive").mkdir()
    return rig


def pretend_mounts(monkeypatch: pytest.MonkeyPatch, *mounts: Path) -> None:
    """Has the executor believe that these folders are on mounts of their own, and the kernel refuse to cross them."""
    tops = [mount.resolve() for mount in mounts]

    def mount_of(fd: int) -> folders.Mount:
        here = Path(f"/proc/self/fd/{fd}").resolve()
        return 1, next((str(top) for top in tops if here.is_relative_to(top)), "")

    monkeypatch.setattr(folders, "mount_of", mount_of)


def tmpfs(place: Path, size: str) -> Iterator[Path]:
    """A real file system of its own; skips where mounting is not permitted."""
    place.mkdir()
    options = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "memdeck-test", str(place)]
    try:
        mounted = subprocess.run(options, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("mount is not installed")
    if mounted.returncode != 0:
        pytest.skip(f"mounting is not permitted here: {mounted.stderr.decode().strip()[:100]}")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    yield from tmpfs(tmp_path / "small", "256k")


@pytest.fixture(params=["pretended", "real"])
def apart(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    """State and workspace on two file systems."""
    if request.param == "pretended":
        pretend_mounts(monkeypatch, tmp_path / "workspace")
        yield filled(Rig(tmp_path / "workspace", tmp_path / "home"))
        return
    for mounted in tmpfs(tmp_path / "mounted", "4m"):
        yield filled(Rig(mounted / "workspace", tmp_path / "home"))


def test_a10_state_elsewhere_holds_inside_the_workspace(apart: Rig) -> None:
    """A10: what was displaced is then held in `.memdeck/held/`, which git and the agent's own commits leave out."""
    before = apart.tree()
    operation = apart.apply(*CHANGES)
    held = sorted(Path(file.place) for file in operation.held)
    assert len(held) == 2
    assert all(place.parent == apart.folder.resolve() / ".memdeck/held" for place in held)
    assert sorted(place.read_bytes() for place in held) == [b"Title: x\n", b"old\n"]
    assert apart.read(".memdeck/.gitignore") == b"*\n"
    assert not (apart.folder / ".memdeck/stage").exists()
    assert (apart.folder / ".memdeck").stat().st_mode & 0o777 == 0o700
    apart.undo()
    assert {path: data for path, data in apart.tree().items() if not path.startswith(".memdeck")} == before
    assert recover(apart.ctx) == ()


def test_a10_held_inside_goes_a_day_later_and_leaves_no_trace(apart: Rig) -> None:
    before = apart.tree()
    apart.apply(*CHANGES)
    apart.undo()
    apart.clock.at = apart.clock.at.replace(day=17)
    recover(apart.ctx)
    assert apart.tree() == before


def test_a10_late_bytes_inside_are_told(apart: Rig) -> None:
    with (apart.folder / "memory/notes.md").open("ab", buffering=0) as kept:
        apart.apply(*CHANGES)
        kept.write(b"late\n")
    (finding,) = late_bytes(apart.ctx.state, apart.ctx.displaced)
    assert finding.held.path == "memory/notes.md"


def test_a_yard_that_became_a_link_is_refused(apart: Rig, tmp_path: Path) -> None:
    """E3: an agent that plants a link at `.memdeck` gets nothing written through it."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (apart.folder / ".memdeck").symlink_to(outside)
    with pytest.raises(MemdeckError):
        apart.apply(*CHANGES)
    assert list(outside.iterdir()) == []
    assert apart.read("memory/notes.md") == b"old\n"


def test_a_yard_that_became_a_link_before_an_undo_is_named(apart: Rig, tmp_path: Path) -> None:
    done = apart.apply(*CHANGES)
    before = apart.tree()
    held = apart.folder / ".memdeck/held"
    held.rename(held.with_name("aside"))
    held.symlink_to(tmp_path)
    with pytest.raises(Conflict, match=r"\.memdeck/held: a link; links are not followed"):
        apart.undo(done.id)
    held.unlink()
    held.with_name("aside").rename(held)
    assert apart.tree() == before


# A move across two mounts ------------------------------------------------------------------------------------------


@pytest.fixture
def crossing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rig:
    """The archive on a mount of its own."""
    rig = filled(Rig(tmp_path / "workspace", tmp_path / "home"))
    pretend_mounts(monkeypatch, rig.folder / "memory/archive")
    return rig


def test_a10_a_move_across_mounts_copies_verifies_and_holds_the_source(crossing: Rig) -> None:
    inode = (crossing.folder / "memory/working/a.md").stat().st_ino
    before = crossing.tree()
    operation = crossing.apply(*CHANGES)
    assert crossing.read("memory/archive/a.md") == b"alpha\n"
    assert not (crossing.folder / "memory/working/a.md").exists()
    (source,) = [file for file in operation.held if file.path == "memory/working/a.md"]
    assert Path(source.place).stat().st_ino == inode, "moved to held, never unlinked"
    crossing.undo()
    after = {path: data for path, data in crossing.tree().items() if ".memdeck" not in path}
    assert after == before
    assert recover(crossing.ctx) == ()


def test_a10_a_write_during_a_move_across_mounts_takes_it_back(crossing: Rig) -> None:
    plan = crossing.plan(*CHANGES)
    before = crossing.tree()
    acted: list[str] = []

    def agent(name: str) -> None:
        if name == "rename" and not acted and (crossing.folder / "memory/archive/a.md").exists():
            acted.append(name)
            with (crossing.folder / "memory/working/a.md").open("a") as file:
                file.write("agent\n")

    with hooked(agent), pytest.raises(Conflict) as raised:
        apply(crossing.ctx, plan, crossing.approve(plan))
    assert raised.value.where == "memory/working/a.md"
    after = {path: data for path, data in crossing.tree().items() if ".memdeck" not in path}
    assert after == before | {"memory/working/a.md": b"alpha\nagent\n"}


MOVED_FIRST = (move(1, "memory/working/a.md", "memory/archive/a.md"), create(2, "memory/episodic/a.md", "summary\n"))


@pytest.mark.parametrize("late", [b"", b"agent\n"])
def test_a10_a_move_across_mounts_that_is_done_is_taken_back_unless_somebody_wrote_to_it(
    crossing: Rig, late: bytes
) -> None:
    plan, before = crossing.plan(*MOVED_FIRST), crossing.tree()

    def agent(name: str) -> None:
        archived = crossing.folder / "memory/archive/a.md"
        if archived.exists() and not (crossing.folder / "memory/working/a.md").exists():
            crossing.write("memory/episodic/a.md", "another's\n")
            archived.write_bytes(b"alpha\n" + late)

    with hooked(agent), pytest.raises(Conflict):
        apply(crossing.ctx, plan, crossing.approve(plan))
    after = {path: data for path, data in crossing.tree().items() if ".memdeck" not in path}
    (operation,) = tuple(crossing.ctx.operations.walk())
    assert operation.state is (OperationState.PARTIAL if late else OperationState.CONFLICT)
    assert after.pop("memory/episodic/a.md") == b"another's\n"
    assert after.get("memory/archive/a.md") == (b"alpha\n" + late if late else None)
    assert after.get("memory/working/a.md") == (None if late else before["memory/working/a.md"])


@pytest.mark.parametrize("rename", range(1, 8))
def test_b1_a_crash_during_a_move_across_mounts_recovers(crossing: Rig, rename: int) -> None:
    plan = crossing.plan(*CHANGES)
    left = [rename]

    def hook(name: str) -> None:
        left[0] -= name in ("rename", "exchange")
        if left[0] == 0:
            raise Crash

    with hooked(hook), contextlib.suppress(Crash):
        apply(crossing.ctx, plan, crossing.approve(plan))
    crossing.ctx = crossing.open()
    recover(crossing.ctx)
    assert recover(crossing.ctx) == ()
    (operation,) = tuple(crossing.ctx.operations.walk())
    moved = operation.state is OperationState.DONE
    assert (crossing.folder / "memory/archive/a.md").exists() is moved
    assert (crossing.folder / "memory/working/a.md").exists() is not moved
    assert crossing.read("memory/notes.md") == (b"new\n" if moved else b"old\n")


# Full and read-only ------------------------------------------------------------------------------------------------


def test_b2_a_full_workspace_is_met_before_anything_is_visible(small: Path, tmp_path: Path) -> None:
    """B2: a real full disk; afterwards everything is as it was, and works once there is room."""
    rig = filled(Rig(small / "workspace", tmp_path / "home"))
    plan = rig.plan(*CHANGES, create(5, "memory/episodic/big.md", "x" * 100_000))
    filler = small / "filler"
    with contextlib.suppress(OSError):
        filler.write_bytes(b"0" * 180_000)
    before = rig.tree()
    with pytest.raises(MemdeckError, match="No space left"):
        apply(rig.ctx, plan, rig.approve(plan))
    assert rig.tree() == before
    assert recover(rig.ctx) == ()
    filler.unlink()
    assert apply(rig.ctx, plan, rig.approve(plan)).state is OperationState.DONE


def test_b2_a_full_state_folder_is_met_before_anything_is_visible(small: Path, tmp_path: Path) -> None:
    rig = filled(Rig(tmp_path / "workspace", small / "home"))
    plan = rig.plan(*CHANGES)
    before = rig.tree()
    filler = small / "filler"
    with contextlib.suppress(OSError):
        filler.write_bytes(b"0" * 400_000)
    with pytest.raises(MemdeckError, match="No space left"):
        apply(rig.ctx, plan, rig.approve(plan))
    assert {path: data for path, data in rig.tree().items() if ".memdeck" not in path} == before
    filler.unlink()
    recover(rig.ctx)
    assert recover(rig.ctx) == ()
    assert {path: data for path, data in rig.tree().items() if ".memdeck" not in path} == before


def test_b2_a_workspace_that_became_read_only_is_met_before_anything_is_visible(small: Path, tmp_path: Path) -> None:
    """EROFS: nothing is there to take back, and nothing is left for `recover`."""
    rig = filled(Rig(small / "workspace", tmp_path / "home"))
    plan = rig.plan(*CHANGES, create(5, "memory/new/folder/x.md", "x"))
    before = rig.tree()
    _remount(small, "ro")
    try:
        with pytest.raises(MemdeckError, match="Read-only file system; everything was undone"):
            apply(rig.ctx, plan, rig.approve(plan))
    finally:
        _remount(small, "rw")
    assert rig.tree() == before
    assert recover(rig.ctx) == ()
    assert apply(rig.ctx, plan, rig.approve(plan)).state is OperationState.DONE


def _remount(place: Path, how: str) -> None:
    if subprocess.run(["mount", "-o", f"remount,{how}", str(place)], capture_output=True).returncode:
        pytest.skip("may not remount here")


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A temporary folder that another user may enter, unlike pytest's own."""
    place = Path(tempfile.mkdtemp())
    place.chmod(0o755)
    yield place
    shutil.rmtree(place)


def test_b2_a_folder_that_may_not_be_written_is_told(open_to_all: Path) -> None:
    """EACCES: a clean message, nothing changed. Root steps down for it, since it may write everywhere."""
    rig = filled(Rig(open_to_all / "workspace", open_to_all / "home"))
    plan = rig.plan(*CHANGES)
    before = rig.tree()
    (rig.folder / "memory/semantic").chmod(0o555)
    try:
        message = _apply_as_nobody(rig, plan.id) if os.geteuid() == 0 else _apply_and_tell(rig, plan.id)
    finally:
        (rig.folder / "memory/semantic").chmod(0o755)
    assert "Permission denied" in message
    assert message.endswith("everything was undone · make it writable for you, and try again")
    assert rig.tree() == before


def test_b2_a_folder_that_cannot_be_made_is_named_whole(open_to_all: Path) -> None:
    rig = filled(Rig(open_to_all / "workspace", open_to_all / "home"))
    plan = rig.plan(create(1, "memory/new/deep/a.md", "a\n"))
    (rig.folder / "memory").chmod(0o555)
    try:
        message = _apply_as_nobody(rig, plan.id) if os.geteuid() == 0 else _apply_and_tell(rig, plan.id)
    finally:
        (rig.folder / "memory").chmod(0o755)
    assert "memory/new: Permission denied; everything was undone" in message


def _apply_and_tell(rig: Rig, plan_id: str) -> str:
    plan = rig.ctx.queue.load(plan_id)
    try:
        apply(rig.ctx, plan, rig.approve(plan))
    except MemdeckError as error:
        return error.line()
    return "applied"


def _apply_as_nobody(rig: Rig, plan_id: str) -> str:
    """Applies in a child that gave up root, on files that belong to the user it became."""
    nobody = 65534
    for file in (rig.folder.parent, *rig.folder.parent.rglob("*")):
        os.chown(file, nobody, nobody)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgid(nobody)
        os.setuid(nobody)
        os.write(write, _apply_and_tell(rig, plan_id).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as said:
        message = said.read().decode()
    os.waitpid(child, 0)
    return message
