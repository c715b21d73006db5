"""What stands around the pages: help, commands, themes, the tour, work under way, and what is said."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Self

import msgspec

from engine.extras.connect.discovery import FoundMemory, FoundTool
from engine.fleet.fleet import Fleet
from engine.fleet.row import FleetBand, FleetRow
from engine.plans.plan import RiskTier
from tests.gallery import worlds
from tests.gallery.engines import queues, troubles
from tests.gallery.engines.stage_engine import StageEngine
from tests.gallery.scene import At, Scene, Step
from tests.gallery.stage import Played
from tests.values import compaction
from tui.app import MemdeckApp
from tui.bridge.fleet_source import FleetVisit
from tui.dialogs.find_bar import FindBar
from tui.dialogs.line_input import AskLine
from tui.dialogs.picker import Picker
from tui.dialogs.text_reader import TextReader
from tui.screens.approvals.page import ApprovalsPage
from tui.screens.overview.page import OverviewPage
from tui.screens.tree.page import TreePage
from tui.settings.file import OwnCommand
from tui.shell.command_line import CommandLine
from tui.shell.command_process import Finished
from tui.shell.fleet import FleetScreen
from tui.shell.jump import Jump
from tui.shell.tools_of_machine import ToolScreen
from tui.shell.tour import STEPS, Tour

_at = At(OverviewPage, "1", queues.three_plans)
_appr = At(ApprovalsPage, "2", queues.three_plans)
_tree = At(TreePage, "3", worlds.demo)


def _printed(output: str, messages: str = "", code: int = 0) -> Step:
    """What a command of the shell printed; the process itself is left out."""
    return lambda app: app.commander._show("doctor", Finished(output, messages, code))


def _plan_comes(app: MemdeckApp) -> None:
    assert isinstance(app, Played) and app.prepared is not None
    app.prepared.add(msgspec.structs.replace(compaction(9, 4), system="monthly"))  # it takes the place of no other
    app.reader.read(())


def _news(app: MemdeckApp) -> bool:
    return bool(app.news.unseen)


class _Agents(Fleet):
    """Three agents that nobody has to read: their rows stand here."""

    def __init__(self) -> None:
        self.machines = ()

    def rows(self) -> tuple[FleetRow, ...]:
        now = datetime.now(UTC)  # the screen tells ages by the clock
        late, soon = now - timedelta(days=3), now - timedelta(minutes=4)
        return (
            FleetRow(agent="billing", workspace="/home/ana/billing", read_at=soon, band=FleetBand.BLOCKED,
                     headline="MEMORY.md lost 40 of 52 entries", waits={RiskTier.B: 2, RiskTier.C: 1}, oldest=late,
                     unread=312, alarms=1, heartbeat=late, late=True, cost_today=0.41),
            FleetRow(agent="depot", workspace="/home/ana/depot", read_at=soon, band=FleetBand.RISK, heartbeat=soon,
                     headline="12 lines of MEMORY.md are not loaded", waits={RiskTier.A: 1}, oldest=soon, falling=12),
            FleetRow(agent="notes", workspace="/srv/notes", machine="attic", problem="no answer yet"),
        )  # fmt: skip

    def refresh(self, patience: float = 0.0, *, machines: bool = True) -> Self:
        return self


class _Visit(FleetVisit):
    def __init__(self) -> None:
        super().__init__(None, read_only=False)
        self.fleet = _Agents()

    def opened(self) -> Fleet:
        return _Agents()


def _know_agents(app: MemdeckApp) -> None:
    app.visit = _Visit()


class _Machine(FleetVisit):
    """Two tools of a machine, one of which is connected."""

    def tools(self) -> tuple[FoundTool, ...]:
        first, last = datetime(2026, 1, 8, tzinfo=UTC), datetime(2026, 3, 14, tzinfo=UTC)
        memory = (FoundMemory("/home/ana/.claude/projects/-home-ana-shop/memory", 12, 505, 305),)
        home = "/home/ana"
        return (
            FoundTool("claude-code", "Claude Code", f"{home}/.claude", True, "2.1.197", 212, first, last, memory),
            FoundTool("codex", "Codex", f"{home}/.codex", True, "0.171.0", 9, first, last, (), (home,), home),
            FoundTool("gemini", "Gemini CLI", f"{home}/.gemini", found=False),
        )

    def changes(self, tool: FoundTool, program: Sequence[str]) -> list[str]:
        hook = ['+  "hooks": {', '+    "Stop": [', "! writes what was said into the transcript of the session"]
        return ["── your own settings of this project", "@@ -1,2 +1,4 @@", " {", *hook, "── and then", "workspace  ~/x"]


def _own_command(app: MemdeckApp) -> None:
    app.own = {"f7": OwnCommand("f7", ("memdeck", "-w", "{workspace}", "show", "{id}"))}


def _know_tools(app: MemdeckApp) -> None:
    app.visit = _Machine(None, read_only=False)


_TOUR = tuple(
    _at(f"tour-{at}", f"step {at} of the tour", ":", *"tour", "enter", *["right"] * (at - 1), on=Tour)
    for at in (1, 3, len(STEPS))
)
_HELD = troubles.held(StageEngine)

SCENES = (
    _appr("keys", "the keys of Approvals", "?", on=Picker, engine=worlds.demo),
    _tree("keys-tree", "the keys of Tree", "tab", "?", on=Picker),
    _appr("keys-found", "keys found by a word", "?", *"und", on=Picker),
    _appr("keys-nothing", "no key by that name", "?", *"zzzz", on=Picker),
    _at("fleet", "all agents beside each other", _know_agents, "0", on=FleetScreen),
    _at("fleet-filter", "which agents to list", _know_agents, "0", "/", on=AskLine, over=(FleetScreen,)),
    _at("tools", "the tools of this machine", _know_tools, "9", on=ToolScreen),
    _at("tools-connect", "what connecting one writes", _know_tools, "9", "enter", on=TextReader, over=(ToolScreen,)),
    _appr("own-command", "asks before a program of your own runs", _own_command, "f7", on=Picker, engine=worlds.demo),
    _at("commands", "every command by name", "ctrl+p", on=Picker),
    _at("command", "the command line", ":", on=CommandLine),
    _at("command-typed", "commands that begin so", ":", *"pl", on=CommandLine, engine=worlds.demo),
    _at("command-nothing", "no command begins so", ":", *"zzzz", on=CommandLine),
    _at("command-unknown", "a command there is not", ":", *"stauts", "enter"),
    _at("output", "what a command printed", _printed("✓ git 2.39\n✓ the index\n! no API key\n" * 9), on=TextReader),
    *_TOUR,
    _at("themes", "asks for a theme", ":", *"theme", "enter", on=Picker),
    _at("themes-tried", "a theme under the cursor, tried on", ":", *"theme", "enter", "down", on=Picker),
    _at("jump", "a letter on everything that can be reached", "ctrl+o", on=Jump),
    _tree("jump-tree", "the same on Tree", "ctrl+o", on=Jump),
    _at("dry-run", "asks which system to plan for", "d", on=Picker, engine=troubles.two_systems),
    _at("dry-run-price", "what a dry run would cost, before anything is sent", "d", on=Picker, engine=troubles.priced),
    _at("dry-run-nothing", "a dry run with nothing to do", "d"),
    _at("dry-run-read-only", "a dry run is refused", "d", read_only=True),
    _at("working", "long work with its progress", "d", engine=_HELD, busy=True),
    _at("working-quit", "work that quitting would stop", "d", "q", engine=_HELD, busy=True),
    _at("unexpected-error", "an error nobody foresaw", "d", engine=troubles.crashing),
    _at("news", "a plan that nobody here asked for", _plan_comes, _news),
    _at("undo-nothing", "nothing to take back", "z"),
    _at("find", "finding in a list", "/", *"sem", on=FindBar, engine=worlds.demo),
    _at("find-nothing", "a text that is not there", "/", *"qqq", "enter"),
    Scene("newcomer", "the invitation to the tour", worlds.demo, OverviewPage, newcomer=True),
    Scene("no-workspace", "a workspace that is not there", troubles.nothing_there, TextReader),
    Scene("too-small", "a terminal that is too small", queues.three_plans, OverviewPage, at=(56, 14)),
    Scene("small", "the smallest terminal", queues.three_plans, ApprovalsPage, ("2",), at=(60, 16)),
    Scene("large", "a very large terminal", worlds.demo, OverviewPage, at=(300, 100)),
)
