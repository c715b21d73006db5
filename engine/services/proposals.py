"""An agent's proposals: plans that only the operator can approve (decisions D53, D54)."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Literal

import msgspec

from engine.errors import Refused, UsageError
from engine.lifecycle.archive.places import archive_place, protection
from engine.plans.flags import foreign
from engine.plans.plan import OPEN_STATES, Append, Change, Create, Move, PlanState, QueueEntry, Replace, RiskTier
from engine.plans.planning import Draft
from engine.services.open_workspace import OpenWorkspace
from engine.services.plan_queue import PlanQueue
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import redact
from engine.workspace.foreign_text import is_served, place_problem, text_problem
from engine.workspace.layout import MEMORY_MD_CAP, is_guarded, is_memory_md
from engine.workspace.snapshot import FreeNames, Snapshot

LARGEST = 64 * 1024  # bytes of one proposal
LONGEST_REASON = 400  # characters of an agent's reason that are shown
_KINDS: dict[str, type[Create] | type[Append] | type[Replace]] = {
    "create": Create,
    "append": Append,
    "replace": Replace,
}
NoteAction = Literal["create", "append", "replace", "archive", "move"]
_PLACED = ("archive", "move")  # actions that leave a note's text as it is


class NoteProposal(msgspec.Struct, frozen=True, kw_only=True):
    """A proposed change of a note: create, append, replace, archive or move; `base` is its sha256 as read."""

    path: str
    action: str
    content: str
    reason: str
    base: str = ""
    to: str = ""  # the path that a note moves to


def safe_reason(reason: str) -> str:
    """Gives an agent's reason for display: one short line, without secrets."""
    return redact(visible_line(reason))[:LONGEST_REASON]


def checked_change(
    proposal: NoteProposal, snapshot: Snapshot, today: date, private: Sequence[str], agent: str
) -> Change:
    """Gives a proposal's change; `Refused` with the reason where the operator should not see it."""
    path = proposal.path
    if why := next(_problems(proposal, snapshot, private), ""):
        raise Refused(why, where=path[:200])
    reason = safe_reason(proposal.reason)
    tier = RiskTier.C if proposal.action == "replace" or is_guarded(path) else RiskTier.B
    match proposal.action:
        case "create" | "append" | "replace" as action:
            change = _KINDS[action](n=1, path=path, risk_tier=tier, reason=reason, content=proposal.content)
            return foreign(change, proposal.content, f"proposed by {agent}")
        case "archive":
            return _move(path, FreeNames(snapshot).free_path(archive_place(path, today)), tier, reason)
        case "move":
            return _move(path, proposal.to, RiskTier.C if is_guarded(proposal.to) else tier, reason)
        case other:
            raise UsageError("create, append, replace, archive or move", where=other[:40])


def _move(path: str, to: str, tier: RiskTier, reason: str) -> Move:
    return Move(n=1, path=path, to=to, risk_tier=tier, reason=reason)


def _problems(proposal: NoteProposal, snapshot: Snapshot, private: Sequence[str]) -> Iterator[str]:
    path, there = proposal.path, snapshot.files.get(proposal.path)
    if why := place_problem(path, private):
        yield why
        return
    if not proposal.reason.strip():
        yield "it needs a reason"
    if proposal.action == "create" and there is not None:
        yield "there is such a note: read it, then append or replace"
    if proposal.action != "create" and (there is None or proposal.base != there.sha256):
        yield "the note is not as you read it: read it again and send its sha256" if there else "there is no such note"
    if proposal.action in _PLACED:
        yield from _move_problems(proposal, snapshot, private)
    else:
        if not proposal.content.strip() or len(proposal.content.encode("utf-8", "surrogatepass")) > LARGEST:
            yield f"a proposal has 1 to {LARGEST:,} bytes of text"
        if why := text_problem(proposal.content):
            yield why
        yield from _too_long(proposal, there.lines if there is not None else 0)


def _move_problems(proposal: NoteProposal, snapshot: Snapshot, private: Sequence[str]) -> Iterator[str]:
    """Yields the reasons why a note cannot be moved or archived (decisions D7, G4)."""
    path, to = proposal.path, proposal.to
    text = snapshot.content(path).decode("utf-8", "replace")
    if kept := protection(path, snapshot.files[path].frontmatter, text):
        yield f"it stays where it is: {kept}"
    if proposal.action == "archive":
        if not archive_place(path, date.min):
            yield "it has no place in the archive"
        return
    if why := place_problem(to, private):
        yield f"the new place: {why}"
        return
    if FreeNames(snapshot).free_path(to) != to:
        yield "there is something at the new place"


def _too_long(proposal: NoteProposal, lines: int) -> Iterator[str]:
    """Yields a reason where MEMORY.md would grow above its cap (decision D23)."""
    if is_memory_md(proposal.path):
        after = proposal.content.count("\n") + (lines if proposal.action == "append" else 0)
        if after > MEMORY_MD_CAP and after > lines:
            yield f"MEMORY.md has {MEMORY_MD_CAP} lines at most: propose to replace something"


SYSTEM = "proposal"
MOST_WAITING = 50  # proposals of one agent that wait at a time (decision D54)
MOST_IN_ALL = 200  # proposals of all agents: a name is only what an agent says of itself
LONGEST_NAME = 40  # characters of the name that an agent gives itself
_WAITING = OPEN_STATES | {PlanState.STALE}  # a stale one still takes room


class WaitingProposal(msgspec.Struct, frozen=True):
    plan: str
    change: Change


class ProposalService:
    """Checks proposals and queues them. Approves nothing and changes no note."""

    def __init__(self, opened: OpenWorkspace, queue: PlanQueue) -> None:
        self._opened, self._queue = opened, queue

    def propose(self, proposal: NoteProposal, agent: str) -> QueueEntry:
        """Queues a proposal in place of an earlier one for the same note; `Refused` also if it was refused before."""
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
        """Gives an agent's proposals with their state, newest first."""
        self._queue.refresh()
        mine = f"proposed by {agent_name(agent)}"
        return tuple(entry for entry in reversed(self._entries()) if entry.trigger == mine)

    def waiting(self, agent: str) -> Mapping[str, WaitingProposal]:
        """Gives an agent's proposals that can still be approved, by the note's path."""
        queue = self._opened.queue
        mine = [entry for entry in self.of_agent(agent) if entry.state in OPEN_STATES]
        changes = [WaitingProposal(entry.id, queue.load(entry.id).changes[0]) for entry in mine]
        return {waiting.change.path: waiting for waiting in changes}

    def serves(self, path: str) -> bool:
        """Tells whether an agent's program may see a path."""
        return is_served(path, self._opened.policy.git.private)

    def served(self) -> Mapping[str, int]:
        """Gives the notes that a program may read: path and size in bytes."""
        with self._opened.lock:
            files = self._opened.fresh(look=True).files
            return {path: facts.size for path, facts in files.items() if self.serves(path)}

    def note(self, path: str) -> bytes:
        """Gives the bytes of a note that is served; `Refused` for others, `FileMissing` where it is gone."""
        if not self.serves(path):
            raise Refused("there is no such note", where=path[:200])
        return self._opened.root.read(path)

    def _entries(self) -> list[QueueEntry]:
        return [entry for entry in self._opened.queue.entries() if entry.system == SYSTEM and not entry.damage]

    def _check_room(self, name: str, path: str) -> None:
        """Raises `Refused` where too many proposals wait; one that replaces an earlier one is fine."""
        waiting = [entry for entry in self._entries() if entry.state in _WAITING and path not in entry.targets]
        mine = [queued for queued in waiting if queued.trigger == f"proposed by {name}"]
        if len(mine) >= MOST_WAITING or len(waiting) >= MOST_IN_ALL:
            many = f"{len(mine)} of yours" if len(mine) >= MOST_WAITING else f"{len(waiting)} proposals"
            raise Refused(f"{many} wait already", where=path, hint="wait until the operator looked")

    def _check_refused(self, change: Change) -> None:
        for entry in reversed(self._entries()):
            refused = entry.state is PlanState.REJECTED and change.path in entry.targets
            if refused and _word(self._opened.queue.load(entry.id).changes[0]) == _word(change):
                raise Refused(f"the operator refused it before: {entry.state_reason}", where=change.path)


def agent_name(text: str) -> str:
    """Gives an agent's name for display, short and safe."""
    return " ".join(visible_line(text).split())[:LONGEST_NAME] or "an agent"


def _word(change: Change) -> tuple[str, ...]:
    return type(change).__name__, change.path, getattr(change, "content", ""), getattr(change, "to", "")
