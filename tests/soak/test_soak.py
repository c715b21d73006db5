"""The fault campaign is complete, and a small sample of it holds; `make soak` runs thousands of points."""

import inspect
import random
from collections.abc import Iterator

import click
import pytest

from engine.extras.batches.batch_service import BatchService
from engine.extras.importers.export_service import ExportService
from engine.extras.stores.store_service import StoreService
from engine.search.saved_searches import SavedSearches
from engine.services.alarms import AlarmService
from engine.services.capture import CaptureService
from engine.services.changes import ChangeService
from engine.services.consolidations import ConsolidationService
from engine.services.context import ContextService
from engine.services.costs import CostService
from engine.services.digest import DigestService
from engine.services.engine import Engine
from engine.services.entries import EntryService, ExtractionService
from engine.services.facts import FactService
from engine.services.feedback import CommentService
from engine.services.flushes import FlushService
from engine.services.history import HistoryService
from engine.services.hunks import HunkService
from engine.services.lifecycle import LifecycleService
from engine.services.maintenance import MaintenanceService
from engine.services.origins import OriginService
from engine.services.part import part as made_part
from engine.services.plan_queue import PlanQueue
from engine.services.plans import PlanService
from engine.services.privacy import PrivacyService
from engine.services.probes import ProbeService
from engine.services.prompt_comparisons import PromptComparisonService
from engine.services.proposals import ProposalService
from engine.services.reality import RealityService
from engine.services.recall import RecallService
from engine.services.receipts import ReceiptService
from engine.services.references import ReferenceService
from engine.services.replays import ReplayService
from engine.services.repository import RepositoryService
from engine.services.revert import RevertService
from engine.services.review import ReviewService
from engine.services.schedule import ScheduleService
from engine.services.search import SearchService
from engine.services.sessions import SessionService
from engine.services.shares import ShareService
from engine.services.status import StatusService
from engine.services.topics import TopicService
from engine.services.tree import TreeService
from engine.services.windows import WindowService
from tests.soak.commands import CALLS, COMMANDS, CONSOLE, METHODS, READ_ONLY
from tests.soak.draw import cuts, drawn, seed_of_commit
from tests.soak.page import MODES, Call, compiler
from tests.soak.worker import RECOVER
from tests.soak.workers import Worker, Workers
from tests.turn import part
from tui.cli.root import cli

SAMPLE = 12
OPENS_A_SCREEN = {"open", "mcp"}
"""What they write goes through the methods of the services, below; `mcp` opens a door for a program instead."""
BY_OTHER_DOORS = {"disconnect", "fleet", "update-check"}
"""In the workspace they do what `capture`, `topics follow`, `plan` and `status` do; `fleet` keeps its rows beside it.
What `connect` writes into the settings of other tools is whole or as it was: tests/tui/cli/test_connect.py.
`update-check` is refused by default, and writes nothing where it is allowed: tests/tui/cli/test_update_check.py."""

needs_compiler = pytest.mark.skipif(compiler() is None, reason="needs Linux and a C compiler for tests/soak/faults.c")


def leaves(group: click.Group, *path: str) -> Iterator[str]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        if isinstance(found, click.Group):
            yield from leaves(found, *path, name)
        else:
            yield " ".join((*path, name))


def test_every_command_is_in_the_campaign_or_proved_to_write_nothing() -> None:
    """A new command fails here until it is one or the other."""
    every = set(leaves(cli))
    written = {name for name in every for command in COMMANDS.values() if f"{command.step.arguments} ".startswith(name)}
    assert every - written - READ_ONLY.keys() - {"recover"} == OPENS_A_SCREEN | BY_OTHER_DOORS
    assert written & READ_ONLY.keys() == set()
    assert {name for name in COMMANDS if name.startswith(CONSOLE)} == {f"{CONSOLE}{call}" for call in CALLS}


SERVICES: dict[str, type] = {
    "alarms": AlarmService,
    "changes": ChangeService,
    "capture": CaptureService,
    "consolidations": ConsolidationService,
    "context": ContextService,
    "flushes": FlushService,
    "origins": OriginService,
    "windows": WindowService,
    "entries": EntryService,
    "hunks": HunkService,
    "comments": CommentService,
    "receipts": ReceiptService,
    "history": HistoryService,
    "maintenance": MaintenanceService,
    "privacy": PrivacyService,
    "plans": PlanService,
    "comparisons": PromptComparisonService,
    "probes": ProbeService,
    "costs": CostService,
    "lifecycle": LifecycleService,
    "replays": ReplayService,
    "extractions": ExtractionService,
    "facts": FactService,
    "exports": ExportService,
    "batches": BatchService,
    "repository": RepositoryService,
    "digest": DigestService,
    "proposals": ProposalService,
    "queue": PlanQueue,
    "reality": RealityService,
    "recall": RecallService,
    "revert": RevertService,
    "references": ReferenceService,
    "review": ReviewService,
    "schedule": ScheduleService,
    "shares": ShareService,
    "search": SearchService,
    "search.saved": SavedSearches,
    "sessions": SessionService,
    "status": StatusService,
    "stores": StoreService,
    "topics": TopicService,
    "tree": TreeService,
}
READS = {
    "alarms.side",
    "shares.left_unfinished",
    "capture.closed", "capture.findings", "capture.sessions", "context.beside", "context.loads", "context.observed",
    "context.turns", "sessions.last_day",
    "windows.close", "windows.gauge",
    "windows.session", "windows.sessions", "windows.sign", "sessions.messages",
    "flushes.alarms", "flushes.backups", "flushes.decided",
    "flushes.timeline",
    "windows.with_file", "origins.answers",
    "entries.left_out", "entries.of_plan", "entries.problems", "entries.route_problem", "entries.similar",
    "entries.similar_titles", "comments.all_feedback", "comments.of_plan", "comments.prompt",
    "hunks.name_at", "hunks.of_change", "hunks.of_plan", "hunks.refusal",
    "receipts.check", "receipts.line_now", "receipts.read",
    "history.audit", "history.count", "history.diffs", "history.kept",
    "history.operations", "history.reversal", "history.reversal_diffs", "history.verify", "maintenance.check",
    "privacy.alarms", "privacy.findings",
    "plans.estimate", "costs.curves", "costs.forecast", "costs.sums", "lifecycle.pipeline",
    "facts.read", "extractions.entries", "extractions.offered", "exports.places",
    "replays.answers", "replays.figures", "replays.pairs", "replays.standing",
    "batches.all", "batches.cancel", "batches.candidates",
    "repository.tags", "repository.explorations", "repository.alarms",
    "maintenance.doctor", "plans.diffs", "plans.load", "plans.sizes", "plans.source_lines", "plans.systems",
    "maintenance.lint", "shares.all", "shares.alarms", "references.links",
    "digest.make", "digest.since",
    "queue.entries", "queue.newest", "queue.writable", "queue.writable_plan",
    "probes.note_of", "probes.noted", "probes.read", "tree.drilled",
    "proposals.note", "proposals.of_agent", "proposals.served", "proposals.serves",
    "proposals.waiting", "repository.commits_others",
    "recall.blame", "recall.contents", "recall.diff", "recall.held", "recall.instant", "recall.reaches", "recall.show",
    "recall.timeline", "recall.today", "recall.tree", "recall.when", "sessions.edits_of",
    "consolidations.diffs", "consolidations.unreadable",
    "revert.offered", "revert.text_to_edit", "changes.agent_diffs", "changes.sides",
    "changes.since_looked", "review.compare_reports", "review.report", "review.reports", "review.since_looked",
    "schedule.last_cron", "search.evaluate", "search.has_index", "search.more_like_this",
    "search.file_of", "search.note", "history.of_file", "history.is_there",
    "sessions.files", "sessions.followed", "sessions.replay", "status.earlier", "status.chart", "status.policy_values",
    "status.workspace_keys",
    "stores.all", "stores.outgoing",
    "status.pulse", "status.trends", "status.watch", "topics.current", "topics.judgements", "topics.matcher",
    "topics.new_live", "topics.named", "topics.recent", "tree.browse", "tree.compared", "tree.find", "tree.life",
    "search.saved.all", "search.saved.find", "now", "open", "real_now", "simulated", "state_folder", "zone", "suppose",
    "workspace",
}  # fmt: skip
"""Methods that only read, as the read-only commands prove of them."""


def test_every_method_of_the_services_writes_as_a_command_does_or_reads() -> None:
    """What only the screens call is in the campaign too, by the command that shares it."""
    assert set(_methods()) == METHODS.keys() | READS
    assert set(METHODS.values()) <= COMMANDS.keys()


def _methods() -> Iterator[str]:
    """Every public method of the engine, of its services, and of the saved searches, as `plans.apply`."""
    yield from _public(Engine)
    for service, kind in SERVICES.items():
        yield from (f"{service}.{name}" for name in _public(kind) if (service, name) != ("search", "saved"))


def _public(kind: type) -> Iterator[str]:
    public = inspect.getmembers(kind, lambda member: not isinstance(member, made_part))
    yield from (name for name, _ in public if not name.startswith("_"))


def test_points_are_drawn_evenly_and_again_by_the_same_seed() -> None:
    counted = {name: [Call("w", False), Call("r", False), Call("o", True)] * 40 for name in COMMANDS}
    points = drawn(counted, 1000, seed=3, kinds=(False, True))
    assert points == drawn(counted, 1000, seed=3, kinds=(False, True)) != drawn(counted, 1000, seed=4)
    assert {point.command for point in points} == COMMANDS.keys()
    assert {point.mode for point in points} == set(MODES)
    assert len(set(points)) == len(points)


@pytest.mark.sampled(1)
@pytest.mark.timeout(900)
@needs_compiler
def test_read_only_commands_write_nothing() -> None:
    worker = Worker()
    try:
        written = {name: worker.written_by(READ_ONLY[name]) for name in part(sorted(READ_ONLY))}
        assert written and not any(written.values()), written
        assert worker.written_by("changes --looked"), "a command that writes is told as one"
    finally:
        worker.close()


@pytest.mark.sampled(2)
@pytest.mark.timeout(900)
@needs_compiler
def test_a_sample_of_the_campaign() -> None:
    """B1, B2: twelve points over four commands, others at each commit; a failure tells how it is made again."""
    seed = seed_of_commit()
    names = random.Random(seed).sample([name for name in COMMANDS if name != "demo"], 2)  # a demo takes 3 s
    with Workers(1) as workers:
        counted = dict(workers.counts(dict.fromkeys((*names, "apply compact", "undo"))))
        for name in ("apply compact", "undo"):
            counted |= dict(workers.counts(f"{RECOVER}{name}@{at}" for at in cuts(name, counted[name], seed, 2)))
        points = drawn(counted, SAMPLE, seed)
        done = list(workers.results(points))
    assert [(point.line(), result.problems) for point, result in done if result.problems] == []
    # A run takes a few system calls more or fewer than the counted one: its last points may lie behind the end.
    assert sum(result.reached for _, result in done) >= SAMPLE * 0.8, "faults that never take place prove nothing"
