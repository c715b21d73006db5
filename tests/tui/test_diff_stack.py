"""Several diffs as one text: each section answers what it answers alone, moved by what stands above it."""

from hypothesis import given
from hypothesis import strategies as st

from engine.plans.diff import FileDiff, RowKind, line_diff
from tui.present.spans import Span, plain
from tui.widgets.diff_layout import DiffLayout
from tui.widgets.diff_stack import DiffStack, Section

texts = st.lists(st.text(alphabet="ab 字\n", max_size=40), max_size=6).map("\n".join)
WIDTH = 40


def layout(old: str, new: str, opened: frozenset[int] = frozenset()) -> DiffLayout:
    rows = line_diff(old, new)
    added = sum(row.kind is RowKind.ADDED for row in rows)
    removed = sum(row.kind is RowKind.REMOVED for row in rows)
    diff = FileDiff(path="x.md", to=None, rows=rows, added=added, removed=removed)
    return DiffLayout(diff, ((Span("why"),),), {}, WIDTH, opened=opened)


def stack(pairs: list[tuple[str, str]]) -> tuple[list[DiffLayout], DiffStack]:
    layouts = [layout(*pair) for pair in pairs]
    headings = [(Span(f"heading {number}"),) for number in range(len(layouts))]
    return layouts, DiffStack(tuple(map(Section, headings, layouts)), WIDTH)


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=4))
def test_each_line_is_the_heading_or_the_line_of_its_section(pairs: list[tuple[str, str]]) -> None:
    layouts, laid = stack(pairs)
    expected = []
    for number, one in enumerate(layouts):
        expected += ["", f"heading {number}"] if number else ["heading 0"]
        expected += [plain(one.line(y, " ")).strip() for y in range(one.height)]
    assert [plain(laid.line(y, " ")).strip() for y in range(laid.height)] == expected
    assert len(laid.starts) == len(laid.items) + 1 and laid.starts[-1] == laid.height


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=4))
def test_rows_are_numbered_through_the_whole_text(pairs: list[tuple[str, str]]) -> None:
    layouts, laid = stack(pairs)
    assert laid.row_count == sum(one.row_count for one in layouts)
    assert [laid.row_text(row) for row in range(laid.row_count)] == [
        one.row_text(row) for one in layouts for row in range(one.row_count)
    ]
    for row in range(laid.row_count):
        index = laid.item_of(row)
        assert index is None or row in laid.rows_of(index)


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=4))
def test_sections_cover_all_lines_but_headings(pairs: list[tuple[str, str]]) -> None:
    layouts, laid = stack(pairs)
    assert len(laid.sections) == len(laid.headings) == len(layouts)
    for number, (lines, heading) in enumerate(zip(laid.sections, laid.headings, strict=True)):
        assert laid.section_of(heading) == number
        assert lines and all(laid.section_of(laid.item_at(y)) == number for y in lines)
        changes = any(row.kind is not RowKind.SAME for row in layouts[number].diff.rows)
        ends = (laid.item_at(lines[0]), laid.item_at(lines[-1]))
        assert all(map(laid.changed, ends)) if changes else not any(map(laid.changed, ends))
        assert plain(laid.line(laid.starts[heading], " ")).strip() == f"heading {number}"
