"""Plans an import: a transcript for each session that the workspace has not got, with what was found beside it."""

import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from engine.lifecycle.capture.transcript_text import file_key
from engine.lifecycle.imports.files import SourceFile, source_files
from engine.lifecycle.imports.kinds import ImportKind, import_kind
from engine.lifecycle.imports.memories.kinds import MEMORY_KINDS
from engine.lifecycle.imports.originals import OriginalKeeper
from engine.lifecycle.imports.session import REPEATED, ImportedSession, instant_or
from engine.lifecycle.imports.transcripts import Different, NewTranscript, Repeated, transcript_of
from engine.lifecycle.report_rows import IMPORT_ROWS, first_rows
from engine.plans.draft import Draft
from engine.plans.plan import Create, QualityGate, RiskTier
from engine.plans.planning import ImportRequest, Planning
from engine.plans.status import PlanOutcome
from engine.text.safe_text import visible_line
from engine.workspace.layout import CONVERSATIONS
from engine.workspace.paths import MAX_FILE

MOST = 500
"""Sessions of one plan; the next run goes on with the others."""
_NAME = re.compile(rf"{CONVERSATIONS}/.*/\d{{4}}-([^-/]+)-[^/]*\.md")


def plan_import(planning: Planning, asked: ImportRequest, keeper: OriginalKeeper | None = None) -> PlanOutcome:
    """A plan of what is new, oldest session first. `UsageError` for a kind that there is not.

    `keeper` keeps what was read byte for byte, outside of the workspace.
    """
    kind, place = import_kind(asked.kind, *MEMORY_KINDS), Path(asked.path).expanduser()
    found = _Found(planning, kind, keeper)
    found.read(source_files(place, kind.ending))
    if keeper is not None:
        _keep_notes(keeper, kind, place)
        keeper.finish(found.present)
    return found.outcome()


def _keep_notes(keeper: OriginalKeeper, kind: ImportKind, place: Path) -> None:
    """Keeps the notes that the tool has beside its sessions; nothing of them becomes a transcript."""
    if not kind.notes or not place.is_dir():
        return
    for file in source_files(place, ".md"):
        if kind.notes in file.path.split("/")[:-1]:
            if file.problem:
                keeper.refuse(file.path, file.problem)
            else:
                keeper.take(file.path, file.data, iter(()))


class _Found:
    """Everything that was found below the place, counted."""

    def __init__(self, planning: Planning, kind: ImportKind, keeper: OriginalKeeper | None) -> None:
        self._planning, self._kind, self._draft = planning, kind, Draft(planning)
        self._keeper = keeper
        self.present = sessions_present(planning.snapshot.files)
        self._files = 0
        self._counts: Counter[str] = Counter()
        self._problems: list[str] = []
        self._sessions: list[ImportedSession] = []
        self._rows: list[str] = []
        self._taken: set[str] = set()

    def read(self, files: Iterable[SourceFile]) -> None:
        """Reads every file. One that is none of its kind is told, and the others are read."""
        reader = self._kind.reader()
        for file in files:
            self._files += 1
            self._planning.report("files", self._files)
            if file.problem:
                self._refuse(file.path, file.problem)
                continue
            try:
                # A list at once: a file that breaks off half-way gives none of its sessions.
                sessions = list(reader.read(file.data.removeprefix(BOM_UTF8), file.path))
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                self._refuse(file.path, f"not of this kind: {error}")
                continue
            self._counts["files without a session"] += not sessions and bool(file.data.strip())
            self._sessions += sessions
            if self._keeper is not None:
                self._keeper.take(file.path, file.data, (file_key(one.session) for one in sessions))

    def _refuse(self, path: str, problem: str) -> None:
        self._problems.append(f"{path}: {problem}")
        if self._keeper is not None:
            self._keeper.refuse(path, problem)

    def outcome(self) -> PlanOutcome:
        """The plan, or why there is nothing to do; either way with the report."""
        # Oldest first, so that a plan which takes only some of them leaves no gap behind.
        for session in sorted(self._sessions, key=lambda one: (one.started, one.session, one.source)):
            self._counts.update(session.left_out)
            self._take(session)
        report, facts = self._report(), self._facts()
        if not self._draft.changes:
            why = "nothing new: the workspace has every session" if self._sessions else "no session was found"
            return PlanOutcome(plan=None, reason_no_action=why, report=report, facts=facts)
        gate = QualityGate("new_files_only", True, "an import adds transcripts and changes no file")
        plan = self._draft.finish(
            "import", self._kind.name, gates=(gate,), report=report, facts=facts, warnings=self._problems[:IMPORT_ROWS]
        )
        return PlanOutcome(plan=plan, report=report, facts=facts)

    def _take(self, session: ImportedSession) -> None:
        """Adds the transcript of a session, or counts why there is none to add."""
        key = file_key(session.session)
        # Tools copy a session into another file when it is resumed.
        if key in self._taken:
            self._counts["sessions found twice"] += 1
            return
        self._taken.add(key)
        present = self.present.get(key, [])
        made = transcript_of(session, self._kind.name, present, self._planning.snapshot.content)
        match made:
            case Repeated():
                self._counts["duplicates"] += 1
            case Different(path=path):
                self._counts["different"] += 1
                self._problems.append(f"{session.source}: {path} says something else of this session")
            case NewTranscript() if len(made.content.encode()) > MAX_FILE:
                self._problems.append(f"{session.source}: its transcript would be larger than a note can be")
            case NewTranscript() if len(self._draft.changes) >= MOST:
                self._counts["for the next run"] += 1
            case NewTranscript():
                self._add(session, made)

    def _add(self, session: ImportedSession, made: NewTranscript) -> None:
        path = made.path
        while path in self._planning.snapshot.files or any(one.path == path for one in self._draft.changes):
            path = f"{path.removesuffix('.md')}-2.md"
        self._counts["turns"] += made.turns
        self._counts["secrets taken out"] += made.redacted
        self._counts["sessions that go on"] += made.continues
        self._draft.add(
            Create(
                n=self._draft.next_number,
                path=path,
                risk_tier=RiskTier.B,
                reason=f"{self._kind.name}: {visible_line(session.source)}",
                content=made.content,
                warnings=(f"{made.redacted} secrets were taken out of it",) if made.redacted else (),
            )
        )
        span = f"{session.started:%Y-%m-%d %H:%M} – {instant_or(session.events[-1].time):%Y-%m-%d %H:%M}"
        self._rows.append(f"  {span}  {made.turns:>5} turns  {visible_line(session.source)}")

    def _facts(self) -> dict[str, Any]:
        span = _span(self._sessions)
        return {
            "kind": self._kind.name,
            "files": self._files,
            "sessions": len(self._sessions),
            "new": len(self._draft.changes),
            "first": span[0].isoformat() if span else None,
            "last": span[1].isoformat() if span else None,
            "counts": {name: count for name, count in sorted(self._counts.items()) if count},
            "originals": self._keeper.count if self._keeper is not None else 0,
            "problems": self._problems[:IMPORT_ROWS],
        }

    def _report(self) -> str:
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        span = _span(self._sessions)
        yield f"{self._kind.title}: {self._files:,} files, {len(self._sessions):,} sessions"
        if span:
            yield f"from {span[0]:%Y-%m-%d} to {span[1]:%Y-%m-%d}"
        yield f"new: {len(self._draft.changes):,}"
        if self._keeper is not None and self._keeper.count:
            yield self._keeper.told
        for name, count in sorted(self._counts.items()):
            if count:
                yield f"{name}: {count:,}" if name != REPEATED else f"lines that are copies of others: {count:,}"
        yield from first_rows(self._rows, IMPORT_ROWS)
        yield from (f"skipped: {visible_line(problem)}" for problem in self._problems[:IMPORT_ROWS])


def sessions_present(paths: Iterable[str]) -> dict[str, list[str]]:
    """The transcripts of the workspace by the key of their session, oldest first."""
    found: dict[str, list[str]] = {}
    for path in sorted(paths):
        if (name := _NAME.fullmatch(path)) is not None:
            found.setdefault(name[1], []).append(path)
    return found


def _span(sessions: Iterable[ImportedSession]) -> tuple[datetime, datetime] | None:
    instants = [instant_or(event.time) for one in sessions for event in (one.events[0], one.events[-1])]
    return (min(instants), max(instants)) if instants else None
