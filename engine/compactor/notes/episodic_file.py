"""The compiled episodic file: how it is written (compactor §Workflow 2)."""

from datetime import date
from pathlib import PurePosixPath

import msgspec

from engine.models.summary import Summary
from engine.plans.plan import LineOrigin
from engine.text.derived import NONE, derived_line, derived_lines
from engine.text.document import split_lines
from engine.text.frontmatter import write_frontmatter
from engine.workspace.values import FileDate, LineSpan

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
    """The episodic file for a working note, which goes on with the age of its source (decision A7).

    `method` says how it was summarised (decision G9).
    """
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
