"""The systems' planners: each reads what its system needs, and makes the plan."""

from datetime import date
from functools import partial
from pathlib import Path

import msgspec

from engine.compactor.options import COMPACTION_JOB, CompactRequest
from engine.errors import Damaged, Refused, UsageError
from engine.extra_registry import needs
from engine.lifecycle.prune.old_files import PruneOptions
from engine.lifecycle.references.reference_days import ReferenceDays
from engine.lifecycle.requests import (
    ArchiveRequest,
    BranchesRequest,
    CondenseRequest,
    CorrectRequest,
    ExtractRequest,
    FeedbackRequest,
    FlushRequest,
    FolderRequest,
    ForgetRequest,
    ImportRequest,
    InitRequest,
    PrunePart,
    PruneRequest,
    ReplayRequest,
    ShareRequest,
    VerifyRequest,
)
from engine.models.model_task import RULES, ModelRole
from engine.plans.planning import Planning, PlanOutcome, PlanRequest
from engine.plans.system_request import System
from engine.services.open_workspace import OpenWorkspace
from engine.services.planner import planner
from engine.services.policy_models import model_name
from engine.services.references import ReferenceService
from engine.services.text_models import summary_writer, text_model
from engine.tree.cycle.idle import TreeRequest, made_from
from engine.workspace.dates import mtime_date

RECENT = 2_000  # messages of it that tuning compares with


@planner(System.COMPACT, "working → episodic → semantic, originals to the archive", COMPACTION_JOB, CompactRequest)
def compact(opened: OpenWorkspace, planning: Planning, request: PlanRequest) -> PlanOutcome:
    # Only a dry run of it needs the planner and the summariser: `status`, and each other system, start without them.
    from engine.compactor.plan import plan_compaction

    summariser, use = summary_writer(opened, planning, request, "compact")
    options = msgspec.structs.replace(request.of(CompactRequest), scheduled=request.scheduled)
    history = opened.records.compactor_history(COMPACTION_JOB)
    return use.with_cost(plan_compaction(planning, summariser=summariser, history=history, options=options))


@planner(System.TREE, "raw logs → days → weeks → months → ROOT", "daily", TreeRequest)
def tree(opened: OpenWorkspace, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.tree.cycle.plan import plan_tree
    from engine.tree.nodes.node_task import OFFLINE, NodeWriter

    records = opened.records.tree()
    use = text_model(opened, ModelRole.SUMMARISE, planning, request, "tree")
    options = request.of(TreeRequest).by_path
    writer = OFFLINE
    if use.model.name != RULES:
        writer = NodeWriter(use.model, opened.policy.llm.most_ungrounded, partial(planning.report, "asking Claude"))

    def cycle(seen: Planning) -> PlanOutcome:
        return plan_tree(seen, records=records, options=options, writer=writer)

    return use.with_cost(opened.tree_idle.outcome(made_from(planning, records, options), planning, cycle))


@planner(System.TUNE, "topics: thresholds, patterns and bypass, by what you judged")
def tune(opened: OpenWorkspace, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.topics.decision_log import DecisionLog
    from engine.tuning.matchers import OfflineMatchers
    from engine.tuning.plan import Log, plan_tuning

    log = DecisionLog(opened.database)
    known = Log(log.judged_entries(), log.judgements(), tuple(entry for _, entry in log.last(RECENT)))
    if log.problem:  # a proposal made of half the judgements would be another one
        raise Damaged(f"the log of decisions: {log.problem}", where=str(opened.database.file), hint="memdeck recover")
    matchers = OfflineMatchers(known.judged, opened.policy.zone, opened.policy.topics.used)
    return plan_tuning(planning, log=known, matcher_of=matchers.make)


@planner(System.FLUSH, "what running sessions must not lose → daily log, MEMORY.md", "daily", FlushRequest)
def flush(opened: OpenWorkspace, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.flush.plan import FlushOptions, plan_flush
    from engine.services.flush_sessions import unsaved_sessions
    from engine.services.platform_homes import platform_homes

    homes = platform_homes(opened.root, planning)
    (summariser, use), asked = summary_writer(opened, planning, request, "flush"), request.of(FlushRequest)
    options = FlushOptions(
        summariser=summariser,
        trigger=asked.band or ("daily" if request.scheduled else "manual"),
        aggressive=asked.aggressive,
        daily_logs=opened.root.lstat("DailyLogs") is not None,
        loaded=frozenset().union(*homes.loaded.values()),
        not_loaded=homes.warnings,
        prune=partial(_prune_along, opened),
    )
    return use.with_cost(plan_flush(planning, unsaved_sessions(opened), options))


@planner(
    System.IMPORT,
    "what other tools keep → transcripts, knowledge",
    asked=ImportRequest,
    usage="memdeck import KIND [PATH]",
)
def import_(opened: OpenWorkspace, planning: Planning, request: PlanRequest) -> PlanOutcome:
    with needs("importers"):
        from engine.extras.importers.export_service import plan_any_import
    return plan_any_import(opened, planning, request.of(ImportRequest))


@planner(
    System.REVIEW, "what changed between two folders → notes", asked=FolderRequest, usage="memdeck review BEFORE AFTER"
)
def review(_opened: OpenWorkspace, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.folders.plan import plan_review
    from engine.monitoring.revert.plan import taken_back

    def merge(before: str, after: str, present: str) -> str:
        merged = taken_back(after, before, present)
        if merged.overlaps:
            raise Refused(f"the workspace's was changed too: {merged.overlaps[0]}")
        return merged.text

    return plan_review(planning, request.of(FolderRequest), merge)


@planner(
    System.FORGET,
    "words, lines or all about somebody → gone from every place, with a receipt",
    usage="memdeck plan forget --words TEXT",
    asked=ForgetRequest,
)
def forget(opened: OpenWorkspace, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.services.receipts import plan_forgetting_of

    return plan_forgetting_of(opened, planning, request.of(ForgetRequest))


@planner(
    System.CORRECT,
    "a line → what holds in its place, everywhere",
    asked=CorrectRequest,
    usage="memdeck plan correct --take PATH:LINE --value TEXT",
)
def correct(opened: OpenWorkspace, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.services.receipts import plan_correction_of

    return plan_correction_of(opened, planning, request.of(CorrectRequest))


@planner(System.VERIFY, "what notes claim and the repository lacks → marked [?], or put right", "weekly", VerifyRequest)
def verify(opened: OpenWorkspace, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.services.reality import plan_verifying_of

    return plan_verifying_of(opened, planning, request.of(VerifyRequest))


@planner(System.EXTRACT, "closed transcripts → decisions, lessons, people, preferences and more", asked=ExtractRequest)
def extract(opened: OpenWorkspace, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.extract.plan import ExtractionChoice, ExtractionPlanner
    from engine.services.platform_homes import platform_homes
    from engine.services.transcript_entries import found_entries
    from engine.services.transcripts import asked_transcripts

    asked = request.of(ExtractRequest)
    use = text_model(opened, ModelRole.EXTRACT, planning, request, "extract")
    found = found_entries(opened, planning, asked_transcripts(planning.snapshot, asked.transcripts), use.model)
    history = opened.records.entry_history()
    choice = ExtractionChoice(asked.transcripts, asked.left_out, asked.accepted, history.refused)
    homes = platform_homes(opened.root, planning)
    return use.with_cost(ExtractionPlanner(planning, found, history.promoted, choice, homes).outcome())


@planner(System.LINT, "files with faults in their form → what is mechanical, fixed")
def lint(opened: OpenWorkspace, planning: Planning, _request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.lint.plan import plan_lint

    return plan_lint(planning, opened.scanner.sync_copies)


@planner(
    System.REPLAY, "all transcripts read again → what the extractor would write now, compared", asked=ReplayRequest
)
def replay(opened: OpenWorkspace, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.extraction.extraction_task import EntryFinder
    from engine.extraction.judge import VERSION, judged_entries
    from engine.lifecycle.replay.plan import ReplayPlanner
    from engine.services.platform_homes import platform_homes
    from engine.services.replay_readings import read_anew, read_by_model
    from engine.services.transcripts import closed_transcripts

    asked, root, snapshot = request.of(ReplayRequest), opened.root, planning.snapshot
    by_model = bool(model_name(opened.policy.llm, ModelRole.EXTRACT))
    if by_model and asked.scheduler:
        hint = "leave --scheduler away, or name no model of llm.models.extract in the policy"
        raise UsageError("a cluster reads by the rules, and the policy names a model", where="--scheduler", hint=hint)
    use, paths = text_model(opened, ModelRole.EXTRACT, planning, request, "replay"), closed_transcripts(snapshot)
    if by_model:  # what it answered is kept, so that one goes on (D48)
        tick = partial(planning.report, "transcripts")
        readings, version, remarks = read_by_model(root, snapshot, paths, EntryFinder(use.model), tick)
    else:
        version, remarks = VERSION, ()
        readings = read_anew(
            Path(root.identity.path),
            [(path, snapshot.files[path].sha256) for path in paths],
            judged_entries,
            VERSION,
            outside=root.transcripts.path if root.transcripts is not None else "",
            file=opened.state.replay(asked.name),
            workers=asked.workers,
            scheduler=asked.scheduler,
            tick=request.tick,
        )
    homes = platform_homes(root, planning)
    replayed = ReplayPlanner(planning, readings, opened.records.entry_history(), version, remarks, homes).outcome()
    if asked.branch and request.counted is None:  # an estimate makes no branch
        from engine.services.replay_branch import replay_on_branch

        replayed = replay_on_branch(opened, planning, asked.name, replayed)
    return use.with_cost(replayed)


def in_use(opened: OpenWorkspace, planning: Planning) -> PruneOptions:
    """Gives prune options with the days on which each file was used, and when it was written."""

    def touched(path: str) -> date | None:
        facts = opened.root.lstat(path)
        return mtime_date(facts.st_mtime_ns, opened.policy.time_zone) if facts is not None else None

    return PruneOptions(uses=ReferenceService(opened).days(planning.snapshot.files.keys()), touched=touched)


@planner(System.PRUNE, "MEMORY.md above its cap, old journals, unused knowledge → archive", "weekly", PruneRequest)
def prune(opened: OpenWorkspace, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.prune.plan import PrunePlanner

    chosen = request.of(PruneRequest).only or tuple(part for part in PrunePart if part is not PrunePart.UNUSED)
    unused = ReferenceDays(opened.database).idle() if PrunePart.UNUSED in chosen else {}
    options = msgspec.structs.replace(in_use(opened, planning), parts=chosen, unused=unused)
    return PrunePlanner(planning, options.tuned(opened.settings.config())).outcome()


def _prune_along(opened: OpenWorkspace, planning: Planning, lines: int) -> PlanOutcome:
    """Plans to make room in MEMORY.md for `lines` more lines."""
    from engine.lifecycle.prune.plan import PrunePlanner

    tuned = PruneOptions(parts=(PrunePart.MEMORY,)).tuned(opened.settings.config())
    room = max(0, min(tuned.room, tuned.line_cap - lines))
    return PrunePlanner(planning, msgspec.structs.replace(tuned, line_cap=room + 1, room=room)).outcome()


@planner(System.CONDENSE, "closed transcripts → journals; last week's journals → MEMORY.md", "daily", CondenseRequest)
def condense(opened: OpenWorkspace, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.extraction.extraction_task import EntryFinder
    from engine.lifecycle.condense.plan import CondensationPlanner
    from engine.services.condensation import condense_options, unsummarised_turns

    use = text_model(opened, ModelRole.EXTRACT, planning, request, "condense")
    options = condense_options(
        request.of(CondenseRequest),
        planning.today,
        finder=EntryFinder(use.model),
        turns=partial(unsummarised_turns, opened, planning.snapshot),
        known=opened.records.condensed_entries(),
    )
    return use.with_cost(CondensationPlanner(planning, options).outcome())


@planner(System.DISTILL, "untouched projects and people → archive; the lists of both", "monthly")
def distill(opened: OpenWorkspace, planning: Planning, _request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.distill.plan import DistillationPlanner

    return DistillationPlanner(planning, in_use(opened, planning)).outcome()


@planner(
    System.FEEDBACK, "what you refused, edited and commented on → a file that the agent loads", asked=FeedbackRequest
)
def feedback(opened: OpenWorkspace, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.monitoring.feedback import plan_feedback
    from engine.services.feedback import feedback_rows, loaded_file, written

    path = loaded_file(opened.policy, planning.snapshot, request.of(FeedbackRequest).take)
    if not path:
        return PlanOutcome(plan=None, reason_no_action="there is no AGENTS.md, CLAUDE.md or the like: --take names one")
    rows = feedback_rows(opened.queue, opened.database)
    return plan_feedback(planning, path, written(rows, opened.policy.git.private))


@planner(System.ARCHIVE, "daily logs after 30 days, or what --take names → archive", "monthly", ArchiveRequest)
def archive(_opened: OpenWorkspace, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.archive.plan import plan_archive

    return plan_archive(planning, request.of(ArchiveRequest).take)


@planner(
    System.RESTORE, "archived files → where they were", asked=ArchiveRequest, usage="memdeck plan restore --take PATH"
)
def restore(_opened: OpenWorkspace, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.archive.plan import plan_restore

    return plan_restore(planning, request.of(ArchiveRequest).take)


@planner(System.INIT, "folders, git settings and hooks that a workspace lacks", asked=InitRequest)
def init(opened: OpenWorkspace, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.setup.plan import plan_init
    from engine.services.setup_facts import encryption, present_files

    git = opened.policy.git
    wanted = encryption(opened.root, opened.git, git, opened.env) if request.of(InitRequest).private else None
    return plan_init(planning, present_files(opened.root, opened.git, planning.snapshot, commits=git.commit), wanted)


@planner(
    System.BRANCHES, "explorations and replays older than a week, or what --take names → tags", asked=BranchesRequest
)
def branches(opened: OpenWorkspace, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.branches.plan import plan_branches
    from engine.services.branch_facts import branch_files

    return plan_branches(planning, branch_files(opened.root, opened.git), request.of(BranchesRequest).take)


@planner(System.SHARE, "shared knowledge as it was fetched last → knowledge/shared", asked=ShareRequest)
def share(opened: OpenWorkspace, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.shared.plan import plan_share
    from engine.services.shared_facts import modules_file, named_shares, shared_repositories

    names = named_shares(opened, request.of(ShareRequest).take)
    return plan_share(planning, modules_file(opened), shared_repositories(opened, names))


@planner(System.UNSHARE, "shared knowledge → archive", asked=ShareRequest, usage="memdeck plan unshare --take NAME")
def unshare(opened: OpenWorkspace, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.shared.plan import plan_unshare
    from engine.services.shared_facts import modules_file, pinned_shares

    return plan_unshare(planning, modules_file(opened), pinned_shares(opened, request.of(ShareRequest).take))
