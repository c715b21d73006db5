"""Keeps what platforms reported as loaded, in the operator's state: the last files of the last sessions."""

from datetime import datetime

import msgspec

from engine.context.load.observation import LoadReport, line_count
from engine.errors import MemdeckError, Refused
from engine.state.database import StateDatabase
from engine.state.rows import LOADED_FILES, TableRows
from engine.state.table import Table
from engine.text.canonical_json import sha256_hex
from engine.workspace.paths import WorkspaceRoot, relative_path

MOST = 500
"""Reports that are kept; the oldest go first."""
LONGEST = 4_096
"""Bytes of a path; no longer one can be opened."""


class LoadReports:
    """The reports of one workspace."""

    def __init__(self, database: StateDatabase, root: WorkspaceRoot) -> None:
        self._table, self._root = Table(database, LOADED_FILES), root

    def all(self) -> tuple[LoadReport, ...]:
        return tuple(self._table.values(LoadReport).values())

    def take(self, platform: str, session: str, path: str, reason: str, at: datetime) -> LoadReport:
        """Keeps a report with the hash of the file as it is now; one outside the workspace is not read."""
        if not path.startswith("/") or len(path.encode("utf-8", "replace")) > LONGEST:
            raise Refused("the event names no file", where=path[:80])
        inside = self._inside(path)
        data = self._read(inside) if inside else None
        report = LoadReport(
            platform=platform,
            session=session[:200],
            path=inside or path,
            reason=reason[:40],
            at=at,
            sha256=sha256_hex(data) if data is not None else None,
            lines=line_count(data) if data is not None else None,
        )
        with self._table.change() as rows:
            rows.put(f"{platform}\n{report.session}\n{report.path}", msgspec.json.encode(report))
            _cut(rows)
        return report

    def _inside(self, path: str) -> str:
        """The path within the workspace; empty where it lies outside."""
        folder = self._root.identity.path.rstrip("/") + "/"
        try:
            return relative_path(path.removeprefix(folder)) if path.startswith(folder) else ""
        except Refused:
            return ""

    def _read(self, path: str) -> bytes | None:
        try:
            return self._root.read(path)
        except MemdeckError:
            return None


def _cut(rows: TableRows) -> None:
    highest, count = rows.extent()
    if count > MOST:
        rows.drop_numbers(number for number, _ in rows.below(highest)[: count - MOST])
