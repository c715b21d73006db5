"""`forget`, `correct` and `receipt`: plans for what memory should not say, and what a scan finds of it afterwards."""

import click

from engine.errors import UsageError
from engine.lifecycle.requests import CorrectRequest, ForgetRequest
from tui.cli.apply import receipt_rows
from tui.cli.outcomes import dry_run, outcome_answer
from tui.cli.output import Answer
from tui.cli.settings import Settings, command, opened


@command("forget", short_help="Takes something out of every place that says it, as a plan.")
@click.argument("words", nargs=-1, metavar="[WORDS…]")
@click.option("--line", "take", multiple=True, metavar="PATH:LINE", help="This line, and what was made from it.")
@click.option("--about", multiple=True, metavar="NAME", help="Everything that names this person or thing.")
@click.option("--raw", is_flag=True, help="Raw logs, transcripts and kept originals too.")
@click.option("--history", is_flag=True, help="Rewrite git's history without it.")
def forget_command(
    settings: Settings, words: tuple[str, ...], take: tuple[str, ...], about: tuple[str, ...], raw: bool, history: bool
) -> Answer:
    """Puts a plan into the queue that takes WORDS out of the notes; applying it clears memdeck's own stores as well.

    The plan lists each place with what happens there, and those that stay with the reason. It is of risk tier C, and
    cannot be undone. Once it is applied a scan of its own looks at every byte, and the receipt names what is left.
    """
    said = (" ".join(words),) if words else ()
    if not (said or take or about):
        raise UsageError("what is to be forgotten?", hint="memdeck forget WORDS, --line PATH:LINE or --about NAME")
    console = opened(settings)
    asked = ForgetRequest(words=said, take=take, about=about, raw=raw, history=history)
    return outcome_answer(console, "forget", dry_run(settings, console, "forget", asked))


@command("correct", short_help="Puts what holds in the place of what a line says, as a plan.")
@click.argument("line", metavar="PATH:LINE")
@click.argument("value")
@click.option("--why", default="", metavar="TEXT", help="The reason, kept beside what it replaces.")
def correct_command(settings: Settings, line: str, value: str, why: str) -> Answer:
    """Puts a plan into the queue in which VALUE takes the place of what a line says, wherever that is said now.

    The old statement stays below the new one, marked as superseded with the reason. Raw logs, transcripts, days, weeks
    and the archive stay as they are: a line of those gets its successor in the log of today.
    """
    console = opened(settings)
    asked = CorrectRequest(take=(line,), value=value, why=why)
    return outcome_answer(console, "correct", dry_run(settings, console, "correct", asked))


@command("receipt", short_help="Looks again for what was forgotten, by a receipt.")
@click.argument("name", default="", metavar="[FILE|OP]")
def receipt_command(settings: Settings, name: str) -> Answer:
    """Scans workspace, state and git again for what an operation forgot; FILE is its receipt, OP its id.

    Without one it is the newest. The words are known by salted hashes alone. The exit code is 1 where a place says them
    that did not before.
    """
    receipts = opened(settings).receipts
    before = receipts.read(name)
    now, known = receipts.check(before), {one.place for one in before.left}
    return Answer(now, receipt_rows(now), int(any(one.count and one.place not in known for one in now.left)))
