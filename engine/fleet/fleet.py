"""The rows of all agents as they were last read, and the reading of those that changed."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from math import inf
from typing import Self

import msgspec
from msgspec.structs import replace

from engine.errors import MemdeckError
from engine.fleet.configuration import FleetAgent, FleetMachine, known_fleet
from engine.fleet.kept_row import KeptRow, looked_at
from engine.fleet.pool import answers
from engine.fleet.row import FleetBand, FleetRow
from engine.fleet.twins import machine_rows
from engine.schedule.heartbeat import TwinTimes, twin_beats
from engine.services.heartbeat import TWINS
from engine.state.folder import state_home
from engine.state.private_files import known_record, make_private, write_private
from engine.workspace.system_calls import read_cached, write_cached

PATIENCE = 4.0  # seconds that a look takes at most. With 200 agents of which none changed it takes one.
_LATE, _NOT_YET = "no answer yet", "not read yet"
_BY_NEED = {band: place for place, band in enumerate(FleetBand)}

Known = FleetAgent | FleetMachine  # an agent here, or a machine with all of its agents


class _Kept(msgspec.Struct):
    agents: dict[str, KeptRow] = {}
    machines: dict[str, tuple[FleetRow, ...]] = {}


class Fleet:
    """The connected agents and those of the operator's `fleet.yaml`. Writes only the operator's state."""

    def __init__(
        self,
        env: Mapping[str, str],
        clock: Callable[[], datetime],
        *,
        read_only: bool = False,
        local: bool = False,
        connected: Iterable[str] = (),
    ) -> None:
        """Takes workspaces besides those of `fleet.yaml` as `connected`; `local` excludes other machines. Raises
        `PolicyError`, or `Refused` where another user may write that file."""
        known = known_fleet(env, connected)
        self.machines = () if local else known.machines
        self._known: tuple[Known, ...] = (*known.agents, *self.machines)
        # No program may be found in an agent's folder: it would be the agent's own.
        self._env = {**env, "PATH": _without(known.agents, env.get("PATH", os.defpath))}
        self._clock, self._read_only, self._by_need = clock, read_only, known.order == "need"
        self._file = state_home(env) / "fleet"
        self._problems = dict[str, str]()
        self._reading = set[str]()
        self._twins = known_record(self._file.parent / TWINS, dict[str, TwinTimes]) or {}
        try:
            self._kept = msgspec.msgpack.decode(read_cached(self._file), type=_Kept)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            self._kept = _Kept()

    def rows(self) -> tuple[FleetRow, ...]:
        """Gives every row as it was last read, the worst first or in the operator's order; muted ones last."""
        found = [row for known in self._known for row in self._of(known)]
        return tuple(sorted(found, key=_need if self._by_need else lambda row: row.muted))

    def refresh(self, patience: float = PATIENCE, *, machines: bool = True) -> Self:
        """Reads the agents and machines that changed, in parallel, for `patience` seconds. One that does not answer
        in time keeps its figures with a problem, and its answer is in later rows."""
        asked = self._known if machines else [agent for agent in self._known if isinstance(agent, FleetAgent)]
        wanted = [known for known in asked if _key(known) not in self._reading]
        # First those of which nothing is known: the others have a row already.
        wanted.sort(key=lambda one: _key(one) in self._kept.agents)
        self._problems |= {_key(known): _NOT_YET for known in wanted}
        for number, answer in answers([partial(self._read, known) for known in wanted], patience):
            if isinstance(answer, Exception):
                line = answer.line() if isinstance(answer, MemdeckError) else f"{type(answer).__name__}: {answer}"
                self._problems[_key(wanted[number])] = line
        self._save()
        return self

    def _read(self, known: Known) -> None:
        key = _key(known)
        self._problems[key] = _LATE
        self._reading.add(key)
        try:
            if isinstance(known, FleetMachine):
                now = self._clock()
                before = self._twins.get(key)
                self._twins[key] = TwinTimes(asked=now, answered=before.answered if before is not None else now)
                self._kept.machines[key] = machine_rows(known, self._env)
                self._twins[key] = TwinTimes(asked=now, answered=now)
            else:
                kept = self._kept.agents.get(key)
                self._kept.agents[key] = looked_at(known, kept, self._env, self._clock, read_only=self._read_only)
            del self._problems[key]
        finally:
            self._reading.discard(key)

    def _of(self, known: Known) -> tuple[FleetRow, ...]:
        problem, name = self._problems.get(_key(known), ""), known.name
        if isinstance(known, FleetMachine):
            rows = self._kept.machines.get(known.host, (FleetRow(agent=name, workspace="", problem=_NOT_YET),))
            times = self._twins.get(known.host)
            late = times is not None and any(beat.stopped for beat in twin_beats({name: times}))
            told = ((row, known.group or row.group, known.muted or row.muted, problem or row.problem) for row in rows)
            return tuple(
                replace(row, machine=name, group=g, muted=m, problem=p, late=row.late or late) for row, g, m, p in told
            )
        kept = self._kept.agents.get(known.path)
        row = kept.row if kept is not None else FleetRow(agent=name, workspace=known.path)
        return (replace(row, agent=name, group=known.group, muted=known.muted, problem=problem),)

    def _save(self) -> None:
        if self._read_only:
            return
        for known in (self._kept.agents, self._kept.machines, self._twins):
            for key in known.keys() - set(map(_key, self._known)):
                del known[key]
        with suppress(OSError, UnicodeEncodeError):  # what is not kept is read again
            make_private(self._file.parent)
            write_cached(self._file, msgspec.msgpack.encode(self._kept))
            write_private(self._file.parent / TWINS, msgspec.json.encode(self._twins))


def _key(known: Known) -> str:
    return known.path if isinstance(known, FleetAgent) else known.host


def _without(agents: Sequence[FleetAgent], path: str) -> str:
    """Gives PATH without folders in workspaces, which agents can write; compares names, since a disk may hang."""
    inside = tuple(f"{agent.path}/" for agent in agents)
    return os.pathsep.join(one for one in path.split(os.pathsep) if not f"{one}/".startswith(inside))


def _need(row: FleetRow) -> tuple[object, ...]:
    """Gives the sort key of a row: the worst first, then the longest waiting plan."""
    oldest = row.oldest.timestamp() if row.oldest is not None else inf
    return row.muted, _BY_NEED[row.band], oldest, row.agent
