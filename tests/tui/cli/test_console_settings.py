"""`config` and `keys` by command: the settings with their file and faults, and the keys as they are bound."""

import json
from pathlib import Path

from engine.state.folder import config_home
from tests.prepared import Prepared
from tests.tui.cli.conftest import Run
from tui.settings.file import settings_path


def test_defaults_are_named_and_a_fault_gives_its_line_and_code_2(run: Run, workspace: Prepared) -> None:
    file = settings_path(config_home(workspace.env))
    ran = run("config")
    assert ran.code == 0 and f"{file} (not there: these are the defaults)" in ran.out
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("mouse: off\ntheme: nigth\n", "utf-8")
    ran = run("config")
    assert ran.code == 2 and "mouse        off" in ran.out and "night" in ran.out.splitlines()[-1]
    told = json.loads(run("config", "--json").out)
    assert told["settings"]["mouse"] == "off" and told["exists"] is True and len(told["problems"]) == 1
    assert Path(told["file"]) == file


def test_keys_are_listed_as_they_are_bound_and_found_by_word(run: Run, workspace: Prepared) -> None:
    every = json.loads(run("keys", "--json").out)
    some = json.loads(run("keys", "approve", "--json").out)
    assert 0 < len(some) < len(every) and all(set(key) == {"name", "keys", "title"} for key in every)
    assert some[0]["title"] in run("keys", "approve").out
