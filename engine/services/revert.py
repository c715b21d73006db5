"""Reverting changes for the front ends: the agent's since the last look, a commit's, a session's, or back to a date."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from engine.errors import Refused, UsageError
from engine.history.repository import NoRepository
from engine.history.repository_history import blobs, commit_named, steps_in
from engine.lifecycle.consolidation.entry_reversal import take_entries_back
from engine.monitoring.recall.blame import OriginKind
from engine.monitoring.revert.plan import RevertSide, plan_edit, plan_revert, sides_of_edits
from engine.plans.diff import FileDiff, file_diff
from engine.plans.line_hunks import hunks_between, lines_of
from engine.plans.planning import PlanOutcome
from engine.search.naming import safe_name
from engine.services.alarms import AlarmService
from engine.services.changes import ChangeService
from engine.services.consolidations import ConsolidationItem, ConsolidationService
from engine.services.open_workspace import OpenWorkspace
from engine.services.plan_queue import PlanQueue
from engine.services.planner import with_links_along
from engine.services.recall import RecallService
from engine.sessions.written_files import FileEdit
from engine.text.document import exact_text, is_locked
from engine.workspace.layout import is_note
from engine.workspace.values import Tick

if TYPE_CHECKING:
    from engine.services.sessions import SessionService

_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_HUNKS = re.compile(r"(?P<target>.+?)(?P<hunks>(?:#\d{1,6})+)\Z", re.DOTALL)


class Revertible(msgspec.Struct, frozen=True):
    """A note's change that can be reverted. Its hunks are numbered from 1."""

    target: str
    path: str
    told: str
    diff: FileDiff


class RevertService:
    """Plans reverts and the operator's edits. Notes change only when a plan is applied."""

    def __init__(
        self,
        opened: OpenWorkspace,
        queue: PlanQueue,
        recall: RecallService,
        changes: ChangeService,
        sessions: "SessionService",
        alarms: AlarmService,
        consolidations: ConsolidationService,
    ) -> None:
        self._opened, self._queue, self._recall, self._changes = opened, queue, recall, changes
        self._sessions, self._alarms, self._consolidations = sessions, alarms, consolidations

    def plan(self, targets: Sequence[str]) -> PlanOutcome:
        """Queues a revert of `PATH@DATE`, a commit or `session:ID`. `Refused` on overlap; `UsageError` if unknown."""
        with self._opened.lock:
            self._opened.fresh(look=True)
            return self.plan_sides([side for target in targets for side in self._sides(target)])

    def plan_sides(self, sides: Sequence[RevertSide]) -> PlanOutcome:
        """Queues a revert of these changes, for each note the newest first."""
        with self._opened.lock:
            opened, snapshot = self._opened, self._opened.fresh(look=True)
            present = {side.path: opened.root.read_or_none(side.path) for side in sides}
            outcome = plan_revert(opened.planning(snapshot), sides, present, self._is_agents)
            return self._queue.submit(with_links_along(snapshot, outcome))

    def consolidation(self, name: str, entries: Sequence[int] = ()) -> PlanOutcome:
        """Queues a revert of a consolidation or of its entries. `Refused` on overlap; `UsageError` if unknown."""
        item = self._consolidations.load(name, look=True)
        outcome = self.plan_sides(list(_entry_sides(item, entries) if entries else _whole_sides(item)))
        if outcome.plan is not None:
            self._consolidations.planned(item.consolidation.id, outcome.plan.id, whole=not entries)
        return outcome

    def text_to_edit(self, path: str) -> bytes:
        """Reads a note for an editor; `Refused` where no plan could write it: missing, outside (D32), not UTF-8."""
        root = self._opened.root
        if root.is_outside(path):
            raise Refused("a transcript outside the workspace is only read (D32)", where=safe_name(path))
        if (data := root.read_or_none(path)) is None:
            raise Refused("there is no such note any more", where=safe_name(path))
        exact_text(safe_name(path), data)
        return data

    def edit(self, path: str, read: bytes, written: bytes, tick: Tick | None = None) -> PlanOutcome:
        """Queues a plan that replaces a note's bytes `read` by the operator's `written` ones."""
        from engine.lifecycle.forget.tombstones import load_tombstones

        with self._opened.lock:
            planning, present = self._opened.planning(self._opened.fresh(look=True)), self.text_to_edit(path)
            stones = load_tombstones(self._opened.state.path)
            before, after = (stones.count(text.decode("utf-8", "replace")) for text in (read, written))
            told = ("it says again what was forgotten",) if after > before else ()
            return self._queue.submit(plan_edit(planning, path, read, written, present, told), tick)

    def offered(self, targets: Sequence[str] = ()) -> tuple[Revertible, ...]:
        """Gives what each target would revert, with its hunks; by default the agent's changes since the last look."""
        asked = targets or tuple(dict.fromkeys(change.path for change in self._changes.since_looked(look=True).changes))
        return tuple(
            Revertible(target, side.path, side.told, file_diff(side.path, side.before, side.after))
            for target, side in [(target, side) for target in asked for side in self._sides(target)]
        )

    def _sides(self, target: str) -> list[RevertSide]:
        found = _HUNKS.fullmatch(target)
        hunks = tuple(int(number) for number in found["hunks"][1:].split("#")) if found else ()
        if not (sides := list(self._found(found["target"] if found else target))):
            raise UsageError(
                "nothing is known of such a change", where=target, hint="memdeck revert lists what there is"
            )
        locked = next((one.path for one in sides if is_locked(one.before or b"") or is_locked(one.after or b"")), None)
        if locked is not None:
            what = "git has it encrypted, and a plan would write that"
            raise Refused(what, where=locked, hint="git checkout COMMIT -- PATH decrypts an old version")
        if hunks and len(sides) > 1:
            raise UsageError("hunks are of one note", where=target, hint="name the commit's note: COMMIT:PATH#N")
        if hunks:
            _check(sides[0], hunks, target)
        return [msgspec.structs.replace(side, hunks=hunks) for side in sides]

    def _found(self, target: str) -> Iterator[RevertSide]:
        if target.startswith("o-"):
            raise UsageError("an operation is undone as a whole", where=target, hint=f"memdeck undo {target}")
        if target.startswith("session:"):
            yield from self._of_session(target.removeprefix("session:"))
        elif _COMMIT.fullmatch(target.partition(":")[0]):
            commit, _, path = target.partition(":")
            yield from self._of_commit(commit, path)
        elif "@" in target and is_note(target.partition("@")[0]):
            yield self._until(*target.split("@", 1))
        else:
            commit, _, path = target.partition(":")
            # A note first: a tag may have a note's name, and a note is what is meant.
            yield from list(self._of_agent(target)) or (() if is_note(commit) else self._of_commit(commit, path))

    def _of_agent(self, path: str) -> Iterator[RevertSide]:
        """Yields an alarm's loss, or the agent's change of a note since the operator's last look."""
        if (loss := self._alarms.side(path)) is not None:
            yield loss
            return
        since = self._changes.since_looked()
        for change in reversed(since.changes):
            if change.path == path:
                before, after = self._changes.sides(change)
                told = f"the change of {path} since {since.looked_at:%Y-%m-%d %H:%M}"
                yield RevertSide(path=path, before=before, after=after, told=told)

    def _of_commit(self, name: str, path: str) -> Iterator[RevertSide]:
        repository = self._opened.git.repository()
        if isinstance(repository, NoRepository):
            raise UsageError(repository.reason or "there is no git here", where=name)
        commit = commit_named(repository, name)
        steps = [step for step in steps_in(repository, commit.id) if is_note(step.path) and path in ("", step.path)]
        data = blobs(repository, (blob for step in steps for blob in (step.old, step.new)))
        for step in steps:
            if any(blob and blob not in data for blob in (step.old, step.new)):
                raise Refused("it is too large to be reverted", where=step.path)
            told = f"commit {commit.id[:12]} {commit.subject}"[:200]
            yield RevertSide(path=step.path, before=data.get(step.old), after=data.get(step.new), told=told)

    def _until(self, path: str, date: str) -> RevertSide:
        past = self._recall.show(path, self._recall.instant(date))
        if past.version is None:
            raise UsageError("not known at that time", where=f"{path}@{date}", hint=f"memdeck recall blame {path}")
        present = self._opened.root.read_or_none(path)
        return RevertSide(path=path, before=past.version.data, after=present, told=f"all in {path} since {date}")

    def _of_session(self, session: str) -> Iterator[RevertSide]:
        """Yields a session's edits, newest first, each with the note before and after."""
        if not session:
            raise UsageError("which session?", where="session:", hint="memdeck recall blame names them")
        edits = self._sessions.edits_of(tuple(self._opened.fresh(look=False).files), session)
        for path in dict.fromkeys(edit.path for edit in edits):
            mine = [edit for edit in edits if edit.path == path]
            yield from sides_of_edits(path, mine, self._before(path, mine[0]), f"session {mine[0].session[:12]}")

    def _before(self, path: str, edit: FileEdit) -> bytes | None:
        versions = self._recall.timeline(path).versions
        return next((version.data for version in reversed(versions) if version.at < edit.at), None)

    def _is_agents(self, path: str, numbers: Collection[int]) -> bool:
        wanted = set(numbers)
        lines = [line for line in self._recall.blame(path).lines if line.number in wanted]
        # Of no line nobody knows who wrote it: then it counts as somebody else's.
        return bool(lines) and all(line.origin.kind is OriginKind.TURN for line in lines)


def _check(side: RevertSide, hunks: Sequence[int], target: str) -> None:
    """Raises `UsageError`, with the number of hunks, for unknown hunks."""
    sides = [(data or b"").decode("utf-8", "replace") for data in (side.before, side.after)]
    there = len(hunks_between(lines_of(sides[0]), lines_of(sides[1])))
    if any(not 1 <= number <= there for number in hunks):
        raise UsageError(f"it has {there} hunks", where=target, hint="memdeck revert lists them")


def _whole_sides(item: ConsolidationItem) -> Iterator[RevertSide]:
    for note in item.consolidation.notes:
        yield RevertSide(path=note.path, before=note.before, after=note.after, told=_told(item))


def _entry_sides(item: ConsolidationItem, entries: Sequence[int]) -> Iterator[RevertSide]:
    one = item.consolidation
    told = f"entry {', '.join(map(str, sorted(set(entries))))} of {_told(item)}"
    for note in take_entries_back(item.account, one.before, one.after, entries):
        yield RevertSide(path=note.path, before=note.without, after=note.after, told=told)


def _told(item: ConsolidationItem) -> str:
    one = item.consolidation
    return f"{one.id}, {one.title} of {one.ended:%Y-%m-%d %H:%M} UTC"
