"""`memdeck capture` as a program calls it."""

import json
import subprocess
import sys
from pathlib import Path

from tests.engine.lifecycle.events import PATH, SESSION, TRANSCRIPT, said, start, transcripts


def _run(workspace: Path, *words: str, lines: tuple[bytes, ...] = ()) -> subprocess.CompletedProcess[bytes]:
    command = (sys.executable, "-m", "tui.cli", "-w", str(workspace), "capture", *words)
    return subprocess.run(command, input=b"".join(lines), capture_output=True, check=False)


def test_capture_prints_path_hash_and_turns(tmp_path: Path) -> None:
    done = _run(tmp_path, lines=SESSION)
    told = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (told["path"], told["turns"], told["open"]) == (PATH, 5, False)
    assert transcripts(tmp_path) == {PATH: TRANSCRIPT.encode()}


def test_what_is_no_event_is_told_and_what_is_open_can_be_listed_and_closed(tmp_path: Path) -> None:
    done = _run(tmp_path, lines=(start(), b"\x1b]0;x\n", said("kept"), b"x" * (9 << 20)))
    assert done.returncode == 2 and b"line 2: not an event" in done.stderr and b"\x1b" not in done.stderr
    assert b"line 4: longer than an event may be, 8 MiB" in done.stderr
    assert json.loads(done.stdout)["open"] is True
    assert b"ses_1  since 2026-02-16T18:45:00Z  1 event  its program is gone" in _run(tmp_path, "--list").stdout
    assert json.loads(_run(tmp_path, "--list", "--json").stdout)[0]["session"] == "ses_1"
    assert json.loads(_run(tmp_path, "--close", "ses_1").stdout)["open"] is False
    assert _run(tmp_path, "--close", "ses_1").returncode == 2
    assert _run(tmp_path, "--list", "--close", "x").returncode == 2
