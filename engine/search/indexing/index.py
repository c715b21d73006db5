"""Keeps the index of one workspace: opens it when needed, and rebuilds it if another program changed it. Only this
module writes `memory.db`. Everything in it can be rebuilt from the notes."""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

import apsw
import msgspec

from engine.search.embedding.embedder import Embedder, EmbeddingFailed, NoEmbedder
from engine.search.indexing.slow_vectors import counted, embed_all
from engine.search.indexing.update import Changes, Done, bring_in, changes, known_again, known_files, time_limit
from engine.search.naming import renamed
from engine.search.ranking.file_scores import later_embedder
from engine.search.store.schema import Database, FileRow, Unusable, explained
from engine.search.store.vault import NotOurs, Vault
from engine.search.values import NAME, IndexReport, IndexState
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Tick

Made = TypeVar("Made")
ATTEMPTS = 3  # two processes may find the same damage at the same time
ROUNDS = 8  # the number of times that a question brings in what other processes took out meanwhile


def discard_index(root: WorkspaceRoot, state: Path) -> None:
    """Deletes the index with all its pages. The next search rebuilds it (decision D62)."""
    vault = Vault(root, state)
    vault.discard()
    vault.journal.unlink(missing_ok=True)


class _Known(NamedTuple):
    """The content of an index at one generation. `touched`: paths changed since the last one; None: any may be."""

    database: Database
    generation: str
    files: dict[str, FileRow]
    touched: set[str] | None


class _Compared(NamedTuple):
    known: _Known
    snapshot: Snapshot
    found: Changes


class NoteIndex:
    """One workspace's index, for one thread at a time. Other processes may use their own meanwhile."""

    def __init__(self, root: WorkspaceRoot, state: Path) -> None:
        self._vault, self.written = Vault(root, state), True
        self._database: Database | None = None
        self._compared: _Compared | None = None
        self._named: tuple[Snapshot, Mapping[str, str]] | None = None
        self.remarks: list[str] = []  # events of the index since the last look, a sentence each

    def close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def use(self, work: Callable[[Database], Made]) -> Made:
        """Calls `work` with the index, and again with a new one if it is not ours. `Unusable` if none can be opened."""
        for _ in range(ATTEMPTS - 1):
            try:
                return self._try(work)
            except Unusable as problem:
                # Another process has it, or the disk is full: a new index would meet the same.
                if not problem.damaged:
                    raise
                self.remarks.append(f"{NAME} {problem}: it is rebuilt from the notes")
            self.rebuild()
        return self._try(work)

    def _try(self, work: Callable[[Database], Made]) -> Made:
        try:
            if self._database is not None and not self._vault.is_named():
                self.close()
            if self._database is None:
                if not (self.written or self._vault.is_made()):
                    raise Unusable("is not made", damaged=False)
                self._vault.problem = ""
                self._database = Database.open(self._vault, create=self.written)
            return work(self._database)
        except (apsw.Error, NotOurs, OSError, msgspec.ValidationError) as error:
            self.close()
            raise explained(error, self._vault) from error
        except Unusable:
            self.close()
            raise

    def rebuild(self) -> None:
        """Deletes the index; the next update rebuilds it."""
        self.close()
        if not self.written:
            raise Unusable("is not rebuilt, as nothing is to be written", damaged=False)
        try:
            self._vault.discard()
        except OSError as error:
            raise Unusable(f"cannot be replaced: {(error.strerror or 'unknown').lower()}", damaged=False) from error

    def update(
        self,
        snapshot: Snapshot,
        embedder: Embedder | NoEmbedder,
        *,
        deadline: Callable[[], bool] = lambda: False,
        tick: Tick | None = None,
    ) -> Done:
        """Brings the index up to date with a snapshot, as far as time allows."""

        def work(database: Database) -> Done:
            with database.transaction():
                found = self._changes(database, snapshot)
            if not found.new and not found.gone:
                return Done(0, 0, 0)
            if not self.written:
                return Done(0, 0, len(found.paths))
            return bring_in(database, snapshot, found, embedder, deadline=deadline, tick=tick)

        return self.use(work)

    def ask(
        self,
        snapshot: Snapshot,
        embedder: Embedder | NoEmbedder,
        question: Callable[[Database], Made],
        *,
        deadline: Callable[[], bool] = lambda: False,
    ) -> Made | Done:
        """Answers `question` if the index has the whole snapshot, checked in the same transaction because others change
        it too; otherwise returns what is still missing. Files that changed since are left to the next snapshot."""
        left: set[str] = set()

        def work(database: Database) -> Made | Done:
            with database.transaction():
                found = self._changes(database, snapshot)
                # What another process sees otherwise is left to it: the two would undo each other's work for ever.
                if left.issuperset(found.paths):
                    return question(database)
            if not self.written:
                return Done(0, 0, len(found.paths))
            return bring_in(database, snapshot, found, embedder, deadline=deadline)

        for _ in range(ROUNDS):
            outcome = self.use(work)
            if not isinstance(outcome, Done) or outcome.pending:
                return outcome
            left.update(outcome.left)
        raise Unusable("is being changed by other processes", damaged=False)

    def _changes(self, database: Database, snapshot: Snapshot) -> Changes:
        """Finds what the index lacks. Compared again, only the differences since the last snapshot are checked."""
        before = self._compared
        known = _known_now(database, before and before.known)
        same = before if before is not None and before.snapshot is snapshot else None
        if same is not None and same.known is known:
            return same.found
        if same is not None and known.touched is not None and not self._names(snapshot):
            paths = sorted(same.found.paths | known.touched)
            held = {path: known.files[path] for path in paths if path in known.files}
            found = changes(held, {path: snapshot.files[path] for path in paths if path in snapshot.files})
        else:
            found = changes(known.files, snapshot.files, self._names(snapshot))
        self._compared = _Compared(known, snapshot, found)
        return found

    def _names(self, snapshot: Snapshot) -> Mapping[str, str]:
        """The index's name for each file whose path contains a secret; computed once per snapshot."""
        if self._named is None or self._named[0] is not snapshot:
            self._named = snapshot, renamed(snapshot.files)
        return self._named[1]

    def copy_to(self, other: "NoteIndex") -> None:
        """Copies this index into another, empty one."""
        self.use(lambda mine: other.use(mine.copy_to))

    def report(self, done: Done, embedder: Embedder | NoEmbedder) -> IndexReport:
        """Describes the index as it is now."""
        files, chunks, lack, name = self.use(lambda database: _standing(database, embedder))
        return IndexReport(
            files=files,
            chunks=chunks,
            added=done.added,
            removed=done.removed,
            vectors=chunks - lack if name else 0,
            embedder=name,
            pending=done.pending,
            lacking=lack,
            size=done.size,
            remarks=tuple(self.remarks),
        )


def _standing(database: Database, embedder: Embedder | NoEmbedder) -> tuple[int, int, int, str]:
    """Counts the files, the chunks, and the chunks without vectors of their final embedder; and the id of that."""
    last = later_embedder(database, embedder) or embedder
    name = "" if isinstance(last, NoEmbedder) else last.id
    return (*counted(database, name), name)


def _known_now(database: Database, before: _Known | None) -> _Known:
    """Reads the content of the index at its current generation; for a later one, only the new rows."""
    generation = database.about("generation")
    if before is None or before.database is not database:
        return _Known(database, generation, known_files(database), None)
    if before.generation == generation:
        return before
    return _Known(database, generation, *known_again(database, before.files))


CLOSING_SECONDS = 2.0
"""The seconds for which closing waits for a running batch. A batch that is cut off is repeated next time."""


class IndexUpkeep:
    """Keeps an index fresh beside the searches: brings in changes, then computes missing vectors, in small steps. It
    has its own connection, so a search waits only for the moment of a commit."""

    def __init__(self, root: WorkspaceRoot, state: Path, embedder: Callable[[], Embedder | NoEmbedder]) -> None:
        self._index = NoteIndex(root, state)
        self._embedder = embedder
        self._lock = threading.Lock()
        self._closing = threading.Event()

    def keep(self, snapshot: Snapshot, seconds: float, tick: Tick | None = None) -> IndexState:
        """Works for about `seconds`. Never raises because of the index or the embedder. `tick` may raise."""
        with self._lock:
            if self._closing.is_set():
                return IndexState()
            over = time_limit(seconds)
            try:
                return self._keep(snapshot, lambda: over() or self._closing.is_set(), tick)
            except Unusable as problem:
                return IndexState(problem=str(problem))
            except EmbeddingFailed as problem:
                standing = self._index.use(self._standing)
                return msgspec.structs.replace(standing, problem=f"some vectors are not made: {problem}")

    def _keep(self, snapshot: Snapshot, deadline: Callable[[], bool], tick: Tick | None) -> IndexState:
        embedder = self._embedder()
        done = self._index.update(snapshot, embedder, deadline=deadline, tick=tick)
        if not done.pending and not isinstance(embedder, NoEmbedder) and not deadline():
            self._index.use(lambda db: embed_all(db, snapshot, embedder, deadline=deadline, tick=tick))
        return msgspec.structs.replace(self._index.use(self._standing), pending=done.pending)

    def _standing(self, database: Database) -> IndexState:
        files, chunks, missing, name = _standing(database, self._embedder())
        return IndexState(files=files, chunks=chunks, lacking=missing, embedder=name)

    def close(self) -> None:
        """Asks running work to stop at its next step, and closes the index."""
        self._closing.set()
        if self._lock.acquire(timeout=CLOSING_SECONDS):
            self._index.close()
            self._lock.release()
