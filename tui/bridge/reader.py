"""Keeps the screen's picture of the workspace fresh: one read at a time, and what comes meanwhile is put together."""

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
from tui.bridge.workers import Bridge

if TYPE_CHECKING:
    from engine.services.consolidations import ConsolidationItem
    from engine.services.engine import Engine

RECENT = 1_000  # operations that are read with the status, the newest: History reads further ones

_READING = "reading the workspace"
_LASTS = timedelta(minutes=10)
"""The time for which what is due stands as it is where nothing else changes: `in 11 h` of an hour ago is wrong."""


class ReadState(msgspec.Struct, frozen=True):
    """The result of one read. `operations` is None where they were not asked for."""

    status: Status
    queue: tuple[QueueEntry, ...]
    operations: tuple[Operation, ...] | None
    consolidations: "tuple[ConsolidationItem, ...]" = ()

    def same_as(self, other: "ReadState | None") -> bool:
        """Tells whether there is nothing to show that `other` did not show: the same but for a few minutes."""
        if other is None or self.operations is not None:
            return False
        # `in 11 h` grows wrong by itself, though nothing else changed.
        if abs(self.status.now - other.status.now) >= _LASTS:
            return False
        if self.queue != other.queue or self.consolidations != other.consolidations:
            return False
        return msgspec.structs.replace(self.status, now=other.status.now) == other.status


class StateReader:
    """Reads in a thread; hands pictures to `shown`. Changes that come during a read start one more after it."""

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
        """The instant that the what-if clock goes to next; None where it stands as was wanted."""
        self._supposing = False

    def begin(self, earlier: Callable[[EarlierLook], None], then: Callable[[], None]) -> None:
        """Hands what the look before found to `earlier`, where that is kept; `then` reads for the first time."""

        def found(look: EarlierLook | None) -> None:
            self._busy = False
            if look is not None:
                self._shows_earlier = True
                earlier(look)
            then()

        self._busy = True
        self._bridge.look(lambda engine: engine.status.earlier(), found, lambda _: found(None))

    def read(self, paths: tuple[str, ...] | None = None) -> None:
        """Reads everything, or re-reads only `paths` and what depends on them."""
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
        """Reads everything with progress, beside an earlier picture so that work can begin; False where that waits."""

        def call(engine: "Engine", tick: Tick) -> ReadState:
            return _read(engine, None, tick)

        if not self._shows_earlier:
            return self._bridge.long(_READING, call, self._took, self._could_not)
        self._bridge.look_on(_READING, call, self._took, self._could_not)
        return True

    def suppose(self, at: datetime | None) -> None:
        """Puts the what-if clock to an instant and shows what follows; None: as it was opened. The notes are those of
        the last look, so nothing is listed or read. Of instants that come meanwhile the last one is read, so that a
        held key ends where it was let go."""
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
        """Reads anew where another process changed the operator's state, which costs a few `stat`s to see. After
        changed files a whole look follows: what takes long to work out is left to it."""
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
        """Tells the error. The next read is shown even if it is the same as before: it says that reading works."""
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
    """The items that are open; none where their records cannot be read or written, which hides no plan."""
    try:
        return engine.consolidations.look()
    except MemdeckError:
        return ()


def first_facts(engine: "Engine") -> tuple[Policy, tuple[tuple[str, str], ...]]:
    """Reads what stays as it is: the limits in force, and the systems there are."""
    return _limits(engine), engine.plans.systems()


def _limits(engine: "Engine") -> Policy:
    """The policy in force, from its values key by key; unknown parts are left at their defaults."""
    tree: dict[str, Any] = {}
    for value in engine.status.policy_values():
        place = tree
        *folders, last = value.key.split(".")
        for folder in folders:
            place = place.setdefault(folder, {})
        place[last] = value.value
    return msgspec.convert({key: tree[key] for key in ("limits", "zone") if key in tree}, Policy, strict=False)
