"""Sorts the files in the tree's folders into raw logs and nodes by period (decision C21)."""

from datetime import date
from functools import cached_property

import msgspec

from engine.tree.levels import LEVELS, NodeLevel, is_period, month_of_week, node_place
from engine.tree.source_references import raw_day
from engine.workspace.dates import week_of
from engine.workspace.layout import is_raw_log
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Skipped


class TreeFiles(msgspec.Struct, frozen=True, dict=True):
    """The files of the tree. `raws` and `unreadable`: paths by day, sorted, the plain name first (C21)."""

    raws: dict[date, tuple[str, ...]]
    unreadable: dict[date, tuple[str, ...]]
    nodes: dict[NodeLevel, frozenset[str]]
    quarantined: tuple[Skipped, ...]

    @cached_property
    def periods(self) -> dict[NodeLevel, tuple[str, ...]]:
        """Every period that has a node or sources, oldest first."""
        days = {day.isoformat() for day in (*self.raws, *self.unreadable)} | self.nodes[NodeLevel.DAILY]
        # Each level has the periods that the one below leads to: a node's children may all be gone.
        weeks = {week_of(date.fromisoformat(day)) for day in days} | self.nodes[NodeLevel.WEEKLY]
        months = {month_of_week(week) for week in weeks} | self.nodes[NodeLevel.MONTHLY]
        return {level: tuple(sorted(periods)) for level, periods in zip(LEVELS, (days, weeks, months), strict=True)}

    @cached_property
    def weeks_of_month(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for week in self.periods[NodeLevel.WEEKLY]:
            found.setdefault(month_of_week(week), []).append(week)
        return {month: tuple(weeks) for month, weeks in found.items()}


def sorted_files(snapshot: Snapshot) -> TreeFiles:
    """Sorts the paths of a snapshot into raw logs, nodes, and files with an invalid date."""
    raws: dict[date, list[str]] = {}
    unreadable: dict[date, list[str]] = {}
    nodes: dict[NodeLevel, set[str]] = {level: set() for level in LEVELS}
    inside = (path for path in snapshot.files if path.startswith("memory/"))
    filed = ((path, _sort(path, raws, nodes)) for path in inside)
    quarantined = tuple(Skipped(path, reason) for path, reason in filed if reason)
    # A log that could not be read still stands for its day: its node waits, and is not an orphan (decision C19).
    for item in snapshot.skipped:
        day = raw_day(item.path) if is_raw_log(item.path) else None
        if day is not None:
            unreadable.setdefault(day, []).append(item.path)
    fixed = {level: frozenset(periods) for level, periods in nodes.items()}
    return TreeFiles(_plain_first(raws), _plain_first(unreadable), fixed, quarantined)


def _sort(path: str, raws: dict[date, list[str]], nodes: dict[NodeLevel, set[str]]) -> str:
    """Files one path; returns the reason if its date does not exist, else nothing (decision C21)."""
    # `memory/` has 7 characters: what follows with four digits is a raw log or a mistaken one.
    if path[7:11].isdigit():
        day = raw_day(path)
        if is_raw_log(path) and day is not None:
            raws.setdefault(day, []).append(path)
        return f"the date {path[7:17]} does not exist" if is_raw_log(path) and day is None else ""
    place = node_place(path)
    if place is None or place[0] is NodeLevel.ROOT:
        return ""
    if not is_period(*place):
        return f"there is no {place[1]}"
    nodes[place[0]].add(place[1])
    return ""


def _plain_first(by_day: dict[date, list[str]]) -> dict[date, tuple[str, ...]]:
    # Topics and the order of entries follow it: the plain log of a day before its `-slug` leaves (decision C21).
    plain = len("memory/0000-00-00.md")
    return {day: tuple(sorted(paths, key=lambda path: (len(path) > plain, path))) for day, paths in by_day.items()}
