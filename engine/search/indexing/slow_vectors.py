"""Computes slow vectors file by file and commits each batch, so that a stop loses little. After a change of model, the
old vectors stay until the new ones replace them."""

from collections.abc import Callable

from engine.errors import MemdeckError
from engine.search.embedding.embedder import Embedder
from engine.search.indexing.file_text import matter_of
from engine.search.indexing.update import note_change, put_vectors
from engine.search.naming import real_path
from engine.search.ranking.file_scores import later_embedder
from engine.search.store.schema import Database
from engine.text.arrays import apart
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Progress, Tick

BATCH_CHUNKS = 64  # chunks that are embedded between two looks at whether to go on; a longer file goes alone


def lacking(database: Database, model: str) -> list[tuple[int, str, str, int]]:
    """The id, path, hash and number of chunks of each file without vectors of this model, newest files first."""
    rows = database.rows(
        "SELECT id, path, sha256, count FROM files WHERE id NOT IN (SELECT file FROM vectors WHERE model = ?)"
        " ORDER BY day DESC, id",
        (model,),
    )
    return [(int(row[0]), str(row[1]), str(row[2]), int(row[3])) for row in rows]


def counted(database: Database, model: str) -> tuple[int, int, int]:
    """Counts the files, their chunks, and the chunks without vectors of a model. Without a model, none lack any."""
    with database.transaction():
        files, chunks = database.rows("SELECT count(*), coalesce(sum(count), 0) FROM files")[0]
        return int(files), int(chunks), sum(count for *_, count in lacking(database, model)) if model else 0


def embed_lacking(
    database: Database,
    snapshot: Snapshot,
    embedder: Embedder,
    *,
    deadline: Callable[[], bool] = lambda: False,
    tick: Tick | None = None,
    beside: str = "",
) -> int:
    """Embeds what has no vectors yet, until `deadline`; returns the number of chunks left. `tick` may raise
    `Cancelled`; finished work stays. `EmbeddingFailed` if the embedder gives up. Keeps vectors of `beside`."""
    with database.transaction():
        waiting = lacking(database, embedder.id)
        total = int(database.rows("SELECT coalesce(sum(count), 0) FROM files")[0][0])
    left, at = sum(count for *_, count in waiting), 0
    while at < len(waiting) and not deadline():
        if tick is not None:
            tick(Progress("embedding", total - left, total))
        batch = [waiting[at]]
        at += 1
        while at < len(waiting) and sum(row[3] for row in batch) + waiting[at][3] <= BATCH_CHUNKS:
            batch.append(waiting[at])
            at += 1
        _embed(database, snapshot, embedder, [(file, path, sha256) for file, path, sha256, _ in batch], beside)
        left -= sum(row[3] for row in batch)
    if tick is not None and waiting:
        tick(Progress("embedding", total - left, total))
    return left


def embed_all(
    database: Database,
    snapshot: Snapshot,
    embedder: Embedder,
    *,
    deadline: Callable[[], bool] = lambda: False,
    tick: Tick | None = None,
) -> None:
    """Adds the embedder's missing vectors, then those of the better embedder where notes are long."""
    embed_lacking(database, snapshot, embedder, deadline=deadline, tick=tick)
    if (later := later_embedder(database, embedder)) is not None:
        embed_lacking(database, snapshot, later, deadline=deadline, tick=tick, beside=embedder.id)


def _embed(
    database: Database, snapshot: Snapshot, embedder: Embedder, batch: list[tuple[int, str, str]], beside: str
) -> None:
    texts: list[list[str]] = []
    files: list[int] = []
    for file, name, sha256 in batch:
        path = real_path(name, snapshot.files)
        facts = snapshot.files.get(path)
        if facts is None or facts.sha256 != sha256:
            continue
        try:
            matter = matter_of(facts, snapshot.content(path))
        except MemdeckError:
            continue
        files.append(file)
        texts.append([entry.text for entry in matter.entries])
    parts = apart(embedder.embed([text for part in texts for text in part]), map(len, texts))
    with database.transaction(write=True):
        firsts = [database.rows("SELECT first FROM files WHERE id = ?", (file,)) for file in files]
        here = zip(files, firsts, parts, strict=True)
        made = [(file, int(first[0][0]), part) for file, first, part in here if first]
        put_vectors(database, embedder.id, made, beside)
        note_change(database)
