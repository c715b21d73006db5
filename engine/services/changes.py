"""Tells what the agent changed in its notes since the operator last looked."""

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
    """Compares the notes with what the operator last saw of them. Writes in the operator's state folder alone."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened, self.opening = opened, opened.opening
        self._placed: tuple[Snapshot, Mapping[str, str]] | None = None

    def since_looked(self, *, look: bool = False) -> "SinceLook":
        """Lists the agent's changes since the operator last looked; `look`: list the workspace first."""
        with self._opened.lock, disk_errors("comparing with what was last seen failed"):
            return self._lookout.since(self._opened.fresh(look), self._opened.operations)

    def looked_at(self) -> datetime | None:
        """Gives the instant of the operator's last look; None: never."""
        with disk_errors("reading what was last seen failed"):
            return self._lookout.store.looked_at() if self._lookout.store.begun else None

    def agent_diffs(self, changes: "Sequence[AgentChange]") -> tuple[FileDiff, ...]:
        """Compares each of these notes before and after the agent's change, without secrets, where both are known."""
        with self._opened.lock, disk_errors("comparing with what was last seen failed"):
            return tuple(without_secrets(self._lookout.diff(change, self._places())) for change in changes)

    def sides(self, change: "AgentChange") -> tuple[bytes | None, bytes | None]:
        """The bytes of a note before and after the agent's change; `Refused` where they are not known any more."""
        with self._opened.lock, disk_errors("comparing with what was last seen failed"):
            return self._lookout.sides(change, self._places())

    def seen(self, snapshot: "Snapshot", at: datetime, shown: "Sequence[AgentChange] | None") -> None:
        """Takes the notes, or these changes of them, as seen at that instant."""
        self._lookout.looked(snapshot, self._opened.operations, at, shown)

    def operation_ended(self) -> None:
        """Lets an operation that just ended be part of what was seen, while the bytes it wrote are still there."""
        with self._opened.lock:
            self._lookout.take_in(self._opened.operations)

    def close(self) -> None:
        for lookout in made_parts(self, "_lookout"):
            lookout.store.close()

    def _places(self) -> Mapping[str, str]:
        """Maps the hash of each file's bytes to its path, made once for each listing of the workspace."""
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
