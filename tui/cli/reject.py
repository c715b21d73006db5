"""`reject`: takes a plan out of the queue with a reason, or some of its hunks; prints the hunks that can be refused."""

from collections.abc import Sequence

import click

from engine.errors import UsageError
from engine.plans.plan_hunks import ChangeHunk, ChangeHunks
from engine.plans.status import PlanOutcome
from tui.cli.output import Printer, Styled, print_json, stdout
from tui.cli.plan_json import entry_json, outcome_json
from tui.cli.settings import Settings, command, open_console


@command("reject", short_help="Takes a plan out of the queue, with a reason; or some of its hunks.")
@click.argument("plan_id", metavar="PLAN")
@click.argument("hunks", nargs=-1, metavar="[CHANGE#HUNK]…")
@click.option("--reason", required=True, metavar="TEXT", help="Why; it is kept.")
@click.option("--keep", is_flag=True, help="Of the changes named keep these hunks alone.")
def reject_command(settings: Settings, plan_id: str, hunks: Sequence[str], reason: str, keep: bool) -> None:
    """Rejects a plan. Nothing in the workspace changes.

    With `2#1` (the first hunk of change 2) or `2#1#3` it queues the rest as a plan of its own, whose checks are made
    again and which nobody approved; the old one is rejected with the reason. `memdeck show PLAN --hunks` lists them.
    """
    if not reason.strip():
        raise UsageError("an empty reason", where="--reason", hint="say why the plan is rejected")
    if keep and not hunks:
        raise UsageError("which hunks stay?", where="--keep", hint=f"memdeck show {plan_id} --hunks")
    with open_console(settings) as console:
        plan = console.plans.load(plan_id)
        if hunks:
            outcome = console.hunks.refuse(plan.id, hunks, reason.strip(), keep=keep)
            if settings.json:
                print_json(outcome_json(console, plan.system, outcome))
            else:
                _print_outcome(settings, plan.id, outcome)
            return
        entry = console.plans.reject(plan.id, reason.strip())
        if settings.json:
            print_json(entry_json(entry))
        else:
            stdout(settings.no_color).line(f"rejected {entry.id}: {entry.state_reason or reason.strip()}")


def _print_outcome(settings: Settings, old: str, outcome: PlanOutcome) -> None:
    printer = stdout(settings.no_color)
    if outcome.plan is None:
        printer.line(f"no plan: {outcome.reason_no_action}")
        return
    new = outcome.plan
    printer.line(
        f"rejected {old} in part · queued {new.id} · {new.risk_tier.value} · see it with `memdeck show {new.id} --diff`"
    )


def print_hunks(settings: Settings, plan: str, changes: Sequence[ChangeHunks]) -> None:
    """Prints each hunk of a plan with its name, or why a change has none that can be refused by itself."""
    if settings.json:
        print_json([_change_json(one) for one in changes])
        return
    printer = stdout(settings.no_color)
    for one in changes:
        printer.line(Styled(f"{one.change}  {one.path}", bold=True))
        if one.whole:
            printer.line(Styled(f"   only as a whole: {one.whole}", fg="yellow"))
        for hunk in one.hunks:
            _print_hunk(printer, hunk)
    if any(one.hunks and not one.whole for one in changes):
        printer.line(Styled(f"memdeck reject {plan} CHANGE#HUNK --reason TEXT", dim=True))


def _print_hunk(printer: Printer, hunk: ChangeHunk) -> None:
    left, right = f"-{hunk.left},{len(hunk.removed)}", f"+{hunk.right},{len(hunk.added)}"
    printer.line(Styled(hunk.name, bold=True), Styled(f"  @@ {left} {right} @@", fg="cyan"))
    for line in hunk.removed:
        printer.line("   ", Styled(f"-{line.removesuffix(chr(10))}", fg="red"))
    for line in hunk.added:
        printer.line("   ", Styled(f"+{line.removesuffix(chr(10))}", fg="green"))


def _change_json(one: ChangeHunks) -> dict[str, object]:
    return {
        "change": one.change,
        "path": one.path,
        "whole": one.whole or None,
        "hunks": [
            {
                "name": hunk.name,
                "left": hunk.left,
                "right": hunk.right,
                "removed": list(hunk.removed),
                "added": list(hunk.added),
            }
            for hunk in one.hunks
        ],
    }
