"""Listens to sessions by the monitor, and follows files outside the workspace."""

import os
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from engine.errors import MemdeckError
from engine.sessions.follows import Follows
from engine.sessions.monitor import MonitorStep
from engine.topics.decision_log import LogEntry
from engine.topics.topic import TopicSet
from tui.bridge.monitor_thread import MonitorThread
from tui.dialogs.line_input import AskLine
from tui.dialogs.picker import Picker
from tui.present.choices import Choice
from tui.present.topics.message_stream import MOST
from tui.present.words import home, noun
from tui.system.given_path import absolute_path

if TYPE_CHECKING:
    from tui.screens.topics.page import TopicsPage

PAINT_SECONDS_BURST = 0.5  # seconds between two paints of a burst: more often would keep keys waiting
MOST_AT_ONCE = 10  # more messages than that since the last paint are a burst


class HeardSessions:
    """Listens in a thread, also while other pages are in front."""

    def __init__(self) -> None:
        self.topics: TopicSet | None = None
        self.reading: MonitorStep | None = None
        self.followed = Follows()  # the paths that the operator pointed at besides the workspace's own transcripts
        self.problem = ""  # the problem with listening, as it was last told
        self.stopped = False  # true if listening ended with an error; every new look at the workspace tries again
        self.unpainted = False  # true if a reading is not on screen yet
        self.painted = monotonic()
        self._thread: MonitorThread | None = None
        self._fresh: list[LogEntry] = []
        """Messages since the last paint; rows change when painted, never under the cursor."""

    @property
    def begun(self) -> bool:
        return self._thread is not None

    def begin(self, thread: MonitorThread) -> None:
        self.end()
        self._thread, self.stopped = thread, False
        thread.begin()

    def end(self) -> None:
        if self._thread is not None:
            self._thread.end()

    def error(self) -> MemdeckError | None:
        """Returns the error that ended the listening, once; None without one."""
        error = self._thread.error() if self._thread is not None else None
        self.stopped = self.stopped or error is not None
        return error

    def take(self) -> str:
        """Takes what was heard since the last call, and returns a new problem; empty without one."""
        reading = self._thread.take() if self._thread is not None else None
        if reading is None:
            return ""
        self.reading, self.topics, self.unpainted = reading, reading.topics, True
        self._fresh = [*self._fresh, *reading.fresh][-MOST:]
        before, self.problem = self.problem, " · ".join(reading.problems)
        return self.problem if self.problem != before else ""

    def due(self, now: float) -> bool:
        burst = len(self._fresh) > MOST_AT_ONCE or self.behind
        return self.unpainted and (not burst or now - self.painted >= PAINT_SECONDS_BURST)

    @property
    def behind(self) -> bool:
        """Tells whether a burst of messages is being read."""
        return self.reading is not None and self.reading.feed.behind

    def fresh(self) -> list[LogEntry]:
        fresh, self._fresh = self._fresh, []
        return fresh


LONGEST_NAME = 48  # cells of a followed path
_ANOTHER = "another"


def follow_files(page: "TopicsPage") -> None:
    """Asks for a path to follow, or first what to do if some are followed."""
    known = page.heard.followed
    if not known.there and not known.missing:
        _ask(page)
        return
    choices = (
        Choice("another file or folder…", value=_ANOTHER),
        *(Choice(_name(path), value=str(path), section="stop following") for path in known.there),
        *(Choice(_name(path), value=str(path), section="not there, forget") for path in known.missing),
    )

    def chosen(value: str) -> None:
        if value == _ANOTHER:
            _ask(page)
        else:
            _let_go(page, Path(value))

    page.deck.ask(Picker("Followed session files", choices), chosen)


def say_missing(page: "TopicsPage") -> None:
    """Says at the start which followed files no longer exist."""
    if missing := page.heard.followed.missing:
        names = ", ".join(_name(path) for path in missing[:3])
        more = f" and {noun(len(missing) - 3, 'other')}" if len(missing) > 3 else ""
        page.deck.say(f"not there, so not followed: {names}{more}; f forgets it", title="Topics", severity="warning")


def _ask(page: "TopicsPage") -> None:
    dialog = AskLine("Follow session files", "a file or a folder, such as ~/.claude/projects", "follow")
    page.deck.ask(dialog, lambda text: _follow(page, absolute_path(text)))


def _follow(page: "TopicsPage", path: Path) -> None:
    def followed(now: Follows) -> None:
        page.follow(now)
        page.deck.say(f"{_name(path)}: followed until you stop it (f)", title="Following")

    def refused(error: MemdeckError) -> None:
        page.deck.say(error.line(), title="Not followed", severity="error")

    page.deck.bridge.read(lambda engine: engine.sessions.follow(path), followed, refused)


def _let_go(page: "TopicsPage", path: Path) -> None:
    def gone(now: Follows) -> None:
        page.follow(now)
        page.deck.say(f"{_name(path)} is not followed any more", title="Topics")

    page.deck.bridge.read(lambda engine: engine.sessions.unfollow(path), gone)


def _name(path: Path) -> str:
    """Returns a path to show; of a long one its end."""
    name = home(str(path), os.environ.get("HOME", ""))
    return name if len(name) <= LONGEST_NAME else f"…{name[1 - LONGEST_NAME :]}"
