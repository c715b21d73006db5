"""Working → episodic: a compiled file for each old note, and the note itself to the archive (compactor §Workflow 2)."""

from collections.abc import Iterable
from datetime import date
from pathlib import PurePosixPath

import msgspec

from engine.compactor.limits.evaluation import MOVE_RISK_TIER
from engine.compactor.notes.source_note import SourceNote
from engine.models.summary import Summary, remark_on, written_by
from engine.plans.draft import Draft
from engine.plans.plan import Create, LineOrigin, Move
from engine.text.derived import NONE, derived_line, derived_lines
from engine.text.document import split_lines
from engine.text.frontmatter import write_frontmatter
from engine.workspace.free_names import FreeNames
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import FileDate, LineSpan, MemoryTier

MOST_POINTS = 5
"""Bullets of a summary (compactor §Summarize Working → Episodic: 3–5)."""
NOTHING = "(nothing to summarise)"


class Compiled(msgspec.Struct, frozen=True):
    """A compiled note: the file's whole text, and the source of each of its bullets."""

    content: str
    origins: tuple[LineOrigin, ...]


def compile_note(
    source: str, archived_as: str, own_date: FileDate, today: date, summary: Summary, method: str
) -> Compiled:
    """The episodic file for a working note, which goes on with the age of its source (decision A7). `method` says how
    it was summarised (decision G9)."""
    values: dict[str, str | list[str]] = {
        "source-date": own_date.day.isoformat(),
        "source": source,
        "archived-as": archived_as,
        "compiled": today.isoformat(),
        "summary": method,
    }
    if own_date.low_confidence:
        values["date-confidence"] = "low"
    lines = split_lines(write_frontmatter(values))
    lines.append(f"# Compiled: {derived_line(PurePosixPath(source).name)}")
    origins: list[LineOrigin] = []
    for heading, points, empty in (
        ("Summary", summary.events[:MOST_POINTS], NONE if _has_more(summary) else NOTHING),
        ("Decisions", summary.decisions, NONE),
        ("Extracted Insights", summary.insights, NONE),
        *((("Facts", summary.facts, NONE),) if summary.facts else ()),
    ):
        lines.append(f"## {heading}")
        for point, text in zip(points, derived_lines([point.text for point in points]), strict=True):
            lines.append(f"- {text}")
            origins.append(LineOrigin(len(lines), LineSpan(source, point.start, point.end)))
        if not points:
            lines.append(empty)
    return Compiled("\n".join(lines) + "\n", tuple(origins))


def _has_more(summary: Summary) -> bool:
    return bool(summary.decisions or summary.insights or summary.facts)


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
