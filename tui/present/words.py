"""Formats numbers, ages and names for the operator; texts from a workspace pass `safe` first."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from engine.plans.memory_status import UseCounts
from engine.plans.plan import Cost
from engine.text.pattern_file import fault, pattern_file
from engine.text.safe_text import visible_line
from tui.present.spans import Line, hint

safe = visible_line  # text of one line, made safe to show


@cache
def _tables() -> dict[str, Any]:
    return pattern_file("tui.present", "words.toml")


def words_of(kind: str, states: Iterable[str] = ()) -> dict[str, Any]:
    """Reads the words of a kind from `words.toml`. Raises `Damaged` if a state has none."""
    words: dict[str, Any] = _tables()[kind]
    if missing := [str(state) for state in states if state not in words]:
        raise fault("tui/present/words.toml", kind, f"it has no words for {', '.join(missing)}")
    return words


def text_lines(name: str) -> tuple[Line, ...]:
    """Returns a text of `words.toml`: `*` begins a strong line, and words between backticks are keys."""
    lines = words_of("texts")[name].split("\n")
    return tuple(hint(line.removeprefix("*"), "strong" if line.startswith("*") else "muted") for line in lines)


HIDDEN_SHOWN = "[\u2400-\u2426]|⟨U\\+[0-9A-F]{4,6}⟩|⟨x[0-9A-F]{2}⟩"
"""Matches the tokens that `safe` shows in place of hidden characters; a tab has none, since it is visible."""

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400  # seconds
_YEARS_FROM = 3  # years from which on days say nothing any more


def count(number: int) -> str:
    """Formats a number with separators: `1,047`."""
    return f"{number:,}"


def short_count(number: int) -> str:
    """Formats a number in at most four characters below ten million: `812`, `2.9k`, `341k`, `1.2M`."""
    if number < 1000:
        return str(number)
    for limit, unit, name in ((1_000_000, 1000, "k"), (1_000_000_000, 1_000_000, "M")):
        if number < limit:
            value = number / unit
            return f"{value:.1f}{name}".replace(".0", "") if value < 9.95 else f"{value:.0f}{name}"
    return f"{number / 1_000_000_000:.0f}G"


def size(number: int) -> str:
    """Formats bytes as `812 B`, `2.9 KiB`, `1.2 GiB`."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if number >= unit:
            return f"{number / unit:,.1f} {name}"
    return f"{number} B"


def noun(number: int, single: str, many: str = "") -> str:
    """Formats a number with its noun: `1 change`, `24 changes`."""
    return f"{number:,} {single if number == 1 else many or single + 's'}"


def uses_words(uses: UseCounts) -> str:
    """Returns `3 entries never used, 1 question open`; empty if there is nothing of that kind."""
    parts = (
        (uses.idle, "entry never used", "entries never used"),
        (uses.never_used, "note without use", "notes without use"),
        (uses.not_found, "question without an answer", "questions without an answer"),
        (uses.refused, "plan refused often", "plans refused often"),
    )
    return ", ".join(noun(*part) for part in parts if part[0])


def milliseconds(value: float) -> str:
    """Formats milliseconds as `0.31 ms`, `14 ms`, `1.2 s`."""
    if value >= 1000:
        return f"{value / 1000:.1f} s"
    return f"{value:.2f} ms" if value < 10 else f"{value:.0f} ms"


def percent(share: float) -> str:
    """Formats a share of 0.25 as `25 %`."""
    return f"{100 * share:.0f} %"


def cost_words(cost: Cost) -> str:
    """Returns `3 calls, $0.0120, reckoned at $0.0150 before`, or `no calls`."""
    if not cost.calls:
        return "no calls"
    before = f", reckoned at ${cost.estimated_usd} before" if cost.estimated_usd else ""
    return f"{noun(cost.calls, 'call')}, ${cost.usd}{before}"


def _spent(seconds: float) -> str:
    if seconds < _MINUTE:
        return "now"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE:.0f} min"
    if seconds < _DAY:
        return f"{seconds // _HOUR:.0f} h"
    return f"{seconds // _DAY:.0f} d"


def age(since: datetime, now: datetime) -> str:
    """Returns how long ago a time was: `4 min`, `3 h`, `12 d`; `now` for a time in the future."""
    return _spent((now - since).total_seconds())


def ago(since: datetime, now: datetime) -> str:
    """Returns how long ago a time was as a phrase: `just now`, `4 min ago`."""
    spent = age(since, now)
    return "just now" if spent == "now" else f"{spent} ago"


def ahead(until: datetime, now: datetime) -> str:
    """Returns how far a time is ahead: `in 2 d 4 h`, `in 25 min`, `now`, `in 12 y`."""
    left = int((until - now).total_seconds())
    if left < _MINUTE:
        return "now"
    if left < _HOUR:
        return f"in {left // _MINUTE} min"
    if left < _DAY:
        return f"in {left // _HOUR} h"
    days, hours = left // _DAY, left % _DAY // _HOUR
    if days >= _YEARS_FROM * 365:
        return f"in {days // 365} y"
    return f"in {days} d {hours} h" if hours and days < 7 else f"in {days} d"


def clock(moment: datetime, now: datetime) -> str:
    """Formats a time as briefly as is clear: `14:05`, `Sun 03:00`, `2 Mar`, `2 Mar 2025`, without its zone."""
    apart = abs(moment - now)
    if apart < timedelta(days=1) and moment.date() == now.date():
        return f"{moment:%H:%M}"
    if apart < timedelta(days=7):
        return f"{moment:%a %H:%M}"
    return f"{moment.day} {moment:%b}" if moment.year == now.year else f"{moment.day} {moment:%b %Y}"


def moment(at: datetime) -> str:
    """Formats a time in full with its own offset: `2026-03-15 03:00 UTC`."""
    name = "UTC" if not at.utcoffset() else f"{at:%z}"
    return f"{at:%Y-%m-%d %H:%M} {name}"


def moment_of_week(at: datetime) -> str:
    """Formats a time in full with its weekday: `Sun 2026-03-15 03:00 UTC`."""
    return f"{at:%a} {moment(at)}"


def duration(seconds: float) -> str:
    """Formats seconds as roughly as a forecast deserves: `40 s`, `6 min`, `1 h 20 min`."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def home(path: str, user_home: str) -> str:
    """Replaces the operator's home folder in a path by `~`; safe to show."""
    if user_home and (path == user_home or path.startswith(user_home.rstrip("/") + "/")):
        path = "~" + path[len(user_home.rstrip("/")) :]
    return safe(path)


def short_digest(digest: str) -> str:
    """Returns the first eight hexadecimal digits in two groups, to compare by eye: `9f3a 61c0`."""
    digits = digest.removeprefix("sha256:")[:8]
    return f"{digits[:4]} {digits[4:]}"


def tail(path: str) -> str:
    """Returns a path without `memory/`; safe to show."""
    return safe(path.removeprefix("memory/"))


def shortened(path: str, width: int) -> str:
    """Shortens a safe path to `width` characters: its middle goes first, its name last."""
    if len(path) <= width:
        return path
    room = width - len(path.rpartition("/")[2]) - 2
    return f"{path[:room]}…/{path.rpartition('/')[2]}" if room > 0 else f"…{path[len(path) - max(1, width - 1) :]}"


def names_apart(paths: Sequence[str]) -> list[str]:
    """Returns the last part of each path, safe to show, with folders if several paths end the same."""
    many = Counter(file_name(path) for path in set(paths))
    return [tail(path) if many[file_name(path)] > 1 else file_name(path) for path in paths]


def file_name(path: str) -> str:
    """Returns the last part of a path, safe to show."""
    return safe(path.rpartition("/")[2])
