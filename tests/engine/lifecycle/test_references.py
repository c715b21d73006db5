"""References: what counts as one, on which day, and when a file without them becomes a candidate (decision D46)."""

import asyncio
import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.api import Memory
from engine.lifecycle.prune.old_files import LEAST_SCORE, eviction_score, is_candidate
from engine.lifecycle.references.file_links import linking_files
from engine.lifecycle.references.reference_days import MOST_DAYS, MOST_FILES, ReferenceDays, ReferenceKind
from engine.services.agent import AgentService
from engine.services.engine import Engine
from engine.services.references import ReferenceService
from engine.state.database import StateDatabase
from engine.state.table import StateTable, Table

NOW = datetime(2026, 3, 16, 9, 0, tzinfo=UTC)
TODAY = "2026-03-16"
FILE = "knowledge/reference/queues.md"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    (folder / FILE).parent.mkdir(parents=True)
    (folder / FILE).write_text("# Queues\n\n- The queue of billing is drained at night.\n", "utf-8")
    return folder


def days(workspace: Path) -> dict[str, dict[str, tuple[str, ...]]]:
    with Engine.open(workspace, clock=lambda: NOW) as console:
        return dict(ReferenceDays(console._opened.database).all())


@pytest.mark.parametrize(("references", "day"), [(0, 94), (1, 108), (3, 122)])
def test_d46_a_file_becomes_a_candidate_on_the_day(references: int, day: int) -> None:
    assert [is_candidate(at, references) for at in (day - 1, day)] == [False, True]


@given(st.integers(0, 5_000), st.integers(0, 1_000))
def test_d7_the_score_falls_with_age_and_rises_with_references(age: int, references: int) -> None:
    assert eviction_score(age, references) >= eviction_score(age + 1, references)
    assert eviction_score(age, references + 1) >= eviction_score(age, references)
    assert is_candidate(age, references) == (age > 30 and eviction_score(age, references) < LEAST_SCORE)


def test_d46_compiled_opened_and_read_count_once_a_day(workspace: Path) -> None:
    with Engine.open(workspace, clock=lambda: NOW) as console:
        for _ in range(3):
            console.search.found_useful(FILE)
    with Memory(workspace, "agent", clock=lambda: NOW) as memory:
        assert "drained at night" in memory.compiler(budget=2_000).compile("when is the queue of billing drained")
    assert days(workspace)[FILE] == {TODAY: ("compiled", "opened")}


def test_d46_what_an_agents_program_gets_was_opened(workspace: Path) -> None:
    with Engine.open(workspace, clock=lambda: NOW) as console:
        AgentService(console, "agent").read(FILE)
    assert days(workspace) == {FILE: {TODAY: ("opened",)}}
    with Memory(workspace, "agent", clock=lambda: NOW + timedelta(days=1)) as memory:
        asyncio.run(memory.tools.read(FILE))
    assert set(days(workspace)[FILE]) == {TODAY, "2026-03-17"}


def test_d46_what_a_followed_session_read_counts_on_the_day_of_its_turn(workspace: Path, tmp_path: Path) -> None:
    def call(name: str, path: str, at: str) -> str:
        block = {"type": "tool_use", "id": "t", "name": name, "input": {"file_path": path}}
        message = {"role": "assistant", "id": at, "content": [block]}
        return json.dumps({"type": "assistant", "sessionId": "s", "timestamp": at, "message": message})

    session = tmp_path / "s.jsonl"
    lines = [
        call("Read", str(workspace / FILE), "2026-03-01T10:00:00Z"),
        call("Write", str(workspace / FILE), "2026-03-02T10:00:00Z"),
        call("Read", "/etc/hosts", "2026-03-03T10:00:00Z"),
    ]
    session.write_text("\n".join(lines) + "\n", "utf-8")
    with Engine.open(workspace) as console:
        console.sessions.follow(session)
        for _ in range(2):
            assert ReferenceService(console._opened).days({FILE}) == {FILE: {"2026-03-01": ("read",)}}


def test_a_supposed_instant_counts_nothing(workspace: Path) -> None:
    with Engine.open(workspace, now=NOW, clock=lambda: NOW) as console:
        console.search.found_useful(FILE)
    assert days(workspace) == {}


def test_d46_links_and_subscriptions_are_read_from_the_files() -> None:
    files = {
        FILE: b"# Queues\n",
        "knowledge/projects/x/notes.md": b"see [[queues]] and [it](../../reference/queues.md#night)\n",
        "knowledge/people/ana.md": b"[a](/etc/passwd) [[../../../x]] [[ana]]\n",
        "topics/night.md": b"---\ntype: topic\nsubscriptions:\n  - knowledge/reference/queues.md\n---\n\n# Night\n",
        "archive/old.md": b"[[queues]]\n",
        "raw/conversations/2026/03/01/t.md": b"[[queues]]\n",
    }
    found = linking_files(files, lambda path: files[path])
    assert found == {FILE: {("knowledge/projects/x/notes.md", "linked"), ("topics/night.md", "subscribed")}}


def test_days_and_files_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_FILES == 20_000
    monkeypatch.setattr("engine.lifecycle.references.reference_days.MOST_FILES", 3)
    database = StateDatabase(tmp_path)
    kept = ReferenceDays(database)
    for number in range(MOST_DAYS + 5):
        kept.add(ReferenceKind.READ, ("a.md",), date(2024, 1, 1) + timedelta(days=number))
    assert len(kept.all()["a.md"]) == MOST_DAYS and "2024-01-01" not in kept.all()["a.md"]
    kept.add(ReferenceKind.READ, ("b.md", "c.md", "d.md"), date(2026, 1, 1))
    assert list(kept.all()) == ["b.md", "c.md", "d.md"]
    Table(database, StateTable.REFERENCE_DAYS).keep("b.md", b"[1]")
    assert list(kept.all()) == ["c.md", "d.md"], "a row that is no such value counts for nothing"
