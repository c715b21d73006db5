"""The calendar of the tree as a pane: a cursor on a day, lines drawn as they come into view."""

from dataclasses import dataclass
from datetime import date

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from tui.keys.naming import Keyed, bindings
from tui.present.spans import Span
from tui.present.tree import calendar as view
from tui.present.tree.calendar import CalendarPlace, TreeCalendar
from tui.toolkit.scroll import Scrolled, take_size
from tui.widgets.paint import strip
from tui.widgets.painted import Painted
from tui.widgets.style import style_sheet
from tui.widgets.wrap import wrapped


class CalendarGrid(Keyed, Scrolled, Painted, can_focus=True, inherit_bindings=False):
    """Shows weeks with their days below a line that names the weekdays."""

    SCOPE = "calendar"
    DEFAULT_CSS = style_sheet("CalendarGrid")
    BINDINGS = bindings("CalendarGrid")

    @dataclass
    class Moved(Message):
        """The cursor came to another day."""

        day: date

    class Chosen(Message):
        """`enter` on a day."""

    def __init__(self, *, ident: str) -> None:
        super().__init__(id=ident)
        self.calendar = TreeCalendar()
        self.place = CalendarPlace(0, 0)
        self._empty = "reading…"

    def show(self, calendar: TreeCalendar, day: date | None) -> None:
        """Takes another calendar; the cursor goes to a day of it, else to the latest."""
        self.calendar, self._empty = calendar, "no day yet: a tree grows from daily logs, memory/YYYY-MM-DD.md"
        self.place = (calendar.place_of(day) if day is not None else None) or calendar.last
        take_size(self, Size(self.scrollable_content_region.width, len(calendar) + 1))
        self._into_view()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        if not len(self.calendar):
            said = wrapped(self._empty, width)
            return strip(self, (Span(said[y], "muted"),) if y < len(said) else (), width)
        if y == 0:
            return strip(self, self.calendar.header(), width)
        index = y - 1 + self.scroll_offset.y
        return strip(self, self.calendar.line(index, self.place) if index < len(self.calendar) else (), width)

    def _into_view(self) -> None:
        """The first line stays: one week fewer is in sight than there are lines."""
        room = max(1, self.scrollable_content_region.height - 1)
        top, week = self.scroll_offset.y, self.place.week
        if week < top or week >= top + room:
            self.scroll_to(y=max(0, week if week < top else week - room + 1), animate=False, force=True)

    def on_resize(self) -> None:
        super().on_resize()
        self._into_view()

    def _go(self, place: CalendarPlace | None) -> None:
        day = self.calendar.at(place) if place is not None else None
        if place is None or day is None or place == self.place:
            return
        self.place = place
        self._into_view()
        self.refresh()
        self.post_message(self.Moved(day.day))

    def action_move(self, by: int) -> None:
        """Moves by days; at an end the cursor stays, and of a last week it takes the latest day."""
        at = self.place.week * 7 + self.place.weekday + by
        last = self.calendar.last
        at = max(0, min(at, last.week * 7 + last.weekday))
        place = CalendarPlace(*divmod(at, 7))
        self._go(place if self.calendar.at(place) is not None else None)

    def action_ends(self, at: int) -> None:
        days = self.calendar.weeks[0].days if self.calendar.weeks else ()
        self._go(self.calendar.last if at or not days else CalendarPlace(0, days[0].day.weekday()))

    def action_todo(self, by: int) -> None:
        """To the next day without a node, or whose node is no longer true to its log."""
        self._go(self.calendar.next_todo(self.place, by))

    def action_select(self) -> None:
        self.post_message(self.Chosen())

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        weekday = view.cell_at(offset.x) if offset is not None else None
        if offset is not None and weekday is not None and offset.y > 0:
            self._go(CalendarPlace(offset.y - 1 + self.scroll_offset.y, weekday))
