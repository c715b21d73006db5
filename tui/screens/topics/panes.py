"""The panes of the Topics screen: what stands in them, and how they follow the stream."""

from collections.abc import Mapping
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.timer import Timer

from engine.sessions.feed import Batch
from engine.sessions.follows import Follows
from engine.sessions.monitor import MonitorStep
from engine.topics.activation import Active
from engine.topics.decision_log import LogEntry, Useful
from engine.topics.rates import Tally
from engine.topics.topic import TopicSet
from tui.bridge.facts import TimePassed
from tui.dialogs.text_reader import TextReader as ReadingScreen
from tui.present.spans import Line, ListRows, Span
from tui.present.topics import detail, figures
from tui.present.topics.replay import Replay
from tui.present.topics.stream import Stream, StreamRow, StreamRows
from tui.present.words import count, safe
from tui.screens.page import Page
from tui.widgets.filter_field import FilterField
from tui.widgets.line_list import LineList
from tui.widgets.painted import Painted
from tui.widgets.text_pane import TextPane

_SETTLE_SECONDS = 0.06
"""Seconds for which the cursor rests on a message before its decisions are laid out."""
_SETTLE_SECONDS_BEHIND = 0.4
"""The same while a burst goes through."""
_WIDE_STREAM = 100
"""Cells of the stream from which on a message's row says what each tier let through."""
_EDGES = 6
"""Cells that a pane's corners and the blanks around its title take."""


class TopicsPanes(Page):
    """The stream at the left, what it came to at the right; below, the day's figures, what is active and the topics."""

    PANES: ClassVar[tuple[str, ...]] = ("stream", "decision", "active", "topics_list", "funnel")
    NAMES: ClassVar[Mapping[str, str]] = {
        "stream": "Live",
        "decision": "Decision",
        "active": "Active",
        "topics_list": "Topics",
        "funnel": "Today",
    }

    def __init__(self) -> None:
        super().__init__(id="topics")
        self.stream = self.live = Stream()
        """The stream on screen, and the live one: while a replay plays, they are two."""
        self.topics: TopicSet | None = None
        self.marks: dict[tuple[str, str], Useful] = {}
        self.reading: MonitorStep | None = None
        self.replay: Replay | None = None
        self.followed = Follows()
        """The paths that the operator pointed at besides the workspace's own transcripts."""
        self.problem = ""
        """The problem with listening, as it was last told."""
        self.stopped = False
        """True if listening ended with an error; every new look at the workspace tries again."""
        self._settling: Timer | None = None
        self._active: tuple[Active, ...] = ()
        self._listed: tuple[TopicSet | None, frozenset[str]] = (None, frozenset())
        """The content of the list of topics: which topics, and which of them are active."""
        self._anchor: StreamRow | None = None
        """The row under the cursor, which stays on it when rows come and go."""
        self._shown: tuple[LogEntry, int] | None = None
        """The message whose detail is on screen, and which decision or hint of it: it may be gone from the stream."""

    def compose(self) -> ComposeResult:
        with Vertical(id="heard"):
            yield LineList(ident="stream", empty="reading topics…")
            yield FilterField(
                "words, topic, rule:high-sure, gate:yes, role:user, is:active", ident="topics_filter", of="stream"
            )
            yield TextPane(ident="funnel")
        with Vertical(id="told"):
            yield TextPane(ident="decision", hang=detail.LABEL)
            yield LineList(ident="active", empty="no topic is active")
            yield LineList(ident="topics_list", empty="reading topics…")

    def on_mount(self) -> None:
        self.show_all()
        self.follow_here(TimePassed, self.show_figures)

    def _text(self, name: str) -> TextPane:
        return self.query_one(f"#{name}", TextPane)

    # Showing

    @property
    def place(self) -> StreamRow | None:
        """The row under the cursor."""
        rows, at = self.stream.rows, self.list_of("stream").cursor
        return rows[at] if at < len(rows) else None

    @property
    def decided(self) -> tuple[LogEntry, str] | None:
        """The message and the topic that a judgement would be about; None where the cursor leaves that open."""
        place = self.place
        if place is None:
            return None
        entry = self.stream.entry(place)
        if 0 <= place.part < len(entry.decisions):
            return entry, entry.decisions[place.part].topic
        if place.part < 0 and len(entry.decisions) == 1:
            return entry, entry.decisions[0].topic
        return None

    @property
    def following(self) -> bool:
        """Tells whether the cursor stands on the last row, and goes on with it."""
        lines = self.list_of("stream")
        return lines.cursor >= lines.count - 1

    def show_all(self, *, to_end: bool = True) -> None:
        self.show_stream(to_end=to_end)
        self.show_figures()
        self.name_panes()

    def show_stream(self, *, to_end: bool = False) -> None:
        """The rows as they are now: the cursor stays on its message, or on the last one where it stood there."""
        lines = self.list_of("stream")
        follow = to_end or self.following
        rows = StreamRows(self.stream, self.marks, wide=lines.size.width >= _WIDE_STREAM)
        at = len(rows) - 1 if follow or self._anchor is None else self.stream.index(self._anchor)
        if not len(rows):
            lines.show_empty("", self._nothing())
        lines.show(rows, at)
        self._anchor = self.place
        self._settle()

    def _settle(self) -> None:
        """Has the detail follow the cursor, a moment later: laying it out costs more than moving (ten milliseconds)."""
        if self._settling is None:
            behind = self.reading is not None and self.reading.feed.behind
            self._settling = self.set_timer(_SETTLE_SECONDS_BEHIND if behind else _SETTLE_SECONDS, self._settled)

    def _settled(self) -> None:
        self._settling = None
        self._show_decision()
        self.name_panes()

    def _nothing(self) -> tuple[Line, ...]:
        if self.stream.filter:
            return figures.told("no message matches\nesc clears the filter")
        return figures.trouble(self.problem) if self.problem else figures.empty_lines(self.topics)

    def _show_decision(self) -> None:
        place, pane, before = self.place, self._text("decision"), self._shown
        if place is None:
            self._shown = None
            pane.show(detail.NOTHING)
            return
        entry, part = self._shown = self.stream.entry(place), place.part
        same = before is not None and (before[0].key, before[1]) == (entry.key, part)
        if not same:
            self.refresh_bindings()
        pane.show(detail.shown(entry, part, self.marks), keep_place=same)

    def show_figures(self) -> None:
        replay, reading = self.replay, self.reading
        funnel = self._text("funnel")
        funnel.show(
            figures.funnel_lines(
                self.tally, reading if replay is None else None, funnel.scrollable_content_region.width
            ),
            keep_place=True,
        )
        now = self.deck.now()
        if replay is not None:
            self._active, now = replay.active(), replay.clock() or now
        else:
            self._active = reading.active if reading is not None else ()
        several = len({one.session for one in self._active})
        self.list_of("active").show(ListRows(detail.active_rows(self._active, now, several)))
        listed = (self.topics, frozenset(one.topic for one in self._active))
        if self.topics is not None and (listed[0] is not self._listed[0] or listed[1] != self._listed[1]):
            self._listed = listed
            self.list_of("topics_list").show_empty("no topics yet: topics/NAME.md makes one")
            self.list_of("topics_list").show(figures.TopicFigureRows(self.topics, listed[1]))

    @property
    def tally(self) -> Tally:
        """Counts what the funnel shows: today, or what the replay has played."""
        if self.replay is not None:
            return self.replay.tally
        return self.reading.today if self.reading is not None else Tally()

    def name_panes(self) -> None:
        feed = self.reading.feed if self.reading is not None else Batch()
        amiss = figures.skipped_words(feed, len(self.followed.missing))
        judged = figures.judged_words(*self.stream.judged(self.marks), here=self.decided is not None)
        keys = self.replay.keys() if self.replay is not None else ()
        bad = sum(one.error for one in self.topics.problems) if self.topics is not None else 0
        names: dict[str, tuple[Line, Line]] = {
            "stream": (self._stream_title(), keys or ((Span(amiss, "warn"),) if amiss else ())),
            "decision": (self._decision_title(), judged),
            "active": ((Span("Active", "title"), Span(f" ⟨{len(self._active)}⟩", "muted")), ()),
            "topics_list": (self._topics_title(bad), ()),
            "funnel": (figures.funnel_title(self.tally, replay=self.replay is not None), ()),
        }
        for name, (line, foot) in names.items():
            replayed = name == "stream" and self.replay is not None
            self.query_one(f"#{name}", Painted).name_it(line, foot if replayed else self.others(name) or foot)

    def _stream_title(self) -> Line:
        width = self.list_of("stream").outer_size.width - _EDGES
        if self.replay is not None:
            return self.replay.title(width)
        if self.stopped:
            return figures.STOPPED
        paused = self.stream.waiting if self.stream.paused else None
        shown = self.stream.filter
        return figures.live_title(self.reading, paused=paused, following=self.following, shown=shown, width=width)

    def _decision_title(self) -> Line:
        if self._shown is None:
            return (Span("Decision", "title"),)
        entry, part = self._shown
        if 0 <= part < len(entry.decisions):
            return (Span("Decision ", "title"), Span(safe(entry.decisions[part].topic), "accent"))
        return (Span("Message" if part < 0 else "Hint", "title"),)

    def _topics_title(self, bad: int) -> Line:
        known = len(self.topics.topics) if self.topics is not None else 0
        name: Line = (Span("Topics", "title"), Span(f" ⟨{count(known)}⟩", "muted"))
        return (*name, Span(f" ✗ {count(bad)} broken", "blocked")) if bad else name

    def on_resize(self) -> None:
        self.call_after_refresh(self.show_all, to_end=False)

    def turn_to(self, name: str) -> None:
        super().turn_to(name)
        if self.one_pane:  # a pane that was not on screen did not know its width
            self.call_after_refresh(self.show_all, to_end=False)

    def action_zoom(self) -> None:
        super().action_zoom()
        self.name_panes()

    # Moving

    @on(LineList.Moved, "#stream")
    def _moved(self, event: LineList.Moved) -> None:
        event.stop()
        self._anchor = self.place
        self._settle()

    @on(LineList.Chosen)
    def _opened(self, event: LineList.Chosen) -> None:
        match event.control.id:
            case "stream":
                self.turn_to("decision")
            case "active" if event.index < len(self._active):
                self.app.push_screen(ReadingScreen(*detail.active_detail(self._active[event.index])))
            case "topics_list" if self.topics is not None:
                self.app.push_screen(ReadingScreen(*figures.topic_detail(self.topics, event.index)))
