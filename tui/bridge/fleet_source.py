"""Gives the fleet with the workspaces that `connect` knows and the one that is looked at."""

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from engine.extra_registry import MissingExtra, needs
from engine.state.folder import state_home

if TYPE_CHECKING:
    from engine.fleet.fleet import Fleet


def known_agents(here: Path | None = None, *, read_only: bool = False, local: bool = False) -> "Fleet":
    """The fleet before any look; `here` is part of it in any case. Raises as `Fleet` does."""
    from engine.fleet.fleet import Fleet
    from engine.services.engine import utc_now

    connected = [str(here)] if here is not None else []
    with suppress(MissingExtra), needs("connect"):
        from engine.extras.connect.connection import Connections

        connected += [record.workspace for record in Connections(state_home(os.environ)).all()]
    return Fleet(os.environ, utc_now, read_only=read_only, local=local, connected=connected)


class FleetVisit:
    """The look at all agents, as it is kept from one console to the next: what is shown, and what it leads to."""

    def __init__(self, here: Path | None, *, read_only: bool) -> None:
        """`here` is a workspace that was named, and is part of it in any case."""
        self.fleet: Fleet | None = None
        self._here, self._read_only = here, read_only
        self.cursor, self.asked, self.of_plans = 0, "", False
        self.marked = set[str]()  # the digests of plans that are to be approved together
        self.leads_to: Path | None = None
        self.plan = ""  # the workspace, and the plan of it, that the next console opens on

    @property
    def is_first(self) -> bool:
        """True while no workspace was named and no agent was looked at."""
        return self._here is None and self.fleet is None

    def opened(self) -> "Fleet":
        """The fleet, read anew from the operator's list; what was read of the agents is kept."""
        self.fleet = known_agents(self._here, read_only=self._read_only)
        return self.fleet
