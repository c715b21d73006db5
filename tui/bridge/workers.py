"""Between the screen's thread and the engine: work runs in threads, answers come back one message at a time."""

from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, TypeVar

from textual.app import App
from textual.widget import Widget

from engine.errors import Cancelled, MemdeckError, remedy
from engine.workspace.values import Progress, Tick
from tui.bridge.engine_source import Opening
from tui.bridge.error_log import record
from tui.present.pace import Pace
from tui.present.words import safe

if TYPE_CHECKING:
    from engine.services.engine import Engine

T = TypeVar("T")
Failed = Callable[[MemdeckError], None]
MANY = 1_000  # notes from which on their number is worth a line; fewer are read before anybody could read it


class Lane(Enum):
    """Calls of one lane run one after the other; long work holds up no reading."""

    LOOK = "look"
    READ = "read"
    FIND = "find"
    WORK = "work"


class Unexpected(MemdeckError, title="Unexpected error"):
    """An error nobody foresaw, caught at the top edge so that the console stays up."""


class LongWork:
    """Long work that the operator sees: what it is, how far, and whether it can be cancelled."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.progress = Progress(stage="", done=0)
        self.cancelled = Event()
        self.pace = Pace()  # asked by the screen's thread alone, each time it shows the progress
        self.alive = True  # true if the thread still works, however busy the screen is

    def tick(self, progress: Progress) -> None:
        """Called from the engine's thread; only the latest progress counts, the screen looks when it likes."""
        self.progress = progress
        # An apply that has begun its effects goes on to its end.
        if self.cancelled.is_set() and progress.stoppable:
            raise Cancelled("cancelled, nothing was written")


class Bridge:
    """Runs engine calls in thread workers and hands results to the screen's thread."""

    def __init__(self, app: App[Any], opening: Opening, failed: Failed) -> None:
        """`failed` tells an error of each question that has nobody of its own for that."""
        self._app, self._opening, self._failed = app, opening, failed
        self._engine: Engine | None = None
        self._opened = Lock()
        self._lanes = {lane: Lock() for lane in Lane}
        self._stop = Event()
        self._waited_for = list[Event]()
        self.work: LongWork | None = None  # the long work under way, if any
        self.looking: LongWork | None = None
        """A look that may take its time and shows how far it is; it keeps nothing else from being done."""

    @property
    def engine(self) -> "Engine":
        """The engine, opened on first use; only for threads other than the screen's."""
        # Two lanes may ask at the same time, and it is opened once.
        with self._opened:
            if self._engine is None:
                self._engine = self._opening.open()
            return self._engine

    def open(self, first: Callable[["Engine"], T], done: Callable[[T], None], failed: Failed) -> None:
        """Counts the notes, which is shown where they are many, then opens the engine and asks it for what is first."""
        opening = LongWork("opening the workspace")

        def tick(step: Progress) -> None:
            self.looking = opening
            opening.tick(step)

        def call() -> T:
            _count_notes(self._opening.workspace, tick)
            return first(self.engine)

        self._start(Lane.LOOK, call, done, failed, opening)

    def look(self, call: Callable[["Engine"], T], done: Callable[[T], None], failed: Failed | None = None) -> None:
        """Looks at the workspace; `done` or `failed` is called on the screen's thread."""
        self._start(Lane.LOOK, lambda: call(self.engine), done, failed)

    def look_on(
        self, title: str, call: Callable[["Engine", Tick], T], done: Callable[[T], None], failed: Failed | None = None
    ) -> None:
        """Looks at the workspace with progress, which can be cancelled; work may begin meanwhile."""
        looking = self.looking = LongWork(title)
        self._start(Lane.LOOK, lambda: call(self.engine, looking.tick), done, failed, looking)

    @property
    def shown(self) -> LongWork | None:
        """Gives the work whose progress is shown: the work under way, else a long look."""
        return self.work or self.looking

    def read(self, call: Callable[["Engine"], T], done: Callable[[T], None], failed: Failed | None = None) -> None:
        """Reads a plan or a source, which waits for no scan: the engine lets that go on beside a dry run."""
        self._start(Lane.READ, lambda: call(self.engine), done, failed)

    def find(self, call: Callable[["Engine"], T], done: Callable[[T], None], failed: Failed | None = None) -> None:
        """Searches, which waits for no scan and for no plan that is read."""
        self._start(Lane.FIND, lambda: call(self.engine), done, failed)

    def long(
        self, title: str, call: Callable[["Engine", Tick], T], done: Callable[[T], None], failed: Failed | None = None
    ) -> bool:
        """Starts long work with progress; False where other long work is still under way."""
        if self.work is not None:
            return False
        work = self.work = LongWork(title)
        self._start(Lane.WORK, lambda: call(self.engine, work.tick), done, failed, work)
        return True

    def cancel(self) -> bool:
        """Asks what shows its progress to stop at its next step; whether there was any."""
        if (shown := self.shown) is None:
            return False
        shown.cancelled.set()
        return True

    def _start(
        self,
        lane: Lane,
        call: Callable[[], T],
        done: Callable[[T], None],
        failed: Failed | None,
        work: LongWork | None = None,
    ) -> None:
        could_not = failed or self._failed

        def run() -> None:
            try:
                with self._lanes[lane]:
                    answer = call()
            except MemdeckError as error:
                self._app.call_later(self.deliver, work, could_not, error)
            except Exception as error:  # noqa: BLE001 - the top edge: shown with its words, never as a traceback
                self._app.call_later(self.deliver, work, could_not, _unexpected(error))
            else:
                self._app.call_later(self.deliver, work, done, answer)
            finally:
                if work is not None:
                    work.alive = False

        self._app.run_worker(run, thread=True, exit_on_error=False, name=lane.value)

    def deliver(self, work: LongWork | None, then: Callable[[Any], None], value: object) -> None:
        """Hands over an answer. A console that is being left takes none, for its pages have lost their panes, and what
        was read is nothing any more to a screen that was left meanwhile."""
        if work is not None:
            self.work = None if self.work is work else self.work
            # Another look may have begun meanwhile, and its progress stays.
            self.looking = None if self.looking is work else self.looking
        asking = getattr(then, "__self__", None)
        left = work is None and isinstance(asking, Widget) and not asking.is_attached
        if self._app.is_running and not left:
            then(value)

    def watch(self, changed: Callable[[tuple[str, ...]], None]) -> None:
        """Follows the workspace from a thread of its own, which quitting does not wait for."""
        Thread(target=self._watch, args=(changed,), daemon=True, name="watch").start()

    def _watch(self, changed: Callable[[tuple[str, ...]], None]) -> None:
        try:
            for paths in self.engine.status.watch(self._stop):
                if self._stop.is_set():
                    return
                self._app.call_later(self.deliver, None, changed, paths)
        except Exception as error:  # noqa: BLE001 - the top edge of a thread, whose traceback would land on the screen
            words = error.message if isinstance(error, MemdeckError) else _unexpected(error).message
            self._app.call_later(self._app.notify, safe(words), title="Not following changes", markup=False)

    def alongside(self, name: str, work: Callable[["Engine", Event], None], wanted: Event) -> None:
        """Runs beside the screen in a thread of its own, which quitting does not wait for; the event says when to stop.
        `wanted` is what the work waits for, and is set when it should stop. `work` sees to its own errors: what gets
        out of it ends the thread without a word."""
        self._waited_for.append(wanted)

        def run() -> None:
            with suppress(Exception):
                work(self.engine, self._stop)

        Thread(target=run, daemon=True, name=name).start()

    def close(self) -> None:
        """Stops watching and asks long work to stop."""
        self._stop.set()
        for event in self._waited_for:
            event.set()
        self.cancel()


def _unexpected(error: Exception) -> MemdeckError:
    """Explains what the machine refused, with what helps; the rest is an error of ours."""
    if isinstance(error, OSError) and error.strerror:
        where = str(error.filename) if error.filename else ""
        return MemdeckError(error.strerror, where=where, hint=remedy(error, "memdeck doctor looks at what is at hand"))
    record(error, "console")
    words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return Unexpected(words, hint="the same as a command, with --debug, shows where")


def _count_notes(workspace: Path, tick: Tick) -> None:
    """Tells `tick` how many notes have been found so far, from `MANY` on, before the engine is there, which takes a
    moment to be loaded; ends early where that raises `Cancelled`. A workspace that cannot be listed is left to it."""
    from engine.workspace.paths import WorkspaceRoot
    from engine.workspace.walk import Walk

    def pulse(found: int) -> None:
        if found >= MANY:
            tick(Progress("counting the notes", found))

    try:
        with WorkspaceRoot.open(workspace) as root:
            Walk(pulse).walk(root)
    except MemdeckError:
        return
