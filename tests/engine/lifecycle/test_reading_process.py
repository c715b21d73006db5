"""The processes that read transcripts beside this one: isolated, and gone with the one that started them (D28)."""

import fcntl
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from engine.extraction.entry import ExtractedEntry
from engine.extraction.judge import VERSION, find_entries
from engine.services import reading_process
from engine.services.reading_process import ForkedProcess, ReadingFailed, ReadingProcess, answers, is_alone
from engine.services.replay_readings import read_anew
from engine.services.transcripts import ReadingPlace
from engine.text.canonical_json import sha256_hex
from engine.topics.messages import SessionTurn
from engine.workspace.system_calls import is_running
from tests.engine.lifecycle.events import capture, end, said, start


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    for number in range(12):
        capture(folder, start(f"s{number}"), said(f"We decided to buy the mill number {number}."), end())
    return folder


@pytest.fixture(params=["doubled", "started"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Either way in which a process begins."""
    monkeypatch.setattr(reading_process, "is_alone", lambda: request.param == "doubled")
    return str(request.param)


def transcripts(workspace: Path) -> list[tuple[str, str]]:
    files = sorted((workspace / "raw").rglob("*.md"))
    return [(str(one.relative_to(workspace)), sha256_hex(one.read_bytes())) for one in files]


def ends(_: Sequence[SessionTurn]) -> Iterator[ExtractedEntry]:
    os._exit(3)


@pytest.mark.usefixtures("kind")
def test_no_module_of_the_workspace_is_run(workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    traces = tmp_path / "run"
    for name in ("multiprocessing", "msgspec", "json", "engine", "re2", "sitecustomize", "usercustomize"):
        (workspace / f"{name}.py").write_text(f"open({str(traces)!r}, 'a').write({name!r})\n")
    monkeypatch.chdir(workspace)
    monkeypatch.setenv("PYTHONPATH", str(workspace))
    asked = transcripts(workspace)
    found = read_anew(workspace, asked, find_entries, VERSION, file=tmp_path / "r", workers=3)
    assert len(found) == 12 and all(len(one.entries) == 1 for one in found) and not traces.exists()


@pytest.mark.usefixtures("kind")
def test_a_process_that_ends_is_an_error_that_says_what_to_do(workspace: Path) -> None:
    beside = ReadingProcess(ReadingPlace(str(workspace)), ends, "v")
    with closing(beside) as process, pytest.raises(ReadingFailed) as caught:
        process.ask(transcripts(workspace))
        while True:
            answers([process], wait=True)
    assert "exit code 3" in caught.value.line() and "--workers 1" in caught.value.line()


@pytest.mark.usefixtures("kind")
def test_a_process_reads_what_this_one_reads(workspace: Path, tmp_path: Path) -> None:
    asked = transcripts(workspace)
    one, two = (read_anew(workspace, asked, find_entries, VERSION, file=tmp_path / f"{n}", workers=n) for n in (1, 2))
    assert one == two


KILLED = """
import os, sys, time
from engine.services.reading_process import ReadingProcess
from engine.services.transcripts import ReadingPlace
from engine.extraction.judge import find_entries
import engine.services.reading_process as one
assert one.is_alone()
one.is_alone = lambda: sys.argv[2] == "doubled"
process = ReadingProcess(ReadingPlace(sys.argv[1]), find_entries, "v")
print(process._process.pid, flush=True)
time.sleep(60)
"""


def test_it_ends_with_the_process_that_started_it(workspace: Path, kind: str) -> None:
    parent = subprocess.Popen([sys.executable, "-c", KILLED, str(workspace), kind], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert is_running(pid)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 60
    while is_running(pid) and not _is_zombie(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_running(pid) or _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    """Tells whether nobody asked yet how it ended, which a container's first process may never do."""
    try:
        return " Z " in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True


def test_a_process_that_is_doubled_keeps_nothing_open_but_its_pipes(tmp_path: Path) -> None:
    """A lock that it held would outlive the process that took it."""
    file = (tmp_path / "lock").open("w")
    fcntl.flock(file, fcntl.LOCK_EX)
    first = ForkedProcess(_tell_open)
    second = ForkedProcess(_tell_open)
    try:
        file.close()
        with (tmp_path / "lock").open() as other:
            assert first.stdout.readline() and second.stdout.readline() == b"0 1 2\n"
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        for process in (first, second):
            process.stdin.close()
            process.stdout.close()
    assert (first.wait(), second.wait()) == (0, 0), "each ends with its input"


def _tell_open() -> None:
    here = [one for one in Path("/proc/self/fd").iterdir() if one.exists()]  # but that of the listing itself
    os.write(1, " ".join(sorted(one.name for one in here)).encode() + b"\n")
    while os.read(0, 1):
        pass


def test_a_process_with_threads_is_not_doubled() -> None:
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert not is_alone()
    finally:
        done.set()
        thread.join()


def test_what_fails_in_a_doubled_process_never_goes_on_as_this_one() -> None:

    def fails() -> None:
        raise RuntimeError("in the other process")

    process = ForkedProcess(fails)
    assert process.wait() == 1 and process.wait() == 1
    process.kill()
    process.stdin.close()
    process.stdout.close()
