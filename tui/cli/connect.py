"""Runs `connect` and `disconnect`: lists tools, and writes the settings of one after a typed yes."""

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import Refused, UsageError
from engine.extra_registry import needs
from engine.state.folder import state_home
from tui.cli.output import Answer, Piece, Styled
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, open_console, workspace_path
from tui.present.tool_connections import HEADING, change_rows, found_json, found_rows, next_rows
from tui.present.words import noun, safe
from tui.system.own_program import own_words

if TYPE_CHECKING:
    from engine.extras.connect.tool_data import Part, ToolPlaces
    from engine.services.engine import Engine

_MCP_EXTRA = "no MCP entry: the server needs `pip install 'memdeck[mcp]'`; then run this again"


@command("connect")
def connect_command(
    settings: Settings, tool: str | None, only_print: bool, no_hooks: bool, no_mcp: bool, no_import: bool
) -> Answer:
    with needs("connect"):
        from engine.extras.connect.connection import Connections, plan_connection, refuse_newer, write_changes
        from engine.extras.connect.discovery import found_tool, found_tools
        from engine.extras.connect.tool_data import project_of
    connections = Connections(state_home(os.environ))
    if tool is None:
        tools = found_tools(os.environ, project_of(Path.cwd()), connections.all())
        return Answer(lambda: [found_json(each) for each in tools], found_rows(tools))
    chosen = _chosen(settings, tool)
    has_server = not no_mcp and find_spec("mcp") is not None
    parts: list[Part] = [*(() if no_hooks else ("hooks",)), *(("mcp",) if has_server else ())]
    earlier = connections.of(chosen.name, chosen.project, chosen.data.scope)
    here = found_tool(chosen.name, os.environ, chosen.project, connections.all())
    if only_print or settings.json:
        return _printed(chosen, parts)
    refuse_newer(chosen.data, here.version)
    changes, record = plan_connection(chosen, parts, earlier, datetime.now(UTC))
    notes = [chosen.data.note, "" if no_mcp or has_server else _MCP_EXTRA]
    done = earlier is not None and not any(change.changes for change in changes)
    if not done:
        _ask(settings, "connect", [*change_rows(changes), *next_rows(chosen, here.sessions, imports=not no_import)])
        write_changes(changes)
        connections.keep(record)
    rows: list[Piece | Sequence[Piece]] = [f"{chosen.data.tool} is connected" + (": nothing to change" if done else "")]
    rows += _set_up(settings, chosen, record.follow, import_sessions=not no_import and not done)
    return Answer({"tool": chosen.name}, [*rows, *filter(None, notes)])


@command("disconnect")
def disconnect_command(settings: Settings, tool: str) -> Answer:
    with needs("connect"):
        from engine.extras.connect.connection import Connections, undone, write_changes
    connections = Connections(state_home(os.environ))
    chosen = _chosen(settings, tool)
    if (record := connections.of(chosen.name, chosen.project, chosen.data.scope)) is None:
        raise UsageError(f"{chosen.data.tool} is not connected here", where=tool, hint="memdeck connect lists what is")
    changes = [undone(file) for file in record.files]
    _ask(settings, "disconnect", list(change_rows(changes)))
    write_changes(changes)
    connections.forget(record)
    left = [f"{change.path}: {change.left}" for change in changes if change.left]
    return Answer({"tool": chosen.name, "left": left}, [f"{chosen.data.tool} is disconnected", *left], code=bool(left))


def _chosen(settings: Settings, tool: str) -> "ToolPlaces":
    from engine.extras.connect.tool_data import tool_places

    workspace = workspace_path(settings) if settings.workspace is not None else None
    return tool_places(tool, os.environ, Path.cwd(), own_words(os.environ, Path.cwd()), workspace)


def _ask(settings: Settings, what: str, rows: Sequence[str]) -> None:
    """Shows the diff on the terminal and asks there, so that no pipe or file can answer (G11)."""
    from tui.cli.prompt import Terminal

    if settings.read_only:
        raise Refused(f"--read-only: {what} writes", hint="leave --read-only out")
    with Terminal.open(what, no_color=settings.no_color) as terminal:
        terminal.printer.show(Styled(row, bold=True) if row.startswith(HEADING) else row for row in rows)
        if terminal.ask("Type yes to write this: ").strip() != "yes":
            raise Refused("yes was not typed", hint="nothing was written")


def _printed(chosen: "ToolPlaces", parts: Sequence[Any]) -> Answer:
    """Prints what the operator can paste instead: each file, and the equivalent commands of the tool."""
    from engine.extras.connect.connection import pasted

    files = pasted(chosen, parts)
    lines = [chosen.line(text) for text in chosen.data.by_hand]
    rows: list[Piece] = []
    for path, text in files:
        rows += [Styled(f"── {path}", bold=True), *text.rstrip("\n").split("\n")]
    rows += [Styled("── or, for the MCP entry", bold=True), *lines] if lines else []
    facts = {"tool": chosen.name, "workspace": str(chosen.workspace), "files": dict(files), "commands": lines}
    return Answer(facts, [*rows, *filter(None, [chosen.data.note])])


def _set_up(settings: Settings, chosen: "ToolPlaces", follow: str, *, import_sessions: bool) -> Iterator[Piece]:
    """Follows the tool's sessions, imports the existing ones as transcripts, and makes the first dry run."""
    chosen.workspace.mkdir(parents=True, exist_ok=True)
    settings.workspace = str(chosen.workspace)
    with open_console(settings) as console:
        if follow and Path(follow).is_dir():
            console.sessions.follow(Path(follow))
            yield f"follows {follow}"
            if import_sessions:
                yield from _imported(settings, chosen, console, Path(follow))


def _imported(settings: Settings, chosen: "ToolPlaces", console: "Engine", place: Path) -> Iterator[Piece]:
    with progress(settings) as tick:
        steps = list(console.connected.take([(place, chosen.data.sessions, True)], tick))
    taken = [step for step in steps if step.outcome is None]
    yield f"{noun(sum(bool(step.done) for step in taken), 'transcript')} from {safe(str(place))}"
    yield from [f"skipped: {safe(step.skipped)}" for step in taken if step.skipped][:5]
    for outcome in filter(None, (step.outcome for step in steps)):
        if outcome.plan is None:
            yield f"nothing to learn yet: {outcome.reason_no_action}"
        else:
            changes = noun(len(outcome.plan.changes), "change")
            yield f"{changes} planned: memdeck -w {chosen.workspace} apply {outcome.plan.id}"
