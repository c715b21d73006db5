"""`comment`: the operator's words on lines of a plan's diff, and all of them as one prompt for the agent."""

from collections.abc import Sequence
from pathlib import Path

import click

from engine.errors import Refused, UsageError
from engine.monitoring.comments import DiffComment, place_words
from tui.cli.output import Styled, print_json, stdout
from tui.cli.plan_json import comment_json
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
