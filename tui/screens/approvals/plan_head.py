"""The head of a plan as a pane: as tall as its lines, within its share of the page."""

from textual import on

from tui.present import diff as diffs
from tui.present.spans import Line
from tui.screens.page import Page
from tui.widgets.text_pane import TextPane

_HEAD_LINES = 7  # lines of a plan's head on a wide screen, so that the diff below stays put from plan to plan
_MOST_LINES = 11  # lines of a plan's head, however much it has to say: the diff below keeps the room
_HEAD_SHARE = 3  # the head takes a third of the pane at most: the diff is what is looked at
_TALL_SHARE = 4  # in a pane that is tall enough, the head may have more than `_MOST_LINES`: up to a quarter of it


class PlanHead(TextPane):
    """Reason, trigger, gates, warnings and cost of a plan."""

    def __init__(self) -> None:
        super().__init__(ident="head", hang=diffs.LABEL)

    def show_head(self, title: Line, lines: tuple[Line, ...], *, keep_place: bool = False) -> None:
        self.name_it(title)
        self.show(lines, keep_place=keep_place)
        self.call_after_refresh(self.fit)

    @on(TextPane.Laid)
    def _fit_anew(self) -> None:
        self.fit()

    def fit(self) -> None:
        """Takes as many lines as it has, within its share; above a diff as many as usual, so that the diff stays put.
        Zoomed it has all the room. Lines that progress or a toast take for a while change nothing."""
        page = self.query_ancestor(Page)
        if page.has_class("zoom") and page.has_class("at-head"):
            self.styles.height = "1fr"
            return
        room = self.app.size.height - page.region.y - 1  # the hints have the last line
        if page.pane("diff").region.height == 0:  # the list of changes stands below
            least, most = 0, max(2, min(_MOST_LINES, room // 2 - 2))
        else:
            share = max(3, room // _HEAD_SHARE)
            least, most = min(_HEAD_LINES, share), min(max(_MOST_LINES, room // _TALL_SHARE), share)
        height = max(least, min(self.lines_laid_out, most)) + 2
        if self.styles.height is None or self.styles.height.cells != height:
            self.styles.height = height
