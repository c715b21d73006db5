"""Notes of a size that no one reads: time stays linear, and what is cut off is counted."""

import itertools
import random

import pytest

from engine.models.extractive import MOST_EVENTS
from engine.models.plain_line import LONGEST_LIST
from engine.models.sentence_candidates import LONGEST_SENTENCE
from engine.models.summary import Summary
from tests.engine.models.notes import ENGLISH, summarise


def long_note(lines: int) -> str:
    chance = random.Random(3)
    words = [f"{chance.choice('bcdfglmnprst')}{chance.choice('aeiou')}{number:x}" for number in range(4_000)]
    rows = [f"- The {' '.join(chance.choices(words, k=9))}." for _ in range(lines)]
    rows[lines // 2] = "- We decided to keep the old harbour crane."
    rows[lines - 1] = "- Lesson: the crane needs oil in winter."
    return "\n".join(rows)


@pytest.mark.sampled(4)
def test_a_note_of_22_000_lines() -> None:
    text = long_note(22_000)
    summary = summarise(text)
    assert len(summary.events) == MOST_EVENTS
    assert [(point.text, point.start) for point in summary.decisions] == [
        ("We decided to keep the old harbour crane.", 11_001)
    ]
    assert [point.start for point in summary.insights] == [22_000]


@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    "unit",
    [
        "- item of a list\n", "word ", "x", "。", "中", "a. ", "<!-- ", "--> ", "[a](", "[x", "`", "*", "| ", "> ",
        "http:a", "\n", "  \n", "# ", "a: ", "<b ", "\u200b", "\x1b[", "```\n", "@@ -1 +1 @@\n", "<<<<<<< a\n",
        "user: ", "- decision: ", "line of one paragraph\n", "![a](b) ", "\ta", "[[a", "{\n",
        "Traceback (most recent call last):\n", "!)", "- decision: we keep it. ",
    ],
)  # fmt: skip
@pytest.mark.timeout(60)
def test_no_text_takes_more_than_linear_time(unit: str) -> None:
    """Half a second each where all patterns are linear; a quadratic one runs into the time limit."""
    summary = summarise(ENGLISH + "\n" + unit * (400_000 // len(unit)))
    assert len(summary.decisions) >= 2


@pytest.mark.sampled(4)
@pytest.mark.parametrize("unit", ["x", "word ", "中文", "a, "])
def test_one_line_of_five_megabytes_is_cut_and_counted(unit: str) -> None:
    summary: Summary = summarise(ENGLISH + "\n" + unit * (5_000_000 // len(unit)))
    assert all(len(point.text) <= LONGEST_LIST for point in summary.events)
    assert f"1 × end of a sentence over {LONGEST_SENTENCE:,} characters" in summary.dropped
    assert len(summary.decisions) == 2


def test_many_sentences_are_cut_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.models.sentence_candidates.MOST_SENTENCES", 10)
    pairs = itertools.product(
        ["barge", "crane", "ferry", "lock", "mill"], ["oil", "paint", "rope", "steel", "timber", "wire"]
    )
    summary = summarise("\n".join(f"- The {one} needs {other} in winter." for one, other in pairs))
    assert "20 × sentence after the first 10" in summary.dropped
    assert max(point.end for point in summary.events) <= 10
