"""`reject` and `comment`: what the operator says against a plan or its hunks, and of lines of its diff."""

from collections.abc import Sequence
from pathlib import Path

import click

from engine.errors import Refused, UsageError
from engine.monitoring.comments import DiffComment, place_words
from engine.plans.plan_hunks import ChangeHunk, ChangeHunks
from engine.plans.status import PlanOutcome
from tui.cli.output import Printer, Styled, print_json, stdout
from tui.cli.plan_json import comment_json, entry_json, outcome_json
from tui.cli.settings import Settings, command, open_console


@command("comment", short_help="Your words on lines of a plan's diff; all of them as one prompt for the agent.")
@click.argument("plan_id", metavar="PLAN")
@click.argument("place", metavar="[CHANGE:LINE[-LINE]]", required=False)
@click.argument("text", metavar="[TEXT]", required=False)
@click.option("--old", is_flag=True, help="The lines are those of the file as it is, not as it would be.")
@click.option("--drop", type=click.IntRange(min=1), metavar="N", help="Take comment N away.")
@click.option("--prompt", is_flag=True, help="Print all comments as one prompt for the agent.")
@click.option("--file", "file", metavar="F", help="With --prompt: write it into this new file.")
def comment_command(
    settings: Settings,
    plan_id: str,
    place: str | None,
    text: str | None,
    old: bool,
    drop: int | None,
    prompt: bool,
    file: str | None,
) -> None:
    """Comments on lines of a change, such as `2:12-14`; without them lists the comments on a plan.

    Comments change no plan. The prompt quotes the lines between fences, without secrets and private files.
    """
    if (place is None) != (text is None) or (file is not None and not prompt):
        raise UsageError("a comment needs its lines and a text", hint="memdeck comment PLAN 2:12-14 'why?'")
    with open_console(settings) as console:
        plan = console.plans.load(plan_id)
        if prompt:
            _prompt(settings, plan.id, console.comments.prompt(plan.id), file)
        elif drop is not None:
            _print(settings, (console.comments.drop(plan.id, drop),), "dropped ")
        elif place is not None and text is not None:
            _print(settings, (console.comments.add(plan.id, place, text, old=old),))
        else:
            _print(settings, console.comments.of_plan(plan.id))


def _prompt(settings: Settings, plan: str, text: str, file: str | None) -> None:
    if not text:
        raise UsageError("the plan has no comments", where=plan, hint=f"memdeck comment {plan} 1:1 'why?'")
    if file is not None:
        try:
            with Path(file).open("x", encoding="utf-8") as opened:
                opened.write(f"{text}\n")
        except OSError as error:
            raise Refused(error.strerror or "cannot be written", where=file, hint="name a new file") from error
        stdout(settings.no_color).line(f"written to {file}")
    elif settings.json:
        print_json({"plan": plan, "prompt": text})
    else:
        stdout(settings.no_color).block(text)


def _print(settings: Settings, comments: Sequence[DiffComment], done: str = "") -> None:
    if settings.json:
        print_json([comment_json(one) for one in comments])
        return
    printer = stdout(settings.no_color)
    for one in comments:
        printer.line(Styled(f"{done}{one.number}  ", bold=True), f"{one.lines.path} · {place_words(one.lines)}")
        for line in one.lines.quoted:
            printer.line("   > ", Styled(line, dim=True))
        printer.line("   ", one.text)
    if not comments:
        printer.line("no comments")


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
