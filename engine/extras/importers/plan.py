"""Plans an import: a transcript for each session that the workspace lacks, and a report of the other files."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from engine.extras.importers.files import SourceFolder
from engine.extras.importers.kinds import ImportKind, import_kind
from engine.extras.importers.memories.kinds import MEMORY_KINDS
from engine.extras.importers.originals import OriginalKeeper
from engine.extras.importers.place_content import HeldSessions, PlaceContent
from engine.extras.importers.session import ImportedSession, NoTurn, instant_or
from engine.extras.importers.transcripts import NewTranscript, transcript_of
from engine.lifecycle.account import IMPORT_ROWS, by_ending, first_rows
from engine.lifecycle.capture.events import SpokenTurn
from engine.lifecycle.capture.transcript_text import file_key, local_time
from engine.lifecycle.requests import ImportRequest
from engine.plans.plan import Create, QualityGate
from engine.plans.planning import Draft, Planning, PlanOutcome
from engine.text.safe_text import visible_line
from engine.workspace.dates import zone_of
from engine.workspace.layout import CONVERSATIONS
from engine.workspace.paths import MAX_FILE

UNKNOWN = "unknown "  # begins the names of what was counted because nobody here knows it
MOST = 500  # sessions of one plan; the next run goes on with the others
_NAME = re.compile(rf"{CONVERSATIONS}/.*/\d{{4}}-([^-/]+)-[^/]*\.md")


def plan_import(planning: Planning, asked: ImportRequest, keeper: OriginalKeeper | None = None) -> PlanOutcome:
    """Plans the import of new sessions, oldest first; `UsageError` for an unknown kind. `keeper` keeps files read."""
    kind = import_kind(asked.kind, *MEMORY_KINDS)
    with SourceFolder(Path(asked.path).expanduser(), asked.only) as folder, HeldSessions() as held:
        reading = PlaceContent(planning.report, kind, held, keeper)
        reading.read(folder)
        planned = _Planned(planning, kind, reading)
        planned.take(held)
        if keeper is not None:
            keeper.finish(planned.present, reading.newer, planned.unknown)
        return planned.outcome(asked, keeper)


class _Planned:
    """The new transcripts, and the reasons for which other sessions have none."""

    def __init__(self, planning: Planning, kind: ImportKind, reading: PlaceContent) -> None:
        self._planning, self._kind, self._reading, self._draft = planning, kind, reading, Draft(planning)
        self._zone = planning.policy.zone
        self.present = sessions_present(planning.snapshot.files)
        self._counts: Counter[str] = Counter()
        self._problems = reading.problems
        self._sessions = self._spoken = 0
        self._span: list[datetime] = []
        self._rows: list[str] = []

    def take(self, held: HeldSessions) -> None:
        """Plans every session, oldest first, so that a plan which takes only some of them leaves no gap before them."""
        for session in held.oldest_first():
            if not session.events:  # a copy of others
                self._reading.left_out.update(session.left_out)
                continue
            self._sessions += 1
            self._spoken += sum(isinstance(event, SpokenTurn) for event in session.events)
            ends = session.started, instant_or(session.events[-1].time)
            self._span = [min(ends + tuple(self._span)), max(ends + tuple(self._span))]
            self._reading.left_out.update(session.left_out)
            self._plan(session)
        self._counts.update(self._reading.left_out)
        self._counts["sessions found twice"] = held.twice
        self._counts["files without a session"] = len(self._reading.without_session)

    @property
    def unknown(self) -> dict[str, int]:
        """The unknown kinds of lines; none without a session, since the place is then another tool's."""
        counts = self._reading.left_out if self._sessions else {}
        return {name: count for name, count in counts.items() if name.startswith(UNKNOWN)}

    def outcome(self, asked: ImportRequest, keeper: OriginalKeeper | None) -> PlanOutcome:
        """The plan, or the reason why there is nothing to do; either way with the report."""
        report, facts = "\n".join(self._lines(asked, keeper)) + "\n", self._facts(asked, keeper)
        return self._draft.outcome(
            "import",
            self._why_not(),
            trigger=self._kind.name,
            gates=(QualityGate("new_files_only", True, "an import adds transcripts and changes no file"),),
            report=report,
            facts=facts,
            warnings=self._problems[:IMPORT_ROWS],
        )

    def _why_not(self) -> str:
        """Returns the reason why there is no plan. If nothing was read, it names the files there and the next step."""
        if self._sessions:
            return "nothing new: the workspace has every session"
        there = ", ".join(by_ending(self._reading.unread)) or "no files"
        forms = ", ".join(name for form in self._kind.files.generations for name in form.files)
        return f"no session was found: {there} · {self._kind.files.tool} keeps its sessions in {forms}"

    def _plan(self, session: ImportedSession) -> None:
        present = self.present.get(file_key(session.session), [])
        made = transcript_of(session, self._kind.name, self._zone, present, self._planning.snapshot.content)
        match made:
            case None:
                self._counts["duplicates"] += 1
            case str():
                self._counts["different"] += 1
                self._problems.append(f"{session.source}: {made} says something else of this session")
            case NewTranscript() if len(made.content.encode()) > MAX_FILE:
                self._problems.append(f"{session.source}: its transcript would be larger than a note can be")
            case NewTranscript() if len(self._draft.changes) >= MOST:
                self._counts["for the next run"] += 1
            case NewTranscript():
                self._add(session, made)

    def _add(self, session: ImportedSession, made: NewTranscript) -> None:
        path = made.path
        while path in self._planning.snapshot.files or any(change.path == path for change in self._draft.changes):
            path = f"{path.removesuffix('.md')}-2.md"
        self._counts["turns"] += made.turns
        self._counts["secrets taken out"] += made.redacted
        self._counts["sessions that go on"] += made.continues
        warnings = (f"{made.redacted} secrets were taken out of it",) if made.redacted else ()
        reason = f"{self._kind.name}: {visible_line(session.source)}"
        self._draft.write(Create, path, made.content, reason, warnings=warnings)
        zone, ends = zone_of(self._zone), (session.started, instant_or(session.events[-1].time))
        span = " – ".join(f"{local_time(at, zone):%Y-%m-%d %H:%M}" for at in ends)
        self._rows.append(f"  {span}  {made.turns:>5} turns  {visible_line(session.source)}")

    def _facts(self, asked: ImportRequest, keeper: OriginalKeeper | None) -> dict[str, Any]:
        reading = self._reading
        left_out = +reading.left_out
        side_chain = left_out.pop(NoTurn.SIDE_CHAIN, 0) + left_out.pop(NoTurn.ABANDONED, 0)
        repeated = left_out.pop(NoTurn.REPEATED, 0)
        return {
            "kind": self._kind.name,
            "place": asked.path,
            "looked": list(asked.looked),
            "files": reading.files,
            "generations": [{"name": name, "files": count} for name, count in reading.forms.items() if count],
            "unread": [{"ending": name, "files": count} for name, count in sorted(reading.unread.items())],
            "sessions": self._sessions,
            "turns": self._spoken,
            "meta": dict(sorted(left_out.items())),
            "repeated": repeated,
            "side_chain": side_chain,
            "new": len(self._draft.changes),
            "first": self._span[0].isoformat() if self._span else None,
            "last": self._span[1].isoformat() if self._span else None,
            "counts": {name: count for name, count in sorted(self._counts.items()) if count},
            "originals": keeper.count if keeper is not None else 0,
            "newer": reading.newer,
            "without_session": reading.without_session[:IMPORT_ROWS],
            "problems": self._problems[:IMPORT_ROWS],
        }

    def _lines(self, asked: ImportRequest, keeper: OriginalKeeper | None) -> Iterator[str]:
        reading, span = self._reading, self._span
        if asked.looked:
            yield f"looked in {', '.join(map(visible_line, asked.looked))}"
        yield f"{self._kind.title}: {reading.files:,} files, {self._sessions:,} sessions"
        if span:
            first, last = (local_time(at, zone_of(self._zone)) for at in span)
            yield f"from {first:%Y-%m-%d} to {last:%Y-%m-%d}"
        yield f"new: {len(self._draft.changes):,}"
        for name, count in reading.forms.items():
            if count:
                yield f"read as {name}: {count:,} files"
        yield from (f"{name}: not read" for name in by_ending(reading.unread))
        if keeper is not None and keeper.count:
            yield keeper.told
        for name, count in sorted(self._counts.items()):
            if count:
                yield f"{'lines that are copies of others' if name == NoTurn.REPEATED else name}: {count:,}"
        if reading.newer:
            yield f"written by {reading.newer}, newer than {self._kind.files.version}, which memdeck knows"
        yield from first_rows([f"no session in {path}" for path in reading.without_session], IMPORT_ROWS)
        yield from first_rows(self._rows, IMPORT_ROWS)
        yield from (f"skipped: {visible_line(problem)}" for problem in self._problems[:IMPORT_ROWS])


def sessions_present(paths: Iterable[str]) -> dict[str, list[str]]:
    """The transcripts of the workspace by the key of their session, oldest first."""
    found: dict[str, list[str]] = {}
    for path in sorted(paths):
        if (name := _NAME.fullmatch(path)) is not None:
            found.setdefault(name[1], []).append(path)
    return found
