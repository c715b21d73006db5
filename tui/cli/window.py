"""`window`: the tokens in context of each followed session, and the timeline of one (decisions B1, B23)."""

from typing import TYPE_CHECKING, Any

import click

from tui.cli.output import Piece, Printer, Styled, print_json, sign_piece, stdout
from tui.cli.settings import Settings, command, open_console
from tui.present import window as words
from tui.present.spans import plain

if TYPE_CHECKING:
    from engine.sessions.window.session_window import SessionWindow

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
