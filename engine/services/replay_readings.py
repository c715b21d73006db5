"""Reads every closed transcript: by an extractor on several processes, with a cache (D28), or by a model (D48)."""

from collections import Counter, deque
from collections.abc import Generator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from engine.extra_registry import needs
from engine.extraction.entry import located_entries
from engine.extraction.extraction_task import EntryFinder
from engine.extraction.judge import VERSION
from engine.lifecycle.replay.comparison import Readings, TranscriptReading
from engine.models.summary import NoteTick
from engine.services.transcripts import FindEntries, ReadingPlace, read_transcripts, transcript_turns
from engine.text.derived import holds_secret
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Progress, Tick

_AT_ONCE = 4  # transcripts that a process is given at a time
_ENOUGH = 4  # tasks from which on the first is done before this process is doubled
_AHEAD = 3  # tasks that a process has at once, so that it never waits for the next

Part = Sequence[tuple[str, str]]


def read_anew(
    folder: Path,
    transcripts: Sequence[tuple[str, str]],
    find: FindEntries,
    version: str,
    *,
    file: Path,
    outside: str = "",
    workers: int = 1,
    scheduler: str = "",
    tick: Tick | None = None,
) -> list[TranscriptReading]:
    """Gives the readings of transcripts, each a path and a hash, in order; skips those whose bytes changed. `file`
    caches readings without secrets for an interrupted replay; `outside` is the transcript root or empty (D32). This
    process is one of `workers`; `scheduler` is the address of a Dask cluster that reads instead."""
    kept = Readings(file)
    known = kept.known(version)
    missing = [transcript for transcript in transcripts if transcript not in known]
    parts = [missing[at : at + _AT_ONCE] for at in range(0, len(missing), _AT_ONCE)]
    place = ReadingPlace(str(folder), outside)
    if scheduler:
        found = _on_cluster(scheduler, place, parts, find, version)
    else:
        found = _on_processes(min(workers, len(parts)), place, parts, find, version)
    done = len(transcripts) - len(missing)
    with closing(found):
        for readings in found:
            kept.add([one for one in readings if not holds_secret(one)])
            known |= {(reading.path, reading.sha256): reading for reading in readings}
            done += len(readings)
            if tick is not None:
                tick(Progress("transcripts", done, len(transcripts)))
    left = [path for path, sha256 in transcripts if (path, sha256) not in known]
    if scheduler and left:
        from engine.extras.cluster.replay_cluster import ClusterFailed

        # Entries of the missing ones would look as if they were not found any more, and be marked so (decision D47).
        what = f"{len(left):,} transcripts are not the same there, or changed meanwhile"
        hint = "the workspace must be at the same path on each worker; then run it again"
        raise ClusterFailed(what, where=left[0][:200], hint=hint)
    return [known[one] for one in transcripts if one in known]


def _on_processes(
    workers: int, place: ReadingPlace, parts: Sequence[Part], find: FindEntries, version: str
) -> Generator[list[TranscriptReading], None, None]:
    """Reads in this process and the others at the same time."""
    if workers < 2:
        yield from (read_transcripts(place, part, find, version) for part in parts)
        return
    from engine.services.reading_process import ReadingProcess, answers, is_alone

    left = deque(parts)
    if len(left) >= _ENOUGH and is_alone():  # what it makes ready, such as patterns, the doubled process has as well
        yield read_transcripts(place, left.popleft(), find, version)
    with ExitStack() as ends:
        others = [ends.enter_context(closing(ReadingProcess(place, find, version))) for _ in range(workers - 1)]
        while left or any(process.waiting for process in others):
            for process in others:
                while left and process.waiting < _AHEAD:
                    process.ask(left.popleft())
            if left:
                yield read_transcripts(place, left.popleft(), find, version)
            yield from answers(others, wait=not left)


def _on_cluster(
    scheduler: str, place: ReadingPlace, parts: Sequence[Part], find: FindEntries, version: str
) -> Generator[list[TranscriptReading], None, None]:
    from concurrent.futures import as_completed

    with needs("cluster"):
        from engine.extras.cluster.replay_cluster import cluster

    with cluster(scheduler) as executor:
        asked = [executor.submit(read_transcripts, place, part, find, version) for part in parts]
        yield from (one.result() for one in as_completed(asked))


def read_by_model(
    root: WorkspaceRoot, snapshot: Snapshot, paths: Sequence[str], finder: EntryFinder, tick: NoteTick
) -> tuple[list[TranscriptReading], str, tuple[str, ...]]:
    """Gives the readings in order, who made them, and remarks; the rules read what the model did not."""
    found = finder.found([transcript_turns(root, path) for path in paths], tick)
    parts = [part for session in found for part in session]
    version = ", ".join(sorted({part.by for part in parts})) or VERSION
    told = Counter(part.remark for part in parts if part.remark)
    remarks = tuple(f"{many:,} of {len(parts):,} parts {remark}" for remark, many in sorted(told.items()))
    readings = []
    for path, session in zip(paths, found, strict=True):
        located = located_entries(snapshot.content(path), (entry for part in session for entry in part.entries))
        readings.append(TranscriptReading(path, snapshot.files[path].sha256, version, located))
    return readings, version, remarks
