"""A plan while it is put together: its changes in order, and every file whose bytes mattered."""

from engine.plans.plan import Change, Create, Input, Move
from engine.workspace.snapshot import Snapshot


class Draft:
    """Collects changes and inputs. What a change creates or moves to is an input that must be absent."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._inputs: dict[str, str | None] = {}
        self._made: set[str] = set()
        self.changes: list[Change] = []

    @property
    def next_number(self) -> int:
        return len(self.changes) + 1

    def add(self, change: Change) -> int:
        """Adds a change made with `n=next_number`; gives its number."""
        self.changes.append(change)
        if isinstance(change, Create):
            self._made.add(change.path)
            self._inputs.setdefault(change.path, None)
        elif change.path not in self._made:
            self.read(change.path)
        if isinstance(change, Move):
            self._inputs.setdefault(change.to, None)
        return change.n

    def read(self, path: str) -> None:
        """Binds the plan to a file of the snapshot."""
        if path in self._snapshot.files:
            self._inputs.setdefault(path, self._snapshot.files[path].sha256)

    def bind(self, path: str, sha256: str | None) -> None:
        """Binds the plan to a file the snapshot does not know."""
        self._inputs.setdefault(path, sha256)

    def inputs(self) -> tuple[Input, ...]:
        return tuple(Input(path, sha256) for path, sha256 in sorted(self._inputs.items()))
