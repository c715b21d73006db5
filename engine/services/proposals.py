"""An agent's proposals: plans that it may make and that only the operator can approve (decisions D53, D54)."""

from collections.abc import Iterator

import msgspec

from engine.errors import Refused, UsageError
from engine.plans.draft import Draft
from engine.plans.guarded_paths import is_guarded
from engine.plans.plan import OPEN_STATES, Append, Change, Create, Plan, PlanState, QueueEntry, Replace, RiskTier
from engine.plans.planning import PlanRequest
from engine.services.open_workspace import OpenWorkspace
from engine.services.plan_queue import PlanQueue
from engine.services.planners import planning_of
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import find_secrets, redact
from engine.workspace.layout import is_closed_folder, is_note, is_raw_log, tier_of
from engine.workspace.memory_md import MEMORY_MD_CAP, MEMORY_MD_PATHS
from engine.workspace.paths import relative_path
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import MemoryTier

SYSTEM = "proposal"
MOST_WAITING = 50
"""Proposals of one agent that wait at a time (decision D54)."""
MOST_IN_ALL = 200
"""Proposals of all agents: a name is only what an agent says of itself."""
LARGEST = 64 * 1024
"""Bytes of one proposal."""
LONGEST_NAME = 40
LONGEST_REASON = 400
_WAITING = OPEN_STATES | {PlanState.STALE}
_MADE = ("memory/daily/", "memory/weekly/", "memory/monthly/")
_PRIVATE = frozenset({"private", "secrets"})
"""Names of folders of which nothing is given to an agent's program, at any depth."""


class NoteProposal(msgspec.Struct, frozen=True, kw_only=True):
    """A proposed change of one note. `action`: create, append or replace; `base` is the sha256 of the note as read."""

    path: str
    action: str
    content: str
    reason: str
    base: str = ""


class ProposalService:
    """Checks proposals when they come, and queues them. It approves nothing and changes no note."""

    def __init__(self, opened: OpenWorkspace, queue: PlanQueue) -> None:
        self._opened, self._queue = opened, queue

    def propose(self, proposal: NoteProposal, agent: str) -> QueueEntry:
        """Queues a proposal, in place of an earlier one for the same note; `Refused` with the reason.

        One that the operator refused comes back refused with that reason, unless it is another one.
        """
        name = agent_name(agent)
        with self._opened.lock:
            snapshot = self._opened.fresh(look=True)
            change = _checked(proposal, snapshot)
            self._check_room(name, proposal.path)
            self._check_refused(change)
            draft = Draft(planning_of(self._opened.parts, snapshot, PlanRequest()))
            draft.add(change)
            reason = redact(visible_line(proposal.reason))[:LONGEST_REASON]
            plan = draft.finish(
                SYSTEM,
                f"proposed by {name}",
                gates=(),
                report=f"{name} proposes: {reason}\n",
                facts={"proposed_by": name, "reason": reason},
            )
            made = self._queue.writable_plan(plan)
            return self._opened.parts.queue.entry(self._queue.file(made).id)

    def of_agent(self, agent: str) -> tuple[QueueEntry, ...]:
        """An agent's proposals with what became of them, newest first."""
        self._queue.refresh()
        mine = f"proposed by {agent_name(agent)}"
        return tuple(entry for entry in reversed(self._entries()) if entry.trigger == mine)

    def note(self, path: str) -> bytes:
        """The bytes of a note that is served; `Refused` for any other path and for what is not there."""
        if not is_served(path):
            raise Refused("there is no such note", where=path[:200])
        return self._opened.parts.root.read(path)

    def feedback(self, limit: int = 20) -> tuple[tuple[str, str], ...]:
        """The operator's last refusals: what was refused, and why; newest first."""
        entries = self._opened.parts.queue.entries()
        refused = [entry for entry in entries if entry.state is PlanState.REJECTED and entry.state_reason]
        refused.sort(key=lambda entry: entry.state_since, reverse=True)
        return tuple(
            (f"{entry.system}: {', '.join(filter(is_served, entry.targets)) or 'a note'}", entry.state_reason)
            for entry in refused[:limit]
        )

    def _entries(self) -> list[QueueEntry]:
        entries = self._opened.parts.queue.entries()
        return [entry for entry in entries if entry.system == SYSTEM and not entry.damage]

    def _check_room(self, name: str, path: str) -> None:
        """Refuses a further proposal where too many wait; one in place of an earlier one takes no room."""
        waiting = [one for one in self._entries() if one.state in _WAITING and path not in one.targets]
        mine = [one for one in waiting if one.trigger == f"proposed by {name}"]
        if len(mine) >= MOST_WAITING or len(waiting) >= MOST_IN_ALL:
            raise Refused(f"{len(waiting)} proposals wait already", where=path, hint="wait until the operator looked")

    def _check_refused(self, change: Change) -> None:
        for entry in reversed(self._entries()):
            refused = entry.state is PlanState.REJECTED and change.path in entry.targets
            if refused and _words(self._opened.parts.queue.load(entry.id)) == _word(change):
                raise Refused(f"the operator refused it before: {entry.state_reason}", where=change.path)


def is_served(path: str) -> bool:
    """Tells whether an agent's program may read a path: no private folder, no hidden one, no name that leaves."""
    *folders, name = path.split("/")
    try:
        inside = relative_path(path) == path
    except Refused:
        return False
    closed = any(is_closed_folder(one) or one.casefold() in _PRIVATE for one in folders)
    return inside and is_note(name) and not closed


def agent_name(text: str) -> str:
    """The name by which an agent is known here: safe to show, and short."""
    return " ".join(visible_line(text).split())[:LONGEST_NAME] or "an agent"


def _checked(proposal: NoteProposal, snapshot: Snapshot) -> Change:
    """The change that a proposal asks for; `Refused` with the reason where the operator should never see it."""
    path, data = proposal.path, proposal.content.encode("utf-8", "surrogatepass")
    why = next(_problems(proposal, snapshot, data), "")
    if why:
        raise Refused(why, where=path[:200])
    tier = RiskTier.C if proposal.action == "replace" or is_guarded(path) else RiskTier.B
    reason = redact(visible_line(proposal.reason))[:LONGEST_REASON]
    match proposal.action:
        case "create":
            return Create(n=1, path=path, risk_tier=tier, reason=reason, content=proposal.content)
        case "append":
            return Append(n=1, path=path, risk_tier=tier, reason=reason, content=proposal.content)
        case "replace":
            return Replace(n=1, path=path, risk_tier=tier, reason=reason, content=proposal.content)
        case other:
            raise UsageError("create, append or replace", where=other[:40])


def _problems(proposal: NoteProposal, snapshot: Snapshot, data: bytes) -> Iterator[str]:
    path, there = proposal.path, snapshot.files.get(proposal.path)
    if not is_served(path):
        yield "not a note that can be proposed"
        return
    if is_raw_log(path) or path.startswith("raw/"):
        yield "raw logs and transcripts are never changed"
    if path.startswith(_MADE) or path == "memory/ROOT.md":
        yield "memdeck makes this file from others"
    if tier_of(path) in (MemoryTier.EPISODIC, MemoryTier.SEMANTIC, MemoryTier.ARCHIVE):
        yield "memdeck writes this memory from working notes: propose a note under memory/working/"
    if not proposal.content.strip() or len(data) > LARGEST:
        yield f"a proposal has 1 to {LARGEST:,} bytes of text"
    if "\0" in proposal.content or any("\ud800" <= char <= "\udfff" for char in proposal.content):
        yield "it is not text"
    elif find_secrets(proposal.content):
        yield "it holds a secret"
    if not proposal.reason.strip():
        yield "it needs a reason"
    if proposal.action == "create" and there is not None:
        yield "there is such a note: read it, then append or replace"
    if proposal.action != "create" and (there is None or proposal.base != there.sha256):
        yield "the note is not as you read it: read it again and send its sha256" if there else "there is no such note"
    yield from _too_long(proposal, there.lines if there is not None else 0)


def _too_long(proposal: NoteProposal, lines: int) -> Iterator[str]:
    """MEMORY.md does not grow beyond its cap (decision D23)."""
    if proposal.path in MEMORY_MD_PATHS:
        after = proposal.content.count("\n") + (lines if proposal.action == "append" else 0)
        if after > MEMORY_MD_CAP and after > lines:
            yield f"MEMORY.md has {MEMORY_MD_CAP} lines at most: propose to replace something"


def _words(plan: Plan) -> tuple[str, str, str]:
    return _word(plan.changes[0])


def _word(change: Change) -> tuple[str, str, str]:
    return type(change).__name__, change.path, getattr(change, "content", "")
