"""A workspace with the operator's side of it, for every test of the executor."""

import os
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from engine.plans.apply.context import ApplyContext, Committer
from engine.plans.apply.entry import apply
from engine.plans.apply.git_record import GitRecord
from engine.plans.apply.undo import reversal, undo
from engine.plans.operation import LIFETIME, Approval, ConfirmationAnswer, Operation, Reversal, Witness
from engine.plans.plan import Append, Change, Create, Input, Move, Plan, Replace, RiskTier
from engine.plans.policy.values import Policy
from engine.plans.queue import Queue
from engine.plans.records.audit import AuditLog
from engine.state.folder import StateFolder
from engine.text.canonical_json import sha256_hex
from engine.workspace.paths import WorkspaceRoot

START = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)


@dataclass
class Clock:
    """Real time in tests: one second passes at every look."""

    at: datetime = START

    def __call__(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at


@dataclass
class Rig:
    """A workspace folder, its state folder and all that applies to them."""

    folder: Path
    home: Path
    policy: Policy = field(default_factory=Policy)
    commit: Committer | None = None
    clock: Clock = field(default_factory=Clock)
    wait: float = 0.2
    nonces: int = 0

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True, parents=True)
        self.ctx = self.open()

    def open(self) -> ApplyContext:
        """A fresh context, as a new process would have it."""
        root = WorkspaceRoot.open(self.folder)
        weakref.finalize(root, os.close, root.fd)  # campaigns open thousands
        state = StateFolder.locate(root.identity, self.home)
        return ApplyContext(
            root=root,
            state=state,
            policy=self.policy,
            queue=Queue(state.queue),
            audit=AuditLog(state.audit),
            clock=self.clock,
            commit=self.commit,
            wait=self.wait,
        )

    def write(self, path: str, text: str | bytes) -> None:
        """The agent writes a file."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)

    def read(self, path: str) -> bytes:
        return (self.folder / path).read_bytes()

    def tree(self) -> dict[str, bytes | None]:
        """Every file's bytes by path, and every folder."""
        return tree(self.folder)

    def plan(self, *changes: Change, **more: Any) -> Plan:
        """Queues a plan with these changes, its inputs as they are now."""
        return self.ctx.queue.put(self.unqueued(*changes, **more), self.clock())

    def unqueued(self, *changes: Change, **more: Any) -> Plan:
        paths = {path for change in changes for path in (change.path, getattr(change, "to", change.path))}
        plan = Plan(
            system="compact",
            trigger="working_files",
            workspace=self.ctx.root.identity,
            now=START,
            zone="UTC",
            simulated_clock=False,
            made_at=self.clock(),
            policy_sha256=self.policy.sha256,
            tokenizer="o200k_base",
            inputs=tuple(Input(path, self.sha256(path)) for path in sorted(paths)),
            changes=changes,
        )
        return msgspec.structs.replace(plan, **more)

    def sha256(self, path: str) -> str | None:
        file = self.folder / path
        return sha256_hex(file.read_bytes()) if file.is_file() else None

    def approve(self, plan: Plan, numbers: Sequence[int] = (), answers: Mapping[str, str] | None = None) -> Approval:
        chosen = tuple(numbers) or tuple(change.n for change in plan.changes)
        return self.approval(plan.digest, chosen, plan.tier_of(chosen), answers or {})

    def approve_undo(self, what: Reversal) -> Approval:
        return self.approval(what.digest, what.numbers, what.risk_tier, {})

    def approval(self, target: str, numbers: tuple[int, ...], tier: RiskTier, answers: Mapping[str, str]) -> Approval:
        now = self.clock()
        self.nonces += 1
        return Approval(
            target=target,
            numbers=numbers,
            risk_tier=tier,
            answers=tuple(ConfirmationAnswer(name, reason) for name, reason in answers.items()),
            witness=Witness("/dev/pts/0", ("pytest(1)",), "tester", "terminal"),
            granted_at=now,
            expires_at=now + LIFETIME,
            nonce=f"nonce-{os.getpid()}-{self.nonces}-{now.timestamp()}",
        )

    def apply(self, *changes: Change, numbers: Sequence[int] = ()) -> Operation:
        """Plans, approves and applies at once."""
        plan = self.plan(*changes)
        return apply(self.ctx, plan, self.approve(plan, numbers))

    def undo(self, op_id: str | None = None) -> Operation:
        what = reversal(self.ctx, op_id)
        return undo(self.ctx, what, self.approve_undo(what))

    def with_git(self) -> None:
        """Commits go to the repository of the workspace, and what git could not take is made later."""
        ctx, env = self.ctx, os.environ
        record = GitRecord(ctx.root, policy=self.policy, state=ctx.state, audit=ctx.audit, clock=self.clock, env=env)
        self.with_ctx(commit=record, settler=record)

    def with_ctx(self, **changes: object) -> ApplyContext:
        self.ctx = replace(self.ctx, **changes)  # type: ignore[arg-type]
        return self.ctx


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every file's bytes by path (of a link, where it points), and every folder as None."""
    found: dict[str, bytes | None] = {}
    for file in sorted(folder.rglob("*")):
        name = str(file.relative_to(folder))
        if file.is_symlink():
            found[name] = os.fsencode(file.readlink())
        else:
            found[name] = file.read_bytes() if file.is_file() else None
    return found


def create(n: int, path: str, content: str, **more: object) -> Create:
    return Create(n=n, path=path, risk_tier=RiskTier.B, reason="test", content=content, **more)  # type: ignore[arg-type]


def append(n: int, path: str, content: str, **more: object) -> Append:
    return Append(n=n, path=path, risk_tier=RiskTier.B, reason="test", content=content, **more)  # type: ignore[arg-type]


def overwrite(n: int, path: str, content: str, **more: object) -> Replace:
    return Replace(n=n, path=path, risk_tier=RiskTier.C, reason="test", content=content, **more)  # type: ignore[arg-type]


def move(n: int, path: str, to: str, **more: object) -> Move:
    return Move(n=n, path=path, to=to, risk_tier=RiskTier.B, reason="test", **more)  # type: ignore[arg-type]
