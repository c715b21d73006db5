"""Plans an import of sessions or of memories, and keeps what it reads."""

from engine.errors import Refused
from engine.extras.importers.export_service import original_keeper
from engine.extras.importers.memories.kinds import MEMORY_KINDS
from engine.extras.importers.memories.plan import plan_memories
from engine.extras.importers.plan import plan_import
from engine.lifecycle.import_request import ImportRequest
from engine.plans.planning import Planning
from engine.plans.status import PlanOutcome
from engine.services.open_workspace import OpenWorkspace, disk_errors


def plan_any_import(opened: OpenWorkspace, planning: Planning, asked: ImportRequest) -> PlanOutcome:
    """Plans what is new of a place; `Refused` for sessions where the transcripts lie outside the workspace."""
    kind, keeper = MEMORY_KINDS.get(asked.kind), original_keeper(opened, asked)
    if kind is None and opened.root.transcripts is not None:
        where = opened.root.transcripts.path
        raise Refused("sessions cannot be imported: only capture writes to the transcripts outside", where=where)
    with disk_errors("keeping what was imported failed"):
        if kind is not None:
            return plan_memories(planning, asked, kind, opened.records.imported_memories(), keeper)
        return plan_import(planning, asked, keeper)
