"""Runs `memdeck [DIR]`: opens the console on a terminal."""

import json
import os
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import Damaged, UsageError
from engine.state.private_files import make_private, write_private
from tui.cli.settings import Settings, arguments_of, command, new_console, workspace_path

if TYPE_CHECKING:
    from tui.bridge.fleet_source import FleetVisit


_NAME = "recent.json"
MOST = 3  # workspaces that are offered at the start


class RecentWorkspaces:
    """Keeps the last opened folders; without an error if its file is damaged or cannot be written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def there(self) -> tuple[str, ...]:
        return tuple(path for path in self._read() if Path(path).is_dir())

    def keep(self, workspace: Path) -> None:
        """Puts a folder first."""
        kept = [str(workspace), *(path for path in self._read() if path != str(workspace))][:MOST]
        try:
            make_private(self._folder)
            write_private(self._folder / _NAME, json.dumps(kept).encode())
        except OSError:
            return

    def _read(self) -> list[str]:
        try:
            kept = json.loads((self._folder / _NAME).read_bytes())
        except (OSError, ValueError):
            return []
        return [path for path in kept if isinstance(path, str) and "\0" not in path] if isinstance(kept, list) else []


@command("open")
def open_command(settings: Settings, folder: str | None = None) -> int:
    if settings.json:
        raise UsageError("--json belongs to a command", hint="like `memdeck status --json`")
    if folder is not None and settings.workspace is not None and Path(folder) != Path(settings.workspace):
        raise UsageError(f"two workspaces: {folder!r} and {settings.workspace!r}", hint="give one of them")
    return run_console_on(settings, folder if folder is not None else settings.workspace)


def run_console_on(settings: Settings, folder: str | None) -> int:
    """Runs the console until the operator leaves. Raises `Refused` without a terminal, `Damaged` without a folder."""
    from tui.system.terminal import refuse_without_terminal

    refuse_without_terminal(os.environ)
    from tui.bridge.fleet_source import FleetVisit

    chosen = replace(settings, workspace=folder or _known_at_home())
    visit = FleetVisit(None if folder is None else workspace_path(chosen), read_only=settings.read_only)
    while True:
        code = _run_console(chosen, visit)
        if visit.leads_to is None:
            return code
        chosen, visit.leads_to = replace(settings, workspace=str(visit.leads_to)), None


def _known_at_home() -> str | None:
    """Returns a known agent if the current folder is a home, which is no workspace; else None."""
    from engine.state.folder import state_home
    from tui.bridge.fleet_source import known_agents

    if workspace_path(Settings()) not in state_home(os.environ).parents:
        return None
    rows = known_agents(local=True).rows()
    return next((row.workspace for row in rows if Path(row.workspace).is_dir()), None)


def _run_console(chosen: Settings, visit: "FleetVisit") -> int:
    """Runs the console on one workspace until the operator leaves it or opens another."""
    path = workspace_path(chosen)
    from engine.state.folder import config_home, state_home

    recent = RecentWorkspaces(state_home(os.environ))
    if not path.is_dir() or path in state_home(os.environ).parents:
        what = "memdeck's own state lies in it" if path.is_dir() else "no such folder"
        raise Damaged(what, where=str(path), hint=_ways_on(recent.there()))
    from tui.system.garbage_collector import resting

    with resting():
        from tui.bridge.engine_source import Opening
        from tui.launch import run_console

        code = run_console(
            Opening(path, lambda: new_console(chosen)),
            read_only=chosen.read_only,
            config=config_home(os.environ),
            arguments=arguments_of(chosen, path),
            visit=visit,
        )
    if code == 0 and not chosen.read_only:  # --read-only writes nothing, not even the list of recent folders
        recent.keep(path.resolve())
    return code


def _ways_on(recent: Sequence[str]) -> str:
    """Names what can be opened instead: recent folders, another path, the demonstration."""
    last = f"memdeck {shlex.quote(recent[0])} was opened last" if recent else "memdeck DIR opens the workspace's folder"
    others = f", before it {', '.join(map(shlex.quote, recent[1:]))}" if recent[1:] else ""
    return f"{last}{others}; memdeck demo makes one to try"
