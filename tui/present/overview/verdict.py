"""The Overview in one line: is anything wrong, what can be done about it, and what comes next."""

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
"""Systems that answer an alarm, as its `fix` names them, and what each does."""


class VerdictFacts(NamedTuple):
    """All that the line is made from."""

    status: Status
    waiting: int
    trends: tuple[Trend, ...] = ()
    changes: SinceLook | None = None


def verdict(seen: VerdictFacts, width: int = 1000, *, beside: bool = False) -> ListRow:
    """Says what is wrong on the left, by weight and as far as it fits; what to do about it on the right. `beside`:
    panes for the agent's changes and the trends are on screen, which need not be told here as well."""
    status = seen.status
    if not (status.capabilities or status.skipped or status.notes):
        return ListRow((Span("○ ", "info"), Span("no memory in this folder yet", "strong")), _elsewhere())
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
    """The words in its place while all below is of an earlier look."""
    when: Line = (Span("◐ ", "info"), Span(f"as of {clock(seen, now)}", "warn"))
    return ListRow((*when, Span(" · reading the workspace…", "muted")))


def _blocked(words: str) -> Line:
    return (Span(f"{glyphs.BLOCKED.glyph} ", "blocked"), Span(safe(words), "blocked")) if words else ()


def _lost(status: Status) -> Line:
    """Files that platforms always load lost what they held: nothing is graver, and it can be taken back."""
    if not (lost := [alarm for alarm in status.alarms if alarm.id == "loss"]):
        return ()
    more = f" and {noun(len(lost) - 1, 'loss', 'losses')} more" if len(lost) > 1 else ""
    return _blocked(f"{file_name(lost[0].path)} {lost[0].detail.partition(',')[0]}{more}")


def _alarmed(status: Status) -> Line:
    """The worst of the other alarms: a window that is full, what stopped, a job that is late."""
    return _blocked(next((alarm.line for alarm in status.alarms if alarm.id not in ("loss", _FALLING)), ""))


def _falls(status: Status) -> Line:
    """Lines that an agent should get and does not, or MEMORY.md over its cap where no platform is known to cut it."""
    first = next((alarm for alarm in status.alarms if alarm.id == _FALLING), None)
    if first is not None:
        return _blocked(f"{file_name(first.path)}: {first.detail.partition(',')[0]}")
    lines = status.memory_md.get("lines") or 0
    return _blocked(f"MEMORY.md has {lines:,} of {MEMORY_MD_CAP} lines" if lines > MEMORY_MD_CAP else "")


def _cut_off(status: Status) -> Line:
    """An operation that is half on the disk: until it is put right, all below tells of a state nobody asked for."""
    is_half = any(item.id == "recover" for item in status.degraded)
    return _blocked("an operation was cut off half-way" if is_half else "")


def _not_saved(status: Status) -> Line:
    """A compaction took turns out of a session that nothing holds but its file."""
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
    """Says why a crossed limit has nothing to be done about it yet."""
    waits = status.next_eligible is not None and status.primary_trigger is not None
    return (Span(f"nothing eligible until {status.next_eligible}", "text"),) if waits else ()


def _ahead(trends: Iterable[Trend]) -> Line:
    """The limit that is crossed next, if that is soon."""
    found = nearest((gauge_name(trend.id), trend) for trend in trends)
    # A date months ahead is on the trend pane, and no news each day.
    if found is None or found[1].days > NEAR:
        return ()
    name, crossing = found
    return (Span(f"{name} full in {crossing.days} d" if crossing.days else f"{name} full today", "warn"),)


def gauge_name(gauge: str) -> str:
    """A gauge's id as an operator reads it."""
    return _GAUGES.get(gauge) or safe(gauge.rpartition("/")[2])


def _behind(status: Status) -> Line:
    """Says what the tree has to catch up with, where no limit calls for a dry run anyway."""
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
    """The one key that brings things forward."""
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
    """The system that answers the worst alarm of those that one answers; empty for none."""
    named = (name for alarm in status.alarms for name in _CURES if f"memdeck plan {name}" in alarm.fix)
    return next(named, "prune" if _falls(status) and not status.alarms else "")


def _elsewhere() -> Line:
    return (Span("9", "key"), Span(" lists the tools found on this machine", "muted"))
