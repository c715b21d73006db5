"""Links in notes: which there are, where they stand, and that no text makes them slow (autopoiesis §11, phase 4)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from engine.text.note_links import TextLink, note_links
from tests.turn import examples


def targets(text: str) -> list[str]:
    return [link.target or f"#{link.heading}" for link in note_links(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see [[ana]] and [[b c|her]] and [[d#e f|g]]", ["ana", "b c", "d"]),
        ("![[picture.png]] [[#below]] [[]] [[|x]]", ["picture.png", "#below"]),
        ("[a](x/y.md#z) [b](<c d.md>) [e](f_(1).md 'g') ![i](../j.png)", ["x/y.md", "c d.md", "f_(1).md", "../j.png"]),
        ("[w](https://example.org/a.md) [m](mailto:a@b.c) [p](//host/x) [q](#here)", []),
        ("[id]: ../there.md\n\ntext [id]: no.md", ["../there.md"]),
        ("`[[no]]` ``[[no]] ` `` [[yes]] \\`[[too]]\\`", ["yes", "too"]),
        ("`a\\` [[yes]] `b`", ["yes"]),
        ("`a\nb [[no]]` [[yes]]\n\n`open [[one]]\n\n[[two]] shut`", ["yes", "one", "two"]),
        ("```\n[[no]]\n```\n[[yes]]\n~~~ md\n[[no]]", ["yes"]),
        ("| a | b |\n|---|---|\n| [[ana\\|her]] | [[b#c\\|d]] |", ["ana", "b"]),
        ('---\nrelated: "[[ana]]"\ntags: [[a, b]]\n---\n[[c]]', ["ana", "c"]),
        ("\\[[no]] [[a[b]] [[a\nb]]", []),
    ],
)
def test_which_links_there_are(text: str, expected: list[str]) -> None:
    assert targets(text) == expected


def test_a_link_knows_its_place() -> None:
    text = "# A\n\nsee [[ana#Work|her]]\r\nand [b](c.md#d)\n"
    wiki, path = note_links(text)
    assert (text[wiki.start : wiki.end], wiki.heading, wiki.label, wiki.line) == ("ana", "Work", "her", 3)
    assert text[wiki.label_at :].startswith("|her]]")
    assert (text[path.start : path.end], path.heading, path.line, path.wiki) == ("c.md", "d", 4, False)


WORDS = ["[[a]]", "[[b#c|d]]", "[[", "]]", "[x](y.md)", "](", ")", "`", "``", "\\", "<", ">", "|", "é"]
PIECES = st.sampled_from(
    [*WORDS, "```\n", "~~~\n", "\n", "\n\n", "# h\n", "---\n", "k: v\n", '"', " ", "[r]: z.md\n", "    "]
)


@given(st.lists(PIECES, max_size=40).map("".join))
@settings(max_examples=examples(300))
def test_the_place_of_a_link_is_what_it_names(text: str) -> None:
    last = 0
    for link in note_links(text):
        assert link.start >= last and text[link.start : link.end] == link.target
        assert link.line == text.count("\n", 0, link.start) + 1
        last = _end(text, link)


def _end(text: str, link: TextLink) -> int:
    return text.index("]]", link.label_at) if link.wiki else link.end


LINES = st.lists(
    st.sampled_from(["[[a]]", "x `[[a]]` y", "`x", "y`", "``", "```", "~~~", "", "# h", "plain [[b]]"]), max_size=12
)


@given(LINES)
@settings(max_examples=examples(300))
def test_what_markdown_takes_for_code_holds_no_link(lines: list[str]) -> None:
    text = "\n".join(lines)
    shown = "".join(
        child.content
        for token in MarkdownIt().parse(text)
        for child in token.children or ()
        if child.type in ("text", "softbreak")
    )
    assert len(targets(text)) == shown.count("[[")


@pytest.mark.parametrize(
    "piece",
    ["[[", "[[a", "](", "]((", "](a(b", "`", "` `` ", "[x]: ", "[a", "[[a|", " [a]:\n", "---\n", "\\`", "```\n[["],
)
def test_no_text_takes_longer_than_its_length_asks_for(piece: str) -> None:
    """A pattern that looked back would not come to an end here for minutes."""
    assert len(list(note_links(piece * (400_000 // len(piece))))) <= 1
