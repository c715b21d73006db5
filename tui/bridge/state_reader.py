"""Keeps the screen's facts fresh: one read at a time, and changes during a read cause one more."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from engine.errors import Cancelled, MemdeckError
from engine.plans.memory_status import EarlierLook, Status
from engine.plans.operation import Operation
from engine.plans.plan import QueueEntry
from engine.plans.policy.values import Policy
from engine.workspace.values import Tick
from tui.bridge.engine_threads import Bridge

if TYPE_CHECKING:
    from engine.services.consolidations import ConsolidationItem
    from engine.services.engine import Engine

RECENT = 1_000  # operations that are read with the status, the newest: History reads further ones

_READING = "reading the workspace"
_LASTS = timedelta(minutes=10)
"""The time for which phrases such as `in 11 h` stay true enough if nothing else changes."""


class ReadState(msgspec.Struct, frozen=True):
    """The result of one read; `operations` is None if they were not asked for."""

    status: Status
    queue: tuple[QueueEntry, ...]
    operations: tuple[Operation, ...] | None
    consolidations: "tuple[ConsolidationItem, ...]" = ()

    def same_as(self, other: "ReadState | None") -> bool:
        """Tells whether the screen would show the same as for `other`, apart from a few minutes."""
        if other is None or self.operations is not None:
            return False
        # `in 11 h` grows wrong by itself, though nothing else changed.
        if abs(self.status.now - other.status.now) >= _LASTS:
            return False
        if self.queue != other.queue or self.consolidations != other.consolidations:
            return False
        return msgspec.structs.replace(self.status, now=other.status.now) == other.status


class StateReader:
    """Reads in a thread and passes results to `shown`; changes during a read cause one more after it."""

    def __init__(
        self, bridge: Bridge, shown: Callable[[ReadState], None], failed: Callable[[MemdeckError], None]
    ) -> None:
        self._bridge, self._shown, self._failed = bridge, shown, failed
        self._busy = False
        self._shows_earlier = False
        self._last: ReadState | None = None
        self._again: set[str] | None = None
        self._whole = self._owed = False
        self._pulse: tuple[tuple[int, int], ...] | None = None
        self._wanted: tuple[datetime | None] | None = None
        """The next instant of the what-if clock; None if the clock is where it should be."""
        self._supposing = False

    def begin(self, earlier: Callable[[EarlierLook], None], then: Callable[[], None]) -> None:
        """Passes the result of the previous run's look to `earlier`, if it was kept, then calls `then`."""

        def found(look: EarlierLook | None) -> None:
            self._busy = False
            if look is not None:
                self._shows_earlier = True
                earlier(look)
            then()

        self._busy = True
        self._bridge.look(lambda engine: engine.status.earlier(), found, lambda _: found(None))

    def read(self, paths: tuple[str, ...] | None = None) -> None:
        """Reads everything, or only `paths` and what depends on them."""
        if self._busy:
            self._again = (self._again or set()) | set(paths or ())
            # A whole read takes in the paths that were asked for beside it.
            self._whole = self._whole or paths is None
            return
        self._busy, self._owed = True, bool(paths)
        if paths is None and self._last is None and self._read_first():
            return
        self._bridge.look(lambda engine: _read(engine, paths), self._took, self._could_not)

    def _read_first(self) -> bool:
        """Makes the first read with progress; False if other long work is under way."""

        def call(engine: "Engine", tick: Tick) -> ReadState:
            return _read(engine, None, tick)

        if not self._shows_earlier:
            return self._bridge.long(_READING, call, self._took, self._could_not)
        self._bridge.look_on(_READING, call, self._took, self._could_not)
        return True

    def suppose(self, at: datetime | None) -> None:
        """Sets the what-if clock and shows the result; None ends it. Uses the notes of the last look, and reads only
        the latest of several instants, so that a held key stops where it was released."""
        self._wanted = (at,)
        if not self._supposing:
            self._suppose_next()

    def _suppose_next(self) -> None:
        if self._wanted is None:
            return
        # Only the last wish: a held key would else be read instant by instant.
        (at,), self._wanted = self._wanted, None
        self._supposing = True

        def call(engine: "Engine") -> ReadState:
            engine.suppose(at)
            return _read(engine, ())

        self._bridge.look(call, self._took_supposed, self._could_not_suppose)

    def _took_supposed(self, picture: ReadState) -> None:
        self._supposing, self._last = False, picture
        self._shown(picture)
        self._suppose_next()

    def _could_not_suppose(self, error: MemdeckError) -> None:
        self._supposing = False
        self._failed(error)
        self._suppose_next()

    def poll(self) -> None:
        """Reads again after another process changed the state, or makes the whole look that is still due."""
        if self._busy:
            return
        if self._owed:
            self.read(())
        else:
            self._bridge.look(lambda engine: engine.status.pulse(), self._felt, self._failed)

    def _felt(self, pulse: tuple[tuple[int, int], ...]) -> None:
        before, self._pulse = self._pulse, pulse
        # The first look has nothing to compare with.
        if before is not None and before != pulse:
            self.read(())

    def _took(self, picture: ReadState) -> None:
        self._next()
        # Drawing anew costs keys their time, and most looks find nothing new.
        if not picture.same_as(self._last):
            self._last = picture
            self._shown(picture)

    def _could_not(self, error: MemdeckError) -> None:
        """Reports an error; the next read is shown even if equal, since it says that reading works again."""
        self._last, self._owed = None, not isinstance(error, Cancelled)
        self._next()
        self._failed(error)

    def _next(self) -> None:
        self._busy = False
        again, whole = self._again, self._whole
        self._again, self._whole = None, False
        if again is not None:
            self.read(None if whole else tuple(sorted(again)))


def _read(engine: "Engine", paths: tuple[str, ...] | None, tick: Tick | None = None) -> ReadState:
    status = engine.status.read(tick) if paths is None else engine.status.changed(paths)
    operations = engine.history.operations(RECENT) if paths is None else None
    return ReadState(status, engine.plans.queue(), operations, _consolidations(engine))


def _consolidations(engine: "Engine") -> "tuple[ConsolidationItem, ...]":
    """Returns the open consolidations; empty if their records are unreadable, so that plans still show."""
    try:
        return engine.consolidations.look()
    except MemdeckError:
        return ()


def first_facts(engine: "Engine") -> tuple[Policy, tuple[tuple[str, str], ...]]:
    """Reads what does not change later: the limits of the policy, and the systems."""
    return _limits(engine), engine.plans.systems()


def _limits(engine: "Engine") -> Policy:
    """Returns the policy made from its values by key; unknown parts keep their defaults."""
    tree: dict[str, Any] = {}
    for value in engine.status.policy_values():
        place = tree
        *folders, last = value.key.split(".")
        for folder in folders:
            place = place.setdefault(folder, {})
        place[last] = value.value
    return msgspec.convert({key: tree[key] for key in ("limits", "zone") if key in tree}, Policy, strict=False)
