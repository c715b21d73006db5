"""The pipeline of a workspace: what stands at each stage, and what is due there (autopoiesis §8.1)."""

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import date, datetime, tzinfo

import msgspec

from engine.lifecycle.condense.journal import listed_sessions
from engine.plans.plan import PlanState, QueueEntry
from engine.workspace.dates import transcript_day
from engine.workspace.layout import MEMORY_MD_PATHS, is_archived
from engine.workspace.values import FileFacts

STAGES = ("capture", "extract", "condense", "prune", "distill", "archive", "replay")
"""In the order in which what was said goes through them; all but capture are systems that can be planned."""
_JOURNAL = re.compile(r"knowledge/journal/(\d{4}-\d\d-\d\d)\.md")


class Pipeline(msgspec.Struct, frozen=True, kw_only=True):
    """The stages as files and queue tell of them. `waiting` is by system the newest plan that waits, `last` when the
    newest plan or run without one was made."""

    open: int
    closed: int
    since_extraction: int  # closed transcripts of the day of the last extraction, or later; all where there was none
    journals: int
    days_to_condense: int  # days with a closed transcript that no journal tells of (decision D27)
    memory_lines: int | None
    reviewed: int  # files of projects and people, which the monthly distillation looks at (decision D35)
    archived: int
    waiting: Mapping[str, str]
    last: Mapping[str, datetime]


def pipeline(
    files: Mapping[str, FileFacts],
    closed: Collection[str],
    opened: int,
    entries: Iterable[QueueEntry],
    runs: Mapping[str, datetime],
    zone: tzinfo,
) -> Pipeline:
    """Counts it. `closed` are the paths of closed transcripts, `runs` the newest runs without a plan by system."""
    last, waiting = dict(runs), dict[str, str]()
    for entry in sorted(entries, key=lambda one: one.made_at):
        if entry.simulated_clock:
            continue
        last[entry.system] = max(entry.made_at, last.get(entry.system, entry.made_at))
        if entry.state is PlanState.PENDING:
            waiting[entry.system] = entry.id
    days = {path: transcript_day(path) for path in closed}
    sessions = {path: str(files[path].frontmatter.get("session_id", "")) if path in files else "" for path in days}
    read_on = last["extract"].astimezone(zone).date() if "extract" in last else date.min
    journals = [facts for path, facts in files.items() if _JOURNAL.fullmatch(path) is not None]
    told = frozenset().union(*(listed_sessions(journal.frontmatter) for journal in journals))
    memory = next((path for path in MEMORY_MD_PATHS if path in files), "")
    return Pipeline(
        open=opened,
        closed=len(closed),
        since_extraction=sum(day is None or day >= read_on for day in days.values()),
        journals=len(journals),
        days_to_condense=len({day for path, day in days.items() if day is not None and sessions[path] not in told}),
        memory_lines=files[memory].lines if memory else None,
        reviewed=sum(path.startswith(("knowledge/projects/", "knowledge/people/")) for path in files),
        archived=sum(is_archived(path) for path in files),
        waiting=waiting,
        last=last,
    )
