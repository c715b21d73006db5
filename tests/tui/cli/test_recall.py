"""`recall` as a command: answers in words and as JSON, and nothing of a hostile repository runs."""

import json
from pathlib import Path

import pytest

from tests.engine.history.repos import git, hostile, make_repo, write
from tests.engine.lifecycle.test_supersession import applied, session
from tests.tui.cli.conftest import Run

NOTE = "memory/a.md"
QUESTIONS = (
    ("when", "two"),
    ("blame", NOTE),
    ("diff", "HEAD~1"),
    ("today",),
    ("show", NOTE, "--at", "HEAD~1"),
    ("show", "--at", "HEAD"),
)


@pytest.fixture
def workspace(tmp_path: Path, own_home: Path) -> Path:
    folder = make_repo(tmp_path / "agent", {NOTE: "one\n"}, at="2026-03-01T10:00:00Z")
    write(folder, {NOTE: "one\ntwo \x1b[31mred\n", "memory/b.md": "b\n"})
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "second \x1b[31m")
    write(folder, {NOTE: "one\ntwo \x1b[31mred\nthree\n"})
    return folder


def test_when_says_when_a_text_came_and_who_tells(run: Run, workspace: Path) -> None:
    done = run("-w", str(workspace), "recall", "when", "two")
    first, line, *rest = done.out.splitlines()
    assert done.code == 0
    assert "came" in first and NOTE in first and "git " in first and "second" in first
    assert line.split() == ["2", "two", "␛[31mred"]
    assert rest[0].startswith("git: back to ") and rest[1:] == [
        "operations: nothing (nothing was done yet)",
        "last seen: nothing (the operator never looked)",
    ]
    assert "never, as far as anybody knows" in run("-w", str(workspace), "recall", "when", "nowhere").out
    assert run("-w", str(workspace), "recall", "when", " ").code == 2


def test_blame_shows_some_lines_with_their_origin(run: Run, workspace: Path) -> None:
    out = run("-w", str(workspace), "recall", "blame", f"{NOTE}:2-3").out.splitlines()
    assert [line.split()[:2] for line in out[:2]] == [["2", "commit"], ["3", "unknown"]]
    assert "between" in out[1]
    lines = json.loads(run("-w", str(workspace), "--json", "recall", "blame", NOTE).out)["lines"]
    assert [line["origin"]["kind"] for line in lines] == ["commit", "commit", "unknown"]
    for wrong in (f"{NOTE}:0", f"{NOTE}:3-2", "memory/none.md"):
        assert run("-w", str(workspace), "recall", "blame", wrong).code == 2


def test_diff_and_today_show_what_changed(run: Run, workspace: Path) -> None:
    out = run("-w", str(workspace), "recall", "diff", "HEAD~1").out
    assert "+two ␛[31mred" in out and "+three" in out and "+++ b/memory/b.md" in out
    assert "2 files, +3 -0" in out
    between = run("-w", str(workspace), "recall", "diff", "HEAD~1", "HEAD", "--path", "memory/b.md").out
    assert "1 file, +1 -0" in between
    made = json.loads(run("-w", str(workspace), "--json", "recall", "today").out)
    assert [file["path"] for file in made["files"]] == [NOTE, "memory/b.md"]
    assert "three" in made["files"][0]["diff"]


def test_show_prints_a_file_and_the_whole_tree_as_they_were(run: Run, workspace: Path) -> None:
    done = run("-w", str(workspace), "recall", "show", NOTE, "--at", "HEAD~1")
    assert (done.code, done.out.splitlines()[-1]) == (0, "one")
    early = run("-w", str(workspace), "recall", "show", NOTE, "--at", "2001-01-01")
    assert early.code == 1 and "not known at that time" in early.out
    tree = run("-w", str(workspace), "recall", "show", "--at", "HEAD").out
    assert NOTE in tree and "2 files at" in tree
    made = json.loads(run("-w", str(workspace), "--json", "recall", "show", "--at", "2001-01-01").out)
    assert (made["files"], made["unknown"]) == ({}, [])
    assert run("-w", str(workspace), "recall", "show", "--at", "2026-13-01").code == 2


def test_tree_and_status_are_shown_as_they_were(run: Run, workspace: Path) -> None:
    write(workspace, {"memory/working/2026-03-02-a.md": "# a\n"})
    now = json.loads(run("-w", str(workspace), "--json", "status").out)
    then = run("-w", str(workspace), "--json", "status", "--at", "2026-03-02")
    working = [one["memory_tiers"]["working"]["files"] for one in (now, json.loads(then.out))]
    assert working == [1, 0]
    assert "1 file at 2026-03-02" in then.err and "not known: 1 file" in then.err
    for question in (("tree", "--at", "2026-03-02"), ("tree", "find", "one", "--at", "2026-03-02")):
        assert run("-w", str(workspace), *question).code == 0
    assert run("-w", str(workspace), "tree", "--at", "2999-01-01").code == 2


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_d22_no_command_of_recall_runs_anything_of_a_hostile_repository(
    run: Run, workspace: Path, tmp_path: Path, question: tuple[str, ...]
) -> None:
    marks = hostile(workspace, tmp_path / "marks")
    assert run("-w", str(workspace), "recall", *question).code == 0
    assert list(marks.iterdir()) == []


def test_d50_without_git_the_answers_say_so(run: Run, tmp_path: Path, own_home: Path) -> None:
    write(tmp_path / "plain", {NOTE: "one\n"})
    for question in (("when", "one"), ("blame", NOTE)):
        assert "git: nothing (there is no git here)" in run("-w", str(tmp_path / "plain"), "recall", *question).out


# ── revert ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_revert_lists_the_hunks_and_queues_a_plan_that_changes_nothing_yet(run: Run, workspace: Path) -> None:
    assert run("-w", str(workspace), "changes", "--looked").code == 0
    assert "changed nothing" in run("-w", str(workspace), "revert").out
    text = "zero\none\ntwo \x1b[31mred\nthree\nfour\n"
    write(workspace, {NOTE: text})
    listed = run("-w", str(workspace), "revert").out
    assert "#1 @@" in listed and "#2 @@" in listed and "+zero" in listed and "+four" in listed
    assert json.loads(run("-w", str(workspace), "--json", "revert").out)[0]["hunks"] == 2
    made = json.loads(run("-w", str(workspace), "--json", "revert", f"{NOTE}#1").out)
    assert (made["system"], made["risk_tier"], len(made["changes"])) == ("revert", "C", 1)
    assert "-zero" in run("-w", str(workspace), "show", made["plan"], "--diff").out
    assert (workspace / NOTE).read_text() == text
    assert run("-w", str(workspace), "revert", f"{NOTE}#9").code == 2
    assert "queued p-" in run("-w", str(workspace), "revert", f"{NOTE}@2026-03-02").out


def test_d22_revert_runs_nothing_of_a_hostile_repository(run: Run, workspace: Path, tmp_path: Path) -> None:
    commit = git(workspace, "rev-parse", "HEAD")
    git(workspace, "checkout", "-q", "--", ".")
    marks = hostile(workspace, tmp_path / "marks")
    for name in (f"{commit}:{NOTE}", f"HEAD:{NOTE}#1", "HEAD"):
        assert "queued p-" in run("-w", str(workspace), "revert", name).out, name
    assert run("-w", str(workspace), "revert", "HEAD~9").code == 2
    assert list(marks.iterdir()) == []


def test_held_lists_what_held_with_the_turn_that_says_it(run: Run, tmp_path: Path, own_home: Path) -> None:
    folder = tmp_path / "talked"
    folder.mkdir()
    for day, name in (("03-01", "Redis"), ("04-10", "Valkey")):
        session(folder, day, f"We decided to use {name} for the cache.")
    applied(folder)
    out = run("-w", str(folder), "recall", "held", "cache", "--on", "2026-04-02").out.splitlines()
    assert out[0].startswith("2026-03-01  decision") and "Redis" in out[0]
    assert "knowledge/journal/2026-03-01.md:" in out[1] and "said in raw/conversations/2026/03/01/" in out[1]
    assert "superseded by" in out[1] and "on 2026-04-10" in out[1]
    assert out[2:] == [
        "2 entries, back to 2026-03-01",
        "2 closed transcripts, back to 2026-03-01",
    ]
    found = json.loads(run("-w", str(folder), "--json", "recall", "held", "--on", "2026-05").out)
    assert [one["text"] for one in found["entries"]] == ["We decided to use Valkey for the cache."]
    assert found["entries"][0]["proven"] and found["reach"]["transcripts"] == 2
    assert "nothing is known that held" in run("-w", str(folder), "recall", "held", "--on", "2026-01-01").out
    assert run("-w", str(folder), "recall", "held", "--on", "yesteryear").code == 2


def test_d61_an_undecided_pair_is_decided_by_a_plan(run: Run, tmp_path: Path, own_home: Path) -> None:
    folder = tmp_path / "pair"
    folder.mkdir()
    for day, text in (("03-01", "Redis for the session cache"), ("04-10", "Valkey for the cache")):
        session(folder, day, f"We decided to use {text}.")
    applied(folder)
    held = ("-w", str(folder), "recall", "held")
    (pair,) = json.loads(run("-w", str(folder), "--json", "recall", "held").out)["cards"]
    asked = run(*held).out
    assert "again or changed?" in asked and f"--keep {pair['earlier']}" in asked and f"--both {pair['later']}" in asked
    assert "queued p-" in run(*held, "--keep", pair["later"]).out
    assert "queued p-" in run(*held, "--both", pair["later"]).out
    assert run(*held, "--keep", "0123456789").code == run(*held, "--keep", "a", "--both", "b").code == 2
    assert "superseded" not in run(*held).out, "nothing is written before it is approved"
