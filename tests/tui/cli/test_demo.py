"""`demo`: makes what it promises, once, and never over anything else."""

import errno
import json
import os
from pathlib import Path

import pytest

from engine.demo.workspace import DemoWorkspace
from tests.ready_demo import Demo, copy_to
from tests.tui.cli.conftest import Run
from tui.cli.demo import default_folder


def test_a_newcomer_finds_a_plan_that_waits(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "silas"
    ran = run("demo", "--dir", str(place), "--no-open")
    assert ran.code == 0 and str(place) in ran.out and "apply p-" in ran.out
    status = json.loads(run("-w", str(place), "status", "--json").out)
    assert status["queue"]["pending"] == 2 and len(status["capabilities"]) == 5
    assert run("-w", str(place), "check", "--deep").code == 0
    assert run("-w", str(place), "log", "--verify").code == 0


@pytest.fixture
def copied(made_demo: Demo, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the place of one that is made, a copy of one: it takes a tenth of the time."""

    def make_demo(folder: Path, *, env: dict[str, str], **_: object) -> DemoWorkspace:
        return copy_to(made_demo, folder, env).made

    monkeypatch.setattr("engine.demo.workspace.make_demo", make_demo)


@pytest.mark.usefixtures("copied")
def test_a_second_time_it_is_left_as_it_is(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "silas"
    first = json.loads(run("demo", "--dir", str(place), "--no-open", "--json").out)
    assert first["made"] is True and first["files"] > 200 and first["plan"].startswith("p-")
    (place / "memory" / "mine.md").write_text("kept")
    again = run("demo", "--dir", str(place), "--no-open")
    assert again.code == 0 and "--fresh" in again.out
    assert (place / "memory" / "mine.md").read_text() == "kept"
    fresh = run("demo", "--dir", str(place), "--fresh", "--no-open")
    assert fresh.code == 0 and not (place / "memory" / "mine.md").exists()
    (aside,) = tmp_path.glob("silas-until-*")
    assert (aside / "memory" / "mine.md").read_text() == "kept"


@pytest.mark.usefixtures("copied")
def test_one_that_was_cut_off_while_it_was_made_makes_room(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was refused for ever: "the folder is not empty"."""
    place = tmp_path / "silas"

    def full(folder: Path, **_: object) -> None:
        (folder / "half.md").write_text("half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))

    with monkeypatch.context() as patched:
        patched.setattr("engine.demo.workspace.make_demo", full)
        assert run("demo", "--dir", str(place), "--no-open").code == 1
    assert run("demo", "--dir", str(place), "--no-open").code == 0
    assert not (place / "half.md").exists()
    (aside,) = tmp_path.glob("silas-until-*")
    assert [file.name for file in aside.iterdir()] == ["half.md"]
    assert json.loads(run("-w", str(place), "status", "--json").out)["queue"]["pending"] == 2


@pytest.mark.usefixtures("copied")
def test_without_a_terminal_it_does_not_try_to_open_one(run: Run, tmp_path: Path) -> None:
    ran = run("demo", "--dir", str(tmp_path / "silas"))
    assert ran.code == 0 and "memdeck" in ran.out


def test_a_folder_of_somebody_else_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("mine")
    ran = run("demo", "--dir", str(tmp_path), "--no-open")
    assert (ran.code, ran.out) == (3, "") and [path.name for path in tmp_path.iterdir()] == ["note.md"]


def test_the_folder_is_named_once(run: Run, tmp_path: Path) -> None:
    assert run("demo", "--dir", str(tmp_path), "-w", str(tmp_path), "--no-open").code == 2


def test_the_default_is_in_the_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "memdeck" / "demo" / "silas"


def test_any_day_can_be_its_today(run: Run, tmp_path: Path) -> None:
    place = str(tmp_path / "silas")
    assert run("demo", "--dir", place, "--no-open", "--now", "2031-06-02").code == 0
    status = json.loads(run("-w", place, "status", "--json", "--now", "2031-06-02").out)
    assert status["memory_tiers"]["episodic"]["oldest_days"] == 51
