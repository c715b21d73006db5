"""Runs the console on a terminal, and returns its exit code."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tui.app import MemdeckApp
from tui.bridge.engine_source import Opening
from tui.bridge.fleet_source import FleetVisit
from tui.system.terminal import HangUp, measure_the_terminal_itself, refuse_without_terminal
from tui.toolkit.application import raised

if TYPE_CHECKING:
    from engine.services.engine import Engine


def run_console(
    source: "Engine | Opening",
    *,
    read_only: bool = False,
    config: Path | None = None,
    arguments: Sequence[str] = (),
    visit: FleetVisit | None = None,
) -> int:
    """Runs the console until the operator leaves, and returns the exit code; raises `Refused` without a terminal. An
    `Opening` is opened after the first paint. Other arguments are those of `MemdeckApp`."""
    refuse_without_terminal(os.environ)
    measure_the_terminal_itself(os.environ)
    opening = source if isinstance(source, Opening) else Opening(source.workspace, lambda: source)
    app = MemdeckApp(
        opening,
        read_only=read_only,
        user_home=os.environ.get("HOME", ""),
        config=config,
        env=dict(os.environ),
        arguments=arguments,
        visit=visit,
    )
    HangUp(app, app.bridge).install()
    with asyncio.Runner(loop_factory=app.turn.new_loop) as runner:  # a loop that tells other threads when it waits
        code = runner.run(app.run_async(mouse=app.configuration.settings.mouse))
    app.bridge.close()
    if (error := raised(app)) is not None:
        raise error
    return code if code is not None else app.return_code or 0
