"""Writes the report of a cycle, and makes the plan checks of its plan (tree §Guards)."""

from collections.abc import Collection, Iterator, Sequence
from datetime import date

import msgspec

from engine.plans.plan import Change, Create, QualityGate, Replace
from engine.text.document import Document
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import find_secrets, redact
from engine.tree.levels import NodeLevel, node_path, node_place
from engine.tree.survey.node_status import Action
from engine.tree.survey.survey import Survey
from engine.workspace.layout import is_raw_log
from engine.workspace.values import Skipped

MOST = 12  # items of one list that the text shows; JSON has them all


class Outcome(msgspec.Struct, frozen=True, rename={"n": "change", "method": "summary"}):
    """The effect of one change, under the names that JSON uses."""

    n: int
    level: NodeLevel
    period: str
    action: Action
    method: str
    fixed: bool


class TreeRun(msgspec.Struct, kw_only=True, rename={"outcomes": "nodes", "shown": "left_alone"}):
    """The report of a cycle under JSON's names, filled while it runs. `waiting`: nodes without room in this cycle."""

    today: date
    tokenizer: str
    outcomes: list[Outcome] = []
    waiting: list[str] = []
    held_back: list[str] = []
    """Nodes omitted because they would contain a secret; the warnings say which secret, on which line."""
    backlog: int = 0
    shown: list[str] = []
    quarantined: list[Skipped]
    warnings: list[str] = []
    cycles: int = 1
    drain: bool
    reason_no_action: str | None = None


def report_text(run: TreeRun) -> str:
    """Writes the whole report, secrets masked, each line safe to show."""
    return redact("\n".join(visible_line(line) for line in _lines(run)) + "\n", keep_lines=True)


def _lines(run: TreeRun) -> Iterator[str]:
    note = "dry run: nothing is written until it is approved" if run.reason_no_action is None else "no action"
    yield f"🌳 Compaction tree, {run.today.isoformat()} ({note})"
    for level in NodeLevel:
        if here := [outcome for outcome in run.outcomes if outcome.level is level]:
            yield f"   {level.value}: {', '.join(_counted(here))}"
    if run.drain and run.outcomes:
        yield f"   drain: {run.cycles} {'cycle' if run.cycles == 1 else 'cycles'} in one plan"
    if run.reason_no_action is not None:
        yield f"No action taken: {run.reason_no_action}"
    yield from _list("Waiting for a summary in a later cycle (`--drain` plans them all)", run.waiting)
    yield from _list("Skipped", run.shown)
    yield from _list("Not in the tree", [f"{item.path}: {item.reason}" for item in run.quarantined])
    yield from _list("Warnings", run.warnings)


_VERBS = {
    Action.CREATE: "new",
    Action.REGENERATE: "rebuilt",
    Action.FINALISE: "fixed as it is",
    Action.SUPPLEMENT: "supplemented",
    Action.REOPEN: "reopened",
}


def _counted(outcomes: list[Outcome]) -> Iterator[str]:
    for action, verb in _VERBS.items():
        if here := [outcome for outcome in outcomes if outcome.action is action]:
            named = ", ".join(outcome.period for outcome in here[:3] if outcome.period)
            more = f" and {len(here) - 3} more" if len(here) > 3 else ""
            yield f"{len(here)} {verb}" + (f" ({named}{more})" if named else "")


def _list(title: str, items: list[str]) -> Iterator[str]:
    if items:
        yield f"{title}:"
        yield from (f"   {item}" for item in items[:MOST])
        if len(items) > MOST:
            yield f"   and {len(items) - MOST} more"


def gates(survey: Survey, changes: Sequence[Change], run: TreeRun, unread: Collection[str]) -> tuple[QualityGate, ...]:
    """Makes the plan checks: raw logs untouched, no empty node, no secret, supplements only append, no day forgotten.
    `unread`: nodes whose logs could not be read, which a warning names."""
    written = [change for change in changes if isinstance(change, Create | Replace)]
    empty = [change.path for change in written if not Document.from_bytes(change.content.encode()).body.strip()]
    ours = [change for change in written if node_place(change.path) is not None]
    secret = [f"{change.path}: {found}" for change in ours for found in find_secrets(change.content)[:1]]
    raw = [change.path for change in changes if is_raw_log(change.path)]
    lost = [path for path in _lost(survey, run) if path not in unread]
    checks = (
        ("raw_untouched", raw, "no raw log is written, moved or removed"),
        ("not_empty", empty, "every node has a body"),
        ("no_secrets", secret, "no node holds a secret"),
        ("supplements_only_add", _cut(survey, ours, run), "the body of a fixed node stays as it was"),
        ("coverage", lost, "every readable log is in its day, or waits, named"),
    )
    return tuple(QualityGate(name, not failed, ", ".join(failed[:3]) or fine) for name, failed, fine in checks)


def _lost(survey: Survey, run: TreeRun) -> list[str]:
    """Lists the days with a readable log that have no node after this plan and do not wait for a summary."""
    waiting = {*run.waiting, *run.held_back}
    paths = {node_path(NodeLevel.DAILY, day): day for day in survey.tree_files.periods[NodeLevel.DAILY]}
    return [
        path for path, day in paths.items() if survey.held(path) is None and survey.raws(day) and path not in waiting
    ]


def _cut(survey: Survey, written: Sequence[Create | Replace], run: TreeRun) -> list[str]:
    """Lists the supplemented nodes whose new body does not begin with the old one."""
    numbers = {outcome.n for outcome in run.outcomes if outcome.action is Action.SUPPLEMENT}
    failed = []
    for change in (change for change in written if change.n in numbers):
        old = Document.from_bytes(survey.snapshot.content(change.path)).body.rstrip("\n")
        if not Document.from_bytes(change.content.encode()).body.startswith(old):
            failed.append(change.path)
    return failed
