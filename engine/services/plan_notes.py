"""Annotates every plan before it is queued: trust, the agent's prompt, and the probes."""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache, partial

import msgspec

from engine.compactor.semantic.entry import field_lines
from engine.compactor.semantic.entry import own_marks as entry_marks
from engine.compactor.semantic.entry_edit import typed_changes
from engine.context.compile.compiler import prefix_change
from engine.context.load.simulation import losses
from engine.context.platforms.catalog import platforms
from engine.errors import MemdeckError
from engine.lifecycle.references.file_links import NoteNames
from engine.plans.annotation import ProbeNote, Surroundings, annotated
from engine.plans.plan import Change, Plan
from engine.plans.prediction import contents_after
from engine.plans.records.operation_fold import load_trust
from engine.plans.trust_lineage import TrustLineage
from engine.services.open_workspace import OpenWorkspace
from engine.tree.root.mirror import own_marks as tree_marks
from engine.tree.root.mirror import status_lines
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import FileFacts, Tick


def with_notes(
    opened: OpenWorkspace,
    snapshot: Snapshot | None,
    plan: Plan,
    probes: Callable[[Plan], ProbeNote | None] = lambda _: None,
    tick: Tick | None = None,
) -> Plan:
    """Gives the plan with flags, trust labels and probe outcomes; every queued plan passes here."""
    files = snapshot.files if snapshot is not None else {}
    exists, tree = _existence(opened, files), opened.records.tree()
    around = Surroundings(opened.root.read, exists, _own_marks(), partial(_seen_changes, opened, files), probes)
    records = load_trust(opened.database, opened.operations, opened.queue.load)
    taken = plan.facts.get("taken")
    # A node that was taken by hand keeps its doubt in the labels: what is made from it is not vouched for.
    doubted = {str(path): "its claims do not hold" for path in taken} if isinstance(taken, dict) else {}
    lineage = TrustLineage(
        opened.root.read,
        records,
        doubted=doubted,
        typed=typed_changes(plan),
        own=lambda path, text: field_lines(path, text) | status_lines(path, text, tree),
    )
    return annotated(plan, around, lineage, tick)


def _existence(opened: OpenWorkspace, files: Mapping[str, FileFacts]) -> Callable[[str], bool]:
    """Gives a function that tells whether a path or note name in a text exists."""
    moves = opened.records.moves()
    names = cache(lambda: NoteNames(files))

    def exists(path: str) -> bool:
        # A text names a file by the place it had: an operation of ours that moved it breaks no link.
        if any(place in files or opened.facts(place) is not None for place in (path, moves.place(path))):
            return True
        named = names().named(path)
        return bool(named.path or named.several)

    return exists


def _own_marks() -> Callable[[Change], frozenset[int]]:
    """Gives a function that finds the lines with only memdeck's own marks, which are no instructions."""
    from engine.flush.memory_section import own_marks as flush_marks
    from engine.lifecycle.setup.plan import own_marks as setup_marks
    from engine.monitoring.feedback import own_marks as feedback_marks

    finders = (tree_marks, entry_marks, flush_marks, setup_marks, feedback_marks)
    return lambda change: frozenset().union(*(marks(change) for marks in finders))


def _seen_changes(opened: OpenWorkspace, files: Collection[str], plan: Plan) -> Iterator[str]:
    """Yields what a plan changes for the agent: lines that platforms would not load, and the cached prefix."""
    try:
        after = contents_after(plan, opened.root.read)
    except MemdeckError:  # the plan cannot be applied as it is, which is told where it is queued
        return
    policy, counter = opened.policy, opened.counter
    yield from (sentence for _, sentence in not_loaded(opened, after))
    today = plan.now.astimezone(policy.time_zone).date()
    context = msgspec.structs.replace(policy.context, prompt_tokens=opened.settings.prompt_tokens())
    if broken := prefix_change(files, opened.root.read_or_none, after, today, context, counter):
        yield broken


def not_loaded(opened: OpenWorkspace, after: Mapping[str, bytes | None]) -> tuple[tuple[str, str], ...]:
    """Gives by path the lines that platforms would no longer load if these files had these bytes (D41, G25)."""
    return losses(platforms(opened.policy), opened.root.read_or_none, after, opened.root.identity.path, opened.counter)
