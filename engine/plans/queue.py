"""The queue of plans that wait for the operator: immutable bodies, and an index of their states."""

import fcntl
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from engine.errors import Damaged, MemdeckError, Refused, UsageError
from engine.plans.memory_integrity import FLUSH, saves_all
from engine.plans.operation import LIFETIME
from engine.plans.plan import OPEN_STATES, Plan, PlanState, QueueEntry, RiskTier
from engine.plans.queue_index import FiledPlan, IndexedPlans, QueueIndex, StateMark, marked
from engine.state.private_files import make_durable, write_private
from engine.text.canonical_json import canonical_json, sha256_hex
from engine.text.secrets.detector import redact
from engine.workspace.values import Finding, damage

_RUN = frozenset({PlanState.APPLYING, PlanState.APPLIED, PlanState.PARTIAL, PlanState.CONFLICT, PlanState.UNDONE})
_CLOSED = frozenset({PlanState.APPLIED, PlanState.UNDONE})  # their bodies are checked by `--deep` alone
_LEAVES = frozenset({PlanState.STALE, PlanState.SUPERSEDED, PlanState.REJECTED})
_NEXT: Mapping[PlanState, frozenset[PlanState]] = {
    **dict.fromkeys(OPEN_STATES, OPEN_STATES | _RUN | _LEAVES),
    **dict.fromkeys(_RUN, _RUN),
    PlanState.APPLYING: _RUN | {PlanState.PENDING, PlanState.STALE},
    # To what was run: a rebuilt queue knows a plan as stale of which an operation says that it was applied.
    PlanState.STALE: _LEAVES | _RUN | {PlanState.PENDING},
    PlanState.SUPERSEDED: frozenset(),
    PlanState.REJECTED: frozenset(),
}
"""The states that may follow each state; nothing follows rejected or superseded."""

_LOOKED_AT = timedelta(hours=1)  # the time for which a plan counts as looked at after a person opened it
_ID = re.compile(r"p-\d{8}-\d{4,}")

Current = Mapping[str, str | None] | Callable[[str], str | None]
"""Gives the present sha256 of a workspace path; None where there is no file."""


class RefusedPlan(msgspec.Struct, frozen=True):
    """A plan that the operator refuses in part, and the reason; another plan keeps the rest."""

    plan: str
    reason: str


class Queue:
    """One workspace's queue in `folder`. Safe between processes; the list is cached until the index changes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._bodies = folder / "bodies"
        self._index = QueueIndex(folder / "index")
        self._listed: tuple[IndexedPlans, tuple[QueueEntry, ...]] | None = None

    def put(self, plan: Plan, now: datetime, refused: RefusedPlan | None = None, *, unattended: bool = False) -> Plan:
        """Files the plan and gives it with its id, or the open plan with its digest. `now` is real time. The same write
        rejects `refused`, which this plan replaces; `Refused` if that is closed. The plan supersedes older open or
        stale plans of its system with a common target, and flushes whose turns it saves; no approved one, if simulated
        no real one (decision G18), and if `unattended` none that a person made or opened within the hour."""
        plan = msgspec.json.decode(canonical_json(plan), type=Plan)  # as every later reader will see it
        digest = plan.digest
        with self._locked():
            entries = self.entries()
            rejected = [self._rejection(refused, now)] if refused is not None else []
            for entry in entries:
                # The same plan made again, by a schedule say, is one question to the operator and not two.
                if entry.digest == digest and entry.state in OPEN_STATES and not entry.damage:
                    self._index.append([*rejected, *([] if unattended else [_attention(entry, now)])])
                    return self.load(entry.id)
            named = msgspec.structs.replace(plan, id=self._next_id(plan.now, entries))
            body = canonical_json(named)
            # The body before the index: a crash between them leaves a body, which is found again.
            write_private(self._body(named.id), body)
            attended = None if unattended else now
            entry = msgspec.structs.replace(_entry(named, digest, now), attended=attended)
            filed = FiledPlan(entry, sha256_hex(body))
            others = tuple(queued for queued in entries if refused is None or queued.id != refused.plan)
            older = _superseded(filed.entry, others, now, lambda old: self._saves(named, old))
            self._index.append([filed, *rejected, *older])
        return named

    def attend(self, plan_id: str, now: datetime) -> None:
        """Records that a person is reading an open plan: for an hour no unattended plan supersedes it."""
        attended = self.entry(plan_id).attended
        if attended is not None and now - attended < _LOOKED_AT / 6:  # told already; going through the queue is quick
            return
        with self._locked():
            entry = self.entry(plan_id)
            if entry.state in OPEN_STATES and not entry.damage:
                self._adopt(entry)
                self._index.append([_attention(entry, now)])

    def _rejection(self, refused: RefusedPlan, now: datetime) -> StateMark:
        entry = self.entry(refused.plan)
        if entry.state not in OPEN_STATES:
            raise Refused(f"the plan is {entry.state} by now", where=entry.id, hint="memdeck queue")
        self._adopt(entry)
        return StateMark(entry.id, PlanState.REJECTED, redact(refused.reason), now, None)

    def _saves(self, plan: Plan, old: QueueEntry) -> bool:
        """Tells whether a flush saves all that an older one does, even to another file (decision B18)."""
        if plan.system != FLUSH or old.damage:
            return False
        try:
            return saves_all(plan, self.load(old.id))
        except MemdeckError:
            return False

    def entries(self) -> tuple[QueueEntry, ...]:
        """Gives every plan's entry, oldest first; a damaged one has its problem in `damage`."""
        picture = self._index.picture()
        if self._listed is None or self._listed[0] is not picture:
            self._listed = (picture, self._list(picture))
        return self._listed[1]

    def entry(self, plan_id: str) -> QueueEntry:
        """Gives the entry of one plan by its id or a unique ending of it; `UsageError` for none."""
        found = [entry for entry in self.entries() if entry.id == plan_id]
        found = found or [entry for entry in self.entries() if plan_id and entry.id.endswith(plan_id)]
        if len(found) != 1:
            what = "several plans end like this" if found else "no such plan in the queue"
            raise UsageError(what, where=plan_id, hint="memdeck queue lists them")
        return found[0]

    def load(self, plan_id: str) -> Plan:
        """Gives the whole plan; `Damaged` unless its bytes are as filed."""
        entry = self.entry(plan_id)
        filed = self._index.picture().filed.get(entry.id)
        try:
            return _verified(self._body(entry.id).read_bytes(), entry.id, filed)
        except OSError as error:
            raise Damaged(f"its body cannot be read ({error.strerror})", where=entry.id, hint="plan again") from error

    def set_state(
        self, plan_id: str, state: PlanState, reason: str, now: datetime, operation: str | None = None
    ) -> QueueEntry:
        """Moves a plan to `state`; `Refused` where that state cannot follow its present one."""
        with self._locked():
            entry = self.entry(plan_id)
            if state not in _NEXT[entry.state]:
                hint = f"memdeck undo {entry.operation} undoes it" if entry.operation else "plan again"
                raise Refused(f"the plan is {entry.state} and cannot become {state}", where=entry.id, hint=hint)
            mark = StateMark(entry.id, state, redact(reason), now, operation)
            self._adopt(entry)
            self._index.append([mark])
            return marked(entry, mark)

    def refile(self, plan_id: str, change: Callable[[Any], Any], reason: str, now: datetime) -> None:
        """Changes a filed plan's JSON by `change`, under its id; rejects it for `reason` if it is open. May run
        twice: the index is written first, so a crash leaves the old body (decision D62)."""
        with self._locked():
            entry = self.entry(plan_id)
            body = self._body(entry.id)
            plan = msgspec.convert(change(msgspec.json.decode(body.read_bytes())), Plan)
            data = canonical_json(plan)
            waits = entry.state in OPEN_STATES | {PlanState.STALE}
            new = {"state": PlanState.REJECTED, "state_reason": reason, "state_since": now} if waits else {}
            filed = msgspec.structs.replace(entry, digest=plan.digest, damage="", **new)
            self._index.append([FiledPlan(filed, sha256_hex(data))])
            write_private(body, data)

    def rewrite_index(self, change: Callable[[str], str]) -> None:
        """Rewrites the index with one line for each plan and its reason changed by `change`."""
        with self._locked():
            self._index.rewrite(change)

    def mark_stale(self, current: Current, policy_sha256: str, now: datetime) -> tuple[QueueEntry, ...]:
        """Marks open plans with changed inputs or policy as stale, stale ones that fit again as pending; gives both."""
        look_up = current if callable(current) else current.get
        shas: dict[str, str | None] = {}

        def changed(entry: QueueEntry) -> str:
            if (waits := self._first_of(entry)) is not None:
                return waits
            for item in entry.inputs:
                if item.path not in shas:
                    shas[item.path] = look_up(item.path)
            return _why_stale(entry, shas, policy_sha256)

        watched = OPEN_STATES | {PlanState.STALE}
        # Hashes are asked for outside the lock: reading files may take long.
        news = {e.id: changed(e) for e in self.entries() if e.state in watched and not e.damage}
        return self._move(lambda entry: _freshness(entry, news.get(entry.id)), now) if news else ()

    def _first_of(self, entry: QueueEntry) -> str | None:
        """Gives the reason why a plan that builds on another is stale; empty while that waits, None once applied."""
        first = next((one for one in self.entries() if one.digest == entry.after), None) if entry.after else None
        if first is None or first.state in _RUN:
            return None
        return "" if first.state in OPEN_STATES else f"it stands on {first.id}, which is {first.state}"

    def expire(self, now: datetime) -> tuple[QueueEntry, ...]:
        """Marks approved plans that were not used within ten minutes as expired; gives them (decision G11)."""

        def late(entry: QueueEntry) -> tuple[PlanState, str] | None:
            if entry.state is PlanState.APPROVED and now - entry.state_since > LIFETIME:
                return PlanState.EXPIRED, "approved, and not used within 10 minutes"
            return None

        return self._move(late, now)

    def damage(self, *, deep: bool = False) -> tuple[Finding, ...]:
        """Finds missing or altered bodies of plans, with `deep` of closed ones too, and damaged index lines."""
        given_up = (PlanState.REJECTED, PlanState.SUPERSEDED)
        found = []
        for entry in self.entries():
            if entry.state in given_up or (entry.state in _CLOSED and not deep and not entry.damage):
                continue
            if what := entry.damage or self._trouble(entry.id):
                again = f"memdeck reject {entry.id}, and plan again"
                fix = "undo still works, redo needs a new plan" if entry.state in _RUN else again
                found.append(damage("queue_damaged", f"queue/{entry.id}", what, fix))
        if bad := self._index.picture().bad:
            what = f"{bad} of the queue's lines are damaged: the state of a plan may be lost"
            found.append(damage("queue_damaged", "queue/index", what, "memdeck recover rebuilds it from the plans"))
        return tuple(found)

    def _trouble(self, plan_id: str) -> str:
        try:
            self.load(plan_id)
        except Damaged as error:
            return error.message
        return ""

    def repair(self, now: datetime) -> bool:
        """Rebuilds a damaged index from its sound lines and the bodies, and keeps the damaged one; False where it is
        sound. A plan whose line was lost is stale until its inputs are checked."""
        with self._locked():
            if not self._index.picture().bad:
                return False
            for entry in self.entries():
                reason = "its place in the queue was damaged"
                if entry.id not in self._index.picture().filed:
                    self._adopt(msgspec.structs.replace(entry, state=PlanState.STALE, state_reason=reason))
            self._index.rebuild()
            return True

    def _move(
        self, decide: Callable[[QueueEntry], tuple[PlanState, str] | None], now: datetime
    ) -> tuple[QueueEntry, ...]:
        """Changes the state of each entry for which `decide` gives a new one; takes no lock if there is none."""
        if not any(decide(entry) for entry in self.entries()):
            return ()
        with self._locked():
            # Decided anew under the lock: another process may have moved some meanwhile.
            wanted = [(entry, to) for entry in self.entries() if (to := decide(entry))]
            marks = [StateMark(entry.id, state, redact(reason), now, None) for entry, (state, reason) in wanted]
            self._index.append(marks)
            return tuple(marked(entry, mark) for (entry, _), mark in zip(wanted, marks, strict=True))

    def _list(self, picture: IndexedPlans) -> tuple[QueueEntry, ...]:
        try:
            names = {name.removesuffix(".json") for name in os.listdir(self._bodies) if _ID.match(name)}  # noqa: PTH208
        except FileNotFoundError:
            names = set()
        listed = [
            filed.entry if plan_id in names else _damaged(filed.entry, "its body is missing")
            for plan_id, filed in picture.filed.items()
        ]
        listed += [self._found_again(plan_id, picture) for plan_id in names - picture.filed.keys()]
        return tuple(sorted(listed, key=lambda entry: (entry.id[:10], int(entry.id[11:]))))

    def _found_again(self, plan_id: str, picture: IndexedPlans) -> QueueEntry:
        """Makes the entry of a body without a line in the index, after a crash or damage."""
        path = self._body(plan_id)
        since = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        try:
            plan = _verified(path.read_bytes(), plan_id, None)
        except (Damaged, OSError) as error:
            return _unreadable(plan_id, str(error), since)
        entry = _entry(plan, plan.digest, since)
        if picture.bad:
            return _damaged(entry, "its place in the queue is damaged")
        return msgspec.structs.replace(entry, state_reason="found again after a crash")

    def _adopt(self, entry: QueueEntry) -> None:
        if entry.id not in self._index.picture().filed:
            body = self._body(entry.id).read_bytes()
            with suppress(Damaged):
                _verified(body, entry.id, None)
                entry = _damaged(entry, "")
            self._index.append([FiledPlan(entry, sha256_hex(body))])

    def _next_id(self, now: datetime, entries: tuple[QueueEntry, ...]) -> str:
        # In UTC, so that ids keep their order whatever the operator's zone.
        prefix = f"p-{now.astimezone(UTC):%Y%m%d}-"
        last = max((int(entry.id[len(prefix) :]) for entry in entries if entry.id.startswith(prefix)), default=0)
        return f"{prefix}{last + 1:04d}"

    def _body(self, plan_id: str) -> Path:
        return self._bodies / f"{plan_id}.json"

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Locks the queue against other processes by a file that is never replaced, unlike the index."""
        make_durable(self._bodies)
        fd = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
            # Under the same lock, since it replaces the file that others append to.
            self._index.compact()
        finally:
            os.close(fd)


def _entry(plan: Plan, digest: str, now: datetime) -> QueueEntry:
    return QueueEntry(
        id=plan.id,
        digest=digest,
        system=plan.system,
        trigger=plan.trigger,
        risk_tier=plan.risk_tier,
        state=PlanState.PENDING,
        made_at=plan.made_at,
        simulated_clock=plan.simulated_clock,
        changes=len(plan.changes),
        targets=tuple(sorted(plan.targets())),
        inputs=plan.inputs,
        policy_sha256=plan.policy_sha256,
        state_since=now,
        flagged=plan.flagged_lines(),
        after=plan.after or "",
    )


def _superseded(
    new: QueueEntry, entries: tuple[QueueEntry, ...], now: datetime, saves: Callable[[QueueEntry], bool]
) -> Iterator[StateMark]:
    targets = frozenset(new.targets)
    replaceable = (OPEN_STATES | {PlanState.STALE}) - {PlanState.APPROVED}
    alike = (old for old in entries if (old.system, old.simulated_clock) == (new.system, new.simulated_clock))
    for old in alike:
        looked_at = old.attended is not None and now - old.attended < _LOOKED_AT and old.state is not PlanState.STALE
        if new.attended is None and looked_at:
            continue
        if old.state in replaceable and (not targets.isdisjoint(old.targets) or saves(old)):
            yield StateMark(old.id, PlanState.SUPERSEDED, f"superseded by {new.id}", now, None)


def _attention(entry: QueueEntry, now: datetime) -> StateMark:
    return StateMark(entry.id, entry.state, entry.state_reason, entry.state_since, None, now)


def _verified(body: bytes, plan_id: str, filed: FiledPlan | None) -> Plan:
    """Decodes the plan in `body`; `Damaged` unless it was filed under `plan_id`."""
    if filed is not None and sha256_hex(body) != filed.body_sha256:
        raise Damaged("its body was altered", where=plan_id, hint="plan again")
    try:
        plan = msgspec.json.decode(body, type=Plan)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Damaged("its body is not a plan", where=plan_id, hint="plan again") from error
    if plan.id != plan_id or canonical_json(plan) != body or (filed is not None and plan.digest != filed.entry.digest):
        raise Damaged("its body is not the plan that was filed", where=plan_id, hint="plan again")
    return plan


def _why_stale(entry: QueueEntry, shas: Mapping[str, str | None], policy_sha256: str) -> str:
    changed = [
        f"{item.path} {'appeared' if item.sha256 is None else 'is gone' if shas[item.path] is None else 'changed'}"
        for item in entry.inputs
        if shas[item.path] != item.sha256
    ]
    if entry.policy_sha256 != policy_sha256:
        changed.append("the policy changed")
    return ", ".join(changed[:3]) + (f" and {len(changed) - 3} more" if len(changed) > 3 else "")


def _freshness(entry: QueueEntry, why: str | None) -> tuple[PlanState, str] | None:
    if why is None:
        return None
    if why and (entry.state in OPEN_STATES or (entry.state is PlanState.STALE and entry.state_reason != why)):
        return PlanState.STALE, why
    if not why and entry.state is PlanState.STALE:
        return PlanState.PENDING, "its inputs are as they were"
    return None


def _damaged(entry: QueueEntry, what: str) -> QueueEntry:
    return msgspec.structs.replace(entry, damage=what)


def _unreadable(plan_id: str, what: str, since: datetime) -> QueueEntry:
    """Makes an entry for a plan whose body cannot be read; its empty digest can approve nothing."""
    return QueueEntry(
        id=plan_id,
        digest="",
        system="?",
        trigger="?",
        risk_tier=RiskTier.C,
        state=PlanState.STALE,
        made_at=since,
        simulated_clock=False,
        changes=0,
        targets=(),
        inputs=(),
        policy_sha256="",
        state_since=since,
        damage=what,
    )
