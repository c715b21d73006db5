"""Shows the context window of a session: its bar, its band, the forecast, and its course over the turns."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tui.present.glyphs import WINDOW_BANDS, Sign
from tui.present.overview.gauges import BarLimit, GaugeBar, bar
from tui.present.plot import merged
from tui.present.spans import Line, ListRow, Role, Span
from tui.present.words import clock, count, moment, noun, safe

if TYPE_CHECKING:
    from engine.sessions.window.session_window import SessionWindow
    from engine.sessions.window.token_timeline import Compaction, WindowTimeline

_PER_MILLE: tuple[tuple[int, Role], ...] = ((800, "warn"), (900, "risk"), (975, "blocked"))
"""The lower edges of the bands in thousandths of the window: 80, 90 and 97.5 % (decision B1)."""
_LEVELS = "▁▂▃▄▅▆▇"
_BARS: tuple[Role, ...] = ("bar_warn", "bar_risk", "bar_blocked")
_LEAST_BAR, _MOST_BAR = 16, 40  # cells of the bar, whatever room the figures leave
NOT_FOLLOWED = "no session is followed"


def band_sign(band: str) -> Sign:
    return WINDOW_BANDS.get(band, WINDOW_BANDS["unknown"])


def share(tokens: int, limit: int) -> str:
    """Returns a share of the window as `97.5 %`, rounded down, so that no band shows before it is reached."""
    tenths = tokens * 1000 // max(1, limit)
    return f"{tenths // 10}.{tenths % 10} %"


def gauge_row(window: Mapping[str, Any], width: int) -> ListRow:
    """Shows the window in one line: band, bar, tokens, and forecast."""
    sign = band_sign(str(window.get("band", "unknown")))
    named: Line = (Span("Window ", "strong"), sign.span, Span(" "))
    said = figure_line(window)
    if sign.word == "unknown":
        return ListRow((*named, *said))
    room = max(_LEAST_BAR, min(_MOST_BAR, width - sum(len(span.text) for span in (*named, *said[:2])) - 1))
    drawn = window_bar(int(window["tokens"]), int(window["limit"]), room)
    return ListRow((*named, *drawn, Span(" "), said[0]), (), said[1:])


def figure_line(window: Mapping[str, Any]) -> Line:
    """Returns the tokens of the window, the forecast and the session, or why they are unknown."""
    if str(window.get("band", "unknown")) == "unknown":
        many = window.get("sessions") or 0
        why = f"{noun(many, 'session')} followed, none with an answer in context" if many else NOT_FOLLOWED
        return (Span(why, "muted"),)
    figure = _figure(int(window["tokens"]), int(window["limit"]), estimated=bool(window.get("estimated")))
    more = (ahead_words(window.get("next")), safe(str(window.get("session", ""))))
    return (Span(figure, "text"), *(Span(f" · {words}", "muted") for words in more if words))


def _figure(tokens: int, limit: int, *, estimated: bool) -> str:
    return f"{'≈ ' if estimated else ''}{count(tokens)}/{count(limit)} {share(tokens, limit)}"


def ahead_words(ahead: Mapping[str, Any] | None) -> str:
    """Returns the forecast as `compact in 12 turns`; empty without one."""
    if not ahead:
        return ""
    return f"{ahead['band']} in {noun(int(ahead['turns']), 'turn')}"


def window_bar(tokens: int, limit: int, width: int) -> Line:
    """Draws a bar that ends a little beyond the window, with marks at the edges of the bands."""
    edges = tuple(
        BarLimit(-(-limit * per_mille // 1000) - 1, role)
        for (per_mille, _), role in zip(_PER_MILLE, _BARS, strict=True)
    )
    return bar(GaugeBar("", tokens, edges, ""), width)


def session_words(window: "SessionWindow") -> str:
    """Returns `compact in 12 turns · claude-sonnet-4-5 · 42 turns · 1 compaction`."""
    timeline, ahead = window.timeline, window.forecast
    parts = [
        ahead_words({"band": ahead.band.value, "turns": ahead.turns}) if ahead is not None else "",
        safe(timeline.model) or "model unknown",
        noun(len(timeline.turns), "turn"),
        noun(len(timeline.compactions), "compaction") if timeline.compactions else "",
        "counted here, not told by the provider" if timeline.estimated else "",
        "above its window: set context.model_windows" if window.tokens > window.limit else "",
    ]
    return " · ".join(filter(None, parts))


def figure_words(window: "SessionWindow") -> str:
    return _figure(window.tokens, window.limit, estimated=window.timeline.estimated)


def compaction_words(cut: "Compaction", now: datetime | None = None) -> str:
    """Returns `14:02 auto: 180,000 → 31,000, turns 1-40 left (lines 1-912)`."""
    when = "" if cut.at is None else f"{clock(cut.at, now) if now is not None else moment(cut.at)} "
    after = count(cut.after) if cut.after else "?"
    turns = f"turns {cut.first_turn}-{cut.last_turn}" if cut.turns else "no turn"
    lines = f" (lines {cut.first_line}-{cut.last_line})" if cut.last_line >= cut.first_line else ""
    return f"{when}{safe(cut.trigger) or 'compacted'}: {count(cut.before)} → {after}, {turns} left{lines}"


def curve(timeline: "WindowTimeline", limit: int, width: int) -> Line:
    """Draws tokens over the turns in at most `width` cells, scaled to the whole window."""
    top, most = len(_LEVELS) - 1, max(1, limit)
    values = spread([turn.tokens for turn in timeline.turns], width)
    return merged(Span(_LEVELS[min(top, value * (top + 1) // most)], role_of(value, limit)) for value in values)


def spread(values: Sequence[int], width: int) -> list[int]:
    """Returns the highest value of each of `width` cells, so that no peak is lost; fewer values stay as they are."""
    if len(values) <= width:
        return list(values)
    edges = [len(values) * cell // width for cell in range(width + 1)]
    return [max(values[first:end]) for first, end in pairwise(edges)]


def role_of(value: int, limit: int) -> Role:
    """Returns the role of the band that contains `value` tokens."""
    passed = [role for per_mille, role in _PER_MILLE if value * 1000 >= limit * per_mille]
    return passed[-1] if passed else "ok"


MOST_CUTS = 3  # compactions of a session that its rows name, the last ones; its timeline has all


def session_rows(window: "SessionWindow", width: int, now: datetime) -> tuple[ListRow, ...]:
    """Shows a followed session: name, band and tokens, curve, facts, and compactions."""
    sign = band_sign(window.band.value)
    name = (sign.mark, Span(f" {safe(window.session)}", "title"))
    rows = [ListRow(name, (Span(f" {sign.word} {figure_words(window)}", sign.role),))]
    if window.timeline.turns:
        rows.append(ListRow((Span("  "), *curve(window.timeline, window.limit, max(8, width - 4)))))
    rows.append(ListRow((Span(f"  {session_words(window)}", "muted"),)))
    cuts = window.timeline.compactions
    rows += [ListRow((Span(f"  ▸ {compaction_words(cut, now)}", "text"),)) for cut in cuts[-MOST_CUTS:]]
    return tuple(rows)
