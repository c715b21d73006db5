"""Finds damage of memdeck's records and of the files they vouch for, each with its fix (promise B8)."""

import os
import time
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from zlib import crc32

import msgspec

from engine.errors import Damaged, MemdeckError
from engine.plans.apply.context import ApplyContext
from engine.plans.apply.folders import YARD
from engine.plans.file_damage import archive_findings, displaced_findings, held_findings, unneeded_findings
from engine.plans.operation import ChainHead, OperationState
from engine.plans.plan import PlanState
from engine.plans.prediction import manifest
from engine.plans.records.chain import GENESIS, AuditRecord, problems
from engine.plans.records.displaced import DisplacedStore
from engine.plans.records.journal import Journal, load_journal
from engine.plans.records.operation_cache import Outline
from engine.plans.records.operations import damaged_record
from engine.state.workspace_lock import owner, read_owner
from engine.text.canonical_json import digest
from engine.workspace.system_calls import read_cached, write_cached
from engine.workspace.unscanned import COARSE_TICK_NS, Clock
from engine.workspace.values import Finding, Progress, Tick, damage, notice

_ARCHIVE = "memory/archive/"
_BACKUP = "restore it from a backup"
NAME = "checked"
_DIGITS = 15  # hexadecimal digits of a hash that make a number below 2 to the 63rd


class Checked(msgspec.Struct, frozen=True, array_like=True):
    """The checked part of the audit log, marks of sound records and bytes, and each archived file's operation."""

    format: str = "memdeck-checked-1"
    size: int = 0
    sha256: str = ""
    head: ChainHead = GENESIS
    marks: bytes = b""
    archived: Mapping[str, tuple[str, str]] = {}


def _load_checked(state: Path) -> Checked:
    """Reads the result of the last check; an empty one where it is missing or invalid."""
    with suppress(msgspec.MsgspecError):
        stored = msgspec.msgpack.decode(read_cached(state / NAME), type=Checked)
        if stored.format == Checked().format:
            return stored
    return Checked()


def _kept_marks(store: DisplacedStore) -> Iterator[tuple[int, int]]:
    """Yields a mark for each file of kept bytes, and when the file last changed."""
    for sha256, facts in store.files():
        changed = facts.st_ctime_ns
        yield hash((2, int(sha256[:_DIGITS], 16), changed, facts.st_ino, facts.st_size)), changed


def _numbers(marks: bytes) -> frozenset[int]:
    return frozenset(array("q", marks)) if len(marks) % array("q").itemsize == 0 else frozenset((0,))


class RecordCheck:
    """One check. After `findings`: `archived` are the files of operations, `needed` the kept bytes that were read."""

    def __init__(self, ctx: ApplyContext, anchors: Sequence[ChainHead], clock: Clock, *, deep: bool) -> None:
        self._ctx, self._anchors, self._clock, self._deep = ctx, anchors, clock, deep
        self._outlines: list[Outline] = []
        self._marks: list[int] = []
        self.archived: dict[str, tuple[str, str]] = {}
        self.needed: set[str] = set()

    def findings(self) -> Iterator[Finding]:
        """Finds everything wrong with operation records, audit log and displaced bytes."""
        settled = self._clock() - COARSE_TICK_NS
        self._outlines = self._ctx.operations.outlines(look=True)
        kept = list(_kept_marks(self._ctx.displaced))
        # Numbers that differ once a record is another file or was written to.
        self._marks = [hash((1, crc32(outline.name.encode()), *outline.mark)) for outline in self._outlines]
        marks = array("q", (*self._marks, *(mark for mark, _ in kept))).tobytes()
        before = Checked() if self._deep else _load_checked(self._ctx.state.path)
        found, checked = self._look(before if _numbers(before.marks) <= _numbers(marks) else Checked(), marks)
        if found:
            found, checked = self._look(Checked(), marks)
        yield from found
        changed = max((*(outline.mark[0] for outline in self._outlines), *(at for _, at in kept)), default=0)
        running = any(outline.state is OperationState.RUNNING for outline in self._outlines)
        # What was written a moment ago may be written again without a trace.
        if not found and not running and changed <= settled:
            with suppress(OSError):  # it is only a shortcut
                write_cached(self._ctx.state.path / NAME, msgspec.msgpack.encode(checked))

    def _look(self, before: Checked, marks: bytes) -> tuple[list[Finding], Checked]:
        hashed = self._ctx.audit.hashed(before.size)
        if hashed.hexdigest() != before.sha256:
            before, hashed = Checked(), self._ctx.audit.hashed(0)
        self.needed.clear()
        self.archived.clear()
        self.archived |= before.archived
        known, found = _numbers(before.marks), list[Finding]()
        # What is before the head of a log that is as it was when it was found sound met its anchors then.
        heads = [anchor for anchor in self._anchors if anchor.seq > before.head.seq]
        stories: dict[str, dict[str, str]] = {}
        for mark, outline in zip(reversed(self._marks), reversed(self._outlines), strict=True):
            if mark not in known:
                found += self._of(outline.name, stories, heads)
        names = {outline.name for outline in self._outlines}
        with suppress(Damaged):
            journal = load_journal(self._ctx.state)
            names |= {journal.operation.id} if journal is not None else set()
        last = before.head

        def compare(record: AuditRecord) -> None:
            nonlocal last
            last = record.head
            found.extend(_same_story(record, stories, names))

        acknowledged = self._ctx.audit.acknowledged()  # before the log: it may lag behind, never run ahead
        rest = self._ctx.audit.read(before.size)
        found += problems(rest, (*heads, acknowledged), before.head, compare)
        hashed.update(rest)
        size = before.size + len(rest)
        sha256, archived = hashed.hexdigest(), self.archived
        return found, Checked(size=size, sha256=sha256, head=last, marks=marks, archived=archived)

    def _of(self, name: str, stories: dict[str, dict[str, str]], heads: list[ChainHead]) -> Iterator[Finding]:
        """Checks one operation, and collects what the log and the archive must have of it."""
        try:
            operation = self._ctx.operations.named(name)
        except Damaged as error:
            yield damaged_record(name, error.message)
            return
        yield from displaced_findings(self._ctx, operation, self.needed)
        for path, sha256 in manifest(operation.effects[i] for i in operation.done).items():
            if sha256 is None:
                self.archived.pop(path, None)
            elif path.startswith(_ARCHIVE):
                self.archived[path] = (sha256, name)
        heads += [operation.audit_head] if operation.audit_head is not None else []
        effects = digest(operation.effects)
        stories[name] = {"plan": operation.plan, "kind": operation.kind.value, "effects_sha256": effects}


def _same_story(record: AuditRecord, stories: dict[str, dict[str, str]], names: set[str]) -> Iterator[Finding]:
    name = record.data.get("operation")
    if record.kind != "intent" or not isinstance(name, str):
        return
    if name not in names:
        what = f"the audit log (record {record.seq}) knows an operation whose record is missing"
        yield damage("operation_missing", f"operations/{name}", what, _BACKUP)
    for key, present in stories.get(name, {}).items():
        if record.data.get(key, present) != present:
            what = f"its {key.removesuffix('_sha256')} is not what audit record {record.seq} says: it was altered"
            yield damage("operation_altered", f"operations/{name}", what, _BACKUP)


_STAGES = 6  # steps that a check counts, as many as it lists
_RECOVER = "memdeck recover"


def check(
    ctx: ApplyContext,
    *,
    deep: bool = False,
    anchors: Iterable[ChainHead] = (),
    hashes: Mapping[str, str] | None = None,
    tick: Tick | None = None,
    clock: Clock = time.time_ns,
) -> tuple[Finding, ...]:
    """Finds everything that is wrong; writes only its results and late bytes. Unchanged files of an earlier check are
    sound, unless `deep`, which reads closed plans too. `anchors`: audit heads kept elsewhere; `hashes`: the scan's."""
    if owner(ctx.state) is not None:
        return (notice("busy", "lock", "another memdeck is at work; its records are changing", "check again then"),)
    findings: list[Finding] = []
    records = RecordCheck(ctx, tuple(anchors), clock, deep=deep)
    # In this order: the records' check collects what the archive's and the store's need.
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
        findings += step
    findings += held_findings(ctx)
    findings += ctx.settler.findings() if ctx.settler is not None else ()
    return tuple(findings)


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
    if (who := read_owner(ctx.state)) is not None:
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
