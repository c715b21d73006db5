"""Finds damage of `state.db` and rebuilds it from the rows that match their checksum (promise B8)."""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from engine.errors import MemdeckError
from engine.state.database import MARK, NAME, new_database, was_made
from engine.state.migrations import expected_schema, is_current
from engine.state.private_files import step
from engine.state.table import FOLDED, StateTable, TableRows, titles
from engine.workspace import values
from engine.workspace.private_database import connect
from engine.workspace.system_calls import fsync_folder
from engine.workspace.values import Finding

if TYPE_CHECKING:
    import apsw

DAMAGED = f"{NAME}.damaged"  # a copy of the damaged file while a new one is made; it gets a number when that is done
_BUSY_MILLISECONDS = 5_000  # milliseconds for which a check waits while others write
_FIX = "memdeck recover rebuilds what it can"


class Salvage(msgspec.Struct):
    """The rows that were read of a table. `whole`: none is missing."""

    rows: dict[str, bytes] = {}
    whole: bool = False


def state_findings(folder: Path) -> tuple[Finding, ...]:
    """Gives a finding where the database is damaged."""
    problem = damage(folder)
    return (values.damage("state_damaged", NAME, problem, _FIX),) if problem else ()


def damage(folder: Path) -> str:
    """Gives the database's problem; empty where it has none or was never made."""
    import apsw

    file = folder / NAME
    if not file.exists() or not file.stat().st_size:
        return "it is missing, and it was here before" if was_made(folder) else ""
    try:
        connection = connect(file, "", _BUSY_MILLISECONDS)
        try:
            connection.execute("BEGIN")
            return _damage_of(connection)
        finally:
            connection.close()
    # Somebody writes to it: that is no damage.
    except apsw.BusyError:
        return ""
    except (apsw.Error, OSError, MemdeckError, UnicodeDecodeError) as error:
        return f"it cannot be read: {error}"


def _damage_of(connection: "apsw.Connection") -> str:
    """Checks the whole database in the caller's transaction; gives the problem, empty if there is none."""
    said = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(3)")]
    if said != ["ok"]:
        return f"SQLite finds: {'; '.join(said)}"
    if not is_current(connection, marked=False):
        return ""
    objects = connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
    if {sql for (sql,) in objects} != expected_schema():
        return "its tables are not those that memdeck made"
    altered = {table: _read(connection, table) for table in StateTable}
    names = [titles()[table] for table, read in altered.items() if not read.whole]
    return f"not as they were written: {', '.join(names)}" if names else ""


def rebuild(folder: Path, runs: Mapping[str, datetime]) -> tuple[Finding, ...]:
    """Rebuilds a bad database and keeps the damaged one, under the caller's lock. `runs`: what other records tell."""
    if not damage(folder):
        _number(folder)
        return ()
    salvaged = {table: Salvage() for table in StateTable}
    # The copy too: a rebuild that was killed may have replaced the file already.
    for source in (folder / NAME, folder / DAMAGED):
        _add(salvaged, _salvage(source))
    _add(salvaged, {StateTable.JOB_RUNS: Salvage({job: msgspec.json.encode(at) for job, at in runs.items()})})
    anew = [table for table in FOLDED if not salvaged[table].whole]
    salvaged.update({table: Salvage(whole=True) for table in anew})
    _copy(folder)
    fresh = folder / f".{NAME}.{os.getpid()}-0.new"
    fresh.unlink(missing_ok=True)
    _fill(fresh, salvaged)
    for ending in ("-wal", "-shm"):
        # A log of the damaged file would be played into the new one.
        (folder / f"{NAME}{ending}").unlink(missing_ok=True)
    step("state-rebuilt-replace")
    fresh.replace(folder / NAME)
    (folder / MARK).touch(mode=0o600)
    fsync_folder(folder)
    _number(folder)
    return tuple(_told(salvaged, anew))


def _add(salvaged: dict[StateTable, Salvage], more: Mapping[StateTable, Salvage]) -> None:
    for table, found in more.items():
        known = salvaged[table]
        if not known.whole:
            salvaged[table] = Salvage({**found.rows, **known.rows}, found.whole)


def _salvage(file: Path) -> dict[StateTable, Salvage]:
    """Gives the rows of a damaged file that are readable and match their checksum."""
    import apsw

    if not file.exists() or not file.stat().st_size:
        return {}
    tables: dict[StateTable, Salvage] = {}
    with suppress(apsw.Error, OSError, UnicodeDecodeError):
        connection = connect(file, "", _BUSY_MILLISECONDS)
        try:
            connection.execute("BEGIN")
            intact = connection.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",)
            tables = {table: _read(connection, table) for table in StateTable}
            if not intact:
                # Rows may be missing from a damaged file without a sign of it: no table counts as whole.
                tables = {table: Salvage(read.rows) for table, read in tables.items()}
        finally:
            connection.close()
    return tables


def _read(connection: "apsw.Connection", table: str) -> Salvage:
    import apsw

    rows, found = TableRows(connection, table), Salvage()
    try:
        found.rows.update(rows.readable())
    except apsw.Error:
        return found
    return Salvage(found.rows, whole=not rows.altered)


def _copy(folder: Path) -> None:
    """Copies the damaged file, so that a kill from here on loses nothing; an earlier copy stays."""
    if not (folder / NAME).exists() or (folder / DAMAGED).exists():
        return
    # The log first: with the file alone a copy would count as whole.
    for ending in ("-wal", ""):
        source, target = folder / f"{NAME}{ending}", folder / f"{DAMAGED}{ending}"
        if source.exists():
            step("state-rebuilt-copy")
            fresh = folder / f".{DAMAGED}{ending}.{os.getpid()}-0.new"
            shutil.copyfile(source, fresh)
            fresh.chmod(0o600)
            fresh.replace(target)
    fsync_folder(folder)


def _fill(file: Path, salvaged: Mapping[StateTable, Salvage]) -> None:
    connection = new_database(file)
    try:
        with connection:
            for table, found in salvaged.items():
                rows = TableRows(connection, table)
                for key, body in found.rows.items():
                    rows.put(key, body)
    finally:
        connection.close()


def _number(folder: Path) -> None:
    """Renames the copy of a damaged file to its lasting, numbered name."""
    if not (folder / DAMAGED).exists():
        return
    number = 1
    while (folder / f"{DAMAGED}-{number}").exists():
        number += 1
    # The file last: as long as it has its old name a killed move is gone on with.
    for ending in ("-shm", "-wal", ""):
        source = folder / f"{DAMAGED}{ending}"
        if source.exists():
            source.rename(folder / f"{DAMAGED}-{number}{ending}")
    fsync_folder(folder)


def _told(salvaged: Mapping[StateTable, Salvage], anew: Sequence[str]) -> Iterator[Finding]:
    said = [f"{titles()[table]}: {len(found.rows)}" for table, found in salvaged.items() if found.rows]
    kept = ", ".join((*said, *(f"{titles()[table]}: from the operations" for table in anew)))
    yield values.notice("state_rebuilt", NAME, f"a new one is made; {kept or 'nothing is in it'}")
    if lost := [titles()[table] for table, found in salvaged.items() if not found.whole]:
        what = f"some may be missing, no other record has them: {', '.join(lost)}"
        yield values.notice("state_lost", NAME, what, "look them through, or import a backup")
