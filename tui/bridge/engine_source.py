"""Says how the console gets its engine, and applies several plans after one answer."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from engine.errors import Cancelled, MemdeckError
from engine.plans.operation import Operation
from engine.workspace.values import Progress, Tick

if TYPE_CHECKING:  # opening it is for a thread, after the first paint
    from engine.services.engine import Engine


class Opening(NamedTuple):
    """An engine to open after the first paint; `workspace` is shown until then."""

    workspace: Path
    open: "Callable[[], Engine]"


def each_applied(applies: Sequence[Callable[[], Operation]], tick: Tick) -> Iterator[Operation | MemdeckError]:
    """Applies plans, each with its own approval; refused plans stop no others, a cancel takes effect between two."""
    for number, apply in enumerate(applies):
        try:
            tick(Progress("applying", number, len(applies)))
        except Cancelled:
            return
        try:
            yield apply()
        except MemdeckError as error:
            yield error
