"""Shows the calendar of the tree as a pane with a cursor on a day; draws lines when they come into view."""

from datetime import date

from textual import events
from textual.geometry import Size
from textual.strip import Strip

from engine.tree.browse.weeks import weeks
from engine.tree.levels import NodeLevel, node_path, node_place
from engine.tree.source_references import raw_day
from tui.present.spans import Line, Span, join
from tui.present.tree import calendar as view
from tui.present.tree.calendar import CalendarPlace, TreeCalendar
from tui.screens.tree.pane import TreePane
from tui.toolkit.scroll import Scrolled, take_size
from tui.widgets.painted import Painted
from tui.widgets.segments import strip
from tui.widgets.wrap import wrapped


class CalendarGrid(TreePane, Scrolled, Painted, can_focus=True, inherit_bindings=False, scope="calendar"):
    """Shows weeks with their days, below a line with the weekdays."""

    def __init__(self) -> None:
        super().__init__(id="calendar")
        self.calendar = TreeCalendar()
        self.place = CalendarPlace(0, 0)
        self.here = ""  # the node that the page is about, whose day the cursor goes to
        self._empty = "reading…"

    def read(self) -> None:
        self.ask(lambda browser: TreeCalendar(weeks(browser)), self._took)

    def _took(self, calendar: TreeCalendar) -> None:
        self.show(calendar, _day_of(self.here))
        self._point()

    def _point(self) -> None:
        if (day := self.calendar.at(self.place)) is not None:
            self.point(node_path(NodeLevel.DAILY, day.day.isoformat()))
        self.tell(self.Renamed())

    def names(self, others: Line) -> tuple[Line, Line]:
        return view.title(self.calendar), join([others, view.foot(self.calendar, self.place)], Span("  "))

    def show(self, calendar: TreeCalendar, day: date | None) -> None:
        """Shows a calendar; the cursor goes to `day`, or to the latest day."""
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
        """Scrolls the cursor's week into view, below the fixed first line."""
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
        self._point()

    def action_move(self, by: int) -> None:
        at = self.place.week * 7 + self.place.weekday + by
        last = self.calendar.last
        at = max(0, min(at, last.week * 7 + last.weekday))
        place = CalendarPlace(*divmod(at, 7))
        self._go(place if self.calendar.at(place) is not None else None)

    def action_ends(self, at: int) -> None:
        days = self.calendar.weeks[0].days if self.calendar.weeks else ()
        self._go(self.calendar.last if at or not days else CalendarPlace(0, days[0].day.weekday()))

    def action_todo(self, by: int) -> None:
        self._go(self.calendar.next_todo(self.place, by))

    def action_select(self) -> None:
        self.tell(self.Entered())

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        weekday = view.cell_at(offset.x) if offset is not None else None
        if offset is not None and weekday is not None and offset.y > 0:
            self._go(CalendarPlace(offset.y - 1 + self.scroll_offset.y, weekday))


def _day_of(path: str) -> date | None:
    """Returns the day of a daily node or a raw log; None for another path."""
    place = node_place(path)
    if place is not None and place[0] is NodeLevel.DAILY:
        return date.fromisoformat(place[1])
    return raw_day(path)
