"""Scanning: what is seen, what is skipped and why, and that an unchanged file is never opened again."""

import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import pytest

from engine.errors import Cancelled, Damaged, Stale
from engine.text.canonical_json import sha256_hex
from engine.text.tokens import counter
from engine.workspace import changed_files as reading_module
from engine.workspace import paths as paths_module
from engine.workspace import unscanned as facts_module
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.scanner import Scanner
from engine.workspace.values import Capability, DateSource, FileDate, MemoryTier, Progress
from engine.workspace.walk import MAX_DEPTH
from tests.engine.workspace.scanning import NOW, Place, opened_files, reasons, without_privileges


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    made.root.close()


# --- what a note is -------------------------------------------------------------------------------------------------


def test_the_facts_of_a_note(place: Place) -> None:
    text = "\ufeff---\r\ntitle: A\r\nsource-date: 2026-02-01\r\n---\r\none two\r\nthree"
    place.write("memory/working/2026-03-01-a.md", text)
    found = place.scan().files["memory/working/2026-03-01-a.md"]
    assert found.size == len(text.encode())
    assert found.sha256 == sha256_hex(text.encode())
    assert (found.lines, found.bom, found.crlf) == (6, True, True)
    assert found.tokens == counter("words*1.3").count(text.removeprefix("\ufeff"))
    assert found.date == FileDate(date(2026, 2, 1), DateSource.FRONTMATTER)
    assert found.frontmatter == {"title": "A", "source-date": "2026-02-01"}
    assert (found.frontmatter_problem, found.notes) == (None, ())


@pytest.mark.parametrize(
    ("data", "lines"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"\n\n", 2), (b"a\x0cb", 1)]
)
def test_d23_lines_are_physical(place: Place, data: bytes, lines: int) -> None:
    place.write("MEMORY.md", data)
    assert place.scan().files["MEMORY.md"].lines == lines


def test_remarks_name_conflicts_blocks_and_secrets_but_never_the_secret(place: Place) -> None:
    key = "AKIA" + "Q7RZ5TX2LMN4PW9K"
    place.write("a.md", f"<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n\nthe key is {key}\n")
    place.write("2026-02-30.md", "<!-- openclaw:dreaming:start -->\nx\n<!-- openclaw:dreaming:end -->\n")
    files = place.scan().files
    conflict, secret = files["a.md"].notes
    assert "merge-conflict" in conflict
    assert "on line 7" in secret
    assert key not in secret
    quarantined, block = files["2026-02-30.md"].notes
    assert "2026-02-30 in the file name does not exist" in quarantined
    assert "openclaw dreaming" in block


def test_a_future_date_is_no_remark_of_a_scan(place: Place) -> None:
    place.write("2099-01-01.md")
    assert place.scan().files["2099-01-01.md"].notes == ()


def test_two_notes_of_one_name_are_two(place: Place) -> None:
    place.write("memory/working/a.md", "one")
    place.write("memory/episodic/a.md", "two")
    snapshot = place.scan()
    assert list(snapshot.files) == ["memory/episodic/a.md", "memory/working/a.md"]
    assert [found.path for found in snapshot.tier(MemoryTier.WORKING)] == ["memory/working/a.md"]


def test_a17_only_regular_star_md_count_and_what_is_skipped_is_listed(place: Place) -> None:
    working = place.folder / "memory" / "working"
    place.write("memory/working/good.md")
    place.write("memory/working/.gitkeep")
    place.write("memory/working/.memdeck-tmp-1")
    place.write("memory/working/.hidden.md")
    place.write("memory/working/notes.txt")
    place.write("memory/working/UPPER.MD")
    place.write("memory/working/sub/deep.md")
    place.write("memory/archive/2026/old.md")
    place.write("memory/archive/2026/old.txt")
    place.write("elsewhere/notes.txt")
    place.write("memory/working/folder.md/inside.md")
    place.write("memory/working/nul.md", b"a\0b")
    place.write("memory/working/latin.md", b"caf\xe9")
    place.write("memory/working/backslash\\name.md")
    os.mkfifo(working / "fifo.md")
    (working / "link.md").symlink_to(place.outside / "x.md")
    os.truncate(place.write("memory/working/big.md"), 16 * 1024 * 1024 + 1)
    os.truncate(place.write("memory/working/fifty.md"), 50 * 1024 * 1024)
    snapshot = place.scan()
    assert list(snapshot.files) == [
        "memory/archive/2026/old.md",
        "memory/working/good.md",
        "memory/working/sub/deep.md",
    ]
    assert {path.removeprefix("memory/working/"): reason for path, reason in reasons(snapshot).items()} == {
        ".hidden.md": "a hidden file",
        "notes.txt": "not a *.md file",
        "UPPER.MD": "it ends with other letters than .md: rename it, and it is a note",
        "sub": "a folder; only files directly in the memory tier count",
        "memory/archive/2026/old.txt": "not a *.md file",
        "folder.md": "a folder with the name of a note; nothing in it is read",
        "nul.md": "a NUL byte on line 1",
        "latin.md": "not UTF-8: byte 0xe9 on line 1",
        "backslash\\name.md": "its name holds a backslash",
        "fifo.md": "a FIFO",
        "link.md": "a link; links are not followed",
        "big.md": "larger than 16 MiB",
        "fifty.md": "larger than 16 MiB",
    }
    assert [item.path for item in snapshot.skipped] == sorted(item.path for item in snapshot.skipped)


def test_links_out_of_the_workspace_are_listed_and_never_followed(place: Place) -> None:
    (place.outside / "secret.md").write_text("secret")
    (place.folder / "notes").symlink_to(place.outside)
    (place.folder / "secret.md").symlink_to(place.outside / "secret.md")
    (place.folder / "memory").mkdir()
    (place.folder / "memory" / "working").symlink_to(place.outside)
    (place.folder / "self").symlink_to(".")
    snapshot = place.scan()
    assert dict(snapshot.files) == {}
    assert set(reasons(snapshot)) == {"notes", "secret.md", "memory/working", "self"}
    assert snapshot.capabilities == frozenset()


def test_a_file_in_place_of_the_memory_folder_is_named(place: Place) -> None:
    place.write("memory", "a file")
    assert reasons(place.scan()) == {"memory": "not a folder"}


def test_files_and_fifos_in_place_of_a_tiers_folder_are_named(place: Place) -> None:
    place.write("memory/working", "a file")
    os.mkfifo(place.folder / "memory" / "episodic")
    assert reasons(place.scan()) == {"memory/working": "not a folder", "memory/episodic": "not a folder"}


def test_sockets_are_skipped(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place.folder)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.md")
        assert reasons(place.scan()) == {"s.md": "a socket"}


@pytest.mark.parametrize(
    ("name", "shown", "reason"),
    [
        (b"a\nb.md", "a␊b.md", "control characters"),
        (b"\x1b[2J\x07.md", "␛[2J␇.md", "control characters"),
        (b"bad\xff\xfe.md", "bad⟨xFF⟩⟨xFE⟩.md", "not valid UTF-8"),
        ("c1\x9b.md".encode(), "c1⟨U+009B⟩.md", "control characters"),
        ("line\u2028.md".encode(), "line⟨U+2028⟩.md", "control characters"),
    ],
)
def test_names_that_cannot_be_used_are_skipped_in_a_visible_form(
    place: Place, name: bytes, shown: str, reason: str
) -> None:
    for folder in (b"memory/working/", b""):
        (place.folder / os.fsdecode(folder)).mkdir(parents=True, exist_ok=True)
        (place.folder / os.fsdecode(folder + name)).write_text("x")
        (place.folder / os.fsdecode(folder + name.removesuffix(b".md"))).mkdir()
    found = reasons(place.scan())
    for path in (shown, f"memory/working/{shown}", shown.removesuffix(".md")):
        assert reason in found[path]
    assert all(path.isprintable() for path in found)


def test_names_that_only_look_odd_are_used(place: Place) -> None:
    names = [
        "-rf.md",
        "[red]x[/red].md",
        "a b.md",
        "emoji 👩\u200d💻.md",
        "rtl\u202e.md",
        "日記.md",
        "~.md",
        "%2e%2e.md",
    ]
    for name in names:
        place.write(name)
    assert set(place.scan().files) == set(names)


def test_hidden_folders_and_packages_are_not_entered(place: Place) -> None:
    for folder in (".git", ".memdeck", ".venv", ".obsidian", "node_modules", "a/node_modules", "venv"):
        place.write(f"{folder}/x.md")
    snapshot = place.scan()
    assert dict(snapshot.files) == {}
    assert snapshot.skipped == ()


def test_folders_nested_too_deep_are_named(place: Place) -> None:
    place.write("/".join(["d"] * MAX_DEPTH) + "/reached.md")
    place.write("/".join(["d"] * (MAX_DEPTH + 2)) + "/unreached.md")
    scanner = place.scanner()
    snapshot = scanner.scan(NOW)
    assert [path.rpartition("/")[2] for path in snapshot.files] == ["reached.md"]
    assert set(reasons(snapshot).values()) == {f"nested more than {MAX_DEPTH} folders deep"}
    too_deep = next(iter(reasons(snapshot)))
    again = scanner.refresh([too_deep], NOW)
    assert (dict(again.files), again.skipped) == (dict(snapshot.files), snapshot.skipped)


@pytest.mark.sampled(4)
def test_a_million_lines_and_one_long_line(place: Place) -> None:
    place.write("lines.md", b"line\n" * 1_000_000)
    place.write("line.md", b"word " * 3_000_000)
    files = place.scan().files
    assert files["lines.md"].lines == 1_000_000
    assert files["line.md"].lines == 1


# --- what cannot be read --------------------------------------------------------------------------------------------


@pytest.fixture
def open_place() -> Iterator[Place]:
    """A workspace that another user could reach: temporary folders of the tests are closed to others."""
    with tempfile.TemporaryDirectory() as base:
        Path(base).chmod(0o755)
        yield Place(Path(base))


def test_what_may_not_be_read_is_skipped_with_the_reason(open_place: Place) -> None:
    place = open_place
    place.write("open.md")
    place.write("locked.md").chmod(0)
    place.write("shut/x.md")
    (place.folder / "shut").chmod(0)
    place.folder.chmod(0o755)
    scanner = place.scanner()
    with without_privileges():
        snapshot = scanner.scan(NOW)
        again = scanner.refresh(["shut", "shut/x.md", "locked.md"], NOW)
    (place.folder / "shut").chmod(0o755)
    assert list(snapshot.files) == ["open.md"]
    assert reasons(snapshot) == {"locked.md": "permission denied", "shut": "permission denied"}
    assert (dict(again.files), set(reasons(again))) == (dict(snapshot.files), {"locked.md", "shut"})
    assert set(scanner.scan(NOW).files) >= {"open.md", "shut/x.md"}


def test_a_read_only_workspace_is_scanned(open_place: Place) -> None:
    place = open_place
    place.write("a.md")
    place.folder.chmod(0o555)
    with without_privileges():
        assert list(place.scan().files) == ["a.md"]
    place.folder.chmod(0o755)


def test_a_state_folder_that_cannot_be_written_is_said_and_scanning_goes_on(place: Place) -> None:
    place.write("a.md")
    place.cache_file.parent.write_text("a file in place of the folder")
    scanner = place.scanner()
    assert list(scanner.scan(NOW).files) == ["a.md"]
    assert scanner.cache_problem is not None


def test_a_missing_workspace_is_damaged_and_an_empty_one_is_not(place: Place) -> None:
    scanner = place.scanner()
    snapshot = scanner.scan(NOW)
    assert (dict(snapshot.files), snapshot.skipped, snapshot.capabilities) == ({}, (), frozenset())
    shutil.rmtree(place.folder)
    with pytest.raises(Damaged):
        scanner.scan(NOW)
    with pytest.raises(Damaged):
        scanner.refresh(["a.md"], NOW)


def test_a_file_that_vanishes_during_the_scan_is_ignored(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write("a.md")
    place.write("b/b.md")
    real = facts_module.read_still

    def vanish(folder: int, name: str, clock: facts_module.Clock) -> facts_module.StableRead:
        (place.folder / "a.md").unlink(missing_ok=True)
        shutil.rmtree(place.folder / "b", ignore_errors=True)
        return real(folder, name, clock)

    monkeypatch.setattr(reading_module, "read_still", vanish)
    snapshot = place.scan()
    assert (dict(snapshot.files), snapshot.skipped) == ({}, ())


@pytest.mark.parametrize(("writes", "is_read"), [(2, True), (3, False)])
def test_a_file_that_changes_while_it_is_read_is_read_three_times_at_most(
    place: Place, monkeypatch: pytest.MonkeyPatch, writes: int, is_read: bool
) -> None:
    target = place.write("a.md", "start\n")
    left = [writes]
    real = paths_module.read_to_end

    def write_meanwhile(fd: int, size: int, limit: int) -> bytes:
        data = real(fd, size, limit)
        if left[0] > 0:
            left[0] -= 1
            target.write_bytes(target.read_bytes() + b"more\n")
        return data

    monkeypatch.setattr(facts_module, "read_to_end", write_meanwhile)
    scanner = place.scanner()
    snapshot = scanner.scan(NOW)
    if is_read:
        assert snapshot.files["a.md"].sha256 == sha256_hex(target.read_bytes())
    else:
        assert reasons(snapshot) == {"a.md": "changes while it is being read"}
        assert scanner.scan(NOW).files["a.md"].sha256 == sha256_hex(target.read_bytes())


def test_content_is_that_of_the_snapshot_or_stale(place: Place) -> None:
    place.write("a.md", "one")
    snapshot = place.scan()
    assert snapshot.content("a.md") == b"one"
    place.write("a.md", "two")
    with pytest.raises(Stale, match=r"a\.md"):
        snapshot.content("a.md")
    (place.folder / "a.md").unlink()
    with pytest.raises(Stale, match=r"a\.md"):
        snapshot.content("a.md")


# --- an unchanged file is never opened again ------------------------------------------------------------------------


def fill(place: Place, count: int = 120) -> None:
    for number in range(count):
        place.write(f"memory/working/n{number % 7}/note-{number}.md", f"note {number}\n")
    place.write("memory/working/bad.md", b"\xff")
    place.write("memory/working/nul.md", b"\0")


def test_a_second_scan_opens_no_note(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(place)
    scanner = place.scanner()
    with opened_files(monkeypatch) as first:
        before = scanner.scan(NOW)
    assert len(set(first)) == 122
    with opened_files(monkeypatch) as again:
        assert scanner.scan(NOW) == before
        assert place.scan().files == before.files
        assert reasons(place.scan()) == reasons(before)
    assert again == []


SCAN = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.scanner import Scanner
from engine.text.tokens import counter
root = WorkspaceRoot.open(Path(sys.argv[1]))
scanner = Scanner(root, cache_file=Path(sys.argv[2]), counter=counter("words*1.3"), zone="UTC")
print(len(scanner.scan(datetime.now(UTC)).files))
"""


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_paths_and_signatures_are_held_once(place: Place) -> None:
    for number in range(3):
        place.write(f"memory/working/note-{number}.md", f"note {number}\n")
    place.scanner().scan(NOW)
    scanner = place.scanner()
    snapshot = scanner.scan(NOW)
    listing = scanner._listing
    assert listing is not None
    for path, mark in listing.files.items():
        facts = snapshot.files[path]
        assert path is facts.path
        assert mark is scanner._cache.entries[path].signature
    assert {id(path) for path in scanner._cache.entries} == {id(path) for path in listing.files}


def test_the_system_sees_no_note_opened_after_a_restart(place: Place, tmp_path: Path) -> None:
    fill(place)

    def traced() -> tuple[str, int]:
        log = tmp_path / "trace"
        command = ["strace", "-f", "-qq", "-e", "trace=open,openat,openat2", "-o", str(log), sys.executable, "-c", SCAN]
        run = subprocess.run([*command, str(place.folder), str(place.cache_file)], capture_output=True, text=True)
        if "ptrace" in run.stderr.lower():
            pytest.skip("tracing is not permitted here")
        assert run.returncode == 0, run.stderr
        return run.stdout.strip(), sum('.md"' in line for line in log.read_text().splitlines())

    files, opened = traced()
    assert (files, opened >= 122) == ("120", True)
    assert traced() == ("120", 0)


def test_exactly_the_changed_files_are_opened(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(place)
    place.scan()
    place.write("memory/working/n1/note-1.md", "NOTE 1\n")
    (place.folder / "memory/working/n2/note-2.md").rename(place.folder / "memory/working/n2/moved.md")
    os.utime(place.folder / "memory/working/n3/note-3.md")
    place.write("memory/working/new.md")
    with opened_files(monkeypatch) as names:
        snapshot = place.scan()
    assert set(names) == {"note-1.md", "moved.md", "note-3.md", "new.md"}
    assert "memory/working/n2/note-2.md" not in snapshot.files
    assert snapshot.files["memory/working/n1/note-1.md"].sha256 == sha256_hex(b"NOTE 1\n")


def test_bytes_that_were_counted_before_are_not_counted_again(place: Place) -> None:
    class Counting:
        name = "counting"
        degraded_reason: str | None = None
        counted = 0

        def count(self, text: str) -> int:
            self.counted += 1
            return len(text)

    tokens = Counting()
    fill(place, 10)
    place.scanner(tokens=tokens).scan(NOW)
    assert tokens.counted == 10
    (place.folder / "memory/working/n2/note-2.md").rename(place.folder / "memory/working/moved.md")
    os.utime(place.folder / "memory/working/n3/note-3.md")
    snapshot = place.scanner(tokens=tokens).scan(NOW)
    assert tokens.counted == 10
    assert snapshot.files["memory/working/moved.md"].tokens == len("note 2\n")


def test_a_change_within_the_tick_of_the_clock_is_never_missed(place: Place) -> None:
    """Same size, same name, written right after a scan: what git calls racy."""
    target = place.folder / "a.md"
    scanner = place.scanner()
    for number in range(60):
        data = f"{number:04}".encode()
        with target.open("r+b" if number else "wb") as file:
            file.write(data)
        source = scanner if number % 2 else place.scanner()
        assert source.scan(NOW).files["a.md"].sha256 == sha256_hex(data)


def test_a_write_with_the_same_time_stamp_as_the_read_is_not_believed(place: Place) -> None:
    """A clock that stands still: the file cannot be told from one written after it was read."""
    target = place.write("a.md", "one")
    stamp = target.stat().st_ctime_ns
    frozen = Scanner(
        place.root,
        cache_file=place.cache_file,
        counter=counter("words*1.3"),
        zone="UTC",
        clock=lambda: stamp,
    )
    frozen.scan(NOW)
    assert frozen._cache.entries["a.md"].racy
    assert place.scanner()._cache.entries["a.md"].racy
    target.write_text("two")
    assert frozen.scan(NOW).files["a.md"].sha256 == sha256_hex(b"two")


def test_files_on_a_coarse_clock_are_read_again_until_they_are_old(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = 1_000_000_000
    mark = (4, 50 * second, 50 * second, 1, 1)
    assert facts_module.settled_at(mark) == 52 * second
    assert facts_module.settled_at((4, 50 * second, 50 * second + 1, 1, 1)) == 50 * second + 1 + facts_module.TICK_NS


def test_a_damaged_cache_is_rebuilt(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(place, 10)
    before = place.scan()
    whole = place.cache_file.read_bytes()
    for damage in (b"", whole[:40], whole[:-1], b"\0" * 1000, whole[:100] + b"\xff" + whole[101:]):
        place.cache_file.write_bytes(damage)
        with opened_files(monkeypatch) as names:
            assert place.scan().files == before.files
        assert len(set(names)) == 12
        with opened_files(monkeypatch) as names:
            place.scan()
        assert names == []


@pytest.mark.sampled(3)
def test_while_an_agent_writes_the_last_scan_is_right(place: Place) -> None:
    fill(place, 20)
    done = threading.Event()
    random_one = random.Random(1)

    def write() -> None:
        while not done.is_set():
            number = random_one.randrange(20)
            with (place.folder / f"memory/working/n{number % 7}/note-{number}.md").open("ab") as file:
                file.write(b"x")

    writer = threading.Thread(target=write)
    writer.start()
    scanner = place.scanner()
    try:
        for _ in range(30):
            scanner.scan(NOW)
    finally:
        done.set()
        writer.join()
    snapshot = scanner.scan(NOW)
    assert len(snapshot.files) == 20
    for path, found in snapshot.files.items():
        assert found.sha256 == sha256_hex((place.folder / path).read_bytes())


# --- progress and cancelling ----------------------------------------------------------------------------------------


def test_progress_is_told_about_every_fifty_files(place: Place) -> None:
    fill(place, 200)
    told: list[Progress] = []
    scanner = place.scanner()
    scanner.scan(NOW, tick=told.append)
    steps = [step.done for step in told if step.stage == "reading"]
    assert steps == [0, 50, 100, 150, 200, 202]
    assert {step.total for step in told if step.stage == "reading"} == {202}
    assert any(step.stage == "listing" and step.total is None for step in told)
    told.clear()
    scanner.scan(NOW, tick=told.append)
    assert all(step.stage == "listing" for step in told)


def test_the_notes_of_one_large_folder_are_counted_while_it_is_listed(place: Place) -> None:
    folder = place.folder / "memory/working"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(2_100):
        (folder / f"2026-01-01-note-{number}.md").touch()
    told: list[Progress] = []
    place.scanner().scan(NOW, tick=told.append)
    counts = [step.done for step in told if step.stage == "listing"]
    assert counts == sorted(counts)
    assert len([count for count in counts if 0 < count < 2_100]) >= 2


def test_what_a_cancelled_scan_read_is_kept(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(place, 200)

    def cancel(step: Progress) -> None:
        if step.stage == "reading" and step.done >= 100:
            raise Cancelled("cancelled")

    scanner = place.scanner()
    place.age()
    with pytest.raises(Cancelled):
        scanner.scan(NOW, tick=cancel)
    with opened_files(monkeypatch) as names:
        assert len(place.scan().files) == 200
    assert len(set(names)) == 102
    with pytest.raises(Cancelled):
        place.scanner().scan(NOW, tick=lambda step: cancel(Progress("reading", 100)))


def test_a_cancelled_scan_leaves_no_descriptor_open(place: Place) -> None:
    descriptors = Path("/proc/self/fd")
    if not descriptors.exists():
        pytest.skip("no /proc here")
    fill(place, 60)

    def cancel(step: Progress) -> None:
        if step.done >= 5:
            raise Cancelled("cancelled")

    before = set(descriptors.iterdir())
    for _ in range(3):
        with pytest.raises(Cancelled):
            place.scanner().scan(NOW, tick=cancel)
    place.scan()
    assert set(descriptors.iterdir()) == before


# --- dates from git -------------------------------------------------------------------------------------------------


class Git:
    def __init__(self, known: dict[str, date]) -> None:
        self.known = known
        self.asked: list[list[str]] = []

    def __call__(self, paths: Sequence[str]) -> dict[str, date]:
        self.asked.append(sorted(paths))
        return {path: self.known[path] for path in paths if path in self.known}


def test_g8_git_is_asked_once_and_only_for_files_without_a_date(place: Place) -> None:
    place.write("plain.md")
    place.write("untracked.md")
    place.write("2026-01-01.md")
    place.write("front.md", "---\ndate: 2026-01-02\n---\n")
    place.write(".git/logs/HEAD", "one\n")
    git = Git({"plain.md": date(2026, 1, 3)})
    files = place.scanner(git).scan(NOW).files
    assert git.asked == [["plain.md", "untracked.md"]]
    assert files["plain.md"].date == FileDate(date(2026, 1, 3), DateSource.GIT)
    assert files["untracked.md"].date.source is DateSource.MTIME
    again = place.scanner(git).scan(NOW)
    assert again.files == files
    assert len(git.asked) == 1


def test_a_commit_has_undated_files_looked_up_again(place: Place) -> None:
    place.write("plain.md")
    place.write(".git/logs/HEAD", "one\n")
    git = Git({})
    place.scanner(git).scan(NOW)
    git.known["plain.md"] = date(2026, 1, 3)
    place.write(".git/logs/HEAD", "one\ntwo\n")
    assert place.scanner(git).scan(NOW).files["plain.md"].date.source is DateSource.GIT
    place.write(".git/logs/HEAD", "one\ntwo\nthree\n")
    place.scanner(git).scan(NOW)
    assert git.asked == [["plain.md"], ["plain.md"]]


def test_a_file_keeps_its_first_commit_through_a_change_and_a_refresh_asks_nothing(place: Place) -> None:
    place.write("plain.md")
    git = Git({"plain.md": date(2026, 1, 3), "new.md": date(2026, 1, 4)})
    scanner = place.scanner(git)
    scanner.scan(NOW)
    place.write("plain.md", "changed")
    place.write("new.md")
    files = scanner.refresh(["plain.md", "new.md"], NOW).files
    assert files["plain.md"].date.source is DateSource.GIT
    assert files["new.md"].date.source is DateSource.MTIME
    assert len(git.asked) == 1
    assert scanner.scan(NOW).files["new.md"].date == FileDate(date(2026, 1, 4), DateSource.GIT)


# --- looking again at what changed ----------------------------------------------------------------------------------


def same(place: Place, scanner: Scanner, paths: Sequence[str]) -> None:
    """A refresh of `paths` sees what a new scan sees."""
    fresh = place.scan()
    snapshot = scanner.refresh(paths, NOW)
    assert list(snapshot.files.items()) == list(fresh.files.items())
    assert snapshot.skipped == fresh.skipped
    assert snapshot.capabilities == fresh.capabilities


def test_refresh_sees_what_was_changed_made_and_removed(place: Place) -> None:
    fill(place, 20)
    scanner = place.scanner()
    before = scanner.scan(NOW)
    kept = dict(before.files)
    place.write("memory/working/n1/note-1.md", "changed")
    same(place, scanner, ["memory/working/n1/note-1.md"])
    place.write("memory/working/aaa.md", "new")
    same(place, scanner, ["memory/working/aaa.md"])
    (place.folder / "memory/working/n2/note-2.md").unlink()
    same(place, scanner, ["memory/working/n2/note-2.md"])
    place.write("topics/a/b/c.md", "a new folder, told by its deepest file only")
    same(place, scanner, ["topics/a/b/c.md"])
    assert Capability.TOPICS in scanner.refresh([], NOW).capabilities
    (place.folder / "memory/working").rename(place.folder / "memory/episodic")
    same(place, scanner, ["memory/working", "memory/episodic"])
    shutil.rmtree(place.folder / "memory")
    same(place, scanner, ["memory/episodic/n1", "memory"])
    assert dict(before.files) == kept


def test_refresh_sees_files_change_their_kind(place: Place) -> None:
    target = place.write("a.md")
    scanner = place.scanner()
    scanner.scan(NOW)
    target.unlink()
    os.mkfifo(target)
    same(place, scanner, ["a.md"])
    target.unlink()
    target.symlink_to(place.outside)
    same(place, scanner, ["a.md"])
    target.unlink()
    place.write("a.md/b.md")
    same(place, scanner, ["a.md/b.md"])
    shutil.rmtree(target)
    place.write("a.md", b"\xff")
    same(place, scanner, ["a.md"])
    place.write("a.md", b"text")
    same(place, scanner, ["a.md"])


def test_refresh_takes_any_path_and_never_enters_closed_folders(place: Place) -> None:
    place.write("a.md")
    scanner = place.scanner()
    scanner.scan(NOW)
    place.write(".git/x.md")
    place.write("node_modules/p/x.md")
    (place.folder / "out").symlink_to(place.outside)
    (place.outside / "x.md").write_text("outside")
    same(place, scanner, [".git/x.md", "node_modules/p/x.md", "out/x.md", "out", "never/was.md", ".memdeck-1"])
    (place.folder / "b\n.md").write_text("x")
    same(place, scanner, ["b\n.md"])
    (place.folder / os.fsdecode(b"\xff.md")).write_text("x")
    same(place, scanner, [os.fsdecode(b"\xff.md")])
    place.write("c.md")
    same(place, scanner, ["../../etc/passwd", "/etc/passwd"])
    place.write("d.md")
    same(place, scanner, [""])


def test_a_refresh_before_the_first_scan_is_a_scan(place: Place) -> None:
    place.write("a.md")
    assert list(place.scanner().refresh(["b.md"], NOW).files) == ["a.md"]


def test_what_a_refresh_read_is_stored_on_close(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    scanner = place.scanner()
    scanner.scan(NOW)
    place.write("a.md")
    place.age()
    scanner.refresh(["a.md"], NOW)
    scanner.save()
    with opened_files(monkeypatch) as names:
        assert list(place.scan().files) == ["a.md"]
    assert names == []


@pytest.mark.parametrize("seed", range(6))
def test_any_refresh_sees_what_a_new_scan_sees(place: Place, seed: int) -> None:
    chance = random.Random(seed)
    scanner = place.scanner()
    scanner.scan(NOW)
    for _ in range(25):
        touched: list[str] = []
        for _ in range(chance.randrange(1, 5)):
            touched += random_change(place, chance)
        same(place, scanner, touched)


def random_change(place: Place, chance: random.Random) -> list[str]:
    """Changes something somewhere; returns the paths that a watcher would tell."""
    folders = ["memory", "memory/working", "memory/archive/x", "topics", "a.md", "deep/er"]
    folder = chance.choice(folders)
    path = f"{folder}/{chance.choice(['a.md', 'b.md', 'c.txt', '2026-01-01.md'])}"
    target = place.folder / path
    match chance.randrange(4):
        case 0 | 1:
            if not target.is_dir() and not any(part.is_symlink() for part in target.parents):
                place.write(path, chance.choice([b"one", b"two\n", b"\xff"]))
        case 2:
            target.unlink(missing_ok=True)
        case _:
            other = chance.choice(folders)
            if (place.folder / folder).exists() and not (place.folder / other).exists():
                (place.folder / other).parent.mkdir(parents=True, exist_ok=True)
                if not other.startswith(folder + "/"):
                    (place.folder / folder).rename(place.folder / other)
                return [folder, other]
            shutil.rmtree(place.folder / folder, ignore_errors=True)
            return [folder]
    return [path]


def test_pictures_are_never_changed(place: Place) -> None:
    place.write("a.md")
    snapshot = place.scan()
    with pytest.raises(TypeError):
        snapshot.files["b.md"] = snapshot.files["a.md"]  # type: ignore[index]


def test_several_threads_scan_at_once(place: Place) -> None:
    fill(place, 60)
    scanner = place.scanner()
    counts: list[int] = []
    threads = [threading.Thread(target=lambda: counts.append(len(scanner.scan(NOW).files))) for _ in range(4)]
    threads += [threading.Thread(target=lambda: counts.append(len(place.scan().files))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [60] * 8


def test_the_workspace_is_named_by_its_identity(place: Place) -> None:
    snapshot = place.scan()
    with WorkspaceRoot.open(place.folder) as root:
        assert snapshot.workspace == root.identity
    assert (snapshot.zone, snapshot.tokenizer, snapshot.taken_at) == ("UTC", "words*1.3", NOW)
