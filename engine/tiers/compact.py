"""The compaction planner: from a snapshot to a plan, without a clock and without a write (compactor, whole)."""

from collections.abc import Sequence
from datetime import UTC, date, datetime

import msgspec

from engine.models.summary import Summariser, Summary
from engine.plans.plan import ModelOutput, Move, Plan, strictest
from engine.plans.policy import Policy
from engine.tiers import reviewing, working
from engine.tiers.archive import Names, obstacle
from engine.tiers.classify import run_tier
from engine.tiers.cooldown import MetaFile, cooldown, read_meta
from engine.tiers.draft import Draft
from engine.tiers.eligible import AgedFile, eligible, future_dated
from engine.tiers.gates import confirmations, gates
from engine.tiers.options import COMPACTOR_ZONE, CompactOptions, CompactorHistory, Tick
from engine.tiers.report import Run, ShardOutlook, facts_json, report_text
from engine.tiers.reviewing import Review, SemanticPhase
from engine.tiers.sharding_plan import propose_sharding
from engine.tiers.shards import Shards, shard_figures
from engine.tiers.source import Source, read_source
from engine.tiers.thresholds import measure, trigger_states
from engine.tiers.triggers import MANUAL, pressure, primary, weekly_detail, weekly_fires
from engine.tiers.weigh import Scale, Weighed
from engine.views import PlanOutcome
from engine.workspace.canonical import canonical_json, sha256_hex
from engine.workspace.dates import zone_of
from engine.workspace.layout import TIER_FOLDERS, tier_of
from engine.workspace.snapshot import Snapshot
from engine.workspace.tokens import TokenCounter
from engine.workspace.values import MemoryTier, Progress, Skipped

SYSTEM = "compact"
PLAIN = CompactOptions()


def plan_compaction(
    snapshot: Snapshot,
    policy: Policy,
    now: datetime,
    *,
    summariser: Summariser,
    counter: TokenCounter,
    history: CompactorHistory,
    options: CompactOptions = PLAIN,
    tick: Tick | None = None,
) -> PlanOutcome:
    """A plan that compacts what is eligible, with a sharding plan for each blocked shard, or the reason for none.

    Pure: the same arguments give the same plan. `tick` may raise `Cancelled`. Raises `UsageError` for a route that is
    none, and `SchemaError` or `Blocked` for an edited entry that may not be written.
    """
    return _Planner(snapshot, policy, now, summariser, counter, history, options, tick).outcome()


class _Planner:
    """One run. Each step is a method; what they share stands in `__init__`."""

    def __init__(
        self,
        snapshot: Snapshot,
        policy: Policy,
        now: datetime,
        summariser: Summariser,
        counter: TokenCounter,
        history: CompactorHistory,
        options: CompactOptions,
        tick: Tick | None,
    ) -> None:
        self.snapshot = snapshot
        self.policy = policy
        self.now = now
        self.today: date = now.astimezone(UTC).date()
        self.summariser = summariser
        self.counter = counter
        self.history = history
        self.options = options
        self.tick = tick
        self.skipped: list[Skipped] = []
        self.names = Names(snapshot)
        self.run = self._evaluate()

    def _evaluate(self) -> Run:
        """Everything that is decided before a single note is read (compactor §Volume-Based Triggers)."""
        measured = measure(self.snapshot, self.today)
        fires = weekly_fires(
            self.now, scheduled=self.options.scheduled, last_scheduled_at=self.history.last_scheduled_at
        )
        states = trigger_states(measured, self.policy.limits, weekly=fires, weekly_detail=weekly_detail(self.now))
        self.meta: MetaFile = read_meta(self.snapshot.reader)
        self.working = self._eligible(MemoryTier.WORKING)
        self.episodic = self._eligible(MemoryTier.EPISODIC)
        return Run(
            limits=self.policy.limits,
            tokenizer=self.counter.name,
            measured=measured,
            states=states,
            primary=primary(states),
            trigger=primary(states) or (None if self.options.scheduled else MANUAL),
            scheduled=self.options.scheduled,
            pressure=pressure(states),
            run_tier=run_tier(states),
            cooldown=cooldown(self.meta, self.history, self.now, self.policy.limits.cooldown_hours),
            first_run=not self.history.applied,
            eligible={"working": len(self.working), "episodic": len(self.episodic)},
            shards=tuple(
                ShardOutlook(path=shard.path, tokens=shard.tokens, projected=shard.tokens)
                for shard in shard_figures(self.snapshot, self.policy.limits.semantic)
            ),
            skipped=tuple(item for item in self.snapshot.skipped if _concerns_us(item.path)),
            warnings=self._date_warnings(),
        )

    def _eligible(self, tier: MemoryTier) -> tuple[AgedFile, ...]:
        limits = self.policy.limits.working if tier is MemoryTier.WORKING else self.policy.limits.episodic
        return eligible(self.snapshot.tier(tier), limits, self.today)

    def _date_warnings(self) -> tuple[str, ...]:
        """Files of the future: later than today both here in UTC and where the operator lives (decision G8)."""
        latest = max(self.today, self.now.astimezone(zone_of(self.snapshot.zone)).date())
        files = [*self.snapshot.tier(MemoryTier.WORKING), *self.snapshot.tier(MemoryTier.EPISODIC)]
        return tuple(
            f"{facts.path} is dated {facts.date.day}, in the future: it counts as 0 days old"
            for facts in future_dated(files, latest)
        )

    def outcome(self) -> PlanOutcome:
        if self.run.scheduled and not self.run.pressure:
            return self._nothing("no threshold is met")
        also = self._sharding()
        reason = self._cannot()
        if reason is not None:
            return self._nothing(reason, also)
        draft = Draft(self.snapshot)
        pairs, reviews, model = self._read()
        weighed, phase, shards = self._semantic(draft, reviews)
        working.add_compiled(draft, self.snapshot, pairs, self.names, self.today, self.summariser.name)
        self._finish_run(draft, weighed, phase, shards)
        if not draft.changes:
            return self._nothing("all that is eligible waits or is skipped", also)
        return self._planned(draft, weighed, phase, model, also)

    def _sharding(self) -> tuple[Plan, ...]:
        proposals = propose_sharding(
            self.snapshot,
            self.policy,
            self.now,
            counter=self.counter,
            run=self.run,
            names=self.names,
            options=self.options,
        )
        self.run = msgspec.structs.replace(self.run, sharding=proposals.notes)
        return proposals.plans

    def _cannot(self) -> str | None:
        limits = self.policy.limits
        if not self.working and not self.episodic:
            why = f"no working note is older than {limits.working.eligible_days} days and no episodic file older than "
            why += f"{limits.episodic.eligible_days} days"
            return f"a threshold is met ({self.run.primary}), but {why}" if self.run.pressure else why
        blocked = obstacle(self.snapshot, "memory/archive")
        return f"nothing can be archived: {blocked}" if blocked else None

    def _read(self) -> tuple[list[tuple[Source, Summary]], list[Review], ModelOutput | None]:
        """Reads what is eligible and has it summarised in one batch, so that words are weighed across all of it."""
        blocked = obstacle(self.snapshot, working.FOLDER)
        if blocked:
            self.skipped += [Skipped(file.facts.path, f"nothing can be compiled: {blocked}") for file in self.working]
        notes = self._sources(() if blocked else self.working, "reading notes")
        old = self._sources(self.episodic, "reading episodic files")
        loose = [source for source in old if not reviewing.has_sections(source)]
        summaries = self._summarise([*notes, *loose])
        by_path = dict(zip((source.path for source in loose), summaries[len(notes) :], strict=True))
        reviews = [reviewing.review(source, by_path.get(source.path)) for source in old]
        output = ModelOutput(self.summariser.name, self.summariser.version, sha256_hex(canonical_json(summaries)))
        return list(zip(notes, summaries, strict=False)), reviews, output if summaries else None

    def _sources(self, files: Sequence[AgedFile], stage: str) -> list[Source]:
        found = []
        for done, file in enumerate(files):
            self._progress(stage, done, len(files))
            source = read_source(self.snapshot, file)
            if isinstance(source, Skipped):
                self.skipped.append(source)
            else:
                found.append(source)
        return found

    def _summarise(self, sources: Sequence[Source]) -> list[Summary]:
        if not sources:
            return []
        notes = [source.note for source in sources]
        return self.summariser.summarise(notes, lambda done, total: self._progress("summarising", done, total))

    def _progress(self, stage: str, done: int, total: int) -> None:
        if self.tick is not None:
            self.tick(Progress(stage, done, total))

    def _semantic(
        self, draft: Draft, reviews: list[Review]
    ) -> tuple[tuple[Weighed, ...], SemanticPhase, Shards | None]:
        """Weighs the entries of the reviewed files and adds those that have room, then the files' moves."""
        already: dict[str, int] = {}
        shards: Shards | None = None
        weighed: tuple[Weighed, ...] = ()
        candidates = [candidate for review in reviews for candidate in review.extraction.candidates]
        if candidates:
            scale = Scale(self.snapshot, self.counter, self.policy.limits.semantic)
            reviews, already = reviewing.without_known(reviews, Shards(self.snapshot, self.counter))
            candidates = [candidate for review in reviews for candidate in review.extraction.candidates]
            weighed, shards = scale.weigh(candidates, self.options.routes, self.options.edits)
            for path in (facts.path for facts in self.snapshot.tier(MemoryTier.SEMANTIC)):
                draft.read(path)
        elif self.options.routes or self.options.edits:
            Scale(self.snapshot, self.counter, self.policy.limits.semantic).weigh(
                (), self.options.routes, self.options.edits
            )
        phase = SemanticPhase(appended={}, duplicates={})
        if shards is not None:
            phase = reviewing.add_entries(draft, weighed, shards)
        if phase.appended and not self.meta.problem:
            reviewing.add_stamp(draft, self.meta, list(phase.appended.values()), self.now)
        reviewing.add_archived(draft, reviews, weighed, phase, self.names, self.today, already)
        self.reviews = reviews
        return weighed, phase, shards

    def _finish_run(
        self, draft: Draft, weighed: tuple[Weighed, ...], phase: SemanticPhase, shards: Shards | None
    ) -> None:
        """Completes the record of the run with what came of it."""
        moves = [change for change in draft.changes if isinstance(change, Move)]
        warnings = list(self.run.warnings)
        if shards is not None:
            warnings += [f"the duplicate check could not read {path}: {why}" for path, why in shards.unreadable.items()]
        if phase.appended and self.run.cooldown.warning:
            warnings.append(self.run.cooldown.warning)
        self.run = msgspec.structs.replace(
            self.run,
            plan_tier=strictest([change.risk_tier for change in draft.changes]) if draft.changes else None,
            compacted=sum(move.path.startswith("memory/working/") for move in moves),
            insights=len(phase.appended),
            archived=len(moves),
            weighed=weighed,
            change_numbers=phase.appended,
            duplicates=phase.duplicates,
            refused=tuple(str(refusal) for review in self.reviews for refusal in review.extraction.refused),
            skipped=(*self.run.skipped, *self.skipped),
            shards=self.run.shards if shards is None else _outlook(shards, weighed),
            warnings=tuple(warnings),
        )

    def _planned(
        self,
        draft: Draft,
        weighed: tuple[Weighed, ...],
        phase: SemanticPhase,
        model: ModelOutput | None,
        also: tuple[Plan, ...],
    ) -> PlanOutcome:
        taken = {change.path for change in draft.changes if isinstance(change, Move)}
        taken |= {item.path for item in self.skipped} | {item.candidate.source for item in weighed if item.waits}
        unaccounted = [file.facts.path for file in (*self.working, *self.episodic) if file.facts.path not in taken]
        plan = Plan(
            system=SYSTEM,
            trigger=self.run.trigger or MANUAL,
            workspace=self.snapshot.workspace,
            now=self.now,
            zone=COMPACTOR_ZONE,
            simulated_clock=self.options.simulated_clock,
            made_at=self.options.made_at or self.now,
            policy_sha256=self.policy.sha256,
            tokenizer=self.counter.name,
            inputs=draft.inputs(),
            changes=tuple(draft.changes),
            model=model,
            gates=gates(
                self.snapshot, draft.changes, weighed, phase.duplicates, self.policy.limits.semantic, unaccounted
            ),
            confirmations=confirmations(
                first_run=self.run.first_run,
                cooldown=self.run.cooldown if phase.appended else None,
                duplicates=phase.duplicates,
            ),
            warnings=self.run.warnings,
            report=report_text(self.run),
            facts=facts_json(self.run),
        )
        return PlanOutcome(plan=plan, also=also, report=plan.report, facts=plan.facts)

    def _nothing(self, reason: str, also: tuple[Plan, ...] = ()) -> PlanOutcome:
        self.run = msgspec.structs.replace(self.run, reason_no_action=reason)
        return PlanOutcome(
            plan=None, also=also, reason_no_action=reason, report=report_text(self.run), facts=facts_json(self.run)
        )


def _concerns_us(path: str) -> bool:
    return tier_of(path) is not None or path == "memory" or path in TIER_FOLDERS.values()


def _outlook(shards: Shards, weighed: Sequence[Weighed]) -> tuple[ShardOutlook, ...]:
    used = {item.shard for item in weighed if not item.waits}
    paths = sorted({shard.path for shard in shards.existing()} | used)
    return tuple(
        ShardOutlook(path=path, tokens=shards[path].tokens, projected=shards[path].projected) for path in paths
    )
