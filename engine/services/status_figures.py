"""Collects the status: one value for the console's first screen and `memdeck status`."""

import os
from collections.abc import Iterator
from itertools import chain
from typing import Any

import msgspec

from engine.compactor.limits.evaluation import counted_tiers, evaluate
from engine.compactor.options import COMPACTION_JOB
from engine.errors import Damaged, Stale
from engine.history.gitmodules import FILE as GITMODULES
from engine.history.gitmodules import shared_entries
from engine.history.repository import NoRepository, Repository
from engine.plans.memory_status import Degraded, QueueFigures, Status, UseCounts
from engine.plans.plan import PlanState, QueueEntry
from engine.plans.policy.values import LlmPolicy, ModelRoles, Policy
from engine.plans.prediction import obstacle
from engine.plans.records.journal import load_journal
from engine.schedule.due_times import due_jobs, jobs
from engine.search.embedding.embedder import EMBEDDER_FIX, embedder_problem
from engine.services.open_workspace import OpenWorkspace
from engine.state.folder import StateFolder
from engine.state.private_files import known_record
from engine.state.workspace_lock import is_alive, read_owner
from engine.text.encoder.encoder import FIX as ENCODER_FIX
from engine.text.encoder.encoder import encoder_problem
from engine.text.safe_text import visible_line
from engine.tree.levels import ROOT_PATH
from engine.tree.survey.tree_status import tree_status
from engine.workspace.layout import MEMORY, MEMORY_MD_PATHS, TIER_FOLDERS, memory_md_band
from engine.workspace.snapshot import Snapshot
from engine.workspace.system_calls import find_program
from engine.workspace.values import Finding

_WAITING = (PlanState.PENDING, PlanState.APPROVED, PlanState.EXPIRED)  # states of a plan that the operator may decide
LARGE = 2_000  # files from which on a hurried look does without the tree's figures
FOUND_BY_CHECK = frozenset({"commit_owed", "git_left_over", "git_lock", "owed_damaged"})
"""Degraded modes that `check` reports too, with their kind."""


class KnownTree:
    """The tree's figures, computed again only after it changed: with 9,000 raw logs they take most of a status."""

    def __init__(self) -> None:
        self._key: object = None
        self._figures: dict[str, Any] = {}

    def figures(self, opened: OpenWorkspace, snapshot: Snapshot, *, hurried: bool) -> dict[str, Any]:
        """Gives the tree's figures for a snapshot; `hurried`: earlier figures will do, marked `earlier`."""
        key = _tree_key(opened, snapshot)
        if key != self._key:
            if hurried and self._figures and len(snapshot.files) > LARGE:
                return {**self._figures, "earlier": True}
            self._figures = tree_status(opened.survey(snapshot), opened.policy.limits.root_tokens)
            self._key = key
        return self._figures


def _tree_key(opened: OpenWorkspace, snapshot: Snapshot) -> object:
    """Gives all that the tree's figures depend on; unchanged facts are the same objects, so that comparing is fast."""
    files = snapshot.files.items()
    facts = [known for path, known in files if path.startswith("memory/") and not path.startswith(_TIERS)]
    # Outlines of records that did not change are the same objects as well: 100,000 of them are compared at once.
    operations = opened.operations.outlines()
    return (opened.now().astimezone(opened.policy.time_zone).date(), facts, snapshot.skipped, operations)


_WRITTEN_FOLDERS = (MEMORY, *(f"{MEMORY}/{level}" for level in ("daily", "weekly", "monthly")), *TIER_FOLDERS.values())
_TIERS = tuple(f"{folder}/" for folder in TIER_FOLDERS.values())


def overview(
    opened: OpenWorkspace,
    snapshot: Snapshot,
    entries: tuple[QueueEntry, ...],
    tree: dict[str, Any],
    window: dict[str, Any],
) -> Status:
    """Gives the whole status from a snapshot, a queue, and the figures of the tree and the window."""
    now, states = opened.now(), [entry.state for entry in entries]
    compactor = evaluate(snapshot, opened.policy, now, opened.records.compactor_history(COMPACTION_JOB))
    return Status(
        workspace=snapshot.workspace.path,
        now=now,
        simulated_clock=opened.what_if is not None,
        tokenizer=snapshot.tokenizer,
        capabilities=tuple(sorted(snapshot.capabilities)),
        memory_tiers=counted_tiers(snapshot, opened.policy.limits.semantic, compactor),
        triggers=compactor.judged.states,
        primary_trigger=compactor.judged.primary,
        risk_tier=compactor.judged.risk_tier,
        cooldown=compactor.cooldown,
        first_run=compactor.first_run,
        next_eligible=compactor.next_eligible,
        tree=tree,
        window=window,
        memory_md=_memory_md(snapshot),
        queue=QueueFigures(pending=sum(map(states.count, _WAITING)), stale=states.count(PlanState.STALE)),
        degraded=(*_cut_off(opened.state), *degraded(opened)),
        due=due_jobs(opened.last_runs.all(), now, jobs(opened.policy.zone), opened.rest()),
        uses=known_record(opened.state.use_counts, UseCounts) or UseCounts(),
        skipped=snapshot.skipped,
        notes=tuple(_notes(opened, snapshot)),
        git=opened.git.usable() is not None and not opened.git_dates.problem,
        shared=tuple(sorted(shared_entries(opened.root.read_or_none(GITMODULES) or b""))),
    )


_CUT_OFF = frozenset({"recover", "records", "state"})
"""Degraded modes that are worse than any alarm but a loss: files or records may be incomplete."""


def headline(status: Status) -> str:
    """Gives the worst of a status in a line, in the order of the page."""
    losses = (alarm.line for alarm in status.alarms if alarm.id == "loss")
    broken = (item.what for item in status.degraded if item.id in _CUT_OFF)
    fired = (f"{trigger.id}: {trigger.detail or trigger.value}" for trigger in status.triggers if trigger.fired)
    waiting = f"{status.queue.pending:,} plans wait" if status.queue.pending > 1 else "1 plan waits"
    lines = chain(
        losses,
        broken,
        (alarm.line for alarm in status.alarms),
        (item.what for item in status.degraded),
        fired,
        (f"{item.path}: {item.reason}" for item in status.skipped),
        status.notes,
        (waiting,) if status.queue.pending else (),
    )
    return next(lines, "nothing needs a look")


def degraded(opened: OpenWorkspace) -> Iterator[Degraded]:
    """Yields what works less well than it could on this machine, each with its fix."""
    if opened.counter.degraded_reason:
        yield Degraded(id="tokenizer", what=opened.counter.degraded_reason, fix="figures are estimates until then")
    yield from _git(opened.git.repository())
    yield from map(_mode, opened.git.findings())
    if opened.git_dates.problem:
        what = f"{opened.git_dates.problem}: files that tell no date are dated by the disk"
        yield Degraded(id="git", what=what, fix="look at the repository with `git fsck`, then start memdeck again")
    yield from (msgspec.structs.replace(_mode(finding), id="records") for finding in opened.operations.damaged())
    if reason := embedder_problem(opened.policy.search.embedder):
        yield Degraded(id="search", what=f"search goes by words alone: {reason}", fix=EMBEDDER_FIX)
    if missing := encoder_problem():
        yield Degraded(id="encoder", what=f"sessions are judged by rules alone: {missing}", fix=ENCODER_FIX)
    yield from _without_effect(opened.policy)
    # Safety keys that the agent's own file sets: ignored, and what an operator wants to see (decision A28).
    yield from map(_mode, opened.settings.safety_findings())
    yield from _changed_policy(opened)
    yield from _obstacles(opened)
    if opened.state.closed:
        what = f"other users could read memdeck's records until now: {', '.join(opened.state.closed)}"
        yield Degraded(id="state", what=what, fix="nothing: they are closed now, mode 0700 and 0600")
    if problem := opened.database.trouble():
        what = f"what memdeck remembers for you cannot be read, or not all of it: {problem}"
        yield Degraded(id="state", what=what, fix="memdeck recover rebuilds what it can")
    if opened.scanner.cache_problem:
        yield Degraded(
            id="cache", what=opened.scanner.cache_problem, fix="each start reads every file again until then"
        )


def _mode(finding: Finding) -> Degraded:
    return Degraded(id=finding.id, what=f"{finding.where}: {finding.what}", fix=finding.fix)


def _obstacles(opened: OpenWorkspace) -> Iterator[Degraded]:
    """Reports links and other obstacles in places that plans write (promise A9)."""
    found = [obstacle(opened.root, folder, is_folder=True) for folder in _WRITTEN_FOLDERS]
    for reason in filter(None, dict.fromkeys((*found, obstacle(opened.root, ROOT_PATH)))):
        what, _, fix = reason.partition("; ")
        yield Degraded(id="obstacle", what=f"{what}: no plan can write there", fix=fix)


def _changed_policy(opened: OpenWorkspace) -> Iterator[Degraded]:
    """Reports a policy that changed while a console is open: plans follow the old one, and none is applied."""
    try:
        opened.context.check_policy()
    except Stale as stale:
        yield Degraded(id="policy", what=stale.message, fix=stale.hint)


def _cut_off(state: StateFolder) -> Iterator[Degraded]:
    """Reports an operation whose process died: its changes look like the agent's (promise B1)."""
    try:
        journal = load_journal(state)
    except Damaged as error:
        yield Degraded(id="records", what=error.message, fix="memdeck check says what is known of it")
        return
    owner = read_owner(state)
    if journal is not None and (owner is None or not is_alive(owner)):
        what = f"{journal.operation.id} was cut off half-way"
        yield Degraded(id="recover", what=what, fix="memdeck recover finishes it or undoes it")


def _without_effect(policy: Policy) -> Iterator[Degraded]:
    """Reports policy keys that this version does not act on."""
    if policy.llm.provider != "extractive" and policy.llm.models == ModelRoles():
        fix = "name a model in llm.models for gate, extract, summarise or commit"
        what = f"{policy.llm.provider} is chosen and no model is named: all goes offline"
        yield Degraded(id="llm.provider", what=what, fix=fix)
    if policy.llm.provider == "claude":
        yield from _unknown_models(policy.llm)
    for key, chosen, used in (
        ("search.embedder", policy.search.embedder, "auto"),
        ("topics.scorer", policy.topics.scorer, "blend"),
    ):
        if chosen == "transformer":
            yield Degraded(id=key, what=f"there is no transformer any more: {used} stands in", fix=f"set {key}: {used}")


def _unknown_models(llm: LlmPolicy) -> Iterator[Degraded]:
    from difflib import get_close_matches  # few policies name a model

    from engine.services.policy_models import known_models, unknown_models

    for name in unknown_models(llm):
        near = get_close_matches(name, known_models(), 1)
        fix = f"did you mean {near[0]}?" if near else "correct llm.models, or give its price in llm.prices"
        yield Degraded(id="llm.models", what=f"no known model is called {visible_line(name)}", fix=fix)


def _git(repository: Repository | NoRepository) -> Iterator[Degraded]:
    """Reports why operations are not committed although there is a repository; undo needs none."""
    if isinstance(repository, NoRepository):
        if repository.reason:
            yield Degraded(id="git", what=repository.reason, fix="operations are not committed; undo works without git")
    elif find_program("git", repository.git.top, os.environ) is None:
        yield Degraded(id="git", what="git is not installed", fix="install it, and operations are committed again")
    elif under_way := repository.under_way():
        yield Degraded(id="git", what=f"{under_way} is under way", fix="finish it, and operations are committed again")


def _memory_md(snapshot: Snapshot) -> dict[str, Any]:
    facts = next((snapshot.files[path] for path in MEMORY_MD_PATHS if path in snapshot.files), None)
    unread = next((skipped.reason for skipped in snapshot.skipped if skipped.path in MEMORY_MD_PATHS), "")
    if facts is None and unread:  # a platform may well read what is there
        return {"lines": 0, "band": "unknown", "reason": unread}
    lines = facts.lines if facts else 0
    return {"lines": lines, "band": memory_md_band(lines)}


def _notes(opened: OpenWorkspace, snapshot: Snapshot) -> Iterator[str]:
    today = opened.now().date()
    for facts in snapshot.files.values():
        if facts.notes or facts.frontmatter_problem:  # most have neither, and there may be 10,000
            problem = [f"frontmatter: {facts.frontmatter_problem}"] if facts.frontmatter_problem else []
            yield from (f"{facts.path}: {note}" for note in (*facts.notes, *problem))
        if facts.date.is_future(today):
            yield f"{facts.path}: dated {facts.date.day}, in the future: it counts as 0 days old"
