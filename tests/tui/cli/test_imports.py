"""`memdeck import` as typed: where a tool keeps what is read, what was not read, what comes of nothing (G28)."""

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from engine.errors import Damaged, UsageError
from engine.extras.importers.kinds import KINDS, home_of, import_kind
from engine.extras.importers.memories import kinds
from engine.extras.importers.memories.kinds import MEMORY_KINDS
from engine.services.engine import Engine
from tests.engine.extras.other_memories import KEPT
from tests.engine.extras.other_tools import WRITERS, lines
from tests.engine.extras.tool_generations import FIXTURES
from tui.cli.main import main

HOMES = {
    "claude-code-memory": ".claude/projects",
    "openclaw-memory": ".openclaw/workspace",
    "codex-memory": ".codex/memories",
    "hermes-memory": ".hermes/memories",
    "gemini-memory": ".gemini",
    "letta-memory": ".letta/agents/agent-1/memory",
}
VARIABLES = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCLAW_STATE_DIR", "XDG_DATA_HOME", "PI_CODING_AGENT_DIR")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "ws/knowledge").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "ws"


def run(workspace: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    code = main(["-w", str(workspace), "--json", *words])
    return code, json.loads(capsys.readouterr().out or "{}")


def test_without_a_path_it_reads_where_the_tool_keeps_its_sessions(
    workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".claude").mkdir()
    WRITERS["claude-code"](tmp_path / ".claude/projects")
    code, told = run(workspace, capsys, "import", "claude-code")
    assert (code, told["sessions"], told["turns"]) == (0, 1, 3)
    assert told["facts"]["looked"] == [str(tmp_path / ".claude/projects")] or "~" in told["facts"]["looked"][0]
    WRITERS["codex"](tmp_path / "elsewhere/sessions")
    WRITERS["pi"](tmp_path / "elsewhere/archived_sessions")
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "elsewhere"))
    code, told = run(workspace, capsys, "import", "codex")
    assert code == 0 and told["facts"]["place"] == str(tmp_path / "elsewhere")
    assert main(["-w", str(workspace), "import", "codex"]) == 0
    assert f"looked in {tmp_path}/elsewhere/sessions, {tmp_path}/elsewhere/archived_sessions" in capsys.readouterr().out


def test_of_two_homes_that_are_there_one_has_to_be_named(workspace: Path, tmp_path: Path) -> None:
    """Decision G28: none is left unread without a word. A link to the other one is no second home."""
    (tmp_path / ".openclaw/agents").mkdir(parents=True)
    (tmp_path / ".clawdbot").symlink_to(tmp_path / ".openclaw")
    assert home_of(KINDS["openclaw"], {}).path == "~/.openclaw/agents"
    (tmp_path / ".moltbot/agents").mkdir(parents=True)
    with pytest.raises(UsageError, match="more than one place") as caught:
        home_of(KINDS["openclaw"], {})
    assert caught.value.where == "~/.openclaw, ~/.moltbot"


def test_of_a_home_only_what_holds_sessions_is_looked_at(
    workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    FIXTURES["hermes", "SQLite"](tmp_path / ".hermes")
    WRITERS["hermes"](tmp_path / "made")
    (tmp_path / "made").rename(tmp_path / ".hermes/sessions")
    (tmp_path / ".hermes/venv").mkdir()
    (tmp_path / ".hermes/venv/x.py").write_text("import os", encoding="utf-8")
    code, told = run(workspace, capsys, "import", "hermes")
    assert (code, told["sessions"], told["unread"]) == (0, 2, [])


@pytest.mark.parametrize("kind", [*KINDS, *MEMORY_KINDS])
def test_where_nothing_is_the_places_are_named(workspace: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    assert main(["-w", str(workspace), "import", kind]) == 2
    told = capsys.readouterr().err
    assert f"memdeck import {kind} PATH" in told
    homes = (KINDS.get(kind) or MEMORY_KINDS[kind]).files.homes
    assert all(home.folders[:1] == () or home.folders[0] in told for home in homes)


@pytest.mark.parametrize(("kind", "home"), HOMES.items())
def test_without_a_path_memories_are_read_where_the_tool_keeps_them(
    workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, home: str
) -> None:
    """Decision G28: what else lies in the tool's folder is looked at by nobody."""
    for path, data in KEPT[kind].files.items():
        file = tmp_path / home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    (tmp_path / home / "x.png").write_bytes(b"x")
    (tmp_path / home.partition("/")[0] / "README.md").write_bytes(b"- I am no memory.\n")
    code, told = run(workspace, capsys, "import", kind)
    assert code == 0 and told["facts"]["imported"] > 0 and "I am no memory" not in json.dumps(told)
    assert any(home.split("/")[0] in place for place in told["facts"]["looked"])
    if home.endswith(("memories", "memory")):
        assert told["facts"]["unread"] == [{"ending": ".png", "files": 1}]


def test_of_memories_nothing_read_is_no_success_and_what_lies_there_is_named(
    workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Decision G28."""
    (tmp_path / "there").mkdir()
    (tmp_path / "there/memories.sqlite").write_bytes(b"x")
    code, told = run(workspace, capsys, "import", "codex-memory", str(tmp_path / "there"))
    assert (code, told["plan"]) == (6, None)
    assert told["reason_no_action"] == "no memory was found: 1 × .sqlite"


def test_homes_that_are_wrong_are_named_with_their_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tomllib, "loads", lambda text: {"codex-memory": [{"folders": ["memories"]}]})
    with pytest.raises(Damaged, match="field `at`") as caught:
        kinds._homes.__wrapped__()
    assert caught.value.where == "homes.toml"


def test_every_home_follows_the_variables_of_its_tool(tmp_path: Path) -> None:
    for kind in ("claude-code", "codex", "gemini", "hermes", "openclaw", "opencode", "pi"):
        home = import_kind(kind).files.homes[0]
        name = home.at[1:].partition(":")[0]
        place = Path(home.path({name: str(tmp_path / kind)}), home.folders[-1])
        place.mkdir(parents=True)
        assert home_of(KINDS[kind], {name: str(tmp_path / kind)}).path == str(place)


def test_the_keys_of_its_json_are_those_that_scripts_rely_on(
    workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    FIXTURES["gemini", "sub-agents as JSON lines"](tmp_path / "there")
    (tmp_path / "there/slug/logs.json.zst").write_bytes(b"x")
    code, told = run(workspace, capsys, "import", "gemini", str(tmp_path / "there"))
    assert code == 0
    assert told["kind"] == "gemini"
    assert told["generations"] == [
        {"name": "sub-agents as JSON lines", "files": 1},
        {"name": "JSON lines", "files": 1},
    ]
    assert told["unread"] == [{"ending": ".json.zst", "files": 1}]
    assert (told["sessions"], told["turns"], told["repeated"], told["side_chain"]) == (1, 3, 0, 2)
    assert told["meta"] == {"metadata update": 1}


def test_nothing_read_of_what_lies_there_is_no_success(
    workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there = tmp_path / "there"
    there.mkdir()
    (there / "rollout.jsonl.zst").write_bytes(b"x")
    (there / "notes.json").write_text("{}", encoding="utf-8")
    code, told = run(workspace, capsys, "import", "codex", str(there))
    assert (code, told["plan"], told["sessions"]) == (6, None, 0)
    assert "1 × .json, 1 × .jsonl.zst" in told["reason_no_action"] and "*.jsonl" in told["reason_no_action"]
    assert main(["-w", str(workspace), "import", "codex", str(there)]) == 6
    assert "1 × .jsonl.zst: not read" in capsys.readouterr().out


def test_the_doctor_names_a_tool_that_is_newer_than_what_is_known_of_it(
    workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    WRITERS["codex"](tmp_path / "there")
    (file,) = (one for one in (tmp_path / "there").rglob("*.jsonl"))
    head = {
        "timestamp": "2026-02-16T18:45:00Z",
        "type": "session_meta",
        "payload": {"id": "s-1", "cli_version": "99.1.0"},
    }
    file.write_bytes(lines(head) + file.read_bytes())
    WRITERS["pi"](tmp_path / "pi")
    assert main(["-w", str(workspace), "import", "codex", str(tmp_path / "there")]) == 0
    assert "written by 99.1.0, newer than" in capsys.readouterr().out
    assert main(["-w", str(workspace), "import", "pi", str(tmp_path / "pi")]) == 0
    with Engine.open(workspace) as console:
        told = {one.where: one.what for one in console.maintenance.doctor() if one.id == "newer_tool"}
    assert "version 99.1.0" in told[os.path.realpath(tmp_path / "there")]
    assert told[os.path.realpath(tmp_path / "pi")] == "pi: 1 × unknown line hologram"
