"""`memdeck evaluate`."""

import json
from pathlib import Path

import pytest

from tests.tui.cli.conftest import Run


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "zebra.md").write_text("# Zebra\n\nIt lives at the lake.\n", encoding="utf-8")
    (folder / "fence.md").write_text("# Fence\n\nIt needs paint.\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return folder


def ask(folder: Path, *questions: object) -> None:
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)), encoding="utf-8")


def test_it_prints_search_beside_its_rivals(run: Run, notes: Path) -> None:
    ask(notes, {"question": "where does the zebra live", "evidence_paths": ["zebra.md"]})
    ran = run("evaluate", "notes")
    assert ran.code == 0
    assert "1 question over 2 notes" in ran.out and "100.0 %" in ran.out
    assert "FTS5 porter, whole files" in ran.out and "search is above it by" in ran.out
    assert "questions it changed" in ran.out and "short turns" in ran.out
    assert (
        "of 2 folders the best and the worst first answers: notes (100.0 % of 1)" in run("evaluate", *2 * ["notes"]).out
    )
    assert sorted(path.name for path in notes.iterdir()) == ["fence.md", "questions.jsonl", "zebra.md"]


def test_it_gives_its_figures_as_json(run: Run, notes: Path, tmp_path: Path) -> None:
    ask(notes, {"question": "paint", "evidence_paths": ["fence.md"], "category": "\x1b[31mred"})
    moved = (notes / "questions.jsonl").rename(tmp_path / "mine.jsonl")
    ran = run("evaluate", "notes", "--questions", str(moved), "--json")
    report = json.loads(ran.out)
    assert report["notes"] == 2 and report["rows"][0]["figures"]["hit1"] == 100
    assert {"mrr_interval", "gain", "gain_interval"} <= report["rows"][1].keys()


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "no question"), ('{"question": "a"}\n{"ask": "b"}', "questions.jsonl:2"), ("\x1b[2J", "not JSON")],
)
def test_what_is_wrong_with_the_questions_is_said_in_one_line(run: Run, notes: Path, text: str, words: str) -> None:
    (notes / "questions.jsonl").write_text(text, encoding="utf-8")
    ran = run("evaluate", "notes")
    assert ran.code == 2 and words in ran.err and ran.err.count("\n") == 1 and "\x1b" not in ran.err


def test_a_folder_without_questions_says_what_to_write(run: Run, notes: Path) -> None:
    ran = run("evaluate", "notes")
    assert ran.code == 2 and "evidence_paths" in ran.err
    assert run("evaluate", "nowhere").code == 2


def test_it_works_where_the_state_lies_below_the_present_folder(
    run: Run, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(notes, {"question": "paint", "evidence_paths": ["fence.md"]})
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    ran = run("evaluate", "notes")
    assert ran.code == 0 and "1 question over 2 notes" in ran.out
    assert run("-w", str(tmp_path), "evaluate", "notes").code != 0, "a workspace that is named must be one"


def test_it_works_on_a_folder_that_holds_the_state_itself(
    run: Run, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(notes, {"question": "paint", "evidence_paths": ["fence.md"]})
    monkeypatch.setenv("XDG_STATE_HOME", str(notes / ".local/state"))
    monkeypatch.chdir(notes)
    ran = run("evaluate", ".")
    assert ran.code == 0 and "1 question over 2 notes" in ran.out
