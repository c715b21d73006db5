"""Makes the snapshot of a workspace as it will be, from the present one and the files that will be others."""

from collections.abc import Mapping
from datetime import datetime

from msgspec.structs import replace

from engine.text.tokens import TokenCounter
from engine.workspace.dates import zone_of
from engine.workspace.facts import FactsReader, StableRead
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import DateSource, FileFacts

_NANOSECONDS = 1_000_000_000
"""Nanoseconds of a second, in which the scanner has times."""


def snapshot_after(
    snapshot: Snapshot, after: Mapping[str, bytes | None], counter: TokenCounter, now: datetime
) -> Snapshot:
    """The snapshot with these bytes, None for what moves away; other files are read where they lie."""
    known = {facts.sha256: facts for facts in snapshot.files.values()}
    reader = FactsReader(
        counter, zone_of(snapshot.zone), lambda sha256: known[sha256].tokens if sha256 in known else None
    )
    stamp = int(now.timestamp() * _NANOSECONDS)
    files = {path: facts for path, facts in snapshot.files.items() if path not in after}
    for path, data in after.items():
        if data is not None and path.endswith(".md"):
            facts = reader.entry(path, StableRead(data, (len(data), stamp, stamp, 0, 0), stamp)).facts
            if facts is not None:
                before = snapshot.files.get(path) or known.get(facts.sha256)
                files[path] = _dated(facts, before)

    def read(path: str) -> bytes:
        data = after.get(path)
        return snapshot.reader(path) if data is None else data

    return replace(snapshot, files=dict(sorted(files.items())), reader=read)


def _dated(facts: FileFacts, before: FileFacts | None) -> FileFacts:
    """The facts with the date of the first commit, which a file keeps where it says no other."""
    if before is None or before.date.source is not DateSource.GIT or facts.date.source is not DateSource.MTIME:
        return facts
    return replace(facts, date=before.date)
