"""The history for the front ends: operations, undo and redo, and their records."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from engine.errors import MemdeckError
from engine.monitoring.retention import Retention, kept
from engine.plans.apply import undo as undoing
from engine.plans.diff import FileDiff, reversal_diffs
from engine.plans.operation import Approval, Operation, Reversal
from engine.plans.past_effects import operation_diffs
from engine.plans.plan import Plan
from engine.plans.prediction import bytes_after, paths_of
from engine.plans.records.chain import AuditRecord
from engine.services.open_workspace import OpenWorkspace
from engine.services.plan_notes import not_loaded
from engine.services.plan_queue import PlanQueue
from engine.workspace.values import Finding, Tick

if TYPE_CHECKING:
    from engine.services.engine import Engine


class HistoryService:
    """Shows operations, and undoes them as a person approved."""

    def __init__(self, opened: OpenWorkspace, queue: PlanQueue, services: "Engine") -> None:
        """Takes `services` to reach the recorder of outside changes, made only when an undo needs it."""
        self._opened, self._queue, self._services = opened, queue, services

    def operations(self, limit: int | None = None) -> tuple[Operation, ...]:
        """Gives the readable operations, newest first, at most `limit`; `check` reports the others."""
        return self._opened.operations.newest(limit)

    def of_file(self, path: str) -> tuple[str, tuple[Operation, ...]]:
        """Gives a file's present path, and the operations that touched it under any of its names, newest first."""
        now = self._opened.records.moves().place(path)
        names, found = {path, now}, []
        for operation in self._opened.operations.index.touching(lambda: names):
            touched = [paths_of((effect,)) for effect in operation.effects]
            if mine := [paths for paths in touched if not names.isdisjoint(paths)]:
                names.update(*mine)
                found.append(operation)
        return now, tuple(found)

    def is_there(self, path: str) -> bool:
        """Tells whether there is a file at the path."""
        return self._opened.facts(path) is not None

    def count(self) -> int:
        """Counts the operations, readable or not."""
        return len(self._opened.operations.outlines())

    def diffs(self, op_id: str) -> tuple[FileDiff, ...]:
        """Rebuilds an operation's diffs of each file, in order."""
        opened = self._opened
        operation = opened.operations.load(op_id)
        try:
            plan = opened.queue.load(operation.plan)
        except MemdeckError:
            plan = None
        return operation_diffs(operation, plan, opened.root.read, opened.displaced.get)

    def reversal(self, op_id: str | None = None, tick: Tick | None = None) -> Reversal:
        """Computes the undo of an operation, by default the last one. `tick` may cancel."""
        return undoing.reversal(self._opened.context, op_id, tick)

    def reversal_diffs(self, reversal: Reversal) -> tuple[FileDiff, ...]:
        """Gives the diffs of an undo, with notes about lines that platforms would no longer load."""
        read, stored = self._opened.root.read, self._opened.displaced.get
        diffs = reversal_diffs(reversal, read, stored)
        try:
            fallen = not_loaded(self._opened, bytes_after(reversal.effects, stored, read))
        except MemdeckError:  # what is in the way stands on its diff already
            return diffs
        return tuple(_with_note(one, [said for path, said in fallen if path == (one.to or one.path)]) for one in diffs)

    def undo(self, reversal: Reversal, approval: Approval, tick: Tick | None = None) -> Operation:
        operation = undoing.undo(self._opened.context, reversal, approval, tick=tick)
        self._services.outside.operation_ended()
        return operation

    def redo(self, op_id: str | None = None) -> Plan:
        """Queues an undone operation again, as a new plan of its tier (decision G20)."""
        return self._queue.file(undoing.redo(self._opened.context, op_id))

    def audit(self, limit: int | None = None) -> tuple[AuditRecord, ...]:
        """Gives the audit log's last records, oldest first."""
        return self._opened.audit.records(limit)

    def verify(self) -> tuple[Finding, ...]:
        """Reports every break in the audit log's chain, checked with the heads kept elsewhere."""
        operations, damaged = self._opened.operations.readable()
        heads = [operation.audit_head for operation in operations if operation.audit_head is not None]
        return (*damaged, *self._opened.audit.verify([*heads, *self._opened.git.anchors()]))

    def kept(self) -> Retention:
        """Gives what is kept of the past, how long, and its size."""
        context = self._opened.context
        return kept(context.displaced, context.held, context.operations.index.displaced(), self._opened.real_clock())


def _with_note(diff: FileDiff, said: Sequence[str]) -> FileDiff:
    return msgspec.structs.replace(diff, note="; ".join(filter(None, (diff.note, *said)))) if said else diff
