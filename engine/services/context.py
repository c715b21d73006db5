"""The agent's context for the front ends: what platforms load of the workspace today (decision D41)."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.services.open_workspace import OpenWorkspace

if TYPE_CHECKING:
    from engine.context.load.simulation import PlatformLoad
    from engine.context.platforms.platform import SessionKind


class ContextService:
    """Reads the workspace, and writes nothing."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened = opened

    def loads(self, session: "SessionKind", platform: str | None = None) -> "Sequence[PlatformLoad]":
        """Simulates what each platform, or one of them, loads in a session of this kind, those that are used first."""
        from engine.context.load.simulation import load
        from engine.context.platforms import catalog

        parts = self._opened.parts
        chosen = [catalog.platform(parts.policy, platform)] if platform else catalog.platforms(parts.policy)
        folder = str(Path(parts.root.identity.path))
        found = [load(one, session, parts.read_or_none, folder, parts.counter) for one in chosen]
        return tuple(sorted(found, key=lambda one: not one.used))
