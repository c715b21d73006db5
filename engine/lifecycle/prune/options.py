"""The tuning of a prune, and what the operator's records say of uses (autopoiesis §9.3)."""

from collections.abc import Callable, Mapping
from datetime import date
from enum import StrEnum

import msgspec

from engine.lifecycle.references.reference_days import Days
from engine.workspace.memory_md import MEMORY_MD_LINES

_LIMITS = dict(MEMORY_MD_LINES)


Touched = Callable[[str], date | None]
"""Gives the day on which the disk says that a file was written; asked of files that bear no date of their own."""


def never_touched(_path: str) -> date | None:
    """Stands in where the disk is not asked."""
    return None


class PrunePart(StrEnum):
    """The three parts of a prune, as §9.2 has them."""

    MEMORY = "memory"
    JOURNALS = "journals"
    FILES = "files"


class PruneOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`line_cap`: lines of MEMORY.md from which entries go; `room`: what is left then; `retention`: days of a journal.

    `uses` are the kept days of references by path.
    """

    parts: tuple[PrunePart, ...] = tuple(PrunePart)
    line_cap: int = _LIMITS["full"]
    room: int = _LIMITS["warning"]
    retention: int = 90
    uses: Mapping[str, Days] = {}
    touched: Touched = never_touched
