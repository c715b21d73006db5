"""`state export` and `state import`: what they print, and what they refuse."""

import json
from pathlib import Path

import pytest

from engine.plans.plan import OPEN_STATES, PlanState
from tests.ready_demo import Demo
from tests.tui.cli.conftest import Run
from tui.shell.commands import BY_PROCESS


def test_a_state_goes_out_and_comes_back(demo: Demo, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "state.tar"
    shown = run("log", "--json").out
    closed = [one for one in json.loads(run("queue", "--json").out) if one["state"] in OPEN_STATES | {PlanState.STALE}]
    done = run("state", "export", str(file))
    assert done.code == 0 and done.out.endswith(f"files exported to {file}\n")
    assert run("state", "export", str(file)).code == 2, "what is there is left alone"
    assert run("state", "import", str(file)).code == 3, "something is remembered here already"
    back = run("state", "import", str(file), "--force", "--json")
    found = json.loads(back.out)
    assert back.code == 0 and Path(found["kept"]).is_dir()
    assert found["notes"] == ([f"{len(closed)} plans that waited are closed: plan again"] if closed else [])
    assert run("log", "--json").out == shown
    assert run("check").code == 0


def test_nothing_is_imported_by_a_console_that_only_reads(demo: Demo, run: Run, tmp_path: Path) -> None:
    assert run("state", "import", str(tmp_path / "x.tar"), "--read-only").code == 2
    assert next(command for command in BY_PROCESS if command.name == "state").writes


def test_a_name_alone_never_lies_in_the_root_folder(demo: Demo, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The console starts its commands there."""
    monkeypatch.chdir("/")
    done = run("-w", str(demo.folder), "state", "export", "x.tar")
    assert done.code == 2 and "~/x.tar" in done.err
    assert not Path("/x.tar").exists()


def test_a_file_that_is_missing_is_named(demo: Demo, run: Run, tmp_path: Path) -> None:
    done = run("state", "import", str(tmp_path / "none.tar"), "--force")
    assert done.code == 1 and "none.tar" in done.err and "No such file" in done.err


def test_what_is_put_off_is_refused_read_only(demo: Demo, run: Run) -> None:
    assert run("search", "billing", "--save", "mine", "--read-only").code == 3
