"""Opens an SQLite file in the state folder: private to the operator, its contents not trusted."""

import errno
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import apsw

LARGEST = 64 * 1024 * 1024  # bytes of one value or row: a damaged length asks for no more memory than that


@dataclass(frozen=True)
class DatabaseFormat:
    """The required format: SQLite's `application_id` and `user_version`, and the tables of a new file."""

    what: str
    application: int
    version: int
    schema: str
    pragmas: str  # the set-up of each connection: journal mode, synchronisation
    busy_milliseconds: int


def open_database(file: Path, form: DatabaseFormat) -> "apsw.Connection":
    """Opens the file, creating it and its tables if missing. Raises `apsw.NotADBError` for another program's or
    version's file, other `apsw.Error`s, and `OSError`."""
    db = connect(file, form.pragmas, form.busy_milliseconds)
    try:
        _prepare(db, form)
    except BaseException:
        db.close()
        raise
    return db


def connect(
    file: Path, pragmas: str, busy_milliseconds: int, *, read_only: bool = False, immutable: bool = False
) -> "apsw.Connection":
    """Opens the file, made unless `read_only`; nothing in its schema runs. Raises `apsw.Error`s and `OSError`."""
    import apsw

    if not read_only:
        _make(file)
    # SQLite follows links.
    if stat.S_ISLNK(file.lstat().st_mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(file))
    name = f"{file.absolute().as_uri()}?immutable=1" if immutable else str(file)
    flags = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE
    db = apsw.Connection(name, flags=flags | (apsw.SQLITE_OPEN_URI if immutable else 0))
    try:
        db.set_busy_timeout(busy_milliseconds)
        distrust(db)
        # To the end: a statement behind one that gives a row runs only once that row was taken.
        db.execute(f"PRAGMA cell_size_check=on; {pragmas}").fetchall()
    except BaseException:
        db.close()
        raise
    return db


def _make(file: Path) -> None:
    """Creates an empty file if there is none: SQLite would make it readable by others. Never opens an existing one:
    closing any descriptor of a file drops all locks of the process on it."""
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))


def distrust(db: "apsw.Connection") -> None:
    """Restricts a connection so that nothing in an altered file can run."""
    import apsw

    for option, on in (
        (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
        (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
        (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
        (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
    ):
        db.config(option, on)
    for limit, most in ((apsw.SQLITE_LIMIT_LENGTH, LARGEST), (apsw.SQLITE_LIMIT_ATTACHED, 0)):
        db.limit(limit, most)


def _prepare(db: "apsw.Connection", form: DatabaseFormat) -> None:
    import apsw

    with db:
        application, version = (int(db.pragma(name)) for name in ("application_id", "user_version"))
        if (application, version) == (form.application, form.version):
            return
        # An empty file is ours to fill; one with tables is another program's, or of another version.
        if db.execute("SELECT count(*) FROM sqlite_schema").fetchone() != (0,):
            raise apsw.NotADBError(f"not {form.what}")
        db.execute(form.schema)
        db.execute(f"PRAGMA application_id={form.application}; PRAGMA user_version={form.version}")
