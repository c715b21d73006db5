"""Hands what was read to whoever shows it, and keeps the latest of each kind for panes that come later."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from engine.errors import MemdeckError
from engine.plans.memory_status import Status
from engine.plans.operation import Operation
from engine.plans.plan import QueueEntry

if TYPE_CHECKING:
    from engine.services.consolidations import ConsolidationItem

Fact = TypeVar("Fact")


class StatusRead(NamedTuple):
    """The workspace was read anew."""

    status: Status


class EarlierStatusRead(NamedTuple):
    """An earlier look found this; the workspace is being read."""

    status: Status


class QueueRead(NamedTuple):
    """The queue was read anew."""

    entries: tuple[QueueEntry, ...]


class OperationsRead(NamedTuple):
    """The operations were read anew, newest first."""

    operations: tuple[Operation, ...]


class ConsolidationsRead(NamedTuple):
    """The consolidations by other tools were read anew."""

    items: "tuple[ConsolidationItem, ...]"


class LookFailed(NamedTuple):
    """The workspace could not be read, and what is on screen is of before; `opened`: it could be opened at least."""

    error: MemdeckError
    opened: bool = True


class PlanExpected(NamedTuple):
    """A plan that the operator asked for is about to appear in the queue."""

    plan: str


class TimePassed(NamedTuple):
    """Ages on screen are to be painted anew."""


class Facts:
    """Knows who follows what."""

    def __init__(self) -> None:
        self._latest: dict[type, Any] = {}
        self._followers: dict[type, list[Callable[[Any], object]]] = {}

    def follow(self, kind: type[Fact], take: Callable[[Fact], object]) -> None:
        """Calls `take` for each fact of a kind from now on, and at once for the latest, where one is kept."""
        self._followers.setdefault(kind, []).append(take)
        if kind in self._latest:
            take(self._latest[kind])

    def keep(self, fact: object) -> None:
        """Tells a fact that holds until the next of its kind."""
        self._latest[type(fact)] = fact
        self.tell(fact)

    def tell(self, fact: object) -> None:
        """Tells what only matters now."""
        for take in self._followers.get(type(fact), ()):
            take(fact)
