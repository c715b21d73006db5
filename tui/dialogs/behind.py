"""Describes the diff above a dialog that asks: it gives way, can be scrolled, and knows what was on screen."""

from typing import Literal, NamedTuple, Protocol

from textual.geometry import Region
from textual.screen import Screen

from tui.keys.naming import Keyed
from tui.widgets.diff_view import DiffView


class Shown(NamedTuple):
    """The changes asked about: how many were on screen, which must be yet, and of what they are."""

    seen: int
    total: int
    missing: tuple[str, ...] = ()
    """The changes that must be on screen before a yes counts, by name."""
    targets: frozenset[str] | None = frozenset()
    """The digests of what stands above the dialog; None where nothing has to be looked at (decision G20)."""
    grouped: frozenset[str] = frozenset()
    """Those of them of which some changes were looked at only as one of a group."""

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


class ScreenBehind(Keyed, Screen[None]):
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
