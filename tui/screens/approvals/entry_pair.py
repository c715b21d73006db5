"""Shows a new entry beside an existing one that it may repeat, both in full and never merged (decision A14)."""

from textual.app import ComposeResult

from engine.compactor.semantic.side_by_side import SideBySide
from engine.plans.diff import FileDiff, RowKind, line_diff
from tui.present.spans import Line, Span, key_line, plain
from tui.present.words import safe, tail
from tui.toolkit.painter import Once
from tui.widgets.diff_view import DiffView

_CORNER = 3  # cells of a border before its title


class EntryPairScreen(Once[tuple[int, bool] | None], scope="beside"):
    """Shows entries beside new ones like them; ends with the change of a new one, and whether it is to be reworded."""

    def __init__(self, pairs: tuple[SideBySide, ...], first: int = 0) -> None:
        super().__init__()
        self._pairs, self._at = pairs, first

    def compose(self) -> ComposeResult:
        yield DiffView(ident="pair", split=True)

    def on_mount(self) -> None:
        self._show()

    def _show(self) -> None:
        pair, view = self._pairs[self._at], self.query_one(DiffView)
        rows = line_diff(pair.other_text, pair.text)
        added, removed = (sum(row.kind is kind for row in rows) for kind in (RowKind.ADDED, RowKind.REMOVED))
        diff = FileDiff(path=pair.other_path, to=None, rows=rows, added=added, removed=removed)
        view.show(diff, ((Span(safe(pair.note), "info"),),) if pair.note else (), {})
        self._name_it()
        self.call_after_refresh(self._fit)

    def _name_it(self) -> None:
        """Shows each name above its column."""
        pair, view = self._pairs[self._at], self.query_one(DiffView)
        place = f"{tail(pair.other_path)}:{pair.other_line}" if pair.other_line else "another entry of this plan"
        kept: Line = (
            Span(f"{self._at + 1}/{len(self._pairs)}  " if len(self._pairs) > 1 else "", "muted"),
            Span("Kept already  " if pair.other_line else "", "title"),
            Span(f"{place} ", "text"),
        )
        gap = max(1, view.divider - _CORNER - len(plain(kept)) - 1)
        new: Line = (Span("─" * gap, "accent"), Span(" │ ", "rule"), Span("New", "title"))
        alike = Span(f"{pair.percent} % alike   ", "warn")
        view.name_it((*kept, *new), (alike, *(_KEYS if len(self._pairs) > 1 else _CLOSE)))

    def _fit(self) -> None:
        for view in self.query(DiffView):
            view.styles.height = max(5, min(view.lines_laid_out + 2, self.app.size.height * 9 // 10))
            self._name_it()

    def action_keep(self, own: bool) -> None:
        """Keeps only the existing entry, or with `own` asks for the operator's words."""
        self.dismiss((self._pairs[self._at].change, own))

    def action_turn(self, by: int) -> None:
        if not self.query(DiffView):
            return
        self._at = (self._at + by) % len(self._pairs)
        self._show()


_CLOSE: Line = key_line(("o", "old alone"), ("e", "own words, old stays"), ("esc", "both"))
_KEYS: Line = (Span("←/→", "key"), Span(" next pair  ", "muted"), *_CLOSE)
