"""Text of a note made fit for a line of ours."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models.plain_line import LONGEST_POINT, clean_lines, point_text, shortened, without_markup
from engine.text.document import split_lines
from engine.text.safe_text import hidden_characters, visible_line


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("plain", "plain"),
        ("a\u200bb\u202ec\ufeff", "abc"),
        ("red \x1b[31mtext\x1b[0m", "red text"),
        ("\x1b]0;title\x07after", "after"),
        ("bell\x07 nul\x00", "bell nul"),
        ("tag\U000e0041s", "tags"),
        ("a\u2028b\x0bc\x85d\re", "a b c d e"),
        ("tab\tstays", "tab\tstays"),
        ("wave\U0001f44b\U0001f3fd", "wave\U0001f44b"),
    ],
)
def test_g13_hidden_characters_are_stripped(raw: str, clean: str) -> None:
    assert clean_lines(raw) == [clean]


@given(st.text())
def test_g13_no_cleaned_line_holds_anything_hidden(text: str) -> None:
    for line in clean_lines(text):
        assert visible_line(line.replace("\t", " ")) == line.replace("\t", " ")
        assert hidden_characters(line) == ()


@given(st.text(alphabet=st.sampled_from("ab\n\r\x0b\x85\u2028")))
def test_lines_are_numbered_as_on_disk(text: str) -> None:
    """A file's lines end at its line feeds alone, as in `workspace.document`; one more where it ends in one."""
    assert len(clean_lines(text)) == len(split_lines(text)) + (not text or text.endswith("\n"))


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("**bold** and *soft*", "bold and soft"),
        ("a [link](https://x.example/y) here", "a link here"),
        ("![shot](a.png) text", " text"),
        ("`code **stays**` but **this** goes", "`code **stays**` but this goes"),
        ("snake_case and __init__ stay", "snake_case and __init__ stay"),
        ("2 * 3 * 4 stays", "2 * 3 * 4 stays"),
        ("List<String> stays, <b>this</b> goes", "List<String> stays,  this  goes"),
        ("<script>alert(1)</script> The <td>release</td>", " alert(1)  The  release "),
        ("a <!-- secret plan --> b", "a  b"),
        ("open <!-- never closed", "open  never closed"),
        ("~~old~~ new", " new"),
        ("a _soft_ word, __two words__, snake\\_case", "a soft word, two words, snake_case"),
        ("[`a.md`](b/a.md) and [[wiki/Page|page]] say [^1] so", "`a.md` and page say  so"),
        ("tea &amp; coffee, <https://x.example>", "tea & coffee, https://x.example"),
        (":white_check_mark: done at 12:30:15 in a:b:c", " done at 12:30:15 in a:b:c"),
        ("x[i][0] == y == z stays", "x[i][0] == y == z stays"),
    ],
)
def test_markup_goes_and_identifiers_stay(raw: str, plain: str) -> None:
    assert without_markup(raw) == plain


_WORDS = st.lists(
    st.sampled_from(["store", "Leipzig", "rent", "größer", "`a_b*c`", "仓库", "3"]), min_size=1, max_size=4
)
_MARKED = st.sampled_from([
    "**{}**", "*{}*", "_{}_", "***{}***", "=={}==", "[{}](https://x.example/a_(b))", "[{}][ref]", "[[page|{}]]",
    "{}[^1]", "![shot](a.png){}", ":white_check_mark: {}", "%%aside%% {}", "{} {{#name}}", "\\*{}\\*", "[**{}**](y)",
    "~~old~~ {}", "<b>{}</b>",
])  # fmt: skip
_RESIDUE = re.compile(r"\*\*|==|~~|%%|\]\(|\[\[|\[\^|</?b>|:white|\{#|!\[|\]\[|\\")


@given(st.lists(st.tuples(_WORDS, _MARKED), min_size=1, max_size=4))
def test_of_every_mark_of_markdown_the_words_stay_and_the_mark_goes(parts: list[tuple[list[str], str]]) -> None:
    line = " then ".join(mark.format(" ".join(words)) for words, mark in parts)
    plain = without_markup(line)
    outside = re.sub("`[^`]*`", "", plain)
    assert not _RESIDUE.search(outside), (line, plain)
    assert " ".join(plain.replace("*", " ").split()) == " then ".join(" ".join(words) for words, _ in parts).replace(
        "*", " "
    )


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("- - * nested", "nested"),
        ("# Heading", "Heading"),
        ("> quoted", "quoted"),
        ("1. first", "first"),
        ("[x] task", "task"),
        ("--- rule", "rule"),
        ("Title: pretend", "pretend"),
        ("- Title: Context: pretend", "pretend"),
        ("Durable Insight： pretend", "pretend"),
        ("``` fence", "fence"),
        ("| cell", "cell"),
        ("<!<!-- x -->-- y", "y"),
        ("a  b\tc", "a b c"),
        ("-5 degrees", "-5 degrees"),
        ("3.5 GB free", "3.5 GB free"),
        ("#1234 is closed", "#1234 is closed"),
        ("## Closed", "Closed"),
        ("`--flag` stays", "`--flag` stays"),
        ("title case stays", "title case stays"),
    ],
)
def test_a_point_opens_no_block_and_no_schema_field(sentence: str, text: str) -> None:
    assert point_text(sentence) == text


@given(st.text(alphabet=st.sampled_from("-#>| <!*~`1.[]x:TitleContext\u3000中")))
def test_a_point_never_opens_a_block(sentence: str) -> None:
    text = point_text(sentence)
    assert text == point_text(text)
    assert not text.startswith(("#", ">", "|", "- ", "* ", "+ ", "---", "```", "~~~", "<!--", "[ ]", "[x]", "1. "))
    assert not text.lower().startswith(("title:", "context:"))
    assert "<!--" not in text
    assert "-->" not in text


def test_a_long_sentence_is_cut_at_a_clause_then_at_a_word() -> None:
    clauses = "the first clause is here, " * 20
    words = "word " * 100
    assert shortened(clauses, 100).endswith("here …")
    assert shortened(words, 99) == "word " * 18 + "word …"
    assert len(shortened("x" * 1000, 100)) == 100


@given(st.text(min_size=1), st.integers(10, 50))
def test_a_cut_is_never_longer_than_asked(text: str, longest: int) -> None:
    assert len(shortened(text, longest)) <= longest
    assert len(point_text(text * 50)) <= LONGEST_POINT


def test_a_text_that_is_cut_never_ends_within_code() -> None:
    text = f"{'word ' * 30}and then `deploy --with value {'x' * 60}` runs"
    assert shortened(text, 200) == f"{'word ' * 30}and then …"
