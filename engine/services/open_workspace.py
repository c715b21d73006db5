"""Holds what the services share of one open workspace: its parts, its last snapshot and the supposed instant."""

import copy
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import MemdeckError, UsageError
from engine.plans.plan import Plan
from engine.plans.policy.file import load_policy, policy_values
from engine.plans.policy.values import Policy, PolicyValue
from engine.services.agent_settings import AgentSettings
from engine.services.part import made_parts, part, service
from engine.state.database import StateDatabase
from engine.state.folder import StateFolder, config_home, state_home
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.values import Tick

if TYPE_CHECKING:
    from engine.plans.apply.context import ApplyContext
    from engine.plans.apply.git_record import GitRecord
    from engine.plans.planning import Planning
    from engine.plans.queue import Queue
    from engine.plans.records.audit import AuditLog
    from engine.plans.records.displaced import DisplacedStore
    from engine.plans.records.operations import Operations
    from engine.plans.sizes import FileSize
    from engine.schedule.due_times import MachineRest
    from engine.schedule.job_runs import LastRuns
    from engine.services.commit_dates import FirstCommitDates
    from engine.services.older_statements import OlderStatements
    from engine.services.planner_records import PlannerRecords
    from engine.text.tokens import TokenCounter
    from engine.tree.cycle.idle import LastIdle
    from engine.tree.survey.survey import Survey
    from engine.workspace.scanner import Scanner
    from engine.workspace.snapshot import Snapshot

POLICY_NAME = "policy.yaml"


class OpenWorkspace:
    """One open workspace and the operator's side of it; what it has is made when it is first asked for. `lock` is held
    while the workspace is looked at, planned for, or its records are changed. `env` is the operator's environment,
    `what_if` the supposed time, if any, and `real_clock` gives real time."""

    def __init__(
        self,
        workspace: Path,
        *,
        policy_file: Path | None,
        what_if: datetime | None,
        env: Mapping[str, str],
        real_clock: Callable[[], datetime],
        read_only: bool = False,
        rest: "Callable[[], MachineRest | None]" = lambda: None,
    ) -> None:
        """Opens a folder and reads the operator's policy; on failure nothing stays open, and its parts' errors come."""
        self.env, self.real_clock, self._rest = env, real_clock, rest
        self.what_if = self._opened_for = what_if
        self.lock, self.opening = threading.RLock(), threading.RLock()
        self.snapshot: Snapshot | None = None
        self._given: Snapshot | None = None
        self.supposing = False  # true while the operator supposes an instant: nothing runs by itself meanwhile
        with ExitStack() as opening:
            self.root = root = opening.enter_context(WorkspaceRoot.open(workspace))
            self.state = StateFolder.locate(root.identity, state_home(env))
            place = config_home(env) / POLICY_NAME
            path = Path(root.identity.path)
            self._read_policy = partial(load_policy, policy_file, default_path=place, workspace=path)
            self.policy, self._origins = self._read_policy()
            self.settings = AgentSettings(root, self.policy)
            self.database = StateDatabase(self.state.path, read_only=read_only)
            # Before anything is scanned, since it stands in the place of `raw/conversations`.
            root.transcripts = self.settings.transcript_root((str(state_home(env)), str(config_home(env))))
            _check_platforms(self.policy)
            opening.pop_all()

    # ── parts ──────────────────────────────────────────────────────────────────────────────────────────────────────

    queue: "Queue" = service("engine.plans.queue", given="state.queue")
    audit: "AuditLog" = service("engine.plans.records.audit", given="state.audit")
    last_runs: "LastRuns" = service("engine.schedule.job_runs", given="database")
    operations: "Operations" = service("engine.plans.records.operations", given="state.operations")
    displaced: "DisplacedStore" = service("engine.plans.records.displaced", given="state.displaced")
    records: "PlannerRecords" = service("engine.services.planner_records", given="database operations queue last_runs")
    older: "OlderStatements" = service("engine.services.older_statements", given="")
    tree_idle: "LastIdle" = service("engine.tree.cycle.idle", given="")

    @part
    def policy_values(self) -> tuple[PolicyValue, ...]:
        return policy_values(self.policy, self._origins)

    @part
    def counter(self) -> "TokenCounter":
        """One counter for every figure: a limit and what is measured against it are in the same tokens (G7)."""
        from engine.text.tokens import counter

        return counter(self.policy.tokens.counter)

    @part
    def git(self) -> "GitRecord":
        from engine.plans.apply.git_record import GitRecord

        return GitRecord(
            self.root, policy=self.policy, state=self.state, audit=self.audit, clock=self.real_clock, env=self.env
        )

    @part
    def git_dates(self) -> "FirstCommitDates":
        from engine.services.commit_dates import FirstCommitDates

        return FirstCommitDates(lambda: self.git, self.policy.zone)

    @part
    def scanner(self) -> "Scanner":
        from engine.workspace.scanner import Scanner

        return Scanner(
            self.root,
            cache_file=self.state.cache,
            counter=self.counter,
            zone=self.policy.zone,
            git_dates=self.git_dates,
        )

    @part
    def context(self) -> "ApplyContext":
        """Gives applying what it needs. It reads the policy again: that may have changed meanwhile (decision G12)."""
        from engine.plans.apply.context import ApplyContext

        context = ApplyContext(
            root=self.root,
            state=self.state,
            policy=self.policy,
            queue=self.queue,
            audit=self.audit,
            clock=self.real_clock,
            commit=self.git,
            settler=self.git,
            tag_before=self.git.tag_before,
            prepare=self._prepare,
            measure=self._measure,
            now=self.what_if,
            policy_now=lambda: self._read_policy()[0],
        )
        # One reader of the records for all: it keeps what it read.
        vars(context).update(operations=self.operations, displaced=self.displaced)
        return context

    def _prepare(self, plan: Plan, numbers: "Sequence[int]") -> None:
        """Makes what must stand before a plan is applied: keys of git-crypt, and the words that are to be forgotten."""
        from engine.lifecycle.forget.tombstones import begin

        self.git.prepare(plan, numbers)
        begin(self.state.path, plan)

    def _measure(self, plan: Plan, numbers: "Sequence[int]", read: "Callable[[str], bytes]") -> "tuple[FileSize, ...]":
        from engine.plans.sizes import PlanSizes, lasting_files

        return PlanSizes(lasting_files(plan, read, self.policy.limits), (), self.counter.count).files(numbers)

    # ── what planners are given ────────────────────────────────────────────────────────────────────────────────────

    def planning(self, snapshot: "Snapshot", at: datetime | None = None, tick: Tick | None = None) -> "Planning":
        """Gives what every plan is made with. `at`: the instant to plan for, where that is not now."""
        from engine.plans.planning import Planning

        return Planning(
            snapshot=snapshot,
            policy=self.policy,
            now=at or self.now(),
            counter=self.counter,
            simulated_clock=self.what_if is not None,
            made_at=self.real_clock(),
            tick=tick,
            moves=self.records.moves(),
        )

    def survey(self, snapshot: "Snapshot") -> "Survey":
        """Surveys the tree as of today, in the workspace's zone (decision G5)."""
        from engine.tree.survey.survey import Survey

        return Survey(snapshot, self.records.tree(), self.now().astimezone(self.policy.time_zone).date())

    # ── the clock ──────────────────────────────────────────────────────────────────────────────────────────────────

    def now(self) -> datetime:
        """Gives the instant decisions are made for: what-if time, or real time."""
        return self.what_if or self.real_clock()

    def rest(self) -> "MachineRest | None":
        """Tells how the machine slept, where that is known; of a supposed instant nobody knows it."""
        return None if self.what_if is not None else self._rest()

    def suppose(self, at: datetime | None) -> None:
        """From now on decides as if it were `at`; None: as it was opened."""
        if at is not None and at.tzinfo is None:
            raise UsageError("a what-if time needs an offset", where=at.isoformat(), hint="like 2026-03-15T03:00+00:00")
        with self.lock:
            self.what_if = at if at is not None else self._opened_for
            vars(self).pop("context", None)
            self.supposing = at is not None

    def record_run(self, job: str) -> None:
        """Remembers that a job ran: it is not due until its next occurrence. For a supposed instant nothing ran."""
        if not self.supposing:
            self.last_runs.record(job, self.now())

    # ── looks ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def scan(self, tick: Tick | None = None) -> "Snapshot":
        """Lists the whole workspace, opening only what changed."""
        with self.lock:
            self.snapshot = self._given or self.scanner.scan(self.now(), tick=tick)
            return self.snapshot

    def refresh(self, paths: Sequence[str]) -> "Snapshot":
        """Looks at these paths alone."""
        with self.lock:
            self.snapshot = self.scanner.refresh(paths, self.now())
            return self.snapshot

    def fresh(self, look: bool, tick: Tick | None = None) -> "Snapshot":
        """Gives the workspace as it is now, or as the watcher last left it, which waits for no dry run."""
        held = self.snapshot
        if not look and held is not None:
            return held
        with self.lock:
            return self.scan(tick) if look or self.snapshot is None else self.snapshot

    def facts(self, path: str) -> "os.stat_result | None":
        """Gives the facts of what is at a path of the workspace; None where nothing is, or it cannot be seen."""
        with suppress(MemdeckError):
            return self.root.lstat(path)
        return None

    def size_of(self, path: str) -> int | None:
        """Bytes of a workspace file; None where there is none or it cannot be seen."""
        facts = self.facts(path)
        return facts.st_size if facts is not None else None

    def written_at(self, path: str) -> datetime | None:
        """The instant at which a workspace file was written, as the disk says; None where none is, or is to be seen."""
        facts = self.facts(path)
        return datetime.fromtimestamp(facts.st_mtime_ns / 1e9, UTC) if facts is not None else None

    def apart(
        self, snapshot: "Snapshot", root: WorkspaceRoot | None = None, database: StateDatabase | None = None
    ) -> "OpenWorkspace":
        """Gives the workspace as `snapshot` shows it, as after a plan, with `root` and `database` if given."""
        # Made first, they are shared: they hold what was read of all operations, and the ranks of tokens.
        shared = {"operations": self.operations, "counter": self.counter}
        other = copy.copy(self)
        vars(other).update(shared)
        other.lock, other.opening = threading.RLock(), threading.RLock()
        other.snapshot = other._given = snapshot
        other.root, other.database = root or self.root, database or self.database
        other.settings = AgentSettings(other.root, other.policy)
        for made in ("records", "older"):  # made of this database and these notes
            vars(other).pop(made, None)
        return other

    def close(self) -> None:
        """Stores what was read for the next start, and closes the folder."""
        self.database.close()
        for scanner in made_parts(self, "scanner"):
            scanner.save()
        self.root.close()


def _check_platforms(policy: Policy) -> None:
    """Says at once what of the policy's platforms fits none, not when a screen first asks for them (decision D41)."""
    if policy.context.platforms:
        from engine.context.platforms.catalog import platforms

        platforms(policy)


@contextmanager
def disk_errors(what: str) -> Iterator[None]:
    """Has what the disk refuses come out as an error of ours."""
    try:
        yield
    except OSError as error:
        raise MemdeckError(f"{what}: {error.strerror or error}", where=str(error.filename or "")) from error
