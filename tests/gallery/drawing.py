"""Draws scenes into a folder, several at a time, each in a process that makes its workspaces once."""

import asyncio
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.gallery.scene import Scene, Size
from tests.gallery.scenes import SCENES
from tests.gallery.stage import app_of, played, svg, wear, words

_UNWANTED = ("NO_COLOR", "COLORTERM", "LC_ALL", "LC_CTYPE", "LANG")
"""What whoever draws has set must not be seen on the pictures."""


class Task(NamedTuple):
    """One start of the console: a scene at a size, in its colours one after the other."""

    name: str
    size: Size
    themes: tuple[str, ...]
    folder: Path


def tasks(chosen: Sequence[Scene], sizes: Sequence[Size], themes: tuple[str, ...], folder: Path) -> list[Task]:
    """All that is to be drawn; a scene that there is at one size alone is drawn at that."""
    return [Task(scene.name, size, themes, folder) for scene in chosen for size in ((scene.at,) if scene.at else sizes)]


def stem(name: str, size: Size) -> str:
    return f"{name}-{size[0]}x{size[1]}"


def draw_all(wanted: Sequence[Task], processes: int) -> Iterator[tuple[Task, str]]:
    """Draws everything; each task comes when it is done, with what went wrong."""
    with (
        TemporaryDirectory(prefix="gallery-home-") as home,
        ProcessPoolExecutor(processes, initializer=_at_home, initargs=(home,)) as pool,
    ):
        under_way = {pool.submit(draw, task): task for task in wanted}
        for done in as_completed(under_way):
            error = done.exception()
            yield under_way[done], f"{type(error).__name__}: {error}" if error is not None else ""


def draw(task: Task) -> None:
    """Writes a picture per theme, and the words."""
    asyncio.run(_draw(task))


async def _draw(task: Task) -> None:
    scene = next(scene for scene in SCENES if scene.name == task.name)
    async with played(scene, task.size, task.themes[0]) as pilot:
        app, path = app_of(pilot), task.folder / stem(task.name, task.size)
        path.with_name(f"{path.name}.txt").write_text(f"{words(app)}\n", "utf-8")
        for theme in task.themes:
            await wear(pilot, theme, scene)
            picture = svg(app, f"{task.name}  {theme}")
            path.with_name(f"{path.name}-{theme}.svg").write_text(picture, "utf-8")
        assert scene.is_front(app), f"{type(app.screen).__name__} is in front, not {scene.on.__name__}"


def _at_home(home: str) -> None:
    """A home of its own: neither state nor settings of whoever draws are read or written."""
    for name in _UNWANTED:
        os.environ.pop(name, None)
    os.environ |= {"HOME": home, "XDG_STATE_HOME": f"{home}/state", "XDG_CONFIG_HOME": f"{home}/config"}
