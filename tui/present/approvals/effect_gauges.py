"""Draws the effect of a plan: a bar for each lasting file and for each memory tier."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.plans.plan import Plan
from engine.plans.sizes import PlanSizes
from engine.text.safe_text import cell_width, in_column
from tui.present.approvals.effect_sentence import ends
from tui.present.overview.gauges import BarLimit, GaugeBar, change_bar
from tui.present.spans import Line, Role, Span
from tui.present.words import count, names_apart

MOST_GAUGES = 3  # bars beside a plan; the files with limits come first, and of the others the figures are named below
_BAR = 24  # cells of a bar: with the names of the tiers a line fits into the head of a plan at 80 columns
_ROLES: tuple[Role, ...] = ("bar_warn", "bar_risk", "bar_blocked")


def effects(plan: Plan, sizes: PlanSizes, numbers: Sequence[int], most: int = MOST_GAUGES) -> tuple[Line, ...]:
    """Draws the gauges, and names the remaining lasting files below with their sizes in tokens."""
    drawn, picks = gauges(plan, sizes, numbers, most), set(numbers)
    files = sizes.files(picks)
    named = list(zip(files, names_apart([size.path for size in files]), strict=True))
    limited = [pair for pair in named if pair[0].limits]
    rest = [*limited[most:], *(pair for pair in named if not pair[0].limits)]
    return (*drawn, ends([size for size, _ in rest], [name for _, name in rest])) if rest else drawn


def gauges(plan: Plan, sizes: PlanSizes, numbers: Sequence[int], most: int = MOST_GAUGES) -> tuple[Line, ...]:
    """Draws a bar for each lasting file with a limit and for each memory tier; what is added or removed stands out."""
    picks = set(numbers)
    chosen = [change for change in plan.changes if change.n in picks]
    files = sizes.files(picks)
    drawn = [
        _Effect(name, size.before, size.after, size.limits)
        for size, name in zip(files, names_apart([size.path for size in files]), strict=True)
        if size.limits
    ]
    tiers = [
        _Effect(f"{gauge.tier.value} notes", gauge.files, gauge.after(chosen), (gauge.limit,)) for gauge in sizes.tiers
    ]
    shown = [*drawn, *(gauge for gauge in tiers if gauge.before != gauge.after)][:most]
    widest = max((cell_width(gauge.name) for gauge in shown), default=0)
    return tuple(_gauge_line(gauge, widest) for gauge in shown)


class _Effect(NamedTuple):
    """A gauge before and after, and its limits."""

    name: str
    before: int
    after: int
    limits: tuple[int, ...]


def _gauge_line(effect: _Effect, widest: int) -> Line:
    roles = _ROLES if len(effect.limits) == len(_ROLES) else _ROLES[-1:]
    gauge = GaugeBar("", max(effect.before, effect.after), tuple(map(BarLimit, effect.limits, roles)), "")
    return (
        Span(f"{in_column(effect.name, widest)}  ", "muted"),
        *change_bar(gauge, min(effect.before, effect.after), _BAR, grows=effect.after > effect.before),
        Span(f" {count(effect.before)} → {count(effect.after)}", "strong"),
    )
