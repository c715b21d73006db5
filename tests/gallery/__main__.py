"""Draws the gallery: `python -m tests.gallery [--sizes …] [--themes …] [--into FOLDER] [NAME…]`."""

import argparse
import os
import sys
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

from tests.gallery.drawing import draw_all, stem, tasks
from tests.gallery.scene import Scene, Size
from tests.gallery.scenes import GROUPS, SCENES
from tests.gallery.site import PICTURES, write_index
from tui.widgets import themes


def main(arguments: Sequence[str] | None = None) -> int:
    """Draws what was asked for and says how far it is; 1 where something could not be drawn."""
    asked = _parser().parse_args(arguments)
    chosen = _chosen(asked.name)
    if not chosen:
        sys.stderr.write(f"there is no scene named {' or '.join(asked.name)}\n")
        return 1
    pictures = asked.into / PICTURES
    pictures.mkdir(parents=True, exist_ok=True)
    wanted, failed = tasks(chosen, asked.sizes, asked.themes, pictures), 0
    for number, (task, problem) in enumerate(draw_all(wanted, asked.jobs), 1):
        failed += bool(problem)
        said = f"  {problem}" if problem else ""
        sys.stdout.write(f"{number:>4} of {len(wanted)}  {stem(task.name, task.size)}{said}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{write_index(asked.into, GROUPS, asked.sizes, asked.themes)}\n")
    if failed:
        sys.stderr.write(f"{failed} of {len(wanted)} could not be drawn\n")
    return 1 if failed else 0


def _chosen(names: Sequence[str]) -> list[Scene]:
    return [scene for scene in SCENES if not names or any(fnmatch(scene.name, name) for name in names)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.gallery", description="Draws every screen and dialog.")
    parser.add_argument("name", nargs="*", metavar="NAME", help="a scene, or several such as 'tree*'; else all")
    parser.add_argument("--sizes", type=_sizes, default="80x24,120x36,200x60", metavar="80x24,120x36")
    parser.add_argument("--themes", type=_themes, default="night,paper", metavar="night,paper")
    parser.add_argument("--into", type=Path, default=Path("build/gallery"), metavar="FOLDER")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes at a time")
    return parser


def _sizes(text: str) -> tuple[Size, ...]:
    try:
        pairs = [size.split("x") for size in text.split(",")]
        return tuple((int(width), int(height)) for width, height in pairs)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of sizes such as 80x24,120x36") from None


def _themes(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    unknown = [name for name in names if name not in themes.names()]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of the themes {', '.join(themes.names())}")
    return names


if __name__ == "__main__":
    sys.exit(main())
