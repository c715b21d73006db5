"""Shows the course of a gauge in words and as a small curve: `▁▂▄▆ hard limit in 12 d`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from tui.present.plot import merged
from tui.present.spans import Line, Role, Span
from tui.present.words import clock, count, noun, words_of

if TYPE_CHECKING:
    from engine.monitoring.trends import Crossing, Point, Trend

LEVELS = "▁▂▃▄▅▆"  # never a full block: a curve stands right under a bar, and would run into it
_LEAST_CURVE, _MOST_CURVE, _WORD_CELLS = 4, 28, 14
"""Cells of a curve, and those for the words beside it, so that curves in cards of one width align."""
SOON, NEAR, FAR = 7, 30, 365  # days up to which a limit ahead is shown as a risk, as a warning, and at all
GRAVE: tuple[Role, ...] = ("blocked", "risk", "warn", "info")
"""Roles of outlooks that are shown even if there is room for only one, the gravest first."""
LIMIT_WORDS = words_of("limits")
_UNITS = {"files": "", "tokens": " tokens", "days": " d", "lines": " lines"}


class Outlook(NamedTuple):
    """The course of a gauge: its points, phrases about it (longest first), and the role that shows its gravity."""

    points: tuple[Point, ...] = ()
    words: tuple[str, ...] = ()
    role: Role = "muted"
    limits: tuple[int, ...] = ()
    since: datetime | None = None
    """The left end of the time axis, shared by all curves on a screen; None means the first point."""

    def line(self, width: int) -> Line:
        """Draws the curve if it fits, and the longest phrase that fits; empty if nothing does."""
        cells = max(_LEAST_CURVE, min(_MOST_CURVE, width - _WORD_CELLS - 1))
        brief = next((words for words in self.words if len(words) + 1 + cells <= width), "")
        if len(self.points) < 2 or not brief:
            said = next((words for words in self.words if len(words) <= width), "")
            return (Span(said, self.role),) if said else ()
        return (*curve(self.points, cells, self.limits, self.since), Span(f" {brief}", self.role))

    @property
    def brief(self) -> str:
        return self.words[-1] if self.words else ""


def outlooks(trends: Iterable[Trend], now: datetime, real_now: datetime) -> dict[str, Outlook]:
    """Makes the outlook of each gauge by its id, on one time axis; `now` differs from `real_now` on a what-if clock."""
    known = tuple(trends)
    since = axis_start(known)
    return {trend.id: outlook(trend, now, real_now)._replace(since=since) for trend in known}


def axis_start(trends: Iterable[Trend]) -> datetime | None:
    """Returns the time of the earliest point, at most four weeks before the latest; None without points."""
    if not (points := [trend.points for trend in trends if trend.points]):
        return None
    return max(min(own[0][0] for own in points), _four_weeks_before(max(own[-1][0] for own in points)))


def _four_weeks_before(end: datetime) -> datetime:
    from engine.monitoring.trends import WINDOW  # nothing is drawn before trends are read

    return end - WINDOW


def outlook(trend: Trend, now: datetime, real_now: datetime) -> Outlook:
    """Judges the course of one gauge: over its limit, on its way there, growing, or steady."""
    limits = tuple(limit.value for limit in trend.limits)
    ahead = now - real_now
    if ahead >= timedelta(hours=1) and trend.unit != "days":
        return Outlook(trend.points, _supposed(trend, ahead), "info", limits)
    # The course is real: it goes on past an instant supposed earlier, or past a status read just before it.
    words, role = _said(trend, max(now, real_now, *(at for at, _ in trend.points[-1:])))
    return Outlook(trend.points, words, role, limits)


def _said(trend: Trend, now: datetime) -> tuple[tuple[str, ...], Role]:
    if trend.limits and trend.value > trend.limits[-1].value:
        passed = level_role(trend.value, [limit.value for limit in trend.limits])
        return _over(trend, now), "blocked" if passed == "line_blocked" else "risk"
    crossing = next_crossing(trend)
    if crossing is not None and trend.forecast is not None and crossing.days <= FAR:
        return _coming(crossing, _rate(trend.forecast.per_week)), _urgency(crossing.days)
    if trend.forecast is not None:
        rate = _rate(trend.forecast.per_week)
        return (f"{rate} a week", f"{rate}/wk"), "muted"
    if trend.points and trend.points[-1][0] - trend.points[0][0] >= timedelta(days=1):
        return ("not growing", "steady"), "muted"
    return (), "muted"


def next_crossing(trend: Trend) -> Crossing | None:
    """Returns the next limit that the gauge will cross within ten years; None without one."""
    return trend.forecast.crossings[0] if trend.forecast is not None and trend.forecast.crossings else None


def _coming(crossing: Crossing, rate: str) -> tuple[str, ...]:
    name = LIMIT_WORDS.get(crossing.limit, crossing.limit)
    if crossing.days == 0:
        return (f"{name} reached today at this rate", f"{name} today", "today")
    return (
        f"{rate}/week · {name} in {noun(crossing.days, 'day')} at this rate",
        f"{name} in {noun(crossing.days, 'day')} at this rate",
        f"{name} in {noun(crossing.days, 'day')}",
        f"{name} in {crossing.days} d",
        f"in {crossing.days} d",
    )


def _over(trend: Trend, now: datetime) -> tuple[str, ...]:
    since = _above_since(trend.points, trend.limits[-1].value)
    name = LIMIT_WORDS.get(trend.limits[-1].name, trend.limits[-1].name)
    if since is None:
        return (f"over its {name}", "over")
    days = (now - since).days
    spent = f"over for {days} d" if days else "over since today"
    return (f"over its {name} since {clock(since, now)}", f"over since {clock(since, now)}", spent, "over")


def _above_since(points: Sequence[Point], limit: int) -> datetime | None:
    """Returns the time of the first point above the limit; None if all points are above it."""
    for index in range(len(points) - 1, -1, -1):
        if points[index][1] <= limit:
            return points[min(index + 1, len(points) - 1)][0]
    return None


def _supposed(trend: Trend, ahead: timedelta) -> tuple[str, ...]:
    """Predicts the value at the what-if time, which moves ages but does not write any notes."""
    if trend.forecast is None:
        return ("as it is now: it does not grow", "as now")
    value = ceil(trend.value + trend.forecast.per_week * (ahead / timedelta(weeks=1)))
    passed = [limit for limit in trend.limits if trend.value <= limit.value < value]
    unit = _UNITS.get(trend.unit, "")
    said = f"≈ {count(value)}{unit} by then"
    if passed:
        name = LIMIT_WORDS.get(passed[-1].name, passed[-1].name)
        return (f"{said}, over its {name}", f"≈ {count(value)}, over {name}", f"≈ {count(value)} ▲")
    return (f"{said} at this rate", said, f"≈ {count(value)}")


def _urgency(days: int) -> Role:
    return "risk" if days <= SOON else "warn" if days <= NEAR else "muted"


def _rate(per_week: float) -> str:
    return f"+{per_week:,.0f}" if per_week >= 10 else f"+{per_week:.1f}".removesuffix(".0")


def nearest(named: Iterable[tuple[str, Trend]]) -> tuple[str, Crossing] | None:
    """Returns the earliest crossing of any gauge, with the gauge's name; None without one."""
    crossings = [(name, crossing) for name, trend in named if (crossing := next_crossing(trend)) is not None]
    return min(crossings, key=lambda item: item[1].at, default=None)


def curve(points: Sequence[Point], width: int, limits: Sequence[int] = (), since: datetime | None = None) -> Line:
    """Draws four weeks at most from `since` in `width` cells; values above a limit have its colour."""
    if width < 1 or not points:
        return ()
    values = spread_over(points, width, since)
    known = [value for value in values if value is not None]
    low, high = min(known), max(known)
    room = max(high - low, (limits[-1] if limits else high) / 10, 1)
    top = len(LEVELS) - 1
    return merged(
        Span(" ", "rule")
        if value is None
        else Span(LEVELS[min(top, int((value - low) / room * top + 0.5))], level_role(value, limits))
        for value in values
    )


def spread_over(points: Sequence[Point], width: int, since: datetime | None = None) -> list[int | None]:
    """Returns the value at the end of each cell, None before the first point; the last cell has the last point."""
    end = points[-1][0]
    start = min(end, since or max(points[0][0], _four_weeks_before(end)))
    step = (end - start) / width
    values: list[int | None] = []
    index = -1
    for cell in range(1, width + 1):
        until = start + step * cell if cell < width else end
        while index + 1 < len(points) and points[index + 1][0] <= until:
            index += 1
        values.append(points[index][1] if index >= 0 else None)
    return values


def level_role(value: int, limits: Sequence[int]) -> Role:
    if not (passed := sum(value > limit for limit in limits)):
        return "rule"
    if len(limits) < 3:
        return "line_risk"
    roles: tuple[Role, ...] = ("line_warn", "line_risk", "line_blocked")
    return roles[passed - 1]
