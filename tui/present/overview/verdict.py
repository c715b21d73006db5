"""Sums up the Overview in one line: what is wrong, what to do about it, and what comes next."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from engine.monitoring.agent_changes import SinceLook
from engine.plans.memory_status import Status
from engine.workspace.layout import MEMORY_MD_CAP
from tui.present import glyphs
from tui.present.flags import flags_title
from tui.present.overview import agent_changes
from tui.present.overview.forecast import NEAR, nearest
from tui.present.spans import Line, ListRow, Span, fitting, plain
from tui.present.words import clock, file_name, noun, safe, words_of

if TYPE_CHECKING:
    from engine.monitoring.trends import Trend

_BETWEEN = Span("  ·  ", "rule")
_GAUGES = words_of("gauges")
_FALLING = "falling"  # the alarm of a file of which lines are not loaded
_CURES = {"flush": "plans what is saved", "prune": "plans what is archived"}
"""Systems that an alarm's `fix` may name, and what their plans do."""


class VerdictFacts(NamedTuple):
    """The values that the line is made from."""

    status: Status
    waiting: int
    trends: tuple[Trend, ...] = ()
    changes: SinceLook | None = None


def verdict(seen: VerdictFacts, width: int = 1000, *, beside: bool = False) -> ListRow:
    """Says what is wrong, the worst first, and what to do; `beside` omits what panes on the screen show."""
    status = seen.status
    if not (status.capabilities or status.skipped or status.notes):
        tools = (Span("9", "key"), Span(" lists the tools found on this machine", "muted"))
        return ListRow((Span("○ ", "info"), Span("no memory in this folder yet", "strong")), tools)
    # By weight: what does not fit is left out from the end, so the worst is said in any width.
    wrong = (
        _lost(status),
        _alarmed(status),
        _falls(status),
        _cut_off(status),
        _not_saved(status),
        _state(status),
        () if beside or seen.changes is None else flags_title(seen.changes.flags),
        _nothing_eligible(status),
        _behind(status),
        () if beside else _agent(seen.changes),
        () if beside else _ahead(seen.trends),
        _degraded(status),
    )
    right = _next(seen, beside)
    return ListRow(fitting(list(filter(None, wrong)), _BETWEEN, width - len(plain(right)) - 2), right)


def earlier(seen: datetime, now: datetime) -> ListRow:
    """Says that the values on screen are from an earlier look, until the workspace is read."""
    when: Line = (Span("◐ ", "info"), Span(f"as of {clock(seen, now)}", "warn"))
    return ListRow((*when, Span(" · reading the workspace…", "muted")))


def _blocked(words: str) -> Line:
    return (Span(f"{glyphs.BLOCKED.glyph} ", "blocked"), Span(safe(words), "blocked")) if words else ()


def _lost(status: Status) -> Line:
    """Says that always loaded files lost content: the most serious fact, and it can be reverted."""
    if not (lost := [alarm for alarm in status.alarms if alarm.id == "loss"]):
        return ()
    more = f" and {noun(len(lost) - 1, 'loss', 'losses')} more" if len(lost) > 1 else ""
    return _blocked(f"{file_name(lost[0].path)} {lost[0].detail.partition(',')[0]}{more}")


def _alarmed(status: Status) -> Line:
    """Returns the worst other alarm: a full window, a stopped program, a late job."""
    return _blocked(next((alarm.line for alarm in status.alarms if alarm.id not in ("loss", _FALLING)), ""))


def _falls(status: Status) -> Line:
    """Says that lines are not loaded, or that MEMORY.md is over its cap where no platform is known."""
    first = next((alarm for alarm in status.alarms if alarm.id == _FALLING), None)
    if first is not None:
        return _blocked(f"{file_name(first.path)}: {first.detail.partition(',')[0]}")
    lines = status.memory_md.get("lines") or 0
    return _blocked(f"MEMORY.md has {lines:,} of {MEMORY_MD_CAP} lines" if lines > MEMORY_MD_CAP else "")


def _cut_off(status: Status) -> Line:
    """Says that an operation is half done; until it is recovered, all figures describe that state."""
    is_half = any(item.id == "recover" for item in status.degraded)
    return _blocked("an operation was cut off half-way" if is_half else "")


def _not_saved(status: Status) -> Line:
    """Counts the compactions whose removed turns were not saved to memory."""
    many = sum(item.id == "flush" for item in status.degraded)
    return _blocked(f"{noun(many, 'compaction')} not saved" if many else "")


def _state(status: Status) -> Line:
    fired = [trigger for trigger in status.triggers if trigger.fired]
    if any(trigger.id == "semantic_hard" for trigger in fired):
        return _blocked("a shard is over its hard limit")
    if fired:
        crossed = noun(len(fired), "limit is", "limits are")
        return (Span(f"{glyphs.RISK.glyph} ", "risk"), Span(f"{crossed} crossed", "risk"))
    if status.alarms or _falls(status):
        return ()
    return (Span(f"{glyphs.PASSED.glyph} ", "ok"), Span("all within limits", "ok"))


def _nothing_eligible(status: Status) -> Line:
    """Says when notes become eligible, if a limit is crossed and none is eligible yet."""
    waits = status.next_eligible is not None and status.primary_trigger is not None
    return (Span(f"nothing eligible until {status.next_eligible}", "text"),) if waits else ()


def _ahead(trends: Iterable[Trend]) -> Line:
    """Names the gauge that reaches its limit next, if that is soon."""
    next_limit = nearest((gauge_name(trend.id), trend) for trend in trends)
    # A date months ahead is on the trend pane, and no news each day.
    if next_limit is None or next_limit[1].days > NEAR:
        return ()
    name, crossing = next_limit
    return (Span(f"{name} full in {crossing.days} d" if crossing.days else f"{name} full today", "warn"),)


def gauge_name(gauge: str) -> str:
    """Returns the name of a gauge by its id."""
    return _GAUGES.get(gauge) or safe(gauge.rpartition("/")[2])


def _behind(status: Status) -> Line:
    """Says how many days the tree is behind, unless a fired trigger asks for a dry run already."""
    backlog = status.tree.get("backlog")
    if status.primary_trigger is not None or not isinstance(backlog, int) or not backlog:
        return ()
    return (Span(f"the tree is {noun(backlog, 'day')} behind", "text"),)


def _agent(changes: SinceLook | None) -> Line:
    words = agent_changes.said(changes) if changes is not None else ""
    return (Span(words, "text"),) if words else ()


def _degraded(status: Status) -> Line:
    many = len(status.degraded)
    return (Span(f"{glyphs.STALE.glyph} {many} degraded", "warn"),) if many else ()


def _next(seen: VerdictFacts, beside: bool) -> Line:
    """Names the one key to press next."""
    if _lost(seen.status):
        return (Span("x", "key"), Span(" reverts it", "text"))
    if _cut_off(seen.status):
        return (Span(":recover", "key"), Span(" puts it right", "text"))
    if seen.waiting and beside:
        return (Span("next: key ", "text"), Span("2", "key"))
    if seen.waiting:
        waits = "1 plan waits" if seen.waiting == 1 else f"{seen.waiting:,} plans wait"
        return (Span(f"{waits}: key", "text"), Span(" 2", "key"))
    if system := cure(seen.status):
        return (Span("d enter", "key"), Span(f" {system}: {_CURES[system]}", "text"))
    if seen.status.primary_trigger is not None or _behind(seen.status):
        return (Span("d", "key"), Span(" dry run: changes nothing", "text"))
    return (Span("nothing to do", "muted"),)


def cure(status: Status) -> str:
    """Returns the system whose plan answers the worst alarm; empty if there is none."""
    named = (name for alarm in status.alarms for name in _CURES if f"memdeck plan {name}" in alarm.fix)
    return next(named, "prune" if _falls(status) and not status.alarms else "")
