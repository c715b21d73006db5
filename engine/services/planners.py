"""The planners of the systems: each reads what its system is given, and makes the plan."""

from functools import partial
from pathlib import Path

import msgspec

from engine.compactor.options import COMPACTION_JOB, CompactRequest
from engine.errors import Damaged, Refused, UsageError
from engine.extra_registry import needs
from engine.flush.request import FlushRequest
from engine.lifecycle.archive.request import ArchiveRequest
from engine.lifecycle.branches.request import BranchesRequest
from engine.lifecycle.condense.request import CondenseRequest
from engine.lifecycle.extract.request import ExtractRequest
from engine.lifecycle.folders.request import FolderRequest
from engine.lifecycle.import_request import ImportRequest
from engine.lifecycle.prune.request import PrunePart, PruneRequest
from engine.lifecycle.replay.request import ReplayRequest
from engine.lifecycle.setup.request import InitRequest
from engine.lifecycle.shared.request import ShareRequest
from engine.models.model_task import RULES, ModelRole
from engine.monitoring.feedback_request import FeedbackRequest
from engine.plans.planning import Planning, PlanRequest
from engine.plans.status import PlanOutcome
from engine.services.planner_records import (
    compactor_history,
    days_of_use,
    entry_history,
    file_moves,
    touched_on,
    tree_records,
)
from engine.services.text_models import model_name, text_model
from engine.services.wiring import Wiring
from engine.tree.cycle.idle import made_from
from engine.tree.cycle.options import TreeRequest
from engine.workspace.snapshot import Snapshot

RECENT = 2_000
"""Messages of it that tuning compares with."""


def planning_of(parts: Wiring, snapshot: Snapshot, request: PlanRequest) -> Planning:
    """Gives what every planner is given: the files, the policy, the clocks, the counter and who is told of progress."""
    return Planning(
        snapshot=snapshot,
        policy=parts.policy,
        now=request.at or parts.now(),
        counter=parts.counter,
        simulated_clock=parts.what_if is not None,
        made_at=parts.real_clock(),
        tick=request.tick,
        moves=file_moves(parts),
    )


def compact(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    # Only a dry run needs the planner and the summariser; `status` starts without them.
    from engine.compactor.plan import plan_compaction
    from engine.services.summarisers import summary_writer

    writer = summary_writer(parts, planning, request, "compact")
    options = msgspec.structs.replace(request.of(CompactRequest), scheduled=request.scheduled)
    outcome = plan_compaction(
        planning,
        summariser=writer.summariser,
        history=compactor_history(parts, COMPACTION_JOB),
        options=options,
    )
    return writer.with_cost(outcome)


def tree(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.tree.cycle.plan import plan_tree
    from engine.tree.nodes.node_task import OFFLINE, NodeWriter

    records = tree_records(parts)
    use = text_model(parts, ModelRole.SUMMARISE, planning, request, "tree")
    options = request.of(TreeRequest).by_path
    writer = OFFLINE
    if use.model.name != RULES:
        writer = NodeWriter(use.model, parts.policy.llm.most_ungrounded, partial(planning.report, "asking Claude"))

    def cycle(seen: Planning) -> PlanOutcome:
        return plan_tree(seen, records=records, options=options, writer=writer)

    return use.with_cost(parts.tree_idle.outcome(made_from(planning, records, options), planning, cycle))


def tune(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.topics.decision_log import DecisionLog
    from engine.tuning.matchers import OfflineMatchers
    from engine.tuning.plan import Log, plan_tuning

    log = DecisionLog(parts.database)
    known = Log(log.judged_entries(), log.judgements(), tuple(entry for _, entry in log.last(RECENT)))
    if log.problem:  # a proposal made of half the judgements would be another one
        raise Damaged(f"the log of decisions: {log.problem}", where=str(parts.database.file), hint="memdeck recover")
    matchers = OfflineMatchers(known.judged, parts.policy.zone, parts.policy.topics.used)
    return plan_tuning(planning, log=known, matcher_of=matchers.make)


def flush(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.flush.plan import FlushOptions, plan_flush
    from engine.services.flush_sessions import unsaved_sessions
    from engine.services.platform_homes import platform_homes
    from engine.services.summarisers import summary_writer

    homes = platform_homes(parts, planning)
    writer, asked = summary_writer(parts, planning, request, "flush"), request.of(FlushRequest)
    options = FlushOptions(
        summariser=writer.summariser,
        trigger=asked.band or ("daily" if request.scheduled else "manual"),
        aggressive=asked.aggressive,
        daily_logs=parts.root.lstat("DailyLogs") is not None,
        loaded=frozenset().union(*homes.loaded.values()),
        not_loaded=homes.warnings,
        prune=partial(_prune_along, parts),
    )
    return writer.with_cost(plan_flush(planning, unsaved_sessions(parts), options))


def import_(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    with needs("importers"):
        from engine.extras.importers.memories.kinds import MEMORY_KINDS
        from engine.extras.importers.memories.plan import plan_memories
        from engine.extras.importers.plan import plan_import
    from engine.services.exports import original_keeper
    from engine.services.open_workspace import disk_errors

    asked = request.of(ImportRequest)
    kind, keeper = MEMORY_KINDS.get(asked.kind), original_keeper(parts, asked)
    if kind is None and parts.root.transcripts is not None:
        where = parts.root.transcripts.path
        raise Refused("sessions cannot be imported: only capture writes to the transcripts outside", where=where)
    with disk_errors("keeping what was imported failed"):
        if kind is not None:
            return plan_memories(planning, asked, kind, _imported_memories(parts), keeper)
        return plan_import(planning, asked, keeper)


def _imported_memories(parts: Wiring) -> frozenset[str]:
    """Reads the ids of the memories that applied imports wrote. One that a person removed stays removed."""
    found: set[str] = set()
    for outline in parts.context.operations.outlines():
        if outline.system == "import" and outline.stands:
            operation = parts.context.operations.load(outline.name)
            ids = parts.queue.load(operation.plan).facts.get("ids", {})
            found.update(ident for number in operation.numbers for ident in ids.get(str(number), ()))
    return frozenset(found)


def review(_parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.folders.plan import plan_review
    from engine.monitoring.revert.line_merge import taken_back

    def merge(before: str, after: str, present: str) -> str:
        merged = taken_back(after, before, present)
        if merged.overlaps:
            raise Refused(f"the workspace's was changed too: {merged.overlaps[0]}")
        return merged.text

    return plan_review(planning, request.of(FolderRequest), merge)


def extract(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.extract.plan import ExtractionChoice, plan_extraction
    from engine.services.platform_homes import platform_homes
    from engine.services.transcript_entries import found_entries
    from engine.services.transcripts import asked_transcripts

    asked = request.of(ExtractRequest)
    use = text_model(parts, ModelRole.EXTRACT, planning, request, "extract")
    found = found_entries(parts, planning, asked_transcripts(planning.snapshot, asked.transcripts), use.model)
    history = entry_history(parts)
    choice = ExtractionChoice(asked.transcripts, asked.left_out, asked.accepted, history.refused)
    homes = platform_homes(parts, planning)
    return use.with_cost(plan_extraction(planning, found, history.promoted, choice, homes))


def lint(parts: Wiring, planning: Planning, _request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.lint.plan import plan_lint

    return plan_lint(planning, parts.scanner.sync_copies)


def replay(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    asked = request.of(ReplayRequest)
    if model_name(parts.policy.llm, ModelRole.EXTRACT):
        if asked.scheduler:
            hint = "leave --scheduler away, or name no model of llm.models.extract in the policy"
            raise UsageError(
                "a cluster reads by the rules, and the policy names a model", where="--scheduler", hint=hint
            )
        return _replay_by_model(parts, planning, request)
    from engine.extraction.sentence_rules import VERSION, judged_entries
    from engine.lifecycle.replay.plan import plan_replay
    from engine.services.platform_homes import platform_homes
    from engine.services.replay_readings import read_anew
    from engine.services.transcripts import closed_transcripts

    files = planning.snapshot.files
    readings = read_anew(
        Path(parts.root.identity.path),
        [(path, files[path].sha256) for path in closed_transcripts(planning.snapshot)],
        judged_entries,
        VERSION,
        outside=parts.root.transcripts.path if parts.root.transcripts is not None else "",
        file=parts.state.replay(asked.name),
        workers=asked.workers,
        scheduler=asked.scheduler,
        tick=request.tick,
    )
    homes = platform_homes(parts, planning)
    replayed = plan_replay(planning, readings, entry_history(parts), VERSION, (), homes)
    return _kept_replay(parts, planning, request, replayed)


def _kept_replay(parts: Wiring, planning: Planning, request: PlanRequest, replayed: PlanOutcome) -> PlanOutcome:
    """The replay on its branch, where one is asked for; an estimate makes none."""
    if not request.of(ReplayRequest).branch or request.counted is not None:
        return replayed
    from engine.services.replay_branch import replay_on_branch

    return replay_on_branch(parts, planning, request.of(ReplayRequest).name, replayed)


def _replay_by_model(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    """A replay whose extractor is the model of the policy; what it answered is kept, so that one goes on (D48)."""
    from engine.extraction.extraction_task import EntryFinder
    from engine.lifecycle.replay.plan import plan_replay
    from engine.services.platform_homes import platform_homes
    from engine.services.replay_model import read_by_model
    from engine.services.transcripts import closed_transcripts

    use = text_model(parts, ModelRole.EXTRACT, planning, request, "replay")
    paths = closed_transcripts(planning.snapshot)
    tick = partial(planning.report, "transcripts")
    found = read_by_model(parts.root, planning.snapshot, paths, EntryFinder(use.model), tick)
    homes = platform_homes(parts, planning)
    replayed = plan_replay(planning, found.readings, entry_history(parts), found.version, found.remarks, homes)
    return use.with_cost(_kept_replay(parts, planning, request, replayed))


def prune(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.prune.options import PruneOptions
    from engine.lifecycle.prune.plan import plan_prune

    chosen = request.of(PruneRequest).only or tuple(PrunePart)
    config = parts.workspace_config()
    options = PruneOptions(parts=chosen, uses=days_of_use(parts, planning), touched=partial(touched_on, parts))
    return plan_prune(planning, options.tuned(config))


def _prune_along(parts: Wiring, planning: Planning, lines: int) -> PlanOutcome:
    """Plans to make room in MEMORY.md for so many lines, however many it has now."""
    from engine.lifecycle.prune.options import PruneOptions
    from engine.lifecycle.prune.plan import plan_prune

    tuned = PruneOptions(parts=(PrunePart.MEMORY,)).tuned(parts.workspace_config())
    room = max(0, min(tuned.room, tuned.line_cap - lines))
    return plan_prune(planning, msgspec.structs.replace(tuned, line_cap=room + 1, room=room))


def condense(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.extraction.extraction_task import EntryFinder
    from engine.lifecycle.condense.plan import plan_condensation
    from engine.services.condensation import condense_options, condensed_entries
    from engine.services.unread_transcripts import unsummarised_turns

    use = text_model(parts, ModelRole.EXTRACT, planning, request, "condense")
    options = condense_options(
        request.of(CondenseRequest),
        planning.today,
        finder=EntryFinder(use.model),
        turns=partial(unsummarised_turns, parts, planning.snapshot),
        known=condensed_entries(parts),
    )
    return use.with_cost(plan_condensation(planning, options))


def distill(parts: Wiring, planning: Planning, _request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.distill.plan import plan_distillation
    from engine.lifecycle.prune.options import PruneOptions

    return plan_distillation(
        planning, PruneOptions(uses=days_of_use(parts, planning), touched=partial(touched_on, parts))
    )


def feedback(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.monitoring.feedback_section import plan_feedback
    from engine.services.feedback import feedback_rows, loaded_file, written

    path = loaded_file(parts.policy, planning.snapshot, request.of(FeedbackRequest).take)
    if not path:
        return PlanOutcome(plan=None, reason_no_action="there is no AGENTS.md, CLAUDE.md or the like: --take names one")
    return plan_feedback(planning, path, written(feedback_rows(parts), parts.policy.git.private))


def archive(_parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.archive.plan import plan_archive

    return plan_archive(planning, request.of(ArchiveRequest).take)


def restore(_parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.archive.plan import plan_restore

    return plan_restore(planning, request.of(ArchiveRequest).take)


def init(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.setup.plan import plan_init
    from engine.services.setup_facts import encryption, present_files

    wanted = encryption(parts) if request.of(InitRequest).private else None
    return plan_init(planning, present_files(parts, planning.snapshot), wanted)


def branches(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.branches.plan import plan_branches
    from engine.services.branch_facts import branch_files

    return plan_branches(planning, branch_files(parts), request.of(BranchesRequest).take)


def share(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.shared.plan import plan_share
    from engine.services.shared_facts import modules_file, named_shares, shared_repositories

    names = named_shares(parts, request.of(ShareRequest).take)
    return plan_share(planning, modules_file(parts), shared_repositories(parts, names))


def unshare(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.shared.plan import plan_unshare
    from engine.services.shared_facts import modules_file, pinned_shares

    return plan_unshare(planning, modules_file(parts), pinned_shares(parts, request.of(ShareRequest).take))
