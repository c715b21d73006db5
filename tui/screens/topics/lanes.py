"""Shows topics over time as lanes that follow what is heard, with a cursor on a message and a topic."""

from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.screen import Screen

from engine.topics.lanes import LaneWindow, live_window, replay_window
from tui.present.spans import Span, key_line
from tui.present.topics import decision_detail
from tui.present.topics import lanes as view
from tui.present.words import safe
from tui.screens.hosted import Hosted
from tui.widgets.line_list import LineList
from tui.widgets.painted import Frame
from tui.widgets.picture import Picture
from tui.widgets.text_pane import TextPane

if TYPE_CHECKING:
    from tui.screens.topics.stream_pane import StreamPane

_LOOK_SECONDS = 0.25  # the interval at which it is looked whether something new was heard: a comparison of two numbers
_AGE_SECONDS = 15.0  # the interval at which the end of the span moves on: a quarter of a cell of an hour at 80 columns
_MOVING_SECONDS = 1.0  # the same where charts may move: five minutes then slide by, a cell in some three seconds


class LanesScreen(Hosted, Screen[str | None], scope="lanes"):
    """Returns the key of the message to show in the stream, or None."""

    def __init__(self, pane: "StreamPane") -> None:
        super().__init__()
        self._pane = pane
        self._window: LaneWindow | None = None
        self._key = ""  # the message under the cursor; empty: the last one, whichever that is
        self._topic = ""
        self._known = (-1, -1)

    def compose(self) -> ComposeResult:
        with Frame(id="over"):
            yield Picture(ident="rate")
            yield LineList(ident="lanes", empty="no topic yet: topics/NAME.md makes one")
        yield TextPane(ident="why", hang=decision_detail.LABEL)

    def on_mount(self) -> None:
        self.query_one("#why", TextPane).can_focus = False
        self.set_interval(_LOOK_SECONDS, self._look)
        self.set_interval(_MOVING_SECONDS if self.deck.motion else _AGE_SECONDS, self.show)
        self.call_after_refresh(self.show)

    @property
    def _lanes(self) -> LineList:
        return self.query_one("#lanes", LineList)

    def _look(self) -> None:
        """Updates the lanes if messages or topics were added."""
        stream = self._pane.stream
        known = (stream.heard, len(self._pane.heard.topics.topics) if self._pane.heard.topics is not None else 0)
        if known != self._known:
            self._known = known
            self.show()

    def show(self) -> None:
        """Draws the lanes; the cursor stays on its message and topic."""
        pane, now = self._pane, self._pane.deck.now()
        topics = [topic.id for topic in pane.heard.topics.topics] if pane.heard.topics is not None else []
        make = live_window if pane.replay is None else replay_window
        self._window = window = make(pane.stream.entries(), topics, now)
        names = [lane.topic for lane in window.lanes]
        self._draw(names.index(self._topic) if self._topic in names else 0)

    @property
    def _message(self) -> int | None:
        window = self._window
        if window is None or not window.messages:
            return None
        keys = [entry.key for entry in window.messages]
        return keys.index(self._key) if self._key in keys else len(keys) - 1

    def _draw(self, lane: int) -> None:
        window, message, lines = self._window, self._message, self._lanes
        if window is None:
            return
        rows = view.LaneRows(window, lines.room, message)
        lines.show(rows, lane)
        picture = self.query_one(Picture)
        picture.show((window.start, window.end, window.times, message, rows.cells), lambda _, height: rows.rate(height))
        self._explain()
        name = self._pane.replay.name if self._pane.replay is not None else ""
        self.query_one(Frame).name_it(view.title(window, replay=name, following=not self._key))

    def _explain(self) -> None:
        if self._window is None:
            return
        pane = self.query_one("#why", TextPane)
        lane = self._lanes.cursor
        pane.show(view.why(self._window, lane, self._message, self._pane.heard.topics, self._pane.marks))
        topic = self._window.lanes[lane].topic if lane < len(self._window.lanes) else ""
        keys = key_line(("←/→", "message"), ("↑/↓", "topic"), ("enter", "in the stream"), ("esc", "back"))
        pane.name_it((Span("Why ", "muted"), Span(safe(topic), "title")), keys)

    def on_resize(self) -> None:
        self.call_after_refresh(lambda: self._draw(self._lanes.cursor))

    @on(LineList.Moved)
    def _moved(self, event: LineList.Moved) -> None:
        if self._window is not None:
            self._topic = self._window.lanes[event.index].topic
            self._explain()

    def action_message(self, by: int) -> None:
        """Moves to another message; beyond the last the cursor follows new ones."""
        window, at = self._window, self._message
        if window is None or at is None:
            return
        wanted = max(0, at + by)
        self._key = window.messages[wanted].key if wanted < len(window.messages) - 1 else ""
        self._draw(self._lanes.cursor)

    def action_follow(self) -> None:
        self._key = ""
        self._draw(self._lanes.cursor)

    @on(LineList.Chosen)
    def _chosen(self) -> None:
        at = self._message
        self.dismiss(self._window.messages[at].key if self._window is not None and at is not None else None)
