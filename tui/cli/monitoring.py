"""Runs `trends`, `changes` and `kept`: forecasts, the agent's changes, and what is kept of the past."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from engine.errors import Refused
from engine.plans.diff import FileDiff, unified
from tui.cli.maintenance import findings_rows
from tui.cli.output import Answer, Piece, Styled, Text, TextTable, fields
from tui.cli.settings import Settings, command, opened
from tui.cli.status import flags_rows
from tui.present.flags import file_flags
from tui.present.glyphs import CHANGED, FLAGGED, NEW, PASSED, QUIET, REMOVED
from tui.present.overview import chart as charts
from tui.present.spans import plain
from tui.present.words import moment, noun, size

if TYPE_CHECKING:
    from engine.monitoring.agent_changes import AgentChange, SinceLook
    from engine.monitoring.chart import GaugeChart
    from engine.monitoring.retention import Retention
    from engine.monitoring.trends import Trend
    from engine.services.engine import Engine

_PLOT = (76, 14)  # cells of the plot of a gauge
SIGNS = {
    "added": Styled(NEW.glyph, fg="green"),
    "changed": Styled(CHANGED.glyph, fg="yellow"),
    "removed": Styled(REMOVED.glyph, fg="red"),
}


@command("trends")
def trends_command(settings: Settings, gauge: str | None, days: str) -> Answer:
    status = opened(settings).status
    if gauge is not None:
        chart = status.chart(gauge, int(days))
        return Answer(chart, chart_rows(chart))
    trends = status.trends()
    return Answer(lambda: [trend_json(trend) for trend in trends], trends_rows(trends))


def trend_json(trend: "Trend") -> dict[str, Any]:
    """Returns a trend with its forecast; `per_week` is null if nothing grows or too little is known."""
    outlook = trend.forecast
    return {
        **fields(trend, "id unit value limits"),
        "per_week": round(outlook.per_week, 2) if outlook else None,
        "per_week_90": [round(outlook.slowest, 2), round(outlook.fastest, 2)] if outlook else None,
        "since": outlook.since.isoformat() if outlook else None,
        "crossings": outlook.crossings if outlook else [],
        "points": trend.points,
    }


def trends_rows(trends: Sequence["Trend"]) -> Text:
    rows: list[list[Piece]] = [
        [Styled(trend.id, bold=True), f"{trend.value:,} {trend.unit}", _growth(trend), _outlook(trend)]
        for trend in trends
    ]
    yield TextTable(rows, right=frozenset({1, 2}))
    if all(trend.forecast is None for trend in trends):
        yield Styled("no forecast yet: nothing grows, or less than a day of samples is known", dim=True)


def chart_rows(chart: "GaugeChart") -> Text:
    """Shows a gauge over time as a plot, then its members."""
    from tui.system.terminal import dot_style

    yield Styled(plain(charts.title(chart)), bold=True)
    yield plain((*charts.says(chart), *charts.sureness(chart)))
    for line in charts.drawn(chart, *_PLOT, dot_style()):
        yield plain(line).rstrip()
    yield ""
    yield Styled(plain(charts.members_title(chart)), bold=True)
    rows: list[list[Piece]] = [
        [
            "eligible" if member.eligible else "",
            f"{member.path}:{member.line}" if member.line > 1 else member.path,
            f"{member.tokens:,} tokens",
            f"{member.age_days:,} d" if member.age_days is not None else member.title,
        ]
        for member in chart.members
    ]
    yield TextTable(rows, right=frozenset({2}))


def _growth(trend: "Trend") -> Piece:
    if trend.forecast is None:
        return Styled(QUIET.glyph, dim=True)
    rate = trend.forecast.per_week
    return f"+{rate:,.0f}/week" if rate >= 10 else f"+{rate:.1f}/week"


def _outlook(trend: "Trend") -> Piece:
    over = [limit for limit in trend.limits if trend.value > limit.value]
    said = [f"over {limit.name} {limit.value:,}" for limit in over[-1:]]
    crossings = trend.forecast.crossings if trend.forecast else ()
    said += [f"{crossing.limit} {crossing.value:,} in {noun(crossing.days, 'day')}" for crossing in crossings]
    return Styled(" · ".join(said), fg="yellow" if said else None)


@command("changes")
def changes_command(settings: Settings, looked: bool, with_diff: bool, accepted: str | None) -> Answer:
    console = opened(settings)
    if accepted is not None:
        return _accept(settings, console, accepted)
    since = console.review.since_looked(look=True, flags=True)
    diffs = console.changes.agent_diffs(since.changes) if with_diff or settings.json else ()
    at = console.review.looked() if looked else None
    return Answer(partial(_changes_json, since, diffs, at, with_diff=with_diff), _changes_rows(since, diffs, at))


def _changes_json(
    since: "SinceLook", diffs: Sequence[FileDiff], at: datetime | None, *, with_diff: bool
) -> dict[str, Any]:
    rows = [msgspec.to_builtins(change) for change in since.changes]
    for row, diff in zip(rows, diffs, strict=True):
        row |= {"lines_added": diff.added, "lines_removed": diff.removed, "note": diff.note}
        if with_diff:
            row["diff"] = unified(diff)
    return {"looked_at": since.looked_at, "changes": rows, "marked": at, **msgspec.to_builtins(since.flags)}


def _changes_rows(since: "SinceLook", diffs: Sequence[FileDiff], at: datetime | None) -> Text:
    yield from since_rows(since)
    yield from flags_rows(since.flags)
    for diff in diffs:
        why = {line: f"{FLAGGED.glyph} {words}" for line, words in file_flags(since.flags.of(diff.path)).items()}
        yield ""
        yield from unified(diff, notes=why).rstrip("\n").split("\n")
    if at is not None:
        yield Styled(f"{PASSED.glyph} marked as seen, {moment(at)}", fg="green")


def _accept(settings: Settings, console: "Engine", path: str) -> Answer:
    """Ends the alarm of a loss after a yes on the terminal, since the agent that caused it must not answer."""
    from tui.cli.apply import terminal_for

    loss = next((each for each in console.alarms.losses() if each.path == path), None)
    with terminal_for(settings, "changes --accept") as terminal:
        if loss is not None:
            terminal.printer.line(Styled(loss.line, bold=True))
            if terminal.ask("Keep it as it is? [y/N] ").strip().casefold() not in ("y", "yes"):
                raise Refused("not accepted: the alarm stays", where=path)
    console.alarms.accept(path)
    return Answer({"accepted": path}, [Styled(f"{PASSED.glyph} accepted as it is: {path}", fg="green")])


def since_rows(since: "SinceLook") -> Text:
    if since.looked_at is None:
        yield "you have not looked yet: `memdeck changes --looked` begins to keep count"
        return
    what = noun(len(since.changes), "change") if since.changes else "nothing changed"
    yield Styled(f"since {moment(since.looked_at)}: {what}", bold=True)
    yield TextTable([_change_row(change) for change in since.changes], right=frozenset({3}))


def _change_row(change: "AgentChange") -> list[Piece]:
    sizes = f"{change.size_before:,} → {change.size_after:,} bytes"
    later = Styled("before an operation of ours", dim=True) if change.later else ""
    return [SIGNS[change.did.value], change.did.value, change.path, sizes, later]


_LARGEST = 100  # displaced contents that are listed as text: in years they become a hundred thousand


@command("kept")
def kept_command(settings: Settings) -> Answer:
    kept = opened(settings).history.kept()
    return Answer(kept, kept_rows(kept))


def kept_rows(kept: "Retention") -> Text:
    contents = f"  {len(kept.displaced):,}, {size(kept.displaced_bytes)}, kept for good"
    yield Styled("displaced contents", bold=True), contents
    rows: list[list[Piece]] = [
        [
            size(item.size),
            item.operation or QUIET.glyph,
            item.path or "no operation names it",
            Styled(item.sha256[:12], dim=True),
        ]
        for item in kept.displaced[:_LARGEST]
    ]
    yield TextTable(rows, right=frozenset({0}), indent="  ")
    if len(kept.displaced) > _LARGEST:
        yield f"  … {len(kept.displaced) - _LARGEST:,} smaller ones (--json lists all)"
    hold = f"held for {kept.hold_hours} hours at least, for writers that still have them open"
    yield Styled("held files", bold=True), f"  {len(kept.held):,}, {size(kept.held_bytes)}, {hold}"
    held: list[list[Piece]] = [
        [
            size(file.size) if file.size is not None else "gone",
            file.operation,
            file.path,
            "may be let go of" if file.over else f"until {moment(file.until)}",
        ]
        for file in kept.held
    ]
    yield TextTable(held, right=frozenset({0}), indent="  ")
    if kept.problems:
        yield from findings_rows(kept.problems, nothing="")
