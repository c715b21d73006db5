"""The planners by name: what `memdeck plan SYSTEM` and the console's dry run can be asked for."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec

from engine.compactor.options import CompactOptions
from engine.errors import Damaged, Refused, UsageError
from engine.models.model_task import RULES, ModelRole
from engine.plans.diff import change_diffs
from engine.plans.plan import Move
from engine.plans.planning import Planning, PlanRequest
from engine.plans.status import PlanOutcome
from engine.plans.system import System
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
from engine.tree.cycle.options import TreeOptions, path_of
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Tick

RECENT = 2_000
"""Messages of it that tuning compares with."""


class Planner(msgspec.Struct, frozen=True):
    """A planner: its name, what it does in a few words, the scheduled job it serves, and how to run it."""

    name: str
    title: str
    job: str
    run: Callable[[Wiring, Planning, PlanRequest], PlanOutcome]
    usage: str = ""
    """The command that asks for it, where it needs more than its name."""

    def outcome(self, parts: Wiring, snapshot: Snapshot, request: PlanRequest) -> PlanOutcome:
        """Plans over the files of a snapshot; `Cancelled` where the operator stops it."""
        planning = planning_of(parts, snapshot, request)
        made = with_links_along(snapshot, self.run(parts, planning, request), request.tick)
        return _with_commit_text(parts, planning, request, made)


def find_system(name: str) -> Planner:
    """The system of that name; `UsageError` names those that exist."""
    if name not in SYSTEMS:
        raise UsageError("there is no such system", where=name, hint=f"one of: {', '.join(SYSTEMS)}")
    return SYSTEMS[name]


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


def with_links_along(snapshot: Snapshot, outcome: PlanOutcome, tick: Tick | None = None) -> PlanOutcome:
    """The outcome whose plan takes the links to what it moves along."""
    if outcome.plan is None or not any(isinstance(change, Move) for change in outcome.plan.changes):
        return outcome
    from engine.lifecycle.references.moved_links import with_moved_links

    return with_moved_links(outcome, snapshot, tick)


def _with_commit_text(parts: Wiring, planning: Planning, request: PlanRequest, outcome: PlanOutcome) -> PlanOutcome:
    """The outcome with what the commit will say, where the policy names a model for it."""
    plan = outcome.plan
    if plan is None or not model_name(parts.policy.llm, ModelRole.COMMIT):
        return outcome
    from engine.plans.commit_task import with_commit_text

    use = text_model(parts, ModelRole.COMMIT, planning, request, plan.system, spent=float(plan.cost.usd))
    diffs = change_diffs(plan, parts.root.read)
    tick = partial(planning.report, "message of the commit")
    made = with_commit_text(plan, diffs, use.model, parts.policy.llm.most_ungrounded, tick)
    return use.with_cost(msgspec.structs.replace(outcome, plan=made))


def _compact(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    # Only a dry run needs the planner and the summariser; `status` starts without them.
    from engine.compactor.plan import plan_compaction
    from engine.services.summarisers import summary_writer

    writer = summary_writer(parts, planning, request, "compact")
    options = CompactOptions(scheduled=request.scheduled, routes=request.routes, edits=request.edits)
    outcome = plan_compaction(
        planning,
        summariser=writer.summariser,
        history=compactor_history(parts, SYSTEMS["compact"].job),
        options=options,
    )
    return writer.with_cost(outcome)


def _tree(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.tree.cycle.plan import plan_tree
    from engine.tree.nodes.node_task import OFFLINE, NodeWriter

    records = tree_records(parts)
    use = text_model(parts, ModelRole.SUMMARISE, planning, request, "tree")
    options = TreeOptions(
        drain=request.drain,
        reopen=tuple(path_of(text) for text in request.reopen),
        take=tuple(path_of(text) for text in request.take),
        take_flagged=request.take_flagged,
    )

    writer = OFFLINE
    if use.model.name != RULES:
        writer = NodeWriter(use.model, parts.policy.llm.most_ungrounded, partial(planning.report, "asking Claude"))

    def cycle(seen: Planning) -> PlanOutcome:
        return plan_tree(seen, records=records, options=options, writer=writer)

    return use.with_cost(parts.tree_idle.outcome(made_from(planning, records, options), planning, cycle))


def _tune(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.topics.decision_log import DecisionLog
    from engine.tuning.matchers import OfflineMatchers
    from engine.tuning.plan import Log, plan_tuning

    log = DecisionLog(parts.database)
    known = Log(log.judged_entries(), log.judgements(), tuple(entry for _, entry in log.last(RECENT)))
    if log.problem:  # a proposal made of half the judgements would be another one
        raise Damaged(f"the log of decisions: {log.problem}", where=str(parts.database.file), hint="memdeck recover")
    matchers = OfflineMatchers(known.judged, parts.policy.zone, parts.policy.topics.scorer)
    return plan_tuning(planning, log=known, matcher_of=matchers.make)


def _flush(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.flush.plan import FlushOptions, plan_flush
    from engine.services.flush_sessions import unsaved_sessions
    from engine.services.summarisers import summary_writer

    writer = summary_writer(parts, planning, request, "flush")
    options = FlushOptions(
        summariser=writer.summariser,
        trigger=request.band or ("daily" if request.scheduled else "manual"),
        aggressive=request.aggressive,
        daily_logs=parts.root.lstat("DailyLogs") is not None,
        prune=partial(_prune_along, parts),
    )
    return writer.with_cost(plan_flush(planning, unsaved_sessions(parts), options))


def _import(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.imports.memories.kinds import MEMORY_KINDS
    from engine.lifecycle.imports.memories.plan import plan_memories
    from engine.lifecycle.imports.plan import plan_import
    from engine.services.exports import original_keeper
    from engine.services.open_workspace import disk_errors

    if request.imported is None:
        raise UsageError("an import needs a kind and a path", hint=SYSTEMS["import"].usage)
    kind, keeper = MEMORY_KINDS.get(request.imported.kind), original_keeper(parts, request.imported)
    if kind is None and parts.root.transcripts is not None:
        where = parts.root.transcripts.path
        raise Refused("sessions cannot be imported: only capture writes to the transcripts outside", where=where)
    with disk_errors("keeping what was imported failed"):
        if kind is not None:
            return plan_memories(planning, request.imported, kind, _imported_memories(parts), keeper)
        return plan_import(planning, request.imported, keeper)


def _imported_memories(parts: Wiring) -> frozenset[str]:
    """Reads the ids of the memories that applied imports wrote. One that a person removed stays removed."""
    found: set[str] = set()
    for outline in parts.context.operations.outlines():
        if outline.system == "import" and outline.stands:
            operation = parts.context.operations.load(outline.name)
            ids = parts.queue.load(operation.plan).facts.get("ids", {})
            found.update(ident for number in operation.numbers for ident in ids.get(str(number), ()))
    return frozenset(found)


def _review(_parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.folders.plan import plan_review
    from engine.monitoring.revert.line_merge import taken_back

    def merge(before: str, after: str, present: str) -> str:
        merged = taken_back(after, before, present)
        if merged.overlaps:
            raise Refused(f"the workspace's was changed too: {merged.overlaps[0]}")
        return merged.text

    if request.folders is None:
        raise UsageError("a review needs two folders", hint=SYSTEMS["review"].usage)
    return plan_review(planning, request.folders, merge)


def _extract(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.extract.plan import ExtractionChoice, plan_extraction
    from engine.services.platform_homes import platform_homes
    from engine.services.transcript_entries import found_entries
    from engine.services.transcripts import asked_transcripts

    asked = asked_transcripts(planning.snapshot, request.transcripts)
    use = text_model(parts, ModelRole.EXTRACT, planning, request, "extract")
    found = found_entries(parts, planning, asked, use.model)
    history = entry_history(parts)
    choice = ExtractionChoice(
        tuple(request.transcripts), tuple(request.left_out), tuple(request.accepted), history.refused
    )
    homes = platform_homes(parts, planning)
    return use.with_cost(plan_extraction(planning, found, history.promoted, choice, homes))


def _lint(parts: Wiring, planning: Planning, _request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.lint.plan import plan_lint

    return plan_lint(planning, parts.scanner.sync_copies)


def _replay(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    if model_name(parts.policy.llm, ModelRole.EXTRACT):
        if request.replay.scheduler:
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
        file=parts.state.replay(request.replay.name),
        workers=request.replay.workers,
        scheduler=request.replay.scheduler,
        tick=request.tick,
    )
    homes = platform_homes(parts, planning)
    replayed = plan_replay(planning, readings, entry_history(parts), VERSION, (), homes)
    return _kept_replay(parts, planning, request, replayed)


def _kept_replay(parts: Wiring, planning: Planning, request: PlanRequest, replayed: PlanOutcome) -> PlanOutcome:
    """The replay on its branch, where one is asked for; an estimate makes none."""
    if not request.replay.branch or request.counted is not None:
        return replayed
    from engine.services.replay_branch import replay_on_branch

    return replay_on_branch(parts, planning, request, replayed)


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


def _prune(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.prune.options import PruneOptions, PrunePart
    from engine.lifecycle.prune.plan import plan_prune

    known = [part.value for part in PrunePart]
    if unknown := [name for name in request.only if name not in known]:
        raise UsageError("a prune has no such part", where=unknown[0], hint=f"one of: {', '.join(known)}")
    chosen = tuple(PrunePart(name) for name in request.only) or tuple(PrunePart)
    config = parts.workspace_config()
    options = PruneOptions(parts=chosen, uses=days_of_use(parts, planning), touched=partial(touched_on, parts))
    return plan_prune(planning, options.tuned(config))


def _prune_along(parts: Wiring, planning: Planning, lines: int) -> PlanOutcome:
    """Plans to make room in MEMORY.md for so many lines, however many it has now."""
    from engine.lifecycle.prune.options import PruneOptions, PrunePart
    from engine.lifecycle.prune.plan import plan_prune

    tuned = PruneOptions(parts=(PrunePart.MEMORY,)).tuned(parts.workspace_config())
    room = max(0, min(tuned.room, tuned.line_cap - lines))
    return plan_prune(planning, msgspec.structs.replace(tuned, line_cap=room + 1, room=room))


def _condense(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.extraction.extraction_task import EntryFinder
    from engine.lifecycle.condense.plan import plan_condensation
    from engine.services.condensation import condense_options, condensed_entries
    from engine.services.unread_transcripts import unsummarised_turns

    use = text_model(parts, ModelRole.EXTRACT, planning, request, "condense")
    options = condense_options(
        request.only,
        request.take,
        planning.today,
        finder=EntryFinder(use.model),
        turns=partial(unsummarised_turns, parts, planning.snapshot),
        known=condensed_entries(parts),
    )
    return use.with_cost(plan_condensation(planning, options))


def _distill(parts: Wiring, planning: Planning, _request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.distill.plan import plan_distillation
    from engine.lifecycle.prune.options import PruneOptions

    return plan_distillation(
        planning, PruneOptions(uses=days_of_use(parts, planning), touched=partial(touched_on, parts))
    )


def _feedback(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.monitoring.feedback_section import plan_feedback
    from engine.services.feedback import feedback_rows, loaded_file, written

    path = loaded_file(parts.policy, planning.snapshot, request.take)
    if not path:
        return PlanOutcome(plan=None, reason_no_action="there is no AGENTS.md, CLAUDE.md or the like: --take names one")
    return plan_feedback(planning, path, written(feedback_rows(parts), parts.policy.git.private))


def _archive(_parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.archive.plan import plan_archive

    return plan_archive(planning, request.take)


def _restore(_parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.archive.plan import plan_restore

    return plan_restore(planning, request.take)


def _init(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.setup.plan import plan_init
    from engine.services.setup_facts import encryption, present_files

    wanted = encryption(parts) if request.private else None
    return plan_init(planning, present_files(parts, planning.snapshot), wanted)


def _branches(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.branches.plan import plan_branches
    from engine.services.branch_facts import branch_files

    return plan_branches(planning, branch_files(parts), request.take)


def _share(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.shared.plan import plan_share
    from engine.services.shared_facts import modules_file, named_shares, shared_repositories

    names = named_shares(parts, request.take)
    return plan_share(planning, modules_file(parts), shared_repositories(parts, names))


def _unshare(parts: Wiring, planning: Planning, request: PlanRequest) -> PlanOutcome:
    from engine.lifecycle.shared.plan import plan_unshare
    from engine.services.shared_facts import modules_file, pinned_shares

    return plan_unshare(planning, modules_file(parts), pinned_shares(parts, request.take))


SYSTEMS: dict[str, Planner] = {
    system.name: system
    for system in (
        Planner(System.COMPACT, "working → episodic → semantic, originals to the archive", "weekly", _compact),
        Planner(System.TREE, "raw logs → days → weeks → months → ROOT", "daily", _tree),
        Planner(System.FLUSH, "what running sessions must not lose → daily log, MEMORY.md", "daily", _flush),
        Planner(System.TUNE, "topics: thresholds, patterns and bypass, by what you judged", "", _tune),
        Planner(System.EXTRACT, "closed transcripts → decisions, lessons, people, preferences and more", "", _extract),
        Planner(
            System.REPLAY, "all transcripts read again → what the extractor would write now, compared", "", _replay
        ),
        Planner(System.CONDENSE, "closed transcripts → journals; last week's journals → MEMORY.md", "daily", _condense),
        Planner(System.PRUNE, "MEMORY.md above its cap, old journals, unused knowledge → archive", "weekly", _prune),
        Planner(System.DISTILL, "untouched projects and people → archive; the lists of both", "monthly", _distill),
        Planner(System.ARCHIVE, "daily logs after 30 days, or what --take names → archive", "monthly", _archive),
        Planner(System.RESTORE, "archived files → where they were", "", _restore, "memdeck plan restore --take PATH"),
        Planner(System.INIT, "folders, git settings and hooks that a workspace lacks", "", _init),
        Planner(
            System.BRANCHES, "explorations and replays older than a week, or what --take names → tags", "", _branches
        ),
        Planner(System.SHARE, "shared knowledge as it was fetched last → knowledge/shared", "", _share),
        Planner(System.UNSHARE, "shared knowledge → archive", "", _unshare, "memdeck plan unshare --take NAME"),
        Planner(
            System.FEEDBACK, "what you refused, edited and commented on → a file that the agent loads", "", _feedback
        ),
        Planner(System.LINT, "files with faults in their form → what is mechanical, fixed", "", _lint),
        Planner(
            System.IMPORT, "what other tools keep → transcripts, knowledge", "", _import, "memdeck import KIND [PATH]"
        ),
        Planner(System.REVIEW, "what changed between two folders → notes", "", _review, "memdeck review BEFORE AFTER"),
    )
}
