"""Regular events of jobs, hooks, followers, the index, imports and other machines, for the front ends."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import MemdeckError
from engine.extra_registry import needs
from engine.plans.memory_status import Alarm
from engine.schedule.due_times import COMMITS, INSTALLED, jobs
from engine.schedule.heartbeat import FOLLOWER, Beat, TwinTimes, intervals, job_beats, stop_alarm, twin_beats
from engine.search.values import NAME
from engine.services.open_workspace import OpenWorkspace
from engine.state.folder import state_home
from engine.state.private_files import known_record

if TYPE_CHECKING:
    from engine.extras.connect.connection import ConnectRecord

TWINS = "twins.json"  # the file of the operator's state that says when each machine of the fleet answered
_SETTLED = timedelta(hours=1)  # what was written more recently may still be answered
_MOST = 10_000  # files below a place of sessions that are looked at
_EVENT = re.compile(r"\bhook ([a-z]+)")


class HeartbeatService:
    """Records when each regular event last came, and reports those that stopped."""

    def __init__(self, opened: OpenWorkspace) -> None:
        self._opened = opened

    def beat(self, name: str) -> None:
        """Records that the event `name` came now."""
        self._opened.last_runs.record(name, self._opened.real_clock())

    def ended(self, name: str) -> None:
        """Records that the event `name` is no longer expected."""
        self._opened.last_runs.forget(name)

    def stopped(self) -> tuple[Alarm, ...]:
        """Gives an alarm for each event that did not come for twice its interval, with the step to take."""
        opened, now = self._opened, self._opened.now()
        return tuple(stop_alarm(beat, now, opened.rest()) for beat in self._beats(now) if beat.stopped)

    def _beats(self, now: datetime) -> Iterator[Beat]:
        last, policy = self._opened.last_runs.all(), self._opened.policy
        commits = policy.git.commit_others or policy.git.push
        # An open console commits as well, so that only an installed schedule is to do it at each half hour.
        every = (*jobs(policy.zone), *((COMMITS,) if commits and INSTALLED in last else ()))
        yield from job_beats(every, last, now)
        if FOLLOWER in last:
            fix = "start `memdeck topics watch --follow` again; ended with ctrl+c it is not expected any more"
            yield Beat("memdeck topics watch --follow", last[FOLLOWER], now, intervals()["follower"], fix)
        yield from self._index(now)
        home = state_home(self._opened.env)
        yield from twin_beats(known_record(home / TWINS, dict[str, TwinTimes]) or {})
        with suppress(MemdeckError, OSError):
            connected = self._connected(home)
            yield from (beat for record in connected for beat in _hooks(record, last, now))
            yield from self._imports({record.tool for record in connected}, now)

    def _index(self, now: datetime) -> Iterator[Beat]:
        """Yields the index, if there is one, as an event that should follow each written note."""
        written = filter(None, (self._opened.written_at(name) for name in (NAME, f"{NAME}-wal")))
        last, needed = max(written, default=None), self._opened.scanner.written(now - _SETTLED)
        if last is not None and needed is not None:
            yield Beat("the search index", last, needed, intervals()["index"], "memdeck index brings it up to date")

    def _connected(self, home: Path) -> "tuple[ConnectRecord, ...]":
        if not (home / "connections").is_dir():
            return ()
        with needs("connect"):
            from engine.extras.connect.connection import Connections
        mine = self._opened.root.identity.path
        return tuple(record for record in Connections(home).all() if os.path.realpath(record.workspace) == mine)

    def _imports(self, connected: set[str], now: datetime) -> Iterator[Beat]:
        """Yields each repeated import as an event, except from connected tools, whose sessions come by hooks."""
        if not self._opened.state.imports.is_dir():
            return
        with needs("importers"):
            from engine.extras.importers.originals import Originals
        for place in Originals(self._opened.state.imports).all_places():
            needed = _newest(_written_below(Path(place.place)), now)
            repeated = len({original.at for original in place.files.values()}) > 1
            if needed is not None and repeated and place.kind not in connected:
                fix = f"memdeck import {place.kind} {place.place}"
                title = f"the import of {place.kind} from {place.place}"
                yield Beat(title, place.at, needed, intervals()["import"], fix)


def _hooks(record: "ConnectRecord", last: Mapping[str, datetime], now: datetime) -> Iterator[Beat]:
    """Yields the hooks that memdeck installed for a tool, as events that should follow each written session."""
    events = {name for file in record.files for value in file.values for name in _EVENT.findall(str(value.value))}
    needed = _newest(_session_times(record), now) if events else None
    for event in sorted(events):
        every, at = intervals().get(f"hook {event}"), last.get(f"hook {record.tool} {event}", record.at)
        if every is not None and needed is not None:
            fix = f"memdeck connect {record.tool} writes it again; is it trusted there?"
            yield Beat(f"the hook `{event}` of {record.tool}", at, needed, every, fix)


def _session_times(record: "ConnectRecord") -> Iterator[datetime]:
    if record.follow:
        return _written_below(Path(record.follow))
    with needs("connect"):
        from engine.extras.connect.discovery import session_files
        from engine.extras.connect.tool_data import tool_data
    return (datetime.fromtimestamp(at, UTC) for at, _, _ in session_files(tool_data(record.tool), os.environ))


def _written_below(place: Path) -> Iterator[datetime]:
    found = (Path(folder, name) for folder, _, names in os.walk(place) for name in names)
    for file in islice(found, _MOST) if place.is_dir() else (place,):
        with suppress(OSError):
            yield datetime.fromtimestamp(file.stat().st_mtime, UTC)


def _newest(times: Iterable[datetime], now: datetime) -> datetime | None:
    return max((at for at in times if at <= now - _SETTLED), default=None)
