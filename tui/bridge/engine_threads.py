"""Connects the screen to the engine: calls run in threads, and answers come back as messages."""

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
from tui.present.progress_rate import Pace
from tui.present.words import safe

if TYPE_CHECKING:
    from engine.services.engine import Engine

T = TypeVar("T")
Failed = Callable[[MemdeckError], None]
MANY = 1_000  # notes from which on their number is worth a line; fewer are read before anybody could read it


class Lane(Enum):
    """A kind of call; calls of one lane run in sequence, so that long work delays no reading."""

    LOOK = "look"
    READ = "read"
    FIND = "find"
    WORK = "work"


class Unexpected(MemdeckError, title="Unexpected error"):
    """An unforeseen error, caught at the top so that the console stays open."""


class LongWork:
    """Long work on the screen: its title, its progress, and whether it was cancelled."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.progress = Progress(stage="", done=0)
        self.cancelled = Event()
        self.pace = Pace()  # asked by the screen's thread alone, each time it shows the progress
        self.alive = True  # true if the thread still works, however busy the screen is

    def tick(self, progress: Progress) -> None:
        """Stores the latest progress, in the engine's thread. Raises `Cancelled` if the operator cancelled."""
        self.progress = progress
        # An apply that has begun its effects goes on to its end.
        if self.cancelled.is_set() and progress.stoppable:
            raise Cancelled("cancelled, nothing was written")


class Bridge:
    """Runs engine calls in threads, and passes results to the screen's thread."""

    def __init__(self, app: App[Any], opening: Opening, failed: Failed) -> None:
        """Takes `failed`, which handles the error of a call without its own handler."""
        self._app, self._opening, self._failed = app, opening, failed
        self._engine: Engine | None = None
        self._opened = Lock()
        self._lanes = {lane: Lock() for lane in Lane}
        self._stop = Event()
        self._waited_for = list[Event]()
        self.work: LongWork | None = None  # the long work under way, if any
        self.looking: LongWork | None = None
        """A long look with its progress; other work can begin beside it."""

    @property
    def engine(self) -> "Engine":
        """The engine, opened on first use; never for the screen's thread."""
        # Two lanes may ask at the same time, and it is opened once.
        with self._opened:
            if self._engine is None:
                self._engine = self._opening.open()
            return self._engine

    def open(self, first: Callable[["Engine"], T], done: Callable[[T], None], failed: Failed) -> None:
        """Opens the engine and calls `first` with it; shows the count of notes meanwhile if they are many."""
        opening = LongWork("opening the workspace")

        def tick(step: Progress) -> None:
            self.looking = opening
            opening.tick(step)

        def call() -> T:
            _count_notes(self._opening.workspace, tick)
            return first(self.engine)

        self._start(Lane.LOOK, call, done, failed, opening)

    def look(self, call: Callable[["Engine"], T], done: Callable[[T], None], failed: Failed | None = None) -> None:
        """Reads the workspace; calls `done` or `failed` in the screen's thread."""
        self._start(Lane.LOOK, lambda: call(self.engine), done, failed)

    def look_on(
        self, title: str, call: Callable[["Engine", Tick], T], done: Callable[[T], None], failed: Failed | None = None
    ) -> None:
        """Reads the workspace with progress that can be cancelled; other work can begin meanwhile."""
        looking = self.looking = LongWork(title)
        self._start(Lane.LOOK, lambda: call(self.engine, looking.tick), done, failed, looking)

    @property
    def shown(self) -> LongWork | None:
        """The work whose progress is shown: the work under way, else a long look; None without either."""
        return self.work or self.looking

    def read(self, call: Callable[["Engine"], T], done: Callable[[T], None], failed: Failed | None = None) -> None:
        """Reads a plan or a source without waiting for a look or a dry run."""
        self._start(Lane.READ, lambda: call(self.engine), done, failed)

    def find(self, call: Callable[["Engine"], T], done: Callable[[T], None], failed: Failed | None = None) -> None:
        """Searches without waiting for a look or for other reads."""
        self._start(Lane.FIND, lambda: call(self.engine), done, failed)

    def long(
        self, title: str, call: Callable[["Engine", Tick], T], done: Callable[[T], None], failed: Failed | None = None
    ) -> bool:
        """Starts long work with progress; False if other long work is under way."""
        if self.work is not None:
            return False
        work = self.work = LongWork(title)
        self._start(Lane.WORK, lambda: call(self.engine, work.tick), done, failed, work)
        return True

    def cancel(self) -> bool:
        """Asks the work whose progress is shown to stop, and tells whether there was any."""
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
        """Passes an answer to `then`, unless the console or the widget that asked is gone."""
        if work is not None:
            self.work = None if self.work is work else self.work
            # Another look may have begun meanwhile, and its progress stays.
            self.looking = None if self.looking is work else self.looking
        asking = getattr(then, "__self__", None)
        left = work is None and isinstance(asking, Widget) and not asking.is_attached
        if self._app.is_running and not left:
            then(value)

    def watch(self, changed: Callable[[tuple[str, ...]], None]) -> None:
        """Watches the workspace in its own thread, which quitting does not wait for."""
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
        """Runs `work` in a thread that quitting does not await; sets both events at the end; errors end it silently."""
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
    """Turns an error into one with a remedy if the machine caused it, else records it as a fault of memdeck."""
    if isinstance(error, OSError) and error.strerror:
        where = str(error.filename) if error.filename else ""
        return MemdeckError(error.strerror, where=where, hint=remedy(error, "memdeck doctor looks at what is at hand"))
    record(error, "console")
    words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return Unexpected(words, hint="the same as a command, with --debug, shows where")


def _count_notes(workspace: Path, tick: Tick) -> None:
    """Reports the number of notes found, from `MANY` on; ends early on `Cancelled` or an unreadable workspace."""
    from engine.workspace.paths import WorkspaceRoot
    from engine.workspace.walk import Walk

    def pulse(number: int) -> None:
        if number >= MANY:
            tick(Progress("counting the notes", number))

    try:
        with WorkspaceRoot.open(workspace) as root:
            Walk(pulse).walk(root)
    except MemdeckError:
        return
