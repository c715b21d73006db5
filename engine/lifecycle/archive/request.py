"""Declares what can be asked of an archiving or a restoration."""

from typing import Annotated

from engine.plans.system_request import SystemRequest, option


class ArchiveRequest(SystemRequest, frozen=True):
    """Files and folders to archive, in the place of the daily logs that are due, or to restore."""

    take: Annotated[tuple[str, ...], option("This file or folder.", "PATH")] = ()
