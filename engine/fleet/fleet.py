"""All agents beside each other: the rows as they were read last, and what changed since, each read for itself."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from math import inf
from typing import NamedTuple, Self

import msgspec
from msgspec.structs import replace

from engine.errors import MemdeckError
from engine.fleet.configuration import FleetAgent, FleetMachine, known_fleet
from engine.fleet.kept_row import KeptRow, looked_at
from engine.fleet.pool import answers
from engine.fleet.row import FleetBand, FleetRow
from engine.fleet.twins import machine_rows
from engine.state.folder import state_home
from engine.state.private_files import make_private
from engine.workspace.system_calls import read_cached, write_cached

PATIENCE = 4.0
"""Seconds that a look takes at most. With 200 agents of which none changed it takes one."""
_FORMAT = 1
_LATE, _NOT_YET = "no answer yet", "not read yet"
_BY_NEED = {band: place for place, band in enumerate(FleetBand)}


class _Kept(msgspec.Struct, array_like=True):
    format: int
    agents: dict[str, KeptRow]
    machines: dict[str, tuple[FleetRow, ...]]


class _Source(NamedTuple):
    """An agent here, or a machine with all of its agents."""

    key: str
    about: FleetAgent | FleetMachine
    read: Callable[[], KeptRow | tuple[FleetRow, ...]]


class Fleet:
    """The agents that are connected, and those of the operator's `fleet.yaml`. Writes in the operator's state alone."""

    def __init__(
        self,
        env: Mapping[str, str],
        clock: Callable[[], datetime],
        *,
        read_only: bool = False,
        local: bool = False,
        connected: Iterable[str] = (),
    ) -> None:
        """`connected` are workspaces besides those of `fleet.yaml`, `local`: without other machines. Raises
        `FleetFileError`, or `Refused` where another user may write that file."""
        known = known_fleet(env, connected)
        agents = known.agents
        self._file, self._read_only = state_home(env) / "fleet", read_only
        env = {**env, "PATH": _without(agents, env.get("PATH", os.defpath))}
        kept = self._kept = self._load()
        self._sources = [
            _Source(one.path, one, partial(looked_at, one, kept.agents.get(one.path), env, clock, read_only=read_only))
            for one in agents
        ]
        self.machines = () if local else known.machines
        self._sources += [_Source(one.host, one, partial(machine_rows, one, env)) for one in self.machines]
        self._by_need, self._problems = known.order == "need", dict[str, str]()

    def rows(self) -> tuple[FleetRow, ...]:
        """Every row as it was read last, the worst first or in the operator's order; muted ones come last."""
        found = [row for source in self._sources for row in self._of(source)]
        return tuple(sorted(found, key=_need if self._by_need else lambda row: row.muted))

    def refresh(self, patience: float = PATIENCE) -> Self:
        """Reads what changed for so many seconds, each agent and each machine beside the others. One that does not
        answer keeps its figures and says so."""
        # First those of which nothing is known: the others have a row already.
        sources = sorted(self._sources, key=lambda one: one.key in self._kept.agents)
        self._problems |= dict.fromkeys((one.key for one in sources), _NOT_YET)

        def read(source: _Source) -> KeptRow | tuple[FleetRow, ...]:
            self._problems[source.key] = _LATE
            return source.read()

        for number, answer in answers([partial(read, source) for source in sources], patience):
            self._take(sources[number], answer)
        self._save()
        return self

    def _take(self, source: _Source, answer: KeptRow | tuple[FleetRow, ...] | Exception) -> None:
        self._problems.pop(source.key, None)
        match answer:
            case KeptRow():
                self._kept.agents[source.key] = answer
            case tuple():
                self._kept.machines[source.key] = answer
            case MemdeckError():
                self._problems[source.key] = answer.line()
            case _:
                self._problems[source.key] = f"{type(answer).__name__}: {answer}"

    def _of(self, source: _Source) -> tuple[FleetRow, ...]:
        problem = self._problems.get(source.key, "")
        about = source.about
        if isinstance(about, FleetMachine):
            nothing = FleetRow(agent=about.name, workspace="", problem=_LATE)
            return tuple(
                replace(
                    row,
                    machine=about.name,
                    group=about.group or row.group,
                    muted=about.muted or row.muted,
                    problem=problem or row.problem,
                )
                for row in self._kept.machines.get(source.key, (nothing,))
            )
        kept = self._kept.agents.get(source.key)
        row = kept.row if kept is not None else FleetRow(agent=about.name, workspace=about.path)
        return (replace(row, agent=about.name, group=about.group, muted=about.muted, problem=problem),)

    def _load(self) -> _Kept:
        nothing = _Kept(_FORMAT, {}, {})
        try:
            kept = msgspec.msgpack.decode(read_cached(self._file), type=_Kept)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return nothing
        return kept if kept.format == _FORMAT else nothing

    def _save(self) -> None:
        if self._read_only:
            return
        for known in (self._kept.agents, self._kept.machines):
            for key in known.keys() - {source.key for source in self._sources}:
                del known[key]
        with suppress(OSError, UnicodeEncodeError):  # what is not kept is read again
            make_private(self._file.parent)
            write_cached(self._file, msgspec.msgpack.encode(self._kept))


def _without(agents: Sequence[FleetAgent], path: str) -> str:
    """PATH without folders in workspaces, where agents write. By name alone: a disk may not answer."""
    inside = tuple(f"{agent.path}/" for agent in agents)
    return os.pathsep.join(one for one in path.split(os.pathsep) if not f"{one}/".startswith(inside))


def _need(row: FleetRow) -> tuple[object, ...]:
    """The worst first, among equals the one whose plans wait longest."""
    oldest = row.oldest.timestamp() if row.oldest is not None else inf
    return row.muted, _BY_NEED[row.band], oldest, row.agent
