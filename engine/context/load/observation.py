"""Compares the files that a platform reported as loaded with the simulation (decision D41)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from enum import StrEnum
from typing import Annotated

import msgspec

from engine.context.load.simulation import LoadedFile, LoadState, PlatformLoad
from engine.context.platforms.platform import SessionKind
from engine.errors import MemdeckError, Refused
from engine.state.database import StateDatabase
from engine.state.table import StateTable, Table
from engine.text.canonical_json import sha256_hex
from engine.workspace.paths import WorkspaceRoot, relative_path

GIVEN = "given"  # the reason with which a hook of ours reports a note that it gave beside a message (decision D64)
COMPACTED = "compacted"  # the reason with which a hook reports what a session had said when its context was compacted
START = "session_start"  # the reason with which a session reports the files that it begins with


class LoadReport(msgspec.Struct, frozen=True, kw_only=True):
    """A file that a session reported as loaded. `path`: workspace-relative, absolute if outside. `sha256`, `lines`: the
    file's at that time, None if not read."""

    platform: str
    session: str
    path: str
    reason: str
    at: Annotated[datetime, msgspec.Meta(tz=True)]
    sha256: str | None = None
    lines: int | None = None


class LoadMark(StrEnum):
    """The mark of a file: reported as simulated, only simulated, reported otherwise, or given by memdeck."""

    OBSERVED = "observed"
    SIMULATED = "simulated"
    DIFFERS = "differs"
    GIVEN = "given"  # a hook of ours gave it beside a message


class ObservedFile(msgspec.Struct, frozen=True, kw_only=True):
    """The mark of a file, its last report, and the difference in words."""

    name: str
    path: str
    mark: LoadMark
    at: datetime | None = None
    difference: str = ""


def observed_files(
    load: PlatformLoad, reports: Sequence[LoadReport], read: Callable[[str], bytes | None]
) -> tuple[ObservedFile, ...]:
    """Marks each file of a simulated main session, then adds files only reported. No platform reports the kind of a
    session, so files of other kinds are marked simulated."""
    if load.session is not SessionKind.MAIN:
        return tuple(ObservedFile(name=file.name, path=file.path, mark=LoadMark.SIMULATED) for file in load.files)
    newest = _newest([report for report in reports if report.platform == load.platform.name])
    told = {report.path: report for report in newest}
    began = next((report.at for report in newest if report.reason == START), None)
    found = [_marked(file, told, began, load, read) for file in load.files]
    return (*found, *_besides(newest, {file.path for file in load.files if file.path}))


def _newest(reports: Sequence[LoadReport]) -> list[LoadReport]:
    """Returns the reports of the newest session, the last one of each file."""
    if (last := max(reports, key=lambda report: report.at, default=None)) is None:
        return []
    mine = sorted((report for report in reports if report.session == last.session), key=lambda report: report.at)
    return list({report.path: report for report in mine}.values())


def _marked(
    file: LoadedFile,
    told: Mapping[str, LoadReport],
    began: datetime | None,
    load: PlatformLoad,
    read: Callable[[str], bytes | None],
) -> ObservedFile:
    report = told.get(file.path) if file.path else None
    mark, at, difference = LoadMark.SIMULATED, None, ""
    if report is not None:
        at, difference = report.at, _changed(report, read)
        mark = LoadMark.DIFFERS if difference else LoadMark.OBSERVED
    elif began is not None and file.state is not LoadState.MISSING:
        # What is imported is reported where any file is.
        data, all_files = load.platform.files.get(file.name), load.platform.files.values()
        if any(file.reported for file in ([data] if data is not None else all_files)):
            mark, at, difference = LoadMark.DIFFERS, began, "the session did not report it"
    return ObservedFile(name=file.name, path=file.path, mark=mark, at=at, difference=difference)


def _changed(report: LoadReport, read: Callable[[str], bytes | None]) -> str:
    if (data := read(report.path)) is None:
        return "it was loaded, and is not there any more"
    if report.sha256 is None or sha256_hex(data) == report.sha256:
        return ""
    return f"it changed since: {report.lines} lines then, {len(data.splitlines())} now"


def _besides(newest: Sequence[LoadReport], known: set[str]) -> Iterator[ObservedFile]:
    for report in newest:
        if report.reason == GIVEN:
            yield ObservedFile(name=report.path, path=report.path, mark=LoadMark.GIVEN, at=report.at)
        elif report.path not in known and report.reason != COMPACTED:
            where, path = "not simulated", report.path
            if path.startswith("/"):
                where, path = "outside the workspace", ""
            why = f"it was loaded, and is {where} ({report.reason or 'no reason given'})"
            yield ObservedFile(name=report.path, path=path, mark=LoadMark.DIFFERS, at=report.at, difference=why)


MOST = 500  # reports that are kept; the oldest go first
LONGEST = 4_096  # bytes of a path; no longer one can be opened


class LoadReports:
    """The reports of one workspace."""

    def __init__(self, database: StateDatabase, root: WorkspaceRoot) -> None:
        self._table, self._root = Table(database, StateTable.LOADED_FILES), root

    def all(self) -> tuple[LoadReport, ...]:
        return tuple(self._table.values(LoadReport).values())

    def take(self, platform: str, session: str, path: str, reason: str, at: datetime) -> LoadReport:
        """Stores a report with the file's present hash; does not read a file outside the workspace."""
        if not path.startswith("/") or len(path.encode("utf-8", "replace")) > LONGEST:
            raise Refused("the event names no file", where=path[:80])
        folder, inside, data = self._root.identity.path.rstrip("/") + "/", "", None
        if path.startswith(folder):
            with suppress(MemdeckError):
                inside = relative_path(path.removeprefix(folder))
                data = self._root.read(inside)
        report = LoadReport(
            platform=platform,
            session=session[:200],
            path=inside or path,
            reason=reason[:40],
            at=at,
            sha256=sha256_hex(data) if data is not None else None,
            lines=len(data.splitlines()) if data is not None else None,
        )
        with self._table.change() as rows:
            rows.put(f"{platform}\n{report.session}\n{report.path}", msgspec.json.encode(report))
            highest, count = rows.extent()
            if count > MOST:
                rows.drop_numbers(number for number, _ in rows.below(highest)[: count - MOST])
        return report
