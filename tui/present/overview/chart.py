"""Shows one gauge over time: values, limits, the forecast with its uncertainty, and the members."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from engine.monitoring.chart import GaugeChart, GaugeMember
from tui.present.overview.forecast import LIMIT_WORDS, outlook
from tui.present.plot import LEAST_TICK, DotStyle, Plot, dated
from tui.present.spans import LazyRows, Line, ListRow, Role, Span
from tui.present.words import count, noun, safe, short_count

_HEADROOM = 1.08
"""The chart's top as a factor of the highest value, so that a line there stays apart from the border."""
_MOST_AHEAD = 1.5  # the upper edge lies at most so many times above all that is known
_FAR = 0.5
"""The scale begins near the lowest value if that exceeds this share of the highest; else at 0."""
_UNITS = {"files": "files", "tokens": "tokens", "days": "days, oldest", "lines": "lines"}
_LARGE = 100_000  # a limit from here on is written short: its figures would take the chart's room
_LIMIT_ROLES: tuple[Role, ...] = ("warn", "risk", "blocked")


def gauge_name(gauge: str) -> str:
    """Returns the name of a gauge by its id: `working files`, `openclaw.md`, `ROOT`; safe to show."""
    if gauge.startswith("semantic:"):
        return safe(gauge.rpartition("/")[2])
    known = {"root.tokens": "ROOT", "memory_md.lines": "MEMORY.md", "archive.files": "archive"}
    return known.get(gauge) or safe(gauge.partition(".")[0])


def title(chart: GaugeChart) -> Line:
    """Returns `openclaw.md · tokens · 90 days`."""
    unit = _UNITS.get(chart.trend.unit, chart.trend.unit)
    return (
        Span(gauge_name(chart.trend.id), "title"),
        Span(f" · {unit} · ", "muted"),
        Span(noun(chart.days, "day"), "accent"),
    )


def says(chart: GaugeChart) -> Line:
    course = outlook(chart.trend, chart.now, chart.now)
    figure = Span(count(chart.trend.value), "strong")
    words = course.words[0] if course.words else "too few samples for a forecast"
    return (figure, Span(f" {_UNITS.get(chart.trend.unit, '')} · ", "muted"), Span(words, course.role))


def sureness(chart: GaugeChart) -> Line:
    """Returns the slowest and fastest likely growth per week; empty without a forecast."""
    if (forecast := chart.trend.forecast) is None:
        return ()
    return (Span(f"  {forecast.slowest:+,.1f} to {forecast.fastest:+,.1f} a week (90 %)".replace("-", "−"), "muted"),)


def drawn(chart: GaugeChart, width: int, height: int, style: DotStyle) -> tuple[Line, ...]:
    """Draws the chart in `width` × `height` cells: values at the left, limits at the right, dates below."""
    scale = _scale(chart)
    names = {limit.value: LIMIT_WORDS.get(limit.name, limit.name) for limit in chart.trend.limits}
    edge = [short_count(int(value)) for value in (scale.top, scale.base)]
    left = max(map(len, (*map(_limit_figure, names), *edge))) + 1
    right = max((len(name) for name in names.values()), default=0) + 1 if width > 60 else 0
    plot = Plot(width - left - right, max(1, height - 1), style)
    _draw(chart, plot, scale)
    at_row = {scale.row(plot, value) // plot.down: value for value in sorted(names)}
    edges = {plot.height - 1: edge[1], 0: edge[0] if edge[0] not in map(short_count, names) else ""}
    lines = []
    for number, line in enumerate(plot.lines()):
        value = at_row.get(number)
        role = _limit_role(chart, value) if value is not None else "muted"
        shown = _limit_figure(value) if value is not None else edges.get(number, "")
        name = f" {names[value]}" if value is not None and right else ""
        lines.append((Span(f"{shown:>{left - 1}} ", role), *line, Span(name.ljust(right), role)))
    return (*lines, _axis(chart, plot.width, left))


def _limit_figure(value: int) -> str:
    """Returns a limit exactly, as `1,020` and not `1k`; a very large one rounded."""
    return count(value) if value < _LARGE else short_count(value)


class _Scale(NamedTuple):
    """The values at the lower and the upper edge of the chart."""

    base: float
    top: float

    def row(self, plot: Plot, value: float) -> int:
        """Returns the row of dots for a value; outside the grid for a value beyond the scale."""
        return round((self.top - value) / (self.top - self.base) * (plot.rows - 1))


def _scale(chart: GaugeChart) -> _Scale:
    """Fits the scale to known values, so that a high forecast does not flatten them."""
    known = [chart.trend.value, *(value for _, value in chart.points), *(limit.value for limit in chart.trend.limits)]
    highest = max(1, *known)
    ahead = max((point.high for point in chart.ahead), default=0.0)
    top = max(highest, min(ahead, highest * _MOST_AHEAD)) * _HEADROOM
    lowest = min(known)
    return _Scale(lowest * (2 - _HEADROOM) if lowest > highest * _FAR else 0.0, top)


def _limit_role(chart: GaugeChart, value: int) -> Role:
    values = [limit.value for limit in chart.trend.limits]
    return "risk" if len(values) == 1 else _LIMIT_ROLES[min(values.index(value), len(_LIMIT_ROLES) - 1)]


def _draw(chart: GaugeChart, plot: Plot, scale: _Scale) -> None:
    span = chart.end - chart.start

    def column(at: datetime) -> float:
        return (at - chart.start) / span * (plot.columns - 1)

    for limit in chart.trend.limits:
        plot.rule(scale.row(plot, limit.value) // plot.down, _limit_role(chart, limit.value))
    plot.post(int(column(chart.now)) // plot.across, "rule")
    low, middle, high = (
        [(column(point.at), scale.row(plot, bound(point))) for point in chart.ahead]
        for bound in map(attrgetter, ("low", "value", "high"))
    )
    plot.area(high, low, "muted")
    plot.path(middle, "info")
    values = [limit.value for limit in chart.trend.limits]
    for (at, value), (then, later) in pairwise(_with_now(chart)):
        level = max(value, later)
        passed = [limit for limit in values if level > limit]
        role: Role = _limit_role(chart, passed[-1]) if passed else "ok"
        plot.path([(column(at), scale.row(plot, value)), (column(then), scale.row(plot, later))], role)


def _with_now(chart: GaugeChart) -> tuple[tuple[datetime, int], ...]:
    """Returns the samples up to now; without samples a short line at the present value."""
    if not chart.points:
        return ((chart.now - timedelta(hours=1), chart.trend.value), (chart.now, chart.trend.value))
    return (*chart.points, (chart.now, chart.points[-1][1]))


def _axis(chart: GaugeChart, width: int, left: int) -> Line:
    cells = [" "] * width
    now = int((chart.now - chart.start) / (chart.end - chart.start) * (width - 1))
    start = max(0, min(now - 1, width - 3))
    cells[start : start + 3] = "now"
    many = max(1, width // (2 * LEAST_TICK))
    ticks = [chart.start + (chart.end - chart.start) * tick / many for tick in range(many + 1)]
    return (Span(" " * left), Span(dated(cells, ticks, chart.days), "muted"))


# What it is made of


def members_title(chart: GaugeChart) -> Line:
    """Returns `9 eligible of 12 notes, oldest first`."""
    members = chart.members
    ready = sum(member.eligible for member in members)
    kind = chart.trend.id.partition(".")[0].partition(":")[0]
    noun_of = {"semantic": ("entry", "entries"), "root": ("section", "sections"), "memory_md": ("section", "sections")}
    entry, many = noun_of.get(kind, ("note", "notes"))
    orders = {"semantic": "latest first", "archive": "latest first", "root": "in order", "memory_md": "in order"}
    order = orders.get(kind, "largest first" if chart.trend.id.endswith(".tokens") else "oldest first")
    every = noun(len(members), entry, many)
    if ready:
        return (Span(f"{count(ready)} eligible", "title"), Span(f" of {every}, {order}", "muted"))
    return (Span(every, "title"), Span(f", {order}", "muted"))


class MemberRows(LazyRows[tuple[int, GaugeMember]]):
    """Makes the rows of a gauge's members when they come into view."""

    def __init__(self, members: Sequence[GaugeMember]) -> None:
        super().__init__(tuple(enumerate(members, 1)))
        self._digits = len(str(len(members)))
        self._tokens = max((len(count(member.tokens)) for member in members), default=1)
        self._ages = max((len(_age(member)) for member in members), default=1)

    def made(self, numbered: tuple[int, GaugeMember]) -> ListRow:
        place, member = numbered
        sign = Span("▸ ", "accent") if member.eligible else Span("  ")
        number = Span(f"{place:>{self._digits}} ", "muted")
        tokens = Span(f"{count(member.tokens):>{self._tokens}} tok")
        age = Span(f"  {_age(member):>{self._ages}}", "muted") if member.age_days is not None else Span("")
        return ListRow((number, sign, Span(safe(member.title), "text")), (tokens, age))


def _age(member: GaugeMember) -> str:
    return f"{member.age_days:,} d" if member.age_days is not None else ""
