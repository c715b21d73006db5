"""Declares what can be asked of a replay."""

from typing import Annotated

from engine.plans.system_request import SystemRequest, option


class ReplayRequest(SystemRequest, frozen=True):
    """A replay by name, on so many processes or on a cluster, compared or kept on a branch `extract/NAME`."""

    name: Annotated[str, option("Its name; one of this name that was stopped goes on.", "NAME")] = "replay"
    workers: Annotated[int, option("Read transcripts on N processes.", "N", least=1, most=64)] = 1
    scheduler: Annotated[str, option("Read transcripts on this Dask cluster.", "ADDRESS")] = ""
    branch: Annotated[bool, option("Keep it on the branch extract/NAME, each week rolled up.")] = False
