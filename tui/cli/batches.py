"""`batches`: questions that were sent to Claude as a batch, where each stands, and what becomes of an unclear one."""

from typing import TYPE_CHECKING

import click

from engine.errors import Refused, UsageError
from tui.cli.output import Piece, Styled, print_json, stdout
from tui.cli.settings import Settings, command, open_console
from tui.present.batches import batch_words

if TYPE_CHECKING:
    from engine.models.batch_records import BatchRecord
    from engine.services.engine import Engine


@command("batches", short_help="Batches of questions at Claude: where each stands; fetch, cancel, name or forget one.")
@click.argument("batch_id", metavar="[BATCH]", required=False)
@click.option("--cancel", is_flag=True, help="Begin nothing more of it; what was begun is answered and billed.")
@click.option("--is", "remote", metavar="ID", help="An unclear one is this batch of the service.")
@click.option(
    "--forget", is_flag=True, help="Give it up: booked at the most it may cost; its questions may be asked again."
)
def batches_command(settings: Settings, batch_id: str | None, cancel: bool, remote: str | None, forget: bool) -> None:
    """Lists the batches of this workspace; with BATCH asks the service about that one, and fetches what is there.

    A dry run sends a batch from `llm.batch_from` questions of your policy on, waits for it, and takes it up again where
    it was stopped. None is ever sent twice: of one whose answer was lost, look here which it became.
    """
    with open_console(settings) as console:
        if batch_id is None:
            if cancel or remote or forget:
                raise UsageError("name the batch", hint="memdeck batches")
            _print_all(settings, console)
            return
        if settings.read_only:
            raise Refused("read-only: nothing of a batch can be asked or changed", where=batch_id[:60])
        if forget:
            console.batches.forget(batch_id)
            stdout(settings.no_color).line(f"{batch_id} is forgotten; what it may have cost is in memdeck cost")
            return
        if cancel:
            console.batches.cancel(batch_id)
        record = console.batches.name(batch_id, remote) if remote else console.batches.fetch(batch_id)
        _print_one(settings, console, record, cancelled=cancel)


def _print_all(settings: Settings, console: "Engine") -> None:
    records = console.batches.all()
    if settings.json:
        print_json(records)
        return
    printer = stdout(settings.no_color)
    if not records:
        printer.line("no batch was sent")
        return
    now = console.real_now()
    rows: list[list[Piece]] = [[Styled(one.id, bold=True), one.model, *batch_words(one, now)] for one in records]
    printer.table(rows)


def _print_one(settings: Settings, console: "Engine", record: "BatchRecord", *, cancelled: bool) -> None:
    from engine.models.batch_records import BatchState

    unclear = record.state is BatchState.UNCLEAR
    found = console.batches.candidates(record.id) if unclear else ()
    if settings.json:
        print_json({"batch": record, "candidates": found})
        return
    printer = stdout(settings.no_color)
    printer.table([[Styled(record.id, bold=True), record.model, *batch_words(record, console.real_now())]])
    if cancelled:
        printer.line("the service was asked to begin nothing more of it")
    if unclear:
        printer.line("at the service, with as many questions: " + (", ".join(found) or "none"))
        printer.line(Styled(f"memdeck batches {record.id} --is ID, or --forget", dim=True))
