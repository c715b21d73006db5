"""Runs tasks in threads, so that one that hangs delays neither the others nor the process's end."""

import time
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TypeVar

T = TypeVar("T")
_WORKERS, _MOST_WORKERS = 4, 64  # threads at first, and once all of them hang
_STILL, _IDLE = 0.25, 0.02
"""The seconds without an answer, and the CPU seconds in them, after which all threads are taken to hang and one more
is started. Threads that compute are not counted: 1,000 agents read at once took 486 MB."""
_GRACE = 0.5  # seconds in which threads that only read end by themselves
_threads: list[Thread] = []


def answers(tasks: Sequence[Callable[[], T]], patience: float) -> Iterator[tuple[int, T | Exception]]:
    """Yields task numbers with answers or errors as they come, for `patience` seconds; later ones are dropped."""
    todo, done = SimpleQueue[int](), SimpleQueue[tuple[int, T | Exception]]()
    for number in range(len(tasks)):
        todo.put(number)
    end, left = time.monotonic() + patience, len(tasks)

    def work() -> None:
        while time.monotonic() < end:
            try:
                number = todo.get_nowait()
            except Empty:
                return
            done.put((number, _answer(tasks[number])))

    def start() -> None:
        # A daemon: one that waits for a disk which never answers does not keep the process.
        _threads.append(Thread(target=work, daemon=True, name="fleet"))
        _threads[-1].start()

    _threads[:] = [thread for thread in _threads if thread.is_alive()]
    for _ in range(min(_WORKERS, len(tasks))):
        start()
    while left and (rest := end - time.monotonic()) > 0:
        before = time.process_time()
        try:
            yield done.get(timeout=min(rest, _STILL))
            left -= 1
        except Empty:
            if time.process_time() - before < _IDLE and not todo.empty() and len(_threads) < _MOST_WORKERS:
                start()


def still_at_work() -> bool:
    """Tells whether a thread is still reading; if so, only `os._exit` is safe, as a normal end could crash."""
    end = time.monotonic() + _GRACE
    for thread in _threads:
        thread.join(max(0.0, end - time.monotonic()))
    return any(thread.is_alive() for thread in _threads)


def _answer(task: Callable[[], T]) -> T | Exception:
    try:
        return task()
    except Exception as error:  # noqa: BLE001 — the top edge of a thread: one agent's fault is told in its own row
        return error
