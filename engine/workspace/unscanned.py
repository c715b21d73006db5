"""Makes a snapshot of files that are at hand as bytes: of the demonstration's past, of a test, of an evaluation."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from pathlib import PurePosixPath

from engine.text.canonical_json import sha256_hex
from engine.text.document import BOM, decode
from engine.text.frontmatter import read_frontmatter
from engine.text.tokens import TokenCounter
from engine.workspace.dates import own_date
from engine.workspace.facts import count_lines
from engine.workspace.paths import FileMissing
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Capability, DateSource, FileDate, FileFacts, Skipped, WorkspaceIdentity

NOWHERE = WorkspaceIdentity("/memory", 1, 2)
"""The workspace of files that lie on no disk."""


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
