"""The state folder: private, and never inside the workspace (G19)."""

import errno
import os
import stat
from pathlib import Path

import pytest

from engine.errors import Damaged, Refused
from engine.state import private_files
from engine.state.folder import StateFolder, config_home, state_home
from engine.state.private_files import leftovers, write_private
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.system_calls import temporary, write_all
from engine.workspace.values import WorkspaceIdentity


def identity(folder: Path) -> WorkspaceIdentity:
    folder.mkdir(parents=True, exist_ok=True)
    with WorkspaceRoot.open(folder) as root:
        return root.identity


def test_each_workspace_has_a_private_folder_of_its_own(tmp_path: Path) -> None:
    state = StateFolder.locate(identity(tmp_path / "work"), tmp_path / "home")
    other = StateFolder.locate(identity(tmp_path / "else" / "work"), tmp_path / "home")
    assert state.path != other.path
    assert state.path.name.startswith("work-")
    assert StateFolder.locate(identity(tmp_path / "work"), tmp_path / "home") == state
    for folder in (state.path, state.queue, state.operations, state.displaced, state.held):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_folder_that_others_may_enter_is_closed(tmp_path: Path) -> None:
    state = StateFolder.locate(identity(tmp_path / "work"), tmp_path / "home")
    state.path.chmod(0o755)
    StateFolder.locate(identity(tmp_path / "work"), tmp_path / "home")
    assert stat.S_IMODE(state.path.stat().st_mode) == 0o700


@pytest.mark.parametrize("place", ["work", "work/state", "work/a/b", "link", "link/state"])
def test_g19_state_inside_the_workspace_is_refused(tmp_path: Path, place: str) -> None:
    """G19: also through a link, exit 3."""
    work = identity(tmp_path / "work")
    (tmp_path / "work" / "a").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "work" / "a")
    with pytest.raises(Refused) as refused:
        StateFolder.locate(work, tmp_path / place)
    assert refused.value.exit_code == 3
    assert sorted(file.name for file in (tmp_path / "work").iterdir()) == ["a"]


def test_g19_a_workspace_inside_the_state_is_refused(tmp_path: Path) -> None:
    """G19: the agent's files may not lie among the operator's records."""
    inner = identity(tmp_path / "home" / "workspaces" / "x" / "work")
    with pytest.raises(Refused, match="the workspace may not lie inside"):
        StateFolder.locate(inner, tmp_path / "home")


def test_a_state_home_that_cannot_be_made_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Damaged, match="no state folder"):
        StateFolder.locate(identity(tmp_path / "work"), tmp_path / "file")


def test_homes_follow_the_environment() -> None:
    assert state_home({"XDG_STATE_HOME": "/x"}) == Path("/x/memdeck")
    assert config_home({"XDG_CONFIG_HOME": "/c"}) == Path("/c/memdeck")
    assert config_home({"XDG_CONFIG_HOME": "relative", "HOME": "/h"}).is_absolute()


def test_state_files_are_replaced_as_a_whole(tmp_path: Path) -> None:
    write_private(tmp_path / "x.json", b"one")
    write_private(tmp_path / "x.json", b"two")
    assert (tmp_path / "x.json").read_bytes() == b"two"
    assert stat.S_IMODE((tmp_path / "x.json").stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["x.json"]


def test_only_dead_processes_leave_leftovers(tmp_path: Path) -> None:
    temporary(tmp_path / "x.json").write_bytes(b"ours, being written")
    (tmp_path / ".y.json.999999999-1.new").write_bytes(b"of a process long gone")
    (tmp_path / ".z.new").write_bytes(b"not ours")
    assert [file.name for file in leftovers(tmp_path)] == [".y.json.999999999-1.new"]


def test_a_state_file_that_finds_no_room_leaves_none_of_it_and_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_private(tmp_path / "x.json", b"one")

    def full(fd: int, data: bytes) -> None:
        os.write(fd, data[:2])
        raise OSError(errno.ENOSPC, "No space left on device", "/a/temporary/name")

    monkeypatch.setattr(private_files, "write_all", full)
    with pytest.raises(OSError, match="No space left on device") as failed:
        write_private(tmp_path / "x.json", b"two")
    assert failed.value.filename == str(tmp_path / "x.json")
    assert [file.name for file in tmp_path.iterdir()] == ["x.json"]
    assert (tmp_path / "x.json").read_bytes() == b"one"


def test_a_disk_that_is_full_is_named() -> None:
    if not Path("/dev/full").exists() or not Path("/proc/self/fd").exists():
        pytest.skip("no /dev/full or no /proc here")
    with Path("/dev/full").open("wb", buffering=0) as full, pytest.raises(OSError, match="/dev/full") as failed:
        write_all(full.fileno(), b"x")
    assert failed.value.errno == errno.ENOSPC


@pytest.mark.parametrize(
    "place", ["", "workspaces", "workspaces/ID", "workspaces/ID/queue", "workspaces/ID/audit.head"]
)
def test_g23_the_state_is_private_from_the_top_and_what_others_could_only_read_is_closed(
    tmp_path: Path, place: str
) -> None:
    work, home = identity(tmp_path / "work"), tmp_path / "state" / "memdeck"
    made = StateFolder.locate(work, home)
    write_private(made.path / "audit.head", b"{}")
    path = home / place.replace("ID", made.path.name)
    path.chmod(0o755)
    again = StateFolder.locate(work, home)
    assert [note.split(" ")[0] for note in again.closed] == [str(path)] and "0755" in again.closed[0]
    assert StateFolder.locate(work, home).closed == ()
    for folder, folders, _ in os.walk(home):
        assert {stat.S_IMODE((Path(folder) / one).stat().st_mode) for one in (".", *folders)} == {0o700}


@pytest.mark.parametrize(
    "place", ["..", "", "workspaces", "workspaces/ID", "workspaces/ID/queue", "workspaces/ID/audit.jsonl"]
)
def test_g23_a_state_that_others_could_write_is_refused_and_left_as_it_is(tmp_path: Path, place: str) -> None:
    work, home = identity(tmp_path / "work"), tmp_path / "state" / "memdeck"
    made = StateFolder.locate(work, home)
    made.audit.write_bytes(b"")
    path = (home / place.replace("ID", made.path.name)).resolve()
    path.chmod(0o777)
    with pytest.raises(Refused, match="other users may write it") as refused:
        StateFolder.locate(work, home)
    assert refused.value.exit_code == 3
    assert refused.value.where == str(path) and "chmod" in refused.value.hint
    private_files.make_private(path) if path.is_dir() else None
    assert stat.S_IMODE(path.stat().st_mode) == 0o777


def test_g23_a_folder_like_tmp_may_lie_above_the_state(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state").chmod(0o1777)
    StateFolder.locate(identity(tmp_path / "work"), tmp_path / "state" / "memdeck")
    StateFolder.locate(identity(tmp_path / "work"), tmp_path / "state" / "memdeck")


@pytest.mark.parametrize("place", ["workspaces", "workspaces/ID", "workspaces/ID/queue", "workspaces/ID/ledger.jsonl"])
def test_g23_no_link_leads_out_of_the_state(tmp_path: Path, place: str) -> None:
    work, home = identity(tmp_path / "work"), tmp_path / "state" / "memdeck"
    made = StateFolder.locate(work, home)
    path = home / place.replace("ID", made.path.name)
    target = tmp_path / "work" / "taken"
    path.rename(target) if path.exists() else target.write_bytes(b"")
    path.symlink_to(target)
    with pytest.raises(Refused) as refused:
        StateFolder.locate(work, home)
    assert refused.value.exit_code == 3 and refused.value.where in (str(path), str(target))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
@pytest.mark.parametrize("place", ["", "workspaces", "workspaces/ID", "workspaces/ID/operations"])
def test_g23_a_state_of_another_user_is_refused(tmp_path: Path, place: str) -> None:
    work, home = identity(tmp_path / "work"), tmp_path / "state" / "memdeck"
    path = home / place.replace("ID", StateFolder.locate(work, home).path.name)
    os.chown(path, 1234, 1234)
    with pytest.raises(Refused, match="belongs to another user"):
        StateFolder.locate(work, home)
