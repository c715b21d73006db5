"""Reads the date of the what-if clock, and makes the banner that announces it."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from engine.errors import UsageError
from engine.workspace import dates
from tui.present.spans import Line, ListRow, Span
from tui.present.words import ahead

HELP = " · ".join(dates.EXAMPLES)
_MINUTE = timedelta(minutes=1)  # added before ages are rounded down, so that `in 3 h` is not `in 2 h` a second later
FIRST_YEAR, LAST_YEAR = 1990, 2200  # years between which the clock moves, the first and the last included


def instant(text: str, now: datetime, zone: str) -> datetime | str:
    """Reads the instant that `text` names, in UTC; returns an error text if it is unreadable."""
    try:
        named = dates.instant(text, now, zone)
    except UsageError as error:
        return f"no date: {error.hint}"
    if not FIRST_YEAR <= named.year <= LAST_YEAR:
        return f"a year from {FIRST_YEAR} to {LAST_YEAR}: try {', '.join(dates.EXAMPLES)}"
    return named


def banner(now: datetime, real_now: datetime, zone: str, *, step: str) -> ListRow:
    """Makes ` WHAT-IF Sun 22 Mar 12:00 UTC · in 6 d ` and says what that means. `step` is how far the arrows move it;
    empty if the console was started with this clock, which `esc` cannot end."""
    local = now.astimezone(ZoneInfo(zone))
    # A minute on: time passes while one types, and `+3d` is still three days.
    apart = ahead(now + _MINUTE, real_now) if now >= real_now else f"{ahead(real_now, now).removeprefix('in ')} ago"
    year = f" {local.year}" if local.year != real_now.astimezone(ZoneInfo(zone)).year else ""
    when = f"{local:%a} {local.day} {local:%b}{year} {local:%H:%M %Z}"
    badge: Line = (Span(f" WHAT-IF  {when} · {apart} ", "readonly"),)
    means: Line = (Span("  all as of then · new plans are simulated", "warn"),)
    keys: Line = (Span("t", "key"), Span(" date", "muted"))
    if step:
        keys = (Span("←/→", "key"), Span(f" {step}  ", "muted"), Span("s", "key"), Span(" step  ", "muted"), *keys)
        keys += (Span("  esc", "key"), Span(" now", "strong"))
    return ListRow(badge, keys, means)
