"""Shows the tools of this machine, which are connected, and what connecting one would write (D63)."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.screen import Screen

from engine.errors import MemdeckError
from tui.bridge.fleet_source import FleetVisit
from tui.dialogs.text_reader import TextReader
from tui.present.spans import ListRows, Span, key_line
from tui.present.tool_connections import change_lines, tool_detail, tool_row
from tui.screens.hosted import OneList
from tui.shell.host import leave_for
from tui.system.editor import lend
from tui.system.own_program import own_words
from tui.widgets.line_block import LineBlock
from tui.widgets.line_list import LineList

if TYPE_CHECKING:
    from engine.extras.connect.discovery import FoundTool


class ToolScreen(OneList, Screen[None], scope="tools"):
    """A row for each tool; `enter` shows the diff of connecting it, or opens its workspace."""

    def __init__(self, visit: FleetVisit, *, first: bool = False) -> None:
        """Takes `first`, which says that no workspace is open behind this screen."""
        super().__init__()
        self._visit, self._first = visit, first
        self._found: Sequence[FoundTool] = ()

    def compose(self) -> ComposeResult:
        yield LineBlock(ident="head")
        yield LineList(ident="tools", empty="looking…")
        yield LineBlock(ident="detail")

    def on_mount(self) -> None:
        self._list.focus()
        if self._first:
            here = Span("No memory in this folder yet. ", "strong")
            self.query_one("#head", LineBlock).show((here, Span("Connect a tool, and what it learns is kept.")))
        self.deck.bridge.read(lambda _: self._visit.tools(), self._took)

    def _took(self, tools: Sequence["FoundTool"]) -> None:
        self._found = tools
        keys = key_line(("enter", "connect… or open"), ("esc", "back"))
        self._list.name_it((Span("Tools of this machine", "title"),), keys)
        self._list.show(ListRows([tool_row(tool) for tool in tools]))
        self._moved()

    @property
    def _tool(self) -> "FoundTool | None":
        return self._list.under(self._found)

    @on(LineList.Moved)
    def _moved(self) -> None:
        self.query_one("#detail", LineBlock).show(*tool_detail(self._tool) if self._tool is not None else ())

    @on(LineList.Chosen)
    def _enter(self) -> None:
        tool, deck = self._tool, self.deck
        if tool is None:
            return
        if not tool.found:
            deck.say(f"{tool.title} was not found on this machine", severity="warning")
        elif tool.workspace:
            leave_for(deck, self._visit, tool.workspace)
        else:
            program = own_words(os.environ, Path.cwd())
            deck.bridge.read(lambda _: self._visit.changes(tool, program), lambda rows: self._show(tool, rows))

    def _show(self, tool: "FoundTool", rows: Sequence[str]) -> None:
        leads = "" if self.deck.read_only else "goes to the question, where you type yes"
        reader = TextReader(f"Connect {tool.title}", change_lines(rows), leads=leads)
        self.app.push_screen(reader, lambda goes: self._connect(tool) if goes else None)

    def _connect(self, tool: "FoundTool") -> None:
        """Runs `memdeck connect` on the terminal, the only place where its yes can be typed."""
        try:
            lend(self.app, [*own_words({}, Path.cwd()), "connect", tool.name], folder=Path.cwd())
        except MemdeckError as error:
            self.deck.fail(error)
        self.deck.bridge.read(lambda _: self._visit.tools(), lambda tools: self._connected(tool.name, tools))

    def _connected(self, name: str, tools: Sequence["FoundTool"]) -> None:
        """Opens the workspace that is connected now, or updates the list without one."""
        workspace = next((tool.workspace for tool in tools if tool.name == name), "")
        self._took(tools)
        if workspace:
            leave_for(self.deck, self._visit, workspace)

    def action_close(self) -> None:
        self.dismiss(None)
