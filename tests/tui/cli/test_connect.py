"""`memdeck connect` shows a diff, writes it after a typed yes, and `disconnect` takes exactly that back (D63)."""

import io
import json
import os
import re
import shlex
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from engine.extras.connect.connection import Connections
from engine.state.folder import state_home
from tests.engine.extras.tool_generations import FIXTURES
from tests.tui.cli.conftest import Run, Typist

SETTINGS = """{
  // mine
  "model": "opus",
  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}
}
"""
SAID = "We decided to use PostgreSQL for billing because SQLite cannot handle concurrent writers."


def line(number: int, kind: str, text: str) -> str:
    message = {
        "role": kind,
        "content": text if kind == "user" else [{"type": "text", "text": text}],
        "id": f"m{number}",
    }
    more = {
        "sessionId": "s-1",
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}" if number else None,
        "version": "2.1.197",
        "gitBranch": "main",
    }
    at = f"2026-11-2{number + 1}T10:00:00.000Z"
    return json.dumps({"type": kind, "message": message, "timestamp": at, "isSidechain": False, **more})


@pytest.fixture
def project(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a session of Claude Code, in a home of its own."""
    folder = own_home / "code" / "shop.app"
    (folder / ".claude").mkdir(parents=True)
    sessions = own_home / ".claude" / "projects" / "".join(c if c.isalnum() else "-" for c in str(folder))
    sessions.mkdir(parents=True)
    lines = [line(0, "user", SAID), line(1, "assistant", "Understood.")]
    (sessions / "s-1.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    (own_home / ".claude.json").write_text('{"numStartups": 3, "projects": {}}', "utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return folder


def memory_of(home: Path) -> Path:
    (found,) = (home / ".claude" / "projects").glob("*/")
    return found / "memory"


def test_d63_without_a_name_it_lists_what_is_here(run: Run, project: Path, own_home: Path) -> None:
    memory = memory_of(own_home)
    memory.mkdir()
    (memory / "MEMORY.md").write_text("# Index\n" + "- line\n" * 219, "utf-8")
    (tool,) = [one for one in json.loads(run("connect", "--json").out) if one["found"]]
    assert (tool["tool"], tool["version"], tool["sessions"], tool["connected"]) == ("claude-code", "2.1.197", 1, False)
    assert tool["first"].startswith("2026-11-21T10:00")
    assert tool["memory"] == [{"path": str(memory), "files": 1, "lines": 220, "falls_off": 20}]
    out = run("connect").out
    assert "Claude Code 2.1.197 · 1 session" in out and "20 lines fall off" in out
    assert "memdeck connect claude-code" in out and "not found: OpenClaw, Codex" in out


def test_d63_one_command_connects_and_the_other_takes_exactly_that_back(
    run: Run, project: Path, own_home: Path, typist: Typist
) -> None:
    local, state = project / ".claude" / "settings.local.json", own_home / ".claude.json"
    local.write_text(SETTINGS, "utf-8")
    local.chmod(0o640)
    before = state.read_bytes()
    typist.types("yes\n")
    done = run("connect", "claude-code")
    assert done.code == 0 and "1 transcript" in done.out and " apply p-" in done.out
    shown = typist.shown()
    assert "! closes the transcript" in shown and "+++ b/" in shown
    assert '// mine\n  "model": "opus"' in local.read_text("utf-8") and "hook stop" in local.read_text("utf-8")
    assert local.stat().st_mode & 0o777 == 0o640
    server = json.loads(state.read_text("utf-8"))["projects"][str(project)]["mcpServers"]["memdeck"]
    assert server["args"] == ["-w", str(memory_of(own_home)), "mcp"] or server["command"] == "env"
    (tool,) = [one for one in json.loads(run("connect", "--json").out) if one["found"]]
    assert tool["connected"] and tool["workspaces"] == [str(memory_of(own_home))]

    written = local.read_bytes(), state.read_bytes()
    again = run("connect", "claude-code")
    assert "nothing to change" in again.out and (local.read_bytes(), state.read_bytes()) == written
    (transcript,) = (memory_of(own_home) / "raw").rglob("*.md")
    assert SAID in transcript.read_text("utf-8")

    typist.types("yes\n")
    assert run("disconnect", "claude-code").code == 0
    assert local.read_text("utf-8") == SETTINGS and state.read_bytes() == before
    assert run("disconnect", "claude-code").code == 2


def test_d63_what_was_changed_since_is_kept_and_a_file_of_ours_goes(
    run: Run, project: Path, own_home: Path, typist: Typist
) -> None:
    state = own_home / ".claude.json"
    typist.types("yes\n")
    assert run("connect", "claude-code", "--no-import").code == 0
    assert not list(memory_of(own_home).rglob("*.md"))
    # Claude Code writes its own file again and again, in its own form.
    state.write_text(json.dumps({"numStartups": 4} | json.loads(state.read_text("utf-8")), indent=2), "utf-8")
    typist.types("yes\n")
    assert run("disconnect", "claude-code").code == 0
    assert json.loads(state.read_text("utf-8")) == {"numStartups": 3, "projects": {}}
    assert not (project / ".claude" / "settings.local.json").exists()


@pytest.mark.parametrize("answer", ["no\n", "y\n", "\n"])
def test_d63_nothing_is_written_without_a_typed_yes(run: Run, project: Path, typist: Typist, answer: str) -> None:
    typist.types(answer)
    assert run("connect", "claude-code").code == 3
    assert not (project / ".claude" / "settings.local.json").exists()


def test_d63_without_a_terminal_and_for_a_newer_tool_it_is_refused(
    run: Run, project: Path, own_home: Path, no_terminal: None
) -> None:
    assert run("connect", "claude-code").code == 3
    (file,) = (own_home / ".claude" / "projects").rglob("*.jsonl")
    file.write_text(file.read_text("utf-8").replace("2.1.197", "3.0.2"), "utf-8")
    refused = run("connect", "claude-code")
    assert refused.code == 3 and "newer" in refused.err and "--print" in refused.err
    assert run("connect", "emacs").code == 2 and run("disconnect", "codex").code == 2


@pytest.mark.parametrize("tool", ["claude-code", "openclaw", "codex", "gemini", "hermes"])
def test_what_is_to_be_pasted_is_printed_for_each_client(run: Run, project: Path, tool: str) -> None:
    told = json.loads(run("connect", tool, "--print", "--json").out)
    assert told["files"] and all("memdeck" in text or "tui.cli" in text for text in told["files"].values())
    assert "memdeck" in run("connect", tool, "--print").out


def test_hipocampus_is_connected_through_the_tool_that_it_runs_on(run: Run, project: Path) -> None:
    assert run("connect", "hipocampus", "--print").code == 2
    (project / "hipocampus.config.json").write_text('{"platform": "openclaw" /* mine */}', "utf-8")
    told = json.loads(run("connect", "hipocampus", "--print", "--json").out)
    assert told["tool"] == "openclaw" and told["workspace"] == str(project)


def test_a_hook_captures_a_session_that_goes_on_and_ends(
    run: Run, project: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = memory_of(own_home)
    memory.mkdir()
    (file,) = memory.parent.glob("*.jsonl")

    def hook(event: str, path: Path | str) -> None:
        told = json.dumps({"hook_event_name": event, "session_id": "s-1", "transcript_path": str(path)}).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(told)))
        done = run("-w", str(memory), "hook", "stop")
        assert (done.code, done.out, done.err) == (0, "", "")

    hook("Stop", file)
    (transcript,) = (memory / "raw").rglob("*.md")
    assert SAID in transcript.read_text("utf-8")
    with file.open("a", encoding="utf-8") as more:
        more.write(line(2, "user", "Always run make lint before you commit.") + "\n")
    hook("Stop", file)
    hook("Stop", file)
    hook("SessionEnd", file)
    (closed,) = (memory / "raw").rglob("*.md")
    assert closed != transcript and closed.read_text("utf-8").count("make lint") == 1
    (plan,) = json.loads(run("-w", str(memory), "queue", "--json").out)
    assert plan["system"] == "extract"
    # The path comes from another program: what lies outside of its home is not read.
    other = own_home / "other.jsonl"
    other.write_text(file.read_text("utf-8").replace("s-1", "s-2"), "utf-8")
    hook("SessionEnd", other)
    hook("SessionEnd", "relative.jsonl")
    assert len(list((memory / "raw").rglob("*.md"))) == 1


def test_a_hook_without_a_file_captures_its_session_of_the_database(
    run: Run, project: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hermes keeps all sessions in one file, and its event names the session alone."""
    FIXTURES["hermes", "SQLite"](own_home / ".hermes")
    memory = memory_of(own_home)
    memory.mkdir()
    for session, written in (("s-9", 0), ("s-1", 1)):
        told = json.dumps({"hook_event_name": "on_session_finalize", "session_id": session, "extra": {}}).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(told)))
        assert run("-w", str(memory), "hook", "stop", "--tool", "hermes").code == 0
        assert len(list((memory / "raw").rglob("*.md"))) == written


def test_d64_the_schedule_captures_what_no_hook_did_and_closes_what_is_over(
    run: Run, project: Path, own_home: Path, typist: Typist
) -> None:
    """Sessions from before the connection stay as they were left; a session of the last hours is not over."""
    typist.types("yes\n")
    assert run("connect", "claude-code", "--no-import", "--no-mcp", "--no-hooks").code == 0
    memory, now = memory_of(own_home), time.time()
    (record,) = Connections(state_home(os.environ)).all()
    begun = datetime.fromtimestamp(now - 3 * 86_400, UTC)
    Connections(state_home(os.environ)).keep(msgspec.structs.replace(record, at=begun))
    (old,) = memory.parent.glob("*.jsonl")
    for name, hours in (("s-1", 90), ("s-2", 30), ("s-3", 1)):
        file = memory.parent / f"{name}.jsonl"
        text = old.read_text("utf-8").replace("s-1", name).replace('"u0"', f'"{name}u"').replace("billing", name)
        file.write_text(text, "utf-8")
        os.utime(file, (now - hours * 3600,) * 2)
    told = json.loads(run("-w", str(memory), "schedule", "--run", "daily", "--json").out)["steps"]
    assert [step["system"] for step in told[:3]] == ["capture", "capture", "extract"]
    assert told[2]["done"].startswith("queued p-")
    (still,) = json.loads(run("-w", str(memory), "capture", "--list", "--json").out)
    assert still["session"] == "s-3"
    again = json.loads(run("-w", str(memory), "schedule", "--run", "daily", "--json").out)["steps"]
    assert [step["system"] for step in again].count("extract") == 0
    assert len(list((memory / "raw").rglob("*.md"))) == 2


def test_the_page_of_claude_code_is_followed_to_an_entry_in_its_memory(
    run: Run, project: Path, own_home: Path, typist: Typist
) -> None:
    """The commands of the page, one after the other: at most three of them and two answers."""
    page = (Path(__file__).parents[3] / "docs" / "connect-claude-code.md").read_text("utf-8")
    (block,) = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    install, *commands = block.strip().splitlines()
    assert install == "pip install 'memdeck[mcp]'" and len(commands) == 2
    typist.types("yes\n")
    told = run(*shlex.split(commands[0])[1:])
    (last,) = [line.partition(": ")[2] for line in told.out.splitlines() if " apply p-" in line]
    said, meant = shlex.split(last), shlex.split(commands[1])
    assert [a == b or b in ("PLAN", "~/.claude/projects/SLUG/memory") for a, b in zip(said, meant, strict=True)] == [
        True
    ] * 5
    typist.types("APPROVED\n")
    assert run(*said[1:]).code == 0
    index = (memory_of(own_home) / "MEMORY.md").read_text("utf-8")
    assert SAID.rstrip(".") in index and "(project_decisions.md)" in index
