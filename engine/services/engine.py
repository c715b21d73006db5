"""The one door for front ends: opens a workspace, and gives out a service for each subject."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from engine.errors import MemdeckError
from engine.monitoring.dry_runs import RunsWithoutPlan
from engine.services.alarms import AlarmService
from engine.services.batches import BatchService
from engine.services.capture import CaptureService
from engine.services.comments import CommentService
from engine.services.consolidations import ConsolidationService
from engine.services.context import ContextService
from engine.services.costs import CostService
from engine.services.digest import DigestService
from engine.services.entries import EntryService
from engine.services.exports import ExportService
from engine.services.extractions import ExtractionService
from engine.services.feedback import FeedbackService
from engine.services.flushes import FlushService
from engine.services.history import HistoryService
from engine.services.hunks import HunkService
from engine.services.lifecycle import LifecycleService
from engine.services.maintenance import MaintenanceService
from engine.services.note_flags import FlagService
from engine.services.open_workspace import OpenWorkspace
from engine.services.origins import OriginService
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
from engine.services.shares import ShareService
from engine.services.status import StatusService
from engine.services.stores import StoreService
from engine.services.tree import TreeService
from engine.services.windows import WindowService
from engine.services.wiring import Wiring, open_parts
from engine.tree.cycle.qmd import Qmd
from engine.workspace.programs import search_path

if TYPE_CHECKING:
    from engine.services.sessions import SessionService
    from engine.services.topics import TopicService


def utc_now() -> datetime:
    """Real time: the one clock that the front ends hand to the engine."""
    return datetime.now(UTC)


class Engine:
    """One open workspace. Every call to a service may block and may come from any thread; none of them approves."""

    def __init__(self, parts: Wiring, env: Mapping[str, str] = {}) -> None:
        self._opened = opened = OpenWorkspace(parts, env)
        qmd, queue = parts.policy.qmd, PlanQueue(opened)
        self._qmd = Qmd(Path(parts.root.identity.path), qmd.run, qmd.timeout_seconds, env=env or os.environ)
        # Topics and sessions are opened when they are first asked for: they load models, and `status` needs none.
        self._topics: TopicService | None = None
        self._sessions: SessionService | None = None
        runs = RunsWithoutPlan(parts.database)
        self.capture = CaptureService(opened)
        self._open_planning(opened, queue, runs)
        self._open_past(opened, queue, runs)
        self._open_search(opened, queue)
        self._open_upkeep(opened, queue)

    def _open_planning(self, opened: OpenWorkspace, queue: PlanQueue, runs: RunsWithoutPlan) -> None:
        """Opens plans, what they hold, and what runs by the clock."""
        self.windows = WindowService(opened)
        self.status = StatusService(opened, queue, self._qmd, self.windows)
        self.plans = PlanService(opened, queue, runs, self._written, self._record_others)
        self.flushes = FlushService(opened, self.plans, self.windows)
        self.entries = EntryService(opened, queue)
        self.hunks = HunkService(opened, queue)
        self.comments = CommentService(opened)
        self.feedback = FeedbackService(opened)
        self.repository = RepositoryService(opened)
        self.shares, self.privacy = ShareService(opened), PrivacyService(opened)
        alarming = (self.flushes, self.repository, self.shares, self.privacy)
        self.status.tell_also(
            lambda: tuple(alarm for one in alarming for alarm in one.alarms()),
            lambda status: self.alarms.of_status(status),
        )
        self.schedule = ScheduleService(opened, self.plans, self.repository)
        self.lifecycle = LifecycleService(opened, queue, runs, self.capture)

    def _open_past(self, opened: OpenWorkspace, queue: PlanQueue, runs: RunsWithoutPlan) -> None:
        """Opens what tells what was done: by operations, by the agent, by other tools."""
        self.history = HistoryService(opened, queue, self._written)
        self.flags = FlagService(opened)
        self.review = ReviewService(opened, runs, self.flags)
        self.recall = RecallService(opened, lambda: self.sessions)
        self.alarms = AlarmService(opened, self.review, lambda: self.context, lambda: self.sessions)
        self.revert = RevertService(opened, queue, self.recall, self.review, lambda: self.sessions, self.alarms)
        self.consolidations = ConsolidationService(opened, self.review, self.revert)
        self.review.before_a_look(self._record_others)

    def _open_search(self, opened: OpenWorkspace, queue: PlanQueue) -> None:
        """Opens what finds things in the notes, and what shows an agent's view of them."""
        self.references = ReferenceService(opened)
        self.search = SearchService(opened, self.references)
        self.tree = TreeService(opened)
        self.context = ContextService(opened, self.search, lambda: self.topics, lambda: self.sessions, self.flags)
        self.origins = OriginService(opened, self.context, self.tree, lambda: self.sessions)
        self.probes = ProbeService(opened, self.search, self.context, self.tree, lambda: self.topics)
        self.comparisons = PromptComparisonService(opened, self.context, self.search, lambda: self.topics, self.recall)
        queue.ask_probes(self.probes.note)

    def _open_upkeep(self, opened: OpenWorkspace, queue: PlanQueue) -> None:
        """Opens what stands beside: costs, proposals, exports, stores, replays."""
        self.digest = DigestService(opened, queue, self.status, self.context)
        self.proposals = ProposalService(opened, queue)
        self.maintenance = MaintenanceService(opened, self.privacy, self.alarms)
        self.costs = CostService(opened)
        self.batches = BatchService(opened)
        self.replays = ReplayService(opened)
        self.stores = StoreService(opened, self.plans)
        self.extractions = ExtractionService(opened, queue)
        self.exports = ExportService(opened)

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
        parts = open_parts(
            workspace, policy_file=policy_file, what_if=now, env=environment, real_clock=clock, read_only=read_only
        )
        return cls(parts, environment)

    @property
    def topics(self) -> "TopicService":
        """Topics: what listens to messages, what was decided, and what the operator said of it."""
        with self._opened.lock:
            if self._topics is None:
                from engine.services.matchers import MatcherFactory
                from engine.services.topics import TopicService

                parts = self._opened.parts
                self._topics = TopicService(parts, MatcherFactory(parts).matcher)
            return self._topics

    @property
    def sessions(self) -> "SessionService":
        """Sessions: those that are followed live, and those of the past."""
        with self._opened.lock:
            if self._sessions is None:
                from engine.services.sessions import SessionService

                self._sessions = SessionService(self._opened.parts, self.topics)
            return self._sessions

    @property
    def workspace(self) -> Path:
        """The workspace's real path."""
        return Path(self._opened.parts.root.identity.path)

    @property
    def zone(self) -> str:
        """The time zone that the policy names."""
        return self._opened.parts.policy.zone

    @property
    def simulated(self) -> bool:
        """Tells whether a what-if clock is in use."""
        return self._opened.parts.what_if is not None

    def now(self) -> datetime:
        """The instant decisions are made for: what-if time, or real time."""
        return self._opened.now()

    def real_now(self) -> datetime:
        """Real time, for approvals and ages."""
        return self._opened.real_now()

    def suppose(self, at: datetime | None) -> None:
        """From now on decides as if it were `at`; None: as it was opened. Status and plans are marked as simulated.

        Nothing runs by itself meanwhile, and no trend is recorded (decision G18).
        """
        self._opened.suppose(at)

    def close(self) -> None:
        """Stores what was read for the next start, and closes the folder."""
        self._qmd.close()
        self.search.close()
        if self._topics is not None:
            self._topics.close()
        self.review.close()
        self.windows.close()
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _record_others(self) -> None:
        """Records losses and what other tools consolidated, before an operation or a look hides who did what."""
        self.alarms.look()
        with suppress(MemdeckError):
            self.consolidations.look()

    def _written(self) -> None:
        """Takes in that an operation changed the workspace."""
        self.review.operation_ended()
        self.alarms.look()
        self._qmd.refresh()
