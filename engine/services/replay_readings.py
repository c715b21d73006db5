"""Reads every closed transcript by an extractor, on several processes; what was read before is not read again (D28)."""

import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from engine.errors import MemdeckError
from engine.lifecycle.extract.entry import ExtractedEntry, TranscriptTurn
from engine.lifecycle.extract.quotes import quote_line
from engine.lifecycle.replay.readings import LocatedEntry, Readings, TranscriptReading
from engine.services.replay_cluster import ClusterFailed, cluster
from engine.services.transcripts import transcript_turns
from engine.text.canonical_json import sha256_hex
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.values import Progress, Tick

FindEntries = Callable[[Sequence[TranscriptTurn]], Iterable[ExtractedEntry]]
"""An extractor: a function of a module, so that another process can be told its name."""
_AT_ONCE = 8
"""Transcripts that a process is given at a time."""


def read_anew(
    folder: Path,
    transcripts: Sequence[tuple[str, str]],
    find: FindEntries,
    version: str,
    *,
    file: Path,
    workers: int = 1,
    scheduler: str = "",
    tick: Tick | None = None,
) -> list[TranscriptReading]:
    """The readings of transcripts, each a path and the hash of its bytes, in that order; `Cancelled` as `tick` says.

    `file` holds what was read so far: a replay that was stopped or killed goes on from there. A transcript whose bytes
    are not those of the hash any more is left out. `scheduler` is the address of a Dask cluster that reads instead.
    """
    kept = Readings(file)
    known = kept.known(version)
    missing = [one for one in transcripts if one not in known]
    done = len(transcripts) - len(missing)
    pool = cluster(scheduler) if scheduler else _executor(workers)
    with pool as executor:
        parts = [missing[at : at + _AT_ONCE] for at in range(0, len(missing), _AT_ONCE)]
        for readings in _answers(executor, folder, parts, find, version):
            kept.add(readings)
            known |= {(one.path, one.sha256): one for one in readings}
            done += len(readings)
            if tick is not None:
                tick(Progress("transcripts", done, len(transcripts)))
    left = [path for path, sha256 in transcripts if (path, sha256) not in known]
    if scheduler and left:  # a cluster with other files would make it look as if entries were not found any more
        raise ClusterFailed(
            f"{len(left):,} transcripts are not the same there, or changed meanwhile",
            where=left[0][:200],
            hint="the workspace must be at the same path on each worker; then run it again",
        )
    return [known[one] for one in transcripts if one in known]


@contextmanager
def _executor(workers: int) -> Iterator[Executor | None]:
    """As many processes; none for one worker, which reads here. What waits is dropped where the work stops."""
    if workers < 2:
        yield None
        return
    # A process of a console has threads, and a fork of it would have their locks.
    executor = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
    try:
        yield executor
    finally:
        executor.shutdown(cancel_futures=True)


def _answers(
    executor: Executor | None, folder: Path, parts: Sequence[Sequence[tuple[str, str]]], find: FindEntries, version: str
) -> Iterator[list[TranscriptReading]]:
    if executor is None:
        yield from (_read(str(folder), part, find, version) for part in parts)
        return
    asked = [executor.submit(_read, str(folder), part, find, version) for part in parts]
    yield from (one.result() for one in as_completed(asked))


def _read(
    folder: str, transcripts: Sequence[tuple[str, str]], find: FindEntries, version: str
) -> list[TranscriptReading]:
    """Reads some transcripts; runs in a process of its own."""
    with WorkspaceRoot.open(Path(folder)) as root:
        return [one for path, sha256 in transcripts if (one := _reading(root, path, sha256, find, version)) is not None]


def _reading(root: WorkspaceRoot, path: str, sha256: str, find: FindEntries, version: str) -> TranscriptReading | None:
    try:
        data = root.read(path)
        turns = transcript_turns(root, path)
    except MemdeckError:
        return None
    if sha256_hex(data) != sha256:
        return None
    lines = data.decode("utf-8", "replace").split("\n")
    found = [(one, quote_line(lines, one.turn.line, one.quote) or 0) for one in find(turns)]
    return TranscriptReading(path, sha256, version, tuple(LocatedEntry(_brief(one), line) for one, line in found))


def _brief(entry: ExtractedEntry) -> ExtractedEntry:
    """An entry without the text of its turn, which the transcript has."""
    return replace(entry, turn=replace(entry.turn, text=""))
