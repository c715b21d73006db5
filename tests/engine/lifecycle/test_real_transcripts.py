"""Extraction of real sessions: each entry stands in the turn it names, and a second run changes nothing (§8.3)."""

import re
import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from engine.extraction.entry import EntryKind, turn_around
from engine.extraction.held import RowState
from engine.plans.plan import Plan
from engine.services.engine import Engine
from engine.workspace.layout import CONVERSATIONS
from tests.engine.lifecycle.applying import approve
from tests.engine.lifecycle.test_supersession import session
from tests.turn import part

MOST = 250
"""Sessions of the data set that are read, every third of them; a commit reads a tenth of these."""
SAID = {
    EntryKind.DECISION: "We decided that Atlas stays on SQLite.",
    EntryKind.LESSON: "Lesson learned: always test webhook payloads with real data.",
    EntryKind.PERSON: "Mara Lindt is our new lawyer.",
    EntryKind.PROCEDURE: "To restart the queue, run the drain script and wait for the green light.",
    EntryKind.FACT: "The port of the billing service is 5432.",
    EntryKind.JOURNAL: "I've just deployed the new version of the shop.",
    EntryKind.PREFERENCE: "I prefer bullet lists over prose.",
    EntryKind.CORRECTION: "No, use four spaces for indentation.",
}


@pytest.fixture
def sessions(shared_data: Path, tmp_path: Path) -> Path:
    folder, source = tmp_path / "ws", shared_data / "memaware" / "raw"
    for path in part(sorted(source.rglob("*.md"))[::3][:MOST]):
        to = folder / "raw" / path.relative_to(source)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, to)
    return folder


@pytest.fixture
def spoken(tmp_path: Path) -> Path:
    """A session in which something of each kind is said."""
    folder = tmp_path / "ws"
    folder.mkdir()
    session(folder, "03-01", *SAID.values())
    return folder


def notes(workspace: Path) -> dict[Path, bytes]:
    folders = [one for one in workspace.iterdir() if one.name != "memory.db"]
    return {file: file.read_bytes() for folder in folders for file in folder.rglob("*") if file.is_file()}


def check_provenance(workspace: Path, console: Engine, plan: Plan) -> Iterator[EntryKind]:
    """Each entry names a line that is its words, in a turn; gives the kinds."""
    for one in console.extractions.entries(plan.id):
        lines = (workspace / one.source.path).read_text("utf-8").split("\n")
        assert one.source.path.startswith(f"{CONVERSATIONS}/")
        assert one.quote in " ".join(lines[one.source.start - 1].split())
        first, turn = turn_around(lines, one.source.start)
        assert re.match(r"## \d\d:\d\d — (?:user|agent)", turn[0]) and first < one.source.start
        assert one.quote in (workspace / one.path).read_text("utf-8")
        yield one.kind


def twice(workspace: Path) -> list[EntryKind]:
    """Extracts and approves, and runs all again: nothing changes the second time."""
    with Engine.open(workspace) as console:
        plan = console.plans.make("extract").plan
        approve(console, plan)
        assert plan is not None and all(gate.passed for gate in plan.gates)
        kinds = list(check_provenance(workspace, console, plan))
        assert len(kinds) == sum(len(ids) for ids in plan.facts["ids"].values())
        before = notes(workspace)
        again = console.plans.make("extract")
        assert again.plan is None and again.reason_no_action == "nothing new in the transcripts"
        assert console.plans.make("replay").plan is None
        held = console.recall.held(date(2100, 1, 1)).entries
        assert all(one.proven and one.state is RowState.KEPT for one in held)
        assert notes(workspace) == before
    return kinds


def test_d43_d44_something_of_each_kind_is_said_promoted_and_proved(spoken: Path) -> None:
    assert sorted(twice(spoken)) == sorted(EntryKind)


@pytest.mark.sampled(1)
def test_d44_entries_of_real_sessions_stand_in_their_turns_and_a_repeat_changes_nothing(sessions: Path) -> None:
    assert len(twice(sessions)) >= len(list((sessions / "raw").rglob("*.md"))) // 20


def test_d43_the_page_names_the_place_of_each_kind() -> None:
    page = (Path(__file__).parents[3] / "docs" / "lifecycle.md").read_text("utf-8")
    table = page.partition("\n## Extract")[2].partition("\n## ")[0]
    assert {kind.value for kind in EntryKind} <= set(re.findall(r"^\| (\w+) \|", table, re.MULTILINE))
