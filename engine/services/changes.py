"""Tells what the agent changed in notes since the operator's last look."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from engine.monitoring.last_look import SeenStore
from engine.plans.diff import FileDiff, without_secrets
from engine.services.open_workspace import OpenWorkspace, disk_errors
from engine.services.part import made_parts, part

if TYPE_CHECKING:
    from engine.monitoring.agent_changes import AgentChange, AgentChangeLog, SinceLook
    from engine.workspace.snapshot import Snapshot


class ChangeService:
    """Compares notes with their state at the operator's last look. Writes only in the operator's state folder."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened, self.opening = opened, opened.opening
        self._placed: tuple[Snapshot, Mapping[str, str]] | None = None

    def since_looked(self, *, look: bool = False) -> "SinceLook":
        """Gives the agent's changes since the operator's last look; `look`: scans the workspace first."""
        with self._opened.lock, disk_errors("comparing with what was last seen failed"):
            return self._lookout.since(self._opened.fresh(look), self._opened.operations)

    def looked_at(self) -> datetime | None:
        """Gives the instant of the operator's last look; None if there was none."""
        with disk_errors("reading what was last seen failed"):
            return self._lookout.store.looked_at() if self._lookout.store.begun else None

    def agent_diffs(self, changes: "Sequence[AgentChange]") -> tuple[FileDiff, ...]:
        """Gives a diff for each change of the agent, without secrets, where both sides are known."""
        with self._opened.lock, disk_errors("comparing with what was last seen failed"):
            return tuple(without_secrets(self._lookout.diff(change, self._places())) for change in changes)

    def sides(self, change: "AgentChange") -> tuple[bytes | None, bytes | None]:
        """Gives a note's bytes before and after the agent's change; `Refused` where they are no longer known."""
        with self._opened.lock, disk_errors("comparing with what was last seen failed"):
            return self._lookout.sides(change, self._places())

    def seen(self, snapshot: "Snapshot", at: datetime, shown: "Sequence[AgentChange] | None") -> None:
        """Records that the operator saw the notes, or these changes of them, at that instant."""
        self._lookout.looked(snapshot, self._opened.operations, at, shown)

    def operation_ended(self) -> None:
        """Records an operation that just ended as seen by the operator."""
        with self._opened.lock:
            self._lookout.take_in(self._opened.operations)

    def close(self) -> None:
        for lookout in made_parts(self, "_lookout"):
            lookout.store.close()

    def _places(self) -> Mapping[str, str]:
        """Gives the path of each file by its hash, cached for each scan of the workspace."""
        from engine.monitoring.agent_changes import places_of

        snapshot = self._opened.fresh(look=False)
        if self._placed is None or self._placed[0] is not snapshot:
            self._placed = (snapshot, places_of(snapshot))
        return self._placed[1]

    @part
    def _lookout(self) -> "AgentChangeLog":
        from engine.monitoring.agent_changes import AgentChangeLog

        opened = self._opened
        return AgentChangeLog(SeenStore(opened.state.path / "seen.db"), opened.root.read, opened.displaced.get)
