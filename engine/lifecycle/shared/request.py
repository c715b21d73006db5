"""Declares what can be asked of shared knowledge."""

from typing import Annotated

from engine.plans.system_request import SystemRequest, option


class ShareRequest(SystemRequest, frozen=True):
    """Shares to bring up to date or to archive; none named: all."""

    take: Annotated[tuple[str, ...], option("Only this share.", "NAME")] = ()
