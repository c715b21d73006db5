"""Looking back: the agent's changes since the operator last looked, and past dry runs."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cached_property

import msgspec

from engine.errors import MemdeckError, UsageError
from engine.monitoring import dry_runs
from engine.monitoring.agent_changes import AgentChange, AgentChangeLog, SinceLook, places_of
from engine.monitoring.dry_runs import DryRunReport, ReportDiff, ReportEntry, RunsWithoutPlan
from engine.monitoring.last_look import SeenStore
from engine.plans.diff import FileDiff, without_secrets
from engine.services.note_flags import MANY_BYTES, FlagService
from engine.services.open_workspace import OpenWorkspace, disk_errors
from engine.workspace.snapshot import Snapshot


class ReviewService:
    """Shows what happened while nobody looked. Writes in the operator's state folder alone."""

    def __init__(self, opened: OpenWorkspace, runs: RunsWithoutPlan, flags: FlagService) -> None:
        self._opened, self._flags = opened, flags
        self._runs = runs
        self._before_a_look: Callable[[], object] = lambda: None
        self._placed: tuple[Snapshot, Mapping[str, str]] | None = None

    def before_a_look(self, record: Callable[[], object]) -> None:
        """From now on `record` is called before what came is taken as seen, so that it can be kept."""
        self._before_a_look = record

    def since_looked(self, *, look: bool = False, flags: bool = False) -> SinceLook:
        """Lists the agent's changes since the operator last looked; `look`: list the workspace first. With `flags` also
        the flagged lines of all notes that nobody looked at yet."""
        with self._opened.lock, disk_errors("comparing with what was last seen failed"):
            found = self._lookout.since(self._opened.fresh(look), self._opened.parts.context.operations)
            return msgspec.structs.replace(found, flags=self._flags.look(MANY_BYTES)) if flags else found

    def looked_at(self) -> datetime | None:
        """The instant of the operator's last look; None: never."""
        with disk_errors("reading what was last seen failed"):
            return self._lookout.store.looked_at() if self._lookout.store.begun else None

    def agent_diffs(self, changes: Sequence[AgentChange]) -> tuple[FileDiff, ...]:
        """Compares each of these notes before and after the agent's change, without secrets, where both are known."""
        with self._opened.lock, disk_errors("comparing with what was last seen failed"):
            return tuple(without_secrets(self._lookout.diff(change, self._places())) for change in changes)

    def sides(self, change: AgentChange) -> tuple[bytes | None, bytes | None]:
        """The bytes of a note before and after the agent's change; `Refused` where they are not known any more."""
        with self._opened.lock, disk_errors("comparing with what was last seen failed"):
            return self._lookout.sides(change, self._places())

    def looked(self, shown: Sequence[AgentChange] | None = None, *, look: bool = False) -> datetime:
        """The operator has seen the workspace as it is now; the instant (real time) that is kept. `shown`: only these
        changes were seen. What the agent did meanwhile stays to be seen."""
        with self._opened.lock, disk_errors("keeping what was seen failed"):
            at, snapshot = self._opened.real_now(), self._opened.fresh(look)
            self._before_a_look()
            self._lookout.looked(snapshot, self._opened.parts.context.operations, at, shown)
            self._flags.looked(None if shown is None else {change.path for change in shown})
            return at

    def operation_ended(self) -> None:
        """Lets an operation that just ended be part of what was seen, while the bytes it wrote are still there."""
        with self._opened.lock, suppress(OSError, MemdeckError):
            self._lookout.take_in(self._opened.parts.context.operations)
            self._flags.operation_ended()

    def reports(self) -> tuple[ReportEntry, ...]:
        """Past dry runs, newest first: those that made a plan and those that came to nothing."""
        return dry_runs.listed(self._opened.parts.queue.entries(), self._runs.entries())

    def report(self, report_id: str) -> DryRunReport:
        """One past dry run, by the id of its plan or its own."""
        if report_id.startswith("r-"):
            return self._runs.load(report_id)
        queue = self._opened.parts.queue
        return dry_runs.report_of(queue.load(report_id), queue.entry(report_id))

    def compare_reports(self, before: str, after: str) -> ReportDiff:
        """Compares one dry run with another; `UsageError` for those of two systems."""
        old, new = self.report(before), self.report(after)
        if old.entry.system != new.entry.system:
            what = f"one is of {old.entry.system}, the other of {new.entry.system}"
            raise UsageError(what, where=f"{before} {after}", hint="compare two of the same system")
        return dry_runs.compare(old, new)

    def close(self) -> None:
        self._lookout.store.close()

    def _places(self) -> Mapping[str, str]:
        """Maps the hash of each file's bytes to its path, made once for each listing of the workspace."""
        snapshot = self._opened.fresh(look=False)
        if self._placed is None or self._placed[0] is not snapshot:
            self._placed = (snapshot, places_of(snapshot))
        return self._placed[1]

    @cached_property
    def _lookout(self) -> AgentChangeLog:
        parts = self._opened.parts
        return AgentChangeLog(SeenStore(parts.state.path / "seen.db"), parts.root.read, parts.context.displaced.get)
