"""A workspace's pipeline: the counts of each stage, and what is due (autopoiesis §8.1)."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import date, datetime, timedelta, tzinfo

import msgspec

from engine.lifecycle.condense.journal import listed_sessions
from engine.plans.plan import PlanState, QueueEntry
from engine.workspace.dates import parse_day, transcript_day
from engine.workspace.layout import MEMORY_MD_PATHS, is_archived
from engine.workspace.values import FileFacts

STAGES = ("capture", "extract", "condense", "prune", "distill", "archive", "replay")
"""The stages in order; all but capture are systems that can plan."""
_JOURNAL = re.compile(r"knowledge/journal/(\d{4}-\d\d-\d\d)\.md")
FLOW_DAYS = 28  # days of a flow: four weeks, of which the screen's rows show the last one
Days = Counter[date | None]  # things by their day, None where nobody knows it


class StageFlow(msgspec.Struct, frozen=True, kw_only=True):
    """A stage's items per day for the last `FLOW_DAYS` days, today last: those that passed `through` it and those
    `waiting`. `all_through`, `all_waiting` and `oldest` include earlier days."""

    through: tuple[int, ...]
    waiting: tuple[int, ...]
    all_through: int
    all_waiting: int
    oldest: date | None  # the day of the oldest that waits


def flow(through: Days, waiting: Days, today: date) -> StageFlow:
    """Counts the passed and waiting items per day."""
    days = [today - timedelta(days=back) for back in reversed(range(FLOW_DAYS))]
    return StageFlow(
        through=tuple(through[day] for day in days),
        waiting=tuple(waiting[day] for day in days),
        all_through=through.total(),
        all_waiting=waiting.total(),
        oldest=min((day for day in waiting if day is not None), default=None),
    )


class Pipeline(msgspec.Struct, frozen=True, kw_only=True):
    """The stages' state from files and queue. `waiting` is each system's newest open plan, `last` its newest plan or
    run. `flows` count sessions, transcripts, days (condense), and otherwise changes of plans."""

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
    flows: Mapping[str, StageFlow]


def pipeline(
    files: Mapping[str, FileFacts],
    closed: Collection[str],
    opened: Collection[date | None],
    entries: Iterable[QueueEntry],
    runs: Mapping[str, datetime],
    zone: tzinfo,
    today: date,
) -> Pipeline:
    """Counts the pipeline. `opened` are the first days of open transcripts, `runs` the newest runs without a plan."""
    last, waiting = dict(runs), dict[str, str]()
    applied, pending = ({name: Days() for name in STAGES} for _ in range(2))
    for entry in sorted(entries, key=lambda queued: queued.made_at):
        # A plan of a supposed instant says nothing of the real pipeline.
        if entry.simulated_clock:
            continue
        last[entry.system] = max(entry.made_at, last.get(entry.system, entry.made_at))
        if entry.state is PlanState.PENDING:
            waiting[entry.system] = entry.id
        if entry.system in STAGES and entry.state in (PlanState.PENDING, PlanState.APPLIED):
            changes, at = (pending, entry.made_at) if entry.state is PlanState.PENDING else (applied, entry.state_since)
            changes[entry.system][at.astimezone(zone).date()] += entry.changes
    days = {path: transcript_day(path) for path in closed}
    sessions = {path: str(files[path].frontmatter.get("session_id", "")) if path in files else "" for path in days}
    read_on = last["extract"].astimezone(zone).date() if "extract" in last else date.min
    journals = {path: parse_day(name[1]) for path in files if (name := _JOURNAL.fullmatch(path)) is not None}
    told = frozenset().union(*(listed_sessions(files[path].frontmatter) for path in journals))
    memory = next((path for path in MEMORY_MD_PATHS if path in files), "")
    # A transcript may have been closed later on the day of the last extraction.
    unread = Days(day for day in days.values() if day is None or day >= read_on)
    untold = {day for path, day in days.items() if day is not None and sessions[path] not in told}
    flows = {name: flow(applied[name], pending[name], today) for name in STAGES}
    flows["capture"] = flow(Days(days.values()), Days(opened), today)
    flows["extract"] = flow(Days(days.values()) - unread, unread, today)
    flows["condense"] = flow(Days(journals.values()) - Days(untold), Days(untold), today)
    return Pipeline(
        open=len(opened),
        closed=len(closed),
        since_extraction=unread.total(),
        journals=len(journals),
        days_to_condense=len(untold),
        memory_lines=files[memory].lines if memory else None,
        reviewed=sum(path.startswith(("knowledge/projects/", "knowledge/people/")) for path in files),
        archived=sum(is_archived(path) for path in files),
        waiting=waiting,
        last=last,
        flows=flows,
    )
