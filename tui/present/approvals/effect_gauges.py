"""Draws what a plan makes of memory: a bar of each file that lasts and each memory tier."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.plans.plan import Plan
from engine.plans.sizes import PlanSizes
from engine.text.safe_text import cell_width, in_column
from tui.present.approvals.effect_text import ends
from tui.present.overview.gauges import BarLimit, GaugeBar, change_bar
from tui.present.spans import Line, Role, Span
from tui.present.words import count, names_apart

MOST_GAUGES = 3  # bars beside a plan; the files with limits come first, and of the others the figures are named below
_BAR = 24  # cells of a bar: with the names of the tiers a line fits into the head of a plan at 80 columns
_ROLES: tuple[Role, ...] = ("bar_warn", "bar_risk", "bar_blocked")


def effects(plan: Plan, sizes: PlanSizes, numbers: Sequence[int], most: int = MOST_GAUGES) -> tuple[Line, ...]:
    """The gauges, and below them the end of every other file that lasts in figures."""
    drawn, picks = gauges(plan, sizes, numbers, most), set(numbers)
    files = sizes.files(picks)
    named = list(zip(files, names_apart([size.path for size in files]), strict=True))
    limited = [one for one in named if one[0].limits]
    rest = [*limited[most:], *(one for one in named if not one[0].limits)]
    return (*drawn, ends([size for size, _ in rest], [name for _, name in rest])) if rest else drawn


def gauges(plan: Plan, sizes: PlanSizes, numbers: Sequence[int], most: int = MOST_GAUGES) -> tuple[Line, ...]:
    """For each file that lasts and has a limit, and each memory tier: its name and a bar, in which what comes or goes
    stands out."""
    picks = set(numbers)
    chosen = [change for change in plan.changes if change.n in picks]
    files = sizes.files(picks)
    names = names_apart([size.path for size in files])
    drawn = [
        _Effect(name, size.before, size.after, size.limits)
        for size, name in zip(files, names, strict=True)
        if size.limits
    ]
    tiers = [_Effect(f"{one.tier.value} notes", one.files, one.after(chosen), (one.limit,)) for one in sizes.tiers]
    shown = [*drawn, *(one for one in tiers if one.before != one.after)][:most]
    widest = max((cell_width(one.name) for one in shown), default=0)
    return tuple(_gauge_line(one, widest) for one in shown)


class _Effect(NamedTuple):
    """A gauge before and after, and its limits."""

    name: str
    before: int
    after: int
    limits: tuple[int, ...]


def _gauge_line(one: _Effect, widest: int) -> Line:
    roles = _ROLES if len(one.limits) == len(_ROLES) else _ROLES[-1:]
    gauge = GaugeBar("", max(one.before, one.after), tuple(map(BarLimit, one.limits, roles)), "")
    return (
        Span(f"{in_column(one.name, widest)}  ", "muted"),
        *change_bar(gauge, min(one.before, one.after), _BAR, grows=one.after > one.before),
        Span(f" {count(one.before)} → {count(one.after)}", "strong"),
    )
