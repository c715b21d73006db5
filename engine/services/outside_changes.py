"""Records what others did to the notes around an operation or a look, which hide who did what."""

from contextlib import suppress
from typing import TYPE_CHECKING

from engine.errors import MemdeckError

if TYPE_CHECKING:
    from engine.services.alarms import AlarmService
    from engine.services.changes import ChangeService
    from engine.services.consolidations import ConsolidationService
    from engine.services.note_flags import FlagService
    from engine.tree.cycle.qmd import Qmd


class OutsideChanges:
    """Looks for losses and for what other tools consolidated; writes in the operator's state alone."""

    def __init__(
        self,
        alarms: "AlarmService",
        consolidations: "ConsolidationService",
        changes: "ChangeService",
        flags: "FlagService",
        qmd: "Qmd",
    ) -> None:
        self._alarms, self._consolidations, self._changes = alarms, consolidations, changes
        self._flags, self._qmd = flags, qmd

    def record(self) -> None:
        """Records losses and what other tools consolidated, before an operation or a look."""
        self._alarms.look()
        with suppress(MemdeckError):
            self._consolidations.look()

    def operation_ended(self) -> None:
        """Takes in that an operation changed the workspace."""
        with suppress(OSError, MemdeckError):
            self._changes.operation_ended()
            self._flags.operation_ended()
        self._alarms.look()
        self._qmd.refresh()
