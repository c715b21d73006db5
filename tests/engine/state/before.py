"""A state folder as the version before wrote it: files of JSON, byte for byte."""

from collections.abc import Mapping
from pathlib import Path

import apsw

from engine.state.migrations import OF_SESSIONS
from engine.state.rows import (
    BLIND_ANSWERS,
    DECISIONS,
    DIFF_COMMENTS,
    DRY_RUNS,
    FOLLOWED_PATHS,
    GAUGE_SAMPLES,
    JOB_RUNS,
    JUDGEMENTS,
    LOADED_FILES,
    OPERATION_FOLDS,
    READ_MARKS,
    REFERENCE_DAYS,
    REFERENCES,
    SAVED_SEARCHES,
    SNOOZES,
    TALLIES,
    TRANSCRIPTS,
)

_RUN = (
    b'{"system":"compact","made_at":"2026-03-15T03:00:00Z","now":"2026-03-15T03:00:00Z","simulated_clock":false,'
    b'"reason":"no threshold is met","text":"Trigger: none\\n","facts":{"a":1}}'
)
DECISIONS_SCHEMA = """
CREATE TABLE messages(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, at TEXT NOT NULL, judged INTEGER NOT NULL
    DEFAULT 0, body BLOB NOT NULL);
CREATE TABLE judgements(id INTEGER PRIMARY KEY, message TEXT NOT NULL, topic TEXT NOT NULL, useful TEXT NOT NULL,
    at TEXT NOT NULL);
CREATE INDEX judged ON judgements(message, topic);
CREATE TABLE tallies(hour TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
"""
_AT = "2026-03-15T03:00:00+00:00"
_MESSAGE = (
    b'{"key":"m1","at":"2026-03-15T03:00:00Z","session":"s","source":"a.jsonl","role":"user","text":"ship it",'
    b'"result":{"id":"m1"}}'
)
_TALLY = b'{"messages":1}'
_JUDGED = f'{{"message":"m1","topic":"deploys","useful":"yes","at":"{_AT}"}}'.encode()


def fill_decisions(connection: apsw.Connection) -> None:
    """Fills the log of decisions as the version before wrote it."""
    connection.execute(DECISIONS_SCHEMA)
    connection.execute("INSERT INTO messages(key, at, judged, body) VALUES('m1', ?, 1, ?)", (_AT, _MESSAGE))
    connection.execute("INSERT INTO judgements(message, topic, useful, at) VALUES('m1', 'deploys', 'yes', ?)", (_AT,))
    connection.execute("INSERT INTO tallies VALUES('2026-03-15T03', ?)", (_TALLY,))


def _decisions() -> bytes:
    connection = apsw.Connection(":memory:")
    fill_decisions(connection)
    data = bytearray(connection.serialize("main"))
    data[18] = data[19] = 2  # it was written with a write-ahead log
    return bytes(data)


FIRST = {
    "last-runs.json": b'{"weekly":"2026-03-15T03:00:00Z","daily":"2026-03-16T04:30:00Z"}',
    "searches.json": (
        b'[{"name":"deploys","query":"\\"blue green\\" -test","category":"journal","since":"2026-01-01",'
        b'"until":null,"operators":false},'
        b'{"name":"Ana","query":"Ana","category":null,"since":null,"until":null,"operators":true}]'
    ),
    "references.json": b'{"knowledge/a.md":3,"memory/2026-03-01.md":1}',
    "followed.json": b'["/home/user/one.jsonl","/home/user/two"]',
    "snoozed.json": b'{"p-20260315-0001":"2099-03-18T03:00:00Z"}',
    "followed-console.json": (
        b'{"places":{"/w":{"memory/conversations/a.md":{"device":1,"inode":2,"offset":300,"head":"256:ab"}},"/x":{}}}'
    ),
    "followed-watch.json": b'{"places":{"/w":{"b.jsonl":{"device":1,"inode":3,"offset":9,"head":""}}}}',
}
"""What the first version with a database took over."""
LATER = {
    "trends": b'27445df2 ["2026-03-15T03:00:00Z",{"working.files":13}]\ntorn'
    b'\n4f8db82d ["2026-03-16T03:00:00Z",{"working.files":14}]\n',
    "reports/r-20260315-0001.json": _RUN,
    "reports/r-20260315-0002.json": b"{damaged",
    "decisions.db": _decisions(),
    "tree-records.json": b'{"nodes":{"memory/ROOT.md":{"sha256":"ab","fixed":false}},"through":"o-20260315-0001"}',
    "trust-records.json": b'{"paths":{"MEMORY.md":{"trust":"agent","why":""}},"contents":{},"through":"o-1"}',
}
"""What later versions take over, by the path in the state folder."""
FILES = {**FIRST, **LATER}
ROWS: dict[str, dict[str, bytes]] = {
    **{table: {} for table in (*OF_SESSIONS, LOADED_FILES, BLIND_ANSWERS, REFERENCE_DAYS, DIFF_COMMENTS)},
    JOB_RUNS: {"weekly": b'"2026-03-15T03:00:00Z"', "daily": b'"2026-03-16T04:30:00Z"'},
    SAVED_SEARCHES: {
        "deploys": b'{"name":"deploys","query":"\\"blue green\\" -test","category":"journal","since":"2026-01-01",'
        b'"until":null,"operators":false}',
        "Ana": b'{"name":"Ana","query":"Ana","category":null,"since":null,"until":null,"operators":true}',
    },
    REFERENCES: {"knowledge/a.md": b"3", "memory/2026-03-01.md": b"1"},
    FOLLOWED_PATHS: {"/home/user/one.jsonl": b"{}", "/home/user/two": b"{}"},
    SNOOZES: {"p-20260315-0001": b'"2099-03-18T03:00:00Z"'},
    READ_MARKS: {
        "console\n/w": b'{"memory/conversations/a.md":{"device":1,"inode":2,"offset":300,"head":"256:ab"}}',
        "console\n/x": b"{}",
        "watch\n/w": b'{"b.jsonl":{"device":1,"inode":3,"offset":9,"head":""}}',
    },
    GAUGE_SAMPLES: {
        "2026-03-15T03:00:00+00:00": b'["2026-03-15T03:00:00Z",{"working.files":13}]',
        "2026-03-16T03:00:00+00:00": b'["2026-03-16T03:00:00Z",{"working.files":14}]',
    },
    DRY_RUNS: {"r-20260315-0001": _RUN},
    DECISIONS: {"m1": _MESSAGE},
    JUDGEMENTS: {f"m1\ndeploys\n{_AT}": _JUDGED},
    TALLIES: {"2026-03-15T03": _TALLY},
    TRANSCRIPTS: {},
    OPERATION_FOLDS: {"tree": LATER["tree-records.json"], "trust": LATER["trust-records.json"]},
}
"""The same facts as the tables hold them."""


def write_before(folder: Path, files: Mapping[str, bytes] = FILES) -> None:
    """Makes the folder."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def rows_of(folder: Path, *, read_only: bool = False) -> dict[str, dict[str, bytes]]:
    """What the database of a folder holds now."""
    from engine.state.database import StateDatabase
    from engine.state.rows import TABLES, TableRows

    database = StateDatabase(folder, read_only=read_only)
    try:
        nothing: dict[str, dict[str, bytes]] = {}
        found = database.read(lambda db: {table: TableRows(db, table).all() for table in TABLES}, nothing)
        assert not database.problem, database.problem
        return found
    finally:
        database.close()
