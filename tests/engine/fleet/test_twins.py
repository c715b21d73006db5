"""Other machines, asked by a program in the place of ssh: what it is called with, and what its answers may be."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from time import monotonic, sleep

import msgspec
import pytest

from engine.errors import UsageError
from engine.fleet.configuration import FleetMachine
from engine.fleet.fleet import Fleet
from engine.fleet.row import FleetBand, FleetRow
from engine.fleet.twins import command_there
from engine.services.engine import Engine
from tests.engine.fleet.places import Places

ROOT = Path(__file__).parents[3]
OTHER = "AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
"""The key of nobody."""
NAS = "machines:\n- host: me@nas\n  name: nas\n  seconds: 2\n"


@pytest.fixture
def places(tmp_path: Path) -> Places:
    made = Places(tmp_path)
    made.list_them(NAS)
    return made


def answer(places: Places, *rows: FleetRow) -> str:
    file = places.home / "answer"
    file.write_bytes(msgspec.json.encode(rows))
    return f"cat {file}"


def test_a_machine_is_asked_read_only_by_words_that_are_no_options(places: Places) -> None:
    called = places.ssh(answer(places, FleetRow(agent="ana", workspace="/srv/ana", band=FleetBand.RISK)))
    (row,) = places.looked().rows()
    assert (row.agent, row.machine, row.band, row.problem) == ("ana", "nas", FleetBand.RISK, "")
    words = called.read_text("utf-8").splitlines()
    assert words[-3:] == ["--", "me@nas", "memdeck --json --read-only fleet --local --wait 1"]
    assert {"-a", "-x", "BatchMode=yes", "ConnectTimeout=2", "ForwardAgent=no", "ClearAllForwardings=yes"} <= set(words)
    assert not any("HostKey" in word for word in words), "host keys are checked as the operator's ssh checks them"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 'Host key verification failed.' >&2; exit 255", "Host key verification failed."),
        ("echo hello", "no table of memdeck"),
        ("""echo '[{"agent": "a", "workspace": "/w", "window": {"tokens": "many"}}]'""", "no table of memdeck"),
        ("""echo '[{"agent": "a", "workspace": "/w", "read_at": "2026-01-01T00:00:00"}]'""", "no table of memdeck"),
        ("exec sleep 60", "no answer in 2 s"),
        ("head -c 17000000 /dev/zero", "16 MB"),
    ],
)
def test_a_machine_that_gives_no_table_keeps_its_rows_and_says_why(places: Places, script: str, said: str) -> None:
    places.ssh(answer(places, FleetRow(agent="ana", workspace="/srv/ana", band=FleetBand.RISK)))
    places.looked()
    places.ssh(script)
    (row,) = places.looked().rows()
    assert (row.agent, row.band) == ("ana", FleetBand.RISK) and said in row.problem


def test_a_machine_that_never_answered_is_a_row_itself(places: Places) -> None:
    places.ssh("exit 255")
    (row,) = places.looked().rows()
    assert (row.agent, row.workspace) == ("nas", "") and "255" in row.problem


def test_a_machine_that_is_silent_for_two_days_is_late_and_told_by_each_agent_here(places: Places) -> None:
    now = datetime(2026, 3, 16, 12, tzinfo=UTC)
    places.ssh(answer(places, FleetRow(agent="ana", workspace="/srv/ana")))
    for passed, script, late in ((0, "", False), (1, "exit 255", False), (2, "exit 255", True), (3, "", False)):
        if passed:
            places.ssh(script or answer(places, FleetRow(agent="ana", workspace="/srv/ana")))
        clock = partial(datetime.__add__, now, timedelta(days=passed))
        (row,) = Fleet(places.env, clock).refresh(60).rows()
        with Engine.open(places.agent(f"a{passed}"), env=places.env, clock=clock) as engine:
            told = [alarm.detail for alarm in engine.heartbeat.stopped()]
        assert row.late is late and [("the machine me@nas" in one) for one in told] == [True] * late


def test_a_command_there_is_one_line_that_its_shell_cannot_take_apart(places: Places) -> None:
    places.ssh("")
    machine = FleetMachine(host="nas", name="nas")
    words = command_there(machine, "/srv/a b; rm -rf $HOME", ("apply", "p-1"), places.env)
    assert words[-3:] == ["--", "nas", "memdeck -w '/srv/a b; rm -rf $HOME' apply p-1"] and "-t" in words
    for path in ("relative", "/srv/\x1b[2J"):
        with pytest.raises(UsageError):
            command_there(machine, path, (), places.env)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Places]:
    """A server of ssh on loopback with keys of its own, which lets in whoever runs the tests."""
    keygen, sshd = shutil.which("ssh-keygen"), shutil.which("sshd", path="/usr/sbin:/usr/bin")
    if keygen is None or sshd is None or os.geteuid() != 0:
        pytest.skip("no sshd that may be started here")
    for key in ("host", "mine"):
        subprocess.run([keygen, "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / key)], check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = {
        "ListenAddress": "127.0.0.1",
        "HostKey": tmp_path / "host",
        "AuthorizedKeysFile": tmp_path / "mine.pub",
        "PermitRootLogin": "prohibit-password",
        "StrictModes": "no",
        "UsePAM": "no",
        "PidFile": "none",
    }
    Path("/run/sshd").mkdir(exist_ok=True)
    words = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    process = subprocess.Popen([sshd, "-D", "-f", "/dev/null", "-p", str(port), *words], stderr=subprocess.DEVNULL)
    made = Places(tmp_path)
    known = f"[127.0.0.1]:{port} {(tmp_path / 'host.pub').read_text('utf-8')}"
    (tmp_path / "known").write_text(known, "utf-8")
    mine = f"-p {port} -o IdentityFile={tmp_path}/mine -o UserKnownHostsFile={tmp_path}/known -o IdentitiesOnly=yes"
    made.ssh(f'exec {shutil.which("ssh")} {mine} "$@"')
    try:
        _listens(port)
        yield made
    finally:
        process.terminate()
        process.wait()


def _listens(port: int) -> None:
    until = monotonic() + 20
    while monotonic() < until:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        sleep(0.05)
    pytest.skip("sshd did not start")


def test_a_real_server_gives_its_table_and_one_with_another_key_is_not_believed(server: Places) -> None:
    there = server.agent("there is")
    program = server.home / "memdeck"
    state = f"XDG_STATE_HOME={server.home}/far XDG_CONFIG_HOME={server.home}/far-config PYTHONPATH={ROOT}"
    program.write_text(f'#!/bin/sh\nexport {state}\nexec {sys.executable} -m tui.cli "$@"\n', "utf-8")
    program.chmod(0o755)
    far = server.home / "far-config" / "memdeck" / "fleet.yaml"
    far.parent.mkdir(parents=True, mode=0o700)
    far.write_text(f"agents:\n- path: {there}\n", "utf-8")
    server.list_them(f"machines:\n- host: 127.0.0.1\n  name: near\n  command: {program}\n  seconds: 60\n")
    (row,) = server.looked().rows()
    assert (row.agent, row.machine, row.workspace, row.problem) == ("there is", "near", str(there), "")
    machine = server.fleet().machines[0]
    done = subprocess.run(command_there(machine, row.workspace, ("queue", "--json"), server.env), capture_output=True)
    assert (done.returncode, done.stdout.strip()) == (0, b"[]")
    known = server.home / "known"
    known.write_text(known.read_text("utf-8").replace((server.home / "host.pub").read_text("utf-8").split()[1], OTHER))
    (row,) = server.looked().rows()
    assert row.agent == "there is" and "Host key verification failed" in row.problem
