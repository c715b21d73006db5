"""Tells how the console comes to its engine."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # opening it is for a thread, after the first paint
    from engine.services.engine import Engine


class Opening(NamedTuple):
    """An engine that is opened after the first paint; `workspace` is shown meanwhile."""

    workspace: Path
    open: "Callable[[], Engine]"
