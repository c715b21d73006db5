"""Every plan of a batch in a list, and the diff of the one under the cursor; the confirm dialog lies over it."""

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from tui.keys.naming import Keyed
from tui.present import diff
from tui.present.approvals import batch
from tui.present.approvals.batch import BatchItem
from tui.present.spans import Line, Span
from tui.present.words import safe
from tui.screens.approvals.state import ApprovalsState
from tui.widgets.diff_view import DiffView
from tui.widgets.line_list import LineList

_NARROW = 100
"""Columns below which the list stands above the diff."""


class BatchScreen(Keyed, Screen[None]):
    """The plans that a yes would be about: the keys that the dialog passes on walk through them and their changes."""

    SCOPE = "batch"
    DEFAULT_CSS = """
    BatchScreen { layout: horizontal; }
    BatchScreen LineList { width: 45%; max-width: 76; border: round $border; }
    BatchScreen DiffView { width: 1fr; border: round $border-blurred; }
    .-narrow BatchScreen, BatchScreen.-narrow { layout: vertical; }
    BatchScreen.-narrow LineList { width: 1fr; max-width: 100%; height: 40%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "Back", show=False)]

    def __init__(self, items: Sequence[BatchItem], desk: ApprovalsState) -> None:
        super().__init__()
        self._items, self._desk = items, desk
        self._at, self._change = 0, 0

    def compose(self) -> ComposeResult:
        yield LineList(ident="items")
        yield DiffView(ident="of-item")

    def on_mount(self) -> None:
        self._fit()
        self._list.lit = True
        self._list.name_it((Span("Plans to approve", "title"), Span(f" ⟨{len(self._items)}⟩", "accent")), _KEYS)
        self._show()

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        """Gives the list, where it stands above the diff, no more lines than it has plans."""
        width, height = self.app.size
        self._list.styles.height = min(len(self._items) + 2, height * 2 // 5) if width < _NARROW else "1fr"

    @property
    def _list(self) -> LineList:
        return self.query_one(LineList)

    @property
    def looked_at(self) -> frozenset[str]:
        """The digests of the plans of which a diff was on screen."""
        return frozenset(item.loaded.digest for item in self._items if self._desk.looked_at(item.loaded))

    def _show(self) -> None:
        item = self._items[self._at]
        numbers = item.numbers
        index = item.loaded.plan.changes.index(
            next(c for c in item.loaded.plan.changes if c.n == numbers[self._change])
        )
        change, found = item.loaded.plan.changes[index], item.loaded.diffs[index]
        view = self.query_one(DiffView)
        view.name_it(diff.title(change, found, len(item.loaded.plan.changes)))
        plan: Line = (Span(f"{'plan':<{diff.LABEL}}", "muted"), Span(safe(item.entry.id)))
        warnings: tuple[Line, ...] = tuple((Span(f"▲ {safe(text)}", "risk"),) for text in item.loaded.plan.warnings)
        view.show(
            found,
            (plan, *warnings, *diff.preface(change, found)),
            diff.origins(change, found),
            diff.flags(change, found),
        )
        self.call_after_refresh(self._saw, item, change.n)

    def _saw(self, item: BatchItem, number: int) -> None:
        if not self.query(DiffView):
            return
        if self.query_one(DiffView).region.height > 2:
            self._desk.saw(item.loaded, number)
        self._list.show(batch.BatchRows(self._items, self.looked_at), self._at)

    @on(LineList.Moved)
    def _moved(self, event: LineList.Moved) -> None:
        event.stop()
        self._at, self._change = event.index, 0
        self._show()

    def action_close(self) -> None:
        self.dismiss(None)

    def scroll_behind(self, key: str) -> None:
        """Keys that the dialog passes on; one that comes before the panes finds none."""
        if not self.query(DiffView):
            return
        match key:
            case "up" | "down":
                self._list.action_move(1 if key == "down" else -1)
            case "left" | "right":
                last = len(self._items[self._at].numbers) - 1
                self._change = max(0, min(self._change + (1 if key == "right" else -1), last))
                self._show()
            case _:
                self.query_one(DiffView).action_page(1 if key == "pagedown" else -1)


_KEYS: Line = (
    Span("↑/↓", "key"),
    Span(" plan  ", "muted"),
    Span("←/→", "key"),
    Span(" change  ", "muted"),
    Span("page", "key"),
    Span(" scroll", "muted"),
)
