"""Remembers the last cycle that found nothing to do, and repeats its answer until an input changes."""

from collections.abc import Callable
from typing import Annotated

import msgspec

from engine.errors import MemdeckError, UsageError
from engine.plans.planning import Planning, PlanOutcome
from engine.plans.system_request import SystemRequest, option
from engine.text.canonical_json import sha256_hex
from engine.tree.levels import LEVELS, NodeLevel, is_period, node_path, node_place
from engine.tree.survey.records import TreeRecords
from engine.workspace.snapshot import Snapshot


class TreeRequest(SystemRequest, frozen=True, kw_only=True):
    """Options of a cycle. `take`: nodes to use although their claims about their sources do not hold."""

    drain: Annotated[bool, option("Several cycles in one plan, until nothing waits.")] = False
    reopen: Annotated[tuple[str, ...], option("Rebuild a fixed node (risk tier C), by path or period.", "NODE")] = ()
    take: Annotated[tuple[str, ...], option("Use this node all the same, by path or period.", "NODE")] = ()
    take_flagged: Annotated[bool, option("Let flagged lines into ROOT.")] = False

    @property
    def by_path(self) -> "TreeRequest":
        """The same options, with paths for `reopen` and `take`."""
        reopen, take = tuple(map(path_of, self.reopen)), tuple(map(path_of, self.take))
        return msgspec.structs.replace(self, reopen=reopen, take=take)


def path_of(text: str) -> str:
    """Returns the path of a node given by path or period (`2026-03-15`, `2026-W11`, `2026-03`, `root`)."""
    place = node_place(text)
    if place is not None and is_period(*place):
        return text
    if text.casefold() in ("", "root", "root.md"):
        return node_path(NodeLevel.ROOT, "")
    for level in LEVELS:
        if is_period(level, text):
            return node_path(level, text)
    raise UsageError("no such node", where=text, hint="a path, a day (2026-03-15), a week (2026-W11), a month or root")


def made_from(planning: Planning, records: TreeRecords, options: TreeRequest) -> tuple[object, ...]:
    """Returns all inputs of a cycle, to be compared, with the day: a period may have ended (C12)."""
    seen = planning.snapshot
    clock = (planning.today, planning.simulated_clock)
    return (clock, planning.policy, options, seen.tokenizer, seen.skipped, seen.files, records)


class LastIdle:
    """Remembers one idle cycle. Examining ten years of logs takes most of a cycle's time (90 of 155 ms)."""

    def __init__(self) -> None:
        self._last: tuple[tuple[object, ...], PlanOutcome] | None = None

    def outcome(
        self, key: tuple[object, ...], planning: Planning, cycle: Callable[[Planning], PlanOutcome]
    ) -> PlanOutcome:
        """Returns the last "nothing to do" for an equal `key`; else runs `cycle`. Forgets one with unread files."""
        last = self._last
        if last is not None and last[0] == key:
            return last[1]
        reads = _Reads(planning.snapshot)
        seen = msgspec.structs.replace(planning.snapshot, reader=reads)
        outcome = cycle(msgspec.structs.replace(planning, snapshot=seen))
        self._last = (key, outcome) if outcome.plan is None and not reads.failed else None
        return outcome


class _Reads:
    """Reads files for a snapshot, and notes whether one could not be read or has changed since the snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.failed = False

    def __call__(self, path: str) -> bytes:
        try:
            data = self._snapshot.reader(path)
        except MemdeckError:
            self.failed = True
            raise
        self.failed = self.failed or sha256_hex(data) != self._snapshot.files[path].sha256
        return data
