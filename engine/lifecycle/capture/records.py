"""The operator's record of every transcript that was closed: its hash, by which a later change of it is seen (D21)."""

from collections.abc import Iterator
from datetime import datetime

import msgspec

from engine.errors import MemdeckError
from engine.state.database import StateDatabase
from engine.state.rows import TRANSCRIPTS
from engine.state.table import Table
from engine.text.canonical_json import sha256_hex
from engine.workspace.findings import Finding, FindingKind
from engine.workspace.paths import FileMissing, WorkspaceRoot


class ClosedTranscript(msgspec.Struct, frozen=True, kw_only=True):
    """A transcript that will not change any more. `keys` are those of its events, `committed` says that git has it."""

    session: str
    path: str
    sha256: str
    turns: int
    closed_at: datetime
    keys: tuple[str, ...] = ()
    committed: bool = False


class TranscriptRecords:
    """Every transcript that was closed, by its path."""

    def __init__(self, database: StateDatabase) -> None:
        self._table = Table(database, TRANSCRIPTS)

    def all(self) -> tuple[ClosedTranscript, ...]:
        """Every transcript, those closed first first."""
        return tuple(self._table.values(ClosedTranscript).values())

    def of(self, session: str) -> tuple[ClosedTranscript, ...]:
        """The transcripts of one session: a session that goes on after its close has several."""
        return tuple(one for one in self.all() if one.session == session)

    def keep(self, closed: ClosedTranscript) -> None:
        """Records it, in place of an earlier record of its path."""
        with self._table.change() as rows:
            rows.put(closed.path, msgspec.json.encode(closed))

    def owed(self) -> tuple[ClosedTranscript, ...]:
        """The transcripts that git has not got yet."""
        return tuple(one for one in self.all() if not one.committed)

    def findings(self, root: WorkspaceRoot) -> Iterator[Finding]:
        """Transcripts that are gone, or whose bytes are not those that were closed."""
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


def _changed(one: ClosedTranscript, what: str, fix: str) -> Finding:
    return Finding(kind=FindingKind.DAMAGE, id="transcript_changed", where=one.path, what=what, fix=fix)
