"""A prepared workspace whose appends count as semantic entries, to be worded anew."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from engine.compactor.notes.left_out import LeftOutLine
from engine.compactor.semantic.entry import KnownTitle
from engine.compactor.semantic.entry_edit import PlannedEntry, routed
from engine.compactor.semantic.pollution import Duplicate, TitleIndex
from engine.compactor.semantic.side_by_side import SideBySide
from engine.plans.memory_status import Status
from engine.plans.plan import Append, Plan
from engine.plans.planning import PlanOutcome
from tests.prepared import Told

OMITTED = tuple(
    LeftOutLine(path="memory/working/a.md", line=line, reason=reason, text=text)
    for line, reason, text in (
        (3, "routine heartbeat line", "08:00 heartbeat: ok"),
        (9, "progress line", "Processed 3/7 files"),
    )
)
"""Two lines of one note that no summary has."""


class Entries(Told):
    """Appends count as entries, and one title is in semantic memory already; `reworded` is what was made again."""

    def __init__(self, plans: Sequence[Plan] = (), status: Status | None = None, base: Path | None = None) -> None:
        super().__init__(plans, status, base)
        self.offers: tuple[PlannedEntry, ...] = ()
        self.reworded: list[tuple[str, dict[int, str], dict[int | str, str]]] = []
        self.stub.answers("entries.of_plan", self.of_plan)
        self.stub.answers("entries.similar_titles", _like)
        self.stub.answers("entries.reword", self._reword)

    def of_plan(self, plan: Plan) -> tuple[PlannedEntry, ...]:
        appends = [change for change in plan.changes if isinstance(change, Append)]
        entries = tuple(
            PlannedEntry(
                number=number,
                change=change.n,
                title="Drain queues before a migration",
                source="memory/episodic/2026-02-01-migration.md",
                shard=change.path,
                text=change.content.strip(),
                waits=None,
            )
            for number, change in enumerate(appends, 1)
        )
        return (*entries, *self.offers)

    def _reword(self, plan_id: str, edits: Mapping[int, str] = {}, routes: Mapping[int | str, str] = {}) -> PlanOutcome:
        """The plan again under the next number, its appends in other words or another shard."""
        self.reworded.append((plan_id, dict(edits), dict(routes)))
        old = self.plan(plan_id)
        paths = routed(routes, {entry.number: entry.title for entry in self.of_plan(old)})
        changes = tuple(
            msgspec.structs.replace(
                change, content=f"\n{edits.get(change.n, change.content)}\n", path=paths.get(change.n, change.path)
            )
            if isinstance(change, Append)
            else change
            for change in old.changes
        )
        return PlanOutcome(plan=self.add(msgspec.structs.replace(old, id="p-20260315-0101", changes=changes)))


_KNOWN = KnownTitle(title="Drain queues before any migration", path="memory/semantic/openclaw.md", line=34)


def _like(text: str) -> tuple[Duplicate, ...]:
    return TitleIndex([_KNOWN]).duplicates(text.partition("Title:")[2].partition("\n")[0].strip())


def repeated(plan: Plan, change: int | None = None) -> tuple[SideBySide, ...]:
    """Every append repeats the same entry."""
    return tuple(
        SideBySide(
            change=one.n,
            title="Drain queues before a migration",
            text=one.content.strip(),
            other_title=_KNOWN.title,
            other_path=_KNOWN.path,
            other_line=_KNOWN.line,
            other_text="Title: Drain queues before any migration\nContext: March.\nDurable Insight: Drain first.",
            percent=93,
        )
        for one in plan.changes
        if isinstance(one, Append) and change in (None, one.n)
    )
