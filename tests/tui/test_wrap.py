"""Lines break at words where they can, lose nothing, and never stand out over the edge."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.turn import examples
from tui.present.spans import ListRow, Span, plain
from tui.widgets.painted import foot_within, named_within
from tui.widgets.segments import cut, fitted, padded, width_of
from tui.widgets.wrap import LONGEST, wrapped, wrapped_line

TEXT = st.text(alphabet=st.one_of(st.characters(codec="utf-8", exclude_categories=["C"]), st.just(" ")), max_size=200)


@given(text=TEXT, width=st.integers(4, 60))
@settings(max_examples=examples(200))
def test_pieces_fit_and_join_to_the_text(text: str, width: int) -> None:
    pieces = wrapped(text, width)
    assert "".join(pieces) == text
    assert all(cell_len(piece) <= width for piece in pieces)


def test_words_stay_whole() -> None:
    assert wrapped("keep the old cluster for a week", 16) == ("keep the old ", "cluster for a ", "week")


@pytest.mark.parametrize("width", range(9, 40))
def test_what_stands_for_a_hidden_character_is_never_broken(width: int) -> None:
    pieces = wrapped("a ⟨U+200D⟩⟨U+200D⟩ family, 日本 ⟨U+202E⟩ and a plain ⟨ at the end", width)
    assert "".join(pieces) == "a ⟨U+200D⟩⟨U+200D⟩ family, 日本 ⟨U+202E⟩ and a plain ⟨ at the end"
    assert all(piece.count("⟨U+") == piece.count("⟩") for piece in pieces)


def test_a_line_of_fifty_megabytes_is_cut_and_says_so() -> None:
    text = "x" * 50_000_000
    pieces = wrapped(text, 80)
    assert len(pieces) == LONGEST // 80 + 1
    assert f"{50_000_000 - LONGEST:,} more characters" in pieces[-1]


@given(parts=st.lists(TEXT, max_size=4), width=st.integers(8, 60), hang=st.integers(0, 12))
@settings(max_examples=examples(200))
def test_spans_keep_their_text_when_wrapped(parts: list[str], width: int, hang: int) -> None:
    line = tuple(Span(part, "muted") for part in parts)
    lines = wrapped_line(line, width, hang)
    kept = "".join(plain(part) for part in lines).replace(" ", "")
    assert kept == plain(line).replace(" ", "")
    assert all(width_of(part) <= width for part in lines)


def test_every_character_of_ten_thousand_spans_keeps_its_role() -> None:
    line = tuple(Span("x" if number % 2 else "", "here" if number % 4 == 1 else "text") for number in range(10_000))
    pieces = wrapped_line(line, 40)
    assert [span for piece in pieces for span in piece if span.text] == [span for span in line if span.text]
    assert {len(plain(piece)) for piece in pieces} == {40}


def test_lines_after_the_first_hang() -> None:
    lines = wrapped_line((Span("why       "), Span("thirteen notes, twelve of them old enough")), 32, 10)
    assert [plain(line) for line in lines] == [
        "why       thirteen notes, ",
        "          twelve of them old ",
        "          enough",
    ]


@given(left=TEXT, right=st.text("abc", max_size=12), width=st.integers(1, 80))
@settings(max_examples=examples(200))
def test_a_row_takes_exactly_the_width(left: str, right: str, width: int) -> None:
    assert width_of(fitted(ListRow((Span(left),), (Span(right),)), width)) == width
    assert width_of(padded((Span(left),), width)) == width


def test_what_is_cut_shows_an_ellipsis() -> None:
    assert plain(cut((Span("memory/"), Span("working/deploy.md")), 12)) == "memory/work…"
    assert plain(cut((Span("C "), Span("tree     ")), 7)) == "C tree ", "nobody misses a blank at the end"
    assert plain(cut((Span("日本語のノート"),), 6)) == "日本 …"


def test_a_long_name_breaks_where_its_parts_meet() -> None:
    path = "memory/archive/2026-01-23-checkout-latency-hunt-archived.md"
    assert wrapped(path, 40) == ("memory/archive/2026-01-23-checkout-", "latency-hunt-archived.md")
    assert wrapped("x" * 50, 40) == ("x" * 40, "x" * 10)


def test_a_line_after_the_first_begins_with_its_word() -> None:
    line = (Span("why       "), Span(f"{'x' * 29} and so on"))
    assert [plain(part) for part in wrapped_line(line, 39, 10)][1] == "          and so on"


@pytest.mark.parametrize("width", range(24, 60))
def test_what_stands_two_cells_apart_begins_where_the_line_before_began(width: int) -> None:
    line = (Span("checks    "), Span("✓ schema  ✓ pollution  ✓ duplicates  ✓ coverage  ✓ append-only", "ok"))
    for part in wrapped_line(line, width, 6)[1:]:
        assert plain(part).startswith("      ✓")


def test_a_title_keeps_its_name_and_its_figures() -> None:
    title = (Span("1/3  "), Span("memory/episodic/with/many/folders/deploy.md", "title"), Span("  +12 −0", "ok"))
    assert plain(named_within(title, 80)) == plain(title)
    wide = (Span("1/1  "), Span("memory/episodic/日本語のとても長い名前の覚え書き.md", "title"), Span("  +5 −0"))
    assert 50 <= cell_len(plain(named_within(wide, 56))) <= 56
    assert plain(named_within(title, 40)) == "1/3  memory/episodic/…/deploy.md  +12 −0"
    assert named_within((Span("Plans to approve", "title"),), 8) == (Span("Plans to approve", "title"),)
    aside = (Span("p-1  ", "title"), Span("compact"), Span("  made just now", "muted"))
    assert plain(named_within(aside, 27)) == "p-1  compact  made just now"
    assert plain(named_within(aside, 26)) == "p-1  compact"


def test_of_the_words_in_a_lower_border_the_first_give_way() -> None:
    foot = (Span("9 eligible"), Span(" · ", "muted"), Span("files in 14 d", "warn"))
    assert foot_within(foot, 26) == foot
    assert foot_within(foot, 25) == foot_within(foot, 3) == (Span("files in 14 d", "warn"),)
    assert foot_within((Span("nothing is ever deleted"),), 8) == (Span("nothing is ever deleted"),)
    keys = (Span("tab", "key"), Span(" Files"), Span(" · ", "muted"), Span("Kept"))
    assert foot_within(keys, 8) == keys
    aside = (Span("y", "key"), Span(" useful", "muted"), Span("  0 of 5 judged", "muted"))
    assert foot_within(aside, 23) == aside
    assert foot_within(aside, 22) == aside[:2]


def test_a_glyph_stays_with_its_word() -> None:
    assert wrapped("✓ schema  ✓ coverage  ✓ append_only", 28) == ("✓ schema  ✓ coverage  ", "✓ append_only")
