"""The weekly loop in memory: each week's notes come, a compaction is planned, and every plan is approved."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta

from engine.compactor.options import CompactorHistory
from engine.compactor.plan import plan_compaction
from engine.models.extractive import ExtractiveSummariser
from engine.plans.plan import Append, Create, Move, Plan, Replace
from engine.plans.planning import Planning, PlanOutcome
from engine.plans.policy.values import Policy
from engine.text.canonical_json import sha256_hex
from engine.text.document import decode
from engine.text.tokens import counter
from engine.workspace.unscanned import snapshot_of
from engine.workspace.values import Capability

TOKENS = counter("o200k_base")
WORKING = "memory/working"
_COMPACTOR = frozenset({Capability.COMPACTOR})
_AFTER = 12
"""Weeks after the last note: an episodic file is 30 days old before it is reviewed."""


def run(days: Mapping[date, str]) -> dict[str, str]:
    """The text of every file once all notes are old: working notes became episodic files, those semantic entries."""
    files: dict[str, bytes] = {}
    history = CompactorHistory(applied=True)
    for week in _weeks(sorted(days)):
        now = datetime.combine(week, datetime.min.time(), UTC) + timedelta(hours=3)
        files |= {
            f"{WORKING}/{day}.md": text.encode() for day, text in days.items() if week - timedelta(days=7) <= day < week
        }
        # A sharding is approved first, so that the week's entries find room.
        for sharding in _outcome(files, now, history).also:
            _approve(files, sharding)
        plan = _outcome(files, now, history).plan
        if plan is not None:
            _approve(files, plan)
    return {path: decode(data) for path, data in files.items()}


def _weeks(days: Sequence[date]) -> Iterator[date]:
    """The Sundays from the first note's week on, and some more."""
    week = days[0] + timedelta(days=6 - days[0].weekday())
    while week <= days[-1] + timedelta(weeks=_AFTER):
        yield week
        week += timedelta(weeks=1)


def _outcome(files: Mapping[str, bytes], now: datetime, history: CompactorHistory) -> PlanOutcome:
    planning = Planning(
        snapshot=snapshot_of(files, now, TOKENS, capabilities=_COMPACTOR, undated=lambda _: now.date()),
        policy=Policy(),
        now=now,
        counter=TOKENS,
    )
    return plan_compaction(planning, summariser=ExtractiveSummariser(), history=history)


def _approve(files: dict[str, bytes], plan: Plan) -> None:
    """Does to `files` what the plan says; a plan whose input changed meanwhile is left."""
    for given in plan.inputs:
        if (sha256_hex(files[given.path]) if given.path in files else None) != given.sha256:
            return
    for change in plan.changes:
        match change:
            case Create() | Replace():
                files[change.path] = change.content.encode()
            case Append():
                files[change.path] += change.content.encode()
            case Move():
                files[change.to] = files.pop(change.path)
