"""Defines the Topics page: why did (or didn't) this fire?"""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input

from engine.errors import MemdeckError
from engine.sessions.feed import Batch
from engine.sessions.follows import Follows
from engine.sessions.monitor import Monitor
from engine.topics.activation import Active
from engine.topics.decision_log import LogEntry, UsefulnessJudgement
from engine.topics.rates import Tally
from engine.topics.topic import TopicSet
from tui.bridge.facts import StatusRead, TimePassed
from tui.bridge.monitor_thread import MonitorThread
from tui.dialogs.text_reader import TextReader as ReadingScreen
from tui.present.spans import Line, ListRows, Span
from tui.present.topics import decision_detail
from tui.present.topics import funnel_figures as figures
from tui.screens.page import Page
from tui.screens.topics.heard_sessions import HeardSessions, follow_files, say_missing
from tui.screens.topics.stream_pane import StreamPane
from tui.widgets.filter_field import FilterField
from tui.widgets.line_list import LineList
from tui.widgets.painted import Painted
from tui.widgets.text_pane import TextPane

if TYPE_CHECKING:
    from engine.services.engine import Engine

TICK_SECONDS = 0.1  # the interval at which what came is put on screen: one repaint for all of it
_RECENT = 500  # messages of the log with which the page begins
Start = tuple[TopicSet, tuple[LogEntry, ...], tuple[UsefulnessJudgement, ...], Follows]


class TopicsPage(Page, scope="topics"):
    """Shows the stream and the selected decision; below, the day's figures, active topics, and all topics."""

    PANES: ClassVar[tuple[str, ...]] = ("stream", "decision", "active", "topics_list", "funnel")
    NAMES: ClassVar[Mapping[str, str]] = {
        "stream": "Live", "decision": "Decision", "active": "Active", "topics_list": "Topics", "funnel": "Today",
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__(id="topics")
        self.heard = HeardSessions()
        self._ticked = monotonic()
        self._active: tuple[Active, ...] = ()
        self._listed: tuple[TopicSet | None, frozenset[str]] = (None, frozenset())
        """The topics in the list, and which of them are active."""
        self._shown: tuple[LogEntry, int] | None = None
        """The message shown in detail, and the index of its decision or hint; the stream may have dropped it."""

    def compose(self) -> ComposeResult:
        with Vertical(id="heard"):
            yield StreamPane(self.heard)
            yield FilterField(
                "words, topic, rule:high-sure, gate:yes, role:user, is:active", ident="topics_filter", of="stream"
            )
            yield TextPane(ident="funnel")
        with Vertical(id="told"):
            yield TextPane(ident="decision", hang=decision_detail.LABEL)
            yield LineList(ident="active", empty="no topic is active")
            yield LineList(ident="topics_list", empty="reading topics…")

    def on_mount(self) -> None:
        self.show_all()
        self.follow_here(TimePassed, self.show_figures)
        self.set_interval(TICK_SECONDS, self.tick)
        self.deck.facts.follow(StatusRead, self._try_again)

    @cached_property
    def talk(self) -> StreamPane:
        return self.query_one(StreamPane)

    # Listening

    def enter(self) -> None:
        super().enter()
        if not self.heard.begun:
            self.listen()
            self.deck.bridge.read(_begin, self._began, self._could_not)

    def listen(self) -> None:
        self.heard.begin(MonitorThread(lambda: _monitor(self.deck.bridge.engine), self.deck.turn.wait))

    def _began(self, start: Start) -> None:
        self.heard.topics, recent, judgements, self.heard.followed = start
        self.talk.marks.update({(judgement.message, judgement.topic): judgement.useful for judgement in judgements})
        self.talk.begin(recent)
        if not recent:
            self.deck.bridge.find(lambda engine: engine.sessions.last_day(), self.talk.recall)
        say_missing(self)

    def _could_not(self, error: MemdeckError) -> None:
        before, self.heard.problem = self.heard.problem, f"✗ {error.title}\n{error.line()}"
        self.talk.show_empty("", figures.trouble(self.heard.problem))
        self.name_panes()
        if self.heard.problem != before:
            self.deck.fail(error)

    def _try_again(self, _: StatusRead) -> None:
        if self.heard.stopped and self.talk.replay is None:
            self.listen()

    def on_unmount(self) -> None:
        self.heard.end()

    def tick(self) -> None:
        """Shows all that came since the last tick at once."""
        now = monotonic()
        seconds, self._ticked = now - self._ticked, now
        if (error := self.heard.error()) is not None:
            self._could_not(error)
        if problem := self.heard.take():
            self.deck.say(problem, title="Topics", severity="warning")
        under = self.talk.place
        if self.has_class("here") and self.heard.due(now):
            if self.talk.take_in() and self.talk.replay is None:
                self.talk.show_rows()
            self._changed()
            self.heard.unpainted, self.heard.painted = False, now
        self.talk.advance(seconds)
        # Another row is under the cursor than the one that was read.
        if self.talk.place != under:
            self.talk.quiet.begin(now)

    # Showing

    def show_all(self) -> None:
        self.talk.show_rows(to_end=False)
        self._changed()

    @on(StreamPane.Changed)
    def _changed(self) -> None:
        self.show_figures()
        self.name_panes()

    @on(StreamPane.Rested)
    def _rested(self) -> None:
        place, pane, before = self.talk.place, self.query_one("#decision", TextPane), self._shown
        self._shown = (self.talk.stream.entry(place), place.part) if place is not None else None
        if self._shown is None:
            pane.show(decision_detail.NOTHING)
        else:
            same = before is not None and (before[0].key, before[1]) == (self._shown[0].key, self._shown[1])
            if not same:
                self.refresh_bindings()
            pane.show(decision_detail.shown(*self._shown, self.talk.marks), keep_place=same)
        self.name_panes()

    def show_figures(self) -> None:
        replay, reading, now = self.talk.replay, self.heard.reading, self.deck.now()
        funnel = self.query_one("#funnel", TextPane)
        width = funnel.scrollable_content_region.width
        funnel.show(figures.funnel_lines(self.tally, reading if replay is None else None, width), keep_place=True)
        if replay is not None:
            self._active, now = replay.active(), replay.clock() or now
        else:
            self._active = reading.active if reading is not None else ()
        several = len({activation.session for activation in self._active})
        self.list_of("active").show(ListRows(decision_detail.active_rows(self._active, now, several)))
        topics, active = listed = (self.heard.topics, frozenset(activation.topic for activation in self._active))
        if topics is not None and (topics is not self._listed[0] or active != self._listed[1]):
            self._listed = listed
            self.list_of("topics_list").show_empty("no topics yet: topics/NAME.md makes one")
            self.list_of("topics_list").show(figures.TopicFigureRows(topics, active))

    @property
    def tally(self) -> Tally:
        """The figures of the funnel: of today, or of the replay so far."""
        if self.talk.replay is not None:
            return self.talk.replay.tally
        return self.heard.reading.today if self.heard.reading is not None else Tally()

    def name_panes(self) -> None:
        talk, reading = self.talk, self.heard.reading
        amiss = figures.skipped_words(reading.feed if reading else Batch(), len(self.heard.followed.missing))
        judged = figures.judged_words(*talk.stream.judged(talk.marks), here=talk.decided is not None)
        keys = talk.replay.keys() if talk.replay is not None else ()
        names: dict[str, tuple[Line, Line]] = {
            "stream": (talk.title(), keys or ((Span(amiss, "warn"),) if amiss else ())),
            "decision": (figures.decision_title(self._shown), judged),
            "active": ((Span("Active", "title"), Span(f" ⟨{len(self._active)}⟩", "muted")), ()),
            "topics_list": (figures.topics_title(self.heard.topics), ()),
            "funnel": (figures.funnel_title(self.tally, replay=talk.replay is not None), ()),
        }
        for name, (line, foot) in names.items():
            self.query_one(f"#{name}", Painted).name_it(line, (name == "stream" and keys) or self.others(name) or foot)

    def on_resize(self) -> None:
        self.call_after_refresh(self.show_all)

    def turn_to(self, name: str) -> None:
        super().turn_to(name)
        if self.one_pane:  # a pane that was not on screen did not know its width
            self.call_after_refresh(self.show_all)

    def action_zoom(self) -> None:
        super().action_zoom()
        self.name_panes()

    @on(LineList.Chosen)
    def _opened(self, event: LineList.Chosen) -> None:
        match event.control.id:
            case "stream":
                self.turn_to("decision")
            case "active" if event.index < len(self._active):
                self.app.push_screen(ReadingScreen(*decision_detail.active_detail(self._active[event.index])))
            case "topics_list" if self.heard.topics is not None:
                self.app.push_screen(ReadingScreen(*figures.topic_detail(self.heard.topics, event.index)))

    # Keys

    def action_lanes(self) -> None:
        """Shows the topics over time; `enter` there goes to the message in the stream."""
        from tui.screens.topics.lanes import LanesScreen

        def closed(key: str) -> None:
            self.talk.go_to(key)
            self.turn_to("stream")

        self.deck.ask(LanesScreen(self.talk), closed)

    def action_tune(self) -> None:
        self.deck.flows.dry_runs.start("tune")

    async def action_type_message(self) -> None:
        """Opens the field of Context for a message, whose topics and prompt are shown there."""
        await self.app.run_action("go('context')")
        await self.app.run_action("ask", self.app.query_one("#context"))

    def action_follow_files(self) -> None:
        follow_files(self)

    def follow(self, followed: Follows) -> None:
        self.heard.followed = followed
        self.listen()

    def action_filter(self) -> None:
        self.turn_to("stream")
        self.query_one(FilterField).open(self.talk.stream.filter)

    @on(Input.Changed, "#topics_filter")
    def _filtered(self, event: Input.Changed) -> None:
        self.talk.sift(event.value)

    @on(Input.Submitted, "#topics_filter")
    def _filter_done(self) -> None:
        self.query_one(FilterField).close()
        self.turn_to("stream")

    def leave(self) -> bool:
        field = self.query_one(FilterField)
        if field.has_focus or self.talk.stream.filter:
            field.value = ""
            self._filter_done()
            self.talk.sift("")
        elif super().leave():
            pass
        elif self.talk.replay is not None:
            self.talk.play(None)
        elif self.current != "stream":
            self.turn_to("stream")
        else:
            return False
        return True


def _begin(engine: "Engine") -> Start:
    topics = engine.topics
    return topics.current(), topics.recent(_RECENT), topics.judgements(), engine.sessions.followed()


def _monitor(engine: "Engine") -> tuple[Monitor, Callable[[], datetime]]:
    return engine.sessions.monitor(engine.sessions.followed().there), engine.real_now
