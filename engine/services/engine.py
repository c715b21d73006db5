"""The one door for front ends: opens a workspace, and makes a service for each subject when it is first asked for."""

import os
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from engine.extra_registry import needs
from engine.services.open_workspace import OpenWorkspace
from engine.services.part import made_parts, part
from engine.workspace.programs import search_path

if TYPE_CHECKING:
    from engine.extras.batches.batch_service import BatchService
    from engine.extras.importers.export_service import ExportService
    from engine.extras.stores.store_service import StoreService
    from engine.monitoring.dry_runs import RunsWithoutPlan
    from engine.services.alarms import AlarmService
    from engine.services.capture import CaptureService
    from engine.services.changes import ChangeService
    from engine.services.comments import CommentService
    from engine.services.consolidations import ConsolidationService
    from engine.services.context import ContextService
    from engine.services.costs import CostService
    from engine.services.digest import DigestService
    from engine.services.entries import EntryService
    from engine.services.extractions import ExtractionService
    from engine.services.feedback import FeedbackService
    from engine.services.flushes import FlushService
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
    from engine.services.recall import RecallService
    from engine.services.references import ReferenceService
    from engine.services.replays import ReplayService
    from engine.services.repository import RepositoryService
    from engine.services.revert import RevertService
    from engine.services.review import ReviewService
    from engine.services.schedule import ScheduleService
    from engine.services.search import SearchService
    from engine.services.sessions import SessionService
    from engine.services.shares import ShareService
    from engine.services.status import StatusService
    from engine.services.topics import TopicService
    from engine.services.tree import TreeService
    from engine.services.windows import WindowService
    from engine.tree.cycle.qmd import Qmd


def utc_now() -> datetime:
    """Real time: the one clock that the front ends hand to the engine."""
    return datetime.now(UTC)


class Engine:
    """One open workspace. Every call to a service may block and may come from any thread; none of them approves."""

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
    ) -> Self:
        """Opens a workspace. `now` is a what-if clock, `clock` the real one. Reads no note yet.

        `read_only`: what the operator marks, saves or puts off is refused, and nothing of it is remembered.
        """
        environment = dict(os.environ if env is None else env)
        # Git also works in folders beside the workspace, where a program of the workspace is as foreign.
        environment["PATH"] = search_path(workspace, environment)
        return cls(
            OpenWorkspace.open(
                workspace, policy_file=policy_file, what_if=now, env=environment, real_clock=clock, read_only=read_only
            )
        )

    @property
    def workspace(self) -> Path:
        """The workspace's real path."""
        return Path(self._opened.root.identity.path)

    @property
    def zone(self) -> str:
        """The time zone that the policy names."""
        return self._opened.policy.zone

    @property
    def simulated(self) -> bool:
        """Tells whether a what-if clock is in use."""
        return self._opened.what_if is not None

    def now(self) -> datetime:
        """The instant decisions are made for: what-if time, or real time."""
        return self._opened.now()

    def real_now(self) -> datetime:
        """Real time, for approvals and ages."""
        return self._opened.real_clock()

    def suppose(self, at: datetime | None) -> None:
        """From now on decides as if it were `at`; None: as it was opened. Status and plans are marked as simulated.

        Nothing runs by itself meanwhile, and no trend is recorded (decision G18).
        """
        self._opened.suppose(at)

    def close(self) -> None:
        """Stores what was read for the next start, and closes the folder."""
        for service in made_parts(self, "_qmd", "search", "topics", "changes", "windows"):
            service.close()
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ── plans, what they hold, and what runs by the clock ────────────────────────────────────────────────────────────

    @part
    def windows(self) -> "WindowService":
        from engine.services.windows import WindowService

        return WindowService(self._opened)

    @part
    def queue(self) -> "PlanQueue":
        from engine.services.plan_queue import PlanQueue

        return PlanQueue(self._opened, self)

    @part
    def plans(self) -> "PlanService":
        from engine.services.plans import PlanService

        return PlanService(self._opened, self.queue, self._runs, self)

    @part
    def flushes(self) -> "FlushService":
        from engine.services.flushes import FlushService

        return FlushService(self._opened, self.plans, self.windows)

    @part
    def status(self) -> "StatusService":
        from engine.services.status import StatusService

        return StatusService(
            self._opened,
            self.queue,
            self._qmd,
            self.windows,
            (self.flushes, self.repository, self.shares, self.privacy),
            self.alarms,
        )

    @part
    def entries(self) -> "EntryService":
        from engine.services.entries import EntryService

        return EntryService(self._opened, self.queue)

    @part
    def hunks(self) -> "HunkService":
        from engine.services.hunks import HunkService

        return HunkService(self._opened, self.queue, self.extractions)

    @part
    def comments(self) -> "CommentService":
        from engine.services.comments import CommentService

        return CommentService(self._opened)

    @part
    def feedback(self) -> "FeedbackService":
        from engine.services.feedback import FeedbackService

        return FeedbackService(self._opened)

    @part
    def proposals(self) -> "ProposalService":
        from engine.services.proposals import ProposalService

        return ProposalService(self._opened, self.queue)

    @part
    def extractions(self) -> "ExtractionService":
        from engine.services.extractions import ExtractionService

        return ExtractionService(self._opened, self.queue)

    @part
    def schedule(self) -> "ScheduleService":
        from engine.services.schedule import ScheduleService

        return ScheduleService(self._opened, self.plans, self.repository)

    @part
    def lifecycle(self) -> "LifecycleService":
        from engine.services.lifecycle import LifecycleService

        return LifecycleService(self._opened, self.queue, self._runs, self.capture)

    @part
    def digest(self) -> "DigestService":
        from engine.services.digest import DigestService

        return DigestService(self._opened, self.queue, self.status, self.context)

    # ── what was done: by operations, by the agent, by other tools ───────────────────────────────────────────────────

    @part
    def history(self) -> "HistoryService":
        from engine.services.history import HistoryService

        return HistoryService(self._opened, self.queue, self)

    @part
    def changes(self) -> "ChangeService":
        from engine.services.changes import ChangeService

        return ChangeService(self._opened)

    @part
    def flags(self) -> "FlagService":
        from engine.services.note_flags import FlagService

        return FlagService(self._opened)

    @part
    def review(self) -> "ReviewService":
        from engine.services.review import ReviewService

        return ReviewService(self._opened, self._runs, self.changes, self.flags, self.outside)

    @part
    def recall(self) -> "RecallService":
        from engine.services.recall import RecallService

        return RecallService(self._opened, self.sessions)

    @part
    def alarms(self) -> "AlarmService":
        from engine.services.alarms import AlarmService

        return AlarmService(self._opened, self.changes, self.context, self.sessions)

    @part
    def revert(self) -> "RevertService":
        from engine.services.revert import RevertService

        return RevertService(
            self._opened,
            self.queue,
            self.recall,
            self.changes,
            self.sessions,
            self.alarms,
            self.consolidations,
        )

    @part
    def consolidations(self) -> "ConsolidationService":
        from engine.services.consolidations import ConsolidationService

        return ConsolidationService(self._opened, self.changes)

    @part
    def outside(self) -> "OutsideChanges":
        from engine.services.outside_changes import OutsideChanges

        return OutsideChanges(self.alarms, self.consolidations, self.changes, self.flags, self._qmd)

    # ── notes, and an agent's view of them ───────────────────────────────────────────────────────────────────────────

    @part
    def references(self) -> "ReferenceService":
        from engine.services.references import ReferenceService

        return ReferenceService(self._opened)

    @part
    def search(self) -> "SearchService":
        from engine.services.search import SearchService

        return SearchService(self._opened, self.references)

    @part
    def tree(self) -> "TreeService":
        from engine.services.tree import TreeService

        return TreeService(self._opened)

    @part
    def topics(self) -> "TopicService":
        from engine.services.topics import TopicService

        return TopicService(self._opened)

    @part
    def sessions(self) -> "SessionService":
        from engine.services.sessions import SessionService

        return SessionService(self._opened, self.topics)

    @part
    def context(self) -> "ContextService":
        from engine.services.context import ContextService

        return ContextService(self._opened, self.search, self.topics, self.sessions, self.flags)

    @part
    def origins(self) -> "OriginService":
        from engine.services.origins import OriginService

        return OriginService(self._opened, self.context, self.tree, self.sessions)

    @part
    def probes(self) -> "ProbeService":
        from engine.services.probes import ProbeService

        return ProbeService(self._opened, self.search, self.context, self.tree, self.topics)

    @part
    def comparisons(self) -> "PromptComparisonService":
        from engine.services.prompt_comparisons import PromptComparisonService

        return PromptComparisonService(self._opened, self.context, self.search, self.topics, self.recall)

    # ── what stands beside: sessions taken in, git, costs, stores, replays ───────────────────────────────────────────

    @part
    def capture(self) -> "CaptureService":
        from engine.services.capture import CaptureService

        return CaptureService(self._opened)

    @part
    def repository(self) -> "RepositoryService":
        from engine.services.repository import RepositoryService

        return RepositoryService(self._opened)

    @part
    def shares(self) -> "ShareService":
        from engine.services.shares import ShareService

        return ShareService(self._opened)

    @part
    def privacy(self) -> "PrivacyService":
        from engine.services.privacy import PrivacyService

        return PrivacyService(self._opened)

    @part
    def maintenance(self) -> "MaintenanceService":
        from engine.services.maintenance import MaintenanceService

        return MaintenanceService(self._opened, self.capture, self.privacy, self.shares, self.alarms)

    @part
    def costs(self) -> "CostService":
        from engine.services.costs import CostService

        return CostService(self._opened)

    @part
    def batches(self) -> "BatchService":
        with needs("batches"):
            from engine.extras.batches.batch_service import BatchService
        return BatchService(self._opened)

    @part
    def replays(self) -> "ReplayService":
        from engine.services.replays import ReplayService

        return ReplayService(self._opened)

    @part
    def stores(self) -> "StoreService":
        with needs("stores"):
            from engine.extras.stores.store_service import StoreService
        return StoreService(self._opened, self.plans)

    @part
    def exports(self) -> "ExportService":
        with needs("importers"):
            from engine.extras.importers.export_service import ExportService
        return ExportService(self._opened)

    # ── used by several services ─────────────────────────────────────────────────────────────────────────────────────

    @part
    def _runs(self) -> "RunsWithoutPlan":
        from engine.monitoring.dry_runs import RunsWithoutPlan

        return RunsWithoutPlan(self._opened.database)

    @part
    def _qmd(self) -> "Qmd":
        from engine.tree.cycle.qmd import Qmd

        policy = self._opened.policy.qmd
        return Qmd(self.workspace, policy.run, policy.timeout_seconds, env=self._opened.env or os.environ)
