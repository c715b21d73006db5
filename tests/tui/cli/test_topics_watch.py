"""`topics watch` and `topics tune` on real files: JSON lines, restarts, judgements, a plan."""

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from tests.engine.sessions.rig import add, claude, openclaw, turns
from tests.tui.cli.conftest import Run

MAIL = """---
type: topic
triggers:
  - type: pattern
    match: "invoice|newsletter"
  - type: pattern
    match: "apologi[sz]e"
    scope: output
    correction_hint: "Say it without apologies."
activation: auto
priority: high
---
# Invoices

Invoices in cents.
"""


@pytest.fixture
def space(tmp_path: Path) -> Path:
    folder = tmp_path / "space"
    (folder / "topics").mkdir(parents=True)
    (folder / "topics/invoices.md").write_text(MAIL)
    day = folder / "raw/conversations/2026/03/15"
    day.mkdir(parents=True)
    add(day / "0900-ses_1-mail.md", turns(("user", "where is the invoice?"), ("agent", "I apologize for that.")))
    return folder


def lines(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_the_workspaces_transcripts_are_read_once_and_whole(space: Path, run: Run) -> None:
    ran = run("-w", str(space), "topics", "watch")
    assert ran.code == 0
    user, agent = lines(ran.out)
    assert user["active"] == ["invoices"] and user["decisions"][0]["rule"] == "auto"
    assert user["decisions"][0]["evidence"][0] == {
        "trigger": "pattern",
        "what": "invoice|newsletter",
        "start": 13,
        "end": 20,
    }
    assert (user["session"], user["line"], user["role"]) == ("ses_1", 8, "user")
    assert user["context"][0]["files"] == ["topics/invoices.md"]
    assert agent["corrections"] == [{"topic": "invoices", "hint": "Say it without apologies."}]
    assert set(user) >= {"id", "candidates", "scores", "decisions", "active", "corrections"}


def test_session_files_that_are_named_are_read_and_bad_lines_counted(space: Path, tmp_path: Path, run: Run) -> None:
    file = tmp_path / "s.jsonl"
    add(file, claude("the newsletter") + "{bad\n" + openclaw("nothing") + "\xff\n")
    ran = run("-w", str(space), "topics", "watch", str(file))
    assert [line["text"] for line in lines(ran.out)] == ["the newsletter", "nothing"]
    assert "2 lines skipped: not JSON" in ran.err
    only = run("-w", str(space), "topics", "watch", "--active", str(file))
    assert [line["text"] for line in lines(only.out)] == ["the newsletter"]


def test_what_is_wrong_is_named(space: Path, run: Run) -> None:
    assert run("-w", str(space), "topics", "watch", str(space / "nothing")).code == 2
    assert run("-w", str(space), "topics", "watch", "--from", "start").code == 2
    (space / "topics/bad.md").write_text(MAIL.replace("invoice|", "invoice|("))
    assert "topics/bad.md:5" in run("-w", str(space), "topics", "watch").err


def test_hostile_text_leaves_as_escapes_alone(space: Path, tmp_path: Path, run: Run) -> None:
    file = tmp_path / "s.jsonl"
    add(file, claude("\x1b]0;owned\x07 \u202e invoice [@click=app.bell]x[/]"))
    ran = run("-w", str(space), "topics", "watch", str(file))
    assert ran.out.isascii() and "\x1b" not in ran.out
    assert lines(ran.out)[0]["text"].startswith("\x1b]0;owned")


def test_judgements_become_a_plan_that_waits_in_the_queue(space: Path, tmp_path: Path, run: Run) -> None:
    file = tmp_path / "s.jsonl"
    add(file, "".join(claude(f"invoice {n} please") + claude(f"read our newsletter {n}") for n in range(5)))
    run("-w", str(space), "topics", "watch", str(file))
    log = json.loads(run("-w", str(space), "--json", "topics", "tune", "--log").out)
    judged = [
        part
        for row in log
        if "please" in row["text"] or "newsletter" in row["text"]
        for part in ("--judge", row["message"], "invoices", "no" if "newsletter" in row["text"] else "yes")
    ]
    assert run("-w", str(space), "topics", "tune", *judged).code == 0
    ran = run("-w", str(space), "--json", "topics", "tune")
    plan = json.loads(ran.out)
    assert (plan["system"], plan["risk_tier"], plan["state"]) == ("tune", "C", "pending")
    assert "precision 50 → 100 %, recall 100 → 100 %" in plan["report"]
    assert (space / "topics/invoices.md").read_text() == MAIL
    assert plan["plan"] in run("-w", str(space), "queue").out


def test_tuning_without_judgements_says_what_to_do(space: Path, run: Run) -> None:
    ran = run("-w", str(space), "topics", "tune")
    assert ran.code == 0 and "no decision was judged yet" in ran.out
    assert run("-w", str(space), "topics", "tune", "--judge", "x", "invoices", "yes").code == 2


class Following:
    """`topics watch --follow` in another process, its lines as they come."""

    def __init__(self, space: Path, *arguments: str) -> None:
        code = (
            f"import sys; from tui.cli.main import run; sys.argv = {['memdeck', '-w', str(space), *arguments]!r}; run()"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.lines: Queue[str] = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)

    def texts(self, count: int) -> list[str]:
        return [str(json.loads(self.lines.get(timeout=60))["text"]) for _ in range(count)]

    def end(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)


@pytest.fixture
def follow(space: Path) -> Iterator[Any]:
    made: list[Following] = []

    def start(*arguments: str) -> Following:
        made.append(Following(space, "topics", "watch", "--follow", *arguments))
        return made[-1]

    yield start
    for one in made:
        one.process.kill()
        one.process.wait()


def test_a_file_that_another_process_writes_is_followed_over_a_restart(follow: Any, tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    add(file, claude("one"))
    first = follow(str(file))
    assert first.texts(1) == ["one"]
    add(file, claude("two, an invoice") + claude("three"))
    assert first.texts(2) == ["two, an invoice", "three"]
    first.end()
    add(file, claude("four"))
    again = follow(str(file))
    assert again.texts(1) == ["four"]
    again.end()
    assert again.lines.empty()


def test_what_the_console_follows_is_listed_and_let_go_of(space: Path, tmp_path: Path, run: Run) -> None:
    sessions = tmp_path / "sessions"
    sessions.mkdir()
    assert "nothing besides" in run("-w", str(space), "topics", "follow").out
    assert run("-w", str(space), "topics", "follow", str(sessions)).out == f"{sessions}\n"
    add(sessions / "s.jsonl", claude("an invoice"))
    sessions.rename(tmp_path / "elsewhere")
    told = run("-w", str(space), "topics", "follow", "--json")
    assert json.loads(told.out) == {"followed": [], "missing": [str(sessions)]}
    assert "is not there" in run("-w", str(space), "topics", "follow").out
    assert run("-w", str(space), "topics", "follow", "--forget", str(sessions)).code == 0
    assert run("-w", str(space), "topics", "follow", "--forget", str(sessions)).code == 2
    assert run("-w", str(space), "topics", "follow", "~nobody-by-this-name/x").code == 2
    assert not list(space.rglob("followed.json"))
