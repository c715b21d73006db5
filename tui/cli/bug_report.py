"""Makes the text of `doctor --bundle` for a bug report: versions, terminal, settings, errors; no content, no path."""

import os
import platform
import shutil
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from engine.errors import MemdeckError, UsageError, remedy
from engine.services.engine import Engine
from engine.workspace.values import Finding
from tui.bridge.error_log import last_errors

_PACKAGES = ("memdeck", "textual", "rich", "apsw", "numpy", "msgspec", "click", "anthropic", "GitPython")
_TERMINAL = ("TERM", "COLORTERM", "TERM_PROGRAM", "NO_COLOR", "LANG", "LC_ALL", "LC_CTYPE")
_LONGEST = 40  # characters of a variable of the terminal: a longer one is no name of a terminal


def write_bundle(file: Path, console: Engine, findings: Sequence[Finding], settings: Mapping[str, object]) -> None:
    """Writes the text into a new private file. Raises `UsageError` if the file exists."""
    text = "".join(f"{line}\n" for line in bundle(console, findings, settings))
    try:
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w") as out:
            out.write(text)
    except FileExistsError as error:
        raise UsageError("the file is there already", where=str(file), hint="give another name") from error
    except OSError as error:
        raise MemdeckError(error.strerror or str(error), where=str(file), hint=remedy(error, "try again")) from error


def bundle(console: Engine, findings: Sequence[Finding], settings: Mapping[str, object]) -> Iterator[str]:
    """Yields the lines of the text: figures and names only; of a finding its id, of a setting whether it is set."""
    yield from _section("Versions", _versions())
    yield from _section("Terminal", _terminal())
    status = console.status.read()
    tiers = status.memory_tiers
    counts = {"working": tiers.working.files, "episodic": tiers.episodic.files, "semantic": len(tiers.semantic.shards)}
    yield from _section("Workspace", {**counts, "git": status.git})
    yield from _section("Queue", {"pending": status.queue.pending, "stale": status.queue.stale})
    yield from _section("Findings", Counter(f"{finding.kind} {finding.id}" for finding in findings))
    yield from _section("Capabilities", dict.fromkeys(status.capabilities, "yes"))
    yield from _section("Console", {name: _harmless(value) for name, value in settings.items()})
    own = (value for value in console.status.policy_values() if value.origin != "default")
    yield from _section("Policy, where it is not the default", {value.key: _harmless(value.value) for value in own})
    yield "## Last errors"
    yield from last_errors() or ("none",)


def _section(title: str, values: Mapping[str, object]) -> Iterator[str]:
    yield f"## {title}"
    yield from (f"{name}: {value}" for name, value in values.items())
    if not values:
        yield "none"
    yield ""


def _versions() -> dict[str, object]:
    versions: dict[str, object] = {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "sqlite": sqlite3.sqlite_version,
    }
    for name in _PACKAGES:
        try:
            versions[name.casefold()] = version(name)
        except PackageNotFoundError:
            versions[name.casefold()] = "not installed"
    return versions


def _terminal() -> dict[str, object]:
    size = shutil.get_terminal_size()
    given = {name: value[:_LONGEST] for name in _TERMINAL if (value := os.environ.get(name, "")).isprintable()}
    encoding = getattr(sys.stdout, "encoding", None)
    return {"size": f"{size.columns}×{size.lines}", "encoding": encoding, "a terminal": sys.stdout.isatty(), **given}


def _harmless(value: object) -> object:
    """Returns a figure as it is, and `set` for a text, which may be a name, a path or a key."""
    return value if isinstance(value, bool | int | float) or value is None else "set" if value else "not set"
