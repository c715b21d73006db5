"""The things that applying needs: the workspace, the operator's records, the policy and the clocks."""

import fcntl
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import msgspec

from engine.errors import Cancelled, MemdeckError, Stale, remedy
from engine.plans.apply.folders import OpenFolders
from engine.plans.operation import ChainHead, Held, Operation
from engine.plans.plan import Plan
from engine.plans.policy.values import Policy
from engine.plans.queue import Queue
from engine.plans.records.audit import AuditLog
from engine.plans.records.displaced import DisplacedStore, HeldFiles
from engine.plans.records.operations import Operations
from engine.plans.sizes import FileSize
from engine.state.folder import StateFolder
from engine.state.workspace_lock import hold
from engine.text.canonical_json import sha256_hex
from engine.workspace.paths import MAX_KEPT, WorkspaceRoot
from engine.workspace.values import Progress, Tick

if TYPE_CHECKING:
    from engine.plans.apply.git_record import GitRecord


class CommitOutcome(msgspec.Struct, frozen=True):
    """A commit's id, or None and the problems. `owed`: the next apply or `recover` makes the commit."""

    commit: str | None
    problems: tuple[str, ...] = ()
    owed: bool = False


class Settled(msgspec.Struct, frozen=True):
    """The outcome of an owed commit: made, or still owed."""

    operation: str
    outcome: CommitOutcome


class Committer(Protocol):
    """Commits an operation in the workspace's git, where it has one (decision D22)."""

    def __call__(
        self, operation: Operation, paths: Sequence[str], head: ChainHead, tick: Tick | None = None
    ) -> CommitOutcome:
        """Commits exactly `paths` as the operation left them; for a committed operation, gives its commit."""


@dataclass(frozen=True)
class ApplyContext:
    """One workspace and the operator's records of it. `clock` gives the real time; `now` is the what-if time."""

    root: WorkspaceRoot
    state: StateFolder
    policy: Policy
    queue: Queue
    audit: AuditLog
    clock: Callable[[], datetime]
    commit: Committer | None = None
    settler: "GitRecord | None" = None  # knows what git still lacks of the operations, and sees to it (decision D22)
    tag_before: Callable[[str], str] | None = None
    """Tags HEAD before a change of tier C; gives the reason if it could not, empty if it did."""
    prepare: Callable[[Plan, Sequence[int]], None] | None = None
    """Prepares what the numbered changes need; nothing is written where it raises."""
    measure: Callable[[Plan, Sequence[int], Callable[[str], bytes]], tuple[FileSize, ...]] | None = None
    """Measures the lasting files before and after the numbered changes, for the audit record."""
    now: datetime | None = None
    wait: float = 2.0  # seconds to wait for another memdeck that is changing this workspace
    policy_now: Callable[[], Policy] | None = None  # reads the operator's policy again; None: it cannot change

    def check_policy(self) -> None:
        """Raises `Stale` where the policy changed since the workspace was opened (decision G17)."""
        if self.policy_now is None:
            return
        hint = "open memdeck again, then plan again"
        try:
            now = self.policy_now()
        except MemdeckError as error:
            raise Stale(f"the policy changed meanwhile, and cannot be used: {error.line()}", hint=hint) from error
        if now.sha256 != self.policy.sha256:
            raise Stale("the policy changed meanwhile; nothing was written", where="the operator's policy", hint=hint)

    def hold(self, purpose: str) -> AbstractContextManager[None]:
        """Waits for the state's lock and holds it for a purpose."""
        return hold(self.state, now=self.clock(), purpose=purpose, wait=self.wait)

    @cached_property
    def operations(self) -> Operations:
        return Operations(self.state.operations)

    @cached_property
    def displaced(self) -> DisplacedStore:
        return DisplacedStore(self.state.displaced)

    @cached_property
    def held(self) -> HeldFiles:
        return HeldFiles(self.state)


def reason(error: BaseException) -> str:
    """Describes an error in a few words: memdeck's own message, or the system's with the file's name."""
    if isinstance(error, MemdeckError):
        return error.line()
    if isinstance(error, OSError):
        name = error.filename2 or error.filename
        said = error.strerror or str(error)
        return f"{name}: {said}" if name else said
    return "interrupted"


@contextmanager
def system_errors(doing: str) -> Iterator[None]:
    """Converts an error of the system into memdeck's; `recover` finishes an operation that it interrupted."""
    try:
        yield
    except OSError as error:
        hint = remedy(error, "memdeck recover, then try again")
        raise MemdeckError(f"{doing} failed: {reason(error)}", hint=hint) from error


def unstoppable(tick: Tick | None) -> Tick:
    """Gives a `tick` for work that can no longer be cancelled: it reports so, and ignores a cancel."""

    def told(progress: Progress) -> None:
        if tick is None:
            return
        try:
            tick(msgspec.structs.replace(progress, stoppable=False))
        except Cancelled:
            return

    return told


def let_go(ctx: ApplyContext, ground: OpenFolders, now: datetime) -> None:
    """Removes held files whose time is over, unless late bytes are in them or they are open; ignores errors."""
    with suppress(OSError, MemdeckError):
        for operation_id, held in ctx.held.entries().items():
            over = [file for file in held if file.until <= now and _settled(ctx, file)]
            if not over:
                continue
            ctx.displaced.flush()
            for file in over:
                ground.drop_held(file.place)
            if left := tuple(file for file in held if file not in over):
                ctx.held.record(operation_id, left)
            else:
                ctx.held.forget(operation_id)
        ground.sync()
        ground.tidy()


def _settled(ctx: ApplyContext, held: Held) -> bool:
    """Tells whether the store has all bytes of the held file and nobody can add more; True for a file that is gone."""
    try:
        fd = os.open(held.place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    with os.fdopen(fd, "rb") as file:
        if _open_elsewhere(fd):
            return False
        # Read after the test: with nobody else's descriptor left, what is read is what stays.
        data = file.read(MAX_KEPT + 1)
    if sha256_hex(data) != held.sha256:
        return False
    ctx.displaced.put(data)
    return True


def _open_elsewhere(fd: int) -> bool:
    """Tells whether another process has the file open, for which the kernel refuses a lease; False without leases."""
    if not hasattr(fcntl, "F_SETLEASE"):
        return False
    try:
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
