"""Finds damage of memdeck's own records and of what they vouch for, each with its fix (promise B8)."""

import os
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from engine.errors import Damaged, MemdeckError
from engine.plans.apply.context import ApplyContext
from engine.plans.apply.folders import YARD
from engine.plans.file_damage import archive_findings, displaced_findings, held_findings
from engine.plans.operation import ChainHead, Operation, OperationState
from engine.plans.plan import PlanState
from engine.plans.records.chain import AuditRecord
from engine.plans.records.journal import Journal, load_journal
from engine.state.lock import owner, read_owner
from engine.text.canonical_json import digest
from engine.workspace.findings import Finding, FindingKind
from engine.workspace.values import Progress, Tick

_STAGES = 6
"""Steps that a check counts, as many as it lists."""
_RECOVER = "memdeck recover"
_BACKUP = "restore it from a backup"


def check(
    ctx: ApplyContext, *, deep: bool = False, anchors: Iterable[ChainHead] = (), tick: Tick | None = None
) -> tuple[Finding, ...]:
    """Everything that is wrong. `deep` also re-hashes what no operation needs any more, and closed plans.

    Writes nothing but bytes that arrived late in held files, which it keeps.

    `anchors` are audit heads kept elsewhere than in the operations, such as in commits. `tick` may cancel.
    """
    if owner(ctx.state) is not None:
        return (_notice("busy", "lock", "another memdeck is at work; its records are changing", "check again then"),)
    found: list[Finding] = []
    newest_first, broken = ctx.operations.readable()
    operations = list(reversed(newest_first))
    steps: tuple[Iterator[Finding], ...] = (
        iter(broken),
        _audit(ctx, operations, anchors),
        _unfinished(ctx, operations),
        iter(ctx.queue.damage(deep=deep)),
        displaced_findings(ctx, operations, deep=deep),
        _left_over(ctx),
    )
    for done, step in enumerate(steps):
        if tick is not None:
            tick(Progress("checking", done, _STAGES))
        found += step
    found += archive_findings(ctx, operations)
    found += held_findings(ctx)
    found += ctx.settler.findings() if ctx.settler is not None else ()
    return tuple(found)


def _audit(ctx: ApplyContext, operations: list[Operation], anchors: Iterable[ChainHead]) -> Iterator[Finding]:
    """The chain itself, then whether log and operations tell the same story."""
    heads = [operation.audit_head for operation in operations if operation.audit_head is not None]
    yield from ctx.audit.verify([*heads, *anchors])
    intents = {r.data.get("operation"): r for r in ctx.audit.records() if r.kind == "intent"}
    journal = _journal(ctx)
    under_way = journal.operation.id if isinstance(journal, Journal) else None
    known = {operation.id for operation in operations} | set(ctx.operations.ids())
    for operation in operations:
        yield from _same_story(operation, intents.get(operation.id))
    for name, record in intents.items():
        if name not in known and name != under_way:
            what = f"the audit log (record {record.seq}) knows an operation whose record is missing"
            yield _damage("operation_missing", f"operations/{name}", what, _BACKUP)


def _same_story(operation: Operation, intent: AuditRecord | None) -> Iterator[Finding]:
    """Checks that the operation is the one that was announced. Without a log there is nothing to compare it with."""
    if intent is None:
        return
    told = intent.data
    for name, present in (
        ("plan", operation.plan),
        ("kind", operation.kind.value),
        ("effects_sha256", digest(operation.effects)),
    ):
        if name in told and told[name] != present:
            what = f"its {name.removesuffix('_sha256')} is not what audit record {intent.seq} says: it was altered"
            yield _damage("operation_altered", f"operations/{operation.id}", what, _BACKUP)


def _journal(ctx: ApplyContext) -> Journal | Finding | None:
    try:
        return load_journal(ctx.state)
    except Damaged as error:
        return _damage("journal_damaged", "journal.json", error.message, "compare the workspace with its last backup")


def _unfinished(ctx: ApplyContext, operations: list[Operation]) -> Iterator[Finding]:
    """Finds what a crash left half-way."""
    journal = _journal(ctx)
    if isinstance(journal, Finding):
        yield journal
    elif journal is not None:
        what = f"it was cut off half-way ({journal.phase.value})"
        yield _damage("half_finished", journal.operation.id, what, _RECOVER)
    for operation in operations:
        if operation.state is OperationState.RUNNING and journal is None:
            yield _damage("half_finished", operation.id, "it never ended, and its journal is gone", _BACKUP)
    for entry in ctx.queue.entries():
        if entry.state is PlanState.APPLYING and journal is None:
            yield _damage("plan_state", entry.id, "it is marked as being applied, and nothing is under way", _RECOVER)


def _left_over(ctx: ApplyContext) -> Iterator[Finding]:
    """A lock whose owner died, and staged contents that belong to no operation."""
    who = read_owner(ctx.state)
    if who is not None:
        what = f"process {who.pid} died while {who.purpose}, on {who.host} since {_when(who.since)}"
        yield _notice("stale_lock", "lock", what, f"{_RECOVER} clears it; it holds nobody up")
    if _journal(ctx) is not None:
        return
    for place, names in ((str(ctx.state.stage), _names(ctx.state.stage)), (f"{YARD}/stage", _staged_inside(ctx))):
        if names:
            yield _notice("litter", place, f"{len(names)} staged files belong to no operation", _RECOVER)


def _names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir()) if folder.is_dir() else []


def _staged_inside(ctx: ApplyContext) -> list[str]:
    """Lists the names in the workspace's own staging folder."""
    try:
        with ctx.root.folder(f"{YARD}/stage") as folder:
            return sorted(os.listdir(folder))  # noqa: PTH208 (pathlib lists no descriptors)
    except MemdeckError:
        return []


def _when(at: datetime) -> str:
    return at.isoformat(timespec="seconds")


def _damage(what_id: str, where: str, what: str, fix: str) -> Finding:
    return Finding(kind=FindingKind.DAMAGE, id=what_id, where=where, what=what, fix=fix)


def _notice(what_id: str, where: str, what: str, fix: str) -> Finding:
    return Finding(kind=FindingKind.NOTICE, id=what_id, where=where, what=what, fix=fix)
