"""The console at rest: no message is on its way, no paint is owed. Looked at without drawing or posting anything."""

from asyncio import sleep
from time import monotonic
from typing import Any

from textual.app import App

_LOOK_SECONDS = 0.003


def at_rest(app: App[Any]) -> bool:
    """True where every widget waits for its next message and the screen in front shows all that it was told.

    A console that was left waits for nothing any more.
    """
    return app._exit or (_waits(app) and all(map(_waits, list(app._registry))) and not _owes(app))


def working(app: App[Any]) -> bool:
    """True while a thread of the console looks, reads or writes for it."""
    return any(not worker.is_finished for worker in app.workers)


async def rest(app: App[Any], seconds: float) -> bool:
    """Waits until the console is at rest, at most `seconds`; True where it came to rest."""
    until = monotonic() + seconds
    await sleep(0)
    while not at_rest(app):
        if monotonic() > until or app._exception is not None:
            return False
        await sleep(_LOOK_SECONDS)
    return True


def _waits(pump: Any) -> bool:
    """A pump that was not started or has ended has nothing to do."""
    if pump._task is None and not isinstance(pump, App):
        return True
    queue = pump._message_queue
    waits = bool(queue.ready_event._waiters)
    return waits and not (queue.values or pump._pending_message or pump._next_callbacks)


def _owes(app: App[Any]) -> bool:
    screen = app.screen
    return bool(
        screen._layout_required
        or screen._scroll_required
        or screen._repaint_required
        or screen._recompose_required
        or screen._dirty_widgets
        or screen._callbacks
    )
