"""Markdown is told apart line by line, in order, without overlaps, and never slowly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.present.markdown import OPENERS, Inside, insides, parts


def told(line: str, inside: Inside = Inside.TEXT) -> list[tuple[str, str]]:
    return [(line[part.start : part.end], part.role) for part in parts(line, inside)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("## Decisions", [("## Decisions", "md_heading")]),
        ("#hashtag", []),
        ("- [x] ship `v2`", [("- [x] ", "md_mark"), ("`v2`", "md_code")]),
        ("12. see [the log](raw.md)", [("12. ", "md_mark"), ("[the log](raw.md)", "md_link")]),
        ("> quoted", [("> ", "md_mark")]),
        ("Durable Insight: drain first", [("Durable Insight:", "md_heading")]),
        ("a <!-- memdeck: x.md:3 --> b", [("<!-- memdeck: x.md:3 -->", "md_meta")]),
        ("see https://example.org/a?b=1.", [("https://example.org/a?b=1.", "md_link")]),
        ("plain words", []),
        ("", []),
    ],
)
def test_parts_of_a_line(line: str, expected: list[tuple[str, str]]) -> None:
    assert told(line) == expected


def test_frontmatter_and_fences_enclose_lines() -> None:
    lines = ["---", "type: daily", "---", "# Day", "```sh", "# no heading", "~~~", "```", "---", "end"]
    meta, code, text = Inside.META, Inside.CODE, Inside.TEXT
    assert insides(lines) == (meta, meta, meta, text, code, code, code, code, text, text)
    assert told("# no heading", code) == [("# no heading", "md_code")]


@given(st.lists(st.text(alphabet="`~-# ab\n", max_size=6), max_size=30))
def test_without_an_opener_every_line_is_text(lines: list[str]) -> None:
    if not any(line.lstrip(" ")[:3] in OPENERS for line in lines):
        assert set(insides(lines)) <= {Inside.TEXT}


@given(st.text(max_size=80), st.sampled_from(Inside))
def test_parts_are_in_order_and_within_the_line(line: str, inside: Inside) -> None:
    at = 0
    for part in parts(line, inside):
        assert at <= part.start < part.end <= len(line)
        at = part.end


@pytest.mark.parametrize("piece", ["[", "`", "<!--", "http://", "[a](", "- ", "> "])
def test_hostile_repeats_give_few_parts(piece: str) -> None:
    """Each repeat in the patterns has a bound; without them these lines took seconds."""
    assert len(parts(piece * 1_000)) <= 1_000
