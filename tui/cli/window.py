"""Runs `window` and `flushes`: tokens in the context of each session, and compactions (B1, B18, B19, B23)."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import msgspec

from engine.services.flushes import SeenCompaction, SessionTimeline
from engine.sessions.backups import SessionBackup
from engine.sessions.window.session_window import SessionWindow
from engine.topics.messages import SessionTurn
from tui.cli.output import Answer, Piece, Styled, Text, TextTable, fields, sign_piece
from tui.cli.settings import Settings, command, opened
from tui.present import context_window as words
from tui.present import session_timeline as picture
from tui.present.context.flushes import window_words
from tui.present.glyphs import SAVED
from tui.present.spans import plain
from tui.present.words import moment, noun, safe, size

_CURVE = 60  # cells of the curve
_PICTURE = 80, 16  # cells and lines of a session's timeline


@command("window")
def window_command(settings: Settings, session: str | None) -> Answer:
    console = opened(settings)
    if session is not None:
        timeline = console.flushes.timeline(session)
        touched = sorted(timeline.touched.items())
        memory = [{"turn": turn, **fields(note, "line kind path")} for turn, notes in touched for note in notes]
        saved = [{"turn": turn, "at": at, "by": by} for turn, all_ in timeline.saved.items() for at, by in all_]
        facts = {**window_json(timeline.window), "memory": memory, "saved": saved}
        return Answer(facts, chain(window_rows(timeline.window), _timeline_rows(timeline)))
    windows = console.windows.sessions()
    none = [f"window unknown: {words.NOT_FOLLOWED} · memdeck topics follow PATH follows one"]
    rows = chain.from_iterable(map(window_rows, windows)) if windows else none
    return Answer([window_json(window) for window in windows], rows)


def _timeline_rows(timeline: SessionTimeline) -> Text:
    """Draws the session, then prints every turn that touched memory with its notes."""
    from tui.system.terminal import dot_style

    last, marked = len(timeline.window.timeline.turns), frozenset(timeline.marked)
    yield from map(plain, picture.drawn(timeline, last, *_PICTURE, dot_style()))
    for number in range(1, last + 1):
        yield plain(picture.turn_title(timeline, number))
        if number in marked:
            yield from (f"  {plain(line)}" for line in picture.memory_lines(timeline, number))


def window_rows(window: SessionWindow) -> Text:
    yield Styled(window.session, bold=True), "  ", Styled(window.source, dim=True)
    figures: list[Piece] = [sign_piece(words.band_sign(window.band.value)), words.figure_words(window)]
    yield (
        "  ",
        *(piece for part in figures for piece in (part, "  ")),
        plain(words.curve(window.timeline, window.limit, _CURVE)),
    )
    yield "  ", Styled(words.session_words(window), dim=True)
    for cut in window.timeline.compactions:
        yield "  ", words.compaction_words(cut)


def window_json(window: SessionWindow) -> dict[str, Any]:
    timeline, ahead = window.timeline, window.forecast
    return {
        **fields(window, "session source"),
        "model": timeline.model,
        **fields(window, "tokens limit band"),
        "estimated": timeline.estimated,
        "forecast": fields(ahead, "band tokens turns growth") if ahead is not None else None,
        "turns": [{"turn": turn.number, **fields(turn, "line tokens at")} for turn in timeline.turns],
        "compactions": [
            {
                **fields(cut, "line at trigger before"),
                "after": cut.after or None,
                "left": {"tokens": cut.left or None, **fields(cut, "turns first_turn last_turn first_line last_line")},
            }
            for cut in timeline.compactions
        ],
    }


@command("flushes")
def flushes_command(settings: Settings, backups: bool, words: str | None) -> Answer:
    flushes = opened(settings).flushes
    if words is not None:
        hits = tuple(flushes.backups.find(words))
        facts = [{"source": turn.source, "at": kept.at, **fields(turn, "line role text")} for kept, turn in hits]
        return Answer(facts, _hits_rows(hits))
    if backups:
        kept = flushes.backups.all()
        return Answer(kept, _backups_rows(kept))
    seen = flushes.compactions()
    facts = [{**msgspec.to_builtins(cut), "smaller": cut.smaller, "warning": cut.is_small} for cut in seen]
    return Answer(facts, _compactions_rows(seen))


def _compactions_rows(seen: Sequence[SeenCompaction]) -> Text:
    if not seen:
        yield "no compaction of a followed session was seen"
    rows: list[list[Piece]] = [
        [
            moment(cut.at),
            sign_piece(SAVED[cut.saved]),
            cut.session,
            cut.trigger or "compacted",
            Styled(window_words(cut), fg="yellow" if cut.is_small else None),
            f"{noun(cut.turns, 'turn')} left",
            Styled(cut.by, dim=True),
        ]
        for cut in seen
    ]
    yield TextTable(rows)


def _backups_rows(kept: Sequence[SessionBackup]) -> Text:
    if not kept:
        yield "no session was backed up within the last 30 days"
    rows: list[list[Piece]] = [
        [moment(each.at), size(each.size), each.sha256[:12], f"{each.lines:,} lines", each.source] for each in kept
    ]
    yield TextTable(rows, right=frozenset({1}))


def _hits_rows(hits: Sequence[tuple[SessionBackup, SessionTurn]]) -> Text:
    for backup, turn in hits:
        yield Styled(f"{turn.source}:{turn.line}", bold=True), f"  {turn.role}, backup of {moment(backup.at)}"
        for line in turn.text.split("\n")[:20]:
            yield "  ", safe(line)
    if not hits:
        yield "no backup holds these words"
