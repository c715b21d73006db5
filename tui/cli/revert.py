"""`revert`: takes changes back as a plan; without arguments lists the agent's changes with their hunks."""

from typing import TYPE_CHECKING

import click
import msgspec

from engine.plans.diff import hunks, unified
from tui.cli.output import Printer, Styled, print_json, stdout
from tui.cli.plan_outcome import print_outcome
from tui.cli.settings import Settings, command, open_console

if TYPE_CHECKING:
    from engine.services.revert import Revertible


@command("revert", short_help="Takes a change of the agent back, as a plan.")
@click.argument("targets", nargs=-1, metavar="[CHANGE[#HUNK]…]…")
@click.option("--show", is_flag=True, help="Show the changes with their hunks, and plan nothing.")
def revert_command(settings: Settings, targets: tuple[str, ...], show: bool) -> None:
    """Puts a plan into the queue that takes changes back; without CHANGE lists what the agent changed.

    CHANGE is a note that the agent changed since your last look, PATH@DATE for all since then, a commit or COMMIT:PATH,
    or session:ID. `#2` takes one hunk back. Lines that moved are found again; where later lines overlap it is refused.
    """
    with open_console(settings) as console:
        if show or not targets:
            _print_offered(settings, console.revert.offered(targets))
            return
        print_outcome(settings, console, "revert", console.revert.plan(targets))


def _print_offered(settings: Settings, offered: "tuple[Revertible, ...]") -> None:
    if settings.json:
        rows = [
            {"target": one.target, "path": one.path, "told": one.told, "hunks": len(hunks(one.diff.rows, 0))}
            for one in offered
        ]
        print_json(msgspec.to_builtins(rows))
        return
    printer = stdout(settings.no_color)
    for one in offered:
        _print_one(printer, one)
    if not offered:
        printer.line("the agent changed nothing since your last look")


def _print_one(printer: Printer, one: "Revertible") -> None:
    printer.line(Styled(one.target, bold=True), Styled(f"  {one.told}", dim=True))
    number = 0
    for line in unified(one.diff, 0).rstrip("\n").split("\n")[2:]:
        number += line.startswith("@@ ")
        printer.line(f"#{number} " if line.startswith("@@ ") else "   ", line)
