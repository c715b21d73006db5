"""Shows the head of a plan: reason, checks, questions, warnings, cost, changes, approval and execution."""

from collections import Counter
from collections.abc import Callable, Collection
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from engine.errors import MemdeckError
from engine.plans.diff import FileDiff
from engine.plans.flags import count_words, plan_trust
from engine.plans.operation import Operation, OperationState
from engine.plans.plan import OPEN_STATES, Change, Move, Plan, PlanState, QueueEntry
from engine.plans.sizes import PlanSizes
from engine.plans.trust_label import Trust
from tui.present import glyphs
from tui.present.approvals.effect_gauges import effects
from tui.present.diff import LABEL, figures, short_figures, verb
from tui.present.spans import LazyRows, Line, ListRow, Role, Span, join
from tui.present.words import ago, clock, cost_words, noun, safe, tail

if TYPE_CHECKING:
    from engine.compactor.semantic.entry_edit import PlannedEntry
    from engine.monitoring.comments import DiffComment
    from engine.plans.alike import Likeness

Made = TypeVar("Made")


class LoadedPlan(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A plan in full, with its digest and the diff of each change: what the operator reads and approves."""

    plan: Plan
    digest: str
    diffs: tuple[FileDiff, ...]
    entries: "tuple[PlannedEntry, ...]" = ()  # its semantic entries, each of which can be reworded
    sizes: PlanSizes = PlanSizes()  # the files that last, before and after
    comments: "tuple[DiffComment, ...]" = ()  # the operator's comments on its lines

    def is_flagged(self, index: int) -> bool:
        """Tells whether a line of the change at an index is flagged, by a rule or by what it says otherwise."""
        return bool(self.plan.changes[index].flagged or self.diffs[index].notes)

    @cached_property
    def likenesses(self) -> "tuple[Likeness, ...]":
        """The kind and size of each change, in order; `load` computes them in its thread."""
        from engine.plans.alike import likeness

        return tuple(map(likeness, self.plan.changes, self.diffs))

    @cached_property
    def _shown(self) -> dict[str, tuple[object, Any]]:
        return {}

    def shown(self, part: str, given: object, make: Callable[[], Made]) -> Made:
        """Returns a part of the screen, made again only if `given` changed: moving through the queue is frequent."""
        kept = self._shown.get(part)
        if kept is None or kept[0] != given:
            kept = self._shown[part] = given, make()
        made: Made = kept[1]
        return made


def label(name: str) -> Span:
    return Span(f"{name:<{LABEL}}", "muted")


def title(entry: QueueEntry, now: datetime) -> Line:
    """Returns `p-20260315-0001  compact · working_files · B   made 4 min ago · ✓ fresh`."""
    tier = glyphs.RISK_TIERS[entry.risk_tier]
    what = Span(f"{safe(entry.system)} · {safe(entry.trigger)} · ", "text")
    made = f"made {ago(entry.made_at, now)}"
    return (Span(f"{safe(entry.id)}  ", "title"), what, Span(tier.glyph, tier.role), Span(f"  {made}", "muted"))


class PlanProgress(NamedTuple):
    """The state of a plan beyond its queue entry: its operation, the work under way, and why it failed."""

    operation: Operation | None = None
    under_way: str = ""
    failure: MemdeckError | None = None


def head(entry: QueueEntry, loaded: LoadedPlan, chosen: tuple[int, ...], standing: PlanProgress) -> tuple[Line, ...]:
    """Lists the head of a plan, the most important lines first, so that a short pane loses the least."""
    plan = loaded.plan
    questions = () if over(entry) else plan.confirmations_of(chosen)
    asked = [(label("asks"), Span(safe(item.question), "warn")) for item in questions]
    lines = [*_standing(entry, standing), _why(plan), *_effect(entry, loaded, chosen)]
    lines += [*_flagged(loaded, chosen), *asked, *_warnings(plan)]
    lines += [_changes(entry, loaded, chosen), _left_out(plan, chosen), _gates(plan), _made_with(plan)]
    return tuple(line for line in lines if line)


def _why(plan: Plan) -> Line:
    words = glyphs.TRIGGER_WORDS.get(plan.trigger, "")
    why = f"{words} ({plan.trigger})" if words else plan.trigger
    again = f" · does {plan.redoes} again" if plan.redoes else ""
    return (label("why"), Span(safe(why + again)))


def _standing(entry: QueueEntry, standing: PlanProgress) -> list[Line]:
    given: Line = (label("approval"), Span("✓ given", "ok"))
    if standing.under_way:
        return [given, (label("execution"), Span(f"◐ {safe(standing.under_way)}…", "info"))]
    if standing.failure is not None and entry.state in OPEN_STATES:
        failure = standing.failure
        said = (Span(f"✗ {failure.title}: ", "blocked"), Span(safe(failure.line()), "blocked"))
        return [(*given, Span("   spent: approve again", "muted")), (label("execution"), *said)]
    return _state(entry, standing.operation)


def _state(entry: QueueEntry, operation: Operation | None) -> list[Line]:
    """Shows approval and execution as two separate facts; neither is inferred from the other."""
    sign = glyphs.PLAN_STATES[entry.state]
    reason = (Span(f"  {safe(entry.state_reason)}", "muted"),) if entry.state_reason else ()
    match entry.state:
        case PlanState.PENDING:
            return [(label("approval"), Span("○ not given", "info"), Span("   execution · not started", "muted"))]
        case PlanState.STALE | PlanState.SUPERSEDED:
            anew = (Span("   d plans it again", "muted"),) if entry.state is PlanState.STALE else ()
            return [(label("approval"), Span("✗ void  ", "blocked"), sign.span, *anew, *reason)]
        case PlanState.REJECTED:
            return [(label("approval"), Span("✗ rejected", "blocked"), *reason)]
        case PlanState.EXPIRED:
            return [(label("approval"), sign.span, Span("   ctrl+a approves again", "muted"), *reason)]
        case PlanState.APPROVED:
            started = Span("· not started   ctrl+a approves again", "muted")
            return [_given(operation), (label("execution"), started, *reason)]
        case PlanState.APPLYING:
            return [_given(operation), (label("execution"), sign.span, *reason)]
        case PlanState.APPLIED | PlanState.PARTIAL | PlanState.CONFLICT | PlanState.UNDONE:
            return [_given(operation), (label("execution"), sign.span, *_result(operation), *reason)]


def over(entry: QueueEntry) -> bool:
    """Tells whether a plan can no longer be approved and is not being applied."""
    return entry.state not in OPEN_STATES | {PlanState.APPLYING}


def not_open(entry: QueueEntry) -> Line:
    """Returns the state of a closed plan, for a view without its head; empty for an open plan."""
    return () if entry.state in OPEN_STATES else (glyphs.PLAN_STATES[entry.state].span,)


def _given(operation: Operation | None) -> Line:
    approval = operation.approval if operation else None
    if operation is not None and approval is None:
        return (label("approval"), Span("✓ by policy", "ok"), Span("   risk tier A may run by itself", "muted"))
    if approval is None:
        return (label("approval"), Span("✓ given", "ok"))
    who = f"   by {approval.witness.user} on {approval.witness.tty} at {approval.granted_at:%Y-%m-%d %H:%M %Z}"
    return (label("approval"), Span("✓ given", "ok"), Span(safe(who), "muted"))


def _result(operation: Operation | None) -> Line:
    if operation is None:
        return ()
    parts = [operation.id]
    if operation.state is not OperationState.UNDONE and len(operation.done) != len(operation.effects):
        parts.append(f"{len(operation.done):,} of {noun(len(operation.effects), 'change')}")
    if operation.commit:
        parts.append(f"commit {operation.commit[:9]}")
    if operation.undone_by:
        parts.append(f"undone by {operation.undone_by}")
    problems = tuple(Span(f"  ▲ {safe(problem)}", "risk") for problem in operation.problems)
    return (Span("   " + safe(" · ".join(parts)), "muted"), *problems)


def _gates(plan: Plan) -> Line:
    if not plan.gates:
        return ()
    signs = [(glyphs.PASSED if gate.passed else glyphs.FAILED, gate) for gate in plan.gates]
    words: list[Line] = []
    for sign, gate in signs:
        detail = "" if gate.passed or not gate.detail else f": {safe(gate.detail)}"
        words.append((Span(f"{sign.glyph} {safe(gate.id.replace('_', '-'))}", sign.role), Span(detail, "blocked")))
    return (label("checks"), *join(words, Span("  ")))


def _warnings(plan: Plan) -> list[Line]:
    lines: list[Line] = [(label("warning"), Span(f"▲ {safe(text)}", "risk")) for text in plan.warnings]
    if plan.simulated_clock:
        lines.append((label("what-if"), Span(f"! made as if it were {plan.now:%Y-%m-%d %H:%M %Z}", "warn")))
    return lines


_SAYS = {
    "number": ("changes a number", "change a number"),
    "name": ("changes a name", "change a name"),
    "guard": ("loses a guard", "lose a guard"),
    "denial": ("denies something now", "deny something now"),
    "source": ("is not what its source says", "are not what their sources say"),
}


def flag_spans(loaded: LoadedPlan, numbers: Collection[int]) -> list[Span]:
    """Counts the flagged lines of the chosen changes: by rule, and by what changed lines say otherwise."""
    picks = frozenset(numbers)
    chosen = [pair for pair in zip(loaded.plan.changes, loaded.diffs, strict=True) if pair[0].n in picks]
    kinds = Counter(kind for _, diff in chosen for notes in diff.notes.values() for kind in {one.kind for one in notes})
    said = " · ".join(f"{noun(many, 'line')} {_SAYS[kind][many > 1]}" for kind, many in kinds.items())
    words = (count_words(change for change, _ in chosen), said)
    return [Span(f"{glyphs.FLAGGED.glyph} {one}", glyphs.FLAGGED.role) for one in words if one]


def _flagged(loaded: LoadedPlan, chosen: tuple[int, ...]) -> list[Line]:
    """Counts the flagged lines of the chosen changes, and shows the trust of their sources."""
    keys = Span("   f shows each", "muted")
    lines: list[Line] = [
        (label("flagged"), sign, keys) if at == 0 else (label(""), sign)
        for at, sign in enumerate(flag_spans(loaded, chosen))
    ]
    if (trust := plan_trust(loaded.plan)) is not None:
        why = Span(f"  {safe(trust.why)}", "muted")
        lines.append((label("trust"), Span(trust.trust.value, TRUST_ROLES[trust.trust]), why))
    return lines


TRUST_ROLES: dict[Trust, Role] = {
    Trust.OPERATOR: "ok",
    Trust.AGENT: "text",
    Trust.TOOL: "warn",
    Trust.UNTRUSTED: "risk",
}


def _changes(entry: QueueEntry, loaded: LoadedPlan, chosen: tuple[int, ...]) -> Line:
    changes, picks, what = loaded.plan.changes, set(chosen), "approved" if over(entry) else "marked"
    taken = [(change, diff) for change, diff in zip(changes, loaded.diffs, strict=True) if change.n in picks]
    verbs = Counter(verb(change) for change, _ in taken)
    kinds = ", ".join(noun(number, name) for name, number in verbs.items()) or "none"
    picked = (Span(f"{len(taken):,} of {len(changes):,} {what} · ", "accent"),) if len(taken) != len(changes) else ()
    return (label("changes"), *picked, Span(kinds), *figures(*(diff for _, diff in taken), before="   "))


def _effect(entry: QueueEntry, loaded: LoadedPlan, chosen: tuple[int, ...]) -> list[Line]:
    """Draws the gauges that the chosen changes would move; empty for a plan that is no longer open."""
    drawn = effects(loaded.plan, loaded.sizes, chosen) if entry.state in OPEN_STATES else ()
    return [(label("effect" if number == 0 else ""), *line) for number, line in enumerate(drawn)]


def _left_out(plan: Plan, chosen: tuple[int, ...]) -> Line:
    picks = set(chosen)
    dropped = sum(len(change.dropped) for change in plan.changes if change.n in picks)
    where = "the diff that would have it" if dropped == 1 else "the diffs that would have them"
    words = f"{noun(dropped, 'thing')}, named above {where}"
    return (label("omitted"), Span(words, "warn")) if dropped else ()


def _made_with(plan: Plan) -> Line:
    model = f"{plan.model.name} {plan.model.version}" if plan.model else "no model"
    bound = f"{noun(len(plan.inputs), 'file')} read"
    return (label("made by"), Span(safe(f"{model} · {plan.tokenizer} · {cost_words(plan.cost)} · {bound}"), "muted"))


def unread(error: MemdeckError) -> tuple[Line, ...]:
    """Says, in place of a diff, why a plan cannot be read and what the operator can do."""
    facts = (("where", error.where), ("why", error.message), ("next", error.hint))
    told = tuple((label(name), Span(safe(" ".join(text.split())))) for name, text in facts if text)
    return ((Span(f"✗ {error.title}", "blocked"),), (), *told)


class ChangeRows(LazyRows[tuple[Change, FileDiff]]):
    """Makes a row for each change; if the plan is `over`, the marks are the approved changes."""

    def __init__(self, loaded: LoadedPlan, marks: frozenset[int], seen: frozenset[int], *, over: bool = False) -> None:
        super().__init__(tuple(zip(loaded.plan.changes, loaded.diffs, strict=True)))
        self._marks, self._seen, self._over = marks, seen, over
        self._kept: dict[int, ListRow] = {}

    def row(self, index: int) -> ListRow:
        """Makes each row once, because every key compares all rows in view."""
        if index not in self._kept:
            self._kept[index] = super().row(index)
        return self._kept[index]

    def made(self, pair: tuple[Change, FileDiff]) -> ListRow:
        change, diff = pair
        tier = glyphs.RISK_TIERS[change.risk_tier]
        marked = (Span("✓ " if change.n in self._marks else "  ", "ok"),) if self._marks else ()
        folder, _, name = tail(change.path).rpartition("/")
        if isinstance(change, Move):
            folder = f"→ {tail(change.to).rpartition('/')[0]}"
        left = (*marked, Span(f"{tier.glyph} ", tier.role), Span(f"{verb(change):<8}", "muted"), Span(name))
        extra: Line = (Span(f"  {folder}", "muted"),) if folder else ()
        risk = Span(" ▲", "risk") if change.warnings else Span("")
        flags = Span(f" {glyphs.FLAGGED.glyph}", glyphs.FLAGGED.role) if change.flagged or diff.notes else Span("")
        eye = () if self._over else (Span("  " if change.n in self._seen else " ○", "info"),)
        return ListRow(left, (flags, risk, *short_figures(diff), *eye), extra)


def changes_title(loaded: LoadedPlan, current: int) -> Line:
    """Returns `Changes 3/24`."""
    total = len(loaded.plan.changes)
    return (Span("Changes", "title"), Span(f" {min(current + 1, total):,}/{total:,}", "accent"))


def changes_foot(
    entry: QueueEntry, loaded: LoadedPlan, marks: frozenset[int], seen: frozenset[int], *, read_only: bool = False
) -> Line:
    """Says below the list which changes an approval would cover or did cover, and how many were not viewed."""
    if marks:
        return (Span(f"{len(marks):,} {'approved' if over(entry) else 'marked'}", "accent"),)
    total = len(loaded.plan.changes)
    if over(entry) or not total:
        return ()
    unseen: Line = (Span("○", "info"), Span(" not viewed", "muted")) if len(seen) < total else ()
    askable = entry.state in OPEN_STATES and total > 1 and not read_only
    covers: Line = (Span(f"ctrl+a: all {total:,}", "muted"),) if askable else ()
    return join([unseen, covers], Span(" · ", "muted"))


def state_words(entry: QueueEntry, now: datetime) -> str:
    """Describes the state of a plan for messages: `stale since 14:05: memory/working/x.md changed`."""
    reason = f": {entry.state_reason}" if entry.state_reason else ""
    return safe(f"{glyphs.PLAN_STATES[entry.state].word} since {clock(entry.state_since, now)}{reason}")
