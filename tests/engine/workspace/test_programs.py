"""No program that lies where an agent writes is ever found, however PATH is set."""

import os
from pathlib import Path

import pytest

from engine.workspace.system_calls import find_program, search_path


def plant(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    return program


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    workspace = tmp_path / "agent"
    plant(workspace, "xclip")
    plant(workspace / "bin", "xclip")
    (tmp_path / "link").symlink_to(workspace / "bin")
    monkeypatch.chdir(workspace)
    return workspace


@pytest.mark.parametrize("path", ["", ".", ":", "./bin", "bin", "{agent}", "{agent}/bin", "{agent}/../link", "..:."])
def test_an_entry_that_is_empty_relative_or_inside_is_left_out(agent: Path, path: str) -> None:
    env = {"PATH": path.format(agent=agent)}
    assert find_program("xclip", agent, env) is None
    assert search_path(agent, env) == ""


def test_a_link_into_the_workspace_is_passed_over_for_the_next(agent: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "xclip").symlink_to(agent / "xclip")
    honest = plant(tmp_path / "honest", "xclip")
    assert find_program("xclip", agent, {"PATH": f".:{outside}:{honest.parent}"}) == str(honest)
    assert find_program("xclip", agent, {"PATH": str(outside)}) is None


def test_an_absolute_name_counts_where_it_lies(agent: Path, tmp_path: Path) -> None:
    honest = plant(tmp_path / "honest", "xclip")
    assert find_program(str(honest), agent, {}) == str(honest)
    assert find_program(str(agent / "xclip"), agent, {}) is None
    assert find_program("./xclip", agent, {"PATH": str(honest.parent)}) is None
    assert find_program("bin/xclip", agent, {"PATH": str(agent)}) is None


def test_what_cannot_be_executed_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "bin" / "git").mkdir(parents=True)
    (tmp_path / "bin" / "rg").write_text("", encoding="utf-8")
    env = {"PATH": str(tmp_path / "bin")}
    assert find_program("git", tmp_path / "ws", env) is None
    assert find_program("rg", tmp_path / "ws", env) is None
    assert find_program("a\0b", tmp_path / "ws", env) is None


def test_without_path_the_systems_own_folders_are_searched(tmp_path: Path) -> None:
    found = find_program("sh", tmp_path, {})
    assert found is not None
    assert os.access(found, os.X_OK)
