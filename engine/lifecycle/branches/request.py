"""Declares what can be asked of the end of branches."""

from typing import Annotated

from engine.plans.system_request import SystemRequest, option


class BranchesRequest(SystemRequest, frozen=True):
    """Branches to end whatever their age."""

    take: Annotated[tuple[str, ...], option("This branch, whatever its age.", "BRANCH")] = ()
