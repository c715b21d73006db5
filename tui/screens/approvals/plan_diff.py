"""Defines the panes of a plan's head and of its diff, which know what was on screen."""

from collections import deque
from collections.abc import Callable, Iterator

from textual import on

from tui.present import diff as diffs
from tui.present.approvals.plan_head import LoadedPlan
from tui.present.approvals.plan_sections import PlanSection
from tui.present.spans import Line, Span, join
from tui.present.words import noun
from tui.screens.approvals.viewed_plans import ChangeLook, ends_of, without_a_diff
from tui.screens.page import Page
from tui.widgets.diff_view import DiffView
from tui.widgets.text_pane import TextPane

WHOLE: Line = (Span("The whole plan", "title"),)  # the title of all changes as one text, which names each change itself


class PlanDiff(DiffView):
    """Shows the diff of one change or of the whole plan, and tells which changes are visible."""

    def __init__(self, painted: Callable[[], None]) -> None:
        """Takes `painted`, called after each paint to note what is on screen."""
        super().__init__(ident="diff")
        self._note_painted = painted
        self._steps: deque[Callable[[], None]] = deque()
        """Scrolling keys whose result is not painted yet."""
        self.on_screen: tuple[str, int] | None = None
        """The digest of the plan and the number of the change shown; 0 for the whole plan."""
        self.sections: tuple[PlanSection, ...] = ()  # the parts of the whole plan, where it is shown as one text

    def show_change(
        self, loaded: LoadedPlan, index: int, marks: frozenset[int] = frozenset(), state: Line = ()
    ) -> None:
        """Shows the diff of a change with its mark and the plan's `state`, from the top unless on screen."""
        change, diff = loaded.plan.changes[index], loaded.diffs[index]
        marked: Line = (Span(f"{len(marks):,} marked", "accent"),) if marks and not state else ()
        self.name_it(
            diffs.title(change, diff, len(loaded.plan.changes), marked=change.n in marks),
            join([part for part in (marked, state) if part], Span(" · ", "muted")),
        )
        if self.on_screen != (loaded.digest, change.n):
            self.sections = ()
            part = loaded.shown(
                f"diff {change.n}", None, lambda: diffs.part_of(change, diff, loaded.plan.system, loaded.comments)
            )
            self.show(diff, part.preface, part.origins, part.flags, part.frontmatter)
        self.on_screen = (loaded.digest, change.n)

    def show_whole(self, loaded: LoadedPlan, sections: tuple[PlanSection, ...], number: int) -> None:
        """Shows all changes as one text, beginning at change `number`."""
        self.sections, self.on_screen = sections, (loaded.digest, 0)
        self.show_all(tuple(section.part for section in sections), self.section_of(number))

    def shows_whole(self, loaded: LoadedPlan | None) -> bool:
        """Tells whether this plan is shown as one text."""
        return bool(self.sections) and loaded is not None and self.on_screen == (loaded.digest, 0)

    def section_of(self, number: int) -> int:
        """Returns the index of the part that contains a change; 0 for an unknown one."""
        return next((at for at, section in enumerate(self.sections) if number in section.numbers), 0)

    @property
    def top(self) -> PlanSection | None:
        """The part of the whole plan at the top of the view; None for a single diff."""
        return self.sections[self.section_at_top] if self.sections else None

    def looks(self, loaded: LoadedPlan) -> Iterator[ChangeLook]:
        """Yields the changes whose first or last line is visible."""
        if self.on_screen is None:
            return
        hidden = without_a_diff(loaded)
        for at, ends in self.ends_in_view.items():
            numbers = self.sections[at].numbers if self.sections else (self.on_screen[1],)
            if hidden.isdisjoint(numbers):
                yield ChangeLook(numbers, ends_of(ends), len(numbers) > 1)

    def name_whole(self, seen: int, total: int) -> None:
        """Shows in the border how many changes were seen."""
        words = f"{seen:,} of {noun(total, 'change')} seen"
        self.name_it(WHOLE, (Span(words, "ok" if seen == total else "info"),))

    def action_page(self, by: int) -> None:
        """Scrolls by a page; in a burst of keys each page is painted."""
        self.after_paint(lambda: super(PlanDiff, self).action_page(by))

    def after_paint(self, step: Callable[[], None]) -> None:
        """Moves the text after its present position is painted."""
        self._steps.append(step)
        if len(self._steps) == 1:
            self._step()

    def _step(self) -> None:
        self._steps[0]()
        self.call_after_refresh(self._painted)

    def _painted(self) -> None:
        self._note_painted()
        self._steps.popleft()
        if self._steps:
            self._step()

    def tell(self, *lines: Line) -> None:
        self.on_screen, self.sections = None, ()
        self.name_it((Span("Diff", "title"),))
        self.say(*lines)

    def shows_of(self, loaded: LoadedPlan | None) -> bool:
        """Tells whether a diff of this plan is visible."""
        of_it = self.on_screen is not None and loaded is not None and self.on_screen[0] == loaded.digest
        return of_it and self.showing is not None and self.region.height > 2


_HEAD_LINES = 7  # lines of a plan's head on a wide screen, so that the diff below stays put from plan to plan
_MOST_LINES = 11  # lines of a plan's head, however much it has to say: the diff below keeps the room
_HEAD_SHARE = 3  # the head takes a third of the pane at most: the diff is what is looked at
_TALL_SHARE = 4  # in a pane that is tall enough, the head may have more than `_MOST_LINES`: up to a quarter of it


class PlanHead(TextPane):
    """Shows reason, trigger, checks, warnings and cost of a plan."""

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
        """Takes as many lines as it has, within its share, and as many as usual above a diff; zoomed all the room."""
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
