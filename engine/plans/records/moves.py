"""Keeps where memdeck's operations moved each file, so that a text which names its old path names no missing source.
Folded from the operator's records, oldest first: what a text says of a move proves nothing."""

from collections.abc import Iterable, Mapping

import msgspec

from engine.plans.operation import Operation, Rename, Withdraw, Write
from engine.plans.records.operation_fold import finished, folded
from engine.plans.records.operations import Operations
from engine.state.database import StateDatabase

FOLD = "moves"
"""The name of its fold in the operator's state."""


class Moves(msgspec.Struct, frozen=True):
    """The next place of each path that an operation moved. `through` is the last operation folded in."""

    places: Mapping[str, str] = {}
    through: str = ""

    def place(self, path: str) -> str:
        """Gives the path where the file of that name is now, as the records tell; `path` itself where none moved."""
        seen = {path}
        while (path := self.places.get(path, path)) not in seen:
            seen.add(path)
        return path


def load_moves(database: StateDatabase, operations: Operations) -> Moves:
    """Gives the moves up to the last finished operation; a damaged shortcut is made anew."""
    return folded(database, FOLD, operations, Moves, fold)


def fold(known: Moves, operations: Iterable[Operation]) -> Moves:
    """Adds these operations to the moves; it stops before one that is still running."""
    places, through = dict(known.places), known.through
    for operation, effects in finished(operations):
        through = operation.id
        for effect in effects:
            match effect:
                case Rename(path=path, to=to):
                    places[path] = to
                    places.pop(to, None)
                case Write(path=path):
                    places.pop(path, None)
                case Withdraw():
                    pass
    return Moves(places, through)
