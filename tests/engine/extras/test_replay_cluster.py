"""Replay on a Dask cluster: the same plan as on this machine, and clear errors where there is none (§8.7)."""

import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from engine.errors import Cancelled, UsageError
from engine.extraction import judge
from engine.extraction.entry import ExtractedEntry
from engine.extras.cluster import replay_cluster
from engine.extras.cluster.replay_cluster import ClusterFailed
from engine.lifecycle.replay.comparison import Readings
from engine.lifecycle.requests import ReplayRequest
from engine.plans.plan import Plan
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine
from engine.services.replay_readings import read_anew
from engine.text.canonical_json import sha256_hex
from engine.topics.messages import SessionTurn
from engine.workspace.values import Progress
from tests.engine.lifecycle.events import capture, end, said, start

distributed = pytest.importorskip("distributed")


DASK = Path(sys.executable).parent / "dask"
ROOT = Path(__file__).parents[3]


def started(ends: ExitStack, logs: Path, *words: str) -> "subprocess.Popen[bytes]":
    """A command of Dask, without its pages, until the test ends."""
    log = ends.enter_context((logs / f"{words[0]}.log").open("wb"))
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen([str(DASK), *words, "--no-dashboard"], stdout=log, stderr=log, env=environment)
    ends.callback(process.wait)
    ends.callback(process.kill)
    return process


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The scheduler and the two workers that the lines of the page start, on loopback and a free port."""
    if not DASK.exists():
        pytest.skip("there is no command `dask` beside this Python")
    page = (ROOT / "docs/cluster.md").read_text("utf-8")
    scheduler, worker = (shlex.split(line, comments=True)[1:] for line in re.findall("^dask .*", page, re.MULTILINE))
    folder = tmp_path_factory.mktemp("cluster")
    file = folder / "scheduler.json"
    with ExitStack() as ends:
        here = [{"10.0.0.1": "127.0.0.1", "8786": "0"}.get(word, word) for word in scheduler]
        started(ends, folder, *here, "--scheduler-file", str(file))
        until = time.monotonic() + 60
        while not file.exists() and time.monotonic() < until:
            time.sleep(0.05)
        found = str(json.loads(file.read_text("utf-8"))["address"])
        started(ends, folder, *(word.replace("tcp://10.0.0.1:8786", found) for word in worker))
        with distributed.Client(found, timeout=60, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
        yield found


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    for n in range(20):
        at = f"2026-02-{n + 1:02}T18:4"
        turns = said(f"We decided to keep project {n} in SQLite.", at=f"{at}6:00Z")
        capture(folder, start(f"ses_{n}", f"{at}5:00Z"), turns, end(f"{at}9:00Z"))
    return folder


def slowly(turns: Sequence[SessionTurn]) -> Iterable[ExtractedEntry]:
    """Reads so slowly that something can happen meanwhile."""
    time.sleep(0.2)
    return judge.judged_entries(turns)


def replay(console: Engine, name: str, scheduler: str = "") -> Plan | None:
    return console.plans.make("replay", PlanRequest(ReplayRequest(name, scheduler=scheduler))).plan


def test_d28_a_cluster_reads_what_this_machine_reads(workspace: Path, address: str) -> None:
    with Engine.open(workspace) as console:
        here, there = replay(console, "here"), replay(console, "there", address)
        kept = Readings(console._opened.state.replay("there"))
    assert here is not None and there is not None
    assert here.changes == there.changes and here.facts == there.facts
    assert len(kept._file.read_bytes().split(b"\n")) == 21


def test_a_replay_that_was_stopped_on_a_cluster_goes_on_here(workspace: Path, address: str) -> None:
    def stop(progress: Progress) -> None:
        if progress.stage == "transcripts" and progress.done:
            raise Cancelled("stopped")

    with Engine.open(workspace) as console:
        asked = PlanRequest(ReplayRequest("one", scheduler=address), tick=stop)
        with pytest.raises(Cancelled):
            console.plans.make("replay", asked)
        before = console._opened.state.replay("one").read_bytes()
        assert 0 < before.count(b'"sha256"') < 20
        plan = replay(console, "one")
        after = console._opened.state.replay("one").read_bytes()
    assert plan is not None and after.startswith(before) and after.count(b'"sha256"') == 20


def test_without_the_extra_the_error_says_how_to_get_it(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with Engine.open(workspace) as console, pytest.raises(UsageError) as caught:
        replay(console, "none", "tcp://127.0.0.1:8786")
    assert "memdeck[cluster]" in caught.value.line()


def test_no_scheduler_is_an_error_that_names_the_address(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_cluster, "CONNECT", 1)
    with Engine.open(workspace) as console:
        with pytest.raises(ClusterFailed) as caught:
            replay(console, "none", "tcp://127.0.0.1:9")
        assert caught.value.exit_code == 6 and caught.value.line().startswith("tcp://127.0.0.1:9: no scheduler answers")
        assert "dask worker tcp://127.0.0.1:9" in caught.value.line()
        with pytest.raises((UsageError, ClusterFailed)):
            replay(console, "none", "nonsense://x y")


def test_a_scheduler_that_dies_meanwhile_is_told_and_what_was_read_is_kept(
    workspace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """It was an error of the program, with a traceback and exit code 1."""
    file = workspace / "scheduler.json"
    with ExitStack() as ends:
        at = ("--scheduler-file", str(file))
        scheduler = started(ends, workspace, "scheduler", *at, "--host", "127.0.0.1", "--port", "0")
        started(ends, workspace, "worker", *at, "--nworkers", "1", "--nthreads", "1")
        with distributed.Client(scheduler_file=str(file), timeout=60, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=60)
            dying = str(client.scheduler.address)

        asked = [
            (str(path.relative_to(workspace)), sha256_hex(path.read_bytes()))
            for path in sorted((workspace / "raw/conversations").rglob("*.md"))
        ]
        kept = workspace / "readings"
        with pytest.raises(ClusterFailed, match="answers no more"):
            read_anew(workspace, asked, slowly, "1", file=kept, scheduler=dying, tick=lambda _: scheduler.kill())
    assert 0 < len(Readings(kept).known("1")) < len(asked)
    assert "Traceback" not in capfd.readouterr().err


def test_a_cluster_without_a_worker_or_with_other_rules_is_refused(
    workspace: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = distributed.LocalCluster(n_workers=0, processes=True, dashboard_address="127.0.0.1:0", host="127.0.0.1")
    with empty, Engine.open(workspace) as console, pytest.raises(ClusterFailed, match="no worker"):
        replay(console, "none", str(empty.scheduler_address))
    monkeypatch.setattr(judge, "VERSION", "planted-2")
    with Engine.open(workspace) as console, pytest.raises(ClusterFailed, match="not planted-2"):
        replay(console, "other", address)


def test_a_cluster_with_other_files_makes_no_plan(workspace: Path, address: str) -> None:
    (path,) = list((workspace / "raw/conversations").rglob("*.md"))[:1]
    asked = [(str(path.relative_to(workspace)), "0" * 64)]
    with pytest.raises(ClusterFailed, match="not the same there"):
        read_anew(
            workspace,
            asked,
            judge.judged_entries,
            judge.VERSION,
            file=workspace / "readings",
            scheduler=address,
        )
