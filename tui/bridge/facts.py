"""Passes facts to the panes that follow them, and keeps the latest of each kind for panes that come later."""

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
    """The status of the workspace after a read."""

    status: Status


class EarlierStatusRead(NamedTuple):
    """The status that an earlier look saved, shown until the workspace is read."""

    status: Status


class QueueRead(NamedTuple):
    """The queue after a read."""

    entries: tuple[QueueEntry, ...]


class OperationsRead(NamedTuple):
    """The operations after a read, the newest first."""

    operations: tuple[Operation, ...]


class ConsolidationsRead(NamedTuple):
    """The consolidations by other tools after a read."""

    items: "tuple[ConsolidationItem, ...]"


class LookFailed(NamedTuple):
    """A failed read, after which the screen shows older facts; `opened` tells whether the workspace opened at all."""

    error: MemdeckError
    opened: bool = True


class PlanExpected(NamedTuple):
    """A plan that the operator asked for and that will appear in the queue."""

    plan: str


class TimePassed(NamedTuple):
    """A moment at which ages on the screen need painting again."""


class Facts:
    """Knows which functions follow which kind of fact."""

    def __init__(self) -> None:
        self._latest: dict[type, Any] = {}
        self._followers: dict[type, list[Callable[[Any], object]]] = {}

    def follow(self, kind: type[Fact], take: Callable[[Fact], object]) -> None:
        """Calls `take` for each coming fact of a kind, and at once for the latest one kept."""
        self._followers.setdefault(kind, []).append(take)
        if kind in self._latest:
            take(self._latest[kind])

    def keep(self, fact: object) -> None:
        """Passes on a fact, and keeps it until the next of its kind."""
        self._latest[type(fact)] = fact
        self.tell(fact)

    def tell(self, fact: object) -> None:
        """Passes on a fact without keeping it."""
        for take in self._followers.get(type(fact), ()):
            take(fact)
