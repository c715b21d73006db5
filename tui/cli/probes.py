"""`probe`: questions that memory must answer, now, and before and after a plan."""

from typing import TYPE_CHECKING

import click

from engine.errors import Blocked, UsageError
from tui.cli.output import Piece, Printer, Styled, print_json, sign_piece, stderr, stdout
from tui.cli.settings import Settings, command, open_console

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.context.probes.probe import ProbeAnswer, ProbeChange


@command("probe", short_help="Questions that memory must answer, now or under a plan.")
@click.argument("plan_id", required=False, metavar="[PLAN]")
@click.option("--suggest", type=click.IntRange(1, 200), metavar="N", help="Print N probes that hold now, to be kept.")
def probe_command(settings: Settings, plan_id: str | None, suggest: int | None) -> None:
    """Asks the probes of probes.yaml, in the operator's folder and in the workspace, of memory as it is.

    With PLAN each is asked before and after that plan, which nobody needs to have approved. A loss of one of the
    operator's own ends with exit code 6 where the policy says `probes.on_loss: block`.
    """
    if plan_id is not None and suggest is not None:
        raise UsageError("a plan or --suggest, not both", where="probe")
    with open_console(settings) as console:
        if suggest is not None:
            from engine.context.probes.suggestions import yaml_of

            found = console.probes.suggest(suggest)
            printer = stdout(settings.no_color)
            print_json(found) if settings.json else printer.block(yaml_of(found).rstrip("\n"))
            return
        from tui.present.context import probes as words

        for problem in console.probes.read().problems:
            stderr(settings.no_color).line("memdeck: ", words.problem_words(problem))
        if plan_id is None:
            answers = console.probes.ask()
            if settings.json:
                print_json([words.answer_json(one) for one in answers])
            else:
                _print_answers(stdout(settings.no_color), answers)
            return
        plan = console.plans.load(plan_id)
        changes = console.probes.of_plan(plan)
        if settings.json:
            print_json([words.change_json(one) for one in changes])
        else:
            _print_changes(stdout(settings.no_color), changes)
        note = console.probes.note_of(changes)
        if note is not None and not note.passed:
            raise Blocked(f"the policy blocks this plan: {note.detail}", where=plan.id, hint="plan again")


def _print_answers(printer: Printer, answers: "Sequence[ProbeAnswer]") -> None:
    from tui.present.context import probes as words

    printer.line(Styled(words.answers_words(answers), bold=True) if answers else words.NONE)
    for one in answers:
        printer.line("  ", sign_piece(words.answer_sign(one)), "  ", one.probe.question)
        said = words.found_words(one)
        printer.line("      ", words.expected_words(one.probe), Styled(f"  {said}", dim=True) if said else "")


def _print_changes(printer: Printer, changes: "Sequence[ProbeChange]") -> None:
    from engine.context.probes.changes import outcome_counts
    from tui.present.context import probes as words

    printer.line(Styled(outcome_counts(changes), bold=True) if changes else words.NONE)
    rows: list[list[Piece]] = [
        [
            sign_piece(words.change_sign(one)),
            one.probe.question,
            words.expected_words(one.probe),
            Styled(words.found_words(one.after), dim=True),
        ]
        for one in changes
    ]
    printer.table(rows, indent="  ")
