"""One fault at one call of one command, and what it came to."""

import shlex
from collections import Counter
from collections.abc import Iterable

import msgspec


class Point(msgspec.Struct, frozen=True):
    """`across`: the state folder lies on another mount than the workspace."""

    command: str
    mode: str
    at: int
    across: bool = False

    def line(self) -> str:
        """The command that makes this point again."""
        mount = " --across" if self.across else ""
        return f"python -m tests.soak --command {shlex.quote(self.command)} --mode {self.mode} --at {self.at}{mount}"


LOSSES = {
    "notes lost": ("are lost", "is missing"),
    "mixed trees": ("neither old nor new", "left another tree", "the new one, though", "changed notes"),
    "locks left": ("a lock is left",),
    "plans in part": ("the queue has",),
}
"""What a problem means for the operator, by words of its line; any other is one of manners."""


def losses(problems: Iterable[str]) -> Counter[str]:
    """How many points have a loss of each kind, from all lines of each point."""
    every = list(problems)
    return Counter(kind for kind, words in LOSSES.items() if any(word in line for line in every for word in words))


class Result(msgspec.Struct, frozen=True):
    """What one point came to. `reached`: the run made that call, so that the fault took place."""

    reached: bool
    code: int
    problems: tuple[str, ...] = ()
