"""The operator's records for planners: earlier plans, moves, nodes, entries and flushes."""

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from engine.compactor.options import CompactorHistory
from engine.errors import MemdeckError
from engine.plans.operation import STANDING, Operation, OperationKind, OperationState, Write
from engine.plans.plan import Plan
from engine.plans.queue import Queue
from engine.plans.records.operation_cache import Outline
from engine.plans.records.operation_fold import Moves, fold_moves, folded
from engine.plans.records.operations import Operations
from engine.schedule.job_runs import LastRuns
from engine.state.database import StateDatabase
from engine.tree.survey.records import TreeRecords, load_records
from engine.workspace.layout import TIER_FOLDERS
from engine.workspace.values import MemoryTier

if TYPE_CHECKING:
    from engine.extraction.rows import EntryHistory, PromotedRow

_COMPACTOR = frozenset({"compact", "shard"})
"""Systems whose plans ask about the first run: an applied plan of either answers it for both."""
_EXTRACTING = frozenset({"extract", "replay"})  # systems whose plans promote entries of transcripts
_CONDENSING = frozenset({"condense", "replay"})
"""Systems that write rows to MEMORY.md; a replay writes its branch's weeks."""


class PlannerRecords:
    """Reads what applied plans did, so that what a person removed later stays out."""

    def __init__(self, database: StateDatabase, operations: Operations, queue: Queue, last_runs: LastRuns) -> None:
        self._database, self._operations, self._queue, self._last_runs = database, operations, queue, last_runs

    def applied(self, systems: Collection[str]) -> Iterator[tuple[Operation, Plan]]:
        """Yields the standing operations of these systems with their plans, in the order of applying."""
        for outline in reversed(self._operations.outlines()):
            if outline.system in systems and outline.stands:
                operation = self._operations.load(outline.name)
                yield operation, self._queue.load(operation.plan)

    def compactor_history(self, job: str) -> CompactorHistory:
        """Reads the earlier compactions (decisions A12, A19). `job` is the scheduled job that compacts."""
        outlines = self._operations.outlines()
        applied = [one for one in outlines if one.kind is OperationKind.APPLY and one.system in _COMPACTOR]
        return CompactorHistory(
            applied=any(outline.state in STANDING | {OperationState.UNDONE} for outline in applied),
            last_semantic_at=self._last_semantic(applied),
            last_scheduled_at=self._last_runs.all().get(job),
        )

    def _last_semantic(self, applied: Iterable[Outline]) -> datetime | None:
        """Gives when a compaction last wrote semantic memory; None for never."""
        wrote = [one for one in applied if one.semantic and one.system == "compact" and one.stands]
        folder = TIER_FOLDERS[MemoryTier.SEMANTIC] + "/"
        for outline in sorted(wrote, key=lambda one: one.instant, reverse=True):
            try:
                operation = self._operations.load(outline.name)
            except MemdeckError:
                continue
            done = (operation.effects[index] for index in operation.done)
            if operation.state in STANDING and any(isinstance(e, Write) and e.path.startswith(folder) for e in done):
                # The instant on the clock that its plan was made for.
                return operation.as_of or operation.started_at
        return None

    def tree(self) -> TreeRecords:
        return load_records(self._database, self._operations, self._queue.load)

    def moves(self) -> Moves:
        return folded(self._database, "moves", self._operations, Moves, fold_moves)

    def entry_history(self) -> "EntryHistory":
        """Reads the latest row of each extracted or replayed entry, and the refused ones."""
        from engine.extraction.rows import EntryHistory
        from engine.lifecycle.replay.comparison import promoted_by

        rows: dict[str, PromotedRow] = {}
        refused: set[str] = set()
        accepted: set[str] = set()
        for operation, plan in self.applied(_EXTRACTING):
            refused.update(plan.facts.get("refused", ()))
            written = promoted_by(plan, operation.numbers)
            accepted.update(written.keys() & set(plan.facts.get("accepted", ())))
            for ident, row in written.items():
                known = rows.get(ident)
                rows[ident] = msgspec.structs.replace(known, row=row.row) if known and not row.transcript else row
        return EntryHistory(rows, frozenset(refused), frozenset(accepted))

    def condensed_entries(self) -> frozenset[str]:
        """Reads the ids of the rows that applied plans wrote to MEMORY.md."""
        facts = (plan.facts for _, plan in self.applied(_CONDENSING))
        return frozenset(ident for fact in facts for ident in fact.get("condensed", fact.get("ids", {}).get("all", ())))

    def imported_memories(self) -> frozenset[str]:
        """Reads the ids of the memories that applied imports wrote."""
        imports = ((operation.numbers, plan.facts.get("ids", {})) for operation, plan in self.applied({"import"}))
        return frozenset(ident for numbers, ids in imports for number in numbers for ident in ids.get(str(number), ()))
