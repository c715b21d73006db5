"""Holds what the Approvals screen knows of plans: those read, their marks, and which diffs were on screen."""

from collections import OrderedDict
from collections.abc import Collection
from datetime import datetime
from typing import Literal, NamedTuple

from engine.plans.flags import reaches_lasting
from engine.plans.operation import Operation, OperationKind
from engine.plans.plan import OPEN_STATES, Change, Move, Plan, PlanState, QueueEntry, RiskTier
from engine.services.engine import Engine
from tui.present import glyphs
from tui.present.approvals import marks
from tui.present.approvals.plan import LoadedPlan, state_words

End = Literal["first", "last"]  # the first or the last line of a diff that says what changes
_KEPT = 32  # plans kept in memory, so that going up and down the queue reads each once


class ChangeLook(NamedTuple):
    """Changes that stand together on screen, and which ends of what they say are in view."""

    numbers: tuple[int, ...]
    ends: frozenset[End]
    grouped: bool = False


def load(engine: Engine, plan_id: str) -> LoadedPlan:
    """Reads a plan whole, with its digest and diffs; for a thread."""
    plan = engine.plans.load(plan_id, to_look=True)
    loaded = LoadedPlan(
        plan=plan,
        digest=plan.digest,
        diffs=engine.plans.diffs(plan),
        entries=engine.entries.of_plan(plan),
        sizes=engine.plans.sizes(plan),
        comments=engine.comments.of_plan(plan.id),
    )
    _ = loaded.likenesses, loaded.sizes.files(change.n for change in plan.changes)
    return loaded


class ApprovalsState:
    """Plans by id. Marks and looks belong to a digest: a plan that changed starts without."""

    def __init__(self) -> None:
        self._loaded: OrderedDict[str, LoadedPlan] = OrderedDict()
        self._marks: dict[str, frozenset[int]] = {}
        self._seen: dict[str, frozenset[int]] = {}
        self._grouped: dict[str, frozenset[int]] = {}
        """The changes that were on screen as one of a group of those alike."""
        self._ends: dict[tuple[str, tuple[int, ...]], frozenset[End]] = {}
        """The ends of changes that were on screen, by digest and numbers."""
        self.operations: dict[str, Operation] = {}

    def keep(self, loaded: LoadedPlan) -> None:
        self._loaded[loaded.plan.id] = loaded
        self._loaded.move_to_end(loaded.plan.id)
        while len(self._loaded) > _KEPT:
            self._loaded.popitem(last=False)

    def forget(self, plan_id: str) -> None:
        """Drops what was read of a plan; its marks and looks stay."""
        self._loaded.pop(plan_id, None)

    def get(self, entry: QueueEntry | None) -> LoadedPlan | None:
        """The plan of an entry as it was read, if it still is that plan."""
        loaded = self._loaded.get(entry.id) if entry else None
        return loaded if loaded and entry and loaded.digest == entry.digest else None

    def take_operations(self, operations: tuple[Operation, ...]) -> None:
        """The newest apply of each plan; `operations` come newest first."""
        applied = [operation for operation in operations if operation.kind is OperationKind.APPLY]
        self.operations = {operation.plan: operation for operation in reversed(applied)}

    def marks(self, loaded: LoadedPlan) -> frozenset[int]:
        return self._marks.get(loaded.digest, frozenset())

    def toggle(self, loaded: LoadedPlan, number: int) -> str:
        """Marks or unmarks a change; returns what else changed with it, in words."""
        marked = marks.toggle(loaded.plan, self.marks(loaded), number)
        self._marks[loaded.digest] = marked.marks
        return marked.explanation

    def chosen(self, loaded: LoadedPlan) -> tuple[int, ...]:
        return marks.chosen(loaded.plan, self.marks(loaded))

    def seen(self, loaded: LoadedPlan) -> frozenset[int]:
        """The changes that were on screen, each on its own or as one of a group."""
        none: frozenset[int] = frozenset()
        return self._seen.get(loaded.digest, none) | self._grouped.get(loaded.digest, none)

    def saw(self, loaded: LoadedPlan, look: ChangeLook) -> bool:
        """Notes an end of changes that is on screen; whether that made them seen, which takes both ends."""
        half, members = (loaded.digest, look.numbers), len(look.numbers) > 1 or look.grouped
        ends = self._ends.get(half, frozenset()) | look.ends
        self._ends[half] = ends
        kept = self._grouped if members else self._seen
        before = kept.get(loaded.digest, frozenset())
        if len(ends) < 2 or before.issuperset(look.numbers):
            return False
        kept[loaded.digest] = before | set(look.numbers)
        return True

    def how_grouped(self, loaded: LoadedPlan, numbers: Collection[int]) -> bool:
        """Tells whether some of the changes were looked at only as one of a group (decision G22)."""
        each = self._seen.get(loaded.digest, frozenset())
        return bool(self._grouped.get(loaded.digest, frozenset()).difference(each).intersection(numbers))

    def unseen(self, loaded: LoadedPlan, numbers: Collection[int]) -> tuple[int, ...]:
        """The changes that must be on screen before a yes counts, and were not (decisions G22, G24). Of a plan of tier
        B all; of tier C each of tier C, flagged lines on their way into memory that lasts, and of the others what they
        would need as a plan by themselves."""
        plan, seen, picks = loaded.plan, self.seen(loaded), set(numbers)
        chosen = [change for change in plan.changes if change.n in picks]
        has_b = any(change.risk_tier is RiskTier.B for change in chosen)
        return tuple(one.n for one in chosen if one.n not in seen and (has_b or _must_be_seen(one)))

    def looked_at(self, loaded: LoadedPlan) -> bool:
        """Tells whether any of a plan's diffs was on screen."""
        return not loaded.plan.changes or bool(self.seen(loaded))

    @staticmethod
    def why_not_approve(entry: QueueEntry, loaded: LoadedPlan, now: datetime) -> str:
        """Says why this plan can't be approved now; empty where the question can be asked."""
        if entry.state not in OPEN_STATES:
            anew = " · d plans it again" if entry.state is PlanState.STALE else ""
            return f"{entry.id} can't be approved: {state_words(entry, now)}{anew}"
        if not loaded.plan.changes:
            return "this plan changes nothing"
        return failed_gates(loaded.plan)


def ends_of(in_view: tuple[bool, bool]) -> frozenset[End]:
    """Names the ends of a diff that are in view."""
    ends: tuple[End, End] = ("first", "last")
    return frozenset(end for end, there in zip(ends, in_view, strict=True) if there)


def without_a_diff(loaded: LoadedPlan) -> frozenset[int]:
    """The changes whose diff does not say what they write: that of a file that is no text has no rows."""
    pairs = zip(loaded.plan.changes, loaded.diffs, strict=True)
    return frozenset(c.n for c, diff in pairs if not (isinstance(c, Move) or diff.rows or not c.content))


def _must_be_seen(change: Change) -> bool:
    """Tells whether a change must be seen whatever stands beside it."""
    return change.risk_tier is RiskTier.C or bool(change.flagged and reaches_lasting(change))


def failed_gates(plan: Plan) -> str:
    """Names the gates that keep a plan from being approved; empty where none does."""
    failed = [gate.id for gate in plan.gates if not gate.passed]
    return f"{glyphs.FAILED.glyph} blocked by a plan check: {', '.join(failed)}" if failed else ""
