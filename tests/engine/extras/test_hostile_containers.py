"""Archives, databases and folders that are damaged, hostile, half there or very large: named, never fatal (G28)."""

import json
import os
import sqlite3
import zipfile
from collections.abc import Iterable
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import Cancelled
from engine.extras.importers.files import SourceFolder, ending_of
from engine.extras.importers.kinds import KINDS
from engine.extras.importers.place_content import HeldSessions, PlaceContent
from tests.engine.extras.other_tools import ASKED, FIRST, SECOND, THEN, THIRD, WRITERS, lines
from tests.engine.extras.test_tool_containers import people, read
from tests.engine.extras.tool_generations import FIXTURES, MILLISECONDS, database, zstd
from tests.turn import examples


def conversations(folder: Path) -> bytes:
    WRITERS["chatgpt"](folder / "made")
    data = (folder / "made/conversations.json").read_bytes()
    (folder / "made/conversations.json").unlink()
    return data


def archive(members: Iterable[tuple[str, bytes]]) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, data in members:
            opened.writestr(name, data)
    return made.getvalue()


def test_an_archive_in_an_archive_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    data = conversations(tmp_path)
    inner = archive([("conversations.json", data)])
    outer = archive([("a/conversations-000.json", data), ("a/older.zip", inner), ("__MACOSX/._x", b"")])
    (tmp_path / "export.zip").write_bytes(outer)
    sessions, content = read("chatgpt", tmp_path)
    assert [people(one) for one in sessions] == [[ASKED, THEN]]
    assert sessions[0].source == "export.zip!a/conversations-000.json"
    assert content.unread == {".zip": 1, "__MACOSX": 1}


def test_an_archive_that_would_fill_the_memory_is_not_unpacked(tmp_path: Path) -> None:
    bomb = b"[" + b" " * (64 * 1024 * 1024) + b"]"
    (tmp_path / "bomb.zip").write_bytes(archive([("conversations.json", bomb)]))
    sessions, content = read("chatgpt", tmp_path)
    assert sessions == [] and "unpack to more" in content.problems[0]


def test_names_in_an_archive_are_never_paths(tmp_path: Path) -> None:
    data = conversations(tmp_path)
    (tmp_path / "x.zip").write_bytes(archive([("../../etc/conversations.json", data), ("/etc/pass\x1b[31mwd", b"x")]))
    before = set(tmp_path.rglob("*"))
    sessions, content = read("chatgpt", tmp_path)
    assert [one.source for one in sessions] == ["x.zip!../../etc/conversations.json"]
    assert set(tmp_path.rglob("*")) == before and "\x1b" not in "".join(content.unread)


def test_a_missing_number_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    data = conversations(tmp_path)
    for number in (0, 3):
        (tmp_path / f"conversations-{number:03}.json").write_bytes(data.replace(b"s-1", f"s-{number}".encode()))
    sessions, content = read("chatgpt", tmp_path)
    assert len(sessions) == 2 and content.problems == ["conversations-N.json: not there: 001, 002"]


def test_a_cut_off_file_of_lines_gives_its_whole_lines(tmp_path: Path) -> None:
    FIXTURES["gemini", "JSON lines"](tmp_path / "there")
    (file,) = (tmp_path / "there").rglob("*.jsonl")
    file.write_bytes(file.read_bytes()[:-20])
    ((one,), content) = read("gemini", tmp_path / "there")
    assert people(one) == [ASKED] and one.left_out["unreadable"] == 1 and content.problems == []


def opencode(tmp_path: Path) -> Path:
    FIXTURES["opencode", "SQLite"](tmp_path / "there")
    return tmp_path / "there/opencode.db"


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_a_database_that_its_tool_is_writing_is_read_as_it_was_last_whole(tmp_path: Path, mode: str) -> None:
    file = opencode(tmp_path)
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute(f"PRAGMA journal_mode={mode}")
        added = json.dumps({"type": "text", "text": "Also: WAL."})
        db.execute("INSERT INTO message VALUES ('m4', 's-1', ?, '{\"role\": \"user\"}')", (MILLISECONDS + 900_000,))
        db.execute("INSERT INTO part VALUES ('pm4', 'm4', 's-1', ?)", (added,))
        db.execute("BEGIN EXCLUSIVE")
        db.execute("UPDATE part SET data = '{}'")
        before = {one.name: one.read_bytes() for one in file.parent.iterdir()}
        ((one,), content) = read("opencode", file.parent)
        assert {one.name: one.read_bytes() for one in file.parent.iterdir()} == before
        db.execute("ROLLBACK")
    assert people(one) == [ASKED, THEN, "Also: WAL."] and content.problems == []


def test_a_journal_beside_a_database_removes_no_file_that_it_names(tmp_path: Path) -> None:
    """SQLite ends a journal by removing the file which that names as its head."""
    file = opencode(tmp_path)
    victim = tmp_path / "victim"
    victim.write_bytes(b"keep me")
    name = os.fsencode(victim)
    journal = bytes.fromhex("d9d505f920a163d7") + b"\0" * 504
    end = len(name).to_bytes(4, "big") + sum(name).to_bytes(4, "big") + bytes.fromhex("d9d505f920a163d7")
    file.with_name("opencode.db-journal").write_bytes(journal + b"\0\0\0\0" + name + end)
    ((one,), _) = read("opencode", file.parent)
    assert people(one) == [ASKED, THEN] and victim.read_bytes() == b"keep me"


def test_views_virtual_tables_and_triggers_of_a_database_are_not_run(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with closing(sqlite3.connect(tmp_path / "there/opencode.db")) as db:
        db.executescript(
            "CREATE TABLE session(id TEXT, title TEXT); INSERT INTO session VALUES ('s-1', 'x');"
            "CREATE VIEW message AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
            " SELECT x AS id FROM n;"
            "CREATE VIRTUAL TABLE part USING fts5(id);"
        )
    sessions, content = read("opencode", tmp_path / "there")
    assert sessions == [] and content.problems == []
    assert content.unread[".db without a session"] == 1


def test_a_database_of_something_else_is_told(tmp_path: Path) -> None:
    database(tmp_path / "opencode.db", {"bookmarks": ("url TEXT", [("x",)])})
    _, content = read("opencode", tmp_path)
    assert content.problems == ["opencode.db: it has none of the tables session, message, part"]


def put_away(ident: str) -> bytes:
    said = {"role": "user", "content": f"Put away {ident}."}
    return lines({"type": "message", "id": ident, "timestamp": FIRST, "message": said})


def test_rows_that_are_packed_are_read_and_what_cannot_be_unpacked_is_counted(tmp_path: Path) -> None:
    """The rows of OpenClaw from 2026.9.6 on that hold a long event packed; sessions that it put away whole, packed or
    not, in two tables."""
    FIXTURES["openclaw", "SQLite of an agent"](tmp_path / "there")
    file = tmp_path / "there/main/agent/openclaw-agent.sqlite"
    with closing(sqlite3.connect(file)) as db:
        db.execute("ALTER TABLE transcript_events ADD COLUMN event_zstd BLOB")
        (whole,) = db.execute("SELECT group_concat(event_json, char(10)) FROM transcript_events").fetchone()
        for seq, text in db.execute("SELECT seq, event_json FROM transcript_events WHERE seq > 0").fetchall():
            put = "UPDATE transcript_events SET event_json = NULL, event_zstd = ? WHERE seq = ?"
            db.execute(put, (zstd.compress(text.encode()), seq))
        db.execute("INSERT INTO transcript_events VALUES ('s-1', 99, NULL, 0, x'28b52ffd')")
        for name, rows in (
            ("session_transcript_archives", [("s-0", zstd.compress(put_away("a"))), ("s-8", b"\x28\xb5\x2f\xfd")]),
            ("session_transcript_cold_archives", [("s-9", put_away("b")), ("s-7", None), ("s-1", whole.encode())]),
        ):
            db.execute(f"CREATE TABLE {name}(session_id TEXT, archive_blob BLOB)")
            db.executemany(f"INSERT INTO {name} VALUES (?, ?)", rows)
        db.execute("UPDATE schema_meta SET app_version = '2099.1.2'")
        db.commit()
    sessions, content = read("openclaw", tmp_path / "there")
    assert {one.session: people(one) for one in sessions} == {
        "s-1": [ASKED, THEN],
        "s-0": ["Put away a."],
        "s-9": ["Put away b."],
    }
    assert content.unread == {"event_zstd": 1, "session_transcript_archives": 1}
    assert content.newer == "2099.1.2"


def test_a_packed_file_that_is_cut_off_or_fills_the_memory_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    """Codex packs its sessions of more than a week; a copy that is not packed yet may lie beside."""
    FIXTURES["codex", "JSON lines, packed"](tmp_path / "there")
    (file,) = (tmp_path / "there").glob("*.zst")
    file.with_name("rollout-cut.jsonl.zst").write_bytes(file.read_bytes()[:-9])
    file.with_name("rollout-bomb.jsonl.zst").write_bytes(zstd.compress(b" " * (64 * 1024 * 1024)))
    WRITERS["codex"](tmp_path / "there/2026")
    ((one,), content) = read("codex", tmp_path / "there")
    assert people(one) == [ASKED, THEN]
    assert [problem.partition(": ")[0] for problem in content.problems] == [
        "rollout-bomb.jsonl.zst",
        "rollout-cut.jsonl.zst",
    ]
    assert "unpack to more" in content.problems[0] and "cannot be unpacked" in content.problems[1]


WHOLE: dict[str, bytes] = {}


def whole(tmp_path_factory: pytest.TempPathFactory, kind: str, form: str) -> tuple[str, bytes]:
    if kind not in WHOLE:
        folder = tmp_path_factory.mktemp(kind) / "there"
        FIXTURES[kind, form](folder)
        (file,) = (one for one in folder.rglob("*") if one.suffix in (".db", ".zip", ".sqlite", ".zst"))
        WHOLE[kind] = file.read_bytes()
    names = {"chatgpt": "x.zip", "openclaw": "openclaw-agent.sqlite", "codex": "rollout-x.jsonl.zst"}
    return names.get(kind, f"{kind}.db"), WHOLE[kind]


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize(
    ("kind", "form"),
    [
        ("opencode", "SQLite"),
        ("openclaw", "SQLite of an agent"),
        ("chatgpt", "ZIP of the export"),
        ("codex", "JSON lines, packed"),
    ],
)
@given(data=st.data())
def test_no_damage_of_a_container_is_an_error(
    tmp_path_factory: pytest.TempPathFactory, kind: str, form: str, data: st.DataObject
) -> None:
    name, good = whole(tmp_path_factory, kind, form)
    bytes_ = bytearray(good)
    for at in data.draw(st.lists(st.integers(0, len(bytes_) - 1), min_size=1, max_size=40)):
        bytes_[at] = data.draw(st.integers(0, 255))
    cut = data.draw(st.none() | st.integers(0, len(bytes_)))
    folder = tmp_path_factory.mktemp("damaged")
    (folder / name).write_bytes(bytes_[:cut])
    WRITERS["openclaw" if kind == "openclaw" else kind](folder / "good")
    sessions, _ = read(kind, folder)
    assert any(THEN in people(one) for one in sessions), "what lies beside it is read"


def pi_file(number: int, text: str = "x") -> bytes:
    head = {"type": "session", "version": 3, "id": f"s-{number:06}", "timestamp": FIRST}
    said = {"role": "user", "content": f"{text} {number}"}
    line = {"type": "message", "id": f"{number:08}", "parentId": None, "timestamp": FIRST, "message": said}
    return lines(head, line)


@pytest.mark.sampled(4)
def test_ten_thousand_sessions_are_read_with_progress_and_little_memory(tmp_path: Path) -> None:
    import tracemalloc

    for number in range(10_000):
        (tmp_path / f"{number:06}.jsonl").write_bytes(pi_file(number, "word " * 400))
    told: list[tuple[str, int, int | None]] = []
    with SourceFolder(tmp_path) as folder, HeldSessions() as held:
        content = PlaceContent(lambda *step: told.append(step), KINDS["pi"], held)
        tracemalloc.start()
        content.read(folder)
        assert sum(1 for _ in held.oldest_first()) == len(held) == 10_000
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 64 * 1024 * 1024, peak
    assert ("files", 10_000, 10_000) in told


def test_reading_can_be_cancelled(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.jsonl").write_bytes(pi_file(number))

    def stop(stage: str, done: int, _total: int | None) -> None:
        if (stage, done) == ("files", 10):
            raise Cancelled("stopped")

    with SourceFolder(tmp_path) as folder, HeldSessions() as held:
        with pytest.raises(Cancelled):
            PlaceContent(stop, KINDS["pi"], held).read(folder)
        assert len(held) == 9


def test_what_a_fork_of_pi_copied_is_taken_once(tmp_path: Path) -> None:
    """Decision D58: a fork's own turns are read, its parent's are not read again."""
    (tmp_path / "1.jsonl").write_bytes(pi_file(1))
    head = {"type": "session", "version": 3, "id": "s-2", "timestamp": SECOND, "parentSession": "/home/1.jsonl"}
    own = {"role": "user", "content": "And now?"}
    line = {"type": "message", "id": "2", "parentId": f"{1:08}", "timestamp": THIRD, "message": own}
    (tmp_path / "2.jsonl").write_bytes(lines(head) + pi_file(1).split(b"\n", 1)[1] + lines(line))
    sessions, _ = read("pi", tmp_path)
    assert [people(one) for one in sessions] == [["x 1"], ["And now?"]]
    assert sessions[1].left_out["repeated"] == 1


def openclaw_file(*texts: tuple[str, str]) -> bytes:
    entries = [
        {"type": "message", "id": f"{at}", "timestamp": time, "message": {"role": "user", "content": text}}
        for at, (time, text) in enumerate(texts)
    ]
    return lines({"type": "session", "id": "s-1", "timestamp": FIRST}, *entries)


def test_what_several_files_hold_of_a_session_is_put_together_once(tmp_path: Path) -> None:
    """Decision D58: nothing twice, nothing lost."""
    first, second, third = (FIRST, ASKED), (SECOND, "yes"), (THIRD, "yes")
    (tmp_path / "s-1.jsonl.reset.2026-02-17T00-00-00.000Z").write_bytes(openclaw_file(first, second))
    (tmp_path / "s-1.jsonl.full.bak").write_bytes(openclaw_file(first, second))
    (tmp_path / "s-1.jsonl").write_bytes(openclaw_file(second, third))
    ((one,), content) = read("openclaw", tmp_path)
    assert people(one) == [ASKED, "yes", "yes"] and content.problems == []


def test_the_rows_and_the_file_of_a_session_are_one_although_their_clocks_differ(tmp_path: Path) -> None:
    FIXTURES["hermes", "SQLite"](tmp_path / "there")
    FIXTURES["hermes", "one JSON a session"](tmp_path / "there/sessions")
    ((one,), _) = read("hermes", tmp_path / "there")
    assert people(one) == [ASKED, THEN]


def test_a_summary_in_place_of_messages_loses_none_of_them(tmp_path: Path) -> None:
    """Gemini writes a summary over the messages when it makes room; a person still said them."""
    FIXTURES["gemini", "JSON lines"](tmp_path / "there")
    (file,) = (tmp_path / "there").rglob("*.jsonl")
    summary = {
        "id": "9",
        "timestamp": THIRD,
        "type": "user",
        "content": "<state_snapshot>They use SQLite.</state_snapshot>",
    }
    kept = {"id": "8", "timestamp": THIRD, "type": "user", "content": [{"text": THEN}]}
    more = {"id": "10", "timestamp": "2026-02-16T19:00:00Z", "type": "user", "content": "And now?"}
    file.write_bytes(file.read_bytes() + lines({"$set": {"messages": [summary, kept]}}, more))
    ((one,), _) = read("gemini", tmp_path / "there")
    assert people(one) == [ASKED, THEN, "And now?"]


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("a.jsonl.zst", ".jsonl.zst"),
        ("a.b.JSON", ".json"),
        ("notes", "(no ending)"),
        (".DS_Store", "(no ending)"),
        ("x/y.tar.gz", ".tar.gz"),
        ("a.jsonl.2026", "(no ending)"),
    ],
)
def test_files_are_counted_by_the_end_of_their_name(name: str, ending: str) -> None:
    assert ending_of(name) == ending


def test_what_no_form_fits_is_named_by_ending(tmp_path: Path) -> None:
    WRITERS["codex"](tmp_path / "there")
    for name in ("a.jsonl.zst", "b.jsonl.zst", "auth.json", "empty.jsonl"):
        (tmp_path / "there" / name).write_bytes(b"{}\n" if name == "empty.jsonl" else b"\x28\xb5")
    sessions, content = read("codex", tmp_path / "there")
    assert len(sessions) == 1
    assert content.unread == {".jsonl.zst": 2, ".json": 1, ".jsonl without a session": 1}


def test_what_a_tool_keeps_beside_its_sessions_is_named_and_no_line_of_it_is_unknown(tmp_path: Path) -> None:
    WRITERS["openclaw"](tmp_path / "there")
    step = {"type": "session.started", "ts": FIRST, "runId": "run-1", "data": {"toolCount": 42}}
    (tmp_path / "there/s-1.trajectory.jsonl").write_bytes(lines(step, {**step, "type": "message"}))
    ((one,), content) = read("openclaw", tmp_path / "there")
    assert people(one) == [ASKED, THEN]
    assert content.unread == {".jsonl (steps of runs)": 1}
    assert not [name for name in content.left_out if "unknown" in name]
