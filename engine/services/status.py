"""The state of the memory for the front ends: now, at the look before, and over time."""

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
"""Notes from which on a status is kept: a smaller workspace is read before an earlier picture would be seen."""
LARGEST = 16 * 1024 * 1024  # bytes of a status that is kept or read


class LastStatus:
    """Keeps one status in the operator's state folder, beside its policy: under other limits its figures mean something
    else. It is for showing alone: no plan, mark or sample comes of it."""

    def __init__(self, file: Path, policy_sha256: str) -> None:
        self._file, self._policy = file, policy_sha256

    def read(self) -> Status | None:
        """Gives the status kept last; None where there is none, where it is damaged, or made under another policy."""
        try:
            if self._file.stat().st_size > LARGEST:
                return None
            policy, status = msgspec.msgpack.decode(self._file.read_bytes(), type=tuple[str, Status])
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return None
        return status if policy == self._policy else None

    def keep(self, status: Status, notes: int) -> None:
        """Keeps the status of a workspace of that many notes; of a small one nothing is kept. Raises `OSError`."""
        data = msgspec.msgpack.encode((self._policy, status)) if notes >= LARGE else b""
        if 0 < len(data) <= LARGEST:
            write_private(self._file, data)
        else:
            self._file.unlink(missing_ok=True)


Degradable = Callable[[], tuple[Degraded, ...]]
"""Says what of a service works less well than it should, each with its fix."""


class StatusService:
    """Looks at the workspace, and keeps what it saw for the next start and for the trends."""

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
        """`degradable` are the services that tell of degraded modes of theirs at each look."""
        self._opened, self._windows, self._queue, self._qmd = opened, windows, queue, qmd
        self._known_tree = KnownTree()
        self._degradable, self._alarms, self._facts = degradable, alarms, facts

    def read(self, tick: Tick | None = None) -> Status:
        """Looks at the whole workspace again, opening only what changed."""
        with self._opened.lock:
            snapshot = self._opened.scan(tick)
            phase("working out the figures", tick)
            status = self._overview(snapshot)
            if not status.simulated_clock:
                with suppress(OSError):  # a disk that refuses costs the next console a first picture, no more
                    self._last_status.keep(status, len(snapshot.files))
            return status

    def changed(self, paths: Sequence[str]) -> Status:
        """The status after a look at these paths; figures of a large tree follow with the call that names none."""
        with self._opened.lock:
            return self._overview(self._opened.refresh(paths), hurried=bool(paths))

    def earlier(self) -> EarlierLook | None:
        """Gives the status of an earlier look with today's queue, at once; None for a small workspace or a what-if
        time. It marks no plan, takes no sample and is planned from by nobody: `read` looks at what is there now."""
        status = None if self._opened.what_if is not None else self._last_status.read()
        return None if status is None else EarlierLook(status, self._queue.entries())

    def watch(self, stop: threading.Event) -> Iterator[tuple[str, ...]]:
        """Batches of changed paths, until `stop` is set."""
        return self._opened.scanner.watcher().batches(stop)

    def pulse(self) -> tuple[tuple[int, int], ...]:
        """A cheap sign: it differs once another process made, moved or applied a plan, or a session got an answer."""
        return (*self._opened.state.pulse(), self._windows.sign())

    def trends(self, status: Status | None = None) -> tuple[Trend, ...]:
        """Gives the course of each gauge with its outlook; from the status given, or from a fresh look. Under a
        supposed instant the course is what was known until now, for what a gauge shows then is no sample."""
        status = status or self.read()
        gauges = gauges_of(status, self._opened.policy.limits)
        # What a status shows is of its own instant: a later one would lie ahead of all that is told about it.
        now = self._opened.real_clock() if status.simulated_clock else status.now
        return trends(gauges, self._trend_log.samples(), now, present=not status.simulated_clock)

    def chart(self, gauge: str, days: int, status: Status | None = None) -> GaugeChart:
        """One gauge over so many days, with its forecast and what it counts; `UsageError` for one that there is not.
        What it counts is of the instant of the status given, or of a fresh look."""
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
        """Gives each key of the policy in force, and where it came from."""
        return self._opened.policy_values

    def workspace_keys(self) -> tuple[WorkspaceKey, ...]:
        """Each key of the agent's own `memory-config.yaml`: honoured, a safety key or obsolete, with its value."""
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
