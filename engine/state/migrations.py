"""The migrations that made the tables of `state.db`, by name; all missing ones run in one transaction."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from engine.errors import Damaged, MemdeckError
from engine.state.private_files import step
from engine.state.table import StateTable, schema

if TYPE_CHECKING:
    import apsw

APPLICATION = 0x6D647374  # SQLite's `application_id` of the file
_NAMES = "CREATE TABLE migrations(name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID"


class Migration(NamedTuple):
    name: str
    run: "Callable[[apsw.Connection], None]"


FIRST, LATER = tuple(StateTable)[:6], tuple(StateTable)[6:12]
"""The tables of the first version with a database, and those that the second added."""
OF_SESSIONS = (StateTable.FLUSH_MARKS, StateTable.SESSION_BACKUPS, StateTable.COMPACTIONS)
"""Tables of the windows that called for a flush, of backups and of compactions."""


def _made(tables: tuple[str, ...] = ()) -> "Callable[[apsw.Connection], None]":
    def run(connection: "apsw.Connection") -> None:
        for table in tables:
            connection.execute(schema(table))

    return run


# Two steps took files over that no released version wrote; databases name them as made.
MIGRATIONS = (
    Migration("one table per kind of fact", _made(FIRST)),
    Migration("files taken over", _made()),
    Migration("tables of what was measured and decided", _made(LATER)),
    Migration("their files taken over", _made()),
    Migration("a table of captured transcripts", _made((StateTable.TRANSCRIPTS,))),
    Migration("tables of compactions and backups", _made(OF_SESSIONS)),
    Migration("a table of loaded files", _made((StateTable.LOADED_FILES,))),
    Migration("a table of blind comparisons", _made((StateTable.BLIND_ANSWERS,))),
    Migration("a table of days of use", _made((StateTable.REFERENCE_DAYS,))),
    Migration("a table of comments", _made((StateTable.DIFF_COMMENTS,))),
    Migration("a table of your word on facts", _made((StateTable.FACT_WORDS,))),
    Migration("a table of verified lines", _made((StateTable.VERIFIED_LINES,))),
    Migration("a table of rules for plans", _made((StateTable.QUEUE_RULES,))),
)


def expected_schema() -> frozenset[str]:
    """Gives the SQL of all tables as SQLite stores it; anything else in the file is not memdeck's."""
    return frozenset((_NAMES, *map(schema, StateTable)))


def is_current(connection: "apsw.Connection", *, marked: bool) -> bool:
    """Tells whether no migration is missing. `marked`: there was a database, so an empty file is `Damaged`.
    `Damaged` too for a foreign file, `MemdeckError` for one of a later version."""
    known = {migration.name for migration in MIGRATIONS}
    if (done := _done(connection)) is None:
        if marked:
            raise Damaged("state.db is empty", hint="memdeck recover")
        return False
    if done - known:
        raise MemdeckError("state.db was made by a later memdeck", hint="use that one")
    return done == known


def migrate(connection: "apsw.Connection", *, marked: bool = False, steps: Sequence[Migration] = MIGRATIONS) -> None:
    """Runs the missing migrations inside the caller's transaction."""
    if is_current(connection, marked=marked):
        return
    if (done := _done(connection)) is None:
        connection.execute(f"PRAGMA application_id={APPLICATION}")
        connection.execute(_NAMES)
    for migration in steps:
        if migration.name not in (done or ()):
            step(f"state-migrate-{migration.name}")
            migration.run(connection)
            connection.execute("INSERT INTO migrations VALUES(?)", (migration.name,))
    step("state-migrate-commit")


def _done(connection: "apsw.Connection") -> set[str] | None:
    """Gives the names of the migrations that ran; None for an empty file."""
    if connection.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,):
        return None
    if connection.pragma("application_id") != APPLICATION:
        raise Damaged("state.db is not memdeck's file", hint="memdeck recover")
    return {str(name) for (name,) in connection.execute("SELECT name FROM migrations")}
