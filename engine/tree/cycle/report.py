"""The report of a cycle, as text and as plain values."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import msgspec

from engine.text.safe_text import visible_line
from engine.text.secrets.detector import redact
from engine.tree.levels import NodeLevel
from engine.tree.survey.transitions import Action
from engine.workspace.values import Skipped

MOST = 12
"""Items of one list that the text shows; JSON has them all."""


class Outcome(msgspec.Struct, frozen=True):
    """The effect of one change."""

    n: int
    level: NodeLevel
    period: str
    action: Action
    method: str
    fixed: bool


class TreeRun(msgspec.Struct, frozen=True, kw_only=True):
    """All that a cycle has to report. `waiting` is the backlog: nodes whose summary this cycle has no room for."""

    today: date
    tokenizer: str
    outcomes: tuple[Outcome, ...]
    waiting: tuple[str, ...]
    shown: tuple[str, ...]
    quarantined: tuple[Skipped, ...]
    warnings: tuple[str, ...]
    cycles: int
    drain: bool
    reason_no_action: str | None = None
    held_back: tuple[str, ...] = ()
    """Nodes that are left out because each would hold a secret; the warnings say which, and on which line."""


def report_text(run: TreeRun) -> str:
    """The whole report, safe to show line by line."""
    return redact("\n".join(visible_line(line) for line in _lines(run)) + "\n", keep_lines=True)


def _lines(run: TreeRun) -> Iterator[str]:
    note = "dry run: nothing is written until it is approved" if run.reason_no_action is None else "no action"
    yield f"🌳 Compaction tree, {run.today.isoformat()} ({note})"
    for level in NodeLevel:
        here = [outcome for outcome in run.outcomes if outcome.level is level]
        if here:
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
        here = [outcome for outcome in outcomes if outcome.action is action]
        if here:
            named = ", ".join(outcome.period for outcome in here[:3] if outcome.period)
            more = f" and {len(here) - 3} more" if len(here) > 3 else ""
            yield f"{len(here)} {verb}" + (f" ({named}{more})" if named else "")


def _list(title: str, items: tuple[str, ...] | list[str]) -> Iterator[str]:
    if items:
        yield f"{title}:"
        yield from (f"   {item}" for item in items[:MOST])
        if len(items) > MOST:
            yield f"   and {len(items) - MOST} more"


def facts_json(run: TreeRun) -> dict[str, Any]:
    """The same as plain values, for JSON."""
    return {
        "today": run.today.isoformat(),
        "tokenizer": run.tokenizer,
        "nodes": [
            {
                "change": outcome.n,
                "level": outcome.level.value,
                "period": outcome.period,
                "action": outcome.action.value,
                "summary": outcome.method,
                "fixed": outcome.fixed,
            }
            for outcome in run.outcomes
        ],
        "waiting": list(run.waiting),
        "held_back": list(run.held_back),
        "backlog": len(run.waiting),
        "left_alone": list(run.shown),
        "quarantined": [{"path": item.path, "reason": item.reason} for item in run.quarantined],
        "warnings": list(run.warnings),
        "cycles": run.cycles,
        "drain": run.drain,
        "reason_no_action": run.reason_no_action,
    }
