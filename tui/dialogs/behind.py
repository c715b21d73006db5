"""Describes the diff above a dialog that asks: it gives way, can be scrolled, and knows what was on screen."""

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from textual.geometry import Region
from textual.screen import Screen

from tui.toolkit.declared import Declared
from tui.widgets.diff_view import DiffView

if TYPE_CHECKING:
    from tui.dialogs.confirm import ConfirmDialog


class Shown(NamedTuple):
    """The changes asked about: how many were on screen, which must be yet, and of what they are."""

    seen: int
    total: int
    missing: tuple[str, ...] = ()  # the changes that must be on screen before a yes counts, by name
    targets: frozenset[str] | None = frozenset()
    """The digests of what stands above the dialog; None where nothing has to be looked at (decision G20)."""
    grouped: frozenset[str] = frozenset()  # those of them of which some changes were looked at only as one of a group

    def how(self, target: str) -> Literal["each", "groups"]:
        """The way in which the changes of one target were looked at."""
        return "groups" if target in self.grouped else "each"


class Behind(Protocol):
    """The diff above the dialog, which stays readable and can be scrolled."""

    def give_way(self, rows: int) -> Region:
        """Leaves the last `rows` lines of its column to the dialog, and says where the column is; 0 takes them back."""

    def scroll_behind(self, key: str) -> None: ...

    def shown(self) -> Shown: ...

    def show_similar(self) -> None:
        """Opens what may be a duplicate beside the entry it repeats."""


class ScreenBehind(Declared, Screen[None]):
    """A screen with one diff, of whose column the dialog takes the last lines."""

    @property
    def _view(self) -> DiffView:
        return self.query_one(DiffView)

    def give_way(self, rows: int) -> Region:
        """Leaves the last lines to the dialog; the column of the diff, empty before there is one."""
        if not self.query(DiffView):
            return Region()
        self.styles.padding = (0, 0, rows, 0)
        column = self._view.region
        return Region(column.x, 0, column.width, self.app.size.height)

    def show_similar(self) -> None:
        """No entry comes that could repeat another; plans with a possible duplicate are of tier C, in no batch."""


class SeenBehind(ScreenBehind):
    """Such a screen with several diffs, all of which must have been on screen before a yes counts (decision G22)."""

    dialog: "ConfirmDialog | None" = None  # the dialog that waits for what must be looked at

    def _look(self) -> None:
        """Notes the diffs on screen as seen, if nothing but the dialog stands over them."""
        shown = self.query(DiffView) and self._view.region.height > 2
        if shown and self.dialog and self.dialog.is_current and self._saw_more():
            self.dialog.looked()

    def _saw_more(self) -> bool:
        """Notes what is on screen; tells whether anything of it was not before."""
        raise NotImplementedError

    def _unseen_section(self) -> int | None:
        """The first part of the text that must be seen yet."""
        raise NotImplementedError

    def _walk(self, by: int) -> None:
        self._view.action_move(by)

    def scroll_behind(self, key: str) -> None:
        """Keys that the dialog passes on; one that comes before the diffs finds none. A page beyond the end leads to
        the first part that must be seen yet."""
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
