"""A small workspace under the real engine, its queue filled with plans made by hand."""

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Self

import msgspec

from engine.plans.memory_status import Status
from engine.plans.operation import Approval, Operation
from engine.plans.plan import Append, Change, Create, Input, Move, Plan, PlanState, QueueEntry
from engine.plans.planning import PlanOutcome
from engine.services.engine import Engine
from engine.text.canonical_json import sha256_hex
from tests.stub import Stub
from tests.values import NOW, a_status, append_plan, compaction, diff_of, entry_of, tree_plan
from tui.bridge.engine_source import Opening

NOTE = "".join(f"source line {number}\n" for number in range(1, 41))
SHARD = "".join(f"line {number} of what is there\n" for number in range(1, 11))
COMPACT = ("compact", "working → episodic → semantic, originals to the archive")


class Prepared:
    """The engine on a folder of its own. What plans by hand name is there as they suppose it."""

    def __init__(self, base: Path | None = None, *, read_only: bool = False, now: datetime = NOW) -> None:
        """`base` is the home of who runs it; the test's own home where it is not given."""
        home = base if base is not None else Path.home()
        self.folder = _free(home / "agents")
        self.folder.mkdir(parents=True)
        self.clock = now
        state = f"{self.folder}-state"
        self.env: Mapping[str, str] = {**os.environ, "XDG_STATE_HOME": state, "XDG_CONFIG_HOME": f"{state}/config"}
        self.engine = Engine.open(self.folder, env=self.env, clock=lambda: self.clock, read_only=read_only)
        self.stub = Stub(self.engine)

    def write(self, path: str, text: str) -> Self:
        """The agent writes a file."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8", "surrogateescape", newline="")
        return self

    def add(self, plan: Plan) -> Plan:
        """Queues the plan under its own id, bound to this folder, these bytes and this policy."""
        for change in plan.changes:
            self._found(change)
        parts = self.engine._opened
        read = {item.path for item in plan.inputs} | {path for change in plan.changes for path in _paths(change)}
        bound = msgspec.structs.replace(
            plan,
            workspace=parts.root.identity,
            policy_sha256=parts.policy.sha256,
            inputs=tuple(Input(path, self._sha256(path)) for path in sorted(read)),
        )
        parts.queue._next_id = lambda *_: plan.id  # type: ignore[method-assign]
        try:
            return parts.queue.put(bound, plan.made_at)
        finally:
            del parts.queue._next_id

    def set_state(self, plan_id: str, state: PlanState, reason: str = "", operation: str | None = None) -> QueueEntry:
        """Moves a plan, as another process would."""
        return self.engine._opened.queue.set_state(plan_id, state, reason, self.clock, operation)

    def plan(self, plan_id: str) -> Plan:
        return self.engine._opened.queue.load(plan_id)

    def entry(self, plan_id: str) -> QueueEntry:
        return next(entry for entry in self.engine.plans.queue() if entry.id == plan_id)

    def plans_next(self, plan: Plan) -> None:
        """The next dry run of the console, of the one system that it then knows, leads to this plan."""
        self.stub.gives("plans.systems", (COMPACT,))
        self.stub.answers("plans.make", lambda *_: PlanOutcome(plan=self.add(plan)))

    @property
    def opening(self) -> Opening:
        """How a console comes to it."""
        return Opening(self.folder, lambda: self.engine)

    @property
    def operations(self) -> tuple[Operation, ...]:
        """What was carried out, oldest first."""
        return self.engine.history.operations()[::-1]

    @property
    def approvals(self) -> tuple[Approval, ...]:
        """To what a person said yes, oldest first."""
        return tuple(operation.approval for operation in self.operations if operation.approval is not None)

    def _found(self, change: Change) -> None:
        """Writes the file that a change supposes, where there is none."""
        if not isinstance(change, Create) and not (self.folder / change.path).exists():
            is_old = NOTE if isinstance(change, Move) else "- what was there\n"
            self.write(change.path, SHARD if isinstance(change, Append) else is_old)

    def _sha256(self, path: str) -> str | None:
        file = self.folder / path
        return sha256_hex(file.read_bytes()) if file.is_file() else None


def prepared(plans: Sequence[Plan] = ()) -> Prepared:
    """A workspace whose queue holds these plans."""
    made = Prepared()
    for plan in plans:
        made.add(plan)
    return made


class Told(Prepared):
    """A prepared workspace whose looks find the figures that a test tells: `status` is what they give."""

    def __init__(
        self,
        plans: Sequence[Plan] = (),
        status: Status | None = None,
        base: Path | None = None,
        *,
        read_only: bool = False,
    ) -> None:
        super().__init__(base, read_only=read_only)
        for plan in plans:
            self.add(plan)
        self.status = status if status is not None else a_status()
        self.stub.answers("status.read", lambda *_, **__: self.status)
        self.stub.answers("status.changed", lambda *_: self.status)
        self.stub.gives("plans.systems", (COMPACT,))

    def queue_of(self, plans: Sequence[Plan], entries: Sequence[QueueEntry] = ()) -> None:
        """From now on these plans wait, though no folder could hold their files; `entries` where not all just wait."""
        known, queue = {plan.id: plan for plan in plans}, self.engine._opened.queue
        waiting = {entry.id: entry for entry in entries or map(entry_of, plans)}
        queue.load = lambda plan_id: known[plan_id]  # type: ignore[method-assign]
        queue.entry = lambda plan_id: waiting[plan_id]  # type: ignore[method-assign]
        self.stub.gives("plans.queue", tuple(waiting.values()))
        self.stub.answers("plans.diffs", lambda plan: tuple(map(diff_of, plan.changes)))


def told() -> Told:
    """One plan of each risk tier, A, C and B, under the figures of the first sketch of SCREENS.md."""
    return Told([tree_plan(3), append_plan(2), compaction(1)])


def _free(folder: Path) -> Path:
    """A folder called as the agent is, of which there may be several in one test."""
    number = 0
    while (found := folder / (str(number) if number else "") / "silas").exists():
        number += 1
    return found


def _paths(change: Change) -> tuple[str, ...]:
    return (change.path, change.to) if isinstance(change, Move) else (change.path,)


def three_plans() -> Prepared:
    """One plan of each risk tier, B, C and A, and three limits that are crossed."""
    made = prepared([compaction(1), append_plan(2), tree_plan(3)])
    made.write("memory/working/2026-03-13-deploy.md", NOTE)
    made.write("memory/semantic/whatsapp-bot.md", "lesson " * 1046)
    return made
