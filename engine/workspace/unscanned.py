"""Makes a snapshot of files that are at hand as bytes: of the demonstration's past, of a test, of an evaluation."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from pathlib import PurePosixPath

from msgspec.structs import replace

from engine.text.canonical_json import sha256_hex
from engine.text.document import BOM, decode
from engine.text.frontmatter import read_frontmatter
from engine.text.tokens import TokenCounter
from engine.workspace.dates import own_date, zone_of
from engine.workspace.facts import FactsReader, StableRead, count_lines
from engine.workspace.paths import FileMissing
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Capability, DateSource, FileDate, FileFacts, Skipped, WorkspaceIdentity

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
    """The files as a scan finds them. `undated` gives the day of a file that bears none, in its name or frontmatter."""

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
    """The facts that a scan finds about a file, without remarks on what is in it."""
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
