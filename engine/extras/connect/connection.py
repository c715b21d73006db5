"""Plans the settings of a tool as a diff, writes them after a yes, and removes exactly them again (decision D63)."""

import os
import stat
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from engine.errors import Damaged, Refused, Stale
from engine.extras.connect.json_text import taken_back
from engine.extras.connect.settings_text import Wanted, holds_all, with_values, without_empty, without_values
from engine.extras.connect.tool_data import Format, Part, SettingsFile, ToolData, ToolPlaces
from engine.extras.importers.generations import is_newer
from engine.state.private_files import known_record, make_private, write_private
from engine.text.canonical_json import sha256_hex

MOST_BYTES = 32 * 1024 * 1024  # bytes of a settings file; Claude Code's own grows to some megabytes
_EMPTY: Mapping[Format, str] = {"json": "{}\n", "toml": "", "yaml": ""}


class ConnectedFile(msgspec.Struct, frozen=True):
    """A settings file as it was written, with the insertions, so that they can be undone to the byte."""

    path: str
    form: Format
    created: bool
    sha256: str
    steps: list[tuple[int, str]]
    brought: tuple[tuple[str, ...], ...]
    values: tuple[Wanted, ...]


class ConnectRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A connected tool: its project, its workspace, and the settings written."""

    tool: str
    project: str
    workspace: str
    at: datetime
    follow: str = ""
    files: tuple[ConnectedFile, ...] = ()


class SettingsChange(NamedTuple):
    """One settings file before and after. `before` is None for a new file, `after` for one to be deleted."""

    path: Path
    about: str
    before: str | None
    after: str | None
    reasons: tuple[tuple[str, str], ...] = ()  # each new value with its reason
    left: str = ""  # says what could not be taken out

    @property
    def changes(self) -> bool:
        return self.before != self.after


class Connections:
    """The records of connected tools, in the operator's state."""

    def __init__(self, state_home: Path) -> None:
        self._folder = state_home / "connections"

    def all(self) -> tuple[ConnectRecord, ...]:
        """Every readable record."""
        return tuple(filter(None, (known_record(file, ConnectRecord) for file in sorted(self._folder.glob("*.json")))))

    def of(self, tool: str, project: Path, scope: str) -> ConnectRecord | None:
        """The record of a tool in a project, or in any project if its settings are per person."""
        mine = [record for record in self.all() if record.tool == tool]
        return next((record for record in mine if scope == "person" or record.project == str(project)), None)

    def keep(self, record: ConnectRecord) -> None:
        """Saves a record, readable by the operator alone."""
        make_private(self._folder)
        write_private(self._file(record), msgspec.json.encode(record))

    def forget(self, record: ConnectRecord) -> None:
        self._file(record).unlink(missing_ok=True)

    def _file(self, record: ConnectRecord) -> Path:
        return self._folder / f"{record.tool}-{sha256_hex(record.project.encode())[:12]}.json"


def is_connected(record: ConnectRecord) -> bool:
    """Tells whether the settings files still contain the inserted values."""
    return all(holds_all(_read(Path(file.path)) or "", file.form, file.values, file.path) for file in record.files)


def refuse_newer(data: ToolData, version: str) -> None:
    """Raises `Refused` for a tool so new that the form of its settings may differ."""
    if version and (version == data.before or is_newer(version, data.before)):
        what = f"{data.tool} {version} is newer than the settings that memdeck knows (before {data.before})"
        raise Refused(what, hint="paste them in by hand: memdeck connect --print")


def plan_connection(
    places: ToolPlaces, parts: Sequence[Part], earlier: ConnectRecord | None, now: datetime
) -> tuple[list[SettingsChange], ConnectRecord]:
    """Returns the settings files with our values, without those of an earlier connection, and the new record."""
    data = places.data
    before = {file.path: file for file in earlier.files} if earlier is not None else {}
    changes, files = [], []
    for file in data.files:
        path = Path(os.path.realpath(places.path(file.at)))
        values = _values(file, places, parts)
        held = before.pop(str(path), None)
        if not values and held is None:
            continue
        text = _read(path)
        base = _base(path, text, held, values, file.format)
        made = with_values(_EMPTY[file.format] if base is None else base, file.format, values, str(path))
        after = made.text if values else base
        reasons = [(".".join(entry.place), entry.reason) for entry in file.entries if entry.part in parts]
        changes.append(SettingsChange(path, file.about, text, after, tuple(reasons)))
        if values and after is not None:
            digest = sha256_hex(after.encode())
            held = ConnectedFile(str(path), file.format, base is None, digest, made.steps, made.brought, tuple(values))
            files.append(held)
    changes += [undone(file) for file in before.values()]
    record = ConnectRecord(
        tool=places.name,
        project=str(places.project),
        workspace=str(places.workspace),
        at=now,
        follow=str(places.path(data.follow)) if data.follow else "",
        files=tuple(files),
    )
    return changes, record


def pasted(places: ToolPlaces, parts: Sequence[Part]) -> list[tuple[str, str]]:
    """Returns the values to paste by hand into each settings file, as a file of its own."""
    found = []
    for file in places.data.files:
        if values := _values(file, places, parts):
            made = with_values(_EMPTY[file.format], file.format, values, file.at)
            found.append((str(places.path(file.at)), made.text))
    return found


def write_changes(changes: Sequence[SettingsChange]) -> None:
    """Replaces each file whole. Raises `Stale` if one changed since it was read."""
    for change in changes:
        if _read(change.path) != change.before:
            raise Stale("it was changed meanwhile", where=str(change.path), hint="run it again")
    for change in changes:
        if change.after is None and change.before is not None:
            change.path.unlink()
        elif change.after is not None and change.changes:
            _replace(change.path, change.after.encode())


def _values(file: SettingsFile, places: ToolPlaces, parts: Sequence[Part]) -> list[Wanted]:
    return [
        Wanted(tuple(places.value(name) for name in entry.place), places.value(entry.value), entry.item)
        for entry in file.entries
        if entry.part in parts
    ]


def _base(
    path: Path, text: str | None, held: ConnectedFile | None, values: Sequence[Wanted], form: Format
) -> str | None:
    """The text without the values of an earlier connection, whether recorded or pasted by hand."""
    if text is None:
        return None
    if held is not None:
        return undone(held).after
    return without_values(text, form, values, [], str(path)) if form == "json" else text


def undone(file: ConnectedFile) -> SettingsChange:
    """A settings file as it was before. If somebody changed it since, only our values are removed."""
    path = Path(file.path)
    if (text := _read(path)) is None:
        return SettingsChange(path, "", None, None)
    after = taken_back(text, file.steps) if sha256_hex(text.encode()) == file.sha256 else None
    values, left = file.values, ""
    if after is None:
        after = without_values(text, file.form, values, file.steps, file.path)
        after = without_empty(after, file.brought, file.path) if file.form == "json" else after
        if any(holds_all(after, file.form, [value], file.path) for value in values):
            left = "it was changed since: take the entry `memdeck` out by hand"
    gone = file.created and after.strip() == _EMPTY[file.form].strip()
    return SettingsChange(path, "", text, None if gone else after, left=left)


def _read(path: Path) -> str | None:
    """The text of a settings file, or None. Raises `Damaged` if it is not text."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise Damaged(f"larger than {MOST_BYTES >> 20} MiB", where=str(path), hint="paste it in by hand")
        return data.decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise Damaged("it is no UTF-8 text", where=str(path), hint="paste it in by hand") from error


def _replace(path: Path, data: bytes) -> None:
    """Replaces a file whole and keeps its mode. A new file belongs to the operator alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_private(path, data, stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o600)
