"""Finds damage of memdeck's own records and of what they vouch for, each with its fix (promise B8)."""

import os
import time
from collections.abc import Iterable, Iterator, Mapping

from engine.errors import Damaged, MemdeckError
from engine.plans.apply.context import ApplyContext
from engine.plans.apply.folders import YARD
from engine.plans.file_damage import archive_findings, held_findings, unneeded_findings
from engine.plans.operation import ChainHead, OperationState
from engine.plans.plan import PlanState
from engine.plans.record_check import RecordCheck
from engine.plans.records.journal import Journal, load_journal
from engine.state.folder import owner, read_owner
from engine.workspace.unscanned import Clock
from engine.workspace.values import Finding, Progress, Tick, damage, notice

_STAGES = 6  # steps that a check counts, as many as it lists
_RECOVER = "memdeck recover"
_BACKUP = "restore it from a backup"


def check(
    ctx: ApplyContext,
    *,
    deep: bool = False,
    anchors: Iterable[ChainHead] = (),
    hashes: Mapping[str, str] | None = None,
    tick: Tick | None = None,
    clock: Clock = time.time_ns,
) -> tuple[Finding, ...]:
    """Everything that is wrong; what an earlier check read and nobody wrote to since is whole. `deep` reads all of it
    again, what no operation needs any more, and closed plans. Writes nothing but bytes that arrived late in held files,
    which it keeps, and what it found whole. `anchors` are audit heads kept elsewhere than in the operations, such as in
    commits; `hashes` those of the files of the workspace as they were just scanned. `tick` may cancel."""
    if owner(ctx.state) is not None:
        return (notice("busy", "lock", "another memdeck is at work; its records are changing", "check again then"),)
    found: list[Finding] = []
    records = RecordCheck(ctx, tuple(anchors), clock, deep=deep)
    steps: tuple[Iterator[Finding], ...] = (
        records.findings(),
        _unfinished(ctx),
        iter(ctx.queue.damage(deep=deep)),
        unneeded_findings(ctx, records.needed) if deep else iter(()),
        archive_findings(ctx, records.archived, hashes or {}),
        _left_over(ctx),
    )
    for done, step in enumerate(steps):
        if tick is not None:
            tick(Progress("checking", done, _STAGES))
        found += step
    found += held_findings(ctx)
    found += ctx.settler.findings() if ctx.settler is not None else ()
    return tuple(found)


def _journal(ctx: ApplyContext) -> Journal | Finding | None:
    try:
        return load_journal(ctx.state)
    except Damaged as error:
        return damage("journal_damaged", "journal.json", error.message, "compare the workspace with its last backup")


def _unfinished(ctx: ApplyContext) -> Iterator[Finding]:
    journal = _journal(ctx)
    if isinstance(journal, Finding):
        yield journal
    elif journal is not None:
        what = f"it was cut off half-way ({journal.phase.value})"
        yield damage("half_finished", journal.operation.id, what, _RECOVER)
    for outline in ctx.operations.outlines():
        if outline.state is OperationState.RUNNING and not outline.damage and journal is None:
            yield damage("half_finished", outline.name, "it never ended, and its journal is gone", _BACKUP)
    for entry in ctx.queue.entries():
        if entry.state is PlanState.APPLYING and journal is None:
            yield damage("plan_state", entry.id, "it is marked as being applied, and nothing is under way", _RECOVER)


def _left_over(ctx: ApplyContext) -> Iterator[Finding]:
    who = read_owner(ctx.state)
    if who is not None:
        since = who.since.isoformat(timespec="seconds")
        what = f"process {who.pid} died while {who.purpose}, on {who.host} since {since}"
        yield notice("stale_lock", "lock", what, f"{_RECOVER} clears it; it holds nobody up")
    if _journal(ctx) is not None:
        return
    stage = ctx.state.stage
    staged = list(stage.iterdir()) if stage.is_dir() else []
    for place, names in ((str(stage), staged), (f"{YARD}/stage", _staged_inside(ctx))):
        if names:
            yield notice("litter", place, f"{len(names)} staged files belong to no operation", _RECOVER)


def _staged_inside(ctx: ApplyContext) -> list[str]:
    try:
        with ctx.root.folder(f"{YARD}/stage") as folder:
            return os.listdir(folder)  # noqa: PTH208 (pathlib lists no descriptors)
    except MemdeckError:
        return []
