"""The reader of headings and fences says what `markdown-it-py` says of the same text."""

from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from engine.text.document import split_lines
from engine.text.markdown import (
    FencedBlock,
    MarkdownHeading,
    code_mask,
    fence_after,
    fence_of,
    fenced_blocks,
    heading_of,
)
from tests.turn import examples

PARSER = MarkdownIt("commonmark")
INDENT = st.sampled_from(["", "", " ", "  ", "   ", "    ", "\t"])
# No line begins a list, a quote or HTML: inside those the reader does not look.
WORDS = st.lists(st.sampled_from(["a", "C#", "#", "##", "\\#", "`", "``", "b\t", "~~~", "```", "é", " "]), max_size=5)
HEADINGS = st.builds(
    "{}{}{}{}".format,
    INDENT,
    st.sampled_from(["#", "##", "######", "#######"]),
    st.sampled_from(["", " ", "\t", "  "]),
    WORDS.map(" ".join),
)  # fmt: skip
FENCES = st.builds(
    "{}{}{}".format, INDENT, st.sampled_from(["```", "````", "~~~", "~~~~", "``"]),
    st.sampled_from(["", "", " ", "py", " py x", "`", " a`b", "~", "\t"]),
)  # fmt: skip
PROSE = st.builds("{}{}".format, st.sampled_from(["", " ", "    "]), st.sampled_from(["text", "", "a # b", "a ``` b"]))
DOCUMENTS = st.lists(st.one_of(HEADINGS, FENCES, PROSE), max_size=12).map("\n".join)


def theirs(text: str) -> tuple[list[tuple[int, MarkdownHeading]], list[tuple[int, int, str]]]:
    """Headings with their line, and fenced blocks, as the library has them."""
    tokens = PARSER.parse(text)
    headings = [
        (token.map[0], MarkdownHeading(int(token.tag[1]), after.content))
        for token, after in pairwise(tokens)
        if token.type == "heading_open" and token.map and set(token.markup) == {"#"}
    ]
    blocks = [
        (token.map[0], token.map[1], token.info.strip()) for token in tokens if token.type == "fence" and token.map
    ]
    return headings, blocks


@settings(max_examples=examples(1_500), deadline=None)
@given(DOCUMENTS)
@example("# C#\n# C #\n#\n# #\n## a \\#\n####### seven\n    # code")
@example("```py\n# no heading\n~~~\n``` x\n```\n~~~ a`b\n~~\n~~~~ \n# yes")
@example("```` \n```\n# inside\n`````\n``` `inline` ```\n# outside\n```")
def test_headings_and_fences_are_those_of_commonmark(text: str) -> None:
    lines = split_lines(text)
    headings, blocks = theirs(text)
    found = list(fenced_blocks(lines))
    assert [(block.start, block.info) for block in found] == [(start, info) for start, _, info in blocks]
    for block, (_, end, _) in zip(found, blocks, strict=True):
        assert block.end + 1 == end or (not block.closed and block.end + 1 == len(lines))
    mask = list(code_mask(lines))
    assert [at for at, inside in enumerate(mask) if inside] == [
        at for block in found for at in range(block.start, block.end + 1)
    ]
    own = [(at, heading) for at, line in enumerate(lines) if not mask[at] and (heading := heading_of(line))]
    assert own == headings


def test_a_line_end_belongs_to_no_heading_and_no_info() -> None:
    assert heading_of("## Title ##\r\n") == MarkdownHeading(2, "Title")
    assert fence_of("```py\r\n") == ("```", "py")
    assert fence_after("```", "```\r\n") == ""
    assert list(fenced_blocks(["a", "~~~", "b"])) == [FencedBlock(1, 2, "", closed=False)]


def test_a_long_line_is_read_in_one_go() -> None:
    """A heading of blanks and signs made an earlier pattern look at each of them again from each."""
    assert heading_of("# " + "# " * 200_000 + "x") == MarkdownHeading(1, ("# " * 200_000 + "x"))
    assert heading_of("#" + " " * 400_000) == MarkdownHeading(1, "")
