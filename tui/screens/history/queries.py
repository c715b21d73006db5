"""Asks the engine for History, in a thread: nothing here touches the screen."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from engine.errors import MemdeckError
from engine.plans.diff import FileDiff
from engine.plans.operation import Operation
from engine.workspace.values import Progress, Tick
from tui.present.history import operations as past
from tui.present.history.operations import History, Undoability

if TYPE_CHECKING:
    from engine.history.explorations import Exploration
    from engine.history.tags import MemoryTag
    from engine.services.engine import Engine

Diffs = tuple[FileDiff, ...]
Tags = tuple[Sequence["MemoryTag"], Sequence["Exploration"]]
RECORDS = 2_000  # records of the audit log that are listed; all of them are verified
STEP = 10_000  # operations that are read at a time, the newest first; the end of the list reads on
_TRIED = 30  # the newest operations of which it is worked out at once whether they can be undone; of others when opened


def read_history(engine: "Engine", limit: int) -> History:
    """The newest operations and records of the log, which are there at once however many there are."""
    return History(engine.history.operations(limit), engine.history.audit(RECORDS), total=engine.history.count())


def complete(engine: "Engine", history: History, tick: Tick) -> History:
    """The same with what takes longer: the log's chain verified, what is kept, what can be undone."""
    newest = [one for one in history.operations if not past.why_not_undo(one)][:_TRIED]
    standings = dict(_standings(engine, newest, tick))
    tick(Progress("verifying the audit log", 0))
    findings = engine.history.verify()
    tick(Progress("what is kept", 0))
    return msgspec.structs.replace(history, findings=findings, kept=engine.history.kept(), standing=standings)


def _standings(engine: "Engine", operations: Sequence[Operation], tick: Tick) -> list[tuple[str, Undoability]]:
    found = []
    for number, one in enumerate(operations):
        tick(Progress("what can be undone", number, len(operations)))
        found.append((one.id, standing(engine, one)))
    return found


def read_tags(engine: "Engine") -> Tags:
    """The tags of memory and the explorations; none where there is no git."""
    return engine.repository.tags(), engine.repository.explorations()


def standing(engine: "Engine", operation: Operation) -> Undoability:
    """Tells whether an operation can be undone now, and if not, what is in its way."""
    if past.why_not_undo(operation):
        return Undoability()
    try:
        return Undoability(len(engine.history.reversal(operation.id).effects))
    except MemdeckError as error:
        return Undoability(refused=error.line())
