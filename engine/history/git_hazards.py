"""Finds files in a git folder that would make git wait for ever or use all memory: FIFOs, devices, huge files (D22).
Reads, in one call of git, the operator's settings that a commit depends on."""

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path

import msgspec

from engine.errors import MemdeckError
from engine.history.git import SHORT, Git, clean_environment, git_program, read_regular, run_limited
from engine.history.request import Person

_FOLDERS = (".", "info", "logs", "refs", "refs/heads", "reftable")  # git opens every file in them by itself
_OBJECT_FOLDERS = ("info", "info/commit-graphs", "pack", "pack/multi-pack-index.d")  # below `objects`
_RULES = (".gitattributes", ".gitignore")
_BESIDE = (*_RULES, ".gitmodules", ".mailmap")  # files that git reads at the top of the files
_MOST_NAMED = 32  # files or folders that settings, or stores of objects, name one after another and that are followed
_NAMING_BYTES = 1 << 20  # bytes of a file of settings, or of one that names other stores of objects
_LARGEST = 64 << 20  # bytes of a file that git takes into memory as a whole; a sparse one costs its writer nothing
_SECONDS = 2.0  # seconds that git may take to read one file of settings


def obstacle(folder: Path, top: Path, branch: str, env: Mapping[str, str]) -> str:
    """Gives the reason why a file of the git folder, of `top` or included may not be opened; empty if all may."""
    named = [folder / "config", folder / branch, folder / "logs" / branch, folder / "objects/info/alternates"]
    named += [top / name for name in _BESIDE]
    settings = _included([folder / "config", folder / "config.worktree"], top, env)
    problems = chain(
        map(_problem, named),
        _among(folder / name for name in _FOLDERS),
        _among_objects(folder / "objects"),
        map(_problem, settings),
    )
    return next(filter(None, problems), "")


def rules_obstacle(top: Path, paths: Iterable[str], named: Iterable[Path]) -> str:
    """Gives the same for the ignore and attribute files that apply to `paths`, and the files `named` by settings."""
    folders = {parent for path in paths for parent in Path(path).parents}
    beside = (top / folder / name for folder in sorted(folders) for name in _RULES)
    return next(filter(None, map(_problem, chain(beside, named))), "")


def _problem(path: Path) -> str:
    """Gives the reason why opening or reading `path` could take for ever, or empty. A socket refuses at once."""
    try:
        facts = path.stat()
    except (OSError, ValueError):
        return ""
    waits = any(test(facts.st_mode) for test in (stat.S_ISFIFO, stat.S_ISCHR, stat.S_ISBLK))
    # By the null device settings name no file at all.
    if waits and not path.samefile(os.devnull):
        return f"{path} is a FIFO or a device, on which git would wait for ever: remove it"
    if stat.S_ISREG(facts.st_mode) and facts.st_size > _LARGEST:
        return f"{path} is larger than {_LARGEST >> 20} MiB, as no such file of git's is: look at it"
    return ""


def _among(folders: Iterable[Path]) -> Iterator[str]:
    """Yields the problems of files in folders that git opens by itself, without opening any file."""
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                names = [(entry, entry.is_file(follow_symlinks=False)) for entry in entries]
                odd = [
                    Path(entry.path) for entry, file in names if not file and not entry.is_dir(follow_symlinks=False)
                ]
        except OSError:
            continue
        yield from map(_problem, odd)


def _among_objects(objects: Path) -> Iterator[str]:
    # A list that grows while it is walked: a borrowed store may borrow again.
    stores = [objects]
    for store in stores:
        yield from _among(store / name for name in _OBJECT_FOLDERS)
        yield from _among_loose(store)
        borrowed = islice(_lines(store / "info" / "alternates"), _MOST_NAMED - len(stores))
        stores += [store / name for name in borrowed]


_unchanged: dict[str, int] = {}
"""The last change of each folder of loose objects without problems: it is listed again only after another change."""


def _among_loose(store: Path) -> Iterator[str]:
    # This is asked before each call of git: a `Path` for each of the 256 cost more than to look.
    for folder in (f"{store}/{digits}" for digits in _present(store)):
        try:
            changed = os.stat(folder).st_mtime_ns  # noqa: PTH116
        except OSError:
            continue
        # A folder's time changes with every entry that comes or goes.
        if _unchanged.get(folder) == changed:
            continue
        if not (problem := next(filter(None, _among([Path(folder)])), "")):
            _unchanged[folder] = changed
        yield problem


def _present(store: Path) -> Iterable[str]:
    """Gives the folders of loose objects that exist; all 256 where the object folder cannot be listed."""
    try:
        names = {name.lower() for name in os.listdir(store)}  # noqa: PTH208
    except FileNotFoundError:
        return ()
    except OSError:
        return _TWO_DIGITS
    return filter(names.__contains__, _TWO_DIGITS)


_TWO_DIGITS = tuple(f"{number:02x}" for number in range(256))
"""The 256 possible folders of loose objects: each is the first byte of the objects' ids."""


def _lines(path: Path) -> Iterator[str]:
    try:
        text = os.fsdecode(read_regular(path, _NAMING_BYTES))
    except OSError:
        return
    yield from (name for name in text.splitlines() if name and "\0" not in name)


def _included(configs: list[Path], top: Path, env: Mapping[str, str]) -> Iterator[Path]:
    """Yields each file that the settings include, also indirectly; the caller checks each before it is opened."""
    seen: set[Path] = set()
    while configs and len(seen) < _MOST_NAMED:
        config = configs.pop()
        for path in _includes_of(config, top, env):
            if path not in seen:
                seen.add(path)
                yield path
                configs.append(path)


def _includes_of(config: Path, top: Path, env: Mapping[str, str]) -> list[Path]:
    """Gives the paths that one settings file includes; runs git only where the word `include` occurs."""
    try:
        if not re.search(rb"include", read_regular(config, _NAMING_BYTES), re.IGNORECASE):
            return []
        # From the root folder, so that git finds no repository whose settings it would follow.
        asked = ["config", "--file", str(config), "--no-includes", "-z", "--type=path", "--get-regexp", _PATHS]
        command = [git_program(top, env), *asked]
        _, out, _ = run_limited(command, stdin=b"", env=clean_environment(env, top), timeout=_SECONDS)
    except (OSError, MemdeckError):
        return []
    values = (os.fsdecode(row).partition("\n")[2] for row in out.split(b"\0"))
    return [config.parent / value for value in values if value]


_PATHS = r"^include(if\..*)?\.path$"


_FILES = r"^(core\.(excludes|attributes)|blame\.ignorerevs)file$"
_ALL = r"^(core\.(excludes|attributes)file|blame\.ignorerevsfile|user\.(name|email))$"


class OperatorSettings(msgspec.Struct, frozen=True):
    """The ignore and attribute files that the settings name, and the person; empty where there are none."""

    rule_files: tuple[Path, ...]
    person: Person


def operator_settings(git: Git) -> OperatorSettings:
    """Gives the git settings in force; where a name is set twice, the last one."""
    rows = _rows(git, _ALL)
    files = [value for key, value in rows if key.endswith("file")]
    if any(value.startswith(("~", "%")) for value in files):  # git alone knows what that stands for
        files = [value for _, value in _rows(git, _FILES, "--type=path")]
    told = dict(rows)
    person = Person(told.get("user.name", "").strip(), told.get("user.email", "").strip())
    return OperatorSettings(tuple(git.top / value for value in files if value), person)


def _rows(git: Git, keys: str, *options: str) -> list[tuple[str, str]]:
    code, out, _ = git.attempt("config", "-z", *options, "--get-regexp", keys, timeout=SHORT)
    text = out.decode("utf-8", "surrogateescape") if code == 0 else ""
    return [(row.partition("\n")[0], row.partition("\n")[2]) for row in text.split("\0") if row]
