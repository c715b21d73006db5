"""Holds what the Approvals screen knows of plans: those read, marks, and which diffs were on screen."""

from collections import Counter, OrderedDict
from collections.abc import Collection
from datetime import datetime
from typing import Literal, NamedTuple

from engine.plans.diff import FileDiff, RowKind
from engine.plans.flags import reaches_lasting
from engine.plans.operation import Operation, OperationKind
from engine.plans.plan import OPEN_STATES, Change, Move, Plan, PlanState, QueueEntry, RiskTier
from engine.services.engine import Engine
from tui.present import glyphs
from tui.present.approvals import change_marks as marks
from tui.present.approvals.plan_head import LoadedPlan, state_words

End = Literal["first", "last"]  # the first or the last line of a diff that says what changes
_KEPT = 32  # plans kept in memory, so that going up and down the queue reads each once


class ChangeLook(NamedTuple):
    """Changes shown together, and which ends of their diff are visible."""

    numbers: tuple[int, ...]
    ends: frozenset[End]
    grouped: bool = False


def load(engine: Engine, plan_id: str) -> LoadedPlan:
    """Reads a plan with its digest and diffs, in a thread."""
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
    """Holds plans by id; marks and views belong to a digest, so that a changed plan starts without."""

    def __init__(self) -> None:
        self._loaded: OrderedDict[str, LoadedPlan] = OrderedDict()
        self._marks: dict[str, frozenset[int]] = {}
        self._seen: dict[str, frozenset[int]] = {}
        self._grouped: dict[str, frozenset[int]] = {}
        """Changes that were on screen only as members of a group, by digest."""
        self._ends: dict[tuple[str, tuple[int, ...]], frozenset[End]] = {}
        """The ends of diffs that were on screen, by digest and change numbers."""
        self.operations: dict[str, Operation] = {}

    def keep(self, loaded: LoadedPlan) -> None:
        """Keeps a plan that was read. What is in it as it was in one that was looked at stays seen."""
        for seen in (self._seen, self._grouped) if loaded.digest not in self._seen else ():
            for old in [one for one in self._loaded.values() if one.plan.system == loaded.plan.system]:
                if again := seen_again(old, loaded, seen.get(old.digest, frozenset())):
                    seen[loaded.digest] = seen.get(loaded.digest, frozenset()) | again
        self._loaded[loaded.plan.id] = loaded
        self._loaded.move_to_end(loaded.plan.id)
        while len(self._loaded) > _KEPT:
            self._loaded.popitem(last=False)

    def forget(self, plan_id: str) -> None:
        """Drops a plan as read, and keeps its marks and views."""
        self._loaded.pop(plan_id, None)

    def get(self, entry: QueueEntry | None) -> LoadedPlan | None:
        """Returns the plan of an entry; None if it was not read or has changed since."""
        loaded = self._loaded.get(entry.id) if entry else None
        return loaded if loaded and entry and loaded.digest == entry.digest else None

    def take_operations(self, operations: tuple[Operation, ...]) -> None:
        """Keeps the newest apply of each plan; `operations` come newest first."""
        applied = [operation for operation in operations if operation.kind is OperationKind.APPLY]
        self.operations = {operation.plan: operation for operation in reversed(applied)}

    def marks(self, loaded: LoadedPlan) -> frozenset[int]:
        return self._marks.get(loaded.digest, frozenset())

    def toggle(self, loaded: LoadedPlan, number: int) -> str:
        """Marks or unmarks a change, and says which other marks changed."""
        marked = marks.toggle(loaded.plan, self.marks(loaded), number)
        self._marks[loaded.digest] = marked.marks
        return marked.explanation

    def chosen(self, loaded: LoadedPlan) -> tuple[int, ...]:
        return marks.chosen(loaded.plan, self.marks(loaded))

    def seen(self, loaded: LoadedPlan) -> frozenset[int]:
        """Returns the changes that were on screen, alone or in a group."""
        none: frozenset[int] = frozenset()
        return self._seen.get(loaded.digest, none) | self._grouped.get(loaded.digest, none)

    def saw(self, loaded: LoadedPlan, look: ChangeLook) -> bool:
        """Notes visible ends of a diff, and tells whether that made its changes seen, which takes both ends."""
        half, members = (loaded.digest, look.numbers), len(look.numbers) > 1 or look.grouped
        ends = self._ends.get(half, frozenset()) | look.ends
        self._ends[half] = ends
        kept = self._grouped if members else self._seen
        before = kept.get(loaded.digest, frozenset())
        if len(ends) < 2 or before.issuperset(look.numbers):  # seen takes the first and the last changed row (G22)
            return False
        kept[loaded.digest] = before | set(look.numbers)
        return True

    def how_grouped(self, loaded: LoadedPlan, numbers: Collection[int]) -> bool:
        """Tells whether some of the changes were viewed only in a group (decision G22)."""
        each = self._seen.get(loaded.digest, frozenset())
        return bool(self._grouped.get(loaded.digest, frozenset()).difference(each).intersection(numbers))

    def unseen(self, loaded: LoadedPlan, numbers: Collection[int]) -> tuple[int, ...]:
        """Returns the changes that must be on screen before a yes counts, and were not (decisions G22, G24): with a
        change of tier B all of them, else those of tier C and flagged lines for lasting memory."""
        plan, seen, picks = loaded.plan, self.seen(loaded), set(numbers)
        chosen = [change for change in plan.changes if change.n in picks]
        has_b = any(change.risk_tier is RiskTier.B for change in chosen)
        must = (c.n for c in chosen if has_b or c.risk_tier is RiskTier.C or (c.flagged and reaches_lasting(c)))
        return tuple(number for number in must if number not in seen)

    def looked_at(self, loaded: LoadedPlan) -> bool:
        """Tells whether any of a plan's diffs was on screen."""
        return not loaded.plan.changes or bool(self.seen(loaded))

    @staticmethod
    def why_not_approve(entry: QueueEntry, loaded: LoadedPlan, now: datetime) -> str:
        """Says why a plan cannot be approved now; empty if it can."""
        if entry.state not in OPEN_STATES:
            anew = " · d plans it again" if entry.state is PlanState.STALE else ""
            return f"{entry.id} can't be approved: {state_words(entry, now)}{anew}"
        if not loaded.plan.changes:
            return "this plan changes nothing"
        return failed_gates(loaded.plan)


def ends_of(in_view: tuple[bool, bool]) -> frozenset[End]:
    """Returns the names of the visible ends of a diff."""
    ends: tuple[End, End] = ("first", "last")
    return frozenset(end for end, there in zip(ends, in_view, strict=True) if there)


def without_a_diff(loaded: LoadedPlan) -> frozenset[int]:
    """Returns the changes whose diff shows no content, as for a file that is not text."""
    pairs = zip(loaded.plan.changes, loaded.diffs, strict=True)
    return frozenset(c.n for c, diff in pairs if not (isinstance(c, Move) or diff.rows or not c.content))


def seen_again(old: LoadedPlan, new: LoadedPlan, seen: frozenset[int]) -> frozenset[int]:
    """Finds the changes that say nothing but what seen changes of another plan say, byte for byte."""
    known = {c.path: (c, diff) for c, diff in zip(old.plan.changes, old.diffs, strict=True) if c.n in seen}
    pairs = ((c, diff, known.get(c.path)) for c, diff in zip(new.plan.changes, new.diffs, strict=True))
    return frozenset(c.n for c, diff, before in pairs if before is not None and _says_no_more(c, diff, *before))


def _says_no_more(new: Change, diff: FileDiff, old: Change, before: FileDiff) -> bool:
    same = type(new) is type(old) and new.reason == old.reason and set(new.warnings) <= set(old.warnings)
    files = (diff.path, diff.to, diff.note, bool(diff.rows)) == (before.path, before.to, before.note, bool(before.rows))
    return same and files and not _changed_lines(diff) - _changed_lines(before)


def _changed_lines(diff: FileDiff) -> Counter[tuple[RowKind, str]]:
    return Counter((row.kind, row.text) for row in diff.rows if row.kind is not RowKind.SAME)


def failed_gates(plan: Plan) -> str:
    """Names the failed plan checks; empty if there is none."""
    failed = [gate.id for gate in plan.gates if not gate.passed]
    return f"{glyphs.FAILED.glyph} blocked by a plan check: {', '.join(failed)}" if failed else ""
