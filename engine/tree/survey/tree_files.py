"""Sorts the files of the tree's folders into raw logs and nodes by period (decision C21)."""

from collections.abc import Sequence
from datetime import date
from functools import cached_property

import msgspec

from engine.tree import calendar
from engine.tree.levels import LEVELS, NodeLevel, node_place
from engine.tree.source_references import raw_day
from engine.workspace.dates import week_of
from engine.workspace.layout import is_raw_log
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Skipped


class TreeFiles(msgspec.Struct, frozen=True, dict=True):
    """The files in the folders of the tree. `raws` and `unreadable` are by day, sorted, the plain name first (C21)."""

    raws: dict[date, tuple[str, ...]]
    unreadable: dict[date, tuple[str, ...]]
    nodes: dict[NodeLevel, frozenset[str]]
    quarantined: tuple[Skipped, ...]

    @cached_property
    def periods(self) -> dict[NodeLevel, tuple[str, ...]]:
        """Every period that has a node or something to make one from, oldest first."""
        days = {day.isoformat() for day in (*self.raws, *self.unreadable)} | self.nodes[NodeLevel.DAILY]
        # Each level has the periods that the one below leads to: a node's children may all be gone.
        weeks = {week_of(date.fromisoformat(day)) for day in days} | self.nodes[NodeLevel.WEEKLY]
        months = {calendar.month_of_week(week) for week in weeks} | self.nodes[NodeLevel.MONTHLY]
        return {
            NodeLevel.DAILY: tuple(sorted(days)),
            NodeLevel.WEEKLY: tuple(sorted(weeks)),
            NodeLevel.MONTHLY: tuple(sorted(months)),
        }

    @cached_property
    def weeks_of_month(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for week in self.periods[NodeLevel.WEEKLY]:
            found.setdefault(calendar.month_of_week(week), []).append(week)
        return {month: tuple(weeks) for month, weeks in found.items()}


def sorted_files(snapshot: Snapshot) -> TreeFiles:
    """Sorts the paths of a snapshot into raw logs, nodes, and what cannot belong anywhere."""
    raws: dict[date, list[str]] = {}
    unreadable: dict[date, list[str]] = {}
    nodes: dict[NodeLevel, set[str]] = {level: set() for level in LEVELS}
    quarantined: list[Skipped] = []
    for path in snapshot.files:
        if path.startswith("memory/"):
            reason = _sort(path, raws, nodes)
            if reason:
                quarantined.append(Skipped(path, reason))
    # A log that could not be read still stands for its day: its node waits, and is not an orphan (decision C19).
    for item in snapshot.skipped:
        day = raw_day(item.path) if is_raw_log(item.path) else None
        if day is not None:
            unreadable.setdefault(day, []).append(item.path)
    return TreeFiles(
        {day: _plain_first(paths) for day, paths in raws.items()},
        {day: _plain_first(paths) for day, paths in unreadable.items()},
        {level: frozenset(periods) for level, periods in nodes.items()},
        tuple(quarantined),
    )


def _sort(path: str, raws: dict[date, list[str]], nodes: dict[NodeLevel, set[str]]) -> str | None:
    """Files one path; the reason where its date does not exist (decision C21)."""
    # `memory/` has 7 characters: what follows with four digits is a raw log or a mistaken one.
    if path[7:11].isdigit():
        if not is_raw_log(path):
            return None
        day = raw_day(path)
        if day is None:
            return f"the date {path[7:17]} does not exist"
        raws.setdefault(day, []).append(path)
        return None
    place = node_place(path)
    if place is None or place[0] is NodeLevel.ROOT:
        return None
    if not calendar.is_period(*place):
        return f"there is no {place[1]}"
    nodes[place[0]].add(place[1])
    return None


def _plain_first(paths: Sequence[str]) -> tuple[str, ...]:
    # Topics and the order of entries follow it: the plain log of a day before its `-slug` leaves (decision C21).
    return tuple(sorted(paths, key=lambda path: (len(path) > len("memory/0000-00-00.md"), path)))
