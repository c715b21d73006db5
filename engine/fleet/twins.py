"""Agents of other machines, by the operator's ssh: their table is read, and commands run there on a terminal."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from engine.errors import MemdeckError, UsageError
from engine.fleet.configuration import FleetMachine
from engine.fleet.row import FleetRow
from engine.history.git import GitFailed, GitTooSlow, stream_limited
from engine.text.safe_text import visible_line
from engine.workspace.system_calls import find_program

MOST_BYTES = 16 * 1024 * 1024  # bytes of an answer: about those of a thousand agents
MOST_ROWS = 1_000  # of one machine
# No agent, X11 or port is forwarded, whatever the operator's ssh does for other calls.
_ALONE = ("-a", "-x", "-o", "ClearAllForwardings=yes", "-o", "ForwardAgent=no")


class NotReached(MemdeckError, title="Not reached"):
    """Another machine, or the memdeck there, did not answer."""


def machine_rows(machine: FleetMachine, env: Mapping[str, str]) -> tuple[FleetRow, ...]:
    """Asks the memdeck of a machine for its own table, without a terminal; `NotReached` with ssh's message."""
    # The other half of the time is for the way there, and for what that memdeck begins with.
    asks = f"{machine.command} --json --read-only fleet --local --wait {max(1, machine.seconds // 2)}"
    options = ("-T", "-o", "BatchMode=yes", "-o", f"ConnectTimeout={machine.seconds}")
    data = _answered([*_ssh(env), *options, "--", machine.host, asks], machine, env)
    try:
        rows = msgspec.json.decode(data, type=list[FleetRow])
        if any(plan.made_at.tzinfo is None for row in rows for plan in row.plans):
            raise msgspec.ValidationError("a time without its offset")
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        hint = f"is it installed there? ssh {machine.host} {machine.command} fleet"
        raise NotReached("the answer is no table of memdeck", where=machine.host, hint=hint) from error
    return tuple(rows[:MOST_ROWS])


def command_there(machine: FleetMachine, workspace: str, arguments: Sequence[str], env: Mapping[str, str]) -> list[str]:
    """Gives the command that runs memdeck on a workspace there, on this terminal, which asks under its own policy."""
    if not workspace.startswith("/") or not workspace.isprintable():
        raise UsageError("this workspace cannot be named", where=visible_line(workspace), hint="see it on its machine")
    # ssh joins its words into a line for the shell there.
    words = shlex.join(["-w", workspace, *arguments])
    options = ("-t", "-o", f"ConnectTimeout={machine.seconds}")
    return [*_ssh(env), *options, "--", machine.host, f"{machine.command} {words}"]


def _ssh(env: Mapping[str, str]) -> list[str]:
    if (program := find_program("ssh", Path(env.get("PWD", "/nowhere")), env)) is None:
        raise NotReached("ssh is not installed", hint="install OpenSSH's client")
    return [program, *_ALONE]


def _answered(command: Sequence[str], machine: FleetMachine, env: Mapping[str, str]) -> bytes:
    data = bytearray()
    try:
        for piece in stream_limited([*command], env=env, timeout=machine.seconds):
            data += piece
            if len(data) > MOST_BYTES:
                raise NotReached("its answer is larger than 16 MB", where=machine.host)
    except GitFailed as error:
        slow = isinstance(error, GitTooSlow)
        what = f"no answer in {machine.seconds} s" if slow else visible_line(error.message)
        raise NotReached(what, where=machine.host, hint=f"try: ssh {machine.host}") from error
    return bytes(data)
