"""The evaluation's own corpora: large enough, labelled, and the same each time they are written."""

from pathlib import Path

import pytest

from engine.search.evaluation.questions import NAME, read_questions
from tests.benchmarks.corpora import CHAT_FOR_CHOOSING, CHAT_FOR_JUDGING, CHAT_HELD_OUT, LOG, write_corpus


@pytest.mark.parametrize(
    ("name", "sessions", "questions", "dated"),
    [
        (CHAT_FOR_CHOOSING, 20, 100, 20),
        (CHAT_FOR_JUDGING, 20, 100, 20),
        (CHAT_HELD_OUT, 22, 114, 10),
        (LOG, 36, 97, 19),
    ],
)
def test_every_question_has_its_evidence(tmp_path: Path, name: str, sessions: int, questions: int, dated: int) -> None:
    write_corpus(name, tmp_path)
    notes = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.md")}
    asked = read_questions(tmp_path / NAME).asked
    answered = [one for one in asked if one.answerable]
    assert len(notes) == sessions and all(one.evidence and one.evidence <= notes for one in answered)
    assert len(answered) == questions and sum(one.kind == "dated" for one in answered) == dated
    assert all(not one.evidence for one in asked if not one.answerable) and len(asked) > questions
    assert len({one.text for one in asked}) == len(asked)


def test_turns_are_headed_by_names_or_by_user_and_agent(tmp_path: Path) -> None:
    write_corpus(CHAT_FOR_JUDGING, tmp_path / "a")
    write_corpus(CHAT_FOR_JUDGING, tmp_path / "b", named=False)
    first, second = (min((tmp_path / each).rglob("*.md")).read_text("utf-8") for each in "ab")
    assert "## 20:01 — Lena\nAre you there?" in first and "## 20:02 — Theo\n" in first
    assert "## 20:01 — user\nAre you there?" in second and "## 20:02 — agent\n" in second
