"""Shows a whole plan as one text: each change under its heading, and similar changes as one group."""

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from engine.plans.alike import in_groups
from engine.plans.diff import FileDiff
from engine.plans.flags import reaches_lasting
from engine.plans.plan import Change, Move
from tui.present import diff as diffs
from tui.present.approvals.plan_head import LoadedPlan, label
from tui.present.diff import DiffPart
from tui.present.spans import Line, Span
from tui.present.words import count, file_name, noun, safe, tail

if TYPE_CHECKING:
    from engine.compactor.notes.left_out import LeftOutLine

_NAMED = 200  # members of a group that are named in its text; the list of changes has all


class PlanChoice(NamedTuple):
    """A plan, the changes that an approval would cover, and the changes marked among them."""

    loaded: LoadedPlan
    numbers: Sequence[int]
    marks: frozenset[int] = frozenset()


class PlanSection(NamedTuple):
    """A part of the text, and the changes that it shows: the index of the plan and the number of each."""

    members: tuple[tuple[int, int], ...]
    part: DiffPart

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the changes that it shows; enough if the text is about one plan."""
        return tuple(number for _, number in self.members)

    def of_plan(self, place: int) -> tuple[int, ...]:
        """Returns the numbers of its changes that belong to the plan at index `place`."""
        return tuple(number for owner, number in self.members if owner == place)


class _Shown(NamedTuple):
    """A change, and the index of its plan among several."""

    place: int
    change: Change
    diff: FileDiff
    system: str
    at: int  # the place of the change in its plan, from 0


def sections(plans: Sequence[PlanChoice]) -> tuple[PlanSection, ...]:
    """Splits the chosen changes into parts of one text: single changes first, then groups (decision G22)."""
    picks = [frozenset(plan.numbers) for plan in plans]
    shown = [
        _Shown(place, change, diff, plan.loaded.plan.system, at)
        for place, plan in enumerate(plans)
        for at, (change, diff) in enumerate(zip(plan.loaded.plan.changes, plan.loaded.diffs, strict=True))
        if change.n in picks[place]
    ]
    return tuple(
        _alone(shown[group.places[0]], plans) if group.single else _together([shown[at] for at in group.places])
        for group in in_groups([plans[each.place].loaded.likenesses[each.at] for each in shown])
    )


def gravest(loaded: LoadedPlan, numbers: Sequence[int]) -> int:
    """Returns the number of the change to view first, by tier, lasting memory, and flags; 0 for none."""
    picks = set(numbers)
    chosen = [change for change in loaded.plan.changes if change.n in picks]
    weights = {c.n: (c.risk_tier.value, reaches_lasting(c), bool(c.flagged), -c.n) for c in chosen}
    return max(weights, key=weights.__getitem__, default=0)


def _alone(shown: _Shown, plans: Sequence[PlanChoice]) -> PlanSection:
    change, diff = shown.change, shown.diff
    plan = plans[shown.place]
    heading = diffs.title(change, diff, len(plan.loaded.plan.changes), marked=change.n in plan.marks)
    part = diffs.part_of(change, diff, shown.system, plan.loaded.comments, heading)
    return PlanSection(((shown.place, change.n),), part)


def _together(members: Sequence[_Shown]) -> PlanSection:
    ordered = sorted(members, key=lambda member: member.diff.added + member.diff.removed)
    first, example = members[0].change, ordered[len(ordered) // 2]
    heading: Line = (
        Span(f"{noun(len(members), 'change')} alike  ", "strong"),
        Span(f"{diffs.verb(first)} ", "accent"),
        Span(_folders(first), "title"),
        Span(f"  +{count(sum(member.diff.added for member in members))}", "ok"),
        Span(f" −{count(sum(member.diff.removed for member in members))}", "muted"),
    )
    name = file_name(example.change.path)
    preface = (
        (label("names"), Span(_names([member.change for member in members]))),
        (label("lines"), Span(_sizes([member.diff for member in ordered]))),
        (label("below"), Span(f"{name}, of usual size; the list of changes has each", "muted")),
        *diffs.preface(example.change, example.diff),
    )
    origins = diffs.origins(example.change, example.diff)
    folded = diffs.frontmatter_rows(example.change, example.diff, example.system)
    part = DiffPart(example.diff, preface, origins, {}, heading, folded)
    return PlanSection(tuple((member.place, member.change.n) for member in members), part)


def _folders(change: Change) -> str:
    here = tail(change.path).rpartition("/")[0] or "."
    return f"{here} → {tail(change.to).rpartition('/')[0] or '.'}" if isinstance(change, Move) else here


def _names(changes: Sequence[Change]) -> str:
    shown = ", ".join(file_name(change.path) for change in changes[:_NAMED])
    return f"{shown} … and {noun(len(changes) - _NAMED, 'more')}" if len(changes) > _NAMED else shown


def _sizes(ordered: Sequence[FileDiff]) -> str:
    """Summarises how many lines the diffs change; they come sorted by that size."""
    sizes = [diff.added + diff.removed for diff in ordered]
    if sizes[0] == sizes[-1]:
        return "the files move as they are" if not sizes[0] else f"{sizes[0]} each"
    return safe(f"{sizes[0]} to {sizes[-1]} each, half of them at most {sizes[len(sizes) // 2]}")


def left_out_lines(omitted: "Sequence[LeftOutLine]") -> tuple[Line, ...]:
    """Lists the omitted lines of each note with their numbers and reasons."""
    lines: list[Line] = []
    for path, group in groupby(omitted, key=lambda line: line.path):
        own = tuple(group)
        lines.append((Span(safe(path), "strong"), Span(f"  {noun(len(own), 'line')}", "muted")))
        lines += [_line(line) for line in own]
    return tuple(lines)


def _line(omitted: "LeftOutLine") -> Line:
    number = f"{omitted.line:>5}" if omitted.line else " " * 5
    return (Span(f"{number}  ", "muted"), Span(f"{safe(omitted.reason):<28} ", "info"), Span(safe(omitted.text)))
