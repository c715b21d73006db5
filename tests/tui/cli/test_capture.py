"""`memdeck capture`: events on stdin, a line of JSON for each transcript, and what is open."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.lifecycle.events import PATH, SESSION, TRANSCRIPT, said, start, transcripts
from tests.tui.cli.conftest import Ran, Run

Capture = Callable[..., Ran]


@pytest.fixture
def capture(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Capture:
    """Runs `capture` in this process, with these lines on stdin."""

    def command(*words: str, lines: tuple[bytes, ...] = ()) -> Ran:
        given = tmp_path / "events.jsonl"
        given.write_bytes(b"".join(lines))
        with given.open() as stdin:
            monkeypatch.setattr(sys, "stdin", stdin)
            return run("-w", str(tmp_path / "ws"), "capture", *words)

    (tmp_path / "ws").mkdir()
    return command


def test_a_program_that_calls_it_reads_path_hash_and_turns(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "tui.cli", "-w", str(tmp_path), "capture")
    done = subprocess.run(command, input=b"".join(SESSION), capture_output=True, check=False)
    told = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (told["path"], told["turns"], told["open"]) == (PATH, 5, False)
    assert transcripts(tmp_path) == {PATH: TRANSCRIPT.encode()}


def test_what_is_no_event_is_told_and_what_is_open_can_be_listed_and_closed(capture: Capture) -> None:
    done = capture(lines=(start(), b"\x1b]0;x\n", said("kept"), b"x" * (9 << 20)))
    assert done.code == 2 and "line 2: not an event" in done.err and "\x1b" not in done.err
    assert "line 4: longer than an event may be, 8 MiB" in done.err
    assert json.loads(done.out)["open"] is True
    assert "ses_1  since 2026-02-16T18:45:00Z  1 event  its program is gone" in capture("--list").out
    assert json.loads(capture("--list", "--json").out)[0]["session"] == "ses_1"
    assert json.loads(capture("--close", "ses_1").out)["open"] is False
    assert "no transcript is open" in capture("--list").out
    assert capture("--close", "ses_1").code == 2
    assert capture("--list", "--close", "x").code == 2
