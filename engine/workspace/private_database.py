"""An SQLite file in the operator's state folder: readable by nobody else, and trusted no further than its format."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import apsw


@dataclass(frozen=True)
class DatabaseFormat:
    """The form that a file must have: SQLite's `application_id` and `user_version`, and the tables of an empty one."""

    what: str
    application: int
    version: int
    schema: str
    pragmas: str
    """The set-up of each connection: journal mode, synchronisation."""
    busy_milliseconds: int


def open_database(file: Path, form: DatabaseFormat) -> "apsw.Connection":
    """Opens the file, making it and its tables where there are none.

    Raises `apsw.NotADBError` for another program's file or another version's, other `apsw.Error`s, and `OSError`.
    """
    import apsw

    # Made by us first: SQLite would make it readable by others, and would follow a link.
    os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    db = apsw.Connection(str(file))
    try:
        db.set_busy_timeout(form.busy_milliseconds)
        # To the end: a statement behind one that gives a row runs only once that row was taken.
        db.execute(f"PRAGMA trusted_schema=off; PRAGMA cell_size_check=on; {form.pragmas}").fetchall()
        _prepare(db, form)
    except BaseException:
        db.close()
        raise
    return db


def _prepare(db: "apsw.Connection", form: DatabaseFormat) -> None:
    import apsw

    with db:
        application, version = (int(db.pragma(name)) for name in ("application_id", "user_version"))
        if (application, version) == (form.application, form.version):
            return
        if db.execute("SELECT count(*) FROM sqlite_schema").fetchone() != (0,):
            raise apsw.NotADBError(f"not {form.what}")
        db.execute(form.schema)
        db.execute(f"PRAGMA application_id={form.application}; PRAGMA user_version={form.version}")
