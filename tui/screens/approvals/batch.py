"""Shows the plans of a batch as a list and all their changes as one text, above the confirm dialog."""

from collections.abc import Iterator, Sequence

from textual import on
from textual.app import ComposeResult

from tui.dialogs.diff_behind import SeenBehind, Shown
from tui.present.approvals import batch
from tui.present.approvals.batch import BatchItem
from tui.present.approvals.plan_sections import PlanChoice, PlanSection, sections
from tui.present.diff import DiffPart
from tui.present.spans import Span, key_line
from tui.present.words import safe
from tui.screens.approvals.viewed_plans import ApprovalsState, ChangeLook, ends_of, without_a_diff
from tui.widgets.diff_view import DiffView
from tui.widgets.line_list import LineList

_NARROW = 100  # columns below which the list stands above the diff


class BatchScreen(SeenBehind, scope="batch"):
    """Shows the plans that a yes would approve; keys passed on by the dialog walk through them."""

    def __init__(self, items: Sequence[BatchItem], desk: ApprovalsState) -> None:
        super().__init__()
        self._items, self._desk = items, desk
        self._sections: tuple[PlanSection, ...] = ()
        self._at = 0

    def compose(self) -> ComposeResult:
        yield LineList(ident="items")
        yield DiffView(ident="of-item")

    def on_mount(self) -> None:
        self._fit()
        self._list.lit = True
        self._view.name_it((Span("All changes", "title"),))
        self._list.name_it((Span("Plans to approve", "title"), Span(f" ⟨{len(self._items)}⟩", "accent")), _KEYS)
        self._sections = sections([PlanChoice(item.loaded, item.numbers) for item in self._items])
        self._view.show_all(tuple(map(self._part, self._sections)), 0)
        self._view_changed()

    def _part(self, section: PlanSection) -> DiffPart:
        """Returns a part of the text with its plan's name, and the plan's warnings above its first change."""
        if len(section.members) > 1:
            return section.part
        ((place, number),) = section.members
        item = self._items[place]
        first = number == item.numbers[0]
        warnings = tuple((Span(f"▲ {safe(text)}", "risk"),) for text in item.loaded.plan.warnings if first)
        heading = (Span(f"{safe(item.name)}  ", "strong"), *section.part.heading)
        return section.part._replace(heading=heading, preface=(*warnings, *section.part.preface))

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        """Limits the list to as many lines as it has plans, if it is above the diff."""
        width, height = self.app.size
        self._list.styles.height = min(len(self._items) + 2, height // 5) if width < _NARROW else "1fr"

    @property
    def _list(self) -> LineList:
        return self.query_one(LineList)

    @property
    def looked_at(self) -> frozenset[str]:
        """The digests of the plans whose changes were all viewed."""
        return frozenset(
            item.loaded.digest
            for item in self._items
            if self._desk.looked_at(item.loaded) and not self._desk.unseen(item.loaded, item.numbers)
        )

    @on(DiffView.ViewChanged)
    def _view_changed(self) -> None:
        """Moves the cursor of the list to the plan at the top of the text."""
        if self._sections:
            places = {place for place, _ in self._sections[self._view.section_at_top].members}
            self._at = self._at if self._at in places else min(places)
        self._list.show(batch.BatchRows(self._items, self.looked_at), self._at)
        self.call_after_refresh(self._look)

    def _saw_more(self) -> bool:
        news = [self._desk.saw(item.loaded, look) for item, look in self._looks()]
        if any(news):
            self._list.show(batch.BatchRows(self._items, self.looked_at), self._at)
        return any(news)

    def _looks(self) -> Iterator[tuple[BatchItem, ChangeLook]]:
        for at, ends in self._view.ends_in_view.items():
            section = self._sections[at]
            for place in sorted({place for place, _ in section.members}):
                item, numbers = self._items[place], section.of_plan(place)
                if without_a_diff(item.loaded).isdisjoint(numbers):
                    yield item, ChangeLook(numbers, ends_of(ends), len(section.members) > 1)

    @on(LineList.Moved)
    def _moved(self, event: LineList.Moved) -> None:
        self._go(event.index)

    def _go(self, place: int) -> None:
        place = max(0, min(place, len(self._items) - 1))
        self._at = place
        self._view.go_section(next(at for at, section in enumerate(self._sections) if section.of_plan(place)))

    # The dialog that asks, which stands below the diffs

    def shown(self) -> Shown:
        """Counts the changes of all plans that were on screen (decision G22)."""
        seen = total = 0
        missing: list[str] = []
        grouped: set[str] = set()
        for item in self._items:
            seen += len(self._desk.seen(item.loaded).intersection(item.numbers))
            total += len(item.numbers)
            missing += [f"{item.name} {number}" for number in self._desk.unseen(item.loaded, item.numbers)]
            if self._desk.how_grouped(item.loaded, item.numbers):
                grouped.add(item.loaded.digest)
        digests = frozenset(item.loaded.digest for item in self._items)
        return Shown(seen, total, tuple(missing), digests, frozenset(grouped))

    def _walk(self, by: int) -> None:
        self._go(self._at + by)

    def _unseen_section(self) -> int | None:
        for place, item in enumerate(self._items):
            for number in self._desk.unseen(item.loaded, item.numbers)[:1]:
                return next(at for at, section in enumerate(self._sections) if (place, number) in section.members)
        return None


_KEYS = key_line(("↑/↓", "plan"), ("←/→", "change"), ("page", "scroll"))
