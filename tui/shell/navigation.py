"""Leads to every page from any page or dialog, and knows the way back."""

from collections.abc import Callable
from typing import NamedTuple

from textual.containers import Container

from tui.registry.screens import FIRST
from tui.screens.hosted import Hosted
from tui.screens.page import HasChoices, Page, Place, new_page

_REMEMBERED = 50  # spots to which `-` leads back


class Location(NamedTuple):
    """A screen, and a place on it in that screen's own words."""

    place: str
    spot: str


class Navigator(Hosted, Container):
    """Holds the pages, and makes each on its first visit."""

    def __init__(self, arrived: Callable[[], None]) -> None:
        """Takes `arrived`, called when another page is in front."""
        self.pages: dict[str, Page] = {FIRST: new_page(FIRST)}
        self.here = FIRST
        self._arrived = arrived
        self._past: list[Location] = []
        super().__init__(self.pages[FIRST], id="stage")

    @property
    def page(self) -> Page:
        return self.pages[self.here]

    async def go(self, place: str, *, uncover: bool = True) -> None:
        """Brings a page to the front, remembering the present one; without `uncover` dialogs stay, as in a tour."""
        if uncover and not await self.uncover():
            return
        await self.make(place)
        self.remember()
        self._front(place)

    async def show(self, place: str, wanted: Place) -> bool:
        """Goes to something on a page; False, without moving, if that page does not know it."""
        if self._keeps_choices():
            return True
        await self.make(place)
        before = Location(self.here, self.page.spot())
        if not self.pages[place].show(wanted):
            return False
        await self._close_dialogs()
        self._keep(before)
        self._front(place)
        return True

    async def uncover(self) -> bool:
        """Closes the dialogs over the pages; False if one has choices that would be lost."""
        if self._keeps_choices():
            return False
        await self._close_dialogs()
        return True

    async def _close_dialogs(self) -> None:
        while len(self.app.screen_stack) > 1:
            await self.app.pop_screen()

    def _keeps_choices(self) -> bool:
        """Tells whether a screen over the pages has choices that would be lost, and says so."""
        over = (screen.unfinished() for screen in self.app.screen_stack if isinstance(screen, HasChoices))
        if unfinished := next(filter(None, over), ""):
            self.deck.say(unfinished, severity="warning")
        return bool(unfinished)

    def remember(self) -> None:
        self._keep(Location(self.here, self.page.spot()))

    def _keep(self, spot: Location) -> None:
        if not self._past or self._past[-1] != spot:
            self._past = [*self._past[-_REMEMBERED:], spot]

    async def back(self) -> bool:
        """Goes to the last different place, so that a second call returns here; False without one."""
        present = Location(self.here, self.page.spot())
        last = next((spot for spot in reversed(self._past) if spot != present), None)
        if last is not None and await self.uncover():
            self._past = [present]
            self._front(last.place)
            self.page.return_to(last.spot)
        return last is not None

    def _front(self, place: str) -> None:
        self.here = place
        for name, page in self.pages.items():
            page.set_class(name == place, "here")
        self.page.enter()
        self._arrived()

    async def make(self, place: str) -> None:
        """Makes a page before its first visit, out of sight."""
        if place in self.pages:
            return
        page = self.pages[place] = new_page(place)
        await self.mount(page)
