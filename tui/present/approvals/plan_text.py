"""A whole plan as one text: every change below the other under its heading, many that are alike as one group."""

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from engine.plans.alike import in_groups
from engine.plans.diff import FileDiff
from engine.plans.flags import reaches_lasting
from engine.plans.plan import Change, Move
from tui.present import diff as diffs
from tui.present.approvals.plan import LoadedPlan, label
from tui.present.diff import DiffPart
from tui.present.spans import Line, Span
from tui.present.words import count, file_name, noun, safe, tail

if TYPE_CHECKING:
    from engine.compactor.notes.left_out import LeftOutLine

_NAMED = 200  # members of a group that are named in its text; the list of changes has all


class PlanChoice(NamedTuple):
    """A plan, and which of its changes are asked about; some may be marked."""

    loaded: LoadedPlan
    numbers: Sequence[int]
    marks: frozenset[int] = frozenset()


class PlanSection(NamedTuple):
    """A part of the text, and the changes that are on screen with it: the place of their plan, and their numbers."""

    members: tuple[tuple[int, int], ...]
    part: DiffPart

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of its changes, which is enough where the text is about one plan."""
        return tuple(number for _, number in self.members)

    def of_plan(self, place: int) -> tuple[int, ...]:
        """The numbers of its changes of one plan."""
        return tuple(number for owner, number in self.members if owner == place)


class _Shown(NamedTuple):
    """A change among those of all plans."""

    place: int
    change: Change
    diff: FileDiff
    system: str
    at: int  # the place of the change in its plan, from 0


def sections(plans: Sequence[PlanChoice]) -> tuple[PlanSection, ...]:
    """The chosen changes as parts of one text: those to look at one by one first, then the groups (decision G22)."""
    picks = [frozenset(plan.numbers) for plan in plans]
    shown = [
        _Shown(place, change, diff, plan.loaded.plan.system, at)
        for place, plan in enumerate(plans)
        for at, (change, diff) in enumerate(zip(plan.loaded.plan.changes, plan.loaded.diffs, strict=True))
        if change.n in picks[place]
    ]
    found = in_groups([plans[one.place].loaded.likenesses[one.at] for one in shown])
    return tuple(
        _alone(shown[group.places[0]], plans) if group.single else _together([shown[at] for at in group.places])
        for group in found
    )


def gravest(loaded: LoadedPlan, numbers: Sequence[int]) -> int:
    """The change to look at first: into memory that lasts, flagged, of the strictest tier; 0 for none."""
    picks = set(numbers)
    chosen = [change for change in loaded.plan.changes if change.n in picks]
    weights = {c.n: (c.risk_tier.value, reaches_lasting(c), bool(c.flagged), -c.n) for c in chosen}
    return max(weights, key=weights.__getitem__, default=0)


def _alone(one: _Shown, plans: Sequence[PlanChoice]) -> PlanSection:
    change, diff = one.change, one.diff
    plan = plans[one.place]
    heading = diffs.title(change, diff, len(plan.loaded.plan.changes), marked=change.n in plan.marks)
    part = diffs.part_of(change, diff, one.system, plan.loaded.comments, heading)
    return PlanSection(((one.place, change.n),), part)


def _together(members: Sequence[_Shown]) -> PlanSection:
    ordered = sorted(members, key=lambda one: one.diff.added + one.diff.removed)
    first, example = members[0].change, ordered[len(ordered) // 2]
    heading: Line = (
        Span(f"{noun(len(members), 'change')} alike  ", "strong"),
        Span(f"{diffs.verb(first)} ", "accent"),
        Span(_folders(first), "title"),
        Span(f"  +{count(sum(one.diff.added for one in members))}", "ok"),
        Span(f" −{count(sum(one.diff.removed for one in members))}", "muted"),
    )
    name = file_name(example.change.path)
    preface = (
        (label("names"), Span(_names([one.change for one in members]))),
        (label("lines"), Span(_sizes([one.diff for one in ordered]))),
        (label("below"), Span(f"{name}, of usual size; the list of changes has each", "muted")),
        *diffs.preface(example.change, example.diff),
    )
    origins = diffs.origins(example.change, example.diff)
    folded = diffs.frontmatter_rows(example.change, example.diff, example.system)
    part = DiffPart(example.diff, preface, origins, {}, heading, folded)
    return PlanSection(tuple((one.place, one.change.n) for one in members), part)


def _folders(change: Change) -> str:
    here = tail(change.path).rpartition("/")[0] or "."
    return f"{here} → {tail(change.to).rpartition('/')[0] or '.'}" if isinstance(change, Move) else here


def _names(changes: Sequence[Change]) -> str:
    shown = ", ".join(file_name(change.path) for change in changes[:_NAMED])
    return f"{shown} … and {noun(len(changes) - _NAMED, 'more')}" if len(changes) > _NAMED else shown


def _sizes(found: Sequence[FileDiff]) -> str:
    """Sizes of diffs that come in the order of their size."""
    sizes = [diff.added + diff.removed for diff in found]
    if sizes[0] == sizes[-1]:
        return "the files move as they are" if not sizes[0] else f"{sizes[0]} each"
    return safe(f"{sizes[0]} to {sizes[-1]} each, half of them at most {sizes[len(sizes) // 2]}")


def left_out_lines(found: "Sequence[LeftOutLine]") -> tuple[Line, ...]:
    """The name of each note, then its left-out lines with their numbers and reasons."""
    lines: list[Line] = []
    for path, group in groupby(found, key=lambda one: one.path):
        own = tuple(group)
        lines.append((Span(safe(path), "strong"), Span(f"  {noun(len(own), 'line')}", "muted")))
        lines += [_line(one) for one in own]
    return tuple(lines)


def _line(one: "LeftOutLine") -> Line:
    number = f"{one.line:>5}" if one.line else " " * 5
    return (Span(f"{number}  ", "muted"), Span(f"{safe(one.reason):<28} ", "info"), Span(safe(one.text)))
