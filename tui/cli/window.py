"""`window` and `flushes`: the tokens in context of each session, and compactions, saved or not (B1, B18, B19, B23)."""

from typing import TYPE_CHECKING, Any

import click
import msgspec

from tui.cli.output import Piece, Printer, Styled, print_json, sign_piece, stdout
from tui.cli.settings import Settings, command, open_console
from tui.present import window as words
from tui.present.context.flushes import window_words
from tui.present.spans import plain
from tui.present.window import saved_sign
from tui.present.words import moment, noun, safe, size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.services.flushes import SeenCompaction
    from engine.sessions.backups import SessionBackup
    from engine.sessions.window.session_window import SessionWindow
    from engine.topics.messages import SessionTurn

_CURVE = 60
"""Cells of the curve."""


@command("window", short_help="Tokens in context of each followed session, and when it will be compacted.")
@click.argument("session", required=False, metavar="[SESSION]")
def window_command(settings: Settings, session: str | None) -> None:
    """Lists followed sessions with their window, or prints the timeline of SESSION turn by turn.

    Followed are the open transcripts of the workspace, and what `memdeck topics follow` names: session files of Claude
    Code and OpenClaw. Bands begin at 80, 90 and 97.5 % of the window of the model (`context.model_windows`).
    """
    with open_console(settings) as console:
        chosen = console.windows.session(session) if session is not None else None
        windows = (chosen,) if chosen is not None else console.windows.sessions()
        if settings.json:
            listed = [window_json(window) for window in windows]
            print_json(listed[0] if chosen is not None else listed)
            return
        printer = stdout(settings.no_color)
        if not windows:
            printer.line(f"window unknown: {words.NOT_FOLLOWED} · memdeck topics follow PATH follows one")
        for window in windows:
            print_window(printer, window)
        if chosen is not None:
            for line in words.timeline_lines(chosen):
                printer.line(plain(line))


def print_window(printer: Printer, window: "SessionWindow") -> None:
    printer.line(Styled(window.session, bold=True), "  ", Styled(window.source, dim=True))
    figures: list[Piece] = [sign_piece(words.band_sign(window.band.value)), words.figure_words(window)]
    printer.line("  ", *(piece for part in figures for piece in (part, "  ")), plain(_curve(window)))
    printer.line("  ", Styled(words.session_words(window), dim=True))
    for cut in window.timeline.compactions:
        printer.line("  ", words.compaction_words(cut))


def _curve(window: "SessionWindow") -> Any:
    return words.curve(window.timeline, window.limit, _CURVE)


def window_json(window: "SessionWindow") -> dict[str, Any]:
    timeline, ahead = window.timeline, window.forecast
    return {
        "session": window.session,
        "source": window.source,
        "model": timeline.model,
        "tokens": window.tokens,
        "limit": window.limit,
        "band": window.band.value,
        "estimated": timeline.estimated,
        "forecast": {"band": ahead.band.value, "tokens": ahead.tokens, "turns": ahead.turns, "growth": ahead.growth}
        if ahead is not None
        else None,
        "turns": [
            {"turn": turn.number, "line": turn.line, "tokens": turn.tokens, "at": turn.at} for turn in timeline.turns
        ],
        "compactions": [
            {
                "line": cut.line,
                "at": cut.at,
                "trigger": cut.trigger,
                "before": cut.before,
                "after": cut.after or None,
                "left": {
                    "tokens": cut.left or None,
                    "turns": cut.turns,
                    "first_turn": cut.first_turn,
                    "last_turn": cut.last_turn,
                    "first_line": cut.first_line,
                    "last_line": cut.last_line,
                },
            }
            for cut in timeline.compactions
        ],
    }


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
            print_json([_hit_json(*hit) for hit in hits]) if settings.json else _print_hits(printer, hits)
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


def _hit_json(backup: "SessionBackup", turn: "SessionTurn") -> dict[str, Any]:
    return {"source": turn.source, "at": backup.at, "line": turn.line, "role": turn.role, "text": turn.text}


def _print_hits(printer: Printer, hits: "Sequence[tuple[SessionBackup, SessionTurn]]") -> None:
    for backup, turn in hits:
        printer.line(Styled(f"{turn.source}:{turn.line}", bold=True), f"  {turn.role}, backup of {moment(backup.at)}")
        for line in turn.text.split("\n")[:20]:
            printer.line("  ", safe(line))
    if not hits:
        printer.line("no backup holds these words")
