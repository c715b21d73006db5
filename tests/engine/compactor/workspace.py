"""A workspace in memory for tests of the planner: files by path, read like the real ones, without a disk."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta

from engine.compactor.options import CompactorHistory, CompactRequest
from engine.compactor.plan import plan_compaction
from engine.context.compile.fenced_pieces import RememberedCounts
from engine.models.summary import NoteTick, NoteToSummarise, Point, Summary
from engine.plans.plan import Change, Plan
from engine.plans.planning import Planning, PlanOutcome
from engine.plans.policy.values import Policy
from engine.text.document import split_lines
from engine.text.tokens import TokenCounter, counter
from engine.workspace.paths import FileMissing
from engine.workspace.snapshot import Snapshot
from engine.workspace.unscanned import snapshot_of
from engine.workspace.values import Capability, Skipped, Tick

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)
"""A Sunday, 03:00 UTC."""
TODAY = NOW.date()
WORDS = counter("words*1.3")
EXACT = RememberedCounts(counter("o200k_base"))
SEEN = CompactorHistory(applied=True)
"""A workspace that was compacted before, long ago."""


def days_ago(days: int) -> str:
    return (TODAY - timedelta(days=days)).isoformat()


class Workspace:
    """Files by path, which a snapshot reads when it is asked."""

    def __init__(
        self,
        files: Mapping[str, str | bytes] | None = None,
        *,
        skipped: Sequence[tuple[str, str]] = (),
        tokens: TokenCounter = WORDS,
        mtimes: Mapping[str, date] | None = None,
    ) -> None:
        self.files = {path: text.encode() if isinstance(text, str) else text for path, text in (files or {}).items()}
        self.skipped = tuple(Skipped(path, reason) for path, reason in skipped)
        self.tokens = tokens
        self.mtimes = mtimes or {}

    def read(self, path: str) -> bytes:
        if path not in self.files:
            raise FileMissing("no such file", where=path)
        return self.files[path]

    def snapshot(self, zone: str = "UTC") -> Snapshot:
        return snapshot_of(
            self.files,
            NOW,
            self.tokens,
            zone=zone,
            capabilities=frozenset({Capability.COMPACTOR}),
            skipped=self.skipped,
            undated=lambda path: self.mtimes.get(path, TODAY),
        )

    def plan(
        self,
        *,
        policy: Policy | None = None,
        now: datetime = NOW,
        history: CompactorHistory = SEEN,
        zone: str = "UTC",
        options: CompactRequest | None = None,
    ) -> PlanOutcome:
        planning = self.planning(policy=policy, now=now, zone=zone)
        return plan_compaction(
            planning, summariser=LineSummariser(), history=history, options=options or CompactRequest()
        )

    def planning(
        self, *, policy: Policy | None = None, now: datetime = NOW, zone: str = "UTC", tick: Tick | None = None
    ) -> Planning:
        snapshot = self.snapshot(zone)
        return Planning(snapshot=snapshot, policy=policy or Policy(), now=now, counter=self.tokens, tick=tick)

    def planned(self, **given: object) -> Plan:
        outcome = self.plan(**given)  # type: ignore[arg-type]
        assert outcome.plan is not None, outcome.reason_no_action
        return outcome.plan


class LineSummariser:
    """Takes the plain lines of a note as events, those that start with `decided` and `lesson` as what they say."""

    name = "extractive"
    version = "test"

    def __init__(self) -> None:
        self.seen: list[NoteToSummarise] = []

    def summarise(self, notes: Sequence[NoteToSummarise], tick: NoteTick) -> list[Summary]:
        self.seen.extend(notes)
        summaries = []
        for done, note in enumerate(notes):
            tick(done, len(notes))
            summaries.append(self._one(note))
        return summaries

    def _one(self, note: NoteToSummarise) -> Summary:
        events: list[Point] = []
        decisions: list[Point] = []
        insights: list[Point] = []
        for number, line in enumerate(split_lines(note.text), note.first_line):
            text = line.strip("-# ").strip()
            if not text:
                continue
            point = Point(text, number, number)
            kind = decisions if text.lower().startswith("decided") else events
            (insights if text.lower().startswith("lesson") else kind).append(point)
        return Summary(tuple(events[:5]), tuple(decisions), tuple(insights))


def episodic(age: int, insights: Sequence[str] = (), decisions: Sequence[str] = (), summary: Sequence[str] = ()) -> str:
    """An episodic file as we compile it, `age` days old."""

    def bullets(items: Sequence[str]) -> str:
        return "".join(f"- {item}\n" for item in items) or "(none)\n"

    return (
        f"---\nsource-date: {days_ago(age)}\nsource: memory/working/x.md\nsummary: extractive\n---\n# Compiled: x.md\n"
        f"## Summary\n{bullets(summary)}## Decisions\n{bullets(decisions)}## Extracted Insights\n{bullets(insights)}"
    )


def entry(title: str, words: int = 0) -> str:
    """A semantic entry; with `words`, padded by that many."""
    padding = (" " + " ".join(["word"] * words)) if words else ""
    return f"Title: {title}\nContext: A short situation.\nDurable Insight: Something lasting{padding}.\n\n"


def of_kind(plan: Plan, kind: type[Change] | Callable[[Change], bool]) -> list[Change]:
    if isinstance(kind, type):
        return [change for change in plan.changes if isinstance(change, kind)]
    return [change for change in plan.changes if kind(change)]
