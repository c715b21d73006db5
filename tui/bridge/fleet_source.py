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
