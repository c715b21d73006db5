"""Several consoles at once, and one that is killed while it writes: right answers after it (D9, D14)."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from engine.search.indexing.update import bring_in, changes, known_files
from engine.search.store.schema import Database
from engine.search.store.vault import Vault
from tests.engine.search.place import NONE, HashEmbedder, MakePlace, SearchPlace

WRITER = """
import sys, time
from pathlib import Path
from tests.engine.search.place import HashEmbedder, SearchPlace
place = SearchPlace(Path(sys.argv[1]), HashEmbedder())
print("ready", flush=True)
for number in range(10_000):
    place.write(f"w{sys.argv[2]}.md", f"zebra writer{sys.argv[2]} round{number} " * 40)
    place.update()
    time.sleep(0.02)
"""


def start(base: Path, name: str) -> "subprocess.Popen[str]":
    root = Path(__file__).parents[3]
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(base), name],
        stdout=subprocess.PIPE,
        text=True,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
    )


@pytest.fixture
def shared(make_place: MakePlace) -> SearchPlace:
    place = make_place(name="shared")
    for number in range(20):
        place.write(f"n{number}.md", f"word{number}x and the common zebra")
    place.update()
    return place


@pytest.mark.sampled(4)
def test_two_writers_and_a_reader_never_see_a_wrong_answer(shared: SearchPlace, tmp_path: Path) -> None:
    writers = [start(tmp_path / "shared", name) for name in ("a", "b")]
    try:
        for writer in writers:
            assert writer.stdout is not None and writer.stdout.readline() == "ready\n"
        end = time.monotonic() + 2
        rounds = 0
        while time.monotonic() < end:
            answer = shared.search(f"word{rounds % 20}x")
            assert [hit.path for hit in answer.hits] == [f"n{rounds % 20}.md"], answer
            assert not any("rebuilt" in remark for remark in answer.degraded)
            rounds += 1
        assert rounds > 0 and all(writer.poll() is None for writer in writers)
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate()
    assert shared.paths("word7x") == ["n7.md"]


@pytest.mark.sampled(4)
def test_kill_9_while_indexing_leaves_right_answers(shared: SearchPlace, tmp_path: Path) -> None:
    for number in range(6):
        writer = start(tmp_path / "shared", "k")
        assert writer.stdout is not None and writer.stdout.readline() == "ready\n"
        time.sleep(0.05 + 0.037 * number)
        os.kill(writer.pid, signal.SIGKILL)
        writer.communicate()
        answer = shared.search("word3x", searcher=shared.another())
        assert [hit.path for hit in answer.hits] == ["n3.md"]
        assert len(shared.search("zebra", n=50).hits) >= 20


def test_a_writer_that_dies_between_two_pages_is_noticed(shared: SearchPlace) -> None:
    """What a kill in the middle of a commit leaves: a broken seal and some new pages."""
    (shared.state / "index.seal").write_bytes(b"")
    with shared.database.open("r+b") as file:
        file.seek(8_192)
        file.write(os.urandom(4_096))
    answer = shared.search("word3x", searcher=shared.another())
    assert [hit.path for hit in answer.hits] == ["n3.md"]
    assert any("died while writing" in remark for remark in answer.degraded)


def test_a_writer_that_waits_too_long_gives_up_and_the_answer_says_so(shared: SearchPlace) -> None:
    import fcntl

    with (shared.state / "index.turn").open("r+b") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        shared.write("new.md", "fresh")
        answer = shared.search("fresh")
        assert [hit.path for hit in answer.hits] == ["new.md"]
        assert any("being written by another process" in remark for remark in answer.degraded)
    assert shared.search("fresh").hits[0].path == "new.md"


def test_d9_what_another_process_brought_in_meanwhile_is_not_brought_in_twice(shared: SearchPlace) -> None:
    shared.write("late.md", "saffron")
    snapshot = shared.snapshot()
    ours, theirs = (Database.open(Vault(shared.root, shared.state), create=False) for _ in range(2))
    found = changes(known_files(ours), snapshot.files)
    for database in (theirs, ours):
        assert bring_in(database, snapshot, found, NONE).left == ()
    assert len(ours.rows("SELECT id FROM files WHERE path = 'late.md'")) == 1
    assert len(ours.rows("SELECT rowid FROM words WHERE words MATCH 'saffron'")) == 1
    for database in (ours, theirs):
        database.close()


def test_an_answer_comes_from_an_index_that_has_every_file(shared: SearchPlace) -> None:
    """Another process may take a file out at any moment: before a question, and between its rounds."""
    full, index = shared.snapshot(), shared.searcher.index
    (shared.folder / "n3.md").rename(shared.folder / "elsewhere.txt")
    lacking = shared.snapshot()
    (shared.folder / "elsewhere.txt").rename(shared.folder / "n3.md")
    shared.another().update(lacking)
    asked: list[int] = []

    def count(database: Database) -> int:
        asked.append(len(database.rows("SELECT id FROM files WHERE path = 'n3.md'")))
        return asked[-1]

    assert index.ask(full, NONE, count) == 1 and asked == [1]


def test_who_waits_for_the_writers_turn_does_not_keep_the_writer_from_its_commit(shared: SearchPlace) -> None:
    ours, theirs = (Database.open(Vault(shared.root, shared.state), create=False) for _ in range(2))
    theirs.vault.patience = 30
    waiting, done = threading.Event(), list[str]()

    def wait(tries: int) -> bool:
        waiting.set()
        return theirs.vault.wait(tries)

    theirs._connection.set_busy_handler(wait)

    def write() -> None:
        with theirs.transaction(write=True):
            theirs.set_about("theirs", "1")
        done.append("theirs")

    thread = threading.Thread(target=write)
    with ours.transaction(write=True):
        ours.set_about("ours", "1")
        thread.start()
        assert waiting.wait(20)
    done.append("ours")
    thread.join(20)
    assert sorted(done) == ["ours", "theirs"] and ours.about("theirs") == "1"
    for database in (ours, theirs):
        database.close()


DYING = """
import os, signal, sys
from pathlib import Path
from tests.engine.search.place import HashEmbedder, SearchPlace
left, write = int(sys.argv[2]), os.pwrite
def dying(fd, data, offset):
    global left
    left -= 1
    if left < 0:
        write(fd, bytes(data)[: len(data) // 2], offset)
        os.kill(os.getpid(), signal.SIGKILL)
    return write(fd, data, offset)
place = SearchPlace(Path(sys.argv[1]), HashEmbedder())
os.pwrite = dying
place.update()
print("done")
"""


def die_at(base: Path, call: int) -> bool:
    """Indexes in another process, which dies in the middle of the write after so many; says whether it did."""
    root = Path(__file__).parents[3]
    command = [sys.executable, "-c", DYING, str(base), str(call)]
    done = subprocess.run(command, capture_output=True, cwd=root, env={**os.environ, "PYTHONPATH": str(root)})
    assert done.returncode == -signal.SIGKILL or done.stdout == b"done\n", done.stderr.decode()
    return done.returncode != 0


@pytest.mark.sampled(4)
def test_kill_9_in_the_middle_of_any_write_loses_nothing_that_was_committed(
    make_place: MakePlace, tmp_path: Path
) -> None:
    place = make_place(HashEmbedder(), name="dying")
    for number in range(8):
        place.write(f"n{number}.md", f"# {number}\n\n" + f"word{number}x and the common zebra\n" * 300)
    place.update()
    for number in range(3):
        place.write(f"late{number}.md", "saffron " * 3_000)
    place.write("n3.md", "word3x, once again")
    died = 0
    for call in (0, 1, 2, 3, 4, 6, 9, 14, 20, 40):
        died += die_at(tmp_path / "dying", call)
        database = Database.open(Vault(place.root, place.state), create=False)
        with database.transaction():
            files = known_files(database)
            assert database.rows("SELECT count(*) FROM words WHERE words MATCH 'zebra'")[0][0] > 0
            assert database.rows("PRAGMA integrity_check") == [("ok",)]
        database.close()
        assert {f"n{number}.md" for number in range(8) if number != 3} <= set(files)
    assert died >= 7
    report = place.another().update(place.snapshot())
    assert not report.remarks and report.files == 11
    assert [hit.path for hit in place.search("word3x").hits] == ["n3.md"]


@pytest.mark.sampled(4)
def test_what_another_wrote_after_a_death_in_a_commit_is_noticed(make_place: MakePlace, tmp_path: Path) -> None:
    """The sum of the pages, not the facts of the file, says whether a file that was rolled back is ours."""
    place = make_place(HashEmbedder(), name="dying")
    for number in range(40):
        place.write(f"n{number}.md", "\n\n".join(f"word{number * line} and the zebra" for line in range(400)))
    place.update()
    place.write("b.md", "saffron " * 2_000)
    assert die_at(tmp_path / "dying", 3)
    data = bytearray(place.database.read_bytes())
    data[4_000::8_192] = bytes(byte ^ 1 for byte in data[4_000::8_192])  # what the commit had changed is rolled back
    place.database.write_bytes(data)
    answer = place.search("saffron", searcher=place.another())
    assert [hit.path for hit in answer.hits] == ["b.md"]
    assert any("died while writing" in remark for remark in answer.degraded)
