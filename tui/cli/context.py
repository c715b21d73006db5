"""`load`: what platforms load of the workspace today, and what falls off."""

from typing import TYPE_CHECKING, Any

import click

from engine.context.platforms.catalog import NAMES
from engine.context.platforms.platform import SessionKind
from tui.cli.output import Piece, Printer, Styled, print_json, sign_piece, stdout
from tui.cli.settings import Settings, command, open_console
from tui.present.context import load as words
from tui.present.words import noun

if TYPE_CHECKING:
    from engine.context.load.simulation import CapReading, LoadedFile, PlatformLoad

_SESSION = click.option(
    "--session",
    type=click.Choice([kind.value for kind in SessionKind]),
    default=SessionKind.MAIN.value,
    help="The kind of the session (default main).",
)


@command("load", short_help="What platforms load of these files today, and what falls off.")
@click.option("--platform", type=click.Choice(NAMES), help="This platform alone.")
@_SESSION
def load_command(settings: Settings, platform: str | None, session: str) -> None:
    """Prints each file beside the caps of the platform, and every line that falls off with the entry it belongs to.

    It is simulated from data of the version and date that are named; `context.platforms` in the policy changes them.
    """
    with open_console(settings) as console:
        loads = console.context.loads(SessionKind(session), platform)
        if settings.json:
            print_json([load_json(load) for load in loads])
            return
        printer = stdout(settings.no_color)
        for load in loads:
            if load.used or platform is not None:
                print_load(printer, load)
        for load in loads:
            if not load.used and platform is None:
                printer.line(Styled(f"{words.load_title(load)}  {words.unused_words(load)}", dim=True))


def print_load(printer: Printer, load: "PlatformLoad") -> None:
    printer.line(Styled(words.load_title(load), bold=True), "  ", Styled(words.load_origin(load), dim=True))
    if not load.files:
        printer.line("  nothing of this workspace is loaded")
    rows: list[list[Piece]] = [
        [sign_piece(words.state_sign(file)), file.name, words.file_words(file), words.verdict_words(file)]
        for file in load.files
    ]
    printer.table(rows, indent="  ")
    for file in load.files:
        if file.fallen:
            printer.line(f"  what falls off of {file.path}, {noun(len(file.fallen), 'line')}:")
            lines: list[list[Piece]] = [
                [f"{line.line}", line.text, Styled(words.fallen_words(line), dim=True)] for line in file.fallen
            ]
            printer.table(lines, right=frozenset({0}), indent="    ")
    if load.total is not None:
        printer.line("  ", Styled(f"in all {words.reading_words(load.total)}", dim=True))
    if load.platform.note:
        printer.line("  ", Styled(load.platform.note, dim=True))


def load_json(load: "PlatformLoad") -> dict[str, Any]:
    platform = load.platform
    return {
        "platform": platform.name,
        "title": platform.title,
        "version": platform.version,
        "source": platform.source,
        "date": platform.date,
        "note": platform.note,
        "session": load.session.value,
        "used": load.used,
        "fallen": load.fallen,
        "total": _reading_json(load.total) if load.total is not None else None,
        "files": [_file_json(file) for file in load.files],
    }


def _file_json(file: "LoadedFile") -> dict[str, Any]:
    return {
        "name": file.name,
        "path": file.path,
        "state": file.state.value,
        "reason": file.reason,
        "caps": [_reading_json(reading) for reading in file.caps],
        "fallen": [
            {"line": line.line, "entry": line.entry, "partly": line.partly, "text": line.text} for line in file.fallen
        ],
        "text": file.text,
    }


def _reading_json(reading: "CapReading") -> dict[str, Any]:
    return {"unit": reading.unit.value, "value": reading.value, "cap": reading.cap, "headroom": reading.headroom}
