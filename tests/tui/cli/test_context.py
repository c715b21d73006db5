"""`memdeck load`: what platforms load, and what falls off."""

import json
from pathlib import Path

import pytest

from tests.tui.cli.conftest import Run


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "agent"
    folder.mkdir()
    for name in ("STATE", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    (folder / "MEMORY.md").write_text(
        "# Memory\n" + "- a\n" * 198 + "## Deploys\n- \x1b[31mon Friday\n", encoding="utf-8"
    )
    monkeypatch.chdir(folder)
    return folder


def test_load_names_every_line_that_falls_off_with_its_entry(run: Run, agent: Path) -> None:
    ran = run("load")
    assert ran.code == 0 and "Claude Code · main" in ran.out
    assert "201/200 lines" in ran.out and "1 line falls off" in ran.out
    assert "201  - ␛[31mon Friday  Deploys" in ran.out and "\x1b" not in ran.out
    assert "OpenClaw · main  no sign of it here (SOUL.md" in ran.out


def test_load_gives_the_same_as_json(run: Run, agent: Path) -> None:
    (found,) = json.loads(run("load", "--platform", "claude-code", "--json").out)
    memory = next(file for file in found["files"] if file["name"] == "MEMORY.md")
    assert found["used"] and found["version"] and found["fallen"] == 1
    assert memory["state"] == "cut" and memory["caps"][0]["headroom"] == -1
    assert [(line["line"], line["entry"]) for line in memory["fallen"]] == [(201, "Deploys")]
    assert memory["text"].endswith("## Deploys")


def test_a_platform_that_is_asked_for_is_shown_whole(run: Run, agent: Path) -> None:
    ran = run("load", "--platform", "openclaw", "--session", "subagent")
    assert "OpenClaw · subagent" in ran.out and "AGENTS.md" in ran.out and "MEMORY.md" not in ran.out
    assert run("load", "--platform", "cursor").code == 2
    assert run("load", "--session", "all").code == 2


def test_a_policy_that_fits_no_platform_is_refused_at_once(run: Run, agent: Path, tmp_path: Path) -> None:
    (tmp_path / "config/memdeck").mkdir(parents=True)
    (tmp_path / "config/memdeck/policy.yaml").write_text("context: {platforms: {claude: {}}}\n")
    ran = run("status")
    assert ran.code == 2 and "there is no platform 'claude'" in ran.err
