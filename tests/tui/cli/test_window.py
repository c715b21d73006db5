"""`memdeck window`: the tokens in context of followed sessions, and one's timeline."""

import json
from pathlib import Path

import pytest

from tests.engine.sessions.window_logs import answer, compacted, given_beside
from tests.tui.cli.conftest import Run


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "agent").mkdir()
    (tmp_path / "claude").mkdir()
    for name in ("STATE", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.chdir(tmp_path / "agent")
    file = tmp_path / "claude" / "s-1.jsonl"
    lines = [
        answer("m1", (0, 150_000, 0)),
        compacted(150_000, "manual"),
        answer("m2", (0, 140_000, 0)),
        given_beside("topics/depot.md:3"),
        answer("m3", (0, 146_000, 0)),
    ]
    file.write_text("".join(lines), encoding="utf-8")
    return file


def test_nothing_followed_is_unknown(run: Run, log: Path) -> None:
    assert "unknown" in run("window").out
    assert json.loads(run("window", "--json").out) == []
    assert json.loads(run("status", "--json").out)["window"]["band"] == "unknown"


def test_a_followed_session_is_listed_with_its_band_and_what_is_ahead(run: Run, log: Path) -> None:
    run("topics", "follow", str(log))
    ran = run("window")
    assert "! warning  146,000/167,000 87.4 %" in ran.out
    assert "compact in 1 turn" in ran.out and "150,000 → 140,000, turns 1-1 left (lines 1-3)" in ran.out
    assert "warning 146,000/167,000" in run("status").out


def test_a_session_is_told_turn_by_turn(run: Run, log: Path) -> None:
    run("topics", "follow", str(log))
    ran = run("window", "s-1")
    assert "+6,000" in ran.out and "▸" in ran.out and "read MEMORY" not in ran.out
    assert "  ■ given topics/depot.md" in ran.out and "given" in ran.out.split("turn 1 ")[0]
    found = json.loads(run("window", "s-1", "--json").out)
    assert found["memory"] == [{"turn": 3, "line": 9, "kind": "given", "path": "topics/depot.md"}]
    assert [turn["tokens"] for turn in found["turns"]] == [150_000, 140_000, 146_000]
    assert found["forecast"] == {"band": "compact", "tokens": 150_300, "turns": 1, "growth": 6_000}
    assert found["compactions"][0]["left"] == {
        "tokens": 10_000, "turns": 1, "first_turn": 1, "last_turn": 1, "first_line": 1, "last_line": 3,
    }  # fmt: skip
    assert run("window", "other").code == 2
