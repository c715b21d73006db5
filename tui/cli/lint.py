"""`lint`: faults in the forms of transcripts, knowledge files and topics, each with its file and line."""

import click

from tui.cli.output import Styled, print_json, stdout
from tui.cli.plan_outcome import print_outcome
from tui.cli.progress import progress
from tui.cli.settings import Settings, command, open_console
from tui.present.glyphs import PASSED
from tui.present.words import noun, safe


@command("lint", short_help="Faults in the forms of files; --plan fixes what is mechanical.")
@click.option("--plan", "make_plan", is_flag=True, help="Queue a plan that fixes what needs no decision.")
def lint_command(settings: Settings, make_plan: bool) -> int:
    """Reads transcripts, knowledge files and topics, and names each fault with its file and line.

    The exit code is 1 where there is a fault, 0 where there is none.
    """
    from engine.plans.planning import PlanRequest

    with open_console(settings) as console:
        if make_plan:
            with progress(settings) as tick:
                outcome = console.plans.make("lint", PlanRequest(tick=tick))
            print_outcome(settings, console, "lint", outcome)
            return 0
        faults = console.maintenance.lint()
    if settings.json:
        print_json(faults)
        return 1 if faults else 0
    printer = stdout(settings.no_color)
    for fault in faults:
        printer.line(f"{safe(fault.path)}:{fault.line}  ", Styled(fault.kind, bold=True), f": {safe(fault.what)}")
        if fault.fix:
            printer.line(Styled(f"    → {safe(fault.fix)}", dim=True))
    if not faults:
        printer.line(Styled(f"{PASSED.glyph} no fault was found", fg="green"))
    else:
        printer.line(
            f"{noun(len(faults), 'fault')}, {sum(bool(fault.fix) for fault in faults):,} with a mechanical fix"
        )
    return 1 if faults else 0
