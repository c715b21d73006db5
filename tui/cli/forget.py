"""`forget` and `receipt`: a plan that takes words out of every place, and what a scan finds of them afterwards."""

from dataclasses import replace
from typing import TYPE_CHECKING

import click
import msgspec

from engine.errors import UsageError
from engine.lifecycle.forget.request import ForgetRequest
from tui.cli.outcomes import dry_run, outcome_answer
from tui.cli.output import Answer, Styled, Text
from tui.cli.settings import Settings, command, opened
from tui.present.glyphs import PASSED
from tui.present.words import moment, noun, safe

if TYPE_CHECKING:
    from engine.lifecycle.forget.receipt import Receipt


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


@command("receipt", short_help="Looks again for what was forgotten, by a receipt.")
@click.argument("name", default="", metavar="[FILE|OP]")
def receipt_command(settings: Settings, name: str) -> Answer:
    """Scans workspace, state and git again for what an operation forgot; FILE is its receipt, OP its id.
    Without one it is the newest.

    The receipt knows the words by salted hashes alone. The exit code is 1 where a place says them that did not before.
    """
    console = opened(settings)
    before = console.receipts.read(name)
    now = console.receipts.check(before)
    known = {one.place for one in before.left}
    new = [one for one in now.left if one.count and one.place not in known]
    return Answer(receipt_json(now), receipt_rows(now), 1 if new else 0)


def with_receipt(answer: Answer, receipt: "Receipt") -> Answer:
    """The answer of an operation with the receipt behind it."""
    facts = {**answer.json, "receipt": receipt_json(receipt)}
    return replace(answer, json=facts, text=(*answer.text, *receipt_rows(receipt)))


def receipt_json(receipt: "Receipt") -> dict[str, object]:
    """A receipt as `apply` and `receipt` print it; `places` counts those that still say it."""
    facts: dict[str, object] = msgspec.to_builtins(receipt)
    del facts["words"]
    return {**facts, "places": receipt.count}


def receipt_rows(receipt: "Receipt") -> Text:
    """A receipt as text: how much was looked at, and each place that still says it."""
    looked, of_git = receipt.looked, noun(receipt.looked.objects, "object of git", "objects of git")
    yield Styled(f"receipt of {receipt.operation}, {moment(receipt.at)}", bold=True)
    yield f"looked at {noun(looked.files, 'file')}, {noun(looked.rows, 'row')} and {of_git}"
    yield f"git's history: {safe(receipt.history)}"
    if not receipt.count:
        yield Styled(f"{PASSED.glyph} nothing says it any more", fg="green")
    for trace in receipt.left:
        why = f": {safe(trace.reason)}" if trace.reason else ""
        said = f"{trace.what}, {trace.count:,} times" if trace.count else trace.what
        yield Styled("! ", fg="yellow"), f"{safe(trace.place)}  {said}{why}"
