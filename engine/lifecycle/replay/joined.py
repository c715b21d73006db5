"""Joins a replay and its weeks' rollups into one plan, by which alone the branch enters memory (§10.4, D47)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from engine.plans.plan import Create, LineOrigin, Plan, QualityGate, Replace, RiskTier
from engine.plans.planning import Draft, Planning, PlanOutcome
from engine.workspace.layout import MEMORY_MD_PATHS
from engine.workspace.values import LineSpan


class ReplayedWeek(msgspec.Struct, frozen=True):
    """The rollup of one ISO week after the replay: its name and its plan."""

    name: str
    outcome: PlanOutcome

    @property
    def added(self) -> int:
        """The number of entries that it adds to MEMORY.md."""
        return len(self.outcome.facts["ids"]["all"])

    @property
    def left_out(self) -> int:
        """The number of entries for which MEMORY.md has no room."""
        return int(self.outcome.facts["left_out"])


class ReplayRecord(msgspec.Struct, frozen=True):
    """The place of a replay: branch and newest commit, both empty for a copy, and folder."""

    folder: str
    branch: str = ""
    commit: str = ""
    remarks: tuple[str, ...] = ()
    same: bool = True  # tells whether the files there are those that the plan writes, byte for byte


def joined_plan(
    planning: Planning,
    replayed: PlanOutcome,
    weeks: Sequence[ReplayedWeek],
    after: Mapping[str, bytes],
    record: ReplayRecord,
) -> PlanOutcome:
    """Gives one plan of tier C with all changes of the replay and its weeks. `after` has the files' final bytes."""
    plans = [plan for plan in (replayed.plan, *(week.outcome.plan for week in weeks)) if plan is not None]
    draft = Draft(planning)
    for one in plans:
        for item in one.inputs:
            if item.sha256 is not None and item.path not in after:
                draft.read(item.path)
    numbers: dict[str, int] = {}
    for path in sorted(after, key=lambda one: (one in MEMORY_MD_PATHS, one)):  # its sources come before MEMORY.md
        numbers[path] = _change(draft, plans, path, after[path], numbers, there=path in planning.snapshot.files)
    facts = _facts(replayed, weeks, numbers, record)
    return draft.outcome(
        "replay",
        replayed.reason_no_action or "",
        trigger=replayed.plan.trigger if replayed.plan is not None else str(facts["extractor"]),
        gates=_gates(replayed.plan, weeks, record),
        warnings=_warnings(replayed.plan, weeks, record),
        report=_report(replayed, weeks, record),
        facts=facts,
        model=plans[0].model if plans else None,
    )


def _change(
    draft: Draft, plans: Sequence[Plan], path: str, data: bytes, numbers: Mapping[str, int], *, there: bool
) -> int:
    text = data.decode("utf-8", "surrogateescape")
    origins = tuple(_origins(plans, path, text))
    reason = "; ".join(dict.fromkeys(change.reason for change in _written(plans, path)))
    needed = sorted({numbers[origin.source.path] for origin in origins if origin.source.path in numbers})
    kind = Replace if there else Create
    return draft.write(kind, path, text, reason, RiskTier.C, origins=origins, requires=needed)


def _written(plans: Sequence[Plan], path: str) -> Iterator[Create | Replace]:
    for plan in plans:
        yield from (change for change in plan.changes if isinstance(change, Create | Replace) and change.path == path)


def _origins(plans: Sequence[Plan], path: str, text: str) -> Iterator[LineOrigin]:
    """Yields the final origins of lines, because a later week may have moved lines of an earlier one."""
    known: dict[str, LineSpan] = {}
    for change in _written(plans, path):
        lines = change.content.split("\n")
        known |= {lines[origin.line - 1]: origin.source for origin in change.origins}
    for number, line in enumerate(text.split("\n"), 1):
        if line in known:
            yield LineOrigin(line=number, source=known.pop(line))


def _facts(
    replayed: PlanOutcome, weeks: Sequence[ReplayedWeek], numbers: Mapping[str, int], record: ReplayRecord
) -> dict[str, Any]:
    ids = dict(replayed.facts.get("ids", {}))
    paths = {str(change.n): change.path for change in replayed.plan.changes} if replayed.plan is not None else {}
    return {
        **replayed.facts,
        "ids": {str(numbers[paths[n]]): found for n, found in ids.items() if paths.get(n) in numbers},
        "condensed": [ident for week in weeks for ident in week.outcome.facts["ids"]["all"]],
        "weeks": {week.name: {"added": week.added, "left_out": week.left_out} for week in weeks},
        "record": {"branch": record.branch, "commit": record.commit, "folder": record.folder},
    }


def _gates(plan: Plan | None, weeks: Sequence[ReplayedWeek], record: ReplayRecord) -> Iterator[QualityGate]:
    yield from plan.gates if plan is not None else ()
    passed = [gate for week in weeks if week.outcome.plan for gate in week.outcome.plan.gates if gate.id != "loss"]
    failed = next((gate for gate in passed if not gate.passed), None)
    said = f"{len(weeks):,} weeks rolled up, {sum(week.added for week in weeks):,} entries added"
    yield QualityGate("weeks", failed is None, failed.detail if failed is not None else said)
    where = record.branch or record.folder
    yield QualityGate(
        "record", record.same, f"{where} holds " + ("what this plan writes" if record.same else "other bytes")
    )


def _warnings(plan: Plan | None, weeks: Sequence[ReplayedWeek], record: ReplayRecord) -> Iterator[str]:
    yield from plan.warnings if plan is not None else ()
    yield from record.remarks
    if left := sum(week.left_out for week in weeks):
        yield f"MEMORY.md has no room for {left:,} entries of its weeks: memdeck plan prune"


def _report(replayed: PlanOutcome, weeks: Sequence[ReplayedWeek], record: ReplayRecord) -> str:
    where = f"{record.branch} at {record.commit[:12]}, " if record.branch else ""
    rows = [f"  {week.name}: {week.added:,} added, {week.left_out:,} omitted" for week in weeks if week.added]
    said = (f"kept on {where}in {record.folder}", f"weeks rolled up: {len(weeks):,}", *rows)
    return replayed.report + "\n".join(said) + "\n"
