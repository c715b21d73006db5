"""The tools of this machine on a screen: first where there is no workspace, what connecting writes, and the way in."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.errors import MemdeckError
from tests.prepared import Prepared
from tests.tui.conftest import console_of, deck, settled, shows
from tui.bridge.fleet_source import FleetVisit
from tui.dialogs.text_reader import TextReader
from tui.shell.tools_of_machine import ToolScreen


@pytest.fixture
def machine(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with Codex, and a project that memdeck is started in."""
    (own_home / ".codex").mkdir()
    folder = own_home / "code" / "shop"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


async def test_d63_the_first_screen_without_a_workspace_lists_the_tools_and_shows_what_connecting_writes(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lent: list[Sequence[str]] = []

    def answered(_: object, command: Sequence[str], *, folder: Path) -> None:
        assert folder == machine
        lent.append(command)
        raise MemdeckError("ended with 3", where="memdeck")  # the yes was not typed

    monkeypatch.setattr("tui.shell.tools_of_machine.lend", answered)
    async with deck(Prepared()) as pilot:
        console = console_of(pilot)
        console._choose(())
        await shows(pilot, "No memory in this folder yet", "Codex", "not connected", "OpenClaw", "not found")
        await pilot.press("enter")
        await shows(pilot, "Connect Codex", "hooks.json", "gives the topics that a message wakes")
        await pilot.press("enter")
        await settled(pilot)
        await shows(pilot, "ended with 3")
        assert [command[-2:] for command in lent] == [["connect", "codex"]] and console.visit.leads_to is None
        await pilot.press("down", "enter")
        await shows(pilot, "Claude Code was not found")
        await pilot.press("escape")
        assert not isinstance(console.screen, ToolScreen)
    assert not list((machine.parents[1] / ".codex").iterdir())


async def test_a_connected_tool_leads_to_its_workspace_one_key_away(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = FleetVisit(None, read_only=False).tools()
    held = [tool._replace(workspace=str(machine), connected=(str(machine),)) if tool.found else tool for tool in found]
    async with deck(Prepared(), (80, 24)) as pilot:
        console = console_of(pilot)
        monkeypatch.setattr(console.visit, "tools", lambda: held)
        await pilot.press("9")
        await shows(pilot, "Tools of this machine", "connected with")
        await pilot.press("enter")
        await pilot.pause()
    assert console.visit.leads_to == machine


async def test_where_there_is_memory_or_nothing_may_be_written_nothing_is_connected(machine: Path) -> None:
    async with deck(Prepared(), read_only=True) as pilot:
        console = console_of(pilot)
        (console.workspace / "memory").mkdir(exist_ok=True)
        console._choose(())
        await settled(pilot)
        assert not isinstance(console.screen, ToolScreen)
        await pilot.press("9", "enter")
        await settled(pilot)
        assert isinstance(console.screen, TextReader) and "type yes" not in console.screen._leads
