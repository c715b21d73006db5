"""Draws the console on the demo workspace: `python -m screenshots.make` writes `screenshots/*.svg`."""

import asyncio
import re
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from engine.console import Console
from engine.demo.make import make_demo
from tui.app import MemdeckApp
from tui.port import Opening

NOW = datetime(2026, 3, 15, 9, 30, tzinfo=UTC)
FOLDER = Path(__file__).parent
SHOWN_AS = Path("/home/ana/agents/silas")


class Picture(NamedTuple):
    """A screen to draw: how to get there from the Overview, at which size, in which theme."""

    name: str
    keys: tuple[str, ...]
    size: tuple[int, int] = (120, 36)
    theme: str = "night"


PICTURES = tuple(
    picture
    for theme in ("night", "paper")
    for picture in (
        Picture(f"overview-{theme}", (), theme=theme),
        Picture(f"approvals-{theme}", ("2",), theme=theme),
        Picture(f"confirm-{theme}", ("2", "ctrl+a"), theme=theme),
    )
)


def make(folder: Path, pictures: Sequence[Picture] = PICTURES) -> list[Path]:
    """Writes each picture into `folder`; the same each time but for the digest, which covers the folder's inode."""
    with tempfile.TemporaryDirectory() as place:
        env = {"XDG_STATE_HOME": f"{place}/state", "XDG_CONFIG_HOME": f"{place}/config", "HOME": place}
        workspace = Path(place) / "silas"
        workspace.mkdir()
        make_demo(workspace, now=NOW, env=env, git=True)
        with Console.open(workspace, env=env, clock=lambda: NOW) as console:
            console.plan("compact")
        return [asyncio.run(_draw(workspace, env, picture, folder)) for picture in pictures]


async def _draw(workspace: Path, env: dict[str, str], picture: Picture, folder: Path) -> Path:
    opening = Opening(SHOWN_AS, lambda: Console.open(workspace, env=env, clock=lambda: NOW))
    app = MemdeckApp(opening, user_home="/home/ana", theme=picture.theme)
    async with app.run_test(size=picture.size) as pilot:
        for key in ("", *picture.keys):
            if key:
                await pilot.press(key)
            for _ in range(5):
                await app.workers.wait_for_complete()
                await pilot.pause(0.15)
        drawing = app.export_screenshot(title="memdeck")
    target = folder / f"{picture.name}.svg"
    # The font is named, never fetched: a picture in a README loads nothing from elsewhere.
    target.write_text(re.sub(r"@font-face \{.*?\}\s*", "", drawing, flags=re.DOTALL), encoding="utf-8")
    return target


if __name__ == "__main__":
    for path in make(FOLDER):
        sys.stdout.write(f"{path}\n")
