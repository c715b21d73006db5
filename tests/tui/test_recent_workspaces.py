"""The folders that the console was opened on are offered where a workspace is missing."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Damaged
from tui.bridge.engine_source import Opening
from tui.cli.open import MOST, RecentWorkspaces, run_console_on
from tui.cli.settings import Settings


def test_the_last_folders_are_kept_newest_first_and_those_that_are_gone_left_out(tmp_path: Path) -> None:
    recent = RecentWorkspaces(tmp_path / "state")
    assert recent.there() == ()
    folders = [tmp_path / name for name in "abcd"]
    for folder in folders:
        folder.mkdir()
        recent.keep(folder)
    recent.keep(folders[2])
    assert RecentWorkspaces(tmp_path / "state").there() == tuple(str(folders[at]) for at in (2, 3, 1))[:MOST]
    folders[3].rmdir()
    assert recent.there() == (str(folders[2]), str(folders[1]))


@given(data=st.binary(max_size=40) | st.sampled_from([b"[1, null]", b'["\\u0000"]', b"{}"]))
def test_a_damaged_file_is_none(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("state")
    (folder / "recent.json").write_bytes(data)
    assert RecentWorkspaces(folder).there() == ()


def test_a_folder_that_cannot_be_made_costs_the_memory_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    recent = RecentWorkspaces(tmp_path / "file" / "state")
    recent.keep(tmp_path)
    assert recent.there() == ()


def test_at_home_the_console_begins_with_an_agent_that_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = list[Path]()

    def opens(opening: Opening, **_named: object) -> int:
        opened.append(opening.workspace)
        return 0

    monkeypatch.setattr("tui.system.terminal.refuse_without_terminal", lambda _env: None)
    monkeypatch.setattr("tui.launch.run_console", opens)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / ".local/state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Damaged, match="own state lies in it") as told:
        run_console_on(Settings(), None)
    assert "memdeck demo" in told.value.hint and not opened
    file = tmp_path / ".config/memdeck/fleet.yaml"
    file.parent.mkdir(parents=True, mode=0o700)
    file.write_text(f"agents:\n- path: {tmp_path}/gone\n- path: {tmp_path}/shop\n", "utf-8")
    (tmp_path / "shop").mkdir()
    assert (run_console_on(Settings(), None), opened) == (0, [tmp_path / "shop"])


def test_a_missing_workspace_offers_the_recent_ones_a_path_and_the_demo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.system.terminal.refuse_without_terminal", lambda _env: None)
    monkeypatch.setattr("tui.launch.run_console", lambda *_args, **_named: 0)
    with pytest.raises(Damaged, match="no such folder") as told:
        run_console_on(Settings(), str(tmp_path / "missing"))
    assert told.value.hint == "memdeck DIR opens the workspace's folder; memdeck demo makes one to try"
    for name in ("first one", "second"):
        (tmp_path / name).mkdir()
        assert run_console_on(Settings(), str(tmp_path / name)) == 0
    with pytest.raises(Damaged) as told:
        run_console_on(Settings(), str(tmp_path / "missing"))
    first = f"'{tmp_path / 'first one'}'"
    assert told.value.hint == (
        f"memdeck {tmp_path / 'second'} was opened last, before it {first}; memdeck demo makes one to try"
    )
