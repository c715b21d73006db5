"""A state folder with a fact in most tables of its database."""

from pathlib import Path

from engine.state.database import StateDatabase
from engine.state.migrations import OF_SESSIONS
from engine.state.table import StateTable, TableRows

_RUN = (
    b'{"system":"compact","made_at":"2026-03-15T03:00:00Z","now":"2026-03-15T03:00:00Z","simulated_clock":false,'
    b'"reason":"no threshold is met","text":"Trigger: none\\n","facts":{"a":1}}'
)
_AT = "2026-03-15T03:00:00+00:00"
_MESSAGE = (
    b'{"key":"m1","at":"2026-03-15T03:00:00Z","session":"s","source":"a.jsonl","role":"user","text":"ship it",'
    b'"result":{"id":"m1"}}'
)
_TALLY = b'{"messages":1}'
_JUDGED = f'{{"message":"m1","topic":"deploys","useful":"yes","at":"{_AT}"}}'.encode()


ROWS: dict[str, dict[str, bytes]] = {
    **{
        table: {}
        for table in (
            *OF_SESSIONS,
            StateTable.LOADED_FILES,
            StateTable.BLIND_ANSWERS,
            StateTable.REFERENCE_DAYS,
            StateTable.DIFF_COMMENTS,
        )
    },
    **{table: {} for table in (StateTable.FACT_WORDS, StateTable.VERIFIED_LINES, StateTable.QUEUE_RULES)},
    StateTable.JOB_RUNS: {"weekly": b'"2026-03-15T03:00:00Z"', "daily": b'"2026-03-16T04:30:00Z"'},
    StateTable.SAVED_SEARCHES: {
        "deploys": b'{"name":"deploys","query":"\\"blue green\\" -test","category":"journal","since":"2026-01-01",'
        b'"until":null,"operators":false}',
        "Ana": b'{"name":"Ana","query":"Ana","category":null,"since":null,"until":null,"operators":true}',
    },
    StateTable.REFERENCES: {"knowledge/a.md": b"3", "memory/2026-03-01.md": b"1"},
    StateTable.FOLLOWED_PATHS: {"/home/user/one.jsonl": b"{}", "/home/user/two": b"{}"},
    StateTable.SNOOZES: {"p-20260315-0001": b'"2099-03-18T03:00:00Z"'},
    StateTable.READ_MARKS: {
        "console\n/w": b'{"memory/conversations/a.md":{"device":1,"inode":2,"offset":300,"head":"256:ab"}}',
        "console\n/x": b"{}",
        "watch\n/w": b'{"b.jsonl":{"device":1,"inode":3,"offset":9,"head":""}}',
    },
    StateTable.GAUGE_SAMPLES: {
        "2026-03-15T03:00:00+00:00": b'["2026-03-15T03:00:00Z",{"working.files":13}]',
        "2026-03-16T03:00:00+00:00": b'["2026-03-16T03:00:00Z",{"working.files":14}]',
    },
    StateTable.DRY_RUNS: {"r-20260315-0001": _RUN},
    StateTable.DECISIONS: {"m1": _MESSAGE},
    StateTable.JUDGEMENTS: {f"m1\ndeploys\n{_AT}": _JUDGED},
    StateTable.TALLIES: {"2026-03-15T03": _TALLY},
    StateTable.TRANSCRIPTS: {},
    StateTable.OPERATION_FOLDS: {
        "tree": b'{"nodes":{"memory/ROOT.md":{"sha256":"ab","fixed":false}},"through":"o-20260315-0001"}',
        "trust": b'{"paths":{"MEMORY.md":{"trust":"agent","why":""}},"contents":{},"through":"o-1"}',
    },
}
"""The facts, by table."""


def write_rows(folder: Path) -> None:
    """Makes the database with the facts."""
    folder.mkdir(parents=True, exist_ok=True)
    database = StateDatabase(folder)
    with database.transaction() as connection:
        for table, rows in ROWS.items():
            for key, body in rows.items():
                TableRows(connection, table).put(key, body)
    database.close()


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def rows_of(folder: Path, *, read_only: bool = False) -> dict[str, dict[str, bytes]]:
    """What the database of a folder holds now."""
    database = StateDatabase(folder, read_only=read_only)
    try:
        nothing: dict[str, dict[str, bytes]] = {}
        found = database.read(lambda db: {table: TableRows(db, table).all() for table in StateTable}, nothing)
        assert not database.problem, database.problem
        return found
    finally:
        database.close()
