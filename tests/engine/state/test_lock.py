"""The lock: one writer; its owner is named; a dead owner never needs anything removed by hand (C2)."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from engine.errors import Refused
from engine.state import workspace_lock
from engine.state.folder import StateFolder
from engine.state.workspace_lock import Owner, hold, is_alive, owner, read_owner
from tests.engine.plans.rig import START, Rig

_HOLDER = """
import sys
from datetime import datetime, UTC
from pathlib import Path
from engine.state.workspace_lock import hold
from engine.state.folder import StateFolder
with hold(StateFolder(Path(sys.argv[1])), now=datetime(2026, 3, 15, tzinfo=UTC), purpose="applying p-1"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    return Rig(tmp_path / "workspace", tmp_path / "home").ctx.state


def holder(state: StateFolder) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(state.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_live_owner_is_named(state: StateFolder) -> None:
    with holder(state) as process:
        with (
            pytest.raises(Refused, match=rf"applying p-1 is running: process {process.pid} on") as refused,
            hold(state, now=START, purpose="x", wait=0.1),
        ):
            pass
        assert refused.value.exit_code == 3
        who = owner(state)
        assert who is not None
        assert who.pid == process.pid
        assert is_alive(who)
        process.kill()
    assert owner(state) is None
    assert not is_alive(who)


def test_a_full_disk_leaves_the_owner_unnamed_and_stops_nobody(
    state: StateFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else recovering could not even begin where there is nothing to recover."""

    def full(_: int, __: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(workspace_lock, "write_all", full)
    with hold(state, now=START, purpose="recovering"):
        assert read_owner(state) is None
        with (
            pytest.raises(Refused, match="another memdeck is changing this workspace"),
            hold(state, now=START, purpose="x", wait=0.1),
        ):
            pass


def test_a_dead_owner_needs_no_removal(state: StateFolder) -> None:
    """C2: killed while holding, the next one gets it at once."""
    process = holder(state)
    process.kill()
    process.communicate()
    left = read_owner(state)
    assert left is not None
    assert left.pid == process.pid, "its record is left"
    with hold(state, now=START, purpose="next", wait=0.0):
        who = owner(state)
        assert who is not None
        assert who.pid == os.getpid()
        assert who.purpose == "next"
    assert owner(state) is None
    assert read_owner(state) is None


def test_waiting_a_moment_gets_it(state: StateFolder) -> None:
    process = holder(state)
    assert process.stdin is not None
    process.stdin.close()
    with hold(state, now=START, purpose="patient", wait=10.0):
        assert process.wait() == 0


def test_two_threads_of_one_process_exclude_each_other_too(state: StateFolder) -> None:
    with (
        hold(state, now=START, purpose="first", wait=0.0),
        pytest.raises(Refused, match="first is running"),
        hold(state, now=START, purpose="second", wait=0.1),
    ):
        pass


def test_a_reused_process_number_is_told_apart(state: StateFolder) -> None:
    with hold(state, now=START, purpose="x"):
        who = read_owner(state)
        assert who is not None
        assert is_alive(who)
        assert not is_alive(msgspec.structs.replace(who, started="1"))
        assert not is_alive(msgspec.structs.replace(who, boot="another"))


def test_an_unreadable_owner_record_still_refuses(state: StateFolder) -> None:
    with hold(state, now=START, purpose="x"):
        state.lock.write_bytes(b"\xff{")
        assert read_owner(state) is None
        with pytest.raises(Refused, match="another memdeck"), hold(state, now=START, purpose="y", wait=0.0):
            pass


def test_the_record_names_everything(state: StateFolder) -> None:
    with hold(state, now=START, purpose="x"):
        who = msgspec.json.decode(state.lock.read_bytes(), type=Owner)
    assert who.since == START
    assert who.host
    assert who.boot
    assert who.started.isdigit()
