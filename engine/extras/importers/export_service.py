"""Imports and exports for the front ends: an import keeps the files that it read, and an export writes them back."""

import os
from pathlib import Path

from engine.errors import Refused
from engine.extras.importers.export import Exported, ExportFolder, choose, export
from engine.extras.importers.generations import is_newer, tool_files
from engine.extras.importers.kinds import import_kind
from engine.extras.importers.memories.kinds import MEMORY_KINDS
from engine.extras.importers.memories.placement import KnownMemories
from engine.extras.importers.memories.plan import plan_memories
from engine.extras.importers.originals import ImportedPlace, OriginalKeeper, Originals
from engine.extras.importers.plan import plan_import, sessions_present
from engine.lifecycle.requests import ImportRequest
from engine.plans.planning import Planning, PlanOutcome
from engine.services.open_workspace import OpenWorkspace, disk_errors
from engine.sessions.platforms.rules import names
from engine.state.folder import refuse_inside
from engine.text.safe_text import visible_line
from engine.workspace.values import Finding, FindingKind, Tick


class ExportService:
    """Writes below the folder that the operator names, and only missing files."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened = opened

    def places(self, kind: str) -> tuple[ImportedPlace, ...]:
        """The imported places of this kind. Raises `UsageError` for an unknown kind."""
        name = kind if kind in MEMORY_KINDS else import_kind(kind, *MEMORY_KINDS).name
        with disk_errors("reading what was imported failed"):
            return Originals(self._opened.state.imports).places(name)

    def write(self, kind: str, folder: Path, place: str = "", tick: Tick | None = None) -> Exported:
        """Exports a kind's imports, or a place's. `Refused` in workspace or state; `Conflict` if files differ."""
        places = self.places(kind)
        self._refuse(folder)
        snapshot = self._opened.fresh(look=True, tick=tick)
        # The keys of what the workspace has of a kind: sessions, or memories by their words.
        present = KnownMemories(snapshot, ()).keys if kind in MEMORY_KINDS else sessions_present(snapshot.files)
        choice = choose(places, present, os.path.realpath(place) if place else "")
        with disk_errors("exporting failed"), ExportFolder(folder) as target:
            self._refuse(Path(target.path))  # what was opened, whatever became of its name
            return export(Originals(self._opened.state.imports), choice, target, kind, tick)

    def _refuse(self, folder: Path) -> None:
        """Raises `Refused` for the state folder, and in or around the workspace, where sessions would be memory."""
        real, state = Path(os.path.realpath(folder)), self._opened.state.path.resolve()
        if state == real or state in real.parents or real in state.parents:
            raise Refused("it lies in or around memdeck's state folder", where=str(folder), hint="name another folder")
        here = Path(self._opened.root.identity.path)
        if here == real or here in real.parents:
            raise Refused("it lies in the workspace, where it would be memory", where=str(folder), hint="name another")
        refuse_inside(folder, self._opened.root.identity, "an export")


def plan_any_import(opened: OpenWorkspace, planning: Planning, asked: ImportRequest) -> PlanOutcome:
    """Plans an import of new data. Raises `Refused` for sessions if the transcripts lie outside the workspace."""
    kind, keeper = MEMORY_KINDS.get(asked.kind), None
    if not opened.database.read_only:
        place = os.path.realpath(Path(asked.path).expanduser())
        keeper = OriginalKeeper(Originals(opened.state.imports), asked.kind, place, opened.real_clock())
    if kind is None and opened.root.transcripts is not None:
        where = opened.root.transcripts.path
        raise Refused("sessions cannot be imported: only capture writes to the transcripts outside", where=where)
    with disk_errors("keeping what was imported failed"):
        if kind is not None:
            return plan_memories(planning, asked, kind, opened.records.imported_memories(), keeper)
        return plan_import(planning, asked, keeper)


def newer_findings(imports: Path) -> tuple[Finding, ...]:
    """Names the imports whose tool is newer than our data about it, or wrote unknown lines (G28)."""
    with disk_errors("reading what was imported failed"):
        places = [place for place in Originals(imports).all_places() if place.kind in names()]
    found: list[Finding] = []
    for place in places:
        files = tool_files(place.kind)
        said = [f"{count:,} × {name}" for name, count in sorted(place.unknown.items())]
        if place.newer and is_newer(place.newer, files.version):
            said.insert(0, f"written by version {place.newer}; {files.version} is the newest that memdeck knows")
        if said:
            what = visible_line(f"{files.tool}: {', '.join(said)}")
            fix = "look through its transcripts: turns may be missing; a newer memdeck may know this form"
            found.append(
                Finding(kind=FindingKind.NOTICE, id="newer_tool", where=visible_line(place.place), what=what, fix=fix)
            )
    return tuple(found)
