"""Finds the project whose memory of Claude Code a workspace is: its CLAUDE.md is loaded beside that memory."""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from engine.context.platforms.platform import Platform, slug_of

MEMORY_FOLDER = re.compile(r"/\.claude/projects/([^/]+)/memory/?\Z")


def in_project(platform: Platform, folder: str, home: str) -> Platform:
    """Returns the platform with places in the project, where the folder is Claude Code's memory of one below the home;
    of a project that is not found nothing but the memory is told."""
    memory = MEMORY_FOLDER.search(folder)
    if memory is None or platform.name != "claude-code":
        return platform
    project = next(_named(Path(home), memory[1].removeprefix(slug_of(home))), None) if home else None
    if project is None:
        kept = {kind: tuple(n for n in names if _is_apart(platform, n)) for kind, names in platform.sessions.items()}
        return replace(platform, sessions=kept)
    inside = f"~/{project.relative_to(home)}/"
    files = {
        name: file if _is_apart(platform, name) else replace(file, places=tuple(inside + at for at in file.places))
        for name, file in platform.files.items()
    }
    return replace(platform, files=files)


def _is_apart(platform: Platform, name: str) -> bool:
    """Tells whether a file is the person's own or the memory, and none of the project."""
    return platform.files[name].places[0].startswith("~/")


def _named(folder: Path, slug: str) -> Iterator[Path]:
    """Yields the folders below that a slug names; it has a dash for every other character."""
    if not slug:
        yield folder
    with suppress(OSError):
        for child in sorted(folder.iterdir()) if slug else ():
            name = f"-{slug_of(child.name)}"
            if f"{slug}-".startswith(f"{name}-") and child.is_dir():
                yield from _named(child, slug.removeprefix(name))
