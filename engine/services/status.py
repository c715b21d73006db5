"""The state of memory for the front ends: now, at the last look, and over time."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from engine.errors import MemdeckError, UsageError
from engine.monitoring.chart import GaugeChart, chart
from engine.monitoring.gauges import gauges_of
from engine.monitoring.trends import Trend, TrendLog, trends
from engine.plans.memory_status import Degraded, EarlierLook, Status
from engine.plans.policy.values import PolicyValue
from engine.plans.policy.workspace_keys import WorkspaceKey, workspace_settings
from engine.services.open_workspace import OpenWorkspace
from engine.services.plan_queue import PlanQueue
from engine.services.status_figures import KnownTree, headline, overview
from engine.services.windows import WindowService
from engine.state.private_files import write_private
from engine.tree.cycle.qmd import Qmd
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Tick, phase

if TYPE_CHECKING:
    from engine.services.alarms import AlarmService
    from engine.services.facts import FactService

LARGE = 2_000
"""The number of notes from which a status is kept; smaller workspaces are read quickly."""
LARGEST = 16 * 1024 * 1024  # bytes of a status that is kept or read


class LastStatus:
    """Keeps one status, with the policy that its figures depend on. It is only shown: no plan or sample uses it."""

    def __init__(self, file: Path, policy_sha256: str) -> None:
        self._file, self._policy = file, policy_sha256

    def read(self) -> Status | None:
        """Reads the kept status; None where there is none, or it is damaged or of another policy."""
        try:
            if self._file.stat().st_size > LARGEST:
                return None
            policy, status = msgspec.msgpack.decode(self._file.read_bytes(), type=tuple[str, Status])
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return None
        return status if policy == self._policy else None

    def keep(self, status: Status, notes: int) -> None:
        """Keeps the status of a large workspace, `notes` being its number of notes. Raises `OSError`."""
        data = msgspec.msgpack.encode((self._policy, status)) if notes >= LARGE else b""
        if 0 < len(data) <= LARGEST:
            write_private(self._file, data)
        else:
            self._file.unlink(missing_ok=True)


Degradable = Callable[[], tuple[Degraded, ...]]
"""Gives the degraded modes of a service, each with its fix."""


class StatusService:
    """Scans the workspace, and keeps the status for the next start and the trends."""

    def __init__(
        self,
        opened: OpenWorkspace,
        queue: PlanQueue,
        qmd: Qmd,
        windows: WindowService,
        degradable: Sequence[Degradable],
        alarms: "AlarmService",
        facts: "FactService",
    ) -> None:
        """Takes in `degradable` the services whose degraded modes belong to a status."""
        self._opened, self._windows, self._queue, self._qmd = opened, windows, queue, qmd
        self._known_tree = KnownTree()
        self._degradable, self._alarms, self._facts = degradable, alarms, facts

    def read(self, tick: Tick | None = None) -> Status:
        """Scans the whole workspace, opening only changed files, and gives its status."""
        with self._opened.lock:
            snapshot = self._opened.scan(tick)
            phase("working out the figures", tick)
            status = self._overview(snapshot)
            if not status.simulated_clock:
                with suppress(OSError):  # a disk that refuses costs the next console a first picture, no more
                    self._last_status.keep(status, len(snapshot.files))
            return status

    def changed(self, paths: Sequence[str]) -> Status:
        """Gives the status after scanning these paths; a large tree's figures come with a call without paths."""
        with self._opened.lock:
            return self._overview(self._opened.refresh(paths), hurried=bool(paths))

    def earlier(self) -> EarlierLook | None:
        """Gives the kept status with today's queue, only for display; None for a small workspace or a what-if time."""
        status = None if self._opened.what_if is not None else self._last_status.read()
        return None if status is None else EarlierLook(status, self._queue.entries())

    def watch(self, stop: threading.Event) -> Iterator[tuple[str, ...]]:
        """Yields batches of changed paths, until `stop` is set."""
        return self._opened.scanner.watcher().batches(stop)

    def pulse(self) -> tuple[tuple[int, int], ...]:
        """Gives a cheap sign that changes when another process changed a plan or a session got an answer."""
        return (*self._opened.state.pulse(), self._windows.sign())

    def trends(self, status: Status | None = None) -> tuple[Trend, ...]:
        """Gives each gauge's course with its outlook; figures of a what-if time do not enter the course."""
        status = status or self.read()
        gauges = gauges_of(status, self._opened.policy.limits)
        # What a status shows is of its own instant: a later one would lie ahead of all that is told about it.
        now = self._opened.real_clock() if status.simulated_clock else status.now
        return trends(gauges, self._trend_log.samples(), now, present=not status.simulated_clock)

    def chart(self, gauge: str, days: int, status: Status | None = None) -> GaugeChart:
        """Gives one gauge over `days` days, with forecast and members; `UsageError` for an unknown gauge."""
        from engine.services.gauge_members import gauge_members

        with self._opened.lock:
            status = status or self.read()
            trend = next((trend for trend in self.trends(status) if trend.id == gauge), None)
            if trend is None:
                raise UsageError("no such gauge", where=gauge, hint="memdeck trends lists them")
            opened = self._opened
            members = gauge_members(gauge, self._opened.fresh(look=False), opened.policy, status.now, opened.counter)
            return chart(trend, days, self._opened.real_clock() if status.simulated_clock else status.now, members)

    def policy_values(self) -> tuple[PolicyValue, ...]:
        """Gives each key of the policy in force, and its origin."""
        return self._opened.policy_values

    def workspace_keys(self) -> tuple[WorkspaceKey, ...]:
        """Gives each key of the agent's `memory-config.yaml`: honoured, a safety key or obsolete, with its value."""
        return workspace_settings(self._opened.settings.config())

    def _overview(self, snapshot: Snapshot, *, hurried: bool = False) -> Status:
        self._queue.refresh()
        tree = self._known_tree.figures(self._opened, snapshot, hurried=hurried)
        status = overview(self._opened, snapshot, self._opened.queue.entries(), tree, self._windows.gauge())
        if found := tuple(mode for alarms in self._degradable for mode in alarms()):
            status = msgspec.structs.replace(status, degraded=(*found, *status.degraded))
        if self._qmd.problem:
            fix = "run qmd by hand, or set qmd.run: off in the policy"
            banner = Degraded(id="qmd", what=self._qmd.problem, fix=fix)
            status = msgspec.structs.replace(status, degraded=(*status.degraded, banner))
        ended = self._facts.ended(snapshot)
        status = msgspec.structs.replace(status, alarms=self._alarms.of_status(status), ended=ended)
        status = msgspec.structs.replace(status, headline=headline(status))
        if not status.simulated_clock:
            with suppress(MemdeckError):  # a disk that refuses costs a forecast, never the status
                self._trend_log.record(gauges_of(status, self._opened.policy.limits), status.now)
        return status

    @cached_property
    def _trend_log(self) -> TrendLog:
        return TrendLog(self._opened.database)

    @cached_property
    def _last_status(self) -> LastStatus:
        return LastStatus(self._opened.state.path / "last-status", self._opened.policy.sha256)
