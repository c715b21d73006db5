"""Draws the console on the demo workspace: `python -m screenshots.make` writes `screenshots/*.svg` and `drawn.json`.

`drawn.json` holds a digest of the words on each picture, by which a test notices that a picture is out of date.
"""

import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from textual.pilot import Pilot

from engine.console import Console
from engine.demo.make import make_demo
from tui.app import MemdeckApp
from tui.bridge.port import Opening
from tui.registry.places import PLACES

NOW = datetime(2026, 3, 15, 9, 30, tzinfo=UTC)
FOLDER = Path(__file__).parent
DRAWN = FOLDER / "drawn.json"
SHOWN_AS = Path("/home/ana/agents/silas")
THEMES = ("night", "paper")
_EACH_TIME = re.compile(r"digest [0-9a-f]{4} [0-9a-f]{4}|commit +[0-9a-f]{12}|[0-9.]+ ms")
_TO_GET_THERE = {
    "search": ("6", *"rollback", "enter"),
    "topics": ("4", "R", *"monday", "enter", "greater_than_sign", "greater_than_sign", *"gGkkkkkkk"),
}
"""Keys for a screen that has nothing to show before one asked it something."""
_SOON = "one moment…"
"""What a question says that takes no answer yet."""
_QUIET_LOOKS, _MOST_LOOKS, _LOOK_SECONDS = 5, 600, 0.05


class Picture(NamedTuple):
    """A screen to draw: how to get there from the Overview, at which size, in which theme."""

    name: str
    keys: tuple[str, ...]
    size: tuple[int, int] = (120, 36)
    theme: str = "night"


class Drawn(NamedTuple):
    """A picture as SVG, and the words on it."""

    svg: str
    text: str

    @property
    def digest(self) -> str:
        """Of the words, but for those that are others each time, and the room that these leave."""
        return sha256(re.sub(" {2,}", "  ", _EACH_TIME.sub("", self.text)).encode()).hexdigest()


def pictures(theme: str) -> tuple[Picture, ...]:
    """Every screen there is, and what lies over them."""
    screens = tuple(
        Picture(f"{place.id}-{theme}", _TO_GET_THERE.get(place.id, (place.key,)), theme=theme) for place in PLACES
    )
    return (
        *screens,
        Picture(f"confirm-{theme}", ("2", "ctrl+a"), theme=theme),
        Picture(f"keys-{theme}", ("2", "question_mark"), theme=theme),
        Picture(f"command-{theme}", ("colon", "p", "l"), theme=theme),
        Picture(f"narrow-{theme}", ("2", "enter"), (80, 24), theme),
    )


PICTURES = tuple(picture for theme in THEMES for picture in pictures(theme))


def draw(chosen: Sequence[Picture] = PICTURES) -> dict[str, Drawn]:
    """Each picture by its name, all of the same workspace."""
    with tempfile.TemporaryDirectory() as place:
        env = {"XDG_STATE_HOME": f"{place}/state", "XDG_CONFIG_HOME": f"{place}/config", "HOME": place}
        workspace = Path(place) / "silas"
        workspace.mkdir()
        make_demo(workspace, now=NOW, env=env, git=True)
        with Console.open(workspace, env=env, clock=lambda: NOW) as console:
            console.plan("compact")
        return {picture.name: asyncio.run(_draw(workspace, env, picture)) for picture in chosen}


def make(folder: Path) -> list[Path]:
    """Writes all pictures and the digests of their words into `folder`."""
    drawn = draw()
    (folder / DRAWN.name).write_text(json.dumps({name: d.digest for name, d in drawn.items()}, indent=1) + "\n")
    paths = []
    for name, picture in drawn.items():
        paths.append(folder / f"{name}.svg")
        paths[-1].write_text(picture.svg, encoding="utf-8")
    return paths


async def _draw(workspace: Path, env: dict[str, str], picture: Picture) -> Drawn:
    opening = Opening(SHOWN_AS, lambda: Console.open(workspace, env=env, clock=lambda: NOW))
    app = MemdeckApp(opening, user_home="/home/ana", theme=picture.theme, read_only=False)
    async with app.run_test(size=picture.size) as pilot:
        for key in ("", *picture.keys):
            if key:
                await pilot.press(key)
            await _come_to_rest(app, pilot)
        drawing, text = app.export_screenshot(title="memdeck"), _text(app)
    # The font is named, never fetched: a picture in a README loads nothing from elsewhere.
    return Drawn(re.sub(r"@font-face \{.*?\}\s*", "", drawing, flags=re.DOTALL), text)


def _text(app: MemdeckApp) -> str:
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


async def _come_to_rest(app: MemdeckApp, pilot: Pilot[Any]) -> None:
    """Waits until no thread works and nothing on the screen changes any more."""
    before, quiet = "", 0
    for _ in range(_MOST_LOOKS):
        await pilot.pause(_LOOK_SECONDS)
        text = _text(app)
        busy = _SOON in text or app.bridge.work is not None or any(not worker.is_finished for worker in app.workers)
        quiet = 0 if busy or text != before or app.status is None else quiet + 1
        if quiet == _QUIET_LOOKS:
            return
        before = text


if __name__ == "__main__":
    for path in make(FOLDER):
        sys.stdout.write(f"{path}\n")
