"""Working → episodic: a compiled file for each old note, and the note itself to the archive (compactor §Workflow 2)."""

from collections.abc import Iterable
from datetime import date
from pathlib import PurePosixPath

from engine.compactor.limits.risk_tier import MOVE_RISK_TIER
from engine.compactor.notes.episodic_file import compile_note
from engine.compactor.notes.source_note import SourceNote
from engine.models.summary import Summary, remark_on, written_by
from engine.plans.draft import Draft
from engine.plans.plan import Create, Move
from engine.text.derived import derived_lines
from engine.workspace.free_names import FreeNames
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import MemoryTier

FOLDER = "memory/episodic"


def add_compiled(
    draft: Draft,
    snapshot: Snapshot,
    pairs: Iterable[tuple[SourceNote, Summary]],
    names: FreeNames,
    today: date,
    method: str,
) -> None:
    """Adds, for each note, the file that sums it up and its move to the archive, which needs the former."""
    earlier = _compiled_before(snapshot)
    for source, summary in pairs:
        episodic = names.free(FOLDER, PurePosixPath(source.path).stem)
        archived = names.archived(source.path, today)
        by = written_by(summary, method)
        compiled = compile_note(source.path, archived, source.file.facts.date, today, summary, by)
        number = draft.add(
            Create(
                n=draft.next_number,
                path=episodic,
                risk_tier=MOVE_RISK_TIER,
                reason=f"{source.file.age} days old: compiled from {source.path}",
                content=compiled.content,
                sources=(source.whole,),
                origins=compiled.origins,
                dropped=tuple(derived_lines([*source.left_out, *summary.dropped])),
                warnings=(*source.warnings, *_remarks(source, summary, episodic, earlier)),
            )
        )
        draft.add(
            Move(
                n=draft.next_number,
                path=source.path,
                to=archived,
                risk_tier=MOVE_RISK_TIER,
                reason=f"the whole note, kept unchanged; {episodic} sums it up",
                sources=(source.whole,),
                requires=(number,),
            )
        )


def _remarks(source: SourceNote, summary: Summary, episodic: str, earlier: dict[str, str]) -> list[str]:
    found = [remark] if (remark := remark_on(summary)) else []
    if not (summary.events or summary.decisions or summary.insights):
        found.append("nothing to summarise: the note holds no sentence")
    if PurePosixPath(episodic).name != PurePosixPath(source.path).name:
        found.append(f"{FOLDER}/{PurePosixPath(source.path).name} is taken: written as {PurePosixPath(episodic).name}")
    if source.path in earlier:
        found.append(f"{earlier[source.path]} was compiled from a note of this name before")
    return found


def _compiled_before(snapshot: Snapshot) -> dict[str, str]:
    """Maps each working note to the episodic file that names it as its source."""
    pairs = ((facts.frontmatter.get("source"), facts.path) for facts in snapshot.tier(MemoryTier.EPISODIC))
    return {source: path for source, path in pairs if isinstance(source, str)}
