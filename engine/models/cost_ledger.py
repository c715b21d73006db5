"""Records the cost of model calls: one JSON line a call, in the state folder (decision D49). Several processes may
write. The most that a call may cost is reserved before it; if the process dies, the reservation is booked as an
estimate, so that no cost is missing."""

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import count
from pathlib import Path

import msgspec

from engine.models.model_task import Price, Usage
from engine.workspace.system_calls import fsync_folder, is_running, write_all

_CALLS = count(1)


class LedgerLine(msgspec.Struct, frozen=True, kw_only=True):
    """A call: time, purpose, model, tokens, price, US dollars. An old line has all tokens in `input` and no price."""

    time: datetime | None
    role: str  # `gate`, `embeddings`, …: what the model was asked for
    plan: str = ""  # the plan that the call was made for; empty for none
    model: str
    input: int
    output: int
    cache_read: int = 0
    cache_write: int = 0
    cache_write_hour: int = 0  # the part of `cache_write` that is kept for an hour, at its own price
    batch: bool = False
    cache_miss: str = ""
    """The service's reason for a cache miss: `system_changed`, `unavailable`, …."""
    price: Price | None = None
    usd: float
    estimated: bool = False  # nobody knows what was billed: the most that it can have been
    stop: str = ""  # the end of the answer: `end_turn`, `max_tokens`, `refusal`, `http 529`, `timeout`, …
    latency_ms: float = 0.0
    id: str = ""

    @property
    def usage(self) -> Usage:
        """The tokens that were billed."""
        return Usage(**{name: getattr(self, name) for name in Usage.__struct_fields__})


class _OldLine(msgspec.Struct, frozen=True):
    what: str
    model: str
    tokens: int
    usd: float
    latency_ms: float = 0.0


class _Reserved(msgspec.Struct, frozen=True):
    """A reservation. Process 0 means that it lasts until it is booked or released by name."""

    pid: int
    line: LedgerLine


class OverBudget(Exception):
    """The next call could cost more than is left."""


class CostLedger:
    """Reserves, books and sums costs. Safe for threads and processes; each line is fsynced."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._reservations = file.with_name(f"{file.name}.reserved")

    def reserve(self, most: LedgerLine, cap: float | None = None) -> str:
        """Records a call's highest cost; returns the id to book it by. `OverBudget` above `cap` (US dollars)."""
        pid = os.getpid()
        key = f"{pid}-{next(_CALLS)}-{most.time.isoformat() if most.time else ''}"
        with self._changing() as (_, held):
            # Under the lock, with what others have reserved: two processes never pass the cap together.
            if cap is not None and self.total(most.role) + most.usd > cap:
                raise OverBudget
            held[key] = _Reserved(pid, msgspec.structs.replace(most, estimated=True, id=key))
        return key

    def book(self, key: str, line: LedgerLine) -> None:
        """Records what a reserved call cost."""
        with self._changing() as (fd, held):
            # Booked before the reservation goes: a kill between them leaves both, and the id tells that they are one.
            _append(fd, msgspec.structs.replace(line, id=key))
            held.pop(key, None)

    def hold(self, key: str, most: LedgerLine) -> None:
        """Records under a name the most that may be billed, even after this process ends."""
        with self._changing() as (_, held):
            # A batch goes on at the service when this process is gone.
            held[key] = _Reserved(0, msgspec.structs.replace(most, estimated=True, id=key))

    def book_all(self, key: str, lines: Iterable[LedgerLine]) -> None:
        """Books the calls of a reservation, one line each, and ends it. Skips lines whose id is booked already."""
        with self._changing() as (fd, held):
            booked = {line.id for line in self.lines()}
            if fresh := [line for line in lines if line.id not in booked]:
                _append(fd, *fresh)
            held.pop(key, None)

    def release(self, key: str) -> None:
        """Drops the reservation of a call that was never sent."""
        with self._changing() as (_, held):
            held.pop(key, None)

    def lines(self) -> tuple[LedgerLine, ...]:
        """Returns every readable line, oldest first."""
        try:
            data = self._file.read_bytes()
        except FileNotFoundError:
            return ()
        return tuple(line for line in map(_line, data.splitlines()) if line is not None)

    def total(self, role: str | None = None) -> float:
        """Returns the dollars of all calls or of one role, with reservations; ignores unreadable lines."""
        booked = self.lines()
        known = {line.id for line in booked}
        open_now = [one.line for key, one in self._held().items() if key not in known]
        return sum(line.usd for line in (*booked, *open_now) if role in (None, line.role))

    def _alive(self, fd: int) -> dict[str, _Reserved]:
        """Returns the reservations of running processes; books those of dead ones as they are."""
        held = self._held()
        # What a dead process had under way may be billed: nobody can ask it any more.
        dead = [key for key, one in held.items() if one.pid and not is_running(one.pid)]
        booked = {line.id for line in self.lines()} if dead else set()
        for key in dead:
            one = held.pop(key)
            if key not in booked:
                _append(fd, msgspec.structs.replace(one.line, stop="cut off"))
        return held

    def _held(self) -> dict[str, _Reserved]:
        try:
            return msgspec.json.decode(self._reservations.read_bytes(), type=dict[str, _Reserved])
        except (FileNotFoundError, msgspec.DecodeError, UnicodeDecodeError):
            return {}

    def _hold(self, held: dict[str, _Reserved]) -> None:
        fresh = self._reservations.with_name(f".{self._reservations.name}.{os.getpid()}.new")
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            write_all(fd, msgspec.json.encode(held))
            os.fsync(fd)
        finally:
            os.close(fd)
        fresh.replace(self._reservations)
        fsync_folder(fresh.parent)

    @contextmanager
    def _changing(self) -> Iterator[tuple[int, dict[str, _Reserved]]]:
        """Locks the ledger; yields its descriptor and the reservations, which are stored as the block leaves them."""
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(self._file, flags, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            if not os.fstat(fd).st_size:
                fsync_folder(self._file.parent)
            held = self._alive(fd)
            yield fd, held
            self._hold(held)
        finally:
            os.close(fd)


def _append(fd: int, *lines: LedgerLine) -> None:
    size = os.fstat(fd).st_size
    torn = size and os.pread(fd, 1, size - 1) != b"\n"
    written = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
    write_all(fd, (b"\n" if torn else b"") + written)
    os.fsync(fd)


def _line(raw: bytes) -> LedgerLine | None:
    with suppress(msgspec.DecodeError, UnicodeDecodeError):
        return msgspec.json.decode(raw, type=LedgerLine)
    with suppress(msgspec.DecodeError, UnicodeDecodeError):
        old = msgspec.json.decode(raw, type=_OldLine)
        return LedgerLine(
            time=None,
            role=old.what,
            model=old.model,
            input=old.tokens,
            output=0,
            usd=old.usd,
            latency_ms=old.latency_ms,
        )
    return None
