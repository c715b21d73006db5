"""Brings the index up to date with a snapshot: changed files are removed and inserted again (decisions D9, D14)."""

import time
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, compress, count, islice
from operator import attrgetter
from types import MappingProxyType

import msgspec
import numpy as np

from engine.errors import MemdeckError
from engine.search.embedding.embedder import Embedder, EmbeddingFailed, NoEmbedder
from engine.search.indexing.file_text import FileText, matter_of
from engine.search.naming import safe_name
from engine.search.store.schema import Database, FileRow, Value
from engine.search.values import category_of
from engine.search.vectors import signs
from engine.search.vectors.layout import LINES_AND_WORDS
from engine.text.arrays import Floats, apart, packed
from engine.text.words import fold, stem_in
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import FileFacts, Progress, Tick

BATCH_BYTES = 2_000_000  # bytes of notes in one transaction: pages that changed wait in memory until its end
BATCH_FILES = 200  # notes in one transaction, however small they are
BATCH_TEXTS = 1_024
"""Chunks embedded between two checks of the clock and of cancellation: a third of a second."""


class Changes(msgspec.Struct, frozen=True):
    """The files of a snapshot that an index lacks (`new`), and those that it should no longer have (`gone`)."""

    gone: tuple[FileRow, ...]
    new: tuple[FileFacts, ...]

    @property
    def paths(self) -> set[str]:
        return {row.path for row in self.gone} | {facts.path for facts in self.new}


class Done(msgspec.Struct, frozen=True):
    """The numbers of files added, removed, and still to come."""

    added: int
    removed: int
    pending: int
    left: tuple[str, ...] = ()
    """Paths left to another process with a newer snapshot: changed since, or gone."""
    size: int = 0  # bytes of the files that were read


def known_files(database: Database, after: int = 0) -> dict[str, FileRow]:
    """The files of an index by path; only those with ids above `after`."""
    rows = database.rows("SELECT id, path, sha256, first, count FROM files WHERE id > ?", (after,))
    return {row.path: row for row in (FileRow(*row) for row in rows)}


def known_again(database: Database, before: dict[str, FileRow]) -> tuple[dict[str, FileRow], set[str]]:
    """Updates the known files, reading only new rows: ids grow and are never reused. Also returns the changed paths."""
    new = known_files(database, after=max(map(attrgetter("id"), before.values()), default=0))
    known = before | new
    # Ids are never used twice, so that as many rows as are known means that none is gone.
    if len(known) == database.rows("SELECT count(*) FROM files")[0][0]:
        return known, set(new)
    here = {row[0] for row in database.rows("SELECT id FROM files")}
    gone = {path for path, row in known.items() if row.id not in here}
    return {path: row for path, row in known.items() if path not in gone}, gone | set(new)


def changes(
    known: Mapping[str, FileRow], files: Mapping[str, FileFacts], names: Mapping[str, str] = MappingProxyType({})
) -> Changes:
    """Compares by hash: a touched file is not read again. `names`: the index's name for each path with a secret."""
    gone: list[FileRow] = []
    new: list[FileFacts] = []
    held = 0
    for path, facts in files.items():
        row = known.get(names.get(path, path))
        held += row is not None
        if row is None or row.sha256 != facts.sha256:
            new.append(facts)
            gone += [row] if row is not None else []
    # Only then is some known path not among the files: for an unchanged workspace no set is built.
    if held < len(known):
        kept = {names.get(path, path) for path in files} if names else files
        gone += [row for path, row in known.items() if path not in kept]
    return Changes(tuple(gone), tuple(new))


def bring_in(
    database: Database,
    snapshot: Snapshot,
    found: Changes,
    embedder: Embedder | NoEmbedder,
    *,
    deadline: Callable[[], bool] = lambda: False,
    tick: Tick | None = None,
) -> Done:
    """Applies the changes, some files per transaction, until `deadline`. A file whose bytes no longer match the
    snapshot is left for the next time. `tick` may raise `Cancelled`; committed work stays."""
    # A file that changed is taken out in the transaction that brings it in: until then its old text is found.
    replaced = {safe_name(facts.path) for facts in found.new}
    if gone := [row for row in found.gone if row.path not in replaced]:
        with database.transaction(write=True):
            _take_out(database, gone)
            note_change(database)
    done, skipped = 0, list[str]()
    course = _Course(tick, found.new)
    for batch in _batches(found.new):
        # At least one batch: with any time at all the index gets on.
        if done and deadline():
            break
        course.at(done)
        skipped += _put(database, snapshot, batch, embedder, course)
        done += len(batch)
        course.size += sum(facts.size for facts in batch)
    course.at(done)
    left = (*skipped, *(row.path for row in gone))
    return Done(done - len(skipped), len(found.gone), len(found.new) - done, left, course.size)


class _Course:
    """Reports progress after each step: files, and bytes as far as they are read and embedded."""

    def __init__(self, tick: Tick | None, new: Sequence[FileFacts]) -> None:
        self._tick = tick if new else None
        self._files, self._bytes = len(new), sum(facts.size for facts in new)
        self._done = 0
        self.size = 0

    def at(self, done: int) -> None:
        self._done = done
        self.within(0)

    def within(self, size: int) -> None:
        """Reports `size` bytes of the current batch as under way."""
        if self._tick is not None:
            self._tick(Progress("indexing", self._done, self._files, self.size + size, self._bytes))


def _batches(files: Sequence[FileFacts]) -> Iterator[list[FileFacts]]:
    """Yields small batches first: the first answer of a new index should not wait for the largest commit."""
    left = iter(files)
    while batch := list(islice(left, 1)):
        size = batch[0].size
        while size < BATCH_BYTES and len(batch) < BATCH_FILES and (more := list(islice(left, 1))):
            batch += more
            size += more[0].size
        yield batch


def _put(
    database: Database, snapshot: Snapshot, batch: Sequence[FileFacts], embedder: Embedder | NoEmbedder, course: _Course
) -> list[str]:
    """Inserts a batch in one transaction and returns the paths that no longer match the snapshot. The index's rows of
    these files are read again: another process may have inserted them since."""
    read: list[tuple[FileFacts, FileText]] = []
    skipped: list[str] = []
    for facts in batch:
        try:
            read.append((facts, matter_of(facts, snapshot.content(facts.path))))
        except MemdeckError:
            skipped.append(facts.path)
        course.within(0)
    # Outside the transaction, which others wait for.
    vectors = _vectors([matter for _, matter in read], embedder, course)
    with database.transaction(write=True):
        held = [_row_of(database, safe_name(facts.path)) for facts, _ in read]
        fresh = [row is None or row.sha256 != facts.sha256 for (facts, _), row in zip(read, held, strict=True)]
        _take_out(database, [row for row in compress(held, fresh) if row is not None])
        _insert(database, list(compress(read, fresh)), list(compress(vectors, fresh)), embedder)
        note_change(database)
    return skipped


def _row_of(database: Database, path: str) -> FileRow | None:
    found = database.rows("SELECT id, path, sha256, first, count FROM files WHERE path = ?", (path,))
    return FileRow(*found[0]) if found else None


def _vectors(matters: Sequence[FileText], embedder: Embedder | NoEmbedder, course: _Course) -> list[Floats | None]:
    """Returns each file's vectors if the embedder is quick; otherwise they are computed in the background."""
    if isinstance(embedder, NoEmbedder) or not embedder.quick:
        return [None] * len(matters)
    texts = [entry.text for matter in matters for entry in matter.entries]
    parts, size = list[Floats](), 0
    try:
        for at in range(0, len(texts), BATCH_TEXTS):
            course.within(size)
            parts.append(embedder.embed(texts[at : at + BATCH_TEXTS]))
            size += sum(map(len, texts[at : at + BATCH_TEXTS]))
    except EmbeddingFailed:
        return [None] * len(matters)
    rows = np.concatenate(parts) if parts else np.zeros((0, embedder.dimensions), np.float32)
    return [*apart(rows, (len(matter.entries) for matter in matters))]


def _insert(
    database: Database,
    read: Sequence[tuple[FileFacts, FileText]],
    vectors: Sequence[Floats | None],
    embedder: Embedder | NoEmbedder,
) -> None:
    """Inserts new files into every table, one table after the other."""
    entries = [entry for _, matter in read for entry in matter.entries]
    file, chunk = _take_numbers(database, "file", len(read)), _take_numbers(database, "chunk", len(entries))
    firsts = list(accumulate((len(matter.entries) for _, matter in read), initial=chunk))
    database.many(
        "INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(number, *_row(*one, first)) for number, one, first in zip(count(file), read, firsts, strict=False)],
    )
    database.many(
        "INSERT INTO words (rowid, title, headings, body, marks, said) VALUES (?, ?, ?, ?, ?, ?)",
        [(number, e.title, e.headings, e.body, e.marks, e.said) for number, e in enumerate(entries, chunk)],
    )
    days = [(day, number) for number, day in _entry_days(read, firsts)]
    database.many("INSERT INTO entries VALUES (?, ?)", days)
    compounds = {word for entry in entries for word in entry.compounds}
    database.many("INSERT OR IGNORE INTO compounds VALUES (?, ?)", [(fold(w), stem_in(w, "de")) for w in compounds])
    made = [(file + at, firsts[at], rows) for at, rows in enumerate(vectors) if rows is not None]
    if made and not isinstance(embedder, NoEmbedder):
        put_vectors(database, embedder.id, made)


def _entry_days(read: Sequence[tuple[FileFacts, FileText]], firsts: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Yields each chunk with the days of its entries, except the day of the whole file."""
    for (facts, matter), first in zip(read, firsts, strict=False):
        # A guessed day is not the file's own: its entries' days then count all.
        own = None if facts.date.low_confidence else facts.date.day
        for number, entry in enumerate(matter.entries, first):
            yield from ((number, day.isoformat()) for day in entry.days if day != own)


def _row(facts: FileFacts, matter: FileText, first: int) -> tuple[Value, ...]:
    lines = array(LINES_AND_WORDS, chain.from_iterable((e.start, e.end, e.words) for e in matter.entries))
    return (
        *(safe_name(facts.path), facts.sha256, category_of(facts.path).value, matter.title),
        *(msgspec.json.encode(matter.tags).decode(), facts.date.day.isoformat(), facts.tokens, facts.lines),
        not facts.date.low_confidence,
        *(first, len(matter.entries), lines.tobytes()),
    )


def put_vectors(database: Database, model: str, made: Sequence[tuple[int, int, Floats]], beside: str = "") -> None:
    """Replaces vectors, except those of `beside`. `made`: each file's id, first chunk, and a row per chunk."""
    if not made:
        return
    _drop_vectors(database, [(file, first, len(rows)) for file, first, rows in made], beside)
    dimensions = made[0][2].shape[1]
    database.set_about(f"dimensions {model}", str(dimensions))
    data = packed(np.concatenate([rows for *_, rows in made]))
    signs.add(database, model, dimensions, _chunks((first, len(rows)) for _, first, rows in made), data)
    parts = apart(data, (dimensions * len(rows) for *_, rows in made))
    database.many(
        "INSERT INTO vectors VALUES (?, ?, ?)",
        [(file, model, part) for (file, *_), part in zip(made, parts, strict=True)],
    )


def _drop_vectors(database: Database, files: Iterable[tuple[int, int, int]], beside: str = "") -> None:
    sql = "DELETE FROM vectors WHERE file = ? AND model <> ? RETURNING model"
    gone = defaultdict[str, list[tuple[int, int]]](list)
    for file, first, chunks in files:
        for (model,) in database.rows(sql, (file, beside)):
            gone[model].append((first, chunks))
    for model, spans in gone.items():
        signs.remove(database, model, _chunks(spans))


def _chunks(spans: Iterable[tuple[int, int]]) -> list[int]:
    return [chunk for first, many in spans for chunk in range(first, first + many)]


def _take_numbers(database: Database, table: str, count: int) -> int:
    """Reserves `count` ids and returns the first. None is reused within an index, so that caches can rely on them."""
    first = int(database.about(f"next_{table}") or "1")
    database.set_about(f"next_{table}", str(first + count))
    return first


def note_change(database: Database) -> None:
    """Counts the changes, so that copies in memory can be recognised as old."""
    database.set_about("generation", str(int(database.about("generation") or "0") + 1))


def _take_out(database: Database, rows: Sequence[FileRow]) -> None:
    spans = [(row.first, row.first + row.count - 1) for row in rows]
    database.many("DELETE FROM words WHERE rowid BETWEEN ? AND ?", spans)
    database.many("DELETE FROM entries WHERE chunk BETWEEN ? AND ?", spans)
    _drop_vectors(database, [(row.id, row.first, row.count) for row in rows])
    database.many("DELETE FROM files WHERE id = ?", [(row.id,) for row in rows])


def time_limit(seconds: float | None, clock: Callable[[], float] = time.monotonic) -> Callable[[], bool]:
    """Returns a function that tells whether `seconds` have passed since; never for None."""
    if seconds is None:
        return lambda: False
    end = clock() + seconds
    return lambda: clock() >= end
