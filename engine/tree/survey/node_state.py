"""The state of a node: its status, its sources now and as it states them, and what follows from both."""

from datetime import date

import msgspec

from engine.tree.levels import Freshness, NodeLevel, NodeStatus
from engine.tree.survey.source_hashes import Source, Values


class HeldNode(msgspec.Struct, frozen=True, gc=False):
    """A node as it is on disk, or as this run would write it."""

    sha256: str
    values: Values
    lines: int
    tokens: int
    data: bytes | None = None
    """Its bytes, where this run would write them."""


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """One period of one level. `sources` is what it should be made from now, `known` what it says it was made from."""

    level: NodeLevel
    period: str
    path: str
    status: NodeStatus | None
    """None where there is no node. Fixed in the operator's records stays fixed whatever the file says."""
    freshness: Freshness
    ours: bool
    """True if its bytes are those we last wrote."""
    sources: tuple[Source, ...]
    known: tuple[Source, ...]
    missing: tuple[str, ...]
    """Sources that cannot be read (decision C19)."""
    waiting: tuple[str, ...]
    """Children that are not there yet."""
    complete: bool
    """True if every source is readable and every child fixed."""
    fixed_from: date
    """The first day on which the calendar lets it be fixed (decision C2)."""
    doubt: str = ""
    """The reason why its claims do not hold, where it is left out of what is made from it."""

    @property
    def exists(self) -> bool:
        return self.status is not None

    @property
    def fixed(self) -> bool:
        return self.status is NodeStatus.FIXED
