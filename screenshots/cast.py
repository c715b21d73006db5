"""Records the main job in half a minute: see the risk, read its plan, approve a tier C, undo it.

`python -m screenshots.make` plays it on a demonstration of its own and writes `screenshots/cast.svg`. Toasts are taken
off before a screen is kept: they go when they go.
"""

from typing import Any, NamedTuple

from textual.pilot import Pilot

from screenshots.film import Frame, film
from tests.gallery import worlds
from tests.gallery.scene import Scene, Size
from tests.gallery.stage import app_of, played, rest, stand, strips
from tui.screens.overview.page import OverviewPage
from tui.widgets.themes import theme

SIZE: Size = (120, 36)
THEME = "night"


class Take(NamedTuple):
    """Keys that are pressed, how long the screen stands afterwards, and what is said about it."""

    keys: tuple[str, ...]
    seconds: float
    caption: str


_TYPED = tuple(Take((letter,), 0.3, "Type the word: APPROVED") for letter in "APPROVED")
TAKES = (
    Take((), 4, "memdeck · a semantic file is over its risk line"),
    Take(("2",), 4, "2 · the plan that waits, why it exists, and its diff"),
    Take(("right",), 2, "→ · the next of its 5 changes"),
    Take(("right",), 1.8, "→ · entries that move, word for word"),
    Take(("right",), 1.3, "→ · each with the reason of its move"),
    Take(("ctrl+a",), 3, "ctrl+a · the question stands beside the lines it is about"),
    Take(("pagedown",) * 40 + ("pageup",) * 60 + ("pagedown",), 1.5, "pagedown · each of the 5 is on the screen once"),
    *_TYPED,
    Take(("enter",), 4, "enter · applied, written into the audit log, committed"),
    Take(("z",), 3, "z · undo: the reverse diff, one yes"),
    Take(("y",), 3, "y · every byte is where it was"),
)
"""Half a minute together."""


async def frames() -> list[Frame]:
    """Plays the job in the console, on a demonstration that nobody else sees, and keeps each screen of it."""
    scene = Scene("cast", "the main job", worlds.demo_to_change(), OverviewPage)
    async with played(scene, SIZE, THEME, worlds.NOW) as pilot:
        return [await _taken(pilot, take) for take in TAKES]


async def _taken(pilot: Pilot[Any], take: Take) -> Frame:
    for key in take.keys:
        await pilot.press(key)
        await rest(pilot)
    app_of(pilot).clear_notifications()
    await stand(pilot)
    return Frame(take.caption, take.seconds, tuple(strips(app_of(pilot))))


def cast(recorded: list[Frame]) -> str:
    """The frames as a film in the colours of the theme."""
    colours = theme(THEME)
    return film(recorded, str(colours.foreground), str(colours.background))
