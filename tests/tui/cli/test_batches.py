"""`batches`: where a batch stands, for an operator's eyes, and what becomes of one of which nobody knows (D48)."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from engine.errors import Refused, UsageError
from engine.extras.batches.batch_records import MOST_DONE, BatchFolder, BatchState
from engine.extras.batches.batch_service import BatchFailed
from engine.services.engine import Engine
from tests.engine.extras.batch_server import BatchServer, batch_server
from tests.soak.commands import BATCH_LOST, a_lost_batch
from tui.cli.root import cli
from tui.present.batches import batch_lines
from tui.present.spans import plain

Run = Callable[..., Result]


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with batch_server() as made:
        yield made


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: BatchServer) -> BatchFolder:
    for name in ("STATE", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    (tmp_path / "notes").mkdir()
    (tmp_path / "config/memdeck").mkdir(parents=True)
    llm = f"llm: {{provider: claude, models: {{extract: some-model}}, url: '{server.url}'}}\n"
    (tmp_path / "config/memdeck/policy.yaml").write_text(llm, "utf-8")
    with Engine.open(tmp_path / "notes") as console:
        return BatchFolder(console._opened.state.path / "batches")


@pytest.fixture
def run(tmp_path: Path, folder: BatchFolder) -> Run:
    return lambda *words: CliRunner().invoke(cli, ["-w", str(tmp_path / "notes"), *words])


def test_no_batch_is_said(run: Run) -> None:
    assert run("batches").stdout.strip() == "no batch was sent"
    assert isinstance(run("batches", "--forget").exception, UsageError)
    assert isinstance(run("batches", "../x", "--forget").exception, UsageError)


def test_d48_an_unclear_batch_is_shown_with_what_it_may_have_become(
    run: Run, folder: BatchFolder, server: BatchServer
) -> None:
    folder.save(a_lost_batch())
    assert "nobody knows whether it was made" in run("batches").stdout
    assert "at most $" in run("batches").stdout and not server.sent, "the list asks nobody"
    server.make([{"custom_id": "0" * 64, "params": {}}])
    told = run("batches", BATCH_LOST).stdout
    assert "msgbatch_1" in told and "--is ID" in told
    assert json.loads(run("--json", "batches", BATCH_LOST).stdout)["candidates"] == ["msgbatch_1"]
    assert isinstance(run("batches", BATCH_LOST, "--is", "msgbatch_9").exception, UsageError)
    assert "at Claude as msgbatch_1" in run("batches", BATCH_LOST, "--is", "msgbatch_1").stdout
    assert "done as msgbatch_1, 1 of 1 answered" in run("batches", BATCH_LOST).stdout
    assert server.posts == 0


def test_a_batch_is_cancelled_at_the_service_and_forgotten_here(
    run: Run, folder: BatchFolder, server: BatchServer
) -> None:
    ident = server.make([{"custom_id": "0" * 64, "params": {}}])
    server.looks = 9
    folder.save(msgspec.structs.replace(a_lost_batch(), state=BatchState.SENT, remote=ident))
    assert isinstance(run("--read-only", "batches", BATCH_LOST, "--cancel").exception, Refused)
    assert not server.cancelled
    assert "begin nothing more" in run("batches", BATCH_LOST, "--cancel").stdout
    assert server.cancelled == [ident]
    assert "is forgotten" in run("batches", BATCH_LOST, "--forget").stdout
    assert "extract" in run("cost").stdout and folder.all() == ()


def test_a_service_that_is_away_is_an_error_that_says_so(run: Run, folder: BatchFolder, server: BatchServer) -> None:
    folder.save(msgspec.structs.replace(a_lost_batch(), state=BatchState.SENT, remote="msgbatch_7"))
    found = run("batches", BATCH_LOST)
    assert isinstance(found.exception, BatchFailed) and "404" in str(found.exception)


def test_the_console_shows_what_is_under_way_and_hides_what_is_over(folder: BatchFolder) -> None:
    lost = a_lost_batch()
    done = msgspec.structs.replace(lost, state=BatchState.DONE)
    head, more = map(plain, batch_lines([done, lost], lost.made_at))
    assert head.startswith("batch of 1 question: nobody knows")
    assert more.startswith("  at most $") and more.endswith(f"memdeck batches {BATCH_LOST}")
    assert max(len(head), len(more)) <= 74, "neither is broken at 80 columns"


def test_of_those_that_are_done_the_last_ones_are_kept(folder: BatchFolder) -> None:
    one = msgspec.structs.replace(a_lost_batch(), state=BatchState.DONE)
    for n in range(MOST_DONE + 3):
        folder.save(msgspec.structs.replace(one, id=f"20260315-0300{n:02}-00000000"))
    assert [record.id[13:15] for record in folder.all()][:1] == ["03"] and len(folder.all()) == MOST_DONE
