"""Long answers come in pages, and nothing of a workspace is run for that."""

import os
import sys
from pathlib import Path
from typing import Any

import pexpect
import pytest

from tui.cli.pager import pager
from tui.registry.commands import COMMANDS, words_of

ROOT = Path(__file__).resolve().parents[3]


def test_what_asks_or_streams_is_never_paged() -> None:
    paged = {name for name, module in COMMANDS.items() if words_of(module)[name].paged}
    assert not paged & {"apply", "undo", "redo", "edit", "open", "demo", "init", "topics", "capture", "schedule"}


def test_the_operators_pager_is_taken_and_less_where_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("#!/bin/sh\n")
    (tmp_path / "mine").chmod(0o755)
    elsewhere = tmp_path / "agent"
    assert pager(elsewhere, {"PAGER": f"{tmp_path}/mine -x"}) == [f"{tmp_path}/mine", "-x"]
    assert pager(elsewhere, {"PAGER": "cat", "MEMDECK_PAGER": f"{tmp_path}/mine"}) == [f"{tmp_path}/mine"]
    found = pager(elsewhere, {})
    assert found is None or found[0].endswith("less")


def test_a_pager_in_the_workspace_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "less").write_text("#!/bin/sh\ntouch owned\n")
    (tmp_path / "less").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    for path in (str(tmp_path), ".", ""):
        assert pager(tmp_path, {"PATH": path}) is None
    assert pager(tmp_path, {"PAGER": f"{tmp_path}/less"}) is None
    assert pager(tmp_path, {"PAGER": "./less"}) is None


def on_a_terminal(command: list[str], tmp_path: Path, **environment: str) -> str:
    """What stands on a terminal of 24 lines after the command ended, or waits in its pager."""
    env = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm",
        "XDG_CONFIG_HOME": str(tmp_path / "c"),
        **environment,
    }
    child = pexpect.spawn(
        sys.executable, ["-m", "tui.cli", *command], cwd=str(tmp_path), env=env, dimensions=(24, 100), timeout=30
    )
    child.expect(pexpect.EOF)
    written: Any = child.before
    return str(written, "utf-8")


@pytest.mark.pty
def test_a_long_answer_goes_through_the_pager(tmp_path: Path) -> None:
    mine = tmp_path / "bin/mine"
    mine.parent.mkdir()
    mine.write_text('#!/bin/sh\necho "PAGED $LESSSECURE $PWD"; cat\n')
    mine.chmod(0o755)
    workspace = tmp_path / "agent"
    workspace.mkdir()
    paged = on_a_terminal(["-w", str(workspace), "policy"], tmp_path, PAGER=str(mine))
    assert "PAGED 1 /" in paged and "limits.semantic.soft" in paged
    for options, environment in ((["--no-pager"], {}), (["--json"], {}), ([], {"TERM": "dumb"})):
        plain = on_a_terminal(["-w", str(workspace), *options, "policy"], tmp_path, PAGER=str(mine), **environment)
        assert "PAGED" not in plain and "limits.semantic.soft" in plain
    short = on_a_terminal(["-w", str(workspace), "log"], tmp_path, PAGER=str(mine))
    assert "PAGED" not in short and "no operations yet" in short
