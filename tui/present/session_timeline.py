"""Draws a followed session over its turns: the window's curve, and what was loaded, read, written and saved."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from tui.present.context_window import compaction_words, role_of, share, spread
from tui.present.glyphs import SAVED
from tui.present.plot import DotStyle, Plot, merged
from tui.present.spans import Line, Role, Span
from tui.present.words import count, moment, noun, safe, short_count

if TYPE_CHECKING:
    from engine.services.flushes import SessionTimeline
    from engine.topics.messages import SessionTurn

LANES: tuple[tuple[str, str, Role], ...] = (
    ("given", "■", "accent"),
    ("read", "○", "info"),
    ("wrote", "●", "warn"),
    ("saved", "✓", "ok"),
)
"""The rows below the curve, each with its sign and colour."""
_LEFT = 7  # cells of the figures and names at the left
_HEADROOM = 1.04
MOST_DRAWN = 400  # turns of one picture: more would be a carpet; the picture turns its page with the cursor
_TICK = 20  # cells from one number of a turn to the next at least


def title(timeline: "SessionTimeline") -> Line:
    """Returns `4f1c-9d1e · 212 turns · 167,000 usable`."""
    window = timeline.window
    told = f" · {noun(len(window.timeline.turns), 'turn')} · {count(window.limit)} usable"
    return (Span(safe(window.session), "title"), Span(told, "muted"))


def drawn(timeline: "SessionTimeline", chosen: int, width: int, height: int, style: DotStyle) -> tuple[Line, ...]:
    """Draws the session in `width` × `height` cells with a line at turn `chosen` (from 1), or the turns around it."""
    window, first = timeline.window, max(0, chosen - 1) // MOST_DRAWN * MOST_DRAWN
    turns = window.timeline.turns[first : first + MOST_DRAWN]
    plot = Plot(width - _LEFT, max(1, height - len(LANES) - 1), style)
    top = max(window.limit, *(turn.tokens for turn in turns), 1) * _HEADROOM
    labels: dict[int, tuple[str, Role]] = {}
    edges: list[tuple[int, str, Role]] = [(1000, short_count(window.limit), "blocked")]
    for edge, label, role in (*edges, (900, "90 %", "risk"), (800, "80 %", "warn")):
        row = round((1 - window.limit * edge / 1000 / top) * (plot.height - 1))
        plot.rule(row, role)
        labels.setdefault(row, (label, role))  # of two edges on one row the graver is named, which comes first

    def columns(numbers: Iterable[int]) -> Iterator[int]:
        inside = (number - 1 - first for number in numbers if first < number <= first + len(turns))
        return (at * plot.width // len(turns) for at in inside)

    cursor = set(columns((chosen,)))
    for role, posts in (("accent", cursor), ("muted", columns(cut.last_turn for cut in window.timeline.compactions))):
        for column in posts:
            plot.post(column, role)
    _curve(plot, [turn.tokens for turn in turns], window.limit, top)
    lines = [
        (Span(f"{labels[row][0]:>{_LEFT - 1}} ", labels[row][1]) if row in labels else Span(" " * _LEFT), *line)
        for row, line in enumerate(plot.lines())
    ]
    for name, sign, role in LANES:
        at = dict.fromkeys(cursor, Span("│", "accent"))
        at |= dict.fromkeys(columns(_numbers(timeline, name)), Span(sign, role))
        if name == "saved":
            at |= dict.fromkeys(columns(_lost(timeline)), SAVED["not saved"].mark)
        cells = merged(at.get(cell, Span(" ")) for cell in range(plot.width))
        lines.append((Span(f"{name:<{_LEFT}}", "muted"), *cells))
    return (*lines, (Span(" " * _LEFT), Span(_axis(plot.width, first, len(turns)), "muted")))


def _curve(plot: Plot, values: Sequence[int], limit: int, top: float) -> None:
    """Draws the highest value of each column of dots, so that no peak is lost, in the colour of its band."""
    values = spread(values, plot.columns)
    across = (plot.columns - 1) / max(1, len(values) - 1)
    points = [(at * across, (1 - value / top) * (plot.rows - 1)) for at, value in enumerate(values)]
    for (value, start), (later, end) in pairwise(zip(values, points, strict=True)):
        plot.path([start, end], role_of(max(value, later), limit))


def _numbers(timeline: "SessionTimeline", name: str) -> Iterable[int]:
    """Returns the turns in which something of the lane `name` happened."""
    touched = (turn for turn, notes in timeline.touched.items() if any(note.kind == name for note in notes))
    return timeline.saved if name == "saved" else touched


def _lost(timeline: "SessionTimeline") -> Iterator[int]:
    """Returns the turns before each compaction that removed unsaved turns."""
    lost = {cut.line for cut in timeline.cuts if cut.saved == "not saved"}
    return (cut.last_turn for cut in timeline.window.timeline.compactions if cut.line in lost)


def _axis(width: int, first: int, many: int) -> str:
    cells, ticks = [" "] * width, max(1, width // _TICK)
    for tick in range(ticks + 1):
        label = f"{first + 1 + max(0, many - 1) * tick // ticks:,}"
        place = max(0, min(tick * width // ticks, width - len(label)))
        cells[place : place + len(label)] = label
    return "".join(cells[:width])


def turn_title(timeline: "SessionTimeline", number: int) -> Line:
    """Returns `turn 61 · 14:02 · 120,000 71.8 % · +3,000`."""
    turns = timeline.window.timeline.turns
    turn, before = turns[number - 1], turns[number - 2].tokens if number > 1 else 0
    when = f" · {turn.at:%H:%M}" if turn.at is not None else ""
    grown = f"{turn.tokens - before:+,}".replace("-", "−")
    told = f"{when} · {count(turn.tokens)} {share(turn.tokens, timeline.window.limit)} · {grown}"
    return (Span(f"turn {number:,}", "title"), Span(told, "muted"))


def memory_lines(timeline: "SessionTimeline", number: int) -> tuple[Line, ...]:
    """Lists the notes touched in a turn, what saved the session up to it, and the compaction after it."""
    lines: list[Line] = []
    for name, sign, role in LANES[:-1]:
        notes = dict.fromkeys(note.path for note in timeline.touched.get(number, ()) if note.kind == name)
        lines += [(Span(f"{sign} {name:<6}", role), Span(safe(path))) for path in notes]
    for when, by in timeline.saved.get(number, ()):
        lines.append((Span("✓ saved ", "ok"), Span(f"up to here by {safe(by)}, {moment(when)}")))
    fates = {cut.line: SAVED[cut.saved].span for cut in timeline.cuts}
    for cut in timeline.window.timeline.compactions:
        if cut.last_turn == number:
            lines += [(Span("▸ ", "accent"), Span(compaction_words(cut))), (Span("  "), fates.get(cut.line, Span("")))]
    return tuple(lines) or ((Span("memory had nothing to do with this turn", "muted"),),)


def said_lines(turns: "Sequence[SessionTurn]", line: int) -> tuple[Line, ...]:
    """Shows the user's last message before a line of the session's file, and the answer after it."""
    spoken = [turn for turn in turns if turn.text.strip()]
    asked = next((turn for turn in reversed(spoken) if turn.role == "user" and turn.line <= line), None)
    said = next((turn for turn in spoken if turn.line >= line and turn is not asked), None)
    lines: list[Line] = []
    for turn in filter(None, (asked, said if said is not None and said.role == "agent" else None)):
        for at, row in enumerate(turn.text.strip().split("\n")):
            lines.append((Span(f"{'' if at else turn.role:<5} ", "muted"), Span(safe(row))))
    return tuple(lines) or ((Span("nobody's words stand at this turn", "muted"),),)
