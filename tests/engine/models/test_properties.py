"""What holds for any text whatever."""

import re

from hypothesis import given
from hypothesis import strategies as st

from engine.models.extractive import MOST_WHOLE, ExtractiveSummariser
from engine.models.plain_line import LONGEST_LIST, clean_lines, without_markup
from engine.models.summary import NoteToSummarise, Point, Summary
from engine.text.document import split_lines
from engine.text.safe_text import hidden_characters, visible_line
from engine.text.secrets.detector import find_secrets
from tests.engine.models.notes import ALL, no_tick, summarise

SECRET = "ghp_" + "h7Kd92LmPq4RsT6vWx8YzA1bC3dE5fG0nJ2K"
PIECES = (
    "# Heading", "## Decisions", "## 11:08 — agent", "- item", "  - nested item", "1. first", "> quote",
    "| a | b |", "|--|--|", "```", "~~~", "---", "===", "<!--", "-->", "- decision: we keep it",
    "user: hello there", "AI: hi", "- [ ] task [TEMPORARY]", "We decided to go.", "Never deploy on Friday.",
    "我们决定使用它。", "教訓：必ず確認する。", "하기로 했다.", "Die Ursache war Regen.", "<<<<<<< ours",
    "=======", ">>>>>>> theirs", "Traceback (most recent call last):", "    indented", "\t", "", "…",
    "\u202e\u200b\x1b[31m", f"the token {SECRET} works", "password: hunter2-and-more", "Title: x",
    "[link](http://a.example)", "**bold** `code`", "ok.", "\ufeff", "<!-- openclaw:dreaming:light:start -->",
    "@@ -1 +1 @@", "[CURATE]",
)  # fmt: skip

texts = st.one_of(
    st.text(),
    st.text(alphabet=st.characters(exclude_categories=())),
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=20))).map("\n".join),
    st.lists(st.sampled_from(list(ALL.values()))).map("\r\n".join),
)


def points(summary: Summary) -> list[Point]:
    return [*summary.events, *summary.decisions, *summary.insights]


@given(texts, st.integers(1, 500))
def test_points_are_lines_of_the_note(text: str, first_line: int) -> None:
    """Lines lie within the file, and every word of a point stands on them."""
    lines = clean_lines(text)
    for point in points(summarise(text, first_line)):
        assert first_line <= point.start <= point.end < first_line + max(1, len(split_lines(text)))
        # Headings and leads above say whose line it is.
        source = " ".join(without_markup(line) for line in lines[: point.end - first_line + 1])
        assert set(re.findall(r"\w+", point.text.removesuffix(" …"))[:-1]) <= set(re.findall(r"\w+", source))


@given(texts)
def test_points_are_fit_to_be_written(text: str) -> None:
    """G13, C10: one line, not too long, nothing hidden, no secret, and no start of a block."""
    for point in points(summarise(text)):
        assert point.text == point.text.strip() != ""
        assert len(point.text) <= LONGEST_LIST
        assert "\n" not in point.text
        assert visible_line(point.text) == point.text
        assert hidden_characters(point.text) == ()
        assert find_secrets(point.text) == ()
        assert SECRET not in point.text
        assert not point.text.startswith(("# ", "##", "- ", "* ", "> ", "|", "---", "```", "<!--", "Title:"))


@given(texts)
def test_a_summary_has_five_events_at_most_and_says_nothing_in_two_parts(text: str) -> None:
    summary = summarise(text)
    assert len(summary.events) <= MOST_WHOLE
    assert {point.text for point in summary.events}.isdisjoint(
        point.text for point in (*summary.decisions, *summary.insights)
    )


@given(texts)
def test_nothing_is_said_twice_in_one_part(text: str) -> None:
    summary = summarise(text)
    for part in (summary.events, summary.decisions, summary.insights):
        said = [(point.text, point.start) for point in part]
        assert len(said) == len(set(said))


@given(st.lists(texts, max_size=4))
def test_a_batch_gives_one_summary_each_and_always_the_same(notes: list[str]) -> None:
    batch = [NoteToSummarise(f"{place}.md", text) for place, text in enumerate(notes)]
    summaries = ExtractiveSummariser().summarise(batch, no_tick)
    assert len(summaries) == len(notes)
    assert summaries == ExtractiveSummariser().summarise(batch, no_tick)
