"""`replay` by command: pairs without their sides, answers that are kept, and the figures at the end."""

import json
from pathlib import Path

import pytest

from engine.services.engine import Engine
from tests.engine.lifecycle.events import capture, end, said, start
from tests.engine.lifecycle.test_replay import applied, plant, replay
from tests.tui.cli.conftest import Run


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two sessions in which another extractor finds more, with the replay that says so."""
    folder = tmp_path / "ws"
    folder.mkdir()
    for number in range(2):
        words = f"We decided to paint room {number} blue.", f"Heliotrope opens room {number}."
        capture(folder, start(f"s{number}"), *map(said, words), end())
    capture(folder, start("s9"), said("I prefer bullet lists over prose."), end())
    with Engine.open(folder) as console:
        applied(console, console.plans.make("extract").plan)
        plant(monkeypatch)
        assert replay(console) is not None
    return folder


def test_sessions_are_judged_one_after_the_other_and_then_the_figures_stand(run: Run, workspace: Path) -> None:
    where = ("-w", str(workspace))
    first = json.loads(run("replay", "--json", *where).out)
    pairs = first["standing"]["pairs"]
    assert pairs == 2 and first["standing"]["tie"] == 0
    assert first["standing"]["one_sided"] == 1 and first["pair"]["one"] and first["pair"]["two"]
    shown = run("replay", *where).out
    assert first["pair"]["session"] in shown and f"memdeck replay {first['plan']} --answer 1|2|tie|neither" in shown
    for left in range(pairs - 1, -1, -1):
        told = json.loads(run("replay", "--answer", "tie", "--json", *where).out)
        assert told["standing"]["tie"] == pairs - left and (told["pair"] is None) == (left == 0)
    done = run("replay", *where).out
    assert "Every session is judged." in done and "of all found" in done
    ran = run("replay", "--answer", "tie", *where)
    assert ran.code == 2 and "name one with --session" in ran.err


def test_an_answer_is_taken_back_the_newest_or_the_one_named(run: Run, workspace: Path) -> None:
    where = ("-w", str(workspace))
    first = json.loads(run("replay", "--json", *where).out)["pair"]
    second = json.loads(run("replay", "--answer", "1", "--json", *where).out)["pair"]
    run("replay", "--answer", "2", *where)
    run("replay", "--session", first["session"], "--answer", "tie", *where)  # the newest now, by another word
    told = json.loads(run("replay", "--take-back", "--json", *where).out)
    assert told["pair"] == first and told["standing"]["tie"] == 0
    told = json.loads(run("replay", "--take-back", "--session", second["session"], "--json", *where).out)
    assert told["pair"] == second and told["standing"]["before"] + told["standing"]["after"] == 0
    for extra in ((), ("--session", first["session"])):
        ran = run("replay", "--take-back", *extra, *where)
        assert ran.code == 2 and "no such session is judged" in ran.err
    assert run("replay", "--take-back", "--answer", "1", *where).code == 2


def test_an_answer_before_anything_was_printed_names_the_session_that_it_judges(run: Run, workspace: Path) -> None:
    where = ("-w", str(workspace))
    told = json.loads(run("replay", "--answer", "tie", "--json", *where).out)
    assert told["standing"]["tie"] == 1 and told["judged"] not in (None, told["pair"]["session"])
    assert json.loads(run("replay", "--take-back", "--json", *where).out)["pair"]["session"] == told["judged"]
    shown = run("replay", "--answer", "1", *where).out
    assert shown.startswith(f"{told['judged']}: 1\n"), "it is kept, and told, before the next pair is shown"


def test_a_session_is_named_and_the_comparison_tells_all(run: Run, workspace: Path) -> None:
    where = ("-w", str(workspace))
    session = json.loads(run("replay", "--json", *where).out)["pair"]["session"]
    assert session in run("replay", "--session", session, *where).out
    assert "no such session to compare" in run("replay", "--session", "raw/none.md", *where).err
    told = json.loads(run("replay", "--compare", "--json", *where).out)
    assert told["figures"]["before"] == told["figures"]["kept"] + told["figures"]["lost"] + told["figures"]["changed"]
    assert "of all found" in run("replay", "--compare", *where).out


def test_where_no_replay_waits_the_command_that_makes_one_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ran = run("replay", "-w", str(tmp_path / "empty"))
    assert ran.code == 2 and "memdeck plan replay" in ran.err
