"""Describes the diff above a dialog that asks: it gives way, can be scrolled, and knows what was on screen."""

from typing import Literal, NamedTuple, Protocol

from textual.geometry import Region


class Shown(NamedTuple):
    """The changes asked about: how many were on screen, which must be yet, and the way they were looked at."""

    seen: int
    total: int
    missing: tuple[int, ...] = ()
    how: Literal["each", "groups"] = "each"


class Behind(Protocol):
    """The diff above the dialog, which stays readable and can be scrolled."""

    def give_way(self, rows: int) -> Region:
        """Leaves the last `rows` lines of its column to the dialog, and says where the column is; 0 takes them back."""

    def scroll_behind(self, key: str) -> None: ...

    def shown(self) -> Shown: ...

    def show_similar(self) -> None:
        """Opens what may be a duplicate beside the entry it repeats."""
