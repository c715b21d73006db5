"""Sums the cost of model calls by role, day or dry run, and forecasts a month (autopoiesis §12)."""

from collections import Counter
from collections.abc import Iterable
from datetime import date, timedelta, tzinfo
from enum import StrEnum
from typing import NamedTuple

import msgspec

from engine.models.cost_ledger import LedgerLine
from engine.models.model_task import Price

_DAYS, _WEEKS = 30, 30 / 7  # of a month
_SESSION = ((3_000, 200), (3_000, 300), (3_000, 200), (3_000, 200))
"""Tokens in and out of one session's extractors: decisions, journal, lessons, people (§12.4)."""
_LIFECYCLE = ((_DAYS, 4_000, 500), (_WEEKS, 6_000, 2_000), (1, 10_000, 3_000), (_WEEKS, 4_000, 2_000))
"""Calls a month, tokens in and out: daily, weekly, monthly summary, and pruning (§12.2)."""
_INDEXED, _ASKED, _WHOLE = 50_000, 10_000, 5_000_000
"""Tokens of embeddings: of files and questions a day at the lightest use, of the whole index a month (§12.3)."""
LEVELS = {"light": 5, "medium": 15, "heavy": 30}  # sessions a day (§12.5)


class CostKey(StrEnum):
    """The key by which costs are summed."""

    ROLE = "role"
    DAY = "day"
    PLAN = "plan"


class CostSum(msgspec.Struct, frozen=True, kw_only=True):
    """The calls under one name: tokens, share of input from the cache, and US dollars."""

    name: str
    calls: int
    input: int
    output: int
    cache_share: float
    cache_misses: dict[str, int]  # calls by the reason why the cache did not have what it might
    usd: float
    estimated: int  # calls of which nobody knows what was billed, counted at the most it can have been


class PresentUse(NamedTuple):
    """The workspace's use of models: sessions a day, tokens of a session, tokens of all notes."""

    sessions: float
    tokens: int
    notes: int


class MonthForecast(msgspec.Struct, frozen=True, kw_only=True):
    """US dollars a month at one level of use, if models did everything at the policy's prices."""

    level: str
    sessions: float  # a day
    extraction: float
    lifecycle: float
    embeddings: float

    @property
    def usd(self) -> float:
        return self.extraction + self.lifecycle + self.embeddings


class CostCurve(msgspec.Struct, frozen=True):
    """The calls under one name, and US dollars on each day of a span."""

    sum: CostSum
    days: tuple[float, ...]


class CostCurves(msgspec.Struct, frozen=True, kw_only=True):
    """Costs by day, the dearest name first; if summed by day, the newest day first. `whole`: their sum."""

    key: CostKey
    first: date
    last: date
    curves: tuple[CostCurve, ...]
    whole: CostCurve
    months: tuple[MonthForecast, ...]


def cost_curves(
    lines: Iterable[LedgerLine], key: CostKey, zone: tzinfo, last: date, days: int, months: tuple[MonthForecast, ...]
) -> CostCurves:
    """Returns the costs of the last `days` days up to `last`, without lines that have no time."""
    first = last - timedelta(days=days - 1)
    within = [line for line in lines if line.time and first <= line.time.astimezone(zone).date() <= last]
    groups = _groups(within, key, zone)
    found = [CostCurve(_sum(name, some), _by_day(some, zone, first, days)) for name, some in groups]
    found.sort(key=lambda curve: curve.sum.name if key is CostKey.DAY else curve.sum.usd, reverse=True)
    whole = CostCurve(cost_total(within), _by_day(within, zone, first, days))
    return CostCurves(key=key, first=first, last=last, curves=tuple(found), whole=whole, months=months)


def _by_day(lines: Iterable[LedgerLine], zone: tzinfo, first: date, days: int) -> tuple[float, ...]:
    found = [0.0] * days
    for line in lines:
        if line.time is not None:
            found[(line.time.astimezone(zone).date() - first).days] += line.usd
    return tuple(found)


def cost_sums(lines: Iterable[LedgerLine], key: CostKey, zone: tzinfo) -> tuple[CostSum, ...]:
    """Returns one sum for each role, day (in the zone) or dry run, sorted by name."""
    return tuple(_sum(name, some) for name, some in _groups(lines, key, zone))


def _groups(lines: Iterable[LedgerLine], key: CostKey, zone: tzinfo) -> list[tuple[str, list[LedgerLine]]]:
    groups: dict[str, list[LedgerLine]] = {}
    for line in lines:
        groups.setdefault(_name(line, key, zone), []).append(line)
    return sorted(groups.items())


def cost_total(lines: Iterable[LedgerLine]) -> CostSum:
    """Returns the sum of all lines."""
    return _sum("total", list(lines))


def forecast(
    extraction: Price, summaries: Price, embeddings: Price, present: PresentUse | None = None
) -> tuple[MonthForecast, ...]:
    """Forecasts the three levels of §12 with these prices, and the `present` use."""
    session = sum(extraction.of(read, written) for read, written in _SESSION)
    lifecycle = sum(times * summaries.of(read, written) for times, read, written in _LIFECYCLE)

    def month(level: str, sessions: float, one: float, notes: int) -> MonthForecast:
        vectors = embeddings.of(round((_INDEXED + _ASKED) * _DAYS * sessions / LEVELS["light"]) + notes, 0)
        use = sessions * _DAYS * one
        return MonthForecast(level=level, sessions=sessions, extraction=use, lifecycle=lifecycle, embeddings=vectors)

    months = [month(level, sessions, session, _WHOLE) for level, sessions in LEVELS.items()]
    if present is not None:
        one = sum(extraction.of(present.tokens, written) for _, written in _SESSION)
        months.append(month("present", present.sessions, one, present.notes))
    return tuple(months)


def _name(line: LedgerLine, key: CostKey, zone: tzinfo) -> str:
    match key:
        case CostKey.ROLE:
            return line.role
        case CostKey.DAY:
            return line.time.astimezone(zone).date().isoformat() if line.time is not None else "no date"
        case CostKey.PLAN:
            return line.plan or "no plan"


def _sum(name: str, lines: list[LedgerLine]) -> CostSum:
    read = sum(line.usage.read for line in lines)
    return CostSum(
        name=name,
        calls=len(lines),
        input=read,
        output=sum(line.output for line in lines),
        cache_share=sum(line.cache_read for line in lines) / read if read else 0.0,
        cache_misses=dict(Counter(line.cache_miss for line in lines if line.cache_miss).most_common()),
        usd=sum(line.usd for line in lines),
        estimated=sum(line.estimated for line in lines),
    )
