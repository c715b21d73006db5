"""Runs `fleet`: shows all agents, here and on other machines, their waiting plans, or runs a command on one."""

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.errors import UsageError
from engine.fleet.row import FleetRow
from engine.plans.plan import QueueEntry
from tui.bridge.fleet_source import known_agents
from tui.cli.output import Answer, Piece, Styled, Text, fields, pieces_of
from tui.cli.settings import Settings, command, workspace_path
from tui.present import fleet as table
from tui.present.spans import Span
from tui.system.own_program import memdeck_program

if TYPE_CHECKING:
    from engine.fleet.fleet import Fleet

WIDTH = 120  # columns of the table, as long as a headline usually is


class _Passing(click.Command):
    """Passes the words after the agent's name to the command that runs there."""

    allow_interspersed_args = False


@command("fleet", cls=_Passing)
def fleet_command(
    settings: Settings, agent: str | None, words: tuple[str, ...], asked: str | None, wait: int, local: bool
) -> Answer | int:
    if agent is not None:
        return _on(settings, agent, words)
    rows, now = read_fleet(settings, wait, local=local).rows(), datetime.now(UTC)
    if asked is None:
        return Answer(rows, _rows(rows, now))
    waiting = table.waiting(rows, asked, now)
    facts = [{**fields(row, "agent machine workspace"), "plan": plan} for row, plan in waiting]
    return Answer(facts, [_plan(row, entry, now) for row, entry in waiting])


def read_fleet(settings: Settings, wait: int = 4, *, local: bool = False) -> "Fleet":
    """Opens the fleet and looks at it for at most `wait` seconds."""
    return _fleet(settings, local=local).refresh(wait)


def _fleet(settings: Settings, *, local: bool = False) -> "Fleet":
    if settings.now is not None or settings.policy is not None:
        raise UsageError("it shows agents as they are, each by its own policy", where="fleet: --now or --policy")
    here = workspace_path(settings) if settings.workspace is not None else None
    return known_agents(here, read_only=settings.read_only, local=local)


def _rows(rows: tuple[FleetRow, ...], now: datetime) -> Text:
    if not rows:
        yield "no agent is known · memdeck connect finds them, fleet.yaml names them"
        return
    yield Styled(table.title(rows), bold=True)
    yield pieces_of(table.head(WIDTH))
    for row in rows:
        line = table.agent_row(row, now, WIDTH)
        yield pieces_of((*line.left, *line.right))


def _plan(row: FleetRow, plan: QueueEntry, now: datetime) -> list[Piece]:
    line = table.plan_row(row, plan, now)
    return [f"{plan.id}  ", *pieces_of((*line.left, Span("  "), *line.right))]


def _on(settings: Settings, name: str, words: tuple[str, ...]) -> int:
    """Runs memdeck on one agent, on this terminal."""
    from engine.fleet.twins import command_there

    fleet = _fleet(settings)
    matching = _named(fleet, name) or _named(read_fleet(settings), name)
    if len(matching) != 1:
        what = "several agents have this name" if matching else "there is no such agent"
        raise UsageError(what, where=name, hint="memdeck fleet lists them; NAME@MACHINE is one of another machine")
    row = matching[0]
    machine = next((each for each in fleet.machines if each.name == row.machine), None)
    words = ("--read-only", *words) if settings.read_only else words
    if machine is not None:
        return subprocess.run(command_there(machine, row.workspace, words, os.environ), check=False).returncode
    here = [*memdeck_program(sys.argv[0], Path.cwd()), "-w", row.workspace, *words]
    return subprocess.run(here, check=False).returncode


def _named(fleet: "Fleet", name: str) -> list[FleetRow]:
    return [row for row in fleet.rows() if row.workspace and name in (row.agent, table.name_of(row))]
