"""Opens a workspace and gives its services, each made when first used."""

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from engine.services.open_workspace import OpenWorkspace
from engine.services.part import made_parts, part, service
from engine.workspace.system_calls import search_path

if TYPE_CHECKING:
    from engine.extras.batches.batch_service import BatchService
    from engine.extras.connect.session_capture import ConnectedSessions
    from engine.extras.importers.export_service import ExportService
    from engine.extras.stores.store_service import StoreService
    from engine.monitoring.dry_runs import RunsWithoutPlan
    from engine.schedule.due_times import MachineRest
    from engine.services.alarms import AlarmService
    from engine.services.capture import CaptureService
    from engine.services.changes import ChangeService
    from engine.services.consolidations import ConsolidationService
    from engine.services.context import ContextService
    from engine.services.costs import CostService
    from engine.services.digest import DigestService
    from engine.services.entries import EntryService, ExtractionService
    from engine.services.facts import FactService
    from engine.services.feedback import CommentService
    from engine.services.flushes import FlushService
    from engine.services.heartbeat import HeartbeatService
    from engine.services.history import HistoryService
    from engine.services.hunks import HunkService
    from engine.services.lifecycle import LifecycleService
    from engine.services.maintenance import MaintenanceService
    from engine.services.note_flags import FlagService
    from engine.services.origins import OriginService
    from engine.services.outside_changes import OutsideChanges
    from engine.services.plan_queue import PlanQueue
    from engine.services.plans import PlanService
    from engine.services.privacy import PrivacyService
    from engine.services.probes import ProbeService
    from engine.services.prompt_comparisons import PromptComparisonService
    from engine.services.proposals import ProposalService
    from engine.services.reality import RealityService
    from engine.services.recall import RecallService
    from engine.services.receipts import ReceiptService
    from engine.services.references import ReferenceService
    from engine.services.replays import ReplayService
    from engine.services.repository import RepositoryService
    from engine.services.revert import RevertService
    from engine.services.review import ReviewService
    from engine.services.schedule import ScheduleService
    from engine.services.search import SearchService
    from engine.services.sessions import SessionService
    from engine.services.shares import ShareService
    from engine.services.status import Degradable, StatusService
    from engine.services.topics import TopicService
    from engine.services.tree import TreeService
    from engine.services.uses import UseService
    from engine.services.windows import WindowService
    from engine.tree.cycle.qmd import Qmd


def utc_now() -> datetime:
    return datetime.now(UTC)


class Engine:
    """One open workspace. Calls of services may block and may come from any thread; none of them approves."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened = opened
        self.opening = threading.RLock()

    @classmethod
    def open(
        cls,
        workspace: Path,
        *,
        policy_file: Path | None = None,
        now: datetime | None = None,
        env: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] = utc_now,
        read_only: bool = False,
        rest: "Callable[[], MachineRest | None]" = lambda: None,
    ) -> Self:
        """Opens a workspace without reading notes. `now` is a what-if time, `clock` the real clock, `rest` tells how
        the machine slept. `read_only`: nothing is written, and marking, saving or snoozing is refused."""
        environment = dict(os.environ if env is None else env)
        # Git also works in folders beside the workspace, where a program of the workspace is as foreign.
        environment["PATH"] = search_path(workspace, environment)
        return cls(
            OpenWorkspace(
                workspace,
                policy_file=policy_file,
                what_if=now,
                env=environment,
                real_clock=clock,
                read_only=read_only,
                rest=rest,
            )
        )

    @property
    def workspace(self) -> Path:
        return Path(self._opened.root.identity.path)

    @property
    def state_folder(self) -> Path:
        return self._opened.state.path

    @property
    def zone(self) -> str:
        return self._opened.policy.zone

    @property
    def simulated(self) -> bool:
        return self._opened.what_if is not None

    def now(self) -> datetime:
        """Gives the instant of decisions: the what-if time, or the real time."""
        return self._opened.now()

    def real_now(self) -> datetime:
        """Gives the real time, for approvals and ages."""
        return self._opened.real_clock()

    def suppose(self, at: datetime | None) -> None:
        """Sets a what-if time, None resets it: all is then simulated, and nothing runs by itself (decision G18)."""
        self._opened.suppose(at)

    def close(self) -> None:
        """Stores caches for the next start, and closes the folder."""
        for made in made_parts(self, "_qmd", "search", "topics", "changes", "windows"):
            made.close()
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ── plans, what they hold, and what runs by the clock ────────────────────────────────────────────────────────────

    windows: "WindowService" = service("engine.services.windows")
    queue: "PlanQueue" = service("engine.services.plan_queue")
    plans: "PlanService" = service("engine.services.plans")
    flushes: "FlushService" = service("engine.services.flushes")
    entries: "EntryService" = service("engine.services.entries")
    hunks: "HunkService" = service("engine.services.hunks")
    comments: "CommentService" = service("engine.services.feedback")
    proposals: "ProposalService" = service("engine.services.proposals")
    extractions: "ExtractionService" = service("engine.services.entries")
    schedule: "ScheduleService" = service("engine.services.schedule")
    heartbeat: "HeartbeatService" = service("engine.services.heartbeat")
    lifecycle: "LifecycleService" = service("engine.services.lifecycle")
    digest: "DigestService" = service("engine.services.digest")

    # ── what was done: by operations, by the agent, by other tools ───────────────────────────────────────────────────

    history: "HistoryService" = service("engine.services.history")
    receipts: "ReceiptService" = service("engine.services.receipts")
    changes: "ChangeService" = service("engine.services.changes")
    flags: "FlagService" = service("engine.services.note_flags")
    review: "ReviewService" = service("engine.services.review")
    recall: "RecallService" = service("engine.services.recall")
    facts: "FactService" = service("engine.services.facts")
    alarms: "AlarmService" = service("engine.services.alarms")
    revert: "RevertService" = service("engine.services.revert")
    consolidations: "ConsolidationService" = service("engine.services.consolidations")
    outside: "OutsideChanges" = service("engine.services.outside_changes")

    # ── notes, and an agent's view of them ───────────────────────────────────────────────────────────────────────────

    references: "ReferenceService" = service("engine.services.references")
    uses: "UseService" = service("engine.services.uses")
    search: "SearchService" = service("engine.services.search")
    tree: "TreeService" = service("engine.services.tree")
    topics: "TopicService" = service("engine.services.topics")
    sessions: "SessionService" = service("engine.services.sessions")
    context: "ContextService" = service("engine.services.context")
    reality: "RealityService" = service("engine.services.reality")
    origins: "OriginService" = service("engine.services.origins")
    probes: "ProbeService" = service("engine.services.probes")
    comparisons: "PromptComparisonService" = service("engine.services.prompt_comparisons")

    # ── what stands beside: sessions taken in, git, costs, stores, replays ───────────────────────────────────────────

    capture: "CaptureService" = service("engine.services.capture")
    connected: "ConnectedSessions" = service("engine.extras.connect.session_capture", extra="connect")
    repository: "RepositoryService" = service("engine.services.repository")
    shares: "ShareService" = service("engine.services.shares")
    privacy: "PrivacyService" = service("engine.services.privacy")
    maintenance: "MaintenanceService" = service("engine.services.maintenance")
    costs: "CostService" = service("engine.services.costs")
    batches: "BatchService" = service("engine.extras.batches.batch_service", extra="batches")
    replays: "ReplayService" = service("engine.services.replays")
    stores: "StoreService" = service("engine.extras.stores.store_service", extra="stores")
    exports: "ExportService" = service("engine.extras.importers.export_service", extra="importers")

    status: "StatusService" = service("engine.services.status")

    @part
    def _degradable(self) -> "Sequence[Degradable]":
        return self.flushes.alarms, self.repository.alarms, self.shares.alarms, self.privacy.alarms

    # ── used by several services ─────────────────────────────────────────────────────────────────────────────────────

    _runs: "RunsWithoutPlan" = service("engine.monitoring.dry_runs", given="_opened.database")

    @part
    def _qmd(self) -> "Qmd":
        from engine.tree.cycle.qmd import Qmd

        policy = self._opened.policy.qmd
        return Qmd(self.workspace, policy.run, policy.timeout_seconds, env=self._opened.env or os.environ)
