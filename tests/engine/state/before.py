"""A state folder as the version before wrote it: files of JSON, byte for byte."""

from pathlib import Path

from engine.state.rows import FOLLOWED_PATHS, JOB_RUNS, READ_MARKS, REFERENCES, SAVED_SEARCHES, SNOOZES

FILES = {
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
ROWS = {
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
}
"""The same facts as the tables hold them."""


def write_before(folder: Path) -> None:
    """Makes the folder."""
    folder.mkdir(exist_ok=True)
    for name, data in FILES.items():
        (folder / name).write_bytes(data)


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
