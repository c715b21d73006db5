"""The screens there are: the number key, the name, and the page, whose module is loaded on the first visit. A new
screen is one line here; header, keys, palette, help, docs and screenshots follow from it."""

from typing import NamedTuple


class ScreenEntry(NamedTuple):
    """A screen: its key, id and title, a short title for narrow headers, and `module:class` of its page."""

    key: str
    id: str
    title: str
    short: str
    page: str


PLACES = (
    ScreenEntry("1", "overview", "Overview", "Over", "tui.screens.overview.page:OverviewPage"),
    ScreenEntry("2", "approvals", "Approvals", "Appr", "tui.screens.approvals.page:ApprovalsPage"),
    ScreenEntry("3", "tree", "Tree", "Tree", "tui.screens.tree.page:TreePage"),
    ScreenEntry("4", "topics", "Topics", "Tops", "tui.screens.topics.page:TopicsPage"),
    ScreenEntry("5", "context", "Context", "Ctxt", "tui.screens.context.page:ContextPage"),
    ScreenEntry("6", "search", "Search", "Srch", "tui.screens.search.page:SearchPage"),
    ScreenEntry("7", "history", "History", "Hist", "tui.screens.history.page:HistoryPage"),
    ScreenEntry("8", "lifecycle", "Lifecycle", "Life", "tui.screens.lifecycle.page:LifecyclePage"),
)
"""In the order of their keys, which are given: 1 Overview, 2 Approvals, 3 Tree, 4 Topics, 5 Context, 6 Search,
7 History, 8 Lifecycle."""

FIRST = PLACES[0].id  # the screen the console opens on


def place(ident: str) -> ScreenEntry:
    """The screen of that id; `KeyError` where there is none."""
    return {found.id: found for found in PLACES}[ident]
