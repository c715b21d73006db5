"""Opens the fleet: the workspaces that `connect` knows and the current one."""

import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from engine.extra_registry import MissingExtra, needs
from engine.state.folder import state_home

if TYPE_CHECKING:
    from engine.extras.connect.discovery import FoundTool
    from engine.extras.connect.tool_data import Part
    from engine.fleet.fleet import Fleet


def known_agents(here: Path | None = None, *, read_only: bool = False, local: bool = False) -> "Fleet":
    """Opens the fleet without looking at any agent; `here` always belongs to it. Raises as `Fleet` does."""
    from engine.fleet.fleet import Fleet
    from engine.services.engine import utc_now

    connected = [str(here)] if here is not None else []
    with suppress(MissingExtra), needs("connect"):
        from engine.extras.connect.connection import Connections

        connected += [record.workspace for record in Connections(state_home(os.environ)).all()]
    return Fleet(os.environ, utc_now, read_only=read_only, local=local, connected=connected)


class FleetVisit:
    """The state of the fleet's screen between two consoles: what it shows, and where it leads."""

    def __init__(self, here: Path | None, *, read_only: bool) -> None:
        """Takes the workspace that the operator named, which always belongs to the fleet; None without one."""
        self.fleet: Fleet | None = None
        self._here, self._read_only = here, read_only
        self.cursor, self.asked, self.of_plans = 0, "", False
        self.marked = set[str]()  # the digests of plans that are to be approved together
        self.leads_to: Path | None = None
        self.plan = ""  # the workspace, and the plan of it, that the next console opens on

    @property
    def is_first(self) -> bool:
        """True until the fleet is opened, if no workspace was named."""
        return self._here is None and self.fleet is None

    def opened(self) -> "Fleet":
        """Opens the fleet by the operator's list as it is now; results of earlier looks stay."""
        self.fleet = known_agents(self._here, read_only=self._read_only)
        return self.fleet

    def tools(self) -> "Sequence[FoundTool]":
        """Returns the tools of this machine, as `memdeck connect` finds them from the current folder."""
        with needs("connect"):
            from engine.extras.connect.connection import Connections
            from engine.extras.connect.discovery import found_tools
            from engine.extras.connect.tool_data import project_of
        return found_tools(os.environ, project_of(Path.cwd()), Connections(state_home(os.environ)).all())

    def changes(self, tool: "FoundTool", program: "Sequence[str]") -> list[str]:
        """Returns the rows of what connecting a tool writes. Raises `Refused` for a newer, unknown version."""
        from engine.extras.connect.connection import Connections, plan_connection, refuse_newer
        from engine.extras.connect.tool_data import tool_places
        from tui.present.tool_connections import change_rows, next_rows

        places = tool_places(tool.name, os.environ, Path.cwd(), program)
        refuse_newer(places.data, tool.version)
        earlier = Connections(state_home(os.environ)).of(places.name, places.project, places.data.scope)
        parts: list[Part] = ["hooks", *(("mcp",) if find_spec("mcp") is not None else ())]
        changes, _ = plan_connection(places, parts, earlier, datetime.now(UTC))
        return [*change_rows(changes), *next_rows(places, tool.sessions)]
