"""An agent's proposals: plans that it may make and that only the operator can approve (decisions D53, D54)."""

from collections.abc import Mapping

import msgspec

from engine.errors import Refused
from engine.plans.plan import OPEN_STATES, Change, PlanState, QueueEntry
from engine.plans.planning import Draft
from engine.services.note_proposal import NoteProposal, checked_change, safe_reason
from engine.services.open_workspace import OpenWorkspace
from engine.services.plan_queue import PlanQueue
from engine.text.safe_text import visible_line
from engine.workspace.foreign_text import is_served

SYSTEM = "proposal"
MOST_WAITING = 50  # proposals of one agent that wait at a time (decision D54)
MOST_IN_ALL = 200  # proposals of all agents: a name is only what an agent says of itself
LONGEST_NAME = 40  # characters of the name that an agent gives itself
_WAITING = OPEN_STATES | {PlanState.STALE}


class WaitingProposal(msgspec.Struct, frozen=True):
    """A proposal that the operator has not decided yet: its plan, and the change it asks for."""

    plan: str
    change: Change


class ProposalService:
    """Checks proposals when they come, and queues them. It approves nothing and changes no note."""

    def __init__(self, opened: OpenWorkspace, queue: PlanQueue) -> None:
        self._opened, self._queue = opened, queue

    def propose(self, proposal: NoteProposal, agent: str) -> QueueEntry:
        """Queues a proposal, in place of an earlier one for the same note; `Refused` with the reason. One that the
        operator refused comes back refused with that reason, unless it is another one."""
        name = agent_name(agent)
        with self._opened.lock:
            snapshot = self._opened.fresh(look=True)
            planning = self._opened.planning(snapshot)
            change = checked_change(proposal, snapshot, planning.today, self._opened.policy.git.private, name)
            self._check_room(name, proposal.path)
            self._check_refused(change)
            draft = Draft(planning)
            draft.add(change)
            reason = safe_reason(proposal.reason)
            plan = draft.finish(
                SYSTEM,
                f"proposed by {name}",
                gates=(),
                report=f"{name} proposes: {reason}\n",
                facts={"proposed_by": name, "reason": reason},
            )
            made = self._queue.writable_plan(plan)
            return self._opened.queue.entry(self._queue.file(made, unattended=True).id)

    def of_agent(self, agent: str) -> tuple[QueueEntry, ...]:
        """An agent's proposals with what became of them, newest first."""
        self._queue.refresh()
        mine = f"proposed by {agent_name(agent)}"
        return tuple(entry for entry in reversed(self._entries()) if entry.trigger == mine)

    def waiting(self, agent: str) -> Mapping[str, WaitingProposal]:
        """The change of each note that an agent proposed and that can still be approved as it is, by its path."""
        queue = self._opened.queue
        mine = [entry for entry in self.of_agent(agent) if entry.state in OPEN_STATES]
        changes = [WaitingProposal(entry.id, queue.load(entry.id).changes[0]) for entry in mine]
        return {waiting.change.path: waiting for waiting in changes}

    def serves(self, path: str) -> bool:
        """Tells whether an agent's program may see a path at all."""
        return is_served(path, self._opened.policy.git.private)

    def served(self) -> Mapping[str, int]:
        """The notes that a program may read, by their paths, each with its size in bytes."""
        with self._opened.lock:
            files = self._opened.fresh(look=True).files
            return {path: facts.size for path, facts in files.items() if self.serves(path)}

    def note(self, path: str) -> bytes:
        """The bytes of a note that is served; `Refused` for any other path and for what is not there."""
        if not self.serves(path):
            raise Refused("there is no such note", where=path[:200])
        return self._opened.root.read(path)

    def _entries(self) -> list[QueueEntry]:
        entries = self._opened.queue.entries()
        return [entry for entry in entries if entry.system == SYSTEM and not entry.damage]

    def _check_room(self, name: str, path: str) -> None:
        """Refuses a further proposal where too many wait; one in place of an earlier one takes no room."""
        waiting = [entry for entry in self._entries() if entry.state in _WAITING and path not in entry.targets]
        mine = [one for one in waiting if one.trigger == f"proposed by {name}"]
        if len(mine) >= MOST_WAITING or len(waiting) >= MOST_IN_ALL:
            many = f"{len(mine)} of yours" if len(mine) >= MOST_WAITING else f"{len(waiting)} proposals"
            raise Refused(f"{many} wait already", where=path, hint="wait until the operator looked")

    def _check_refused(self, change: Change) -> None:
        for entry in reversed(self._entries()):
            refused = entry.state is PlanState.REJECTED and change.path in entry.targets
            if refused and _word(self._opened.queue.load(entry.id).changes[0]) == _word(change):
                raise Refused(f"the operator refused it before: {entry.state_reason}", where=change.path)


def agent_name(text: str) -> str:
    """The name by which an agent is known here: safe to show, and short."""
    return " ".join(visible_line(text).split())[:LONGEST_NAME] or "an agent"


def _word(change: Change) -> tuple[str, ...]:
    return type(change).__name__, change.path, getattr(change, "content", ""), getattr(change, "to", "")
