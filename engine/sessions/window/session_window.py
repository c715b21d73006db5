"""The window of a followed session as front ends are told of it, and which session a gauge stands for."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from engine.sessions.window.token_timeline import WindowBand, WindowForecast, WindowTimeline

RUNNING = timedelta(hours=1)  # a session whose file changed within this time may be compacted any moment


class SessionWindow(msgspec.Struct, frozen=True, kw_only=True):
    """One followed session: `source` as `sessions.files` lists it, `limit` is what can be used of its window (B25)."""

    source: str
    modified: datetime
    limit: int
    timeline: WindowTimeline

    @property
    def session(self) -> str:
        """Names the session by its file."""
        return self.source.rpartition("/")[2].removesuffix(".jsonl").removesuffix(".md")

    @property
    def tokens(self) -> int:
        return self.timeline.tokens

    @property
    def band(self) -> WindowBand:
        return self.timeline.band(self.limit)

    @property
    def forecast(self) -> WindowForecast | None:
        return self.timeline.forecast(self.limit)


def foremost(windows: Sequence[SessionWindow], now: datetime) -> SessionWindow | None:
    """The session that a gauge stands for: the fullest of those that run, else the one that changed last."""
    known = [window for window in windows if window.band is not WindowBand.UNKNOWN]
    running = [window for window in known if now - window.modified <= RUNNING]
    if running:
        return max(running, key=lambda window: (window.tokens / window.limit, window.modified))
    return max(known, key=lambda window: window.modified, default=None)
