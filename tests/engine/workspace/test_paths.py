"""Every way out of a workspace is closed, and no access waits for anything (G15, G17)."""

import os
import socket
import stat
import threading
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.errors import Damaged, MemdeckError, Refused, Unreachable
from engine.workspace.paths import MAX_KEPT, FileMissing, WorkspaceRoot, read_to_end, relative_path
from tests.turn import examples

NO_PATHS = [
    "", "/", "/etc/passwd", ".", "..", "a/..", "../a", "a/../b", "a/./b", "a//b", "a/", "./a", "a\0b", "a\nb", "a\tb",
    "a\x1b[2Jb", "a\x7f", "a\x85b", "a\u2028b", "a\\b", "..\\a", "a\udcffb", "a/b\r.md",
]  # fmt: skip
PATHS = [
    "a",
    "a.md",
    "...",
    "..a",
    "a..",
    "a b/c.md",
    "-rf",
    "~",
    "$HOME",
    "日記/メモ.md",
    "👩\u200d💻.md",
    "a\u202eb.md",
    "a:b",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace beside a folder that must never be read."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x.md").write_bytes(b"OUTSIDE")
    workspace = tmp_path / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "memory" / "x.md").write_bytes(b"inside")
    return workspace


@pytest.fixture
def root(folder: Path) -> Iterator[WorkspaceRoot]:
    with WorkspaceRoot.open(folder) as opened:
        yield opened


@pytest.mark.parametrize("text", NO_PATHS)
def test_g15_paths_that_are_refused(text: str, root: WorkspaceRoot) -> None:
    for use in (relative_path, root.read, root.lstat):
        with pytest.raises(Refused) as refusal:
            use(text)
        assert refusal.value.line().isprintable()


@pytest.mark.parametrize("text", PATHS)
def test_paths_that_are_taken(text: str) -> None:
    assert relative_path(text) == text


@given(st.text(alphabet=st.sampled_from("ab./\\\0\n~"), max_size=12) | st.text(max_size=12))
@example("a/../../b")
def test_a_taken_path_is_normal_and_stays_below(text: str) -> None:
    try:
        path = relative_path(text)
    except Refused:
        return
    assert os.path.normpath(path) == path == str(PurePosixPath(path))
    assert not path.startswith("/")
    assert ".." not in path.split("/")
    path.encode()


def test_opening_what_is_no_folder_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "loop").symlink_to("loop")
    for name in ("missing", "file", "fifo", "loop", "nul\0"):
        with pytest.raises(Damaged, match="no workspace here"):
            WorkspaceRoot.open(tmp_path / name)


def test_g17_identity_is_the_real_folder(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(folder)
    with WorkspaceRoot.open(tmp_path / "alias") as root:
        facts = folder.stat()
        assert (root.identity.path, root.identity.device, root.identity.inode) == (
            str(folder.resolve()),
            facts.st_dev,
            facts.st_ino,
        )
        assert root.read("memory/x.md") == b"inside"


def test_links_are_refused_wherever_they_stand(folder: Path, root: WorkspaceRoot, tmp_path: Path) -> None:
    (folder / "out").symlink_to(tmp_path / "outside")
    (folder / "in").symlink_to("memory")
    (folder / "memory" / "link.md").symlink_to(tmp_path / "outside" / "x.md")
    (folder / "memory" / "dangling.md").symlink_to("nowhere")
    for path in ("out/x.md", "in/x.md", "memory/link.md", "memory/dangling.md"):
        with pytest.raises(Refused, match="a link; links are not followed") as refusal:
            root.read(path)
        assert refusal.value.where == path
    with pytest.raises(Refused, match=r"^out: a link; links are not followed · put a real folder there$"):
        root.open_folder("out")
    with pytest.raises(Refused, match=r"^out/x/y: out: a link"):
        root.open_folder("out/x/y")
    with pytest.raises(Refused, match="a link"):
        root.lstat("out/x.md")
    facts = root.lstat("out")
    assert facts is not None
    assert stat.S_ISLNK(facts.st_mode)


@pytest.mark.timeout(20)
def test_nothing_waits_for_a_fifo_a_socket_or_a_folder(
    folder: Path, root: WorkspaceRoot, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(folder / "fifo.md")
    (folder / "folder.md").mkdir()
    monkeypatch.chdir(folder)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.md")
        for path, reason in (
            ("fifo.md", "a FIFO"),
            ("folder.md", "a folder in place of a file"),
            ("socket.md", "a socket"),
            ("fifo.md/x.md", "fifo.md: not a folder"),
            ("memory/x.md/y.md", "x.md: not a folder"),
        ):
            with pytest.raises(Refused, match=reason):
                root.read(path)


def test_devices_are_refused(folder: Path, root: WorkspaceRoot) -> None:
    try:
        os.mknod(folder / "zero.md", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("making a device takes privileges")
    with pytest.raises(Refused, match="a device"):
        root.read("zero.md")


@pytest.mark.timeout(20)
def test_a_fifo_that_takes_a_files_place_after_it_was_looked_at_is_refused(
    folder: Path, root: WorkspaceRoot, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def swap_then_open(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path == "x.md":
            (folder / "memory" / "x.md").unlink()
            os.mkfifo(folder / "memory" / "x.md")
        return real(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", swap_then_open)
    with pytest.raises(Refused, match="a FIFO"):
        root.read("memory/x.md")


def test_limit(folder: Path, root: WorkspaceRoot) -> None:
    (folder / "ten").write_bytes(b"0123456789")
    assert root.read("ten", limit=10) == b"0123456789"
    with pytest.raises(Refused, match="larger than 9 bytes"):
        root.read("ten", limit=9)
    os.truncate(folder / "ten", 50 * 1024 * 1024)
    with pytest.raises(Refused, match="larger than 16 MiB"):
        root.read("ten")
    assert len(root.read("ten", limit=MAX_KEPT)) == 50 * 1024 * 1024
    os.truncate(folder / "ten", 1 << 40)
    with pytest.raises(Refused, match="larger than 64 MiB"):
        root.read("ten", limit=MAX_KEPT)


def test_a_file_that_grows_as_fast_as_it_is_read_has_an_end() -> None:
    """It tells another size than it has, like one that is being written to; so do the files of `/proc`."""
    fd = os.open("/dev/zero", os.O_RDONLY)
    try:
        with pytest.raises(Refused, match="larger than 1000 bytes"):
            read_to_end(fd, 0, 1000)
    finally:
        os.close(fd)


def test_what_is_gone_is_missing(root: WorkspaceRoot) -> None:
    for path in ("nothing.md", "no/thing.md", "memory/no/thing.md"):
        with pytest.raises(FileMissing):
            root.read(path)
        assert root.lstat(path) is None


def test_verify_notices_another_folder_in_its_place(folder: Path, root: WorkspaceRoot) -> None:
    root.verify()
    folder.rename(folder.with_name("moved"))
    with pytest.raises(Unreachable, match="gone"):
        root.verify()
    folder.mkdir()
    with pytest.raises(Damaged, match="another folder"):
        root.verify()


def test_a_closed_root_reads_nothing(folder: Path) -> None:
    root = WorkspaceRoot.open(folder)
    root.close()
    root.close()
    with pytest.raises(Damaged, match="cannot be entered"):
        root.read("memory/x.md")


def test_no_descriptor_is_left_open(folder: Path, root: WorkspaceRoot, tmp_path: Path) -> None:
    (folder / "out").symlink_to(tmp_path / "outside")
    os.mkfifo(folder / "fifo.md")
    before = set(Path("/proc/self/fd").iterdir()) if Path("/proc/self/fd").exists() else set()
    for path in ("memory/x.md", "out/x.md", "fifo.md", "memory/x.md/y", "no/x.md", "no.md", "a/../b", "memory"):
        for use in (root.read, root.lstat, root.open_folder):
            try:
                found = use(path)
            except MemdeckError:
                continue
            if isinstance(found, int):
                os.close(found)
    assert not before or set(Path("/proc/self/fd").iterdir()) == before


def test_g17_a_folder_swapped_for_a_link_on_the_way_never_leads_out(
    folder: Path, root: WorkspaceRoot, tmp_path: Path
) -> None:
    (folder / "link").symlink_to(tmp_path / "outside")
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            (folder / "memory").rename(folder / "parked")
            (folder / "link").rename(folder / "memory")
            (folder / "memory").rename(folder / "link")
            (folder / "parked").rename(folder / "memory")

    swapper = threading.Thread(target=swap)
    # A slow machine may find the folder swapped at each of a few hundred reads: the first comes before the swaps.
    outcomes = {root.read("memory/x.md").decode(): 1}
    swapper.start()
    try:
        for _ in range(examples(5_000)):
            try:
                outcome = root.read("memory/x.md").decode()
            except MemdeckError as problem:
                outcome = type(problem).__name__
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
    finally:
        done.set()
        swapper.join()
    assert outcomes["inside"] > 0
    assert set(outcomes) <= {"inside", "Refused", "FileMissing"}
