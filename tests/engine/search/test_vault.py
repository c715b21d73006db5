"""`memory.db` lies where the agent can write: nothing in its place can harm, run or lead outside (D14)."""

import errno
import fcntl
import os
import random
import sqlite3
import struct
from pathlib import Path

import apsw
import pytest

from engine.search.indexing.index import NoteIndex
from engine.search.store.schema import Database, Unusable
from engine.search.values import SearchMethod
from tests.engine.search.place import FullDisk, MakePlace, SearchPlace

JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")


@pytest.fixture
def filled(place: SearchPlace) -> SearchPlace:
    for number in range(30):
        place.write(f"knowledge/reference/n{number}.md", f"# Note {number}\n\nword{number} and the common zebra\n" * 8)
    place.update()
    return place


def answers(place: SearchPlace) -> list[str]:
    """Asks a new console, and checks that the answer is right, whatever happened to the index."""
    answer = place.search("word7", searcher=place.another())
    assert [hit.path for hit in answer.hits] == ["knowledge/reference/n7.md"]
    return list(answer.degraded)


def test_d14_the_index_can_be_deleted_at_any_moment(filled: SearchPlace) -> None:
    filled.database.unlink()
    assert filled.paths("word7") == ["knowledge/reference/n7.md"]
    assert filled.database.is_file()


def test_nothing_lies_beside_the_index(filled: SearchPlace) -> None:
    assert [path.name for path in filled.folder.iterdir() if path.name.startswith("memory.db")] == ["memory.db"]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_a_truncated_index_is_made_anew_and_said_so(filled: SearchPlace, share: float) -> None:
    data = filled.database.read_bytes()
    filled.database.write_bytes(data[: int(len(data) * share)])
    remarks = answers(filled)
    assert any("rebuilt" in remark for remark in remarks) or share == 0.0


def test_flipped_bits_never_change_an_answer(filled: SearchPlace) -> None:
    chance = random.Random(3)
    for _ in range(12):
        data = bytearray(filled.database.read_bytes())
        for _ in range(chance.choice((1, 20, 400))):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        filled.database.write_bytes(data)
        remarks = [by for by in answers(filled) if "memory.db" in by]
        assert remarks and "rebuilt" in remarks[0]


def test_a_flip_under_an_open_console_is_noticed(filled: SearchPlace) -> None:
    with filled.database.open("r+b") as file:
        file.seek(20_000)
        file.write(b"\xff" * 64)
    answer = filled.search("word7")
    assert [hit.path for hit in answer.hits] == ["knowledge/reference/n7.md"]
    assert any("changed by something else" in remark for remark in answer.degraded)


@pytest.mark.parametrize("kind", ["link", "dangling", "hard", "fifo", "folder", "socket"])
def test_what_takes_the_index_place_is_neither_followed_nor_written(
    filled: SearchPlace, tmp_path: Path, kind: str
) -> None:
    outside = tmp_path / "outside.db"
    sqlite3.connect(outside).execute("CREATE TABLE precious (x)").connection.close()
    before = outside.read_bytes()
    filled.database.unlink()
    match kind:
        case "link":
            filled.database.symlink_to(outside)
        case "dangling":
            filled.database.symlink_to(tmp_path / "new.db")
        case "hard":
            filled.database.hardlink_to(outside)
        case "fifo":
            os.mkfifo(filled.database)
        case "folder":
            filled.database.mkdir()
        case _:
            os.mknod(filled.database, 0o140600)
    answers(filled)
    assert outside.read_bytes() == before
    assert not (tmp_path / "new.db").exists()


def test_a_foreign_database_with_triggers_is_not_opened(filled: SearchPlace, tmp_path: Path) -> None:
    filled.database.unlink()
    evil = sqlite3.connect(filled.database)
    evil.executescript(
        "CREATE TABLE files (id, path, sha256, first, count); CREATE TABLE about (key, value);"
        "CREATE TRIGGER t AFTER DELETE ON about BEGIN INSERT INTO files VALUES (1, 'evil', 'x', 1, 1); END;"
        "CREATE VIEW words AS SELECT load_extension('/tmp/evil.so') AS rank;"
    )
    evil.close()
    assert any("rebuilt" in remark for remark in answers(filled))


def test_a_seal_does_not_save_other_tables_than_ours(filled: SearchPlace) -> None:
    """The second wall: even a file that carries our seal is read only with exactly our tables in it."""
    filled.searcher.close()
    raw = apsw.Connection(str(filled.database))
    raw.execute("CREATE TRIGGER words_data AFTER INSERT ON about BEGIN SELECT 1; END")
    raw.close()
    facts = filled.database.stat()
    seal = f"[{facts.st_dev},{facts.st_ino},{facts.st_size},{facts.st_mtime_ns},{facts.st_ctime_ns}]"
    (filled.state / "index.seal").write_text(seal, encoding="ascii")
    assert any("other tables" in remark for remark in answers(filled))


def test_a_planted_journal_deletes_nothing(filled: SearchPlace, tmp_path: Path) -> None:
    """SQLite deletes the file that a hot journal names as its super-journal: ours never looks for a journal."""
    victim = tmp_path / "victim.txt"
    victim.write_text("precious", encoding="utf-8")
    name = os.fsencode(victim)
    header = JOURNAL_MAGIC + struct.pack(">5I", 0, 1, 1, 512, 8192)
    tail = struct.pack(">I", len(name)) + struct.pack(">I", sum(name)) + JOURNAL_MAGIC
    journal = filled.folder / "memory.db-journal"
    journal.write_bytes(header.ljust(512, b"\0") + struct.pack(">I", 2**30) + name + tail)
    assert not answers(filled)[:-1]
    filled.write("new.md", "fresh")
    assert filled.paths("fresh") == ["new.md"]
    assert victim.read_text("utf-8") == "precious"


@pytest.mark.parametrize("name", ["memory.db-wal", "memory.db-shm", "memory.db-journal"])
def test_links_beside_the_index_are_never_followed(filled: SearchPlace, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"precious")
    (filled.folder / name).symlink_to(outside)
    filled.write("new.md", "fresh")
    assert filled.paths("fresh") == ["new.md"]
    assert outside.read_bytes() == b"precious"


def test_a_folder_that_cannot_be_written_is_searched_without_an_index(place: SearchPlace) -> None:
    place.write("a.md", "zebra")
    place.database.mkdir()
    (place.database / "full").touch()
    answer = place.search("zebra")
    assert [hit.path for hit in answer.hits] == ["a.md"]
    assert answer.engine in (SearchMethod.PYTHON, SearchMethod.RIPGREP) and answer.degraded


@pytest.mark.parametrize("left", [0, 1, 2, 3, 5, 8, 13])
def test_a_full_disk_costs_the_index_and_no_answer(
    filled: SearchPlace, monkeypatch: pytest.MonkeyPatch, left: int
) -> None:
    filled.write("knowledge/reference/late.md", "saffron " * 300)
    with monkeypatch.context() as patch:
        disk = FullDisk(patch, left)
        answer = filled.search("saffron")
        assert [hit.path for hit in answer.hits] == ["knowledge/reference/late.md"]
        assert disk.left >= 0 or any("no space left" in remark for remark in answer.degraded)
        assert "word7" in filled.search("word7").hits[0].snippet
        disk.has_room = True
        assert filled.paths("saffron") == ["knowledge/reference/late.md"]
    answers(filled)
    assert filled.search("saffron").engine is SearchMethod.LEXICAL


def test_a_disk_that_refuses_even_to_unlock_ends_no_call(place: SearchPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing in the middle of a commit gives the locks back, and an error of that came out of closing."""
    index = NoteIndex(place.root, place.state)
    refused = []

    def refuse(_fd: int, kind: int) -> None:
        refused.append(kind)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    def cut_off(database: Database) -> None:
        with database.transaction(write=True):
            database.set_about("generation", "1")
            patch.setattr(fcntl, "flock", refuse)

    with monkeypatch.context() as patch, pytest.raises(Unusable, match="input/output error"):
        index.use(cut_off)
    assert refused
    assert index.use(lambda database: database.about("generation")) == ""
    index.close()


def test_a_broken_seal_costs_a_new_index_and_no_answer(filled: SearchPlace) -> None:
    (filled.state / "index.seal").write_bytes(b"\xff not json")
    assert any("died while writing" in remark for remark in answers(filled))


def test_two_folders_have_two_indexes(make_place: MakePlace) -> None:
    one, two = make_place(name="a"), make_place(name="b")
    one.write("x.md", "zebra")
    two.write("y.md", "zebra")
    assert (one.paths("zebra"), two.paths("zebra")) == (["x.md"], ["y.md"])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files for others")
def test_root_makes_the_index_for_the_owner_of_the_workspace(place: SearchPlace) -> None:
    """The owner's `git add -A` fails on a file that he may not read."""
    os.chown(place.folder, 54_321, 54_321)
    place.write("knowledge/a.md", "# A\n\ngardens\n")
    assert place.search("gardens").hits
    facts = (Path(place.folder) / "memory.db").stat()
    assert (facts.st_uid, facts.st_gid) == (54_321, 54_321)
    assert place.search("gardens").hits
