"""Chooses who writes the summaries of a dry run: offline rules, or Claude where the operator's policy names a model."""

import msgspec

from engine.models.extractive import ExtractiveSummariser
from engine.models.model_task import ModelRole
from engine.models.summary import Summariser
from engine.plans.planning import Planning, PlanRequest
from engine.services.open_workspace import OpenWorkspace
from engine.services.policy_models import model_name
from engine.services.text_models import ModelUse, text_model


class SummaryWriter(msgspec.Struct, frozen=True):
    """A summariser and the model that it asks."""

    summariser: Summariser
    use: ModelUse = ModelUse()


def summary_writer(opened: OpenWorkspace, planning: Planning, request: PlanRequest, system: str) -> SummaryWriter:
    """The one that the policy names. Where the request only estimates, the one that tells what would be asked."""
    offline, llm = ExtractiveSummariser(), opened.policy.llm
    if not model_name(llm, ModelRole.SUMMARISE):
        return SummaryWriter(offline)
    # Only where Claude is asked is there a use for it.
    from engine.models.summary_task import ModelSummariser, SummaryTask

    use = text_model(opened, ModelRole.SUMMARISE, planning, request, system)
    return SummaryWriter(ModelSummariser(use.model, SummaryTask(offline, llm.most_ungrounded)), use)
