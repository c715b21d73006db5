"""Records what others changed in notes before an operation or a look, which would hide who did it."""

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
    """Looks for losses and for other tools' consolidations; writes only in the operator's state."""

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
        """Records losses and other tools' consolidations, before an operation or a look."""
        self._alarms.look()
        with suppress(MemdeckError):
            self._consolidations.look()

    def operation_ended(self) -> None:
        """Records that an operation changed the workspace."""
        with suppress(OSError, MemdeckError):
            self._changes.operation_ended()
            self._flags.operation_ended()
        self._alarms.look()
        self._qmd.refresh()
