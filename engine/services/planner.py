"""The declaration of a system: its name, title, job, options, and the function that plans."""

from collections.abc import Callable
from functools import partial

import msgspec

from engine.errors import UsageError
from engine.models.model_task import ModelRole
from engine.plans.diff import change_diffs
from engine.plans.plan import Move
from engine.plans.planning import Planning, PlanOutcome, PlanRequest
from engine.plans.system_request import SystemRequest, given
from engine.services.open_workspace import OpenWorkspace
from engine.services.policy_models import model_name
from engine.services.text_models import text_model
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Tick

Run = Callable[[OpenWorkspace, Planning, PlanRequest], PlanOutcome]


class Planner(msgspec.Struct, frozen=True):
    """A planner: its name, title, scheduled job, options, and function."""

    name: str
    title: str
    job: str
    run: Run
    usage: str = ""  # the command that asks for it, where it needs more than its name
    asked: type[SystemRequest] = SystemRequest  # its own options

    def outcome(self, opened: OpenWorkspace, snapshot: Snapshot, request: PlanRequest) -> PlanOutcome:
        """Plans over a snapshot; `Cancelled` where the operator stops it."""
        self._check(request)
        planning = opened.planning(snapshot, request.at, request.tick)
        made = with_links_along(snapshot, self.run(opened, planning, request), request.tick)
        return _with_commit_text(opened, planning, request, made)

    def _check(self, request: PlanRequest) -> None:
        """Raises `UsageError` for options of another system (decision G29)."""
        if request.asked is None:
            if any(field.required for field in msgspec.structs.fields(self.asked)):
                raise UsageError(f"{self.name} needs more than its name", hint=self.usage)
        elif not isinstance(request.asked, self.asked):
            names = ", ".join(given(request.asked)) or "nothing"
            raise UsageError(f"{self.name} has no option {names}", hint=f"memdeck plan {self.name} --help")


def planner(
    name: str, title: str, job: str = "", asked: type[SystemRequest] = SystemRequest, usage: str = ""
) -> Callable[[Run], Planner]:
    """Declares the function below as a system's planner."""
    return lambda run: Planner(name, title, job, run, usage, asked)


def with_links_along(snapshot: Snapshot, outcome: PlanOutcome, tick: Tick | None = None) -> PlanOutcome:
    """Adds changes of the links to moved files to the plan."""
    if outcome.plan is None or not any(isinstance(change, Move) for change in outcome.plan.changes):
        return outcome
    from engine.lifecycle.references.moved_links import with_moved_links

    return with_moved_links(outcome, snapshot, tick)


def _with_commit_text(
    opened: OpenWorkspace, planning: Planning, request: PlanRequest, outcome: PlanOutcome
) -> PlanOutcome:
    """Adds the commit's sentences to the plan, where the policy names a model for them."""
    plan = outcome.plan
    if plan is None or not model_name(opened.policy.llm, ModelRole.COMMIT):
        return outcome
    from engine.plans.commit_task import with_commit_text

    use = text_model(opened, ModelRole.COMMIT, planning, request, plan.system, spent=float(plan.cost.usd))
    diffs = change_diffs(plan, opened.root.read)
    tick = partial(planning.report, "message of the commit")
    made = with_commit_text(plan, diffs, use.model, opened.policy.llm.most_ungrounded, tick)
    return use.with_cost(msgspec.structs.replace(outcome, plan=made))
