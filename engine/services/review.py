"""The operator's look at the agent's changes, and past dry runs."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec.structs import replace

from engine.errors import UsageError
from engine.monitoring import dry_runs
from engine.services.changes import ChangeService
from engine.services.note_flags import MANY_BYTES, FlagService
from engine.services.open_workspace import OpenWorkspace, disk_errors
from engine.services.outside_changes import OutsideChanges

if TYPE_CHECKING:
    from engine.monitoring.agent_changes import AgentChange, SinceLook


class ReviewService:
    """Shows what happened since the last look. Writes only in the operator's state folder."""

    def __init__(
        self,
        opened: OpenWorkspace,
        runs: dry_runs.RunsWithoutPlan,
        changes: ChangeService,
        flags: FlagService,
        outside: OutsideChanges,
    ) -> None:
        self._opened, self._runs, self._changes, self._flags, self._outside = opened, runs, changes, flags, outside

    def since_looked(self, *, look: bool = False, flags: bool = False) -> "SinceLook":
        """Gives the agent's changes since the last look; `flags`: with flagged lines that nobody saw."""
        with self._opened.lock, disk_errors("comparing with what was last seen failed"):
            since = self._changes.since_looked(look=look)
            return replace(since, flags=self._flags.look(MANY_BYTES)) if flags else since

    def looked(self, shown: "Sequence[AgentChange] | None" = None, *, look: bool = False) -> datetime:
        """Records that the operator saw the workspace, or only the `shown` changes; gives the real time of it."""
        with self._opened.lock, disk_errors("keeping what was seen failed"):
            at, snapshot = self._opened.real_clock(), self._opened.fresh(look)
            self._outside.record()
            self._changes.seen(snapshot, at, shown)
            self._flags.looked(None if shown is None else {change.path for change in shown})
            return at

    def reports(self) -> tuple[dry_runs.ReportEntry, ...]:
        """Gives past dry runs, newest first, with or without a plan."""
        return dry_runs.listed(self._opened.queue.entries(), self._runs.entries())

    def report(self, report_id: str) -> dry_runs.DryRunReport:
        """Gives a past dry run by its own id or its plan's."""
        if report_id.startswith("r-"):
            return self._runs.load(report_id)
        return dry_runs.report_of(self._opened.queue.load(report_id), self._opened.queue.entry(report_id))

    def compare_reports(self, before: str, after: str) -> dry_runs.ReportDiff:
        """Compares two dry runs; `UsageError` for two systems."""
        old, new = self.report(before), self.report(after)
        if old.entry.system != new.entry.system:
            what = f"one is of {old.entry.system}, the other of {new.entry.system}"
            raise UsageError(what, where=f"{before} {after}", hint="compare two of the same system")
        return dry_runs.compare(old, new)
