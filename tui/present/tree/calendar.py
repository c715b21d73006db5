"""Shows the tree as a calendar: a line for each week, a cell for each day, shaded by tokens, with its state."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from engine.tree.browse.weeks import CalendarDay, CalendarWeek
from tui.present.spans import Line, Role, Span
from tui.present.tree.node_rows import sign
from tui.present.words import count, noun, short_count

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_CELL, _LABEL = 4, 11  # cells of a day, and of the week's name before the days
_SHADES: tuple[tuple[str, Role], ...] = (("░", "rule"), ("▒", "muted"), ("▓", "info"), ("█", "accent"))
"""Shades of the days that have a log, by quarter of their tokens, the fewest first."""


class CalendarPlace(NamedTuple):
    """A week by its index, and a weekday from 0 for Monday."""

    week: int
    weekday: int


class TreeCalendar:
    """Makes the weeks as lines when they come into view."""

    def __init__(self, weeks: Sequence[CalendarWeek] = ()) -> None:
        self.weeks = weeks
        sizes = sorted(day.tokens for week in weeks for day in week.days if day.tokens)
        self._edges = tuple(sizes[len(sizes) * part // 4] for part in (1, 2, 3)) if sizes else ()
        self.todo = tuple(
            CalendarPlace(at, day.day.weekday())
            for at, week in enumerate(weeks)
            for day in week.days
            if day.wants_doing
        )

    def __len__(self) -> int:
        return len(self.weeks)

    def at(self, place: CalendarPlace) -> CalendarDay | None:
        """Returns the day at a place; None before the first log and in the future."""
        if not 0 <= place.week < len(self.weeks):
            return None
        return next((day for day in self.weeks[place.week].days if day.day.weekday() == place.weekday), None)

    def place_of(self, day: date) -> CalendarPlace | None:
        """Returns the place of a day; None if its week is not listed."""
        weeks = (at for at, week in enumerate(self.weeks) if any(each.day == day for each in week.days))
        return next((CalendarPlace(at, day.weekday()) for at in weeks), None)

    @property
    def last(self) -> CalendarPlace:
        """The place of the latest day."""
        days = self.weeks[-1].days if self.weeks else ()
        return CalendarPlace(max(0, len(self.weeks) - 1), days[-1].day.weekday() if days else 0)

    def next_todo(self, place: CalendarPlace, by: int) -> CalendarPlace | None:
        """Returns the next gap or stale day, wrapping around; None if there is none."""
        later = [todo for todo in self.todo if (todo > place if by > 0 else todo < place)]
        if later:
            return later[0] if by > 0 else later[-1]
        return (self.todo[0] if by > 0 else self.todo[-1]) if self.todo else None

    def header(self) -> Line:
        return (Span(" " * _LABEL), *(Span(f" {day}", "muted") for day in DAYS), Span("  tokens", "muted"))

    def line(self, index: int, chosen: CalendarPlace | None) -> Line:
        """Draws a week: its month if that begins, its number and sign, its days, and the sum of tokens."""
        week = self.weeks[index]
        state = sign(week.node)
        cells = [self._cell(index, weekday, chosen) for weekday in range(7)]
        tokens = sum(day.tokens for day in week.days)
        total = Span(f"{short_count(tokens) if tokens else '':>7}", "muted")
        label = f"{self._begins(index):<5}{week.node.period.rpartition('-')[2]:<4}"
        return (Span(label, "text"), Span(f"{state.glyph} ", state.role), *cells, Span(" "), total)

    def _begins(self, index: int) -> str:
        """Returns the year or the month if it differs from the week above; else empty."""
        days = self.weeks[index].days
        above = self.weeks[index - 1].days if index else ()
        if not days:
            return ""
        first = days[0].day
        if not above or above[0].day.year != first.year:
            return f"{first.year}"
        return f"{first:%b}" if above[0].day.month != first.month else ""

    def _cell(self, index: int, weekday: int, chosen: CalendarPlace | None) -> Span:
        place = CalendarPlace(index, weekday)
        if (day := self.at(place)) is None:
            return Span(" " * _CELL)
        state = sign(day.node)
        shade, role = _SHADES[sum(day.tokens > edge for edge in self._edges)] if day.tokens else (" ", "muted")
        if day.wants_doing:
            text, role = f" [{state.glyph}]", "risk"
        else:
            text = f" {shade}{state.glyph} " if shade.strip() else f"  {state.glyph} "
        return Span(text, "here" if place == chosen else role)


def cell_at(x: int) -> int | None:
    """Returns the weekday at a column of cells; None beside them."""
    weekday = (x - _LABEL) // _CELL
    return weekday if 0 <= weekday < len(DAYS) else None


def title(calendar: TreeCalendar) -> Line:
    gaps = len(calendar.todo)
    words = noun(gaps, "gap or stale day", "gaps and stale days") if gaps else "no gap"
    return (Span("Calendar", "title"), Span(f" {words}", "risk" if gaps else "muted"))


def foot(calendar: TreeCalendar, place: CalendarPlace) -> Line:
    """Returns `Tue 10 Mar 2026 · stale-fixed · 412 tokens`; the pane of the day's text says more about the state."""
    if (day := calendar.at(place)) is None:
        return (Span("no day here", "muted"),)
    words = f"{day.day:%a} {day.day.day} {day.day:%b %Y} · {sign(day.node).word}"
    return (Span(words, "risk" if day.wants_doing else "text"), Span(f" · {count(day.tokens)} tokens", "muted"))
