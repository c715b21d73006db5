"""The core by itself: a tree of the program without `engine/extras`, and its tests run there (`make test-core`)."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("compactor", "context", "flush", "history", "plans", "schedule", "search", "state", "text", "topics", "tree")
"""Folders of the engine's tests that are run without the extras, besides those of its services."""
NAMED = "engine.extras"
"""A test file that names it is about an extra."""


def tree_without_extras(folder: Path) -> Path:
    """Links all of the program into a folder, but for the extras."""
    (folder / "engine").mkdir(parents=True)
    for entry in (ROOT / "engine").iterdir():
        if entry.name not in ("extras", "__pycache__"):
            (folder / "engine" / entry.name).symlink_to(entry)
    for name in ("docs", "memdeck", "pyproject.toml", "tests", "themes", "tui"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def environment(folder: Path) -> dict[str, str]:
    """Gives the environment in which the program of a folder is the one that runs, whatever is installed."""
    return {**os.environ, "PYTHONPATH": str(folder)}


def core_tests() -> list[str]:
    """Lists the files of tests that name no extra."""
    found = [file for room in ROOMS for file in sorted((ROOT / "tests/engine" / room).rglob("test_*.py"))]
    return [str(file.relative_to(ROOT)) for file in found if NAMED not in file.read_text("utf-8")]


def run(arguments: list[str]) -> int:
    with TemporaryDirectory() as base:
        folder = tree_without_extras(Path(base))
        files = [] if any(one.startswith("tests/") for one in arguments) else core_tests()
        command = [sys.executable, "-m", "pytest", "-m", "not soak", *arguments, *files]
        return subprocess.run(command, cwd=folder, env=environment(folder), check=False).returncode


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
