"""Declares every system once: its name, what it does, the job it serves, its options and its planner."""

from collections.abc import Callable
from functools import partial

import msgspec

from engine.compactor.options import COMPACTION_JOB, CompactRequest
from engine.errors import UsageError
from engine.flush.request import FlushRequest
from engine.lifecycle.archive.request import ArchiveRequest
from engine.lifecycle.branches.request import BranchesRequest
from engine.lifecycle.condense.request import CondenseRequest
from engine.lifecycle.extract.request import ExtractRequest
from engine.lifecycle.folders.request import FolderRequest
from engine.lifecycle.import_request import ImportRequest
from engine.lifecycle.prune.request import PruneRequest
from engine.lifecycle.replay.request import ReplayRequest
from engine.lifecycle.setup.request import InitRequest
from engine.lifecycle.shared.request import ShareRequest
from engine.models.model_task import ModelRole
from engine.monitoring.feedback_request import FeedbackRequest
from engine.plans.diff import change_diffs
from engine.plans.plan import Move
from engine.plans.planning import Planning, PlanRequest
from engine.plans.status import PlanOutcome
from engine.plans.system import System
from engine.plans.system_request import SystemRequest, given
from engine.services import planners
from engine.services.open_workspace import OpenWorkspace
from engine.services.policy_models import model_name
from engine.services.text_models import text_model
from engine.tree.cycle.options import TreeRequest
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Tick


class Planner(msgspec.Struct, frozen=True):
    """A planner: its name, what it does in a few words, the scheduled job it serves, and how to run it."""

    name: str
    title: str
    job: str
    run: Callable[[OpenWorkspace, Planning, PlanRequest], PlanOutcome]
    usage: str = ""
    """The command that asks for it, where it needs more than its name."""
    asked: type[SystemRequest] = SystemRequest
    """Its own options."""

    def outcome(self, opened: OpenWorkspace, snapshot: Snapshot, request: PlanRequest) -> PlanOutcome:
        """Plans over the files of a snapshot; `Cancelled` where the operator stops it."""
        self._check(request)
        planning = opened.planning(snapshot, request.at, request.tick)
        made = with_links_along(snapshot, self.run(opened, planning, request), request.tick)
        return _with_commit_text(opened, planning, request, made)

    def _check(self, request: PlanRequest) -> None:
        """`UsageError` for options that belong to another system (decision G29)."""
        if request.asked is None:
            if any(field.required for field in msgspec.structs.fields(self.asked)):
                raise UsageError(f"{self.name} needs more than its name", hint=self.usage)
        elif not isinstance(request.asked, self.asked):
            names = ", ".join(given(request.asked)) or "nothing"
            raise UsageError(f"{self.name} has no option {names}", hint=f"memdeck plan {self.name} --help")


def find_system(name: str) -> Planner:
    """The system of that name; `UsageError` names those that exist."""
    if name not in SYSTEMS:
        raise UsageError("there is no such system", where=name, hint=f"one of: {', '.join(SYSTEMS)}")
    return SYSTEMS[name]


def with_links_along(snapshot: Snapshot, outcome: PlanOutcome, tick: Tick | None = None) -> PlanOutcome:
    """The outcome whose plan takes the links to what it moves along."""
    if outcome.plan is None or not any(isinstance(change, Move) for change in outcome.plan.changes):
        return outcome
    from engine.lifecycle.references.moved_links import with_moved_links

    return with_moved_links(outcome, snapshot, tick)


def _with_commit_text(
    opened: OpenWorkspace, planning: Planning, request: PlanRequest, outcome: PlanOutcome
) -> PlanOutcome:
    """The outcome with what the commit will say, where the policy names a model for it."""
    plan = outcome.plan
    if plan is None or not model_name(opened.policy.llm, ModelRole.COMMIT):
        return outcome
    from engine.plans.commit_task import with_commit_text

    use = text_model(opened, ModelRole.COMMIT, planning, request, plan.system, spent=float(plan.cost.usd))
    diffs = change_diffs(plan, opened.root.read)
    tick = partial(planning.report, "message of the commit")
    made = with_commit_text(plan, diffs, use.model, opened.policy.llm.most_ungrounded, tick)
    return use.with_cost(msgspec.structs.replace(outcome, plan=made))


SYSTEMS: dict[str, Planner] = {
    system.name: system
    for system in (
        Planner(
            System.COMPACT,
            "working → episodic → semantic, originals to the archive",
            COMPACTION_JOB,
            planners.compact,
            asked=CompactRequest,
        ),
        Planner(System.TREE, "raw logs → days → weeks → months → ROOT", "daily", planners.tree, asked=TreeRequest),
        Planner(
            System.FLUSH,
            "what running sessions must not lose → daily log, MEMORY.md",
            "daily",
            planners.flush,
            asked=FlushRequest,
        ),
        Planner(System.TUNE, "topics: thresholds, patterns and bypass, by what you judged", "", planners.tune),
        Planner(
            System.EXTRACT,
            "closed transcripts → decisions, lessons, people, preferences and more",
            "",
            planners.extract,
            asked=ExtractRequest,
        ),
        Planner(
            System.REPLAY,
            "all transcripts read again → what the extractor would write now, compared",
            "",
            planners.replay,
            asked=ReplayRequest,
        ),
        Planner(
            System.CONDENSE,
            "closed transcripts → journals; last week's journals → MEMORY.md",
            "daily",
            planners.condense,
            asked=CondenseRequest,
        ),
        Planner(
            System.PRUNE,
            "MEMORY.md above its cap, old journals, unused knowledge → archive",
            "weekly",
            planners.prune,
            asked=PruneRequest,
        ),
        Planner(
            System.DISTILL, "untouched projects and people → archive; the lists of both", "monthly", planners.distill
        ),
        Planner(
            System.ARCHIVE,
            "daily logs after 30 days, or what --take names → archive",
            "monthly",
            planners.archive,
            asked=ArchiveRequest,
        ),
        Planner(
            System.RESTORE,
            "archived files → where they were",
            "",
            planners.restore,
            "memdeck plan restore --take PATH",
            asked=ArchiveRequest,
        ),
        Planner(
            System.INIT, "folders, git settings and hooks that a workspace lacks", "", planners.init, asked=InitRequest
        ),
        Planner(
            System.BRANCHES,
            "explorations and replays older than a week, or what --take names → tags",
            "",
            planners.branches,
            asked=BranchesRequest,
        ),
        Planner(
            System.SHARE,
            "shared knowledge as it was fetched last → knowledge/shared",
            "",
            planners.share,
            asked=ShareRequest,
        ),
        Planner(
            System.UNSHARE,
            "shared knowledge → archive",
            "",
            planners.unshare,
            "memdeck plan unshare --take NAME",
            asked=ShareRequest,
        ),
        Planner(
            System.FEEDBACK,
            "what you refused, edited and commented on → a file that the agent loads",
            "",
            planners.feedback,
            asked=FeedbackRequest,
        ),
        Planner(System.LINT, "files with faults in their form → what is mechanical, fixed", "", planners.lint),
        Planner(
            System.IMPORT,
            "what other tools keep → transcripts, knowledge",
            "",
            planners.import_,
            "memdeck import KIND [PATH]",
            asked=ImportRequest,
        ),
        Planner(
            System.REVIEW,
            "what changed between two folders → notes",
            "",
            planners.review,
            "memdeck review BEFORE AFTER",
            asked=FolderRequest,
        ),
    )
}
