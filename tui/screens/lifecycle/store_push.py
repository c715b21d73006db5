"""Shows all that a push would send to a memory store, above the confirm dialog (decisions G11, G22)."""

from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult

from tui.dialogs.diff_behind import SeenBehind, Shown
from tui.present import diff as diffs
from tui.present.spans import Span
from tui.present.words import safe
from tui.widgets.diff_view import DiffView

if TYPE_CHECKING:
    from engine.extras.stores.store_service import StorePush


class StorePushScreen(SeenBehind, scope="store-push"):
    """Shows the diffs from the store's texts to the notes; a yes counts once all were on screen."""

    def __init__(self, push: "StorePush") -> None:
        super().__init__()
        self._push = push
        self._seen: set[tuple[int, int]] = set()
        """The ends of diffs that were on screen: the note's index, and 0 for the first line, 1 for the last."""

    def compose(self) -> ComposeResult:
        yield DiffView(ident="outgoing")

    def on_mount(self) -> None:
        parts = [
            diffs.DiffPart(diff, (), heading=(Span(safe(diff.path), "title"), *diffs.figures(diff)))
            for diff in self._push.diffs
        ]
        self._view.name_it((Span("To be sent to ", "title"), Span(safe(self._push.store), "accent")))
        self._view.show_all(tuple(parts), 0)
        self._view_changed()

    @on(DiffView.ViewChanged)
    def _view_changed(self) -> None:
        self.call_after_refresh(self._look)

    def _saw_more(self) -> bool:
        ends = {(at, end) for at, visible in self._view.ends_in_view.items() for end in (0, 1) if visible[end]}
        before, self._seen = self._seen, self._seen | ends
        return self._seen != before

    # The dialog that asks, which stands below the diffs

    def shown(self) -> Shown:
        """Counts the notes whose changes were on screen (decision G22)."""
        missing = self._unseen()
        count = len(self._push.texts)
        names = tuple(safe(self._push.texts[at].path) for at in missing)
        return Shown(count - len(missing), count, names, frozenset((self._push.digest,)))

    def _unseen(self) -> list[int]:
        return [at for at in range(len(self._push.texts)) if not {(at, 0), (at, 1)} <= self._seen]

    def _unseen_section(self) -> int | None:
        return next(iter(self._unseen()), None)
