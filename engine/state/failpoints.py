"""Failpoints: the tests' fault campaigns stop or fail the writer just before any chosen step."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Hook = Callable[[str], None]
"""Called with the name of the step that comes next; may raise `OSError`, or end the process."""

_hooks: list[Hook] = []
"""Empty but in tests. Only code in this process can add one: no content, file or environment variable does."""


def step(name: str) -> None:
    """Marks that the step `name`, which writes, comes next."""
    for hook in _hooks:
        hook(name)


@contextmanager
def hooked(hook: Hook) -> Iterator[None]:
    """Calls `hook` before every step within."""
    _hooks.append(hook)
    try:
        yield
    finally:
        _hooks.remove(hook)
