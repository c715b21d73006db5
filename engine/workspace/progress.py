"""One way to report long work: phases with a name, a count that never falls, a total that never changes."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from engine.workspace.values import Progress, Tick

EVERY = 50
"""Items between two reports, where an item takes about a millisecond."""

T = TypeVar("T")


def steps(items: Sequence[T], stage: str, tick: Tick | None, every: int = EVERY) -> Iterator[T]:
    """Yields the items one after the other, and tells `tick` before every so many of them and after the last. `tick`
    may raise `Cancelled`, so an item is never left half done."""
    for done, item in enumerate(items):
        if tick is not None and done % every == 0:
            tick(Progress(stage, done, len(items)))
        yield item
    if tick is not None and items:
        tick(Progress(stage, len(items), len(items)))


def phase(stage: str, tick: Tick | None) -> None:
    """Names a phase of a single step, which takes too long to go by without a word."""
    if tick is not None:
        tick(Progress(stage, 0))
