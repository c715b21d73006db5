"""Reads `fleet.yaml`, the operator's own list of agents and machines, and adds the workspaces that are connected."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from engine.errors import PolicyError
from engine.plans.policy.file import operator_bytes
from engine.state.folder import config_home
from engine.text.limited_yaml import YamlProblem, load

NAME = "fleet.yaml"


class FleetAgent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An agent of this machine; its name is that of its folder by default."""

    path: Annotated[str, Meta(pattern=r"^(/|~/)[^\0]*$")]
    name: str = ""
    group: str = ""
    muted: bool = False


class FleetMachine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Another machine by its ssh name, the memdeck command there, and the seconds that it may take to answer."""

    # Names that ssh cannot take for an option, nor a shell for more than a word.
    host: Annotated[str, Meta(pattern=r"^([A-Za-z0-9_][A-Za-z0-9_.-]*@)?[A-Za-z0-9][A-Za-z0-9.:-]{0,252}\Z")]
    command: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_~/.][A-Za-z0-9_~/.-]*\Z")] = "memdeck"
    seconds: Annotated[int, Meta(ge=1, le=300)] = 10
    name: str = ""
    group: str = ""
    muted: bool = False


class FleetConfiguration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The agents and machines, ordered by need or as they are `listed`."""

    order: Literal["need", "listed"] = "need"
    agents: tuple[FleetAgent, ...] = ()
    machines: tuple[FleetMachine, ...] = ()


def known_fleet(env: Mapping[str, str], connected: Iterable[str] = ()) -> FleetConfiguration:
    """Gives the operator's list and the workspaces of connected tools that it lacks. `PolicyError` names a wrong
    key; `Refused` where another user may write the file."""
    told = _read(config_home(env) / NAME)
    agents = [_named(agent, env) for agent in told.agents]
    paths = {agent.path for agent in agents}
    more = dict.fromkeys(path for path in map(os.path.normpath, connected) if path not in paths)
    agents += [FleetAgent(path=path, name=Path(path).name) for path in more]
    machines = (replace(machine, name=machine.name or machine.host) for machine in told.machines)
    return FleetConfiguration(told.order, tuple(agents), tuple(machines))


def _read(file: Path) -> FleetConfiguration:
    try:
        values = load((operator_bytes(file, must_exist=False) or b"").decode("utf-8-sig")) or {}
        return msgspec.convert(values, FleetConfiguration, strict=False)
    except UnicodeDecodeError as error:
        raise PolicyError("it is not UTF-8", where=str(file)) from error
    except YamlProblem as problem:
        raise PolicyError(problem.reason, where=f"{file}:{problem.line}") from problem
    except msgspec.ValidationError as error:
        what, _, key = str(error).partition(" - at ")
        raise PolicyError(f"{key.strip('`').removeprefix('$.')}: {what}", where=str(file), hint=_HINT) from error


_HINT = "agents have path, name, group, muted; machines host, name, group, muted, command, seconds"


def _named(agent: FleetAgent, env: Mapping[str, str]) -> FleetAgent:
    # As it is written: to follow links would wait for a disk that does not answer.
    path = os.path.normpath(f"{env.get('HOME', '')}{agent.path[1:]}" if agent.path[0] == "~" else agent.path)
    return replace(agent, path=path, name=agent.name or Path(path).name or path)
