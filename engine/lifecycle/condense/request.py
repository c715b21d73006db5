"""Declares what can be asked of a condensation."""

from enum import StrEnum
from typing import Annotated

from engine.plans.system_request import SystemRequest, option


class CondensePart(StrEnum):
    """Transcripts into journals, and journals into MEMORY.md."""

    DAILY = "daily"
    WEEKLY = "weekly"


class CondenseRequest(SystemRequest, frozen=True):
    """Parts to plan, and days or one week to take in the place of what is due."""

    take: Annotated[tuple[str, ...], option("This day, or this week.", "DAY|WEEK")] = ()
    only: Annotated[tuple[CondensePart, ...], option("Only this part.")] = ()
