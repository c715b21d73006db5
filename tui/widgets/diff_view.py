"""Shows diffs by lines, unified or side by side, with changed words, folded equal lines, and origins."""

from collections.abc import Mapping
from dataclasses import dataclass

from textual.message import Message

from engine.plans.diff import DiffRow, FileDiff, unified
from engine.workspace.values import LineSpan
from tui.present import diff as diffs
from tui.present.diff_style import RowLooks
from tui.present.sought_text import SoughtText
from tui.present.spans import Line
from tui.present.words import safe
from tui.widgets.diff_layout import DiffLayout
from tui.widgets.diff_pane import DiffPane
from tui.widgets.diff_stack import DiffStack
from tui.widgets.searchable_pane import LinePlace

_ABOVE = 2  # lines kept above a change that is gone to


class DiffView(DiffPane, can_focus=True, inherit_bindings=False, scope="diff"):
    """Shows one diff, or several as one text, with a cursor line; `enter` opens a line's source or a fold."""

    @dataclass
    class SourceWanted(Message):
        """Asks for the source `span` of a line; None if it has none."""

        span: LineSpan | None

    @dataclass
    class PastEnd(Message):
        """Says that a page beyond the last line (`by` 1) or the first (-1) was asked for."""

        by: int

    @dataclass
    class ViewChanged(Message):
        """Says that other lines are visible."""

    @property
    def hunk(self) -> int:
        """The number (from 1) of the changed lines under the cursor; 0 without any."""
        laid, diff = self._layout_, self.showing
        if laid is None or diff is None or laid.fold_at(self.cursor) is not None or not laid.rows_of(self.cursor):
            return 0
        return diffs.run_number(diff.rows, max(laid.rows_of(self.cursor)))

    @property
    def row(self) -> DiffRow | None:
        """The row under the cursor, of the newer side where that has it."""
        laid, diff = self._layout_, self.showing
        rows = laid.rows_of(self.cursor) if laid is not None else ()
        if diff is None or not rows:
            return None
        return diff.rows[rows[-1] - sum(len(part.diff.rows) for part in self._parts[: self.section])]

    @property
    def noted_line(self) -> LinePlace | None:
        """The line under the cursor."""
        diff, row = self.showing, self.row
        return LinePlace(diff.to or diff.path, row.right_no or row.left_no or 0, row.text) if diff and row else None

    def show(
        self,
        diff: FileDiff,
        preface: tuple[Line, ...],
        origins: Mapping[int, LineSpan],
        flags: Mapping[int, str] = {},
        frontmatter: int = 0,
    ) -> None:
        """Puts another diff on screen, from its top, with flags by line and the rows of frontmatter that are folded."""
        self._show((diffs.DiffPart(diff, preface, origins, flags, frontmatter=frontmatter),))
        self.scroll_to(y=0, animate=False)

    def show_all(self, parts: tuple[diffs.DiffPart, ...], at: int) -> None:
        """Shows several diffs as one text, beginning with diff number `at`."""
        self._show(parts)
        self.go_section(at)

    def _show(self, parts: tuple[diffs.DiffPart, ...]) -> None:
        self._parts, self._looks = parts, tuple(RowLooks(part.diff.rows) for part in parts)
        self._opened = self._opened_to_find = frozenset()
        self._message, self._layout_ = (), None
        self.cursor, self._held = 0, None
        self._fresh = True
        self._lay_out()
        if self.wanted is not None:
            self.forget_hits()

    def go_section(self, number: int) -> None:
        """Scrolls to the heading of a diff, as far as the text allows."""
        laid = self._layout_
        if isinstance(laid, DiffStack) and laid.headings:
            self._go(laid.headings[max(0, min(number, len(laid.headings) - 1))])
            self.scroll_to(y=laid.starts[self.cursor], animate=False, force=True)

    def go_change(self, number: int) -> None:
        """Scrolls to the changed lines of a diff, with the lines above them if they fit."""
        laid = self._layout_
        self.go_section(number)
        if isinstance(laid, DiffStack) and laid.sections:
            lines = laid.sections[number]
            self._go(laid.item_at(lines.start))
            above = max(laid.starts[laid.headings[number]], lines.start - _ABOVE)
            end = lines.stop - self.scrollable_content_region.height
            top = min(lines.start - 1, max(above, end))  # the top line is the heading's
            self.scroll_to(y=top, animate=False, force=True)
            self._held = (number, self.cursor)

    # What can be found: the preface, then every row, folded away or not

    @property
    def count(self) -> int:
        laid = self._layout_
        return laid.above + laid.row_count if laid is not None else 0

    def text_at(self, index: int) -> str:
        if (laid := self._layout_) is None:
            return ""
        return safe(laid.row_text(index - laid.above)) if index >= laid.above else laid.words_at(index)

    def whole_text(self) -> str:
        return "\n".join(unified(part.diff) for part in self._parts) if self._layout_ is not None else ""

    @property
    def at(self) -> int:
        """The line under the cursor; on a fold, the first hidden one."""
        laid = self._layout_
        if laid is None or self.cursor < laid.above:
            return self.cursor
        fold = laid.fold_at(self.cursor)
        return laid.above + (fold if fold is not None else self._row(laid))

    def _row(self, laid: DiffLayout | DiffStack) -> int:
        """Returns the row under the cursor, or the first row below."""
        below = range(self.cursor, len(laid.items))
        return next((rows[-1] for rows in map(laid.rows_of, below) if rows), max(0, laid.row_count - 1))

    def go(self, index: int) -> None:
        """Puts the cursor on a line; opens a fold that hides it."""
        laid = self._layout_
        if laid is None or index < laid.above:
            self._go(index)
            return
        row = index - laid.above
        if laid.item_of(row) is None:
            self._opened |= {row}
            self._opened_to_find |= {row}
            self._lay_out()
        self._go((self._layout_ or laid).item_of(row) or 0)

    def look_for(self, wanted: SoughtText | None) -> None:
        super().look_for(wanted)
        if (laid := self._layout_) is None:
            return
        laid.look_for(self.wanted)
        if self.wanted is not None and self._opened_to_find:  # what the letters before led to folds again
            self._opened -= self._opened_to_find
            self._opened_to_find = frozenset()
            self._lay_out()

    def _go(self, index: int) -> None:
        laid = self._layout_
        if laid is None or not laid.items:
            return
        before, self.cursor = self.cursor, max(0, min(index, len(laid.items) - 1))
        self._refresh_item(laid, before)
        self._refresh_item(laid, self.cursor)
        self._tell()
        top, end = laid.starts[self.cursor], laid.starts[self.cursor + 1]
        height = max(1, self.scrollable_content_region.height)
        # A heading that stays on top hides the line below it.
        hidden = int(isinstance(laid, DiffStack) and laid.heading_above(top - 1) is not None)
        if top - hidden < self.scroll_offset.y:
            self.scroll_to(y=top - hidden, animate=False)
        elif end > self.scroll_offset.y + height:
            self.scroll_to(y=min(top, end - height), animate=False)

    def action_move(self, by: int) -> None:
        self._go(self.cursor + by)

    def action_move_to(self, index: int) -> None:
        self._go(index if index >= 0 else 1 << 60)

    def action_page(self, by: int) -> None:
        laid = self._layout_
        if laid is None or not laid.items:
            return
        height = max(1, self.scrollable_content_region.height - 1 - self.stacked)  # a line again, below the heading
        # The page asks for the next change: `space` reads on through a whole plan.
        if self.scroll_offset.y == (self.max_scroll_y if by > 0 else 0):
            self.post_message(self.PastEnd(by))
        if isinstance(laid, DiffStack):
            self._turn_page(laid, by * height)
            return
        index = laid.item_at(max(0, min(laid.starts[self.cursor] + by * height, laid.height - 1)))
        if index == self.cursor:
            self.scroll_to(y=self.scroll_offset.y + by * height, animate=False)
        self._go(index)

    def _turn_page(self, laid: DiffStack, by: int) -> None:
        """Scrolls a text of several diffs by a page from the top of the view, so that no line is skipped."""
        top = max(0, min(self.scroll_offset.y + by, round(self.max_scroll_y)))
        before, self.cursor = self.cursor, laid.item_at(top)
        self._refresh_item(laid, before)
        self._refresh_item(laid, self.cursor)
        self.scroll_to(y=top, animate=False)
        self._tell()

    def action_hunk(self, by: int) -> None:
        """Goes to the next changed lines."""
        laid = self._layout_
        index, inside = self.cursor + by, laid is not None and laid.changed(self.cursor)
        while laid is not None and 0 <= index < len(laid.items):
            if laid.changed(index) and not inside:
                self._go(index)
                return
            inside = laid.changed(index)
            index += by

    def go_flagged(self, by: int, *, fresh: bool = False) -> bool:
        """Goes to the next or previous flagged line, with `fresh` from the far end; False without any."""
        laid = self._layout_
        if laid is None or not laid.flagged:
            return False
        rows = laid.rows_of(self.cursor)
        # On a line that is no row the next one counts as not passed yet.
        here = max(rows) if rows else self._row(laid) - (1 if by > 0 else 0)
        if fresh:
            here = -1 if by > 0 else laid.row_count
        beyond = [row for row in laid.flagged if (row > here if by > 0 else row < here)]
        if beyond:
            self._fresh = False
            self.go(laid.above + (beyond[0] if by > 0 else beyond[-1]))
        return bool(beyond)

    def action_context(self, by: int) -> None:
        if self._layout_ is not None:
            self._around = max(0, self._around + by)
            self._lay_out()
            self.name_it(self._title, self._foot)

    def action_split(self) -> None:
        self._split = not self._split
        if self._layout_ is not None:
            self._lay_out()
        self.name_it(self._title, self._foot)

    def action_open(self) -> None:
        laid = self._layout_
        if laid is None or not laid.items:
            return
        if (fold := laid.fold_at(self.cursor)) is not None:
            self._opened |= {fold}
            self._lay_out()
            return
        self.post_message(self.SourceWanted(laid.source(self.cursor)))

    def on_resize(self) -> None:
        if self._layout_ is None:
            self.refresh()
        elif self._room != self._layout_.width:
            self._lay_out()
            self.name_it(self._title, self._foot)
        if self._held is not None and self._held[1] == self.cursor:
            self.go_change(self._held[0])  # a dialog took room below after the lines were put in view
        self.post_message(self.ViewChanged())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self.post_message(self.ViewChanged())
