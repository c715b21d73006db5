"""Reads History in a thread; shows the audit log and what is kept of displaced texts."""

from collections.abc import Sequence

import msgspec
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal

from engine.errors import MemdeckError
from engine.history.explorations import Exploration
from engine.history.tags import MemoryTag
from engine.plans.diff import FileDiff
from engine.plans.operation import Operation
from engine.services.engine import Engine
from engine.workspace.values import Progress, Tick
from tui.dialogs.text_reader import TextReader
from tui.present.history import audit_log
from tui.present.history import operations as past
from tui.present.history import retention as kept_rows
from tui.present.history.operations import History, Undoability
from tui.present.spans import ListRows
from tui.screens.hosted import Hosted
from tui.screens.page import Page
from tui.widgets.line_list import LineList

Diffs = tuple[FileDiff, ...]
Tags = tuple[Sequence[MemoryTag], Sequence[Exploration]]
RECORDS = 2_000  # records of the audit log that are listed; all of them are verified
STEP = 10_000  # operations that are read at a time, the newest first; the end of the list reads on
_TRIED = 30  # the newest operations of which it is worked out at once whether they can be undone; of others when opened


def read_history(engine: Engine, limit: int) -> History:
    """Reads the newest operations and records, which takes no longer for a long history."""
    return History(engine.history.operations(limit), engine.history.audit(RECORDS), total=engine.history.count())


def complete(engine: Engine, history: History, tick: Tick) -> History:
    """Adds the slower results: the verified log, what is kept, and what can be undone."""
    newest = [operation for operation in history.operations if not past.why_not_undo(operation)][:_TRIED]
    standings = dict(_standings(engine, newest, tick))
    tick(Progress("verifying the audit log", 0))
    findings = engine.history.verify()
    tick(Progress("what is kept", 0))
    return msgspec.structs.replace(history, findings=findings, kept=engine.history.kept(), standing=standings)


def _standings(engine: Engine, operations: Sequence[Operation], tick: Tick) -> list[tuple[str, Undoability]]:
    standings = []
    for number, operation in enumerate(operations):
        tick(Progress("what can be undone", number, len(operations)))
        standings.append((operation.id, standing(engine, operation)))
    return standings


def read_tags(engine: Engine) -> Tags:
    """Reads the tags of memory and the explorations; empty without git."""
    return engine.repository.tags(), engine.repository.explorations()


def standing(engine: Engine, operation: Operation) -> Undoability:
    """Tells whether an operation can be undone now, or why not."""
    if past.why_not_undo(operation):
        return Undoability()
    try:
        return Undoability(len(engine.history.reversal(operation.id).effects))
    except MemdeckError as error:
        return Undoability(refused=error.line())


class HistoryRecords(Hosted, Horizontal):
    """Shows two lists; `enter` opens the details of a row."""

    def __init__(self) -> None:
        super().__init__(id="lower")
        self._history: History | None = None
        self._audit = LineList(ident="audit", empty="reading…")
        self._kept = LineList(ident="kept", empty="reading…")

    def compose(self) -> ComposeResult:
        yield self._audit
        yield self._kept

    def show_records(self, history: History) -> None:
        self._history, now = history, self.deck.now()
        self._audit.show_empty("no record yet")
        self._audit.show(audit_log.AuditRows(history.records, history.findings or (), now))
        self._kept.show_empty("nothing was displaced yet\nwhat an operation replaces is kept here for good")
        if history.kept is not None:
            self._kept.show(ListRows(kept_rows.rows(history.kept, history.undoable, now)))

    def name_panes(self) -> None:
        history, others = self._history, self.query_ancestor(Page).others
        log, kept = audit_log.title(None), kept_rows.title(None)
        if history is not None:
            log = audit_log.title(history.records, history.findings, more=len(history.records) == RECORDS)
            kept = kept_rows.title(history.kept, history.undoable)
        self._audit.name_it(log, others("audit"))
        legend = kept_rows.foot(history.kept if history is not None else None)
        self._kept.name_it(kept, others("kept") or legend)

    @on(LineList.Chosen)
    def _open(self, event: LineList.Chosen) -> None:
        event.stop()
        self.deck.remember()
        history = self._history
        if event.control is self._audit and history is not None:
            text = audit_log.detail(history.records, history.findings or (), event.index)
            self.app.push_screen(TextReader(*text))
        elif history is not None and history.kept is not None:
            self.app.push_screen(TextReader(*kept_rows.detail(history.kept, history.undoable, event.index)))
