"""Declares what can be asked of a flush."""

from typing import Annotated

from engine.plans.system_request import SystemRequest, option


class FlushRequest(SystemRequest, frozen=True):
    """`band`: the band of the window that calls for a flush; empty where a person does."""

    aggressive: Annotated[bool, option("Summarise also what is kept word for word otherwise.")] = False
    band: str = ""
