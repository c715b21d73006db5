"""Describes the diff above a dialog that asks: it makes room, can be scrolled, and knows what was seen."""

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from textual.geometry import Region
from textual.screen import Screen

from tui.toolkit.declared import Declared
from tui.widgets.diff_view import DiffView

if TYPE_CHECKING:
    from tui.dialogs.confirm import ConfirmDialog


class Shown(NamedTuple):
    """The changes asked about: how many were on screen, and which must still be."""

    seen: int
    total: int
    missing: tuple[str, ...] = ()  # the changes that must be on screen before a yes counts, by name
    targets: frozenset[str] | None = frozenset()
    """The digests of the diffs above the dialog; None if nothing has to be viewed (decision G20)."""
    grouped: frozenset[str] = frozenset()  # those of them of which some changes were looked at only as one of a group

    def how(self, target: str) -> Literal["each", "groups"]:
        """Returns how the changes of one target were viewed: each one, or some as groups."""
        return "groups" if target in self.grouped else "each"


class Behind(Protocol):
    """The diff above the dialog, which stays readable and can be scrolled."""

    def give_way(self, rows: int) -> Region:
        """Leaves the last `rows` lines of its column to the dialog, 0 for none, and returns the column."""

    def scroll_behind(self, key: str) -> None: ...

    def shown(self) -> Shown: ...

    def show_similar(self) -> None:
        """Opens a possible duplicate beside the entry that it resembles."""


class ScreenBehind(Declared, Screen[None]):
    """A screen with one diff, which leaves the last lines of its column to the dialog."""

    @property
    def _view(self) -> DiffView:
        return self.query_one(DiffView)

    def give_way(self, rows: int) -> Region:
        """Leaves the last lines to the dialog; returns the diff's column, empty without a diff."""
        if not self.query(DiffView):
            return Region()
        self.styles.padding = (0, 0, rows, 0)
        column = self._view.region
        return Region(column.x, 0, column.width, self.app.size.height)

    def show_similar(self) -> None:
        """Does nothing: plans with a possible duplicate are of tier C, which no batch contains."""


class SeenBehind(ScreenBehind):
    """A screen with several diffs that must all have been on screen before a yes counts (decision G22)."""

    dialog: "ConfirmDialog | None" = None  # the dialog that waits for what must be looked at

    def _look(self) -> None:
        """Notes the visible diffs as seen, if nothing but the dialog covers them."""
        shown = self.query(DiffView) and self._view.region.height > 2
        if shown and self.dialog and self.dialog.is_current and self._saw_more():
            self.dialog.looked()

    def _saw_more(self) -> bool:
        """Notes what is on screen, and tells whether any of it is new."""
        raise NotImplementedError

    def _unseen_section(self) -> int | None:
        """Returns the index of the first part that must still be seen; None if all were."""
        raise NotImplementedError

    def _walk(self, by: int) -> None:
        self._view.action_move(by)

    def scroll_behind(self, key: str) -> None:
        """Scrolls by a key that the dialog passes on; at the end, `pagedown` goes to the first unseen part."""
        view, by = self.query_one_optional(DiffView), 1 if key in ("down", "right", "pagedown") else -1
        if view is None:
            return
        unseen = self._unseen_section() if key == "pagedown" and view.at_end else None
        if key in ("up", "down"):
            self._walk(by)
        elif key in ("left", "right"):
            view.go_section(view.section_at_top + by)
        elif unseen is not None:
            view.go_section(unseen)
        else:
            view.action_page(by)
