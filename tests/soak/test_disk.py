"""The disk of the campaign keeps what a file system promises, and of the rest no more than chance."""

import random
import struct
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.plans.apply.recovery import _outcome
from engine.plans.operation import OperationKind, OperationState
from tests.engine.monitoring.test_digest import operation
from tests.soak.disk import Disk, Node, changes, put_back
from tests.soak.page import CUTS, compiler
from tests.soak.point import Point
from tests.soak.process import Ran
from tests.soak.verdict import told_by
from tests.soak.workers import Worker
from tests.turn import TURN

NEW = (1, 2**40)
"""A device and inode that no file of a test has."""


@pytest.mark.parametrize(
    ("state", "told"),
    [(OperationState.DONE, "done"), (OperationState.ROLLED_BACK, "undone"), (OperationState.PARTIAL, "")],
)
def test_recover_is_held_to_the_way_that_it_says_it_went(state: OperationState, told: str) -> None:
    said = _outcome(operation(1, datetime.now(UTC), OperationKind.APPLY, state)).what
    assert told_by(Ran(0, said, "", ""), recovers=True) == told
    assert told_by(Ran(1, said, "", ""), recovers=True) == ""
    assert told_by(Ran(0, "nothing to recover", "", ""), recovers=True) == ""
    assert told_by(Ran(0, said, "", ""), recovers=False) == "done"


def record(kind: str, node: tuple[int, int], **more: object) -> bytes:
    """One record as `faults.c` writes it."""
    folder, other = more.get("folder", (0, 0)), more.get("other", (0, 0))
    names = [str(more.get(name, "")).encode() for name in ("name", "second")]
    data = bytes(more.get("data", b""))  # type: ignore[call-overload]
    body = b"".join(names) + data
    head = struct.Struct("=13q")
    length = (head.size + len(body) + 7) // 8 * 8
    at, when = more.get("at", 0), more.get("when", 0)
    facts = (*node, *folder, *other, at, when, *map(len, names), len(data))  # type: ignore[misc]
    whole: bytes = head.pack(length, ord(kind), *facts) + body
    return whole.ljust(length, b"\0")


def key(path: Path) -> tuple[int, int]:
    facts = path.lstat()
    return facts.st_dev, facts.st_ino


def left(root: Path, log: bytes, mode: str, seed: str = "") -> dict[str, bytes | None]:
    disk = Disk([root])
    disk.run(memoryview(log))
    return {path: one.data for path, one in disk.survivors(mode, seed)[root].items()}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "a").mkdir(parents=True)
    (folder / "b").mkdir()
    (folder / "a/note").write_bytes(b"old")
    return folder


def test_what_was_not_synced_is_gone_and_what_was_is_not(root: Path) -> None:
    note = key(root / "a/note")
    write = record("w", note, at=0, data=b"new words")
    assert left(root, write, "cut")["a/note"] == b"old"
    assert left(root, write, "cut-names")["a/note"] == b"new words"
    assert left(root, write + record("y", note), "cut")["a/note"] == b"new words"


def test_a_new_file_vanishes_whose_folder_was_not_synced(root: Path) -> None:
    folder = key(root / "a")
    new = record("o", NEW, folder=folder, name="new") + record("w", NEW, data=b"x") + record("y", NEW)
    assert "a/new" not in left(root, new, "cut")
    assert left(root, new, "cut-data")["a/new"] == b"x"
    assert left(root, new + record("y", folder), "cut")["a/new"] == b"x"
    unsynced = record("o", NEW, folder=folder, name="new") + record("w", NEW, data=b"x") + record("y", folder)
    assert left(root, unsynced, "cut")["a/new"] == b"", "its name came through, and nothing of it"


def test_a_renamed_file_is_at_the_one_name_or_at_the_other(root: Path) -> None:
    note, a, b = key(root / "a/note"), key(root / "a"), key(root / "b")
    move = record("r", note, folder=a, other=b, name="note", second="moved")
    assert left(root, move, "cut") == {"a": None, "a/note": b"old", "b": None}
    for synced in (a, b):
        assert left(root, move + record("y", synced), "cut")["b/moved"] == b"old"
    for seed in range(50):
        files = {path for path, data in left(root, move, "cut-mixed", str(seed)).items() if data is not None}
        assert files in ({"a/note"}, {"b/moved"}, {"a/note", "b/moved"}), "never nowhere"


def test_two_files_change_their_places_together(root: Path) -> None:
    (root / "b/other").write_bytes(b"other")
    note, other, a, b = (key(root / name) for name in ("a/note", "b/other", "a", "b"))
    exchange = record("x", note, folder=a, other=b, name="note", second="other", at=other[0], when=other[1])
    for log, mode in ((exchange, "cut"), (exchange + record("y", a), "cut"), (exchange, "cut-mixed")):
        found = left(root, log, mode)
        assert sorted(filter(None, (found["a/note"], found["b/other"]))) == [b"old", b"other"]
    assert left(root, exchange + record("y", b), "cut")["a/note"] == b"other"


def test_a_folder_that_vanishes_takes_what_is_in_it(root: Path) -> None:
    inner, file = (1, 2**41), NEW
    made = record("m", inner, folder=key(root / "a"), name="inner") + record("o", file, folder=inner, name="new")
    assert "a/inner/new" not in left(root, made + record("y", inner), "cut")
    assert "a/inner/new" in left(root, made + record("y", inner) + record("y", key(root / "a")), "cut")


def test_a_record_that_was_cut_off_ends_the_log() -> None:
    whole = record("w", NEW, data=b"x")
    assert len(list(changes(memoryview(whole + whole[:50])))) == 1
    assert len(list(changes(memoryview(whole + bytes(200))))) == 1


STEP = st.tuples(st.sampled_from("wty"), st.integers(0, 20), st.binary(max_size=9))


@given(st.lists(STEP, max_size=9), st.integers())
def test_what_chance_keeps_lies_between_the_durable_and_the_whole(
    steps: list[tuple[str, int, bytes]], seed: int
) -> None:
    """Of the writes since the last fsync any first part came through, and never a later one alone."""
    disk = Disk([])
    node = NEW
    disk._nodes[node] = held = Node("file", node)
    possible = [b""]
    for kind, at, data in steps:
        disk.run(memoryview(record(kind, node, at=0 if kind == "y" else at, data=b"" if kind != "w" else data)))
        possible = [held.now] if kind == "y" else [*possible, held.now]
    kept = disk._left(held, "file", "cut-mixed", random.Random(seed)).data
    assert kept in possible


@pytest.fixture
def limbo(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "limbo"
    folder.mkdir()
    yield folder
    assert not list(folder.iterdir())


def test_files_keep_their_inodes_through_a_cut(root: Path, limbo: Path) -> None:
    """Journals name inodes, as after a real cut."""
    note, a = key(root / "a/note"), key(root / "a")
    disk = Disk([root])
    (limbo / f"{note[0]}-{note[1]}").hardlink_to(root / "a/note")
    (root / "a/note").unlink()
    (root / "b/extra").write_bytes(b"not seen before")
    disk.run(memoryview(record("u", note, folder=a, name="note")))
    put_back(disk.survivors("cut", ""), {note[0]: limbo})
    assert key(root / "a/note") == note
    assert (root / "a/note").stat().st_nlink == 1
    assert [path.name for path in root.rglob("*") if path.is_file()] == ["note"]


def test_a_file_that_went_to_another_folder_comes_back_as_the_same(root: Path, limbo: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    note, a = key(root / "a/note"), key(root / "a")
    disk = Disk([root, state])
    (root / "a/note").rename(state / "held")
    disk.run(memoryview(record("r", note, folder=a, other=key(state), name="note", second="held")))
    put_back(disk.survivors("cut", ""), {note[0]: limbo})
    assert key(root / "a/note") == note
    assert not list(state.iterdir())


@pytest.mark.sampled(2)
@pytest.mark.timeout(900)
@pytest.mark.skipif(compiler() is None, reason="needs Linux and a C compiler for tests/soak/faults.c")
def test_a_power_cut_is_survived_and_every_change_is_seen() -> None:
    """A command of the campaign at a call for each kind of cut, or behind it; no change of it is unseen."""
    draw = random.Random(TURN)
    name = draw.choice(("apply tree", "plan compact", "capture --close", "tag"))
    worker = Worker()
    try:
        calls = worker.count(name)
        assert worker.unseen(name) == ()
        for mode in CUTS:
            at = draw.choice((draw.randint(1, len(calls)), len(calls) + 1))
            result = worker.point(Point(name, mode, at))
            assert result.problems == (), (name, mode, at)
    finally:
        worker.close()
