"""One database of the operator's state: small facts that several processes change at the same time (DESIGN §2). It
is opened when first needed. Where it is damaged, reads give nothing and `problem` has the reason, so that views and
undo still work; writes are refused."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from engine.errors import Damaged, MemdeckError, Refused, remedy
from engine.state.migrations import is_current, migrate
from engine.state.private_files import inode_at, step
from engine.workspace.private_database import connect, distrust

if TYPE_CHECKING:
    import apsw

NAME = "state.db"
MARK = "database.made"
"""A file that tells a lost database from one that was never made; `rm state.db*` does not remove it."""
MARK_BEFORE = "state.db.made"  # the mark of the versions before
PRAGMAS = "PRAGMA journal_mode=wal; PRAGMA synchronous=full"  # with a log readers wait for no writer
BUSY_SECONDS = 30
"""The longest wait for the writes of other processes: ten that write without a pause need about a second."""
BUSY_AGAIN_SECONDS = 1
"""The wait once one has failed: on a disk that refuses locks every write would wait for the longest time."""
_HINT = "memdeck recover"
_in_vain: set[Path] = set()  # the files for which this process waited in vain, and has not written to since

T = TypeVar("T")


class StateDatabase:
    """`state.db` of one state folder. Threads that use it wait for each other."""

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        self.folder = folder
        self.file = folder / NAME
        self.read_only = read_only
        self.problem = ""
        """The reason why some or all of it cannot be read; empty where no reading failed."""
        self._lock = threading.RLock()
        self._connection: apsw.Connection | None = None
        self._inode: tuple[int, int] | None = None

    def close(self) -> None:
        """Closes the connection; the next read or write opens it again."""
        with self._lock:
            if self._connection is not None:
                with _errors(self.file):
                    self._connection.close()
                self._connection = None

    def read(self, ask: "Callable[[apsw.Connection], T]", nothing: T) -> T:
        """Gives the answer of `ask`; `nothing` where there is no readable database."""
        with self._lock:
            try:
                if not self._is_there():
                    return nothing
                with _errors(self.file):
                    return ask(self._opened())
            except MemdeckError as error:
                self.problem = error.message
                return nothing

    @contextmanager
    def transaction(self, *, synced: bool = True) -> "Iterator[apsw.Connection]":
        """Opens a transaction, as the only writer, on disk at its end; with `synced=False` only at the next synced one.
        `Refused` if read-only, `Damaged` if damaged or gone, `MemdeckError` for a full disk."""
        if self.read_only:
            raise Refused("nothing is kept: this is --read-only", where=str(self.file), hint="leave --read-only out")
        with self._lock, _errors(self.file), ExitStack() as stack:
            connection = self._opened()
            # Set at each transaction: the one before may have set it otherwise.
            connection.execute(f"PRAGMA synchronous={'full' if synced else 'normal'}")
            self._begin(stack, connection)
            if inode_at(self.file) != self._inode:  # put there while this one waited for its turn
                stack.close()
                connection = self._opened()
                self._begin(stack, connection)
            yield connection

    def write_anew(self) -> None:
        """Rewrites the file, so that deleted rows cannot be read from it; a reader's log stays until the next call."""
        import apsw

        with self._lock, _errors(self.file):
            connection = self._opened()
            connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 1)  # the copy that VACUUM makes counts as one
            for statement in ("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                step("forget-database")
                connection.execute(statement).fetchall()
            connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)

    def trouble(self) -> str:
        """Gives the reason why some or all of the state cannot be used; empty where it can."""
        self.read(lambda db: db.execute("SELECT count(*) FROM migrations").fetchone() is not None, nothing=False)
        return self.problem

    # ── within ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _begin(self, stack: ExitStack, connection: "apsw.Connection") -> None:
        """Waits for the lock to write, for a shorter time after a wait that failed."""
        import apsw

        seconds = BUSY_AGAIN_SECONDS if self.file in _in_vain else BUSY_SECONDS
        connection.set_busy_timeout(round(1000 * seconds))
        try:
            stack.enter_context(immediate(connection))
        except apsw.BusyError:
            _in_vain.add(self.file)
            raise
        _in_vain.discard(self.file)

    def _is_there(self) -> bool:
        if self._connection is not None or self.file.exists():
            return True
        self._refuse_where_gone()
        return False

    def _opened(self) -> "apsw.Connection":
        if self._connection is not None and inode_at(self.file) == self._inode:
            return self._connection
        self.close()  # `recover` and `state import` put another file in its place
        self._connection = self._read_only_copy() if self.read_only else self._current()
        self._inode = inode_at(self.file)
        self.problem = ""
        return self._connection

    def _current(self) -> "apsw.Connection":
        self._refuse_where_gone()
        marked = was_made(self.folder)
        connection = _patiently(lambda: connect(self.file, PRAGMAS, round(BUSY_SECONDS * 1000)))
        try:
            if not is_current(connection, marked=marked):
                with immediate(connection):
                    migrate(connection, marked=marked)
            if not (mark := self.folder / MARK).exists():
                with suppress(OSError):  # without it a database that is gone is not missed, and no more
                    os.close(os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        except BaseException:
            connection.close()
            raise
        return connection

    def _read_only_copy(self) -> "apsw.Connection":
        """Opens the file read-only; a copy in memory where it lacks tables of this version."""
        import apsw

        marked = was_made(self.folder)
        if self.file.exists() and self.file.stat().st_size:
            # Without a log nobody else has it open, and opening it would make one.
            is_alone = not self.file.with_name(f"{NAME}-wal").exists()
            connection = connect(self.file, "", round(BUSY_SECONDS * 1000), read_only=True, immutable=is_alone)
            if is_current(connection, marked=marked):
                return connection
            copy = apsw.Connection(":memory:")
            with copy.backup("main", connection, "main") as backup:
                backup.step()
            connection.close()
        else:
            self._refuse_where_gone()
            copy = apsw.Connection(":memory:")
        distrust(copy)
        with immediate(copy):
            migrate(copy, marked=marked)
        return copy

    def _refuse_where_gone(self) -> None:
        if was_made(self.folder) and not (self.file.exists() and self.file.stat().st_size):
            raise Damaged(f"{NAME} is missing or empty", where=str(self.folder), hint=_HINT)


def was_made(folder: Path) -> bool:
    """Tells whether this state folder ever had a database."""
    return any((folder / mark).exists() for mark in (MARK, MARK_BEFORE))


@contextmanager
def immediate(connection: "apsw.Connection") -> "Iterator[None]":
    """Opens a transaction that takes the write lock at its beginning, so that it need not give up later."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def new_database(file: Path) -> "apsw.Connection":
    """Makes a database with all tables of this version and no rows, in one file without a log."""
    connection = connect(file, "PRAGMA journal_mode=delete; PRAGMA synchronous=full", 0)
    with immediate(connection):
        migrate(connection)
    return connection


def _patiently(open_it: "Callable[[], apsw.Connection]") -> "apsw.Connection":
    """Retries opening while another process turns the log on, for which SQLite does not wait."""
    import apsw

    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            return open_it()
        except apsw.BusyError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(0.01)


@contextmanager
def _errors(file: Path) -> Iterator[None]:
    """Converts the errors of SQLite and of the disk into memdeck's."""
    import apsw

    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError, apsw.SchemaChangeError, apsw.SQLError, apsw.MismatchError) as error:
        raise Damaged(f"{NAME} is damaged: {error}", where=str(file), hint=_HINT) from error
    except UnicodeDecodeError as error:
        raise Damaged(f"{NAME} is damaged: a name in it is no text", where=str(file), hint=_HINT) from error
    except apsw.BusyError as error:
        raise MemdeckError("other memdecks are writing to it", where=str(file), hint="try again") from error
    except apsw.TooBigError as error:
        raise MemdeckError("it is too large to be remembered", where=str(file)) from error
    except apsw.Error as error:
        hint = "free some space, or make it writable, and try again"
        raise MemdeckError(f"not saved: {error}", where=str(file), hint=hint) from error
    except OSError as error:
        what = f"not saved: {error.strerror or error}"
        raise MemdeckError(what, where=str(file), hint=remedy(error, "try again")) from error
