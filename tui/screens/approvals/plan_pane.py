"""One plan as a pane: its head, and the diff of one of its changes or of all as one text."""

from collections.abc import Iterator
from functools import cached_property

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical

from tui.present import diff as diffs
from tui.present.approvals.plan import LoadedPlan
from tui.present.approvals.plan_text import PlanSection
from tui.present.spans import Line, Span, join
from tui.present.words import noun
from tui.screens.approvals.state import ChangeLook, ends_of, without_a_diff
from tui.screens.page import Page
from tui.widgets.diff_view import DiffView
from tui.widgets.style import style_sheet
from tui.widgets.text_pane import TextPane

_HEAD_LINES = 7
"""Lines of a plan's head on a wide screen, so that the diff below stays put from plan to plan."""
_MOST_LINES = 11
"""Lines of a plan's head, however much it has to say: the diff below keeps the room."""
_HEAD_SHARE = 3
"""The head takes a third of the pane at most: the diff is what is looked at."""
_TALL_SHARE = 4
"""In a pane that is tall enough, the head may have more than `_MOST_LINES`: up to a quarter of it."""

WHOLE: Line = (Span("The whole plan", "title"),)
"""The title of all changes as one text, which names each change itself."""


class PlanPane(Vertical):
    """Shows what it is given; knows which diff is on screen."""

    DEFAULT_CSS = style_sheet("PlanPane")

    def __init__(self) -> None:
        super().__init__(id="right")
        self.on_screen: tuple[str, int] | None = None
        """The digest of the plan, and the number of the change, whose diff is shown; 0 for the whole plan."""
        self.sections: tuple[PlanSection, ...] = ()
        """The parts of the whole plan, where it is shown as one text."""

    def compose(self) -> ComposeResult:
        yield TextPane(ident="head", hang=diffs.LABEL)
        yield DiffView(ident="diff")

    @cached_property
    def head(self) -> TextPane:
        return self.query_one("#head", TextPane)

    @cached_property
    def diff(self) -> DiffView:
        return self.query_one("#diff", DiffView)

    def show_head(self, title: Line, lines: tuple[Line, ...], *, keep_place: bool = False) -> None:
        self.head.name_it(title)
        self.head.show(lines, keep_place=keep_place)
        self.call_after_refresh(self.fit_head)

    def show_change(
        self, loaded: LoadedPlan, index: int, marks: frozenset[int] = frozenset(), state: Line = ()
    ) -> None:
        """The diff of a change, from its top unless it is on screen already. Its title says whether it is marked; below
        it stands how many are, and the plan's `state` where it matters."""
        change, diff = loaded.plan.changes[index], loaded.diffs[index]
        marked: Line = (Span(f"{len(marks):,} marked", "accent"),) if marks and not state else ()
        self.diff.name_it(
            diffs.title(change, diff, len(loaded.plan.changes), marked=change.n in marks),
            join([part for part in (marked, state) if part], Span(" · ", "muted")),
        )
        if self.on_screen != (loaded.digest, change.n):
            self.sections = ()
            self.diff.show(
                diff,
                diffs.preface(change, diff, loaded.comments),
                diffs.origins(change, diff),
                diffs.flags(change, diff),
                diffs.frontmatter_rows(change, diff, loaded.plan.system),
            )
        self.on_screen = (loaded.digest, change.n)

    def show_whole(self, loaded: LoadedPlan, sections: tuple[PlanSection, ...], number: int) -> None:
        """All changes as one text, from the one of that number on."""
        self.sections, self.on_screen = sections, (loaded.digest, 0)
        self.diff.show_all(tuple(section.part for section in sections), self.section_of(number))

    def whole(self, loaded: LoadedPlan | None) -> bool:
        """Tells whether all changes of this plan are shown as one text."""
        return bool(self.sections) and loaded is not None and self.on_screen == (loaded.digest, 0)

    def section_of(self, number: int) -> int:
        """The part of the text that a change stands in."""
        return next((at for at, section in enumerate(self.sections) if number in section.numbers), 0)

    @property
    def top(self) -> PlanSection | None:
        """The part of the whole plan at the top of the view."""
        return self.sections[self.diff.section_at_top] if self.sections else None

    def looks(self, loaded: LoadedPlan) -> Iterator[ChangeLook]:
        """The changes of which an end is on screen: one, or those of the whole plan that are in view."""
        if self.on_screen is None:
            return
        hidden = without_a_diff(loaded)
        for at, ends in self.diff.ends_in_view.items():
            numbers = self.sections[at].numbers if self.sections else (self.on_screen[1],)
            if hidden.isdisjoint(numbers):
                yield ChangeLook(numbers, ends_of(ends), len(numbers) > 1)

    def name_whole(self, seen: int, total: int) -> None:
        """Says how much of the plan was on screen. The heading of what is at the top is the first line of the text."""
        words = f"{seen:,} of {noun(total, 'change')} seen"
        self.diff.name_it(WHOLE, (Span(words, "ok" if seen == total else "info"),))

    def say(self, *lines: Line) -> None:
        """Words in place of a diff."""
        self.on_screen, self.sections = None, ()
        self.diff.name_it((Span("Diff", "title"),))
        self.diff.say(*lines)

    def shows(self, loaded: LoadedPlan | None) -> bool:
        """Tells whether a diff of this plan is where the operator can see it."""
        of_it = self.on_screen is not None and loaded is not None and self.on_screen[0] == loaded.digest
        return of_it and self.diff.showing is not None and self.diff.region.height > 2

    @on(TextPane.Laid, "#head")
    def _head_laid(self) -> None:
        self.fit_head()

    def fit_head(self) -> None:
        """As tall as its lines, within its share; above a diff as tall as usual, so that the diff stays put. Zoomed it
        has all the room. Lines that progress or a toast take for a while change nothing."""
        screen = self.query_ancestor(Page)
        if screen.has_class("zoom") and screen.has_class("at-head"):
            self.head.styles.height = "1fr"
            return
        page = self.app.size.height - screen.region.y - 1  # the hints have the last line
        if self.diff.region.height == 0:  # the list of changes stands below
            least, most = 0, max(2, min(_MOST_LINES, page // 2 - 2))
        else:
            share = max(3, page // _HEAD_SHARE)
            least, most = min(_HEAD_LINES, share), min(max(_MOST_LINES, page // _TALL_SHARE), share)
        height = max(least, min(self.head.lines_laid_out, most)) + 2
        if self.head.styles.height is None or self.head.styles.height.cells != height:
            self.head.styles.height = height
