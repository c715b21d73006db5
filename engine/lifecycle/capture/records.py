"""The operator's record of each closed transcript: its hash, which shows later changes (D21), and its commit."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path

import msgspec

from engine.errors import MemdeckError
from engine.history.commit import commit_paths
from engine.history.repository import Repository
from engine.history.request import CommitRequest, Content, Trailer
from engine.plans.commit_task import conversation_subject
from engine.state.database import StateDatabase
from engine.state.private_files import make_private
from engine.state.table import StateTable, Table
from engine.text.canonical_json import sha256_hex
from engine.workspace.paths import FileMissing, WorkspaceRoot
from engine.workspace.values import Finding, FindingKind


class ClosedTranscript(msgspec.Struct, frozen=True, kw_only=True):
    """A closed transcript, which never changes again. `keys` are those of its events; `committed`: git has it."""

    session: str
    path: str
    sha256: str
    turns: int
    closed_at: datetime
    keys: tuple[str, ...] = ()
    committed: bool = False


class TranscriptRecords:
    """All closed transcripts, by path."""

    def __init__(self, database: StateDatabase) -> None:
        self._table = Table(database, StateTable.TRANSCRIPTS)

    def all(self) -> tuple[ClosedTranscript, ...]:
        """Gives every transcript, the first closed first."""
        return tuple(self._table.values(ClosedTranscript).values())

    def of(self, session: str) -> tuple[ClosedTranscript, ...]:
        """Gives the transcripts of one session; a session that continued after its close has several."""
        return tuple(transcript for transcript in self.all() if transcript.session == session)

    def keep(self, closed: ClosedTranscript) -> None:
        """Records a transcript, in place of an earlier record of its path."""
        with self._table.change() as rows:
            rows.put(closed.path, msgspec.json.encode(closed))

    def owed(self) -> tuple[ClosedTranscript, ...]:
        """Gives the transcripts that are not committed yet."""
        return tuple(transcript for transcript in self.all() if not transcript.committed)

    def findings(self, root: WorkspaceRoot) -> Iterator[Finding]:
        """Reports transcripts that are gone or changed since their close."""
        for one in self.all():
            try:
                same = sha256_hex(root.read(one.path)) == one.sha256
            except FileMissing:
                yield _changed(one, "a transcript that was captured is gone", "restore it from git or a backup")
            except MemdeckError as error:
                yield _changed(one, f"a transcript that was captured cannot be read: {error.message}", error.hint)
            else:
                if not same:
                    what = "a transcript was changed after its close; what is in it is not what was said"
                    yield _changed(one, what, "restore it from git or a backup")


def _changed(closed: ClosedTranscript, what: str, fix: str) -> Finding:
    return Finding(kind=FindingKind.DAMAGE, id="transcript_changed", where=closed.path, what=what, fix=fix)


def commit_transcripts(
    root: WorkspaceRoot,
    repository: Repository,
    records: TranscriptRecords,
    scratch: Path,
    filters: Mapping[str, str],
    private: tuple[str, ...],
) -> tuple[str, ...]:
    """Commits each closed transcript that git lacks (D22); gives a line for each problem."""
    problems: list[str] = []
    for closed in records.owed():
        make_private(scratch)
        request = CommitRequest(
            paths=(closed.path,),
            subject=conversation_subject(closed.path),
            trailers=(Trailer("Session", closed.path), Trailer("Memdeck-Transcript", closed.sha256)),
            at=closed.closed_at,
            filters=filters,
            private=private,
            scratch=scratch,
        )
        report = commit_paths(repository, request, partial(_content, root, closed.sha256))
        if not report.owed:
            records.keep(msgspec.structs.replace(closed, committed=True))
        problems += (f"{closed.path}: {problem}" for problem in report.problems)
    return tuple(problems)


def _content(root: WorkspaceRoot, sha256: str, path: str) -> Content:
    data = root.read(path)
    if sha256_hex(data) != sha256:
        raise MemdeckError("another program changed it since its close", where=path)
    return Content(data)
