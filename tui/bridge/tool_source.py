"""Gives the tools of this machine, and what connecting one would write (D63)."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from engine.extra_registry import needs
from engine.state.folder import state_home

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.extras.connect.discovery import FoundTool
    from engine.extras.connect.tool_data import Part


class ToolSource:
    """Looks for tools as `memdeck connect` does in the folder that the console was started in; writes nothing."""

    def found(self) -> Sequence[FoundTool]:
        """Every tool, those that are here first."""
        with needs("connect"):
            from engine.extras.connect.connection import Connections
            from engine.extras.connect.discovery import found_tools
            from engine.extras.connect.tool_data import project_of
        return found_tools(os.environ, project_of(Path.cwd()), Connections(state_home(os.environ)).all())

    def changes(self, tool: FoundTool, program: Sequence[str]) -> list[str]:
        """The rows of what connecting it writes; `Refused` where its settings are newer than what is known."""
        from engine.extras.connect.connection import Connections, plan_connection, refuse_newer
        from engine.extras.connect.tool_data import tool_places
        from tui.present.connections import change_rows, next_rows

        places = tool_places(tool.name, os.environ, Path.cwd(), program)
        refuse_newer(places.data, tool.version)
        earlier = Connections(state_home(os.environ)).of(places.name, places.project, places.data.scope)
        parts: list[Part] = ["hooks", *(("mcp",) if find_spec("mcp") is not None else ())]
        changes, _ = plan_connection(places, parts, earlier, datetime.now(UTC))
        return [*change_rows(changes), *next_rows(places, tool.sessions)]
