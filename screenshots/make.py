"""Draws the console on the demo workspace: `python -m screenshots.make` writes `screenshots/*.svg` and `drawn.json`.

Each picture is a scene of `tests/gallery`. `drawn.json` holds a digest of the words on each, by which a test notices
that a picture is out of date. `cast.svg` is a film of the main job (`cast.py`), `recorded.json` holds the same of its
frames.
"""

import asyncio
import json
import re
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from screenshots import cast
from tests.gallery import worlds
from tests.gallery.scene import Size
from tests.gallery.scenes import SCENES
from tests.gallery.stage import app_of, played, svg, words

FOLDER = Path(__file__).parent
DRAWN = FOLDER / "drawn.json"
CAST, RECORDED = FOLDER / "cast.svg", FOLDER / "recorded.json"
THEMES = ("night", "paper")
_SCENES = {
    "overview": "overview",
    "approvals": "approvals",
    "tree": "tree",
    "topics": "replay",
    "context": "context-compiled",
    "search": "search-hits",
    "history": "history",
    "lifecycle": "lifecycle",
    "confirm": "confirm",
    "keys": "keys",
    "command": "command-typed",
    "narrow": "approvals-changes",
}
"""What each picture shows, by the name of its scene."""
_EACH_TIME = re.compile(r"digest [0-9a-f]{4} [0-9a-f]{4}|commit +[0-9a-f]{7,12}|[0-9.]+ ms")


class Picture(NamedTuple):
    """A scene to draw, at which size, in which theme."""

    name: str
    scene: str
    size: Size = (120, 36)
    theme: str = "night"


class Drawn(NamedTuple):
    """A picture as SVG, and the words on it."""

    svg: str
    text: str

    @property
    def digest(self) -> str:
        return digest(self.text)


def digest(text: str) -> str:
    """Of the words, but for those that are others each time, and the room that these leave."""
    return sha256(re.sub(" {2,}", "  ", _EACH_TIME.sub("", text)).encode()).hexdigest()


def pictures(theme: str) -> tuple[Picture, ...]:
    """Every screen there is, and what lies over them."""
    return tuple(
        Picture(f"{name}-{theme}", scene, (80, 24) if name == "narrow" else (120, 36), theme)
        for name, scene in _SCENES.items()
    )


PICTURES = tuple(picture for theme in THEMES for picture in pictures(theme))


def draw(chosen: Sequence[Picture] = PICTURES) -> dict[str, Drawn]:
    """Each picture by its name, all of workspaces that no other scene has changed."""
    worlds.forget()
    return {picture.name: asyncio.run(_draw(picture)) for picture in chosen}


def make(folder: Path) -> list[Path]:
    """Writes all pictures and the digests of their words into `folder`."""
    drawn = draw()
    (folder / DRAWN.name).write_text(json.dumps({name: d.digest for name, d in drawn.items()}, indent=1) + "\n")
    paths = []
    for name, picture in drawn.items():
        paths.append(folder / f"{name}.svg")
        paths[-1].write_text(picture.svg, encoding="utf-8")
    return [*paths, *make_cast(folder)]


def make_cast(folder: Path) -> list[Path]:
    """Writes the film of the main job and the digests of the words on its frames into `folder`."""
    frames = asyncio.run(cast.frames())
    (folder / RECORDED.name).write_text(json.dumps([digest(frame.text) for frame in frames], indent=1) + "\n")
    (folder / CAST.name).write_text(cast.cast(frames), encoding="utf-8")
    return [folder / CAST.name]


async def _draw(picture: Picture) -> Drawn:
    scene = next(scene for scene in SCENES if scene.name == picture.scene)
    async with played(scene, picture.size, picture.theme) as pilot:
        app = app_of(pilot)
        return Drawn(svg(app), words(app))


if __name__ == "__main__":
    for path in make(FOLDER):
        sys.stdout.write(f"{path}\n")
