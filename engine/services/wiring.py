"""The composition root: opens one workspace and wires the parts that every question and order goes through."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import partial
from pathlib import Path

from engine.errors import MemdeckError
from engine.history.commit_dates import CommitDates
from engine.history.repository import NoRepository
from engine.plans.apply.context import ApplyContext
from engine.plans.apply.git_record import GitRecord
from engine.plans.policy.file import load_policy, policy_values
from engine.plans.policy.values import Policy, PolicyValue
from engine.plans.policy.workspace_config import CONFIG_FILE, unreadable, workspace_safety_keys
from engine.plans.policy.workspace_keys import workspace_tuning
from engine.plans.queue import Queue
from engine.plans.records.audit import AuditLog
from engine.schedule.job_runs import LastRuns
from engine.state.database import StateDatabase
from engine.state.folder import StateFolder, config_home, state_home
from engine.text.safe_text import visible_line
from engine.text.tokens import TokenCounter, counter
from engine.tree.cycle.idle import LastIdle
from engine.workspace.findings import Finding, FindingKind
from engine.workspace.paths import FileMissing, WorkspaceRoot
from engine.workspace.scanner import Scanner
from engine.workspace.transcript_root import TranscriptRoot

POLICY_NAME = "policy.yaml"
MOST_CONFIG_BYTES = 64 * 1024
"""Bytes of the agent's own settings; a larger file counts as unreadable."""


@dataclass(frozen=True)
class Wiring:
    """One opened workspace and the operator's side of it. `what_if` is the supposed time, if any."""

    root: WorkspaceRoot
    state: StateFolder
    policy: Policy
    policy_values: tuple[PolicyValue, ...]
    counter: TokenCounter
    scanner: Scanner
    queue: Queue
    audit: AuditLog
    git: GitRecord
    git_dates: "FirstCommitDates"
    database: StateDatabase
    last_runs: LastRuns
    context: ApplyContext
    real_clock: Callable[[], datetime]
    what_if: datetime | None
    tree_idle: LastIdle = field(default_factory=LastIdle)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The operator's environment, where the policy's `llm.key_variable` is looked up."""

    def now(self) -> datetime:
        """The instant decisions are made for."""
        return self.what_if or self.real_clock()

    def read_or_none(self, path: str) -> bytes | None:
        """The bytes of a workspace file, None where it cannot be read."""
        try:
            return self.root.read(path)
        except MemdeckError:
            return None

    def workspace_config(self) -> bytes | None:
        """The bytes of the agent's own `memory-config.yaml`; None where there is none that can be read."""
        try:
            return self.root.read(CONFIG_FILE, MOST_CONFIG_BYTES)
        except MemdeckError:
            return None

    def prompt_tokens(self) -> int:
        """The budget of a prompt: that of the policy, or less where the workspace asks for less (§9.3, G12)."""
        most, asked = self.policy.context.prompt_tokens, workspace_tuning(self.workspace_config()).token_budget
        # The agent may ask for less and never for more (decision G12).
        return most if asked is None else min(most, asked)

    def safety_findings(self) -> tuple[Finding, ...]:
        """Safety keys that the agent's own file sets; one that no one can read is told too (decision A28)."""
        try:
            if self.root.lstat(CONFIG_FILE) is None:
                return ()
            keys = workspace_safety_keys(self.root.read(CONFIG_FILE, MOST_CONFIG_BYTES))
            return (*keys, *self._transcript_findings())
        except FileMissing:
            return ()
        except MemdeckError as error:
            return (unreadable(error.message),)

    def _transcript_findings(self) -> tuple[Finding, ...]:
        """Says why the transcripts are not where the settings want them (decision D32)."""
        named, used = named_transcript_root(self.root), self.root.transcripts
        if not named or (used is not None and used.path == named and not used.problem):
            return ()
        if used is None or used.path != named:
            what = "its transcript root is ignored: the policy's lifecycle.transcript_roots does not name it"
            if named in self.policy.lifecycle.transcript_roots:
                what = "its transcript root was named since memdeck was started"
            fix = "name it in the operator's own policy, or start memdeck again: memdeck policy"
        else:
            what, fix = (
                f"its transcript root cannot be used: {used.problem}",
                "correct the folder, then start memdeck again",
            )
        return (
            Finding(
                kind=FindingKind.NOTICE,
                id="transcript_root",
                where=CONFIG_FILE,
                what=f"{what}: {visible_line(named)[:200]}",
                fix=fix,
            ),
        )


def open_parts(
    workspace: Path,
    *,
    policy_file: Path | None,
    what_if: datetime | None,
    env: Mapping[str, str],
    real_clock: Callable[[], datetime],
    read_only: bool = False,
) -> Wiring:
    """Opens everything; on failure nothing stays open. Raises what the parts raise, each with its exit code."""
    root = WorkspaceRoot.open(workspace)
    try:
        return _wired(root, policy_file, what_if, env, real_clock, read_only=read_only)
    except BaseException:
        root.close()
        raise


def _wired(
    root: WorkspaceRoot,
    policy_file: Path | None,
    what_if: datetime | None,
    env: Mapping[str, str],
    real_clock: Callable[[], datetime],
    *,
    read_only: bool,
) -> Wiring:
    state = StateFolder.locate(root.identity, state_home(env))
    default_policy = config_home(env) / POLICY_NAME
    read_policy = partial(load_policy, policy_file, default_path=default_policy, workspace=Path(root.identity.path))
    policy, origins = read_policy()
    # Before anything is scanned, since it stands in the place of `raw/conversations`.
    root.transcripts = transcript_root(root, policy, (str(state_home(env)), str(config_home(env))))
    _check_platforms(policy)
    # One counter for every figure: a limit and what is measured against it are in the same tokens (decision G7).
    tokens = counter(policy.tokens.counter)
    queue, audit = Queue(state.queue), AuditLog(state.audit)
    database = StateDatabase(state.path, read_only=read_only)
    git = GitRecord(root, policy=policy, state=state, audit=audit, clock=real_clock, env=env)
    git_dates = FirstCommitDates(git, policy.zone)
    return Wiring(
        root=root,
        state=state,
        policy=policy,
        policy_values=policy_values(policy, origins),
        counter=tokens,
        scanner=Scanner(root, cache_file=state.cache, counter=tokens, zone=policy.zone, git_dates=git_dates),
        queue=queue,
        audit=audit,
        git=git,
        git_dates=git_dates,
        database=database,
        last_runs=LastRuns(database),
        context=_apply_context(git, root, state, policy, queue, audit, real_clock, what_if, lambda: read_policy()[0]),
        real_clock=real_clock,
        what_if=what_if,
        env=env,
    )


def _apply_context(
    git: GitRecord,
    root: WorkspaceRoot,
    state: StateFolder,
    policy: Policy,
    queue: Queue,
    audit: AuditLog,
    real_clock: Callable[[], datetime],
    what_if: datetime | None,
    policy_now: Callable[[], Policy],
) -> ApplyContext:
    """Gives applying what it needs; `policy_now` reads the policy again: it may have changed meanwhile (G12)."""
    return ApplyContext(
        root=root,
        state=state,
        policy=policy,
        queue=queue,
        audit=audit,
        clock=real_clock,
        commit=git,
        settler=git,
        tag_before=git.tag_before,
        prepare=git.prepare,
        now=what_if,
        policy_now=policy_now,
    )


def _check_platforms(policy: Policy) -> None:
    """Says at once what of the policy's platforms fits none, not when a screen first asks for them (decision D41)."""
    if policy.context.platforms:
        from engine.context.platforms.catalog import platforms

        platforms(policy)


def transcript_root(root: WorkspaceRoot, policy: Policy, guarded: Sequence[str]) -> TranscriptRoot | None:
    """Opens the folder outside the workspace that both sides name for the transcripts; None: they are inside (D32)."""
    named = named_transcript_root(root)
    if named not in policy.lifecycle.transcript_roots:
        return None
    return TranscriptRoot.open(named, root.identity.path, guarded)


def named_transcript_root(root: WorkspaceRoot) -> str:
    """The folder that the agent's own settings name for the transcripts; empty for none."""
    try:
        return workspace_tuning(root.read(CONFIG_FILE, MOST_CONFIG_BYTES)).transcript_root
    except MemdeckError:
        return ""


class FirstCommitDates:
    """First-commit dates from whatever repository there is when they are asked for. One that did not answer in time is
    not asked again while the console is open; `problem` then says so."""

    def __init__(self, git: GitRecord, zone: str) -> None:
        self._git = git
        self._zone = zone
        self.problem = ""

    def __call__(self, paths: Sequence[str]) -> Mapping[str, date]:
        repository = self._git.repository()
        if self.problem or isinstance(repository, NoRepository):
            return {}
        dates = CommitDates(repository, self._zone)
        found = dates(paths)
        self.problem = dates.problem
        return found
