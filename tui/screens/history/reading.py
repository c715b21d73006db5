"""What History asks of the engine, for a thread: nothing here touches the screen."""

from collections.abc import Sequence

from engine.errors import MemdeckError
from engine.plans.diff import FileDiff
from engine.plans.operation import Operation
from engine.workspace.values import Progress
from tui.bridge.port import Engine, Tick
from tui.screens.history.panes import RECORDS
from tui.viewmodels.history import operations as past
from tui.viewmodels.history.operations import History, Standing

Diffs = tuple[FileDiff, ...]
_TRIED = 30
"""The newest operations of which it is worked out at once whether they can be taken back; of others when opened."""


def read_history(engine: Engine, tick: Tick) -> History:
    """Everything the screen lists, the log's chain verified; `tick` hears of each step."""
    tick(Progress("operations", 0))
    operations = engine.operations()
    tick(Progress("verifying the audit log", 0))
    records, findings = engine.audit(RECORDS), engine.verify()
    tick(Progress("what is kept", 0))
    kept = engine.kept()
    newest = [one for one in operations if not past.why_not_undo(one)][:_TRIED]
    return History(operations, records, findings, kept, dict(_standings(engine, newest, tick)))


def _standings(engine: Engine, operations: Sequence[Operation], tick: Tick) -> list[tuple[str, Standing]]:
    found = []
    for number, one in enumerate(operations):
        tick(Progress("what can be taken back", number, len(operations)))
        found.append((one.id, standing(engine, one)))
    return found


def standing(engine: Engine, operation: Operation) -> Standing:
    """Whether an operation can be taken back now, and if not, what is in its way."""
    if past.why_not_undo(operation):
        return Standing()
    try:
        return Standing(len(engine.reversal(operation.id).effects))
    except MemdeckError as error:
        return Standing(refused=error.line())
