"""Sizes the panes of the Overview: lists by their rows, the rest for courses and changes."""

from tui.screens.page import Page
from tui.widgets.diff_view import DiffView
from tui.widgets.line_list import LineList

LOW = 20  # lines up to which the cards show their gravest gauge alone
SNUG = 116
"""The most columns at which two cards stand side by side; wider screens have four, and a pane for courses."""
COURSES = 30  # lines from which on the courses have their pane
_FULL = 14  # rows of a list that take its room; the others are scrolled to
_LEAST_PEEK = 5  # lines of a diff beside the list of the agent's changes, with its border
_AROUND, _CARD_LINES = 2, 8  # lines of a border, and of the cards where the courses have a pane of their own
_WIDE = 100  # columns from which on panes stand beside one another (`-wide` of the console)
_RIGHT = ("since", "due", "attention", "waiting")  # the panes of the right column from top to bottom


def fit_panes(page: Page, *, courses: bool) -> None:
    """Gives lists the lines that they need and the rest to courses and changes, or all to a lone pane."""
    names = ("triggers", *_RIGHT)
    lists = {name: page.query_one(f"#{name}", LineList) for name in names}
    if page.app.size.width < _WIDE or page.has_class("zoom"):
        for name in names:
            lists[name].styles.height = "1fr"
        page.query_one("#peek", DiffView).styles.display = None if page.has_class("zoom") else "none"
        return
    wanted = {name: min(max(lists[name].rows_wanted, 1), _FULL) + _AROUND for name in names}
    room = page.app.size.height - _lines_above(page)
    spare = room - sum(wanted[name] for name in _RIGHT)
    peeks = page.has_class("peeks") and spare >= _LEAST_PEEK
    for name in names:
        alone = name == "triggers" and not courses
        grows = alone or (name == "since" and not peeks)
        lists[name].styles.height = "1fr" if grows else wanted[name] if spare >= 0 else "1fr"
    page.query_one("#peek", DiffView).styles.display = "block" if peeks else "none"


def _lines_above(page: Page) -> int:
    """Counts the lines of the screen outside the panes: edges, verdict, window and cards."""
    cards = page.query_one("#cards").outer_size.height
    window = page.query_one("#window").outer_size.height
    return page.app.size.height - page.outer_size.height + 1 + window + (cards or _CARD_LINES)
