"""Topics: why did (or didn't) this fire?"""

from collections.abc import Callable
from datetime import datetime
from time import monotonic
from typing import TYPE_CHECKING

from textual import on
from textual.widgets import Input

from engine.errors import MemdeckError
from engine.sessions.follows import Follows
from engine.sessions.monitor import Monitor, MonitorStep
from engine.topics.decision_log import LogEntry, Useful, UsefulnessJudgement
from engine.topics.topic import TopicSet
from tui.bridge.facts import StatusRead
from tui.bridge.monitor_thread import MonitorThread
from tui.keys.naming import bindings
from tui.present.topics import figures
from tui.present.topics.stream import MOST, Stream
from tui.screens.topics import follows as others
from tui.screens.topics import judgement
from tui.screens.topics import replay as replaying
from tui.screens.topics.panes import TopicsPanes
from tui.widgets.filter_field import FilterField
from tui.widgets.key_guard import KeyGuard
from tui.widgets.style import style_sheet

if TYPE_CHECKING:
    from engine.services.engine import Engine

TICK_SECONDS = 0.1
"""The interval at which what came is put on screen: one repaint for all of it."""
PAINT_SECONDS_BURST = 0.5
"""The same during a burst: painting more often would keep keys waiting, and nobody reads that fast."""
MOST_AT_ONCE = 10
"""More messages than that since the last paint are a burst."""
_RECENT = 500
"""Messages of the log with which the page begins."""
Start = tuple[TopicSet, tuple[LogEntry, ...], tuple[UsefulnessJudgement, ...], Follows]


class TopicsPage(TopicsPanes):
    """Listens to sessions, live or in a replay, and takes the operator's judgements."""

    SCOPED_CSS = False
    DEFAULT_CSS = style_sheet("TopicsPage")
    BINDINGS = bindings("TopicsPage")

    def __init__(self) -> None:
        super().__init__()
        self.listener: MonitorThread | None = None
        self._ticked = self._painted = monotonic()
        self._unpainted = False
        """True if a reading is not on screen yet."""
        self._quiet = KeyGuard()
        """No judgement is taken of a row that came under the cursor by itself a moment ago: another one was meant."""
        self._quiet.begin(float("-inf"))
        self._fresh: list[LogEntry] = []
        """Messages that came since the last paint: rows change as they are painted, never under the cursor."""

    def on_mount(self) -> None:
        self.set_interval(TICK_SECONDS, self.tick)
        self.deck.facts.follow(StatusRead, self._try_again)

    # Listening

    def enter(self) -> None:
        super().enter()
        if self.listener is None:
            self.listen()
            self.deck.bridge.read(_begin, self._began, self._could_not)

    def listen(self) -> None:
        """Starts the monitor in its thread; it goes on while other pages are in front."""
        if self.listener is not None:
            self.listener.end()
        self.stopped = False
        self.listener = MonitorThread(lambda: _monitor(self.deck.bridge.engine), self.deck.turn.wait)
        self.listener.begin()

    def _began(self, start: Start) -> None:
        self.topics, recent, judgements, self.followed = start
        self.marks.update({(one.message, one.topic): one.useful for one in judgements})
        self._take_in()
        came = self.live.entries()
        # The monitor may have heard some of them before the log was read.
        known = {entry.key for entry in came}
        on_screen = self.stream is self.live
        # Made anew with the log's messages in front: those that came meanwhile are the newest.
        self.live = Stream()
        self.live.add([*(entry for entry in recent if entry.key not in known), *came])
        if on_screen:
            self.stream = self.live
        self.show_all()
        others.say_missing(self)

    def _could_not(self, error: MemdeckError) -> None:
        before, self.problem = self.problem, f"✗ {error.title}\n{error.line()}"
        self.list_of("stream").show_empty("", figures.trouble(self.problem))
        self.name_panes()
        if self.problem != before:
            self.deck.fail(error)

    def _try_again(self, _: StatusRead) -> None:
        """Another look at the workspace: listening that ended with an error is tried again."""
        if self.stopped and self.replay is None:
            self.listen()

    def on_unmount(self) -> None:
        if self.listener is not None:
            self.listener.end()

    def tick(self) -> None:
        """Puts on screen what came since the last tick, all of it at once."""
        now = monotonic()
        seconds, self._ticked = now - self._ticked, now
        listener = self.listener
        if listener is not None:
            if (error := listener.error()) is not None:
                self.stopped = True
                self._could_not(error)
            if (reading := listener.take()) is not None:
                self._took(reading)
        under = self.place
        if self._unpainted and self._may_paint(now):
            self._paint(now)
        if self.replay is not None and (played := self.replay.advance(seconds)):
            self._anchor = self.place
            self.stream.add(played)
            self.show_all(to_end=self.following)
            self.refresh_bindings()
        # Another row is under the cursor than the one that was read.
        if self.place != under:
            self._quiet.begin(now)

    def _took(self, reading: MonitorStep) -> None:
        self.reading = reading
        self.topics = reading.topics
        self._fresh = [*self._fresh, *reading.fresh][-MOST:]
        problem = " · ".join(reading.problems)
        if problem and problem != self.problem:
            self.deck.say(problem, title="Topics", severity="warning")
        self.problem = problem
        self._unpainted = True

    def _may_paint(self, now: float) -> bool:
        burst = len(self._fresh) > MOST_AT_ONCE or (self.reading is not None and self.reading.feed.behind)
        return self.has_class("here") and (not burst or now - self._painted >= PAINT_SECONDS_BURST)

    def _paint(self, now: float) -> None:
        if self._fresh:
            self._take_in()
            if self.replay is None:
                self.show_stream()
        self.show_figures()
        self.name_panes()
        self._unpainted, self._painted = False, now

    def _take_in(self) -> None:
        """Adds what came to the live stream; the row that is under the cursor now stays there."""
        if self.stream is self.live:
            self._anchor = self.place
        self.live.add(self._fresh)
        self._fresh = []

    # Keys

    @property
    def pause_words(self) -> str:
        return "Go on" if self.held else ""

    def lacks_decision(self) -> str:
        return "put the cursor on a decision first" if self.decided is None else ""

    def lacks_message(self) -> str:
        return "no message is selected" if self.place is None or self.topics is None else ""

    def lacks_replay(self) -> str:
        return "no replay plays: R chooses one" if self.replay is None else ""

    def lacks_unended(self) -> str:
        over = self.replay is not None and self.replay.over
        return "the replay is at its end: esc leads back to what is said now" if over else ""

    def action_judge(self, useful: str) -> None:
        """Says whether the decision under the cursor was right: `was_useful` (autopoiesis §5.5)."""
        if self._quiet.over(monotonic()):
            judgement.judge(self, Useful(useful))
        else:
            self._hold()
            self.deck.say(judgement.TOO_FRESH, title="Held", severity="warning")

    def action_lanes(self) -> None:
        """Shows the topics over time; `enter` there leads to the message in the stream."""
        from tui.screens.topics.lanes import LanesScreen

        def closed(key: str) -> None:
            place = self.stream.place_of(key)
            if place is not None:
                self.list_of("stream").go(self.stream.index(place))
                self.turn_to("stream")

        self.deck.ask(LanesScreen(self), closed)

    def action_missed(self) -> None:
        judgement.missed(self)

    def action_tune(self) -> None:
        self.deck.flows.dry_runs.start("tune")

    def action_follow_files(self) -> None:
        others.follow_files(self, self._follow)

    def _follow(self, followed: Follows) -> None:
        """Listens to other files than before."""
        self.followed = followed
        self.listen()

    def action_pause(self) -> None:
        """Holds the stream, or lets it go on; nothing is lost meanwhile."""
        self._hold(not self.held)

    @property
    def held(self) -> bool:
        return self.stream.paused if self.replay is None else self.replay.paused

    def _hold(self, on: bool = True) -> None:
        if self.replay is not None:
            self.replay.paused = on and not self.replay.over
        else:
            self.stream.pause(on)
            self.show_stream(to_end=not on)
        self.name_panes()
        self.refresh_bindings()

    def action_replay(self) -> None:
        replaying.choose(self)

    def action_step(self) -> None:
        if self.replay is not None:
            self.stream.add(self.replay.step())
            self.show_all()
            self.refresh_bindings()

    def action_speed(self, by: int) -> None:
        if self.replay is not None:
            self.replay.faster(by)
            self.name_panes()

    def action_filter(self) -> None:
        self.turn_to("stream")
        self._field.open(self.stream.filter)

    @on(Input.Changed, "#topics_filter")
    def _filtered(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self.stream.filter:
            self.stream.set_filter(event.value)
            self.show_all()

    @on(Input.Submitted, "#topics_filter")
    def _filter_done(self) -> None:
        self._close_filter()

    @property
    def _field(self) -> FilterField:
        return self.query_one(FilterField)

    def _close_filter(self) -> None:
        self._field.close()
        self.turn_to("stream")

    def leave(self) -> bool:
        if self._field.has_focus or self.stream.filter:
            self.stream.set_filter("")
            self._field.value = ""
            self._close_filter()
            self.show_all()
            return True
        if super().leave():
            return True
        if self.replay is not None:
            replaying.end(self)
            return True
        if self.current != "stream":
            self.turn_to("stream")
            return True
        return False


def _begin(engine: "Engine") -> Start:
    topics = engine.topics
    return topics.current(), topics.recent(_RECENT), topics.judgements(), engine.sessions.followed()


def _monitor(engine: "Engine") -> tuple[Monitor, Callable[[], datetime]]:
    """Listens to the workspace and to what is followed besides it, as far as it is there."""
    return engine.sessions.monitor(engine.sessions.followed().there), engine.real_now
