"""Reads file facts from bytes, and makes snapshots of files in memory, such as a past state or a test's files."""

import os
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, tzinfo
from pathlib import PurePosixPath
from typing import NamedTuple

from msgspec.structs import replace

from engine.errors import Refused
from engine.text.canonical_json import sha256_hex
from engine.text.document import BOM, Unreadable, decode
from engine.text.frontmatter import read_frontmatter
from engine.text.secrets.detector import find_secrets, redact
from engine.text.tokens import TokenCounter
from engine.workspace import generated
from engine.workspace.cache import CacheEntry, Signature, signature
from engine.workspace.dates import outside_date, own_date, zone_of
from engine.workspace.paths import MAX_FILE, FileMissing, open_file_at, read_to_end
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Capability, DateSource, FileDate, FileFacts, Skipped, WorkspaceIdentity

ATTEMPTS = 3  # the number of times that a file is read that changes while it is being read
TICK_NS = 20_000_000
"""Two writes closer than this may leave the same time stamp: kernels stamp files by a clock of 1 to 10 ms."""
COARSE_TICK_NS = 2_000_000_000  # the same for file systems that keep whole seconds only (FAT: two)

Clock = Callable[[], int]  # nanoseconds since the epoch on the clock that stamps files


class StableRead(NamedTuple):
    """The bytes of a file that did not change while it was read. `started`: when reading began."""

    data: bytes
    signature: Signature
    started: int

    @property
    def racy(self) -> bool:
        """True if a later write might leave the same signature, so that this reading may be outdated."""
        return settled_at(self.signature) > self.started


def settled_at(mark: Signature) -> int:
    """Returns the time after which any write changes the signature."""
    _, mtime, ctime, _, _ = mark
    coarse = mtime % 1_000_000_000 == 0 and ctime % 1_000_000_000 == 0
    return ctime + (COARSE_TICK_NS if coarse else TICK_NS)


def read_still(folder: int, name: str, clock: Clock) -> StableRead:
    """Reads a file until it does not change meanwhile, at most `ATTEMPTS` times; raises `OSError` or `Refused`."""
    for _ in range(ATTEMPTS):
        started = clock()
        fd = open_file_at(folder, name)
        try:
            before = signature(os.fstat(fd))
            data = read_to_end(fd, before[0], MAX_FILE)
            after = signature(os.fstat(fd))
        finally:
            os.close(fd)
        # A write during the read shows in the times, or in another length.
        if before == after and len(data) == after[0]:
            return StableRead(data, after, started)
    raise Refused("changes while it is being read")


class FactsReader:
    """Reads the facts of a file from its bytes, with one token counter and one time zone."""

    def __init__(self, counter: TokenCounter, zone: tzinfo, known_tokens: Callable[[str], int | None]) -> None:
        self._counter = counter
        self._zone = zone
        self._known_tokens = known_tokens

    def entry(self, path: str, reading: StableRead) -> CacheEntry:
        """Returns the facts of a reading, or the reason why the file is no note."""
        try:
            return CacheEntry(reading.signature, self._facts(path, reading), racy=reading.racy)
        except Unreadable as problem:
            return CacheEntry(reading.signature, None, problem.message, reading.racy)

    def _facts(self, path: str, reading: StableRead) -> FileFacts:
        data = reading.data
        text = decode(data)
        digest = sha256_hex(data)
        known = self._known_tokens(digest)
        front, secrets = read_frontmatter(data), find_secrets(text)
        day, date_remarks = own_date(PurePosixPath(path).name, front.values, self._zone)
        return FileFacts(
            path=path,
            size=len(data),
            sha256=digest,
            lines=count_lines(data),
            tokens=self._counter.count(text) if known is None else known,
            date=day or outside_date(None, reading.signature[1], self._zone),
            bom=data.startswith(BOM),
            crlf=b"\r\n" in data,
            frontmatter=_without_secrets(front.values) if secrets else front.values,
            frontmatter_problem=front.problem,
            notes=(*date_remarks, *generated.remarks(text), *map(str, secrets)),
        )


def count_lines(data: bytes) -> int:
    """Counts lines as `document.split_lines` does: the last one counts without a newline too (decision D23)."""
    return data.count(b"\n") + (not data.endswith(b"\n") and data != b"")


def _without_secrets(values: Mapping[str, str | list[str]]) -> dict[str, str | list[str]]:
    """Masks secrets in frontmatter; a key such as `password` marks its value as one."""

    def clean(key: str, value: str) -> str:
        return redact(f"{key}: {value}").removeprefix(f"{key}: ")

    return {
        redact(key): clean(key, value) if isinstance(value, str) else [clean(key, text) for text in value]
        for key, value in values.items()
    }


NOWHERE = WorkspaceIdentity("/memory", 1, 2)  # the workspace of files that lie on no disk


def snapshot_of(
    files: Mapping[str, bytes],
    taken_at: datetime,
    tokens: TokenCounter,
    *,
    workspace: WorkspaceIdentity = NOWHERE,
    zone: str = "UTC",
    capabilities: frozenset[Capability] = frozenset(),
    skipped: tuple[Skipped, ...] = (),
    undated: Callable[[str], date] = lambda _: date.min,
) -> Snapshot:
    """Makes a snapshot as a scan would. `undated` returns the day of a file without a date in name or frontmatter."""

    def read(path: str) -> bytes:
        if path not in files:
            raise FileMissing("no such file", where=path)
        return files[path]

    notes = sorted(path for path in files if path.endswith(".md"))
    return Snapshot(
        workspace=workspace,
        taken_at=taken_at,
        zone=zone,
        tokenizer=tokens.name,
        capabilities=capabilities,
        files={path: facts_of(path, files[path], tokens, undated(path)) for path in notes},
        skipped=skipped,
        reader=read,
    )


def facts_of(path: str, data: bytes, tokens: TokenCounter, undated: date = date.min) -> FileFacts:
    """Returns the facts that a scan finds about a file, without remarks on its text."""
    front = read_frontmatter(data)
    day, _ = own_date(PurePosixPath(path).name, front.values, UTC)
    return FileFacts(
        path=path,
        size=len(data),
        sha256=sha256_hex(data),
        lines=count_lines(data),
        tokens=tokens.count(decode(data)),
        date=day or FileDate(undated, DateSource.MTIME),
        bom=data.startswith(BOM),
        crlf=b"\r\n" in data,
        frontmatter=front.values,
        frontmatter_problem=front.problem,
    )


_NANOSECONDS = 1_000_000_000  # nanoseconds of a second, in which the scanner has times


def snapshot_after(
    snapshot: Snapshot, after: Mapping[str, bytes | None], counter: TokenCounter, now: datetime
) -> Snapshot:
    """Returns the snapshot after these changes (None: moved away); reads other files from disk."""
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
    """Keeps the date of a file's first commit if the file states no other."""
    if before is None or before.date.source is not DateSource.GIT or facts.date.source is not DateSource.MTIME:
        return facts
    return replace(facts, date=before.date)
