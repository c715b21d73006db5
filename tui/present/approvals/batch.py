"""Decides which marked plans can be approved together, says why others cannot, and asks for the approval."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from engine.plans.flags import APPROVED_ALONE
from engine.plans.plan import OPEN_STATES, Plan, QueueEntry, RiskTier
from tui.present import glyphs
from tui.present.approvals.approval_question import ApprovalText, bound_to
from tui.present.approvals.plan_head import LoadedPlan
from tui.present.approvals.queue_rows import target_words
from tui.present.spans import LazyRows, Line, ListRow, Span
from tui.present.words import count, noun, safe

MOST = 200  # plans of one batch: more than that nobody looks through


class BatchItem(NamedTuple):
    """A plan of a batch."""

    entry: QueueEntry
    loaded: LoadedPlan
    numbers: tuple[int, ...]  # the changes that would be applied: the marked ones, or all
    agent: str = ""  # the agent that it is about, where the batch is of several

    @property
    def name(self) -> str:
        return f"{self.agent} {self.entry.id}".strip()


def why_not(entry: QueueEntry) -> str:
    """Says why a queued plan cannot join a batch, without reading the plan itself; empty if it can."""
    if entry.risk_tier is RiskTier.C:
        return "risk tier C: each is approved alone"
    if entry.flagged:
        return APPROVED_ALONE
    if entry.state not in OPEN_STATES:
        return glyphs.PLAN_STATES[entry.state].word
    return "" if entry.changes else "changes nothing"


def gates_failed(plan: Plan) -> str:
    """Says why a plan cannot join a batch, once the plan is read; empty if it can."""
    if plan.flagged_lines():
        return APPROVED_ALONE
    return "blocked by a plan check" if any(not gate.passed for gate in plan.gates) else ""


def ask(items: Sequence[BatchItem], left_out: Sequence[str]) -> ApprovalText:
    """Asks for the number of plans as the yes. Raises `ValueError` for tier C and for flagged lines."""
    if any(item.loaded.plan.flagged_lines() for item in items):
        raise ValueError("a plan with flagged lines is approved alone")
    bound = tuple(bound_to(item.loaded, item.numbers) for item in items)
    if any(target.risk_tier is RiskTier.C for target in bound):
        raise ValueError("a plan of risk tier C is approved alone")
    what = noun(len(items), "plan")
    return ApprovalText(
        title=(Span(f"Approve {what}", "title"), Span(" · each for its own digest", "muted")),
        body=tuple(_body(items, left_out)),
        bound=bound,
        word=str(len(items)),
        yes=f"apply {what}",
    )


def _body(items: Sequence[BatchItem], left_out: Sequence[str]) -> list[Line]:
    changes = sum(len(item.numbers) for item in items)
    added, removed = (sum(_figure(item, side) for item in items) for side in ("added", "removed"))
    tiers = Counter(item.loaded.plan.tier_of(item.numbers).value for item in items)
    kinds = ", ".join(f"{number} of risk tier {tier}" for tier, number in sorted(tiers.items()))
    said = Span(f"Applies {noun(changes, 'change')} of {noun(len(items), 'plan')}: {kinds}  ")
    gone = Span(f" −{count(removed)}", "blocked" if removed else "muted")
    lines: list[Line] = [(said, Span(f"+{count(added)}", "ok"), gone)]
    lines += [
        (Span("■ ", "blocked"), Span(f"{number} omitted: {why}", "warn")) for why, number in Counter(left_out).items()
    ]
    if warned := sum(bool(item.loaded.plan.warnings) for item in items):
        warns = Span(f"▲ {noun(warned, 'plan')} with warnings: ", "risk")
        lines.append((warns, Span("they stand beside the list", "muted")))
    return lines


def _figure(item: BatchItem, side: str) -> int:
    pairs = zip(item.loaded.plan.changes, item.loaded.diffs, strict=True)
    return sum(getattr(diff, side) for change, diff in pairs if change.n in item.numbers)


class BatchRows(LazyRows[BatchItem]):
    """Shows each plan of a batch as a row: its tier, what it does, its figures, and whether it was viewed."""

    def __init__(self, items: Sequence[BatchItem], looked_at: frozenset[str]) -> None:
        super().__init__(items)
        self._looked_at = looked_at

    def row(self, index: int) -> ListRow:
        item = self.items[index]
        tier = glyphs.RISK_TIERS[item.entry.risk_tier]
        left = (
            Span(f"{index + 1:>3}  ", "muted"),
            Span(f"{tier.glyph} ", tier.role),
            Span(f"{safe(item.agent)} " if item.agent else "", "accent"),
            Span(f"{safe(item.entry.system):<8} ", "strong"),
            Span(target_words(item.entry)),
        )
        warned = Span("▲ ", "risk") if item.loaded.plan.warnings else Span("")
        total = len(item.loaded.plan.changes)
        changes = noun(total, "change") if len(item.numbers) == total else f"{len(item.numbers):,} of {total:,} changes"
        eye = Span("  " if item.entry.digest in self._looked_at else " ○", "info")
        return ListRow(left, (warned, Span(changes, "muted"), eye))
