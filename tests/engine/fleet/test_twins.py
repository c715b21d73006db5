"""Other machines, asked by a program in the place of ssh: what it is called with, and what its answers may be."""

from pathlib import Path

import msgspec
import pytest

from engine.errors import UsageError
from engine.fleet.configuration import FleetMachine
from engine.fleet.row import FleetBand, FleetRow
from engine.fleet.twins import command_there
from tests.engine.fleet.places import Places

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
    assert words[-3:] == ["--", "me@nas", "memdeck --json --read-only fleet --local"]
    assert {"-a", "-x", "BatchMode=yes", "ConnectTimeout=2", "ForwardAgent=no", "ClearAllForwardings=yes"} <= set(words)
    assert not any("HostKey" in word for word in words), "host keys are checked as the operator's ssh checks them"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 'Host key verification failed.' >&2; exit 255", "Host key verification failed."),
        ("echo hello", "no table of memdeck"),
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


def test_a_command_there_is_one_line_that_its_shell_cannot_take_apart(places: Places) -> None:
    places.ssh("")
    machine = FleetMachine(host="nas", name="nas")
    words = command_there(machine, "/srv/a b; rm -rf $HOME", ("apply", "p-1"), places.env)
    assert words[-3:] == ["--", "nas", "memdeck -w '/srv/a b; rm -rf $HOME' apply p-1"] and "-t" in words
    for path in ("relative", "/srv/\x1b[2J"):
        with pytest.raises(UsageError):
            command_there(machine, path, (), places.env)
