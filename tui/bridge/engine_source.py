"""Tells how the console comes to its engine, and applies several plans by one answer."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from engine.errors import Cancelled, MemdeckError
from engine.plans.operation import Operation
from engine.workspace.values import Progress, Tick

if TYPE_CHECKING:  # opening it is for a thread, after the first paint
    from engine.services.engine import Engine


class Opening(NamedTuple):
    """An engine that is opened after the first paint; `workspace` is shown meanwhile."""

    workspace: Path
    open: "Callable[[], Engine]"


def each_applied(applies: Sequence[Callable[[], Operation]], tick: Tick) -> Iterator[Operation | MemdeckError]:
    """Applies plan after plan, each for its own approval; what one refuses stops no other. A cancel ends it between
    two: a plan that has begun is finished."""
    for number, apply in enumerate(applies):
        try:
            tick(Progress("applying", number, len(applies)))
        except Cancelled:
            return
        try:
            yield apply()
        except MemdeckError as error:
            yield error
