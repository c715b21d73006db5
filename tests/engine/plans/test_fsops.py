"""The one writer's primitives, on kernels and file systems that can and cannot exchange (A10)."""

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.plans.apply import filesystem
from engine.plans.apply.filesystem import FolderEntry
from engine.text.canonical_json import sha256_hex
from tests.turn import ROOT

KERNELS = ("new", "links", "bare")


@pytest.fixture
def here(tmp_path: Path) -> Iterator[int]:
    fd = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    yield fd
    os.close(fd)


@pytest.fixture(params=KERNELS)
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the file system can do: exchange, only link, or neither."""
    kind = str(request.param)
    if kind != "new":
        monkeypatch.setattr(filesystem, "_rename", lambda source, target, flag: False)
    if kind == "bare":

        def no_link(*_: object, **__: object) -> None:
            raise PermissionError(errno.EPERM, "no links here")

        monkeypatch.setattr(os, "link", no_link)
    return kind


def test_a10_renaming_never_replaces(tmp_path: Path, here: int, kernel: str) -> None:
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    with pytest.raises(FileExistsError):
        filesystem.rename_noreplace(FolderEntry(here, "a"), FolderEntry(here, "b"))
    assert (tmp_path / "a").read_text() == "a"
    assert (tmp_path / "b").read_text() == "b"
    filesystem.rename_noreplace(FolderEntry(here, "a"), FolderEntry(here, "c"))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["b", "c"]
    with pytest.raises(FileNotFoundError):
        filesystem.rename_noreplace(FolderEntry(here, "gone"), FolderEntry(here, "d"))


def test_a10_displacing_keeps_the_old_inode(tmp_path: Path, here: int, kernel: str) -> None:
    (tmp_path / "target").write_text("old")
    (tmp_path / "new").write_text("new")
    with (tmp_path / "target").open("a") as writer:
        filesystem.displace(FolderEntry(here, "new"), FolderEntry(here, "target"), FolderEntry(here, "keep"))
        writer.write(" and late")
    assert (tmp_path / "target").read_text() == "new"
    assert not (tmp_path / "new").exists()
    if kernel == "bare":
        assert not (tmp_path / "keep").exists(), "only its bytes in the store remain"
    else:
        assert (tmp_path / "keep").read_text() == "old and late"


def test_displacing_what_is_gone_says_so(tmp_path: Path, here: int) -> None:
    (tmp_path / "new").write_text("new")
    with pytest.raises(FileNotFoundError):
        filesystem.displace(FolderEntry(here, "new"), FolderEntry(here, "target"), FolderEntry(here, "keep"))
    assert (tmp_path / "new").read_text() == "new"


def test_a_rename_cut_between_link_and_unlink_is_finished(tmp_path: Path, here: int, kernel: str) -> None:
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").symlink_to("elsewhere")
    with pytest.raises(FileExistsError):
        filesystem.rename_noreplace(FolderEntry(here, "a"), FolderEntry(here, "b"))
    if kernel != "bare":  # where renames are whole, a power cut may leave both names
        (tmp_path / "c").hardlink_to(tmp_path / "a")
        filesystem.rename_noreplace(FolderEntry(here, "a"), FolderEntry(here, "c"))
        assert not (tmp_path / "a").exists()


def test_looking_hashes_regular_files_alone(tmp_path: Path, here: int) -> None:
    (tmp_path / "file").write_bytes(b"bytes")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "file")
    os.mkfifo(tmp_path / "fifo")
    found = filesystem.look(FolderEntry(here, "file"))
    assert found is not None
    assert found.sha256 == sha256_hex(b"bytes")
    assert found.inode == ((tmp_path / "file").stat().st_dev, (tmp_path / "file").stat().st_ino)
    for name in ("folder", "link", "fifo"):
        other = filesystem.look(FolderEntry(here, name))
        assert other is not None
        assert other.sha256 is None, name
    assert filesystem.look(FolderEntry(here, "missing")) is None


def test_staging_takes_after_the_file_it_replaces(tmp_path: Path, here: int) -> None:
    (tmp_path / "old").write_text("old")
    (tmp_path / "old").chmod(0o640)
    if os.geteuid() == 0:
        os.chown(tmp_path / "old", 1234, 4321)
    like = (tmp_path / "old").stat()
    filesystem.stage(FolderEntry(here, "new"), b"new", like, None)
    made = (tmp_path / "new").stat()
    assert (stat.S_IMODE(made.st_mode), made.st_uid, made.st_gid) == (0o640, like.st_uid, like.st_gid)
    with pytest.raises(FileExistsError):
        filesystem.stage(FolderEntry(here, "new"), b"again", like, None)


def test_staging_something_new_takes_after_its_folder(tmp_path: Path, here: int) -> None:
    if os.geteuid() == 0:
        os.chown(tmp_path, 1234, 4321)
    filesystem.stage(FolderEntry(here, "new"), b"x", None, here)
    made = (tmp_path / "new").stat()
    assert stat.S_IMODE(made.st_mode) == 0o666 & ~filesystem.umask()
    assert (made.st_uid, made.st_gid) == (tmp_path.stat().st_uid, tmp_path.stat().st_gid)


@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_cannot_be_made_is_told_with_its_whole_path(tmp_path: Path, here: int, what: str) -> None:
    if not Path("/proc/self/fd").exists():
        pytest.skip("only /proc tells the name of a descriptor")
    name = "n" * 300
    with pytest.raises(OSError, match="File name too long") as failed:
        if what == "file":
            filesystem.stage(FolderEntry(here, name), b"x", None, None)
        else:
            filesystem.make_folder(here, name)
    assert failed.value.filename == str(tmp_path / name)


def test_a_link_is_never_written_through(tmp_path: Path, here: int) -> None:
    """E3: a link that takes the staged file's name is met with an error, its target untouched."""
    (tmp_path / "outside").write_text("outside")
    (tmp_path / "new").symlink_to(tmp_path / "outside")
    with pytest.raises(FileExistsError):
        filesystem.stage(FolderEntry(here, "new"), b"x", None, None)
    assert (tmp_path / "outside").read_text() == "outside"


def test_folders_are_made_once_and_removed_only_when_empty(tmp_path: Path, here: int) -> None:
    assert filesystem.make_folder(here, "folder")
    assert not filesystem.make_folder(here, "folder")
    (tmp_path / "folder" / "file").write_text("")
    assert not filesystem.remove_folder(here, "folder")
    (tmp_path / "folder" / "file").unlink()
    assert filesystem.remove_folder(here, "folder")
    assert not filesystem.remove_folder(here, "folder")
    (tmp_path / "folder").write_text("a file now")
    assert not filesystem.remove_folder(here, "folder")


def test_dropping_twice_is_fine(tmp_path: Path, here: int) -> None:
    (tmp_path / "x").write_text("")
    filesystem.drop(FolderEntry(here, "x"))
    filesystem.drop(FolderEntry(here, "x"))


def test_errors_of_the_kernel_keep_their_number(here: int, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    with pytest.raises(OSError, match="name too long") as failed:
        filesystem.rename_noreplace(FolderEntry(here, "a"), FolderEntry(here, "x" * 300))
    assert failed.value.errno == errno.ENAMETOOLONG


def test_the_mask_for_new_files_is_the_process_own(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o666 & ~filesystem.umask()


def test_the_mask_is_known_to_a_process_whose_name_is_no_utf_8() -> None:
    code = (
        "import ctypes, os; ctypes.CDLL(None).prctl(15, b'\\xe9tude', 0, 0, 0); os.umask(0o027);"
        "from engine.plans.apply.filesystem import umask; print(oct(umask()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "0o27\n"
