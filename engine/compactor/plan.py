"""Plans a compaction: a pure function of a snapshot, without a clock or a write (compactor, whole)."""

from collections.abc import Sequence
from functools import partial

import msgspec

from engine.compactor.extraction import review
from engine.compactor.extraction.episodic_to_semantic import SemanticPhase, add_semantic_phase
from engine.compactor.extraction.review import EpisodicReview
from engine.compactor.extraction.sections import read_note
from engine.compactor.extraction.shard_choice import Weighed
from engine.compactor.extraction.situation import whole_note
from engine.compactor.limits.evaluation import AgedFile, Evaluation, evaluate
from engine.compactor.limits.thresholds import MANUAL, SEMANTIC_HARD, SEMANTIC_RISK, shard_figures
from engine.compactor.notes import working_to_episodic
from engine.compactor.notes.working_to_episodic import SourceNote, read_source
from engine.compactor.options import COMPACTOR_ZONE, CompactorHistory, CompactRequest
from engine.compactor.quality_gates import confirmations, gates
from engine.compactor.report import CompactorRun, facts_json, report_text
from engine.compactor.semantic.entry_edit import EDITS, ROUTES
from engine.compactor.semantic.shards import FOLDER as SEMANTIC_FOLDER
from engine.compactor.semantic.shards import ShardOutlook, add_index
from engine.compactor.sharding.plan import chained, propose_sharding
from engine.models.summary import Summariser, Summary
from engine.plans.plan import Append, Change, Create, ModelOutput, Move, Plan
from engine.plans.planning import Draft, Planning, PlanOutcome
from engine.plans.policy.values import Policy
from engine.text.canonical_json import canonical_json, sha256_hex
from engine.workspace.layout import MEMORY, TIER_FOLDERS, tier_of
from engine.workspace.snapshot import FreeNames, Snapshot, obstacle
from engine.workspace.unscanned import snapshot_after
from engine.workspace.values import Skipped

SYSTEM = "compact"
PLAIN = CompactRequest()


def plan_compaction(
    planning: Planning, *, summariser: Summariser, history: CompactorHistory, options: CompactRequest = PLAIN
) -> PlanOutcome:
    """Plans the compaction of eligible files and the sharding of full shards, deterministically, or returns the reason
    for none. `UsageError` for a bad route, `SchemaError` or `Blocked` for a bad edited entry."""
    snapshot, policy = planning.snapshot, planning.policy
    evaluated = evaluate(snapshot, policy, planning.now, history, scheduled=options.scheduled)
    ours = {MEMORY, *TIER_FOLDERS.values()}
    figures = shard_figures(snapshot, policy.limits.semantic)
    run = CompactorRun(
        evaluated=evaluated,
        limits=policy.limits,
        tokenizer=planning.counter.name,
        skipped=tuple(item for item in snapshot.skipped if tier_of(item.path) is not None or item.path in ours),
        shards=tuple(ShardOutlook(path=shard.path, tokens=shard.tokens, projected=shard.tokens) for shard in figures),
        warnings=evaluated.warnings,
    )
    planner = _Planner(planning, summariser, options, run)
    # A run that will not act reads no file.
    reason = _cannot(snapshot, policy, evaluated) if evaluated.judged.acts else _no_threshold(evaluated)
    return planner.outcome() if reason is None else planner.nothing(reason)


def _no_threshold(evaluated: Evaluation) -> str:
    """Says why a scheduled run does nothing: only pressure makes it act (A4), not a shard at risk (A25)."""
    waiting = len(evaluated.working) + len(evaluated.episodic)
    eligible = f" ({waiting} eligible, no trigger)" if waiting else ""
    fired = evaluated.judged.trigger
    if fired in (SEMANTIC_HARD, SEMANTIC_RISK):
        return f"{fired} is about appends and sharding; no threshold of working or episodic memory is met{eligible}"
    return f"no threshold is met{eligible}"


def _cannot(snapshot: Snapshot, policy: Policy, evaluated: Evaluation) -> str | None:
    """Says why nothing can be compacted, before any file is read; None if something can."""
    if not evaluated.working and not evaluated.episodic:
        working, episodic = policy.limits.working.eligible_days, policy.limits.episodic.eligible_days
        why = f"no working note is older than {working} days and no episodic file older than {episodic} days"
        if not evaluated.judged.pressure:
            return why
        until = f"; nothing is eligible until {evaluated.next_eligible}" if evaluated.next_eligible else ""
        return f"a threshold is met ({evaluated.judged.volume}), but {why}{until}"
    blocked = obstacle(snapshot, "memory/archive")
    return f"nothing can be archived: {blocked}" if blocked else None


class _Planner:
    """One run over eligible files. `run` collects its report."""

    def __init__(self, planning: Planning, summariser: Summariser, options: CompactRequest, run: CompactorRun) -> None:
        self.planning, self.summariser, self.options, self.run = planning, summariser, options, run
        self.snapshot, self.policy, self.evaluated = planning.snapshot, planning.policy, run.evaluated
        self.names = FreeNames(planning.snapshot)
        self.skipped: list[Skipped] = []

    def nothing(self, reason: str, also: tuple[Plan, ...] | None = None) -> PlanOutcome:
        """Returns the reason for no compaction; still offers to shard full shards."""
        also = self._sharding() if also is None else also
        run = msgspec.structs.replace(self.run, reason_no_action=reason)
        return PlanOutcome(
            plan=None, also=also, reason_no_action=reason, report=report_text(run), facts=facts_json(run)
        )

    def outcome(self) -> PlanOutcome:
        """Plans both phases. Notes are compiled even if entries wait for room (decision A6)."""
        draft = Draft(self.planning)
        notes, reviews, model = self._read()
        phase = add_semantic_phase(
            draft, self.planning, reviews, options=self.options, meta=self.evaluated.meta, names=self.names
        )
        today = self.evaluated.today
        compiled = self.planning.steps(notes, "writing summaries", every=20)
        working_to_episodic.add_compiled(draft, self.snapshot, compiled, self.names, today, self.summariser.name)
        if phase.appended:
            add_index(draft, self.snapshot, self._written(draft.changes), tuple(phase.appended.values()))
        for change in draft.changes:
            # The sharding plan may not take a name that this one uses.
            self.names.take(change.path)
        also = self._sharding(phase.weighed, draft)
        self._record(draft, phase, [source.path for source, summary in notes if summary.is_empty])
        if not draft.changes:
            return self.nothing(self._why_nothing(), also)
        plan = self._plan(draft, phase, model)
        return PlanOutcome(plan=plan, also=also, report=plan.report, facts=plan.facts)

    def _sharding(self, weighed: Sequence[Weighed] = (), draft: Draft | None = None) -> tuple[Plan, ...]:
        """Plans sharding for full shards and waiting entries (A22, A24), from the bytes after the appends; from the
        same bytes as the compaction, each plan would make the other stale (A30)."""
        written = self._written(draft.changes) if draft is not None else {}
        planning = self.planning
        if written:
            after = snapshot_after(self.snapshot, written, planning.counter, planning.now)
            planning = msgspec.structs.replace(planning, snapshot=after)
        also, notes = propose_sharding(planning, evaluated=self.evaluated, names=self.names, weighed=weighed)
        self.run = msgspec.structs.replace(self.run, sharding=notes)
        return tuple(chained(plan) if written.keys() & {one.path for one in plan.inputs} else plan for plan in also)

    def _written(self, changes: Sequence[Change]) -> dict[str, bytes | None]:
        """Returns the bytes of the shards after this plan."""
        found: dict[str, bytes | None] = {}
        for change in changes:
            if isinstance(change, Create | Append) and change.path.startswith(f"{SEMANTIC_FOLDER}/"):
                there = self.snapshot.content(change.path) if change.path in self.snapshot.files else b""
                found[change.path] = (found.get(change.path) or there) + change.content.encode()
        return found

    def _read(self) -> tuple[list[tuple[SourceNote, Summary]], list[EpisodicReview], ModelOutput | None]:
        """Reads eligible files, and summarises them in one batch so that words are weighed across all."""
        if blocked := obstacle(self.snapshot, working_to_episodic.FOLDER):
            reason = f"nothing can be compiled: {blocked}"
            self.skipped.extend(Skipped(file.facts.path, reason) for file in self.evaluated.working)
        notes = self._sources(() if blocked else self.evaluated.working, "reading notes")
        old = self._sources(self.evaluated.episodic, "reading episodic files")
        # A file with the sections of a compiled one has its decisions named already: it needs no summary.
        loose = [source for source in old if not read_note(source.note.text, source.note.first_line).sections]
        told = [source.note for source in (*notes, *loose)]
        tick = partial(self.planning.report, "summarising")
        summaries = self.summariser.summarise(told, tick) if told else []
        own = dict(zip((source.path for source in loose), summaries[len(notes) :], strict=True))
        reviews = [
            review.review(source, own.get(source.path), whole_note(self.snapshot, source.file.facts))
            for source in self.planning.steps(old, "looking for entries")
        ]
        written = sha256_hex(canonical_json(summaries))
        model = ModelOutput(self.summariser.name, self.summariser.version, written) if summaries else None
        return list(zip(notes, summaries, strict=False)), reviews, model

    def _sources(self, files: Sequence[AgedFile], stage: str) -> list[SourceNote]:
        found = []
        for file in self.planning.steps(files, stage):
            source = read_source(self.snapshot, file)
            if isinstance(source, Skipped):
                self.skipped.append(source)
            else:
                found.append(source)
        return found

    def _record(self, draft: Draft, phase: SemanticPhase, empty: Sequence[str]) -> None:
        moves = [change for change in draft.changes if isinstance(change, Move)]
        stamp = self.evaluated.cooldown.warning
        self.run = msgspec.structs.replace(
            self.run,
            plan_risk_tier=max((change.risk_tier for change in draft.changes), default=None),
            compacted=sum(move.path.startswith("memory/working/") for move in moves),
            archived=len(moves),
            nothing_kept=tuple(empty),
            phase=phase,
            shards=phase.outlook or self.run.shards,
            skipped=(*self.run.skipped, *self.skipped),
            warnings=(*self.run.warnings, *phase.warnings, *((stamp,) if stamp and phase.appended else ())),
        )

    def _why_nothing(self) -> str:
        """Returns the first reason why eligible files stay, and the number of others."""
        waiting = [f"{item.candidate.source} ({item.waits})" for item in self.run.phase.weighed if item.waits]
        unfinished = [f"{problem}, correct it there" for problem in self.run.phase.unfinished]
        skipped = [f"{item.path} ({item.reason})" for item in self.skipped]
        reasons = list(dict.fromkeys([*unfinished, *waiting, *skipped]))
        more = f" and {len(reasons) - 1} more, listed in the report" if len(reasons) > 1 else ""
        return f"all that is eligible waits or is skipped: {reasons[0]}{more}" if reasons else "nothing is eligible"

    def _plan(self, draft: Draft, phase: SemanticPhase, model: ModelOutput | None) -> Plan:
        run = self.run
        # What the operator changed of the entries is kept with the plan, so that a further change keeps it.
        routes = {item.number: item.shard for item in phase.weighed if item.by_operator}
        given = ((EDITS, self.options.edits), (ROUTES, routes))
        own = {key: {str(number): text for number, text in sorted(of.items())} for key, of in given if of}
        return draft.finish(
            SYSTEM,
            self.evaluated.judged.trigger or MANUAL,
            zone=COMPACTOR_ZONE,
            model=model,
            gates=gates(self.snapshot, draft.changes, phase, self.policy.limits.semantic, self._unaccounted(draft)),
            confirmations=confirmations(
                first_run=self.evaluated.first_run,
                cooldown=self.evaluated.cooldown,
                semantic=tuple(phase.appended.values()),
                duplicates=phase.duplicates,
            ),
            warnings=run.warnings,
            report=report_text(run),
            facts=facts_json(run) | own,
        )

    def _unaccounted(self, draft: Draft) -> list[str]:
        """Returns eligible files that are neither taken, waiting nor skipped: there must be none."""
        known = {change.path for change in draft.changes if isinstance(change, Move)}
        known |= {item.path for item in self.skipped}
        known |= {item.candidate.source for item in self.run.phase.weighed if item.waits}
        known |= {problem.path for problem in self.run.phase.unfinished}
        files = (*self.evaluated.working, *self.evaluated.episodic)
        return [file.facts.path for file in files if file.facts.path not in known]
