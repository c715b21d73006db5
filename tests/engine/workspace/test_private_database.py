"""The operator's own SQLite files."""

import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from engine.workspace.private_database import DatabaseFormat, connect, open_database

FORM = DatabaseFormat(
    what="a store of tests",
    application=0x6D647474,
    version=1,
    schema="CREATE TABLE facts(name TEXT)",
    pragmas="PRAGMA journal_mode=wal; PRAGMA synchronous=normal",
    busy_milliseconds=1000,
)


def test_every_pragma_runs_also_behind_one_that_gives_a_row(tmp_path: Path) -> None:
    db = open_database(tmp_path / "facts.db", FORM)
    assert (db.pragma("journal_mode"), db.pragma("synchronous"), db.pragma("trusted_schema")) == ("wal", 1, 0)
    assert db.execute("SELECT count(*) FROM facts").fetchone() == (0,)
    db.close()


def test_nobody_else_can_read_it_and_no_link_is_followed(tmp_path: Path) -> None:
    open_database(tmp_path / "facts.db", FORM).close()
    assert (tmp_path / "facts.db").stat().st_mode & 0o777 == 0o600
    (tmp_path / "link.db").symlink_to(tmp_path / "elsewhere.db")
    with pytest.raises(OSError, match="link"):
        open_database(tmp_path / "link.db", FORM)
    assert not (tmp_path / "elsewhere.db").exists()


def test_another_programs_file_is_left_as_it_is(tmp_path: Path) -> None:
    other = apsw.Connection(str(tmp_path / "facts.db"))
    other.execute("CREATE TABLE theirs(x)")
    other.close()
    with pytest.raises(apsw.NotADBError, match="not a store of tests"):
        open_database(tmp_path / "facts.db", FORM)
    assert b"theirs" in (tmp_path / "facts.db").read_bytes()


def test_opening_it_again_gives_up_no_lock_of_a_connection_that_is_open(tmp_path: Path) -> None:
    """Or another process takes itself for the last one, and puts away the log that this one still writes to."""
    file = tmp_path / "db"
    held = connect(file, "PRAGMA journal_mode=wal", 0)
    held.execute("CREATE TABLE t(x)")
    assert _others_are_kept_out(file)
    for read_only in (False, True):
        connect(file, "", 0, read_only=read_only).close()
        assert _others_are_kept_out(file)
    held.close()
    assert not _others_are_kept_out(file)


def _others_are_kept_out(file: Path) -> bool:
    """Tells whether another process is refused SQLite's exclusive lock."""
    code = """if True:
        import fcntl, sys
        with open(sys.argv[1], "r+b") as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)
    """
    return subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True).returncode != 0
