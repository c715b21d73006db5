"""`flushes`: every compaction that was seen, saved or not, and the backups of sessions (decisions B18, B19)."""

from typing import TYPE_CHECKING, Any

import click
import msgspec

from tui.cli.output import Piece, Printer, Styled, print_json, sign_piece, stdout
from tui.cli.settings import Settings, command, open_console
from tui.present.context.flushes import window_words
from tui.present.window import saved_sign
from tui.present.words import moment, noun, safe, size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.services.flushes import SeenCompaction
    from engine.sessions.backups import BackupHit, SessionBackup


@command("flushes", short_help="Every compaction seen: saved, saved late or not saved.")
@click.option("--backups", is_flag=True, help="The backups of sessions, which are kept 30 days.")
@click.option("--search", "words", metavar="TEXT", help="The turns of backups that hold these words.")
def flushes_command(settings: Settings, backups: bool, words: str | None) -> None:
    """Lists compactions of followed sessions, the newest first, and what saved the turns that left.

    Saved: an applied flush or a verified backup held them before. Saved late: one does since. Each tells by how much
    the window was smaller at its next reading; less than 30 % is a warning.
    """
    with open_console(settings) as console:
        printer = stdout(settings.no_color)
        if words is not None:
            hits = console.flushes.find(words)
            print_json(hits) if settings.json else _print_hits(printer, hits)
            return
        if backups:
            kept = console.flushes.backups()
            print_json(kept) if settings.json else _print_backups(printer, kept)
            return
        seen = console.flushes.compactions()
        print_json([_seen_json(one) for one in seen]) if settings.json else _print_compactions(printer, seen)


def _print_compactions(printer: Printer, seen: "Sequence[SeenCompaction]") -> None:
    if not seen:
        printer.line("no compaction of a followed session was seen")
    rows: list[list[Piece]] = [
        [
            moment(one.at),
            sign_piece(saved_sign(one.saved)),
            one.session,
            one.trigger or "compacted",
            Styled(window_words(one), fg="yellow" if one.is_small else None),
            f"{noun(one.turns, 'turn')} left",
            Styled(one.by, dim=True),
        ]
        for one in seen
    ]
    printer.table(rows)


def _seen_json(seen: "SeenCompaction") -> dict[str, Any]:
    return {**msgspec.to_builtins(seen), "smaller": seen.smaller, "warning": seen.is_small}


def _print_backups(printer: Printer, kept: "Sequence[SessionBackup]") -> None:
    if not kept:
        printer.line("no session was backed up within the last 30 days")
    rows: list[list[Piece]] = [
        [moment(one.at), size(one.size), one.sha256[:12], f"{one.lines:,} lines", one.source] for one in kept
    ]
    printer.table(rows, right=frozenset({1}))


def _print_hits(printer: Printer, hits: "Sequence[BackupHit]") -> None:
    for hit in hits:
        printer.line(Styled(f"{hit.source}:{hit.line}", bold=True), f"  {hit.role}, backup of {moment(hit.at)}")
        for line in hit.text.split("\n")[:20]:
            printer.line("  ", safe(line))
    if not hits:
        printer.line("no backup holds these words")
