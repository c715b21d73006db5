"""Checks an approval and the workspace before anything is written."""

import stat
from collections.abc import Mapping

from engine.errors import Blocked, Refused, Stale
from engine.plans.apply.context import ApplyContext
from engine.plans.operation import LIFETIME, Approval, Effect, Rename, Write
from engine.plans.plan import Input, Plan, RiskTier
from engine.plans.policy.rules import may_run_by_itself
from engine.text.canonical_json import sha256_hex
from engine.text.document import is_locked
from engine.workspace.layout import lies_in
from engine.workspace.paths import MAX_KEPT, FileMissing, too_large
from engine.workspace.values import Tick, steps


def check_approval(
    ctx: ApplyContext, approval: Approval, *, target: str, numbers: tuple[int, ...], tier: RiskTier
) -> None:
    """Raises `Refused` unless this approval covers exactly these changes, has not expired and was never used (G11)."""
    now = ctx.clock()
    # The digest covers changes, inputs, policy and folder (decision G17): another plan of the same id has another.
    if approval.target != target:
        raise Refused("the approval is for something else", hint="look at the diff and approve again")
    if approval.numbers != numbers:
        raise Refused("the approval names other changes", hint="look at the diff and approve again")
    if approval.risk_tier is not tier:
        raise Refused(f"the approval is for risk tier {approval.risk_tier.value}, this is {tier.value}")
    # A clock that was set back would lengthen the ten minutes.
    if now < approval.granted_at:
        raise Refused("the clock went back since the approval", hint="look at the diff and approve again")
    # The instant that the approval names may only be earlier than ours, never later.
    if now >= min(approval.expires_at, approval.granted_at + LIFETIME):
        raise Refused("the approval has expired", hint="look at the diff and approve again")
    # Looked up in the audit log, which all processes share: an approval is used once (decision G11).
    if not approval.nonce or approval.nonce in ctx.audit.spent_nonces():
        raise Refused("the approval was used already", hint="look at the diff and approve again")


def check_plan(ctx: ApplyContext, plan: Plan, approval: Approval | None, numbers: tuple[int, ...]) -> None:
    """Raises `Refused` or `Stale` where plan, approval, policy, clock and workspace do not match."""
    _check_numbers(plan, numbers)
    _check_clock(ctx, plan)
    if plan.workspace != ctx.root.identity:
        raise Stale("the plan was made for another folder", where=plan.workspace.path, hint="plan again")
    # The folder that is open may have been moved away, and another put in its place.
    ctx.root.verify()
    ctx.check_policy()
    if plan.policy_sha256 != ctx.policy.sha256:
        raise Stale("the policy changed since the plan was made", where=plan.id, hint="plan again")
    # Before the approval: no yes opens a gate.
    for gate in plan.gates:
        if not gate.passed:
            raise Blocked(f"the plan check {gate.id} did not pass: {gate.detail}", where=plan.id, hint="plan again")
    if approval is not None:
        check_approval(ctx, approval, target=plan.digest, numbers=numbers, tier=plan.tier_of(numbers))
        _check_answers(plan, approval)
    # Of its own accord a plan runs whole or not at all: nobody chose a part of it.
    elif not may_run_by_itself(plan, ctx.policy) or len(numbers) != len(plan.changes):
        raise Refused("nobody approved it", where=plan.id, hint="approve it in the console or with memdeck apply")


def _check_numbers(plan: Plan, numbers: tuple[int, ...]) -> None:
    known = {change.n for change in plan.changes}
    if not numbers or len(set(numbers)) != len(numbers) or not known.issuperset(numbers):
        raise Refused("the plan has no such changes", where=plan.id)
    for n, lacking in plan.missing_requirements(numbers).items():
        raise Refused(f"change {n} needs change {', '.join(map(str, lacking))}", where=plan.id, hint="choose both")


def _check_clock(ctx: ApplyContext, plan: Plan) -> None:
    """Refuses a plan of another what-if clock (decision G18)."""
    # Its ages, bands and dates were worked out for another day.
    if plan.simulated_clock and ctx.now != plan.now:
        hint = f"--now {plan.now.isoformat()}"
        raise Refused("the plan was made under a what-if clock", where=plan.id, hint=hint)


def _check_answers(plan: Plan, approval: Approval) -> None:
    answered = {answer.id for answer in approval.answers if answer.reason.strip()}
    for confirmation in plan.confirmations_of(approval.numbers):
        if confirmation.id not in answered:
            raise Refused(f"not confirmed: {confirmation.question}", where=plan.id, hint="answer it with a reason")


def read_inputs(ctx: ApplyContext, plan: Plan, tick: Tick | None) -> dict[str, bytes]:
    """Gives the bytes of every input; `Stale` names the inputs that changed since the plan was made (decision G10)."""
    read: dict[str, bytes] = {}
    changed: list[str] = []
    for item in steps(plan.inputs, "checking", tick):
        data = _read(ctx, item)
        if data is None or (item.sha256 is not None and sha256_hex(data) != item.sha256):
            changed.append(item.path)
        elif item.sha256 is not None:
            read[item.path] = data
    if changed:
        raise stale(changed)
    return read


def _read(ctx: ApplyContext, item: Input) -> bytes | None:
    """Gives the input's bytes, empty for one that should be missing; None where it changed."""
    if item.sha256 is None:
        return b"" if ctx.root.lstat(item.path) is None else None
    try:
        return ctx.root.read(item.path, MAX_KEPT)
    except FileMissing:
        return None
    except Refused:
        there = ctx.root.lstat(item.path)
        if there is not None and stat.S_ISREG(there.st_mode) and there.st_size <= MAX_KEPT:
            raise  # it cannot be read, which is no change of it
        return None


def check_private(effects: tuple[Effect, ...], inputs: Mapping[str, bytes], private: tuple[str, ...]) -> None:
    """Raises `Refused` for a write to a file locked by git-crypt, and for a move out of the private folders (D22)."""
    for effect in effects:
        match effect:
            case Write(path=path) if is_locked(inputs.get(path, b"")):
                raise Refused("it is locked by git-crypt", where=path, hint="git-crypt unlock, then plan again")
            case Rename(path=path, to=to) if lies_in(path, private) and not lies_in(to, private):
                hint = "name the folder it goes to in the policy's git.private"
                raise Refused(f"it is private, and {to} is committed in clear", where=path, hint=hint)
            case _:
                continue


def check_room(ctx: ApplyContext, effects: tuple[Effect, ...]) -> None:
    """Raises `Stale` where a place that an effect needs is taken."""
    wanted = [effect.to for effect in effects if isinstance(effect, Rename)]
    wanted += [effect.path for effect in effects if isinstance(effect, Write) and effect.before is None]
    if taken := [path for path in wanted if ctx.root.lstat(path) is not None]:
        raise stale(taken)


def check_sizes(contents: Mapping[str, bytes]) -> None:
    """Raises `Blocked` where a file would be too large to be read for an undo."""
    for data in contents.values():
        if len(data) > MAX_KEPT:
            raise Blocked(f"a file would become {too_large(MAX_KEPT)}", hint="plan smaller changes")


def stale(paths: list[str]) -> Stale:
    """Gives the error that names the changed files."""
    return Stale("changed since the plan was made; nothing was written", where=", ".join(paths), hint="plan again")
