"""Diffs by lines, unified or side by side: numbers, signs, changed words; equal lines folded, origins at right."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from engine.plans.diff import FileDiff
from engine.workspace.values import LineSpan
from tui.keys.naming import Keyed
from tui.present import diff as diffs
from tui.present.diff_style import RowLooks
from tui.present.found_text import SoughtText
from tui.present.spans import Line, Span
from tui.present.words import safe
from tui.toolkit.scroll import Scrolled, take_size
from tui.widgets.diff_layout import DiffLayout, SplitLayout
from tui.widgets.diff_stack import DiffStack, Section
from tui.widgets.line_keys import LINE_KEYS
from tui.widgets.paint import blank, cut, strip
from tui.widgets.searched import FIND, FIND_KEYS, SearchablePane
from tui.widgets.style import role_style
from tui.widgets.wrap import wrapped_line

_ABOVE = 2
"""Lines kept above a change that is gone to."""
_LEAST_MESSAGE = 24
"""A message is never wrapped to fewer cells: before the first layout there is only one."""


class DiffView(Keyed, Scrolled, SearchablePane, can_focus=True, inherit_bindings=False):
    """Shows one diff, or several as one text, with a cursor line. `enter` asks for a line's source, opens a fold."""

    SCOPE = "diff"
    DEFAULT_CSS = """
    DiffView { height: 1fr; scrollbar-size: 1 1; scrollbar-gutter: stable; overflow-x: hidden; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *LINE_KEYS,
        *FIND_KEYS,
        FIND,
        Binding("n", "hunk(1)", "Next difference", show=False),
        Binding("N", "hunk(-1)", "Previous difference", show=False),
        Binding("right_curly_bracket", "context(3)", "More context", show=False),
        Binding("left_curly_bracket", "context(-3)", "Less context", show=False),
        Binding("s", "split", "Split / unified", show=False),
        Binding("enter", "open", "Source"),
    ]

    @dataclass
    class SourceWanted(Message):
        """`enter` on a line: `span` is where it came from, None where it came from no other file."""

        span: LineSpan | None

    @dataclass
    class PastEnd(Message):
        """A page was asked for beyond the last line (`by` 1) or the first (-1)."""

        by: int

    @dataclass
    class ViewChanged(Message):
        """Other lines are in view."""

    def __init__(self, *, ident: str | None = None, split: bool = False) -> None:
        super().__init__(id=ident)
        self._parts: tuple[diffs.DiffPart, ...] = ()
        self._looks: tuple[RowLooks, ...] = ()
        """The looks of each part, kept from layout to layout."""
        self._opened: frozenset[int] = frozenset()
        self._opened_to_find: frozenset[int] = frozenset()
        """The rows among them that were gone to while something is looked for."""
        self._around = diffs.CONTEXT
        self._layout_: DiffLayout | DiffStack | None = None
        self._split = split
        self._fresh = False
        """True if the diff waits for its first layout on screen."""
        self._title: Line = ()
        self._foot: Line = ()
        self._message: tuple[Line, ...] = ()
        self._told = ""
        """The words of the hints for what `enter` opens."""
        self.cursor = 0
        self._held: tuple[int, int] | None = None
        """The changed lines that were put in view, by section, with the cursor then: they stay in view on a resize."""

    @property
    def opens(self) -> Literal["fold", "source", ""]:
        """Names what `enter` opens under the cursor, if anything."""
        laid = self._layout_
        if laid is None or not laid.items:
            return ""
        if laid.fold_at(self.cursor) is not None:
            return "fold"
        return "source" if laid.source(self.cursor) is not None else ""

    @property
    def showing(self) -> FileDiff | None:
        """The diff on screen; of several the one under the cursor."""
        return self._parts[self.section].diff if self._layout_ is not None else None

    @property
    def hunk(self) -> int:
        """The number, from 1, of the run of changed lines under the cursor; 0 where it is on none."""
        laid, diff = self._layout_, self.showing
        if laid is None or diff is None or laid.fold_at(self.cursor) is not None or not laid.rows_of(self.cursor):
            return 0
        return diffs.run_number(diff.rows, max(laid.rows_of(self.cursor)))

    @property
    def stacked(self) -> bool:
        """Tells whether several diffs are shown as one text."""
        return isinstance(self._layout_, DiffStack)

    @property
    def section(self) -> int:
        """The number, from 0, of the diff under the cursor."""
        return self._layout_.section_of(self.cursor) if self._layout_ is not None else 0

    @property
    def at_end(self) -> bool:
        """Tells whether the last line is in view."""
        return self.scroll_offset.y >= self.max_scroll_y

    @property
    def section_at_top(self) -> int:
        """The number of the diff whose lines stand at the top of the view."""
        laid = self._layout_
        return laid.section_of(laid.item_at(self.scroll_offset.y)) if laid is not None and laid.items else 0

    @property
    def _pinned(self) -> Line | None:
        """The heading that stays on the top line, in the place of a line of its diff, once it is scrolled past."""
        laid, top = self._layout_, self.scroll_offset.y
        return laid.heading_above(top) if isinstance(laid, DiffStack) and top < laid.height else None

    @property
    def ends_in_view(self) -> Mapping[int, tuple[bool, bool]]:
        """For each diff of which lines are in view: whether the first and the last that say what changes are."""
        laid = self._layout_
        if laid is None:
            return {}
        top = self.scroll_offset.y
        view = range(top + (self._pinned is not None), top + self.scrollable_content_region.height)
        ends = {at: (lines.start in view, lines.stop - 1 in view) for at, lines in enumerate(laid.sections) if lines}
        return {at: found for at, found in ends.items() if any(found)}

    def show(
        self,
        diff: FileDiff,
        preface: tuple[Line, ...],
        origins: Mapping[int, LineSpan],
        flags: Mapping[int, str] = {},
        frontmatter: int = 0,
    ) -> None:
        """Puts another diff on screen, from its top. `flags`: why a line of the new file is flagged.

        `frontmatter`: rows at the top that are folded.
        """
        self._show((diffs.DiffPart(diff, preface, origins, flags, frontmatter=frontmatter),))
        self.scroll_to(y=0, animate=False)

    def show_all(self, parts: tuple[diffs.DiffPart, ...], at: int) -> None:
        """Puts several diffs on screen as one text, that of number `at` at its top."""
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
        """Puts the heading of a diff at the top, as far as there are lines below it."""
        laid = self._layout_
        if isinstance(laid, DiffStack) and laid.headings:
            self._go(laid.headings[max(0, min(number, len(laid.headings) - 1))])
            self.scroll_to(y=laid.starts[self.cursor], animate=False, force=True)

    def go_change(self, number: int) -> None:
        """Puts the changed lines of a diff in view, from the first one on, with what stands above it if they fit."""
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

    def _first_change(self) -> int:
        """The first changed line, where it is on the first screen; else the top."""
        laid = self._layout_
        if laid is None:
            return 0
        height = self.scrollable_content_region.height
        near = range(min(len(laid.items), height))
        return next((index for index in near if laid.changed(index) and laid.starts[index + 1] <= height), 0)

    def say(self, *message: Line) -> None:
        """Takes the diff away and says `message` in its place."""
        self._layout_, self._message, self.cursor = None, message, 0
        take_size(self, Size(self._room, 0))
        self.refresh()
        self._tell()

    @property
    def _room(self) -> int:
        return max(1, self.scrollable_content_region.width)

    def _laid_out(self) -> DiffLayout | DiffStack:
        """Lays out all parts: one without a heading by itself."""
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
        """Leaves the cursor on the row it was on, and that row on the line where it was, in another layout."""
        rows = before.rows_of(self.cursor)
        index = laid.item_of(rows[-1]) if rows else None
        if index is None:
            return
        line = before.starts[self.cursor] - self.scroll_offset.y
        self.cursor = index
        take_size(self, Size(self._room, laid.height))
        self.scroll_to(y=max(0, laid.starts[index] - line), animate=False)

    @property
    def lines_laid_out(self) -> int:
        """Screen lines that the diff takes in all."""
        return self._layout_.height if self._layout_ is not None else 0

    @property
    def divider(self) -> int:
        """The column, its border counted, of the rule between old and new; 0 where they stand in one column."""
        return 1 + self._layout_.divider if self._layout_ is not None else 0

    @property
    def splits(self) -> bool:
        """Tells whether the two sides stand beside each other; a pane that is too narrow shows them as one."""
        return self._split and self._room >= SplitLayout.LEAST

    def name_it(self, line: Line, foot: Line = ()) -> None:
        """The title; in the lower border stands how the diff is shown, where that is not the usual way."""
        self._title, self._foot = line, foot
        ways = []
        if self._split:
            ways.append("split" if self.splits else f"split needs {SplitLayout.LEAST} columns")
        if self._around != diffs.CONTEXT:
            ways.append(f"{self._around} lines of context")
        super().name_it(line, foot or ((Span(" · ".join(ways), "muted"),) if ways else ()))

    def render_line(self, y: int) -> Strip:
        line = y + self.scroll_offset.y
        laid = self._layout_
        if laid is None:
            return self._message_line(y)
        if line >= laid.height:
            return self._empty()
        pinned = self._pinned if y == 0 else None
        if pinned is not None:
            return strip(self, cut((Span(" "), *pinned), laid.width), laid.width)
        under = laid.item_at(line) == self.cursor and (self.has_focus or self.wanted is not None)
        base = role_style(self.app.theme, "cursor") if under and not laid.changed(self.cursor) else None
        return strip(self, laid.line(line, "▌" if under else " "), laid.width, base)

    def _message_line(self, y: int) -> Strip:
        """A message is a few lines, so it is wrapped anew for each of them."""
        width = max(_LEAST_MESSAGE, self._room - 2)
        lines = [part for line in self._message for part in wrapped_line(line, width, diffs.LABEL)]
        return strip(self, (Span(" "), *lines[y]), self._room) if y < len(lines) else self._empty()

    def _empty(self) -> Strip:
        return blank(self, self._room)

    # What can be found: the preface, then every row, folded away or not

    @property
    def count(self) -> int:
        laid = self._layout_
        return laid.above + laid.row_count if laid is not None else 0

    def text_at(self, index: int) -> str:
        laid = self._layout_
        if laid is None:
            return ""
        return safe(laid.row_text(index - laid.above)) if index >= laid.above else laid.words_at(index)

    @property
    def at(self) -> int:
        """The line under the cursor; on a fold the first that it hides."""
        laid = self._layout_
        if laid is None or self.cursor < laid.above:
            return self.cursor
        fold = laid.fold_at(self.cursor)
        return laid.above + (fold if fold is not None else self._row(laid))

    def _row(self, laid: DiffLayout | DiffStack) -> int:
        """The row under the cursor; on a line that is none the first one below."""
        below = range(self.cursor, len(laid.items))
        return next((rows[-1] for rows in map(laid.rows_of, below) if rows), max(0, laid.row_count - 1))

    def go(self, index: int) -> None:
        """Puts the cursor on a line; a fold that hides it opens."""
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
        laid = self._layout_
        if laid is None:
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

    def _tell(self) -> None:
        """The hints follow what `enter` opens; they are made anew only where that is something else."""
        if self.opens != self._told:
            self._told = self.opens
            if self.has_focus:
                self.screen.refresh_bindings()

    def _refresh_item(self, laid: DiffLayout | DiffStack, index: int) -> None:
        """Repaints the lines of one item; those of another layout are repainted with it."""
        if index < len(laid.items):
            self.refresh_lines(laid.starts[index], laid.starts[index + 1] - laid.starts[index])

    def action_move(self, by: int) -> None:
        self._go(self.cursor + by)

    def action_move_to(self, index: int) -> None:
        self._go(index if index >= 0 else 1 << 60)

    def action_page(self, by: int) -> None:
        laid = self._layout_
        if laid is None or not laid.items:
            return
        height = max(1, self.scrollable_content_region.height - 1 - self.stacked)  # a line again, below the heading
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
        """Turns a page of a text of several diffs, wherever in view the cursor is: nothing is passed unseen."""
        top = max(0, min(self.scroll_offset.y + by, round(self.max_scroll_y)))
        before, self.cursor = self.cursor, laid.item_at(top)
        self._refresh_item(laid, before)
        self._refresh_item(laid, self.cursor)
        self.scroll_to(y=top, animate=False)
        self._tell()

    def action_hunk(self, by: int) -> None:
        """To the next run of changed lines."""
        laid = self._layout_
        index, inside = self.cursor + by, laid is not None and laid.changed(self.cursor)
        while laid is not None and 0 <= index < len(laid.items):
            if laid.changed(index) and not inside:
                self._go(index)
                return
            inside = laid.changed(index)
            index += by

    def go_flagged(self, by: int, *, fresh: bool = False) -> bool:
        """To the next flagged line, or the one before; False where there is none. `fresh`: from the far end."""
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
        """Old and new beside each other, or removed lines above added ones."""
        self._split = not self._split
        if self._layout_ is not None:
            self._lay_out()
        self.name_it(self._title, self._foot)

    def action_open(self) -> None:
        laid = self._layout_
        if laid is None or not laid.items:
            return
        fold = laid.fold_at(self.cursor)
        if fold is not None:
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

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()
