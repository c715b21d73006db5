"""An extraction reads a transcript once for each of its states, and answers as if it read all of them (D30)."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import Stale
from engine.extraction import judge
from engine.lifecycle.requests import ExtractRequest
from engine.plans.planning import PlanOutcome, PlanRequest
from engine.services import transcript_entries, transcripts
from engine.services.engine import Engine
from engine.topics.messages import SessionTurn
from engine.workspace.paths import WorkspaceRoot
from tests.engine.lifecycle.applying import approve
from tests.engine.lifecycle.events import capture, end, said, start
from tests.engine.lifecycle.events import transcripts as files_of
from tests.turn import examples

NOW = datetime(2026, 3, 23, 9, 0, tzinfo=UTC)
SAID = (
    "We decided to keep everything in SQLite.",
    "We decided to keep everything in Kafka..",
    "Lesson learned: always test webhook payloads with real data.",
    "I always want the answer in metric units.",
    "How about a boat?",
)


def put(workspace: Path, number: int, *texts: str) -> None:
    """One more closed transcript."""
    day = f"2026-02-{number % 27 + 1:02}"
    rows = [said(text, at=f"{day}T18:{at:02}:00Z") for at, text in enumerate(texts, 46)]
    capture(workspace, start(f"ses_{number}", at=f"{day}T18:45:00Z", topic="storage"), *rows, end(f"{day}T19:32:00Z"))


def outcome_of(workspace: Path, **asked: Any) -> PlanOutcome:
    with Engine.open(workspace, clock=lambda: NOW) as console:
        return console.plans.make("extract", PlanRequest(ExtractRequest(**asked)))


def kept(workspace: Path) -> Path:
    with Engine.open(workspace) as console:
        return console._opened.state.path / "transcript-entries"


def told(outcome: PlanOutcome) -> tuple[Any, ...]:
    plan = outcome.plan
    return (plan.digest if plan is not None else "", outcome.report, outcome.facts, outcome.reason_no_action)


def reading(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the transcripts that are read from now on."""
    read: list[str] = []

    def noted(root: WorkspaceRoot, path: str) -> tuple[SessionTurn, ...]:
        read.append(path)
        return transcripts.transcript_turns(root, path)

    monkeypatch.setattr(transcript_entries, "transcript_turns", noted)
    return read


def change(workspace: Path, kind: str, number: int) -> None:
    """One event that a transcript, or the folder of them, meets."""
    closed = [workspace / path for path in sorted(files_of(workspace))]
    if kind == "new" or not closed:
        put(workspace, 100 + len(closed) * 7 + number, SAID[number % len(SAID)], SAID[(number + 2) % len(SAID)])
        return
    file = closed[number % len(closed)]
    facts = file.stat()
    if kind == "gone":
        file.unlink()
    elif kind == "touched":
        os.utime(file, ns=(facts.st_mtime_ns + 10**9, facts.st_mtime_ns + 10**9))
    elif kind == "copied":  # the same bytes in another inode
        data = file.read_bytes()
        file.unlink()
        file.write_bytes(data)
    elif kind == "renamed":
        file.rename(file.with_name(f"1845-renamed{number}-x.md"))
    elif kind == "same size":
        file.write_bytes(file.read_bytes().replace(b"SQLite.", b"MySQL-9"))
        os.utime(file, ns=(facts.st_mtime_ns, facts.st_mtime_ns))
    elif kind == "longer":
        file.write_text(f"{file.read_text()}\n## 20:{number + 10} \u2014 user\n{SAID[number % len(SAID)]}\n")


KINDS = ("new", "gone", "touched", "copied", "renamed", "same size", "longer", "applied")


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 20)), min_size=2, max_size=6))
def test_d30_the_answer_is_that_of_a_full_read_whatever_happened_to_the_transcripts(
    tmp_path_factory: pytest.TempPathFactory, events: list[tuple[str, int]]
) -> None:
    workspace = tmp_path_factory.mktemp("ws") / "ws"
    workspace.mkdir()
    put(workspace, 1, SAID[0], SAID[2])
    for kind, number in events:
        if kind == "applied":
            with Engine.open(workspace, clock=lambda: NOW) as console:
                plan = console.plans.make("extract", PlanRequest()).plan
                if plan is not None:
                    approve(console, plan)
        else:
            change(workspace, kind, number)
        answer = told(outcome_of(workspace))
        file = kept(workspace)
        data = file.read_bytes() if file.exists() else None
        file.unlink(missing_ok=True)
        assert answer == told(outcome_of(workspace)), (kind, number)
        if data is not None:
            file.write_bytes(data)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    put(folder, 1, SAID[0])
    put(folder, 2, SAID[2], SAID[4])
    return folder


def test_a_transcript_is_read_again_only_where_its_bytes_changed(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = reading(monkeypatch)
    first = outcome_of(workspace)
    one, two = sorted(files_of(workspace))
    assert read == [one, two]
    read.clear()
    assert told(outcome_of(workspace)) == told(first) and read == []
    change(workspace, "same size", 0)
    assert told(outcome_of(workspace)) != told(first) and read == [one]
    read.clear()
    put(workspace, 3, SAID[3])
    (three,) = files_of(workspace).keys() - {one, two}
    assert outcome_of(workspace).plan is not None and read == [three]


def test_one_that_is_asked_for_leaves_the_others_known(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome_of(workspace)
    read = reading(monkeypatch)
    asked = outcome_of(workspace, transcripts=(min(files_of(workspace)),))
    assert "1 closed transcripts" in asked.report
    outcome_of(workspace)
    assert read == []


def test_another_version_of_the_rules_reads_all_of_them(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome_of(workspace)
    read = reading(monkeypatch)
    monkeypatch.setattr(transcript_entries, "VERSION", f"{judge.VERSION}-next")
    outcome_of(workspace)
    assert len(read) == 2


@pytest.mark.parametrize("data", [b"", b"torn", b"\x81\xa5basis\xc0"])
def test_a_damaged_file_of_what_is_known_counts_as_none(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    first = told(outcome_of(workspace))
    kept(workspace).write_bytes(data)
    read = reading(monkeypatch)
    assert told(outcome_of(workspace)) == first and len(read) == 2


def test_a_transcript_that_changes_while_it_is_read_is_no_one_elses_answer(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its entries would have been kept under the hash of other bytes."""
    turns = transcripts.transcript_turns

    def late(root: WorkspaceRoot, path: str) -> tuple[SessionTurn, ...]:
        file = workspace / path
        file.write_bytes(file.read_bytes().replace(b"SQLite.", b"MySQL-9"))
        return turns(root, path)

    with monkeypatch.context() as patch:
        patch.setattr(transcript_entries, "transcript_turns", late)
        with pytest.raises(Stale):
            outcome_of(workspace)
    plan = outcome_of(workspace).plan
    assert plan is not None and "MySQL-9" in str(plan.changes) and "SQLite" not in str(plan.changes)
