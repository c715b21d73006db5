"""Finds the project whose memory of Claude Code a workspace is: its CLAUDE.md is loaded beside that memory."""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from engine.context.platforms.platform import Platform, slug_of

MEMORY_FOLDER = re.compile(r"/\.claude/projects/([^/]+)/memory/?\Z")


def in_project(platform: Platform, folder: str, home: str) -> Platform:
    """Returns the platform with the places of a project below the home, if the folder is Claude Code's memory of it;
    without the project's files if it is not found."""
    memory = MEMORY_FOLDER.search(folder)
    if memory is None or platform.name != "claude-code":
        return platform
    apart = {name for name, file in platform.files.items() if file.places[0].startswith("~/")}
    project = next(_named(Path(home), memory[1].removeprefix(slug_of(home))), None) if home else None
    if project is None:
        sessions = platform.sessions.items()
        return replace(platform, sessions={kind: tuple(n for n in names if n in apart) for kind, names in sessions})
    inside, files = f"~/{project.relative_to(home)}/", dict(platform.files)
    for name in files.keys() - apart:
        files[name] = replace(files[name], places=tuple(inside + place for place in files[name].places))
    return replace(platform, files=files)


def _named(folder: Path, slug: str) -> Iterator[Path]:
    """Yields the folders below that a slug names; it has a dash for every other character."""
    if not slug:
        yield folder
    with suppress(OSError):
        for child in sorted(folder.iterdir()) if slug else ():
            name = f"-{slug_of(child.name)}"
            if f"{slug}-".startswith(f"{name}-") and child.is_dir():
                yield from _named(child, slug.removeprefix(name))
