"""Prints plans, queue entries and diffs as text."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from engine.monitoring.comments import DiffComment, lines_words
from engine.plans.diff import FileDiff, unified
from engine.plans.flags import count_words, plan_trust
from engine.plans.plan import Change, Move, Plan, PlanState, QualityGate, QueueEntry, RiskTier
from engine.plans.sizes import PlanSizes
from tui.cli.output import Piece, Styled, Text, TextTable, pieces_of
from tui.cli.plan_json import line_counts
from tui.present.diff import flags, verb
from tui.present.glyphs import FAILED, FLAGGED, PASSED, RISK
from tui.present.words import ago, cost_words, moment, noun

TIER_COLORS = {RiskTier.A: "green", RiskTier.B: "yellow", RiskTier.C: "red"}
LABEL = 10  # columns of a label at the start of a line


def tier_piece(tier: RiskTier) -> Styled:
    return Styled(tier.value, fg=TIER_COLORS[tier], bold=True)


def plan_rows(plan: Plan, state: PlanState | None, diffs: Sequence[FileDiff]) -> Text:
    """Prints a plan: its state, reason and checks, and its changes, one on each line."""
    suffix = f" · {state.value}" if state is not None else ""
    yield (
        Styled(plan.id or "(not queued)", bold=True),
        f"  {plan.system} · {plan.trigger} · ",
        tier_piece(plan.risk_tier),
        suffix,
    )
    for label, pieces in _facts(plan):
        yield Styled(label.ljust(LABEL), dim=True), *pieces
    yield from changes_rows(plan, diffs)


def effect_rows(plan: Plan, sizes: PlanSizes) -> Text:
    """Draws every gauge that the plan moves, and the sizes of all lasting files."""
    from tui.present.approvals.effect_gauges import effects

    numbers = [change.n for change in plan.changes]
    for number, line in enumerate(effects(plan, sizes, numbers, most=len(numbers))):
        yield Styled(("" if number else "effect").ljust(LABEL), dim=True), *pieces_of(line)


def changes_rows(plan: Plan, diffs: Sequence[FileDiff]) -> Text:
    counts = line_counts(plan, diffs)
    added, removed = (sum(count[side] for count in counts.values()) for side in (0, 1))
    yield Styled("changes".ljust(LABEL), dim=True), f"{len(plan.changes):,}   +{added:,} -{removed:,} lines"
    yield TextTable([_change_row(change, *counts[change.n]) for change in plan.changes], right=frozenset({0, 4, 5}))
    for change in plan.changes:
        for warning in change.warnings:
            yield "  ", Styled(f"{RISK.glyph} {change.n}: {warning}", fg="yellow")


def diff_rows(number: int, total: int, title: str, diff: FileDiff, notes: Mapping[int, str] = {}) -> Text:
    """Prints the unified diff of a change in colours, every line made safe. `notes` are by line of the new file."""
    yield Styled(f"── {number}/{total}  {title}", bold=True)
    for line in unified(diff, notes=notes).splitlines():
        yield _diff_piece(line)


def plan_diffs_rows(
    plan: Plan, diffs: Sequence[FileDiff], numbers: Sequence[int], comments: Sequence[DiffComment] = ()
) -> Text:
    """Prints the diffs of some changes, each with what it omits and the operator's comments."""
    for change, diff in zip(plan.changes, diffs, strict=True):
        if change.n not in numbers:
            continue
        title = f"{verb(change)} {change.path}" + (f" → {change.to}" if isinstance(change, Move) else "")
        yield from diff_rows(change.n, len(plan.changes), title, diff, flag_notes(change, diff))
        if change.dropped:
            yield Styled("omitted from derived text:", dim=True)
            for dropped in change.dropped:
                yield "  ", Styled(dropped, dim=True)
        for comment in comments:
            if comment.lines.change == change.n:
                yield Styled(f"» comment {comment.number}, {lines_words(comment.lines)}: ", bold=True), comment.text


def flag_notes(change: Change, diff: FileDiff) -> dict[int, str]:
    """Maps each flagged line of the new file, by number, to its note."""
    return {line: f"{FLAGGED.glyph} flagged: {words}" for line, words in flags(change, diff).items()}


def queue_rows(entries: Sequence[QueueEntry], now: datetime) -> Text:
    if not entries:
        yield "the queue is empty · make a plan with `memdeck plan compact`"
        return
    rows: list[list[Piece]] = [
        [
            Styled(entry.id, bold=True),
            tier_piece(entry.risk_tier),
            entry.state.value,
            entry.system,
            entry.trigger,
            noun(entry.changes, "change"),
            ago(entry.made_at, now),
            Styled(f"{FLAGGED.glyph} {entry.flagged} flagged" if entry.flagged else "", fg="red"),
            f"asleep until {moment(entry.snoozed_until)}" if entry.snoozed_until else entry.state_reason,
        ]
        for entry in entries
    ]
    yield TextTable(rows, right=frozenset({5}))


def _facts(plan: Plan) -> list[tuple[str, list[Piece]]]:
    what_if = f" · what-if clock {moment(plan.now)}" if plan.simulated_clock else ""
    facts: list[tuple[str, list[Piece]]] = [
        ("digest", [plan.digest]),
        ("made", [moment(plan.made_at), what_if]),
        *(("" if number else "gates", _gate(gate)) for number, gate in enumerate(plan.gates)),
        ("cost", [cost_words(plan.cost)]),
    ]
    if flagged := count_words(plan.changes):
        facts.append(("flagged", [Styled(f"{FLAGGED.glyph} {flagged}", fg="red", bold=True)]))
    if (label := plan_trust(plan)) is not None:
        facts.append(("trust", [label.trust.value, f"  {label.why}"]))
    facts += [("confirm", [f"{confirmation.id}: {confirmation.question}"]) for confirmation in plan.confirmations]
    facts += [("warning", [Styled(f"{RISK.glyph} {warning}", fg="yellow")]) for warning in plan.warnings]
    if plan.redoes:
        facts.append(("redoes", [plan.redoes]))
    if plan.also:
        facts.append(("also", [", ".join(plan.also)]))
    return facts


def _gate(gate: QualityGate) -> list[Piece]:
    sign, color = (PASSED, "green") if gate.passed else (FAILED, "red")
    mark = Styled(f"{sign.glyph} {gate.id}", fg=color, bold=not gate.passed)
    return [mark, f"  {gate.detail}" if gate.detail else ""]


def _change_row(change: Change, added: int, removed: int) -> list[Piece]:
    return [
        f"  {change.n}",
        verb(change),
        change.path,
        tier_piece(change.risk_tier),
        f"+{added:,}",
        f"-{removed:,}",
        Styled(_origin(change), dim=True),
    ]


def _origin(change: Change) -> str:
    if isinstance(change, Move):
        return f"→ {change.to}"
    more = f" and {len(change.sources) - 1} more" if len(change.sources) > 1 else ""
    return f"← {change.sources[0]}{more}" if change.sources else ""


def _diff_piece(line: str) -> Piece:
    if line.startswith("@@"):
        return Styled(line, fg="cyan")
    if line.startswith(("+++", "---")):
        return Styled(line, bold=True)
    if line.startswith("! "):
        return Styled(line, fg="red", bold=True)
    if line.startswith("+"):
        return Styled(line, fg="green")
    return Styled(line, fg="red") if line.startswith("-") else line
