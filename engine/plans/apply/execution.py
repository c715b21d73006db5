"""Carries out effects under the lock: journal, staging, effects, verification, and rollback if one fails."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Self

import msgspec

from engine.errors import Blocked, Cancelled, Conflict, MemdeckError, remedy
from engine.plans.apply.completion import finish, record_intent
from engine.plans.apply.context import ApplyContext, let_go, reason, unstoppable
from engine.plans.apply.crash_state import CrashInspection, EffectState
from engine.plans.apply.effects import EffectFailed, EffectRunner
from engine.plans.apply.folders import OpenFolders
from engine.plans.memory_integrity import FLUSH, integrity_problem
from engine.plans.operation import (
    Approval,
    Effect,
    Held,
    Operation,
    OperationKind,
    OperationState,
    Rename,
    Withdraw,
    Write,
)
from engine.plans.plan import RiskTier
from engine.plans.prediction import manifest
from engine.plans.records.displaced import HOLD
from engine.plans.records.journal import Journal, Phase, Slot
from engine.plans.sizes import FileSize
from engine.text.canonical_json import sha256_hex
from engine.workspace.layout import MEMORY_MD_PATHS
from engine.workspace.paths import MAX_KEPT
from engine.workspace.values import Tick, phase, steps

FAILURES = (OSError, MemdeckError, KeyboardInterrupt)
"""Errors that roll an operation back. A second interrupt during the rollback counts as a crash for `recover`."""


class EffectList(msgspec.Struct, frozen=True, kw_only=True):
    """The effects to carry out. `contents` are the new bytes by sha256; `remove` are folders to remove if empty."""

    kind: OperationKind
    plan: str
    target: str  # the digest that was approved
    system: str
    trigger: str
    risk_tier: RiskTier
    numbers: tuple[int, ...]
    effects: tuple[Effect, ...]
    contents: Mapping[str, bytes]
    approval: Approval | None
    simulated_clock: bool
    as_of: datetime
    message: str
    undoes: str | None = None
    redoes: str | None = None
    lasting: tuple[FileSize, ...] = ()
    """The lasting files before and after, as the person was told; for the audit record."""
    remove: tuple[str, ...] = ()
    whole: bool = True  # false where only some of the plan's changes were chosen
    problems: tuple[str, ...] = ()  # faults on the way here that hold nothing up


_KEPT = frozenset(EffectList.__struct_fields__).intersection(Operation.__struct_fields__) - {"problems"}
"""The fields that an operation takes from its effects; its problems are known only at its end."""


def execute(ctx: ApplyContext, work: EffectList, tick: Tick | None = None) -> Operation:
    """Carries out `work` and records it; the caller holds the lock and made every check. A failure is rolled back:
    `Conflict` for a foreign write, `MemdeckError` for an error of the system."""
    told = unstoppable(tick)
    phase("recording the intent", tick)  # the last step that a cancel stops, also one that came in the step before
    phase("recording the intent", told)
    with OpenFolders(ctx.root, ctx.state) as ground:
        run = Execution.begin(ctx, ground, work)
        run.told = told
        try:
            run.announce(work.target, work.lasting)
            run.stage(work.contents, told)
            run.forward(range(len(work.effects)), told)
            run.check_integrity()
        except FAILURES as error:
            run.roll_back(error)
            raise run.failure(error) from error
        try:
            operation = run.close(OperationState.DONE, tuple(range(len(work.effects))), (*work.problems, *run.verify()))
        # Too late to roll back: the approval is spent and the files are verified. `recover` finishes the records.
        except OSError as error:
            message = f"everything is in place, but the records could not be finished: {reason(error)}"
            raise MemdeckError(message, where=run.operation.id, hint="memdeck recover") from error
        let_go(ctx, ground, ctx.clock())
        return operation


class Execution:
    """One operation under way; `recover` continues it from its journal."""

    def __init__(self, ctx: ApplyContext, ground: OpenFolders, journal: Journal) -> None:
        self.ctx = ctx
        self.ground = ground
        self.hands = EffectRunner(ground)
        self.aftermath = CrashInspection(ground)
        self.journal = journal
        self.done: list[int] = []
        self.problems: list[str] = []
        self.trying: int | None = None
        self.told: Tick | None = None  # is told of each phase once nothing can be cancelled any more

    @classmethod
    def begin(cls, ctx: ApplyContext, ground: OpenFolders, work: EffectList) -> Self:
        """Writes the journal; the workspace is not changed yet."""
        now = ctx.clock()
        operation = Operation(
            id=ctx.operations.next_id(now),
            state=OperationState.RUNNING,
            started_at=now,
            finished_at=None,
            done=(),
            **{name: getattr(work, name) for name in _KEPT},
        )
        hands = EffectRunner(ground)
        # Inodes are noted before anything moves: `recover` tells files by them, whatever names a crash left.
        slots = tuple(hands.prepare(f"{operation.id}-{i}", effect) for i, effect in enumerate(work.effects, start=1))
        operation = msgspec.structs.replace(operation, folders=_folders_to_make(ground, work.effects))
        journal = Journal(phase=Phase.STAGING, operation=operation, slots=slots, remove=work.remove, whole=work.whole)
        journal.save(ctx.state)
        return cls(ctx, ground, journal)

    def announce(self, target: str, lasting: Sequence[FileSize]) -> None:
        """Spends the approval and records the intent before any effect."""
        head = record_intent(self.ctx, self.operation, target, lasting)
        self.journal = self.journal.at(self.journal.phase, msgspec.structs.replace(self.operation, audit_head=head))

    @property
    def operation(self) -> Operation:
        return self.journal.operation

    @property
    def pairs(self) -> list[tuple[Effect, Slot]]:
        return list(zip(self.operation.effects, self.journal.slots, strict=True))

    def stage(self, contents: Mapping[str, bytes], tick: Tick) -> None:
        """Makes all new contents, and all bytes to be displaced, durable before the first effect."""
        pairs = steps(self.pairs, "preparing", tick)
        slots = [self._stage_one(effect, slot, contents) for effect, slot in pairs]
        # Bytes for undo first, then what was staged: the journal may call the operation ready only when both are on
        # disk.
        self.ctx.displaced.flush()
        self.ground.sync()
        self.journal = msgspec.structs.replace(self.journal, phase=Phase.EFFECTS, slots=tuple(slots))
        self.journal.save(self.ctx.state)

    def _stage_one(self, effect: Effect, slot: Slot, contents: Mapping[str, bytes]) -> Slot:
        match effect:
            case Write():
                if effect.before is not None:
                    self._store(effect.path, effect.before)
                return self.hands.stage(effect, slot, contents[effect.after])
            case Rename():
                return (
                    self.hands.stage(effect, slot, self._bytes(effect.path, effect.sha256)) if slot.crossing else slot
                )
            case Withdraw():
                self._store(effect.path, effect.before)
                return slot

    def _store(self, path: str, sha256: str) -> None:
        self.ctx.displaced.put(self._bytes(path, sha256))

    def _bytes(self, path: str, sha256: str) -> bytes:
        data = self.ctx.root.read(path, MAX_KEPT)
        if sha256_hex(data) != sha256:
            raise Conflict("another program changed it while applying", where=path, hint="plan again")
        return data

    def forward(self, indices: Sequence[int], tick: Tick) -> None:
        """Does the effects in order and makes them durable. After a failure `done` has those that were done."""
        # Parents come first in the list, as each is made inside the one before.
        for folder in self.operation.folders:
            self.ground.make_folder(folder)
        pairs = self.pairs
        for i in steps(indices, "applying", tick):
            self.trying = i
            try:
                self.hands.perform(*pairs[i])
            except EffectFailed as stuck:
                self.done.append(i)
                self.problems.append(stuck.line())
                raise
            self.done.append(i)
        self.ground.sync()

    def check_integrity(self) -> None:
        """Raises `Blocked` where MEMORY.md lost anything or does not parse after a flush (decision B11)."""
        for effect in self.operation.effects:
            if self.operation.system != FLUSH or self.operation.kind is not OperationKind.APPLY:
                return
            if isinstance(effect, Write) and effect.path in MEMORY_MD_PATHS:
                before = self.ctx.displaced.get(effect.before) if effect.before is not None else None
                problem = integrity_problem(before, self.ctx.root.read(effect.path, MAX_KEPT))
                if problem:
                    raise Blocked(f"integrity: {problem}; it was put back", where=effect.path, hint="plan again")

    def verify(self) -> tuple[str, ...]:
        """Compares every changed path with the prediction; gives a line for each that another program changed."""
        wanted = manifest(self.operation.effects)
        with OpenFolders(self.ctx.root, self.ctx.state) as anew:  # not the folders that were open while writing
            hands = EffectRunner(anew)
            return tuple(
                f"{path}: another program changed it right after it was written"
                for path, sha256 in steps(tuple(wanted.items()), "verifying", self.told)
                if hands.sha256(path) != sha256
            )

    def abandon(self, why: str) -> Operation:
        """Removes what was staged; no effect took place."""
        # No effect is reverted, but folders that were made for them go.
        return self.close(OperationState.ROLLED_BACK, self.revert_all(()), (why,))

    def roll_back(self, cause: BaseException) -> None:
        """Undoes the effects that were done, last first, and records the outcome."""
        try:
            if self.journal.phase is Phase.EFFECTS:
                told = {"cause": reason(cause), "foreign": isinstance(cause, Conflict)}
                self.journal = msgspec.structs.replace(self.journal.at(Phase.ROLLING_BACK), **told)
                self.journal.save(self.ctx.state)
                self._look_at_tried()
            standing = self.revert_all(self.done)
            state = OperationState.CONFLICT if isinstance(cause, Conflict) else OperationState.ROLLED_BACK
            problems = (*self.problems, reason(cause))
            self.close(OperationState.PARTIAL if standing else state, standing, problems)
        except (OSError, MemdeckError) as error:
            message = f"{reason(cause)}; the rollback could not be finished: {reason(error)}"
            raise MemdeckError(message, where=self.operation.id, hint="memdeck recover") from error

    def _look_at_tried(self) -> None:
        """Checks on the disk whether an interrupted effect was done all the same."""
        i = self.trying
        if i is None or i in self.done:
            return
        self.aftermath.mend(*self.pairs[i])
        if self.aftermath.standing(*self.pairs[i]) in (EffectState.DONE, EffectState.CLASHED):
            self.done.append(i)

    def revert_all(self, indices: Iterable[int]) -> tuple[int, ...]:
        """Undoes the effects, last first; gives those that others' writes keep in place, with reasons in `problems`.
        After an error of the system the other effects are undone too, and `recover` tries the rest again."""
        standing = []
        failed: OSError | None = None
        for i in sorted(indices, reverse=True):
            try:
                problem = self.hands.revert(*self.pairs[i])
            except OSError as error:
                failed = error
                continue
            if problem is not None:
                standing.append(i)
                self.problems.append(problem)
        if failed is not None:
            raise failed
        if not standing:
            for folder in reversed(self.operation.folders):
                self.ground.remove_folder(folder)
        self.ground.sync()
        return tuple(sorted(standing))

    def close(self, state: OperationState, done: tuple[int, ...], problems: tuple[str, ...]) -> Operation:
        """Records the outcome everywhere, so that nothing is left to recover."""
        phase("recording", self.told)
        now = self.ctx.clock()
        held = tuple(
            Held(effect.path, place, sha256, now + HOLD)
            for effect, slot in self.pairs
            for place, sha256 in self.hands.held(effect, slot)
        )
        operation = msgspec.structs.replace(
            self.operation, state=state, done=done, problems=problems, held=held, finished_at=now
        )
        self.journal = self.journal.at(Phase.FINISHING, operation)
        self.journal.save(self.ctx.state)
        return self.finish()

    def finish(self) -> Operation:
        """Removes what the operation needed, and completes the records; may run twice after a crash. Staged contents
        stay until the outcome is in the journal, because they tell `recover` what was not done."""
        if self.operation.state is OperationState.DONE:
            for folder in reversed(self.journal.remove):
                self.ground.remove_folder(folder)
        else:
            for _, slot in self.pairs:
                self.hands.drop_staged(slot)
        self.ground.tidy()
        operation = finish(self.ctx, self.journal, self.told)
        self.journal = self.journal.at(Phase.FINISHING, operation)
        return operation

    def failure(self, cause: BaseException) -> BaseException:
        """Gives the error to show after a rollback."""
        if isinstance(cause, KeyboardInterrupt):
            return Cancelled("interrupted; everything was undone", where=self.operation.id)
        if self.operation.state is OperationState.PARTIAL:
            # Some effects stand, so that saying "taken back" would be false: undo is what is left.
            message = f"partly applied: {'; '.join(self.operation.problems)}"
            return Conflict(message, where=self.operation.id, hint=f"memdeck undo {self.operation.id}")
        if isinstance(cause, MemdeckError):
            return cause
        message = f"{reason(cause)}; everything was undone"
        return MemdeckError(message, where=self.operation.id, hint=remedy(cause, "try again"))


def _folders_to_make(ground: OpenFolders, effects: Iterable[Effect]) -> tuple[str, ...]:
    folders: dict[str, None] = {}
    for effect in effects:
        if not isinstance(effect, Withdraw):
            target = effect.to if isinstance(effect, Rename) else effect.path
            folders.update(dict.fromkeys(ground.missing_folders(target)))
    return tuple(folders)
