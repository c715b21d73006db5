"""Finds what would make git wait for ever: a FIFO or a device where it expects one of its files (decision D22)."""

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

from engine.errors import MemdeckError
from engine.history.git import clean_environment, read_regular, run_limited

_FOLDERS = (".", "info", "logs", "refs", "refs/heads")
_OBJECT_FOLDERS = ("info", "info/commit-graphs", "pack")
_BESIDE = (".gitattributes", ".gitignore", ".gitmodules", ".mailmap")
"""What git reads at the top of the files."""
_MOST_NAMED = 32
"""Files or folders that settings, or stores of objects, name one after another and that are followed."""
_NAMING_BYTES = 1 << 20
_SECONDS = 2.0


def waiting_file(folder: Path, top: Path, branch: str, env: Mapping[str, str]) -> Path | None:
    """The first file of the git folder, of `top`, or named by an `include` of its settings, that nobody may open."""
    places = [folder / branch, folder / "logs" / branch, *(top / name for name in _BESIDE)]
    own = _among([folder / name for name in _FOLDERS])
    settings = _included([folder / "config", folder / "config.worktree"], env)
    return next(chain(filter(_waits, places), own, _among_objects(folder / "objects"), filter(_waits, settings)), None)


def _waits(path: Path) -> bool:
    """Whether opening it could wait for ever. A socket (git's own monitor has one) refuses at once."""
    try:
        kind = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(kind) or stat.S_ISCHR(kind) or stat.S_ISBLK(kind)


def _among(folders: Iterable[Path]) -> Iterator[Path]:
    """What waits in folders whose files git opens by itself. A file or folder is told by its entry alone."""
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                odd = [Path(entry.path) for entry in entries if not _is_plain(entry)]
        except OSError:
            continue
        yield from filter(_waits, odd)


def _among_objects(objects: Path) -> Iterator[Path]:
    """What waits in a store of objects, or in one that it borrows from."""
    stores = [objects]
    for store in stores:
        yield from _among(store / name for name in _OBJECT_FOLDERS)
        stores += [store / name for name in _lines(store / "info" / "alternates")][: _MOST_NAMED - len(stores)]


def _lines(path: Path) -> list[str]:
    try:
        return [
            name for name in os.fsdecode(read_regular(path, _NAMING_BYTES)).splitlines() if name and "\0" not in name
        ]
    except OSError:
        return []


def _is_plain(entry: os.DirEntry[str]) -> bool:
    return entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False)


def _included(configs: list[Path], env: Mapping[str, str]) -> Iterator[Path]:
    """Every file that the settings include, directly or through another; each is looked at before it is opened."""
    seen: set[Path] = set()
    while configs and len(seen) < _MOST_NAMED:
        config = configs.pop()
        for path in _includes_of(config, env):
            if path not in seen:
                seen.add(path)
                yield path
                configs.append(path)


def _includes_of(config: Path, env: Mapping[str, str]) -> list[Path]:
    """The paths that one settings file includes, as git reads it; git is asked only where the word occurs."""
    try:
        if not re.search(rb"include", read_regular(config, _NAMING_BYTES), re.IGNORECASE):
            return []
        # From the root folder, so that git finds no repository whose settings it would follow.
        asked = ["git", "config", "--file", str(config), "--no-includes", "-z", "--type=path", "--get-regexp", _PATHS]
        _, out, _ = run_limited(asked, stdin=b"", cwd=Path("/"), env=clean_environment(env), timeout=_SECONDS)
    except (OSError, MemdeckError):
        return []
    rows = (os.fsdecode(row).partition("\n")[2] for row in out.split(b"\0"))
    return [config.parent / path for path in rows if path]


_PATHS = r"^include(if\..*)?\.path$"
