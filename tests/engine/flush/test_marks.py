"""Marks and their reach (B3, B4), the retries (B20), and what a line states (B5, B6)."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.flush.items import FlushCategory, claim_of
from engine.flush.marks import (
    REACHES,
    Mark,
    by_commonmark,
    marked_lines,
    marked_spans,
    without_marks,
    word_for_word,
)
from engine.flush.promotions import extract
from engine.flush.statements import confidence_of, statement
from engine.flush.unsaved_turns import FlushSession, FlushTurn

TEXT = """\
# Plan
## Deploys [CURATE]
Blue-green.
### Why
- one command
```
## not a heading [CURATE]
```
## Other
- before
- drain the queue [CURATE]
  - then migrate
    with care

  ~~~
  [TEMPORARY] code
  ~~~
- after

A paragraph that
goes on [CURATE] here
and here.

| a | b |
|---|---|
| [CURATE] 1 | 2 |
| 3 | 4 |
"""


def reached(text: str, *reaches: object) -> list[str]:
    lines = text.split("\n")
    spans, left = marked_spans(lines, reaches or REACHES)  # type: ignore[arg-type]
    assert left == []
    return ["\n".join(lines[span.start : span.end]) for span in spans]


def test_b3_a_mark_reaches_its_section_its_bullet_or_its_paragraph() -> None:
    section, bullet, paragraph, table = reached(TEXT)
    assert section.startswith("## Deploys") and section.endswith("```") and "Other" not in section
    assert bullet == "- drain the queue [CURATE]\n  - then migrate\n    with care\n\n  ~~~\n  [TEMPORARY] code\n  ~~~"
    assert paragraph == "A paragraph that\ngoes on [CURATE] here\nand here."
    assert table.splitlines() == ["| a | b |", "|---|---|", "| [CURATE] 1 | 2 |", "| 3 | 4 |"]


def test_b3_a_mark_in_a_code_fence_is_none() -> None:
    assert (
        marked_lines(
            ["```", "[CURATE]", "```", "- x", "    ```", "    [CURATE]", "    ```", "> ~~~", "> [CURATE]", "> ~~~"]
        )
        == []
    )


def test_b3_a_mark_below_its_bullet_reaches_the_bullet() -> None:
    assert reached("- one\n- two\n  goes on [CURATE]\n  - deeper\n- three") == ["- two\n  goes on [CURATE]\n  - deeper"]
    assert reached("1. one [CURATE]\n   more\n2. two") == ["1. one [CURATE]\n   more"]


@pytest.mark.parametrize("reach", [by_commonmark, word_for_word])
def test_b20_each_retry_takes_in_every_mark_by_itself(reach: object) -> None:
    found = reached(TEXT, reach)
    assert len(found) == 4 and all("[CURATE]" in text for text in found)


def session(*texts: str, first: int = 1) -> FlushSession:
    turns = tuple(FlushTurn(number, number, "agent", text) for number, text in enumerate(texts, first))
    return FlushSession(source="/s.jsonl", session="s", turns=turns)


def nothing(lines: Sequence[str], marked: Sequence[int]) -> list[tuple[int, int]]:
    return [(0, 0) for _ in marked]


def test_b20_what_the_first_extractor_loses_a_retry_takes_and_what_none_takes_is_listed() -> None:
    found = extract(session("- keep me [CURATE]"), (nothing, by_commonmark, word_for_word))
    assert ([item.text for item in found.items], found.retried, found.missing) == (["- keep me"], 1, ())
    lost = extract(session("- keep me [CURATE]"), (nothing, nothing, nothing))
    assert (lost.items, lost.missing) == ((), ("turn 1: - keep me [CURATE]",))


def test_b4_curate_wins_over_temporary_and_is_flagged() -> None:
    found = extract(session("- both [CURATE] [TEMPORARY]\n- gone [TEMPORARY]\n  and below\n- stays [REFERENCE]"))
    assert [(item.category, item.text) for item in found.items] == [
        (FlushCategory.LEARNING, "- both"),
        (FlushCategory.KEPT, "- stays [REFERENCE]"),
    ]
    assert found.both_marks == ("turn 1: - both",) and found.discarded == ("turn 1: - gone [TEMPORARY], 2 lines",)
    assert found.rest == ()


def test_b4_a_curated_bullet_of_a_temporary_section_is_kept() -> None:
    found = extract(session("# Scratch [TEMPORARY]\n- a\n- b [CURATE]\n  - c\n- d"))
    assert [item.text for item in found.items] == ["- b\n  - c"]
    assert found.discarded == ("turn 1: # Scratch [TEMPORARY], 3 lines",)


@given(st.text(alphabet="[]CURATE- \n#`|>ab", max_size=200))
def test_every_mark_outside_code_is_taken_in(text: str) -> None:
    lines = text.split("\n")
    spans, left = marked_spans(lines)
    assert left == [] and {span.at for span in spans} == set(marked_lines(lines))
    assert all(span.start <= span.at < span.end <= len(lines) for span in spans)


@given(st.text(max_size=80))
def test_a_line_without_its_marks_has_none(line: str) -> None:
    assert without_marks(f"{line} [CURATE]x", Mark.CURATE).endswith("x")
    assert "[CURATE]" not in without_marks("a [CURATE] b")


@pytest.mark.parametrize(
    ("figure", "share"),
    [("0.8", 0.8), ("80%", 0.8), ("80 %", 0.8), ("0,85", 0.85), ("85", 0.85), ("high", 0.9), ("low", 0.3), ("x", None)],
)
def test_b6_confidence_is_a_figure_a_share_or_a_word(figure: str, share: float | None) -> None:
    assert confidence_of(figure) == share


@pytest.mark.parametrize(
    ("line", "text", "why"),
    [
        ("Decision: use SQLite | Rationale: one file", "use SQLite", "one file"),
        ("- **Decision:** use SQLite because it is one file", "use SQLite", "it is one file"),
        ("We decided to use SQLite, since it is one file.", "We decided to use SQLite", "it is one file."),
        ("DEC-004: keep blue-green", "keep blue-green", ""),
        ("决定：使用 SQLite，因为只有一个文件", "使用 SQLite，", "只有一个文件"),
    ],
)
def test_b5_a_decision_has_a_rationale_or_none(line: str, text: str, why: str) -> None:
    found = statement(line)
    assert found is not None and found.category is FlushCategory.DECISION
    assert (found.text, found.rationale) == (text, why)


@pytest.mark.parametrize("line", ["Should we decide to use SQLite?", "The weather is fine.", "# Decision", "---", ""])
def test_what_states_nothing_is_left_to_the_summary(line: str) -> None:
    assert extract(session(line)).items == ()


def test_the_other_categories_are_told_by_their_labels() -> None:
    found = extract(
        session(
            "Fact: the port is 5432 | Source: config.yml | Confidence: 0.9\n"
            "The limit is 10 (confidence: low)\n"
            "Config: retries = 3\nI set `timeout` to 30.\n"
            "- [x] migrate\n- [ ] announce\nIn progress: the rollback\n"
            "Decision: drain first\nWhy: jobs were lost"
        )
    ).items
    assert [(item.category.value, item.text, item.confidence, item.done) for item in found] == [
        ("fact", "the port is 5432", 0.9, False),
        ("fact", "The limit is 10", 0.3, False),
        ("configuration", "retries = 3", None, False),
        ("configuration", "timeout = 30", None, False),
        ("progress", "migrate", None, True),
        ("progress", "announce", None, False),
        ("progress", "the rollback", None, False),
        ("decision", "drain first", None, False),
    ]
    assert found[0].source == "config.yml" and found[-1].rationale == "jobs were lost"
    assert [item.lasting for item in found] == [True, False, False, False, False, False, False, True]


def test_what_is_said_again_is_one_item() -> None:
    found = extract(session("- keep [CURATE]\n\nDecision: a because b", "- keep  [CURATE]\n\nDecision: A. because b"))
    assert len(found.items) == 2


def test_b8_a_claim_is_its_subject_and_its_value() -> None:
    assert claim_of("The port is 5432.") == claim_of("`port` = 5432") == ("port", "5432")
    assert claim_of("hello") is None
