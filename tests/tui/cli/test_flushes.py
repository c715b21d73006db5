"""`flushes` by command: the compactions that were seen, the backups of sessions and their words."""

import json
from pathlib import Path

import pytest

from tests.engine.flush.test_plan import Place
from tests.engine.sessions.window_logs import answer, compacted, said
from tests.tui.cli.conftest import Run


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(tmp_path)
    made.write("memory/2026-03-15.md", "# day\n")
    for name, value in made.env.items():
        monkeypatch.setenv(name, value)
    return made


def test_a_compaction_is_listed_with_what_left_and_whether_it_was_saved(run: Run, place: Place) -> None:
    where = ("-w", str(place.root))
    assert "no compaction of a followed session was seen" in run("flushes", *where).out
    place.say(said("go"), answer("m1", (0, 100_000, 0), text="- drain the queue first [CURATE]"))
    place.say(compacted(100_000), said("on"), answer("n1", (0, 90_000, 0), text="on it"))
    place.open().close()
    shown = run("flushes", *where).out
    assert "not saved" in shown and "1 turn left" in shown and "10 % less, under 30 %" in shown
    (seen,) = json.loads(run("flushes", "--json", *where).out)
    assert (seen["saved"], seen["before"], seen["smaller"], seen["warning"]) == ("not saved", 100_000, 10, True)


def test_the_backup_of_a_full_window_is_listed_and_searched(run: Run, place: Place) -> None:
    where = ("-w", str(place.root))
    assert "no session was backed up within the last 30 days" in run("flushes", "--backups", *where).out
    assert "no backup holds these words" in run("flushes", "--search", "queue", *where).out
    place.say(said("go"), answer("m1", (0, 196_000, 0), text="- drain the queue first [CURATE]"))
    with place.open() as engine:
        engine.flushes.look()
    (kept,) = json.loads(run("flushes", "--backups", "--json", *where).out)
    listed = run("flushes", "--backups", *where).out
    assert kept["sha256"][:12] in listed and "4 lines" in listed
    found = run("flushes", "--search", "DRAIN queue", *where).out
    assert f"{kept['source']}:2" in found and "drain the queue first" in found
    assert [one["line"] for one in json.loads(run("flushes", "--search", "queue", "--json", *where).out)] == [2]
