"""`extraction` by command: the entries of a plan, each with its turn, and a plan without those that are refused."""

import json
from pathlib import Path

import pytest

from tests.engine.lifecycle.events import capture, end, said, start
from tests.engine.lifecycle.test_extraction_review import HELD, replied
from tests.tui.cli.conftest import Run

DECIDED = "We decided to use Postgres for billing, because it has row locks."
LIKED = "I prefer bullet lists over prose."


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    capture(folder, start(), said(f"{DECIDED} {LIKED}"), end())
    return folder


def test_entries_are_listed_with_their_lines_and_refused_by_id(run: Run, workspace: Path) -> None:
    where = ("-w", str(workspace))
    assert run("plan", "extract", *where).code == 0
    told = json.loads(run("extraction", "--json", *where).out)
    assert {one["quote"] for one in told["entries"]} >= {LIKED} and told["offered"] == []
    (liked,) = [one for one in told["entries"] if one["quote"] == LIKED]
    shown = run("extraction", told["plan"], *where).out
    assert f"{liked['id']}  preference (stated)  {LIKED}" in shown
    assert f"said in {liked['source']['path']}:{liked['source']['start']}" in shown
    assert f"memdeck extraction {told['plan']} --refuse ID" in shown
    ran = run("extraction", "--refuse", liked["id"], *where)
    assert ran.code == 0 and f"instead of {told['plan']}" in ran.out
    left = json.loads(run("extraction", "--json", *where).out)
    assert {one["id"] for one in left["entries"]} == {one["id"] for one in told["entries"]} - {liked["id"]}
    assert not (workspace / "knowledge").exists(), "nobody approved anything"


def test_where_all_is_refused_the_plan_that_is_left_is_named(run: Run, workspace: Path) -> None:
    where = ("-w", str(workspace))
    run("plan", "extract", *where)
    told = json.loads(run("extraction", "--json", *where).out)
    each = [word for one in told["entries"] for word in ("--refuse", one["id"])]
    assert f"memdeck reject {told['plan']} --reason TEXT" in run("extraction", *each, *where).out
    made = json.loads(run("extraction", *each, "--json", *where).out)
    assert made["plan"] is None


def test_where_no_extraction_waits_the_next_step_is_named(run: Run, workspace: Path) -> None:
    ran = run("extraction", "-w", str(workspace))
    assert ran.code == 2 and "memdeck plan extract, or memdeck extraction --offered" in ran.err
    assert "no extraction waits" in run("extraction", "--offered", "-w", str(workspace)).out


def test_what_nobody_stated_is_offered_and_taken_by_id(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    replied(folder, "04-20", f"I looked at it. {HELD}")
    where = ("-w", str(folder))
    (offered,) = json.loads(run("extraction", "--offered", "--json", *where).out)["offered"]
    assert offered["quote"] == HELD
    shown = run("extraction", "--offered", *where).out
    assert "not promoted, nobody stated them:" in shown and f"{offered['id']}  " in shown and "--accept ID" in shown
    ran = run("extraction", "--accept", offered["id"], *where)
    assert ran.code == 0 and ran.out.startswith("queued p-")
    assert [one["quote"] for one in json.loads(run("extraction", "--json", *where).out)["entries"]] == [HELD]
