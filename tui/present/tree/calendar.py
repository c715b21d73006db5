"""The tree as a calendar: a line a week, a cell a day; shade and colour by tokens, a sign by how the node stands."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from engine.tree.browse.weeks import CalendarDay, CalendarWeek
from tui.present.spans import Line, Role, Span
from tui.present.tree.rows import sign
from tui.present.words import count, noun, short_count

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_CELL, _LABEL = 4, 11  # cells of a day, and of the week's name before the days
_SHADES: tuple[tuple[str, Role], ...] = (("░", "rule"), ("▒", "muted"), ("▓", "info"), ("█", "accent"))
"""By quarter of the days that have a log, from the fewest tokens up."""


class CalendarPlace(NamedTuple):
    """A week by its index, and a weekday from 0 for Monday."""

    week: int
    weekday: int


class TreeCalendar:
    """The weeks as lines, each made when it comes into view."""

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
        """The day at a place; None for one before the first log or to come."""
        if not 0 <= place.week < len(self.weeks):
            return None
        return next((day for day in self.weeks[place.week].days if day.day.weekday() == place.weekday), None)

    def place_of(self, day: date) -> CalendarPlace | None:
        """The place of a day; None where its week is not listed."""
        weeks = (at for at, week in enumerate(self.weeks) if any(one.day == day for one in week.days))
        return next((CalendarPlace(at, day.weekday()) for at in weeks), None)

    @property
    def last(self) -> CalendarPlace:
        """The latest day there is."""
        days = self.weeks[-1].days if self.weeks else ()
        return CalendarPlace(max(0, len(self.weeks) - 1), days[-1].day.weekday() if days else 0)

    def next_todo(self, place: CalendarPlace, by: int) -> CalendarPlace | None:
        """The next day that wants doing, going round; None where none does."""
        later = [one for one in self.todo if (one > place if by > 0 else one < place)]
        if later:
            return later[0] if by > 0 else later[-1]
        return (self.todo[0] if by > 0 else self.todo[-1]) if self.todo else None

    def header(self) -> Line:
        return (Span(" " * _LABEL), *(Span(f" {day}", "muted") for day in DAYS), Span("  tokens", "muted"))

    def line(self, index: int, chosen: CalendarPlace | None) -> Line:
        """A week: its month where one begins, its number and sign, its days, and its tokens in all."""
        week = self.weeks[index]
        state = sign(week.node)
        cells = [self._cell(index, weekday, chosen) for weekday in range(7)]
        tokens = sum(day.tokens for day in week.days)
        total = Span(f"{short_count(tokens) if tokens else '':>7}", "muted")
        label = f"{self._begins(index):<5}{week.node.period.rpartition('-')[2]:<4}"
        return (Span(label, "text"), Span(f"{state.glyph} ", state.role), *cells, Span(" "), total)

    def _begins(self, index: int) -> str:
        """Names the year or else the month where a week begins another one than the week above did."""
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
    """The weekday of a column of cells; None beside them."""
    weekday = (x - _LABEL) // _CELL
    return weekday if 0 <= weekday < len(DAYS) else None


def title(calendar: TreeCalendar) -> Line:
    found = len(calendar.todo)
    words = noun(found, "gap or stale day", "gaps and stale days") if found else "no gap"
    return (Span("Calendar", "title"), Span(f" {words}", "risk" if found else "muted"))


def foot(calendar: TreeCalendar, place: CalendarPlace) -> Line:
    """`Tue 10 Mar 2026 · stale-fixed · 412 tokens`: the pane of the day's text has the state in more words."""
    if (day := calendar.at(place)) is None:
        return (Span("no day here", "muted"),)
    words = f"{day.day:%a} {day.day.day} {day.day:%b %Y} · {sign(day.node).word}"
    return (Span(words, "risk" if day.wants_doing else "text"), Span(f" · {count(day.tokens)} tokens", "muted"))
