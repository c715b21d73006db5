"""Draws topics as lanes over time, and explains the decision at the message under the cursor."""

from collections.abc import Sequence
from datetime import timedelta

from engine.topics.decision_log import LogEntry
from engine.topics.lanes import LaneWindow, TopicLane
from engine.topics.topic import Activation, Topic, TopicSet
from tui.present.glyphs import LOST, WOKE
from tui.present.plot import merged
from tui.present.spans import Line, ListRow, Span
from tui.present.topics import decision_detail
from tui.present.topics.decision_detail import fact
from tui.present.topics.message_stream import Marks, message_row
from tui.present.words import count, noun, safe, shortened

_MOST_NAME, _LEAST_NAME = 28, 10  # cells of a topic's name, which has a third of the room between these
_LEVELS = " ▁▂▃▄▅▆▇"
_BAR, _HELD, _LOST = "█", "━", "·"
_ACTIVE_IN = 2  # cells before a lane's name: whether the topic is in force at the end, and a blank
_LABEL = 12  # cells that a time on the axis takes at least, with what keeps it from the next
_DAY = 86_400
_STEPS = (1, 10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, _DAY, 2 * _DAY, 7 * _DAY, 30 * _DAY)
"""Possible distances between times on the axis, in seconds."""
_MOST_TRIGGERS = 8  # triggers of a topic that are shown; the others are counted


class LaneRows:
    """Makes lanes as rows of a list when they come into view."""

    def __init__(self, window: LaneWindow, room: int, chosen: int | None) -> None:
        """Takes `room`, the cells of a row, and `chosen`, the index of the message under the cursor."""
        self._window = window
        longest = max((len(lane.topic) for lane in window.lanes), default=0)
        self.name = max(_LEAST_NAME, min(longest, _MOST_NAME, room // 3))
        self.cells = max(1, room - self.name - _ACTIVE_IN - 1)
        self._step = (window.end - window.start) / self.cells
        self._cursor = self.column(chosen) if chosen is not None else None

    def __len__(self) -> int:
        return len(self._window.lanes)

    def column(self, message: int) -> int:
        share = (self._window.times[message] - self._window.start) / (self._window.end - self._window.start)
        return min(self.cells - 1, int(share * self.cells))

    def row(self, index: int) -> ListRow:
        lane = self._window.lanes[index]
        lit = lane.in_force(self._window.end, self._window.end + timedelta(seconds=1))
        sign = Span(f"{WOKE.glyph} ", WOKE.role) if lit else Span("  ")
        name = Span(f"{shortened(safe(lane.topic), self.name):<{self.name}} ", "strong" if lit else "text")
        return ListRow((sign, name, *self.bars(lane)))

    def bars(self, lane: TopicLane) -> Line:
        """Draws `█` where the topic was activated, `━` while it was active, `·` where a candidate was not activated."""
        said = {self.column(mark.message): mark.activated for mark in sorted(lane.marks, key=lambda m: m.activated)}
        return merged(self._cell(lane, column, said) for column in range(self.cells))

    def _cell(self, lane: TopicLane, column: int, said: dict[int, bool]) -> Span:
        start = self._window.start + self._step * column
        held = lane.marks and lane.in_force(start, start + self._step)
        shown = Span(_HELD, "line_ok") if held else Span(" ")
        if column in said:
            shown = Span(_BAR, "ok") if said[column] else Span(_LOST, "warn")
        if column == self._cursor:
            return Span("│", "accent") if shown.text == " " else shown._replace(role="strong")
        return shown

    def rate(self, height: int) -> tuple[Line, ...]:
        """Draws messages per minute as bars over the same cells, with the hours below."""
        figures = [
            self._window.per_minute(self._window.start + self._step * at, self._window.start + self._step * (at + 1))
            for at in range(self.cells)
        ]
        peak, rows = max(figures, default=0.0) or 1.0, max(1, height - 1)
        lead = Span(" " * (self.name + _ACTIVE_IN + 1))
        lines = []
        for row in range(rows):
            levels = [min(7, max(0, round((figure / peak * rows - (rows - 1 - row)) * 7))) for figure in figures]
            cells = (
                Span(_LEVELS[level], "strong" if at == self._cursor else "info") for at, level in enumerate(levels)
            )
            lines.append((lead, *merged(cells)))
        return (*lines, (lead, *self._hours()))

    def _hours(self) -> Line:
        """Writes round clock times at their places, and dates where a day begins."""
        start, cells = self._window.start, [" "] * self.cells
        seconds = (self._window.end - start).total_seconds() / self.cells
        step = next((interval for interval in _STEPS if interval >= seconds * _LABEL), _STEPS[-1])
        at = step - (start.timestamp() + (start.utcoffset() or timedelta()).total_seconds()) % step
        while at < seconds * self.cells:
            when, place = start + timedelta(seconds=at), int(at / seconds)
            clock = f"{when:%H:%M}" if step >= 60 else f"{when:%H:%M:%S}"
            label = f"{when.day} {when:%b}" if step >= _DAY or clock == "00:00" else clock
            if place + len(label) <= self.cells:
                cells[place : place + len(label)] = label
            at += step
        return (Span("".join(cells), "muted"),)


def title(window: LaneWindow, *, replay: str, following: bool) -> Line:
    """Returns `Lanes  the last hour · 42 messages · at most 14 a minute`."""
    hours, minutes = divmod((window.end - window.start) // timedelta(minutes=1), 60)
    span = ("hour" if hours == 1 else "day" if hours == 24 else f"{hours} hours") if hours else f"{minutes} minutes"
    what = f"replay of {replay}" if replay else f"the last {span}" if following else f"{span} of it"
    words = f" {what} · {noun(len(window.messages), 'message')} · at most {count(window.peak)} a minute"
    return (Span("Lanes", "title"), Span(words, "muted"))


def why(window: LaneWindow, lane: int, message: int | None, topics: TopicSet | None, marks: Marks) -> tuple[Line, ...]:
    """Shows the message under the cursor, and the decision about the lane's topic or why there was none."""
    if message is None or not 0 <= lane < len(window.lanes):
        return ((Span("nothing was said in this time", "muted"),),)
    entry, topic = window.messages[message], window.lanes[lane].topic
    row = message_row(entry)
    head: tuple[Line, ...] = ((*row.left, Span("  "), *row.right), ())
    part = next((at for at, decision in enumerate(entry.decisions) if decision.topic == topic), None)
    if part is not None:
        return (*head, *decision_detail.shown(entry, part, marks))
    return (*head, *_no_candidate(entry, topic, topics))


def _no_candidate(entry: LogEntry, name: str, topics: TopicSet | None) -> tuple[Line, ...]:
    topic = next((each for each in topics.topics if each.id == name), None) if topics is not None else None
    off: Line = (Span(f"{LOST.glyph} ", LOST.role), Span(safe(name), "strong"), Span("  not a candidate", "warn"))
    if entry.injected:
        return (off, fact("why", Span("the message was injected: what is injected triggers nothing")))
    if topic is None:
        return (off, fact("why", Span("there is no such topic any more, or its file has an error")))
    return (off, fact("why", Span(_reason(topic))), *_triggers(topic))


def _reason(topic: Topic) -> str:
    if not topic.enabled:
        return "it is disabled: `enabled: false`"
    if topic.activation is Activation.MANUAL:
        return "it never activates by itself: `activation: manual`"
    if topic.similarity_only:
        return "no trigger matched, and it was not similar enough"
    if len(topic.triggers) == 1:
        return "its one trigger did not match (watcher stage 1)"
    triggers = f"none of its {count(len(topic.triggers))} triggers matched (watcher stage 1)"
    return triggers if topic.triggers else "no triggers"


def _triggers(topic: Topic) -> Sequence[Line]:
    shown = [fact("trigger", Span(f"{each.kind} ", "strong"), Span(safe(each.what))) for each in topic.triggers]
    if len(shown) <= _MOST_TRIGGERS:
        return shown
    more = noun(len(shown) - _MOST_TRIGGERS, "more trigger")
    return [*shown[:_MOST_TRIGGERS], fact("", Span(f"and {more}", "muted"))]
