"""Holds what the services of one open workspace share: its parts, its last snapshot and the what-if time."""

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
from engine.workspace.system_calls import UNWRITTEN
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
    """One open workspace and the operator's records of it; parts are made when first used. `lock` is held during
    scans, planning and changes of records. `env` is the operator's environment, `what_if` the what-if time."""

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
        """Opens a folder and reads the operator's policy; on an error closes everything and raises it."""
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
            UNWRITTEN.update((self.state.path,) if read_only else ())
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
        """Gives the one token counter of all figures, so that a limit and its value are comparable (G7)."""
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
        """Gives what applying needs; it reads the policy's file again, which may have changed (decision G12)."""
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
        """Prepares the apply of a plan: git-crypt's keys, and the words to be forgotten."""
        from engine.lifecycle.forget.tombstones import begin

        self.git.prepare(plan, numbers)
        begin(self.state.path, plan)

    def _measure(self, plan: Plan, numbers: "Sequence[int]", read: "Callable[[str], bytes]") -> "tuple[FileSize, ...]":
        from engine.plans.sizes import PlanSizes, lasting_files

        return PlanSizes(lasting_files(plan, read, self.policy.limits), (), self.counter.count).files(numbers)

    # ── what planners are given ────────────────────────────────────────────────────────────────────────────────────

    def planning(self, snapshot: "Snapshot", at: datetime | None = None, tick: Tick | None = None) -> "Planning":
        """Gives the circumstances of a plan; `at` is its instant, by default now."""
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
        """Surveys the tree as of today in the workspace's zone (decision G5)."""
        from engine.tree.survey.survey import Survey

        return Survey(snapshot, self.records.tree(), self.now().astimezone(self.policy.time_zone).date())

    # ── the clock ──────────────────────────────────────────────────────────────────────────────────────────────────

    def now(self) -> datetime:
        """Gives the instant of decisions: the what-if time, or the real time."""
        return self.what_if or self.real_clock()

    def rest(self) -> "MachineRest | None":
        """Gives how the machine slept; None where it is unknown or time is simulated."""
        return None if self.what_if is not None else self._rest()

    def suppose(self, at: datetime | None) -> None:
        """Sets a what-if time; None resets it."""
        if at is not None and at.tzinfo is None:
            raise UsageError("a what-if time needs an offset", where=at.isoformat(), hint="like 2026-03-15T03:00+00:00")
        with self.lock:
            self.what_if = at if at is not None else self._opened_for
            vars(self).pop("context", None)
            self.supposing = at is not None

    def record_run(self, job: str) -> None:
        """Records that a job ran, so that it is due at its next time; nothing under a what-if time."""
        if not self.supposing:
            self.last_runs.record(job, self.now())

    # ── looks ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def scan(self, tick: Tick | None = None) -> "Snapshot":
        """Scans the whole workspace; opens only changed files."""
        with self.lock:
            self.snapshot = self._given or self.scanner.scan(self.now(), tick=tick)
            return self.snapshot

    def refresh(self, paths: Sequence[str]) -> "Snapshot":
        with self.lock:
            self.snapshot = self.scanner.refresh(paths, self.now())
            return self.snapshot

    def fresh(self, look: bool, tick: Tick | None = None) -> "Snapshot":
        """Gives a new scan's snapshot with `look`, otherwise the watcher's last one, which waits for no dry run."""
        held = self.snapshot
        if not look and held is not None:
            return held
        with self.lock:
            return self.scan(tick) if look or self.snapshot is None else self.snapshot

    def facts(self, path: str) -> "os.stat_result | None":
        """Reads a workspace path's metadata; None where there is nothing, or it cannot be read."""
        with suppress(MemdeckError):
            return self.root.lstat(path)
        return None

    def size_of(self, path: str) -> int | None:
        """Gives a workspace file's size in bytes; None where it cannot be read."""
        facts = self.facts(path)
        return facts.st_size if facts is not None else None

    def written_at(self, path: str) -> datetime | None:
        """Gives the time at which a workspace file was written, by the disk; None where it cannot be read."""
        facts = self.facts(path)
        return datetime.fromtimestamp(facts.st_mtime_ns / 1e9, UTC) if facts is not None else None

    def apart(
        self, snapshot: "Snapshot", root: WorkspaceRoot | None = None, database: StateDatabase | None = None
    ) -> "OpenWorkspace":
        """Gives the workspace with another `snapshot`, such as after a plan, and another `root` and `database`."""
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
        """Stores caches for the next start, and closes the folder."""
        self.database.close()
        for scanner in made_parts(self, "scanner"):
            scanner.save()
        self.root.close()


def _check_platforms(policy: Policy) -> None:
    """Checks the policy's platforms when the workspace opens, not when a screen first needs them (decision D41)."""
    if policy.context.platforms:
        from engine.context.platforms.catalog import platforms

        platforms(policy)


@contextmanager
def disk_errors(what: str) -> Iterator[None]:
    """Converts disk errors into memdeck's."""
    try:
        yield
    except OSError as error:
        raise MemdeckError(f"{what}: {error.strerror or error}", where=str(error.filename or "")) from error
