"""Declares what can be asked of feedback."""

from typing import Annotated

from engine.plans.system_request import SystemRequest, option


class FeedbackRequest(SystemRequest, frozen=True):
    """The file to write to, in the place of the first that the agent loads."""

    take: Annotated[tuple[str, ...], option("The file to write to.", "PATH")] = ()
