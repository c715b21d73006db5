"""The last cycle that found nothing to do: its answer holds until something that it was made from is otherwise."""

from collections.abc import Callable

import msgspec

from engine.errors import MemdeckError
from engine.plans.planning import Planning, PlanOutcome
from engine.text.canonical_json import sha256_hex
from engine.tree.cycle.options import TreeRequest
from engine.tree.survey.records import TreeRecords
from engine.workspace.snapshot import Snapshot


def made_from(planning: Planning, records: TreeRecords, options: TreeRequest) -> tuple[object, ...]:
    """All that an idle cycle's answer depends on; the day is part of it, since a period may be over by now (C12). It
    has the facts of every file: those that did not change are the same objects, told apart at once."""
    seen = planning.snapshot
    clock = (planning.today, planning.simulated_clock)
    return (clock, planning.policy, options, seen.tokenizer, seen.skipped, seen.files, records)


class LastIdle:
    """Remembers one idle cycle. With ten years of logs, judging them all takes most of its time (90 of 155 ms)."""

    def __init__(self) -> None:
        self._last: tuple[tuple[object, ...], PlanOutcome] | None = None

    def outcome(
        self, key: tuple[object, ...], planning: Planning, cycle: Callable[[Planning], PlanOutcome]
    ) -> PlanOutcome:
        """Calls `cycle`, or gives its last answer again where it was to do nothing and `key` (`made_from`) is the same.
        An answer for which a file could not be read is not kept: the next cycle tries again."""
        last = self._last
        if last is not None and last[0] == key:
            return last[1]
        reads = _Reads(planning.snapshot)
        seen = msgspec.structs.replace(planning.snapshot, reader=reads)
        outcome = cycle(msgspec.structs.replace(planning, snapshot=seen))
        self._last = (key, outcome) if outcome.plan is None and not reads.failed else None
        return outcome


class _Reads:
    """Reads for a snapshot and notices whether a file could not be read, or is no longer what the snapshot saw."""

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
