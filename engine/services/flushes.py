"""Compactions of followed sessions and what was saved before them; flushes for full windows (B1, B18, B19)."""

import threading
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Literal

import msgspec

from engine.errors import MemdeckError
from engine.lifecycle.requests import FlushRequest
from engine.plans.memory_status import Degraded
from engine.plans.plan import PlanState
from engine.plans.planning import PlanOutcome, PlanRequest
from engine.services.flush_sessions import AppliedFlush, applied_flushes
from engine.services.open_workspace import OpenWorkspace
from engine.services.plans import PlanService
from engine.services.windows import WindowService
from engine.sessions.window.session_window import SessionWindow
from engine.sessions.window.token_timeline import Compaction, WindowBand
from engine.sessions.written_files import NoteTouch
from engine.state.table import Instant, StateTable, Table

if TYPE_CHECKING:
    from engine.sessions.backups import SessionBackup, SessionBackups

AGAIN = 50  # thousandths of the window by which a session must grow before it calls for a flush again (decision B18)
MOST_LISTED = 500  # compactions that are listed, the newest first; the table keeps all
Saved = Literal["saved", "saved late", "not saved"]
_CALLS = (WindowBand.COMPACT, WindowBand.EMERGENCY)  # bands at which a window calls for a flush
_DECIDED = frozenset(PlanState) - {PlanState.PENDING, PlanState.STALE, PlanState.APPLYING, PlanState.APPROVED}


class SeenCompaction(msgspec.Struct, frozen=True, kw_only=True):
    """A compaction of a followed session: what it removed, and whether that was saved before, later or not."""

    source: str
    session: str
    line: int
    trigger: str
    before: int
    after: int
    turns: int
    at: Instant
    saved: Saved
    by: str = ""  # the operation or the backup that saved it

    @property
    def smaller(self) -> int | None:
        """The percentage by which the window shrank at its next reading (decision B22); None before that."""
        return 100 * (self.before - self.after) // self.before if self.before and self.after else None

    @property
    def expected(self) -> int:
        """The percentage by which it should shrink (decision B10)."""
        from engine.flush.quality_gates import LEAST_SAVED

        return LEAST_SAVED

    @property
    def is_small(self) -> bool:
        """Tells whether the window shrank less than expected: a warning, not a failure."""
        return self.smaller is not None and self.smaller < self.expected


class SessionTimeline(msgspec.Struct, frozen=True, kw_only=True):
    """A session and what memory did at each turn. `saved`: what saved each turn and when; `cuts`: the compactions."""

    window: SessionWindow
    touched: dict[int, tuple[NoteTouch, ...]]
    saved: dict[int, tuple[tuple[datetime, str], ...]]
    cuts: tuple[SeenCompaction, ...]

    @property
    def marked(self) -> tuple[int, ...]:
        """The numbers of the turns at which something happened, in order."""
        return tuple(sorted({*self.touched, *self.saved, *(cut.last_turn for cut in self.window.timeline.compactions)}))


class _FlushMark(msgspec.Struct, frozen=True):
    """The tokens and the band at which a session last called for a flush."""

    tokens: int
    band: str
    result: str


class FlushService:
    """Watches followed windows. It makes plans and backups, and applies nothing."""

    def __init__(self, opened: OpenWorkspace, plans: PlanService, windows: WindowService) -> None:
        self._opened, self._plans, self._windows = opened, plans, windows
        self._lock = threading.Lock()

    # ── the flush that a window calls for ──────────────────────────────────────────────────────────────────────────

    def look(self) -> tuple[PlanOutcome, ...]:
        """Makes the backups and the flush that the windows call for; nothing where no window calls again."""
        with self._lock:
            calling = [one for one in self._windows.sessions() if one.band in _CALLS and self._calls(one)]
            if not calling:
                return ()
            for window in calling:
                if window.band is WindowBand.EMERGENCY:
                    self.backup(window)
            emergency = any(session_window.band is WindowBand.EMERGENCY for session_window in calling)
            outcome = self._flush(WindowBand.EMERGENCY if emergency else WindowBand.COMPACT)
            for window in calling:
                result = outcome.plan.id if outcome.plan is not None else str(outcome.reason_no_action)
                mark = _FlushMark(window.tokens, window.band.value, result)
                self._marks.keep(window.source, msgspec.json.encode(mark))
            return (outcome,)

    def _calls(self, window: SessionWindow) -> bool:
        """Tells whether a window calls for a flush: the first, after 5 % growth, a stricter band, or a compaction."""
        mark = self._marks.get(window.source, _FlushMark)
        if mark is None or window.tokens < mark.tokens:
            return True
        grown = (window.tokens - mark.tokens) * 1000 >= window.limit * AGAIN
        return grown or (window.band is WindowBand.EMERGENCY and mark.band != WindowBand.EMERGENCY.value)

    # ── backups ────────────────────────────────────────────────────────────────────────────────────────────────────

    def backup(self, window: SessionWindow) -> "SessionBackup":
        """Backs up a followed session's whole file outside the workspace, and verifies it."""
        return self._windows.with_file(window.source, lambda place, path: self.backups.make(place, path, self._now()))

    @property
    def backups(self) -> "SessionBackups":
        from engine.sessions.backups import SessionBackups

        return SessionBackups(self._opened.state.path, self._opened.database)

    # ── compactions ────────────────────────────────────────────────────────────────────────────────────────────────

    def compactions(self) -> tuple[SeenCompaction, ...]:
        """Gives every compaction that was seen, newest first; updates what is known of them."""
        table = Table(self._opened.database, StateTable.COMPACTIONS)
        known = table.values(SeenCompaction)
        found = {f"{compaction.source}#{compaction.line}": compaction for compaction in self._seen()}
        for key, one in found.items():
            if known.get(key) != one:
                table.keep(key, msgspec.json.encode(one))
        return tuple(sorted((known | found).values(), key=lambda one: (one.at, one.line), reverse=True)[:MOST_LISTED])

    def alarms(self) -> tuple[Degraded, ...]:
        """Reports compactions of running sessions without a flush or backup."""
        return tuple(
            Degraded(
                id="flush",
                what=f"a compaction of {one.session}, {one.at:%Y-%m-%d %H:%M}, was not saved: {one.turns} turns left",
                fix="memdeck plan flush, then approve it",
            )
            for one in self._seen()
            if one.saved == "not saved"
        )

    def _seen(self) -> Iterator[SeenCompaction]:
        windows = [window for window in self._windows.sessions() if window.timeline.compactions]
        if not windows:
            return
        flushes, backups = applied_flushes(self._opened.operations, self._opened.queue), self.backups.all()
        for window in windows:
            mine = [flush for flush in flushes if flush.source == window.source]
            copies = [backup for backup in backups if backup.source == window.source]
            for cut in window.timeline.compactions:
                if cut.turns:
                    yield _judged(window, cut, mine, copies)

    def timeline(self, name: str) -> SessionTimeline:
        """Gives the turns of a followed session, with what memory did at each; `name` as for `windows.session`."""
        window = self._windows.session(name)
        turns, lines = window.timeline.turns, [turn.line for turn in window.timeline.turns]
        touched: dict[int, tuple[NoteTouch, ...]] = {}
        for touch in window.timeline.touches:
            # What is given stands above the answer that it is for; a tool is called in the answer itself.
            at = bisect_left(lines, touch.line) if touch.kind == "given" else bisect_right(lines, touch.line) - 1
            number = turns[max(0, min(at, len(turns) - 1))].number if turns else 0
            path = touch.path.removeprefix(f"{self._opened.root.identity.path.rstrip('/')}/")
            touched[number] = (*touched.get(number, ()), msgspec.structs.replace(touch, path=path))
        saved: dict[int, tuple[tuple[datetime, str], ...]] = {}
        flushes = applied_flushes(self._opened.operations, self._opened.queue)
        by = [(flush.last_line, flush.at, flush.operation) for flush in flushes if flush.source == window.source]
        by += [
            (backup.lines, backup.at, f"backup {backup.sha256[:12]}")
            for backup in self.backups.all()
            if backup.source == window.source
        ]
        for line, when, what in by:
            if number := bisect_right(lines, line):
                saved[number] = (*saved.get(number, ()), (when, what))
        cuts = tuple(compaction for compaction in self._seen() if compaction.source == window.source)
        return SessionTimeline(window=window, touched=touched, saved=saved, cuts=cuts)

    # ── a hook ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def decided(self, outcome: PlanOutcome) -> bool:
        """Tells whether the operator decided a flush's plan, or there is none."""
        if outcome.plan is None:
            return True
        entry = next((queued for queued in self._plans.queue() if queued.id == outcome.plan.id), None)
        return entry is None or entry.state in _DECIDED

    def before_compaction(self, source: str) -> PlanOutcome:
        """Backs up a session that will be compacted, and plans its flush."""
        with self._lock:
            with suppress(MemdeckError):  # a session that cannot be copied is planned for all the same
                self._windows.with_file(source, lambda place, path: self.backups.make(place, path, self._now()))
            return self._flush(WindowBand.COMPACT)

    def _flush(self, band: WindowBand) -> PlanOutcome:
        return self._plans.make("flush", PlanRequest(FlushRequest(band=band.value), unattended=True))

    def _now(self) -> datetime:
        return self._opened.real_clock()

    @property
    def _marks(self) -> Table:
        return Table(self._opened.database, StateTable.FLUSH_MARKS)


def _judged(
    window: SessionWindow, cut: Compaction, flushes: list[AppliedFlush], backups: "list[SessionBackup]"
) -> SeenCompaction:
    """Judges one compaction: its turns were saved if an applied flush or a backup before it has them."""
    last = window.timeline.turns[cut.last_turn - 1]
    # A session's file may lack the instant: the turn before it is the nearest one.
    at = cut.at or last.at or window.modified
    by = [(flush.at, flush.operation) for flush in flushes if flush.last_line >= last.line]
    by += [(backup.at, f"backup {backup.sha256[:12]}") for backup in backups if backup.lines >= last.line]
    first = min(by, default=None)
    saved: Saved = "not saved" if first is None else "saved" if first[0] <= at else "saved late"
    return SeenCompaction(
        source=window.source,
        session=window.session,
        line=cut.line,
        trigger=cut.trigger,
        before=cut.before,
        after=cut.after,
        turns=cut.turns,
        at=at,
        saved=saved,
        by=first[1] if first is not None else "",
    )
