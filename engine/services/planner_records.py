"""The operator's own records, as planners are given them: earlier plans, moves, nodes, entries and uses."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING

import msgspec

from engine.compactor.options import CompactorHistory
from engine.errors import MemdeckError
from engine.plans.operation import STANDING, OperationKind, OperationState, Write
from engine.plans.planning import Planning
from engine.plans.records.moves import Moves, load_moves
from engine.plans.records.operation_cache import Outline
from engine.plans.records.operations import Operations
from engine.services.wiring import Wiring
from engine.tree.survey.records import TreeRecords, load_records
from engine.tree.survey.survey import Survey
from engine.workspace.dates import mtime_date, zone_of
from engine.workspace.layout import TIER_FOLDERS
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import MemoryTier

if TYPE_CHECKING:
    from engine.extraction.rows import EntryHistory, PromotedRow
    from engine.lifecycle.references.reference_days import Days

_COMPACTOR = frozenset({"compact", "shard"})
"""Systems whose plans ask about the first run: one applied answers it for both."""
_EXTRACTING = frozenset({"extract", "replay"})
"""Systems whose plans promote entries of transcripts."""


def compactor_history(parts: Wiring, job: str) -> CompactorHistory:
    """Reads the earlier compactions from the operator's own records (decisions A12, A19). `job` is the scheduled one
    that compacts."""
    known = parts.context.operations
    applied = [one for one in known.outlines() if one.kind is OperationKind.APPLY and one.system in _COMPACTOR]
    return CompactorHistory(
        applied=any(outline.state in STANDING | {OperationState.UNDONE} for outline in applied),
        last_semantic_at=_last_semantic(known, applied),
        last_scheduled_at=parts.last_runs.all().get(job),
    )


def _last_semantic(operations: Operations, applied: Iterable[Outline]) -> datetime | None:
    """Finds when a compaction last wrote semantic memory, as its record says; the outlines tell which one to read."""
    wrote = [one for one in applied if one.semantic and one.system == "compact" and one.stands]
    for outline in sorted(wrote, key=lambda one: one.instant, reverse=True):
        try:
            operation = operations.load(outline.name)
        except MemdeckError:
            continue
        folder = TIER_FOLDERS[MemoryTier.SEMANTIC] + "/"
        done = (operation.effects[index] for index in operation.done)
        if operation.state in STANDING and any(isinstance(e, Write) and e.path.startswith(folder) for e in done):
            # The instant on the clock that its plan was made for.
            return operation.as_of or operation.started_at
    return None


def tree_records(parts: Wiring) -> TreeRecords:
    """Reads the operator's own records of the tree's nodes."""
    return load_records(parts.database, parts.context.operations, parts.queue.load)


def file_moves(parts: Wiring) -> Moves:
    """Reads the operator's own records of where operations moved files."""
    return load_moves(parts.database, parts.context.operations)


def tree_survey(parts: Wiring, snapshot: Snapshot) -> Survey:
    """Surveys the tree as of today, in the workspace's zone (decision G5)."""
    return Survey(snapshot, tree_records(parts), parts.now().astimezone(zone_of(parts.policy.zone)).date())


def touched_on(parts: Wiring, path: str) -> date | None:
    """The day on which a file was written, as the disk says."""
    facts = parts.root.lstat(path)
    return mtime_date(facts.st_mtime_ns, zone_of(parts.policy.zone)) if facts is not None else None


def days_of_use(parts: Wiring, planning: Planning) -> "Mapping[str, Days]":
    """The days of use by path, with what sessions read since the last time (decision D46)."""
    from engine.lifecycle.references.reference_days import ReferenceDays
    from engine.services.references import take_session_reads

    take_session_reads(parts, frozenset(planning.snapshot.files))
    return ReferenceDays(parts.database).all()


def entry_history(parts: Wiring) -> "EntryHistory":
    """Reads the rows that applied plans of extraction and replay wrote, the latest of each, and what was refused. One
    that a person removed stays removed."""
    from engine.extraction.rows import EntryHistory
    from engine.lifecycle.replay.comparison import promoted_by

    found: dict[str, PromotedRow] = {}
    refused: set[str] = set()
    accepted: set[str] = set()
    for outline in reversed(parts.context.operations.outlines()):  # in the order in which they were applied
        if outline.system in _EXTRACTING and outline.stands:
            operation = parts.context.operations.load(outline.name)
            plan = parts.queue.load(operation.plan)
            refused.update(plan.facts.get("refused", ()))
            written = promoted_by(plan, operation.numbers)
            accepted.update(written.keys() & set(plan.facts.get("accepted", ())))
            for ident, row in written.items():
                known = found.get(ident)
                found[ident] = msgspec.structs.replace(known, row=row.row) if known and not row.transcript else row
    return EntryHistory(found, frozenset(refused), frozenset(accepted))
