"""Replays a past session at a chosen speed: tells which messages are due."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from engine.topics.activation import Active
from engine.topics.decision_log import LogEntry
from engine.topics.rates import Tally, tally_of
from tui.present.spans import Line, Span, fitting, key_line
from tui.present.words import count, safe

AT_ONCE = 1_000_000  # faster than any session: every pause is over at the next frame
SPEEDS = (1, 4, 16, 60, 300, AT_ONCE)  # times as fast as the session was; the last plays all that is left in one go
LONGEST_GAP = 4.0  # seconds of waiting for one message, whatever the session's own pause and the speed
_UNKNOWN_GAP = 30.0  # seconds between two messages of which nobody knows when they were said


class Replay:
    """Plays messages whose decisions are known; the caller passes the elapsed time."""

    def __init__(self, name: str, entries: Sequence[LogEntry], speed: int = 60) -> None:
        self.name = name
        self.speed = speed
        self.paused = False
        self._entries = tuple(entries)
        self._gaps = (0.0, *(_gap(before, after) for before, after in pairwise(entries)))
        self._done = 0
        self._waited = 0.0
        self.tally = Tally()

    @property
    def over(self) -> bool:
        return self._done >= len(self._entries)

    def advance(self, seconds: float) -> tuple[LogEntry, ...]:
        """Returns the messages that are due after `seconds` more of real time."""
        if self.paused:
            return ()
        self._waited += seconds
        played: list[LogEntry] = []
        while not self.over and self._waited >= (gap := min(self._gaps[self._done] / self.speed, LONGEST_GAP)):
            self._waited -= gap
            played += self.step()
        return tuple(played)

    def step(self) -> tuple[LogEntry, ...]:
        """Returns the next message at once; empty at the end."""
        if self.over:
            return ()
        entry = self._entries[self._done]
        self._done += 1
        self.tally += tally_of(entry.result, entry.steered, injected=entry.injected)
        return (entry,)

    def faster(self, by: int) -> None:
        """Changes to the next faster speed, or to the next slower for -1."""
        self.speed = SPEEDS[max(0, min(SPEEDS.index(self.speed) + by, len(SPEEDS) - 1))]

    def clock(self) -> datetime | None:
        """Returns the time of the last played message; None without messages."""
        return self._entries[max(0, self._done - 1)].at if self._entries else None

    def active(self) -> tuple[Active, ...]:
        """Returns the activations in force at that time."""
        now = self.clock()
        latest = {
            (each.session, each.topic): each for entry in self._entries[: self._done] for each in entry.woken.active
        }
        return tuple(each for each in latest.values() if now is not None and each.until > now)

    def keys(self) -> Line:
        """Lists the keys of the replay, for the border below it."""
        plays = (("p", "go on" if self.paused else "pause"), ("space", "next"), ("< >", "speed"))
        return key_line(*((("R", "another"),) if self.over else plays), ("esc", "back to live"))

    def title(self, width: int = 1000) -> Line:
        """Returns `Replay 12/40 · 16× · flaky-test · 2026-03-15 09:30`: as much of it as fits."""
        speed = f"{self.speed}×" if self.speed < AT_ONCE else "at once"
        state = "ended" if self.over else "paused" if self.paused else speed
        facts: list[Line] = [
            (Span("Replay", "title"), Span(f" {count(self._done)}/{count(len(self._entries))}", "muted")),
            (Span(state, "warn" if self.paused and not self.over else "accent"),),
            (Span(safe(self.name), "muted"),),
        ]
        if (clock := self.clock()) is not None:
            facts.append((Span(f"{clock:%Y-%m-%d %H:%M}", "muted"),))
        return fitting(facts, Span(" · ", "muted"), width)


def _gap(before: LogEntry, after: LogEntry) -> float:
    if before.said_at is None or after.said_at is None:
        return _UNKNOWN_GAP
    return max(0.0, (after.said_at - before.said_at) / timedelta(seconds=1))
