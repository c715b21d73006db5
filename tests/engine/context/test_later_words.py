"""What a prompt recalls and somebody later said otherwise is marked; the value that holds is not (D61)."""

import pytest

from engine.context.compile import later_words
from engine.context.compile.fenced_pieces import PromptPiece
from engine.context.compile.later_words import with_later_words
from engine.context.compile.prompt import PromptSlot

ASKED = "Who is the user's dentist?"
OLD, NEW = "My dentist is Dr. Okafor on Mill Lane.", "My dentist is Dr. Lindqvist, her number is on the fridge."
HEAD = "---\nid: x\n---\n\n## 10:01 — {}\n{}\n"
PATHS = ("raw/conversations/2026/01/12/1000-a.md", "raw/conversations/2026/06/04/1000-b.md")


def piece(path: str, text: str, line: int = 6) -> PromptPiece:
    return PromptPiece(slot=PromptSlot.KNOWLEDGE, label=path, path=path, line=line, text=text)


def marked(pieces: list[PromptPiece], files: dict[str, str]) -> list[str]:
    return [one.text for one in with_later_words(pieces, lambda path: files[path].encode(), ASKED)]


def test_d61_an_earlier_value_is_marked_with_the_day_of_the_later_one_and_its_title_too() -> None:
    files = {PATHS[0]: HEAD.format("user", OLD), PATHS[1]: HEAD.format("user", NEW)}
    first = f"My dentist is Dr. Okafor (2026-01-12)\n{OLD}"
    entry = f"Facts (2026-06-05)\n- 2026-01-12: {OLD} <!-- x:0123456789 -->"
    told = marked([piece(PATHS[1], NEW), piece(PATHS[0], first), piece("knowledge/reference/facts.md", entry)], files)
    assert told[0] == NEW
    assert told[1] == "\n".join(f"{line} (said otherwise on 2026-06-04)" for line in first.split("\n"))
    assert told[2] == f"{entry} (said otherwise on 2026-06-04)"


@pytest.mark.parametrize(
    ("speaker", "later"), [("agent", NEW), ("user", "My sister Priya grows tomatoes."), ("user", OLD)]
)
def test_d61_the_agents_words_another_subject_and_the_same_again_mark_nothing(speaker: str, later: str) -> None:
    files = {PATHS[0]: HEAD.format("user", OLD), PATHS[1]: HEAD.format(speaker, later)}
    assert marked([piece(PATHS[0], OLD), piece(PATHS[1], later)], files) == [OLD, later]


def test_the_encoder_is_not_loaded_where_no_statement_is_later_than_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(later_words, "encoder_or_none", lambda: pytest.fail("it takes half a second"))
    assert marked([piece(PATHS[0], OLD)], {PATHS[0]: HEAD.format("user", OLD)}) == [OLD]


def test_the_encoder_is_not_loaded_for_statements_whose_words_have_nothing_in_common(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(later_words, "encoder_or_none", lambda: pytest.fail("it takes half a second"))
    other = "Lunch was good, by the way."
    files = {PATHS[0]: HEAD.format("user", OLD), PATHS[1]: HEAD.format("user", other)}
    assert marked([piece(PATHS[0], OLD), piece(PATHS[1], other)], files) == [OLD, other]


def test_without_the_encoder_nothing_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(later_words, "encoder_or_none", lambda: None)
    files = {PATHS[0]: HEAD.format("user", OLD), PATHS[1]: HEAD.format("user", NEW)}
    assert marked([piece(PATHS[0], OLD), piece(PATHS[1], NEW)], files) == [OLD, NEW]
