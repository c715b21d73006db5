"""Lays out one diff, or several as one text, and paints the visible lines."""

from collections.abc import Mapping
from typing import Literal

from textual.geometry import Size
from textual.strip import Strip

from engine.plans.diff import FileDiff
from tui.present import diff as diffs
from tui.present.diff_style import RowLooks
from tui.present.spans import Line, Span
from tui.toolkit.scroll import Scrolled, take_size
from tui.widgets.diff_layout import DiffLayout, SplitLayout
from tui.widgets.diff_stack import DiffStack, Section
from tui.widgets.role_style import role_style
from tui.widgets.searchable_pane import SearchablePane
from tui.widgets.segments import blank, cut, strip
from tui.widgets.wrap import wrapped_line

_LEAST_MESSAGE = 24  # a message is never wrapped to fewer cells: before the first layout there is only one


class DiffPane(Scrolled, SearchablePane, can_focus=True, inherit_bindings=False):
    """Holds the diffs, their layout and the line under the cursor, which the view moves."""

    def __init__(self, *, ident: str | None = None, split: bool = False) -> None:
        super().__init__(id=ident)
        self._parts: tuple[diffs.DiffPart, ...] = ()
        self._looks: tuple[RowLooks, ...] = ()  # the looks of each part, kept from layout to layout
        self._opened: frozenset[int] = frozenset()
        self._opened_to_find: frozenset[int] = frozenset()
        """The rows among the opened ones that a search went to."""
        self._around = diffs.CONTEXT
        self._layout_: DiffLayout | DiffStack | None = None
        self._split = split
        self._fresh = False  # true if the diff waits for its first layout on screen
        self._title: Line = ()
        self._foot: Line = ()
        self._message: tuple[Line, ...] = ()
        self._told = ""  # the words of the hints for what `enter` opens
        self.cursor = 0
        self._held: tuple[int, int] | None = None
        """The section whose changes to keep in view on a resize, and the cursor then; None without one."""

    @property
    def opens(self) -> Literal["fold", "source", ""]:
        """The kind of thing that `enter` opens under the cursor; empty for nothing."""
        laid = self._layout_
        if laid is None or not laid.items:
            return ""
        if laid.fold_at(self.cursor) is not None:
            return "fold"
        return "source" if laid.source(self.cursor) is not None else ""

    @property
    def showing(self) -> FileDiff | None:
        """The diff on screen, or of several the one under the cursor; None without one."""
        return self._parts[self.section].diff if self._layout_ is not None else None

    @property
    def stacked(self) -> bool:
        """Tells whether several diffs are shown as one text."""
        return isinstance(self._layout_, DiffStack)

    @property
    def section(self) -> int:
        """The index of the diff under the cursor."""
        return self._layout_.section_of(self.cursor) if self._layout_ is not None else 0

    @property
    def at_end(self) -> bool:
        return self.scroll_offset.y >= self.max_scroll_y

    @property
    def section_at_top(self) -> int:
        """The index of the diff at the top of the view."""
        laid = self._layout_
        return laid.section_of(laid.item_at(self.scroll_offset.y)) if laid is not None and laid.items else 0

    @property
    def _pinned(self) -> Line | None:
        """The heading that stays on the top line after it is scrolled past; None without one."""
        laid, top = self._layout_, self.scroll_offset.y
        return laid.heading_above(top) if isinstance(laid, DiffStack) and top < laid.height else None

    @property
    def ends_in_view(self) -> Mapping[int, tuple[bool, bool]]:
        """For each visible diff: whether its first and its last changed line are visible."""
        if (laid := self._layout_) is None:
            return {}
        top = self.scroll_offset.y
        view = range(top + (self._pinned is not None), top + self.scrollable_content_region.height)
        ends = {at: (lines.start in view, lines.stop - 1 in view) for at, lines in enumerate(laid.sections) if lines}
        return {at: both for at, both in ends.items() if any(both)}

    def _first_change(self) -> int:
        """Returns the first changed line if it is on the first screen, else the top."""
        if (laid := self._layout_) is None:
            return 0
        height = self.scrollable_content_region.height
        near = range(min(len(laid.items), height))
        return next((index for index in near if laid.changed(index) and laid.starts[index + 1] <= height), 0)

    def say(self, *message: Line) -> None:
        self._layout_, self._message, self.cursor = None, message, 0
        take_size(self, Size(self._room, 0))
        self.refresh()
        self._tell()

    @property
    def _room(self) -> int:
        return max(1, self.scrollable_content_region.width)

    def _laid_out(self) -> DiffLayout | DiffStack:
        # Each layout is of one width: a resize lays out anew, and moving the cursor never does.
        kind = SplitLayout if self.splits else DiffLayout
        layouts, base = [], 0
        for part, looks in zip(self._parts, self._looks, strict=True):
            count = len(part.diff.rows)
            layouts.append(
                kind(
                    part.diff,
                    part.preface,
                    part.origins,
                    self._room,
                    looks=looks,
                    context=self._around,
                    opened=frozenset(row - base for row in self._opened if base <= row < base + count),
                    flags=part.flags,
                    frontmatter=part.frontmatter,
                )
            )
            base += count
        if len(layouts) == 1 and not self._parts[0].heading:
            return layouts[0]
        headings = (part.heading for part in self._parts)
        return DiffStack(tuple(map(Section, headings, layouts)), self._room)

    def _lay_out(self) -> None:
        before = self._layout_
        self._layout_ = laid = self._laid_out()
        laid.look_for(self.wanted)
        # Before the first layout on screen nobody knows which line stands on the first page.
        if self._fresh and isinstance(laid, DiffLayout):
            self.cursor, self._fresh = self._first_change(), not self.scrollable_content_region.height
        elif before is not None:
            self._stay(before, laid)
        self.cursor = min(self.cursor, max(0, len(laid.items) - 1))
        take_size(self, Size(self._room, laid.height))
        self.refresh()
        self._tell()

    def _stay(self, before: DiffLayout | DiffStack, laid: DiffLayout | DiffStack) -> None:
        """Keeps the cursor on its row, and the row on its screen line, in a new layout."""
        rows = before.rows_of(self.cursor)
        index = laid.item_of(rows[-1]) if rows else None
        if index is None:
            return
        # The row stays on its line of the screen: the eye does not have to look for it again.
        line = before.starts[self.cursor] - self.scroll_offset.y
        self.cursor = index
        take_size(self, Size(self._room, laid.height))
        self.scroll_to(y=max(0, laid.starts[index] - line), animate=False)

    @property
    def lines_laid_out(self) -> int:
        """The number of screen lines of the diff."""
        return self._layout_.height if self._layout_ is not None else 0

    @property
    def divider(self) -> int:
        """The column of the rule between old and new, counting the border; 0 for one column."""
        return 1 + self._layout_.divider if self._layout_ is not None else 0

    @property
    def splits(self) -> bool:
        """Tells whether the sides are shown side by side; a narrow pane shows one column."""
        return self._split and self._room >= SplitLayout.LEAST

    def name_it(self, line: Line, foot: Line = ()) -> None:
        """Sets the title; the lower border says how the diff is shown, if not as usual."""
        self._title, self._foot = line, foot
        ways = []
        if self._split:
            ways.append("split" if self.splits else f"split needs {SplitLayout.LEAST} columns")
        if self._around != diffs.CONTEXT:
            ways.append(f"{self._around} lines of context")
        super().name_it(line, foot or ((Span(" · ".join(ways), "muted"),) if ways else ()))

    def render_line(self, y: int) -> Strip:
        line = y + self.scroll_offset.y
        if (laid := self._layout_) is None:
            return self._message_line(y)
        if line >= laid.height:
            return self._empty()
        pinned = self._pinned if y == 0 else None
        if pinned is not None:
            return strip(self, cut((Span(" "), *pinned), laid.width), laid.width)
        # While something is looked for the cursor stays in sight, though the field has the focus.
        under = laid.item_at(line) == self.cursor and (self.has_focus or self.wanted is not None)
        base = role_style(self.app.theme, "cursor") if under and not laid.changed(self.cursor) else None
        return strip(self, laid.line(line, "▌" if under else " "), laid.width, base)

    def _message_line(self, y: int) -> Strip:
        """Draws a line of the message, wrapped each time, since messages are short."""
        width = max(_LEAST_MESSAGE, self._room - 2)
        lines = [part for line in self._message for part in wrapped_line(line, width, diffs.LABEL)]
        return strip(self, (Span(" "), *lines[y]), self._room) if y < len(lines) else self._empty()

    def _empty(self) -> Strip:
        return blank(self, self._room)

    def _tell(self) -> None:
        if self.opens != self._told:
            self._told = self.opens
            if self.has_focus:
                self.screen.refresh_bindings()

    def _refresh_item(self, laid: DiffLayout | DiffStack, index: int) -> None:
        if index < len(laid.items):
            self.refresh_lines(laid.starts[index], laid.starts[index + 1] - laid.starts[index])
