"""Reads the sessions of another tool's SQLite database from a private copy: nothing in it is trusted or run."""

import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from heapq import merge
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from engine.extras.importers.containers import unpacked
from engine.extras.importers.files import SourceBytes, SourceFolder
from engine.extras.importers.generations import Generation, SqlTable
from engine.workspace.private_database import connect

if TYPE_CHECKING:
    import apsw

_WAL = "-wal"
_TRIES = 3  # a copy that its writer changed meanwhile is made again so often
_PRAGMAS = "PRAGMA query_only=on; PRAGMA temp_store=file; PRAGMA cache_size=-16000"


def database_texts(
    folder: SourceFolder, path: str, form: Generation, beside: dict[str, bytes]
) -> Iterator[SourceBytes]:
    """The rows of each session as JSON lines; rows before damage count. Of the files beside it, only the `-wal` is
    used: with a `-journal`, SQLite could delete other files. An unfinished transaction is left for the next import."""
    import apsw

    with tempfile.TemporaryDirectory(prefix="memdeck-") as private:
        copy = Path(private) / "copy.sqlite"
        if problem := _copied(folder, path, copy, beside):
            yield SourceBytes(path, problem=problem)
            return
        try:
            with closing(connect(copy, _PRAGMAS, 0, read_only=True)) as db:
                yield from _texts(db, path, form)
        except (apsw.Error, UnicodeDecodeError, ValueError) as error:
            yield SourceBytes(path, problem=f"no database that can be read to its end: {error}")


def _copied(folder: SourceFolder, path: str, copy: Path, beside: dict[str, bytes]) -> str:
    """Copies the database with its log in a consistent state. Returns the reason if it cannot."""
    for _ in range(_TRIES):
        before = folder.stamp(path), folder.stamp(path + _WAL)
        file = folder.read(path)
        log = folder.read(path + _WAL) if before[1] is not None else None
        if file.problem:
            return file.problem
        if log is not None and log.problem:
            return f"{_WAL}: {log.problem}"
        if before == (folder.stamp(path), folder.stamp(path + _WAL)):
            copy.write_bytes(file.data)
            if log is not None:
                beside[path + _WAL] = log.data
                Path(f"{copy}{_WAL}").write_bytes(log.data)
            return ""
    return "its tool is writing it just now: import again"


def _texts(db: "apsw.Connection", path: str, form: Generation) -> Iterator[SourceBytes]:
    tables = {
        str(name)
        for name, sql in db.execute("SELECT name, sql FROM sqlite_schema WHERE type='table'")
        if isinstance(sql, str) and not sql.lstrip().upper().startswith("CREATE VIRTUAL")  # that runs code of its own
    }
    if not (known := [table for table in form.tables if table.name in tables]):
        yield SourceBytes(path, problem=f"it has none of the tables {', '.join(table.name for table in form.tables)}")
        return
    lost: Counter[str] = Counter()
    rows = merge(*(_rows(db, table, number, lost) for number, table in enumerate(known)), key=lambda row: row[:2])
    version = _version(db, form)
    for session, group in groupby(rows, key=lambda row: row[0]):
        text = b"\n".join(line for _, _, line in group)
        yield SourceBytes(path, _headed(session, text) if known[0].line else text, version=version)
    for name, blob in form.archives.items():
        if {known[0].key, blob} <= _columns(db, name):
            yield from _archived(db, path, name, (known[0].key, blob), lost)
    yield from (SourceBytes(path, unread=name, number=count) for name, count in lost.items())


def _headed(session: str, text: bytes) -> bytes:
    """The lines of a session, with a line that names it first."""
    is_named = b'"session"' in text[:200].partition(b"\n")[0]
    return text if is_named else msgspec.json.encode({"type": "session", "id": session}) + b"\n" + text


def _archived(
    db: "apsw.Connection", path: str, name: str, columns: tuple[str, str], lost: Counter[str]
) -> Iterator[SourceBytes]:
    """The sessions of a table with a whole session per row. A row that cannot be unpacked is counted as lost."""
    key, blob = map(_quoted, columns)
    asked = f"SELECT {key}, {blob} FROM {_quoted(name)} WHERE typeof({key})='text' AND typeof({blob})='blob'"  # noqa: S608 — quoted
    for session, data in db.execute(asked):
        text = unpacked(path, data if isinstance(data, bytes) else b"")
        if text.problem:
            lost[name] += 1
        else:
            yield text._replace(data=_headed(str(session), text.data))


def _rows(db: "apsw.Connection", table: SqlTable, number: int, lost: Counter[str]) -> Iterator[tuple[str, int, bytes]]:
    """The rows of a table by session: name, table number, JSON line. A row that cannot be unpacked counts as lost."""
    there = _columns(db, table.name)
    wanted = [name for name in ((table.line,) if table.line else table.columns) if name in there]
    order = ", ".join(_quoted(name) for name in (table.key, *table.order) if name in there)
    if table.key not in there or not wanted:
        return
    key, values = _quoted(table.key), ", ".join(map(_value, wanted))
    values = f"coalesce({values}, {_quoted(table.packed)})" if table.packed in there else values
    asked = f"SELECT {key}, {values} FROM {_quoted(table.name)} WHERE typeof({key})='text' ORDER BY {order}"  # noqa: S608 — quoted
    for session, *row in db.execute(asked):
        text = unpacked(table.name, row[0]) if table.line and isinstance(row[0], bytes) else SourceBytes(table.name)
        line = text.data.decode("utf-8", "replace").replace("\n", " ").encode()
        if text.problem:
            lost[table.packed] += 1
        elif not table.line:
            texts = (value.decode("utf-8", "replace") if isinstance(value, bytes) else value for value in row)
            line = msgspec.json.encode({"table": table.name} | dict(zip(wanted, texts, strict=True)))
        if line:
            yield str(session), number, line


def _value(name: str) -> str:
    """A value in SQL: a text as bytes, so that invalid UTF-8 costs only the invalid characters."""
    return "CASE typeof({0}) WHEN 'text' THEN CAST({0} AS BLOB) WHEN 'blob' THEN NULL ELSE {0} END".format(
        _quoted(name)
    )


def _version(db: "apsw.Connection", form: Generation) -> str:
    table, _, column = form.version_in.partition(".")
    if not column or column not in _columns(db, table):
        return ""
    found = db.execute(f"SELECT {_quoted(column)} FROM {_quoted(table)} LIMIT 1").fetchone()  # noqa: S608 — quoted
    return str(found[0]) if found else ""


def _columns(db: "apsw.Connection", table: str) -> set[str]:
    return {str(row[1]) for row in db.execute(f"PRAGMA table_info({_quoted(table)})")}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
