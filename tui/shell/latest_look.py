"""Shows the latest read of the workspace on every page, and announces what is new."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from engine.errors import MemdeckError
from engine.plans.memory_status import EarlierLook, Status
from tui.bridge.facts import ConsolidationsRead, EarlierStatusRead, LookFailed, OperationsRead, QueueRead, StatusRead
from tui.bridge.state_reader import ReadState
from tui.shell.header_footer import HeaderFooter
from tui.shell.host import ShellHost
from tui.shell.new_plans import words as news_words


class LatestLook:
    """Passes the result of each read to the pages; after a failed read they keep the old one, marked as old."""

    def __init__(
        self,
        app: ShellHost,
        edges: HeaderFooter,
        watch: Callable[[], None],
        shown: Callable[[], None],
        done: Callable[[Status], None],
    ) -> None:
        """Takes functions called after each read (`watch`), before news (`shown`), and at the end (`done`)."""
        self._app, self._edges, self._watch, self._shown, self._done = app, edges, watch, shown, done
        self.clock_ahead = timedelta()  # the time by which the workspace's clock is ahead of this machine's
        self._problem = ""  # the last error that was told

    def show_earlier(self, look: EarlierLook) -> None:
        """Shows the saved status of an earlier run, marked as such; nothing is started or announced by it."""
        self._app.entries = look.queue
        self._app.facts.tell(EarlierStatusRead(look.status))
        self._app.facts.keep(QueueRead(look.queue))
        self._edges.show()
        if len(self._app.pages) == 1:
            self._app.call_later(self._app.stage.make, "approvals")

    def show(self, picture: ReadState) -> None:
        self._watch()
        self._app.status, self._app.entries, self._problem = picture.status, picture.queue, ""
        self._app.unread = False
        # Kept as a difference, so that a what-if clock goes on.
        self.clock_ahead = picture.status.now - datetime.now(UTC)
        self._app.operations = self._app.operations if picture.operations is None else picture.operations
        self._app.keeper.wake()
        facts = self._app.facts
        facts.keep(StatusRead(picture.status))
        if picture.operations is not None:
            facts.keep(OperationsRead(picture.operations))
        facts.keep(ConsolidationsRead(picture.consolidations))
        facts.keep(QueueRead(picture.queue))
        # Before anything new is told: an open question may be about what has just changed.
        self._shown()
        self._tell_news()
        self._edges.show()
        if len(self._app.pages) == 1:
            self._app.call_later(self._app.stage.make, "approvals")
        self._done(picture.status)

    def _tell_news(self) -> None:
        """Announces plans that the operator did not ask for: a badge, a toast, and the chosen notification."""
        busy = self._app.bridge.work is not None or self._app.in_dialog  # nothing is told over a question
        # The first queue is taken even then: else all of it would be told as new afterwards.
        if busy and self._app.status is not None and self._app.news.knows:
            return
        fresh = self._app.news.take(self._app.entries, looking=self._app.stage.here == "approvals")
        if fresh:
            self._app.say(f"{news_words(fresh)}: key 2 shows it", title="A new plan waits for you")
            self._app.teller.announce("memdeck", f"a new plan waits: {news_words(fresh)}")

    def could_not_read(self, error: MemdeckError) -> None:
        """Reports an error once, however often it repeats; the pages keep what they show, marked as old."""
        self._watch()
        # A folder that is gone fails at every look, each minute: one toast says it.
        if error.line() != self._problem:
            self._problem = error.line()
            self._app.fail(error)
        self._app.facts.tell(LookFailed(error))
        self._app.unread = True
        self._edges.show()
