"""Keeps the place on screen and the way back: the screens that were made, and the one in front."""

from collections.abc import Callable
from typing import NamedTuple

from textual.containers import Container

from tui.registry.screens import FIRST
from tui.screens.page import Page, new_page
from tui.widgets.style import style_sheet

_REMEMBERED = 50
"""Spots to which `-` leads back."""


class Location(NamedTuple):
    """A screen and the place on it, in that screen's own words."""

    place: str
    spot: str


class Navigation(Container):
    """Holds the pages; makes each on its first visit."""

    DEFAULT_CSS = style_sheet("Navigation")

    def __init__(self, fill: Callable[[Page], None], arrived: Callable[[], None]) -> None:
        """`fill` shows a new page what is known; `arrived` is told that another page is in front."""
        self.pages: dict[str, Page] = {FIRST: new_page(FIRST)}
        self.here = FIRST
        self._fill, self._arrived = fill, arrived
        self._past: list[Location] = []
        super().__init__(self.pages[FIRST], id="stage")

    @property
    def page(self) -> Page:
        """The page in front."""
        return self.pages[self.here]

    async def go(self, place: str) -> None:
        """Brings a page to the front and remembers where one was."""
        await self.make(place)
        self.remember()
        self._front(place)

    def remember(self) -> None:
        """Notes the present spot, to which `-` leads back."""
        spot = Location(self.here, self.page.spot())
        if not self._past or self._past[-1] != spot:
            self._past = [*self._past[-_REMEMBERED:], spot]

    def back(self) -> bool:
        """To the last place and spot that differ from the present one; the next time it leads back here again."""
        present = Location(self.here, self.page.spot())
        while self._past:
            last = self._past.pop()
            if last != present:
                self._past = [present]
                self._front(last.place)
                self.page.return_to(last.spot)
                return True
        return False

    def _front(self, place: str) -> None:
        self.here = place
        for name, page in self.pages.items():
            page.set_class(name == place, "here")
        self.page.enter()
        self._arrived()

    async def make(self, place: str) -> None:
        """Makes a page that nobody visited yet, out of sight, and shows it what is known."""
        if place in self.pages:
            return
        page = self.pages[place] = new_page(place)
        await self.mount(page)
        self._fill(page)
