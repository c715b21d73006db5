"""Declares what can be asked of a prune."""

from enum import StrEnum
from typing import Annotated

from engine.plans.system_request import SystemRequest, option


class PrunePart(StrEnum):
    """The three parts of a prune, as §9.2 has them."""

    MEMORY = "memory"
    JOURNALS = "journals"
    FILES = "files"


class PruneRequest(SystemRequest, frozen=True):
    """The parts to plan; none named: all."""

    only: Annotated[tuple[PrunePart, ...], option("Only this part.")] = ()
