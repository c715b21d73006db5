"""Draws what a plan makes of memory: a gauge before and one after, of each file that lasts and each memory tier."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.plans.plan import Plan
from engine.plans.sizes import PlanSizes
from engine.text.safe_text import cell_width, in_column
from tui.present.overview.gauges import BarLimit, GaugeBar, bar
from tui.present.spans import Line, Role, Span
from tui.present.words import count, file_name

_MOST_GAUGES = 3
"""Bars beside a plan; the files with limits come first."""
_BAR = 11
"""Cells of a bar: with the names of the tiers a line fits into the head of a plan at 120 columns."""
_ROLES: tuple[Role, ...] = ("bar_warn", "bar_risk", "bar_blocked")


def gauges(plan: Plan, sizes: PlanSizes, numbers: Sequence[int]) -> tuple[Line, ...]:
    """For each file that lasts and has a limit, and each memory tier: its name, a small bar before, one after."""
    picks = set(numbers)
    chosen = [change for change in plan.changes if change.n in picks]
    limited = [size for size in sizes.files if size.n in picks and size.limits]
    found = [_Effect(file_name(one.path), one.before, one.after, one.limits) for one in limited]
    tiers = [_Effect(f"{one.tier.value} notes", one.files, one.after(chosen), (one.limit,)) for one in sizes.tiers]
    shown = [*found, *(one for one in tiers if one.before != one.after)][:_MOST_GAUGES]
    widest = max((cell_width(one.name) for one in shown), default=0)
    return tuple(_gauge_line(one, widest) for one in shown)


class _Effect(NamedTuple):
    """A gauge before and after, and its limits."""

    name: str
    before: int
    after: int
    limits: tuple[int, ...]


def _gauge_line(one: _Effect, widest: int) -> Line:
    return (
        Span(f"{in_column(one.name, widest)}  ", "muted"),
        *bar(_gauge(one, one.before), _BAR),
        Span(" → ", "muted"),
        *bar(_gauge(one, one.after), _BAR),
        Span(f" {count(one.before)} → {count(one.after)}", "strong"),
    )


def _gauge(one: _Effect, value: int) -> GaugeBar:
    roles = _ROLES if len(one.limits) == len(_ROLES) else _ROLES[-1:]
    return GaugeBar("", value, tuple(map(BarLimit, one.limits, roles)), "")
