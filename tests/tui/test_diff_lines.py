"""A diff laid out in lines: folds lose nothing, origins stand at their lines, hidden characters are marked."""

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.plans.diff import DiffRow, FileDiff, RowKind
from engine.plans.plan import Create, LineOrigin, Replace, RiskTier
from engine.workspace.values import LineSpan
from tests.turn import examples
from tests.values import append_plan, compaction, diff_of
from tui.present import diff as diffs
from tui.present.diff_style import RowLooks, partners
from tui.present.spans import plain
from tui.present.words import safe
from tui.widgets.diff_layout import DiffLayout, SplitLayout
from tui.widgets.segments import width_of

KINDS = st.lists(st.sampled_from(list(RowKind)), max_size=80)


def rows_of(kinds: list[RowKind]) -> tuple[DiffRow, ...]:
    left = right = 0
    rows = []
    for kind in kinds:
        left += kind is not RowKind.ADDED
        right += kind is not RowKind.REMOVED
        sides = (None if kind is RowKind.ADDED else left, None if kind is RowKind.REMOVED else right)
        rows.append(DiffRow(kind, *sides, f"text {left} {right}"))
    return tuple(rows)


def file_diff(rows: tuple[DiffRow, ...]) -> FileDiff:
    return FileDiff(path="memory/x.md", to=None, rows=rows, added=0, removed=0)


@given(kinds=KINDS, context=st.integers(0, 5))
def test_folds_and_rows_cover_every_row_once_and_hide_only_equal_ones(kinds: list[RowKind], context: int) -> None:
    rows = rows_of(kinds)
    covered: list[int] = []
    for item in diffs.items(rows, context, frozenset()):
        if isinstance(item, diffs.Fold):
            assert all(row.kind is RowKind.SAME for row in rows[item.start : item.end])
            covered.extend(range(item.start, item.end))
        else:
            covered.append(item)
    assert covered == list(range(len(rows)))


def test_an_opened_fold_shows_its_rows() -> None:
    rows = rows_of([RowKind.SAME] * 20 + [RowKind.ADDED])
    fold = next(item for item in diffs.items(rows, 3, frozenset()) if isinstance(item, diffs.Fold))
    assert (fold.start, fold.end) == (0, 17)
    assert diffs.items(rows, 3, frozenset({fold.start})) == tuple(range(21))


# Long stretches of one kind, so that there are folds: their line was once wider than a narrow pane.
STRETCHES = st.lists(st.tuples(st.sampled_from(list(RowKind)), st.integers(1, 30)), max_size=8)


@given(stretches=STRETCHES, width=st.integers(20, 120))
@settings(max_examples=examples(60), deadline=None)
def test_a_layout_draws_as_many_lines_as_it_is_high_none_too_wide(
    stretches: list[tuple[RowKind, int]], width: int
) -> None:
    kinds = [kind for kind, times in stretches for _ in range(times)]
    laid = DiffLayout(file_diff(rows_of(kinds)), (), {}, width)
    lines = [laid.line(y, " ") for y in range(laid.height)]
    assert all(width_of(line) <= width for line in lines)
    assert [laid.item_at(y) for y in range(laid.height)] == sorted(laid.item_at(y) for y in range(laid.height))


@given(stretches=STRETCHES, width=st.integers(20, 120), context=st.integers(0, 9))
@settings(max_examples=examples(60), deadline=None)
def test_side_by_side_every_row_stands_on_its_side_once(
    stretches: list[tuple[RowKind, int]], width: int, context: int
) -> None:
    rows = rows_of([kind for kind, times in stretches for _ in range(times)])
    laid = SplitLayout(file_diff(rows), (), {}, width, context=context)
    assert all(width_of(laid.line(y, " ")) <= width for y in range(laid.height))
    left: list[int] = []
    right: list[int] = []
    for item in laid.items:
        if isinstance(item, diffs.Fold):
            left.extend(range(item.start, item.end))
            right.extend(range(item.start, item.end))
        elif isinstance(item, diffs.SplitRow):
            left.extend([item.left] if item.left is not None else [])
            right.extend([item.right] if item.right is not None else [])
    assert left == [index for index, row in enumerate(rows) if row.kind is not RowKind.ADDED]
    assert right == [index for index, row in enumerate(rows) if row.kind is not RowKind.REMOVED]


@given(st.integers(50, 120), st.lists(st.integers(1, 12), min_size=1, max_size=30))
@settings(max_examples=examples(60), deadline=None)
def test_equal_lines_are_broken_alike_on_both_sides(width: int, words: list[int]) -> None:
    text = " ".join("x" * length for length in words)
    laid = SplitLayout(file_diff((DiffRow(RowKind.SAME, 1, 1, text),)), (), {}, width)
    for y in range(laid.height):
        left, _, right = plain(laid.line(y, " ")).partition("│ ")
        assert left[1:].split() == right.split()


def test_a_changed_line_stands_beside_the_one_it_replaces_with_its_words_marked() -> None:
    rows = (DiffRow(RowKind.REMOVED, 1, None, "- keep blue"), DiffRow(RowKind.ADDED, None, 1, "- keep green"))
    split, unified = SplitLayout(file_diff(rows), (), {}, 80), DiffLayout(file_diff(rows), (), {}, 80)
    assert (split.height, unified.height) == (1, 2)
    for spans in (split.line(0, " "), (*unified.line(0, " "), *unified.line(1, " "))):
        assert [span.text for span in spans if span.role == "removed_word"] == ["blue"]
        assert [span.text for span in spans if span.role == "added_word"] == ["green"]
        assert [span.text for span in spans if span.over == "md_mark"] == ["- ", "- "]


@given(old=st.text(max_size=60), new=st.text(max_size=60))
def test_looks_lose_and_add_no_character(old: str, new: str) -> None:
    rows = (DiffRow(RowKind.REMOVED, 1, None, old), DiffRow(RowKind.ADDED, None, 1, new))
    looks = RowLooks(rows)
    assert [plain(looks.line(index)) for index in range(2)] == [safe(old), safe(new)]
    assert partners(rows) == {0: 1, 1: 0}


def test_an_opened_fold_stays_open_with_other_context() -> None:
    rows = rows_of([RowKind.SAME] * 30 + [RowKind.ADDED])
    fold = next(item for item in diffs.items(rows, 3, frozenset()) if isinstance(item, diffs.Fold))
    assert diffs.items(rows, 6, frozenset({fold.start})) == tuple(range(31))


def test_signs_and_numbers_stand_before_the_text() -> None:
    laid = DiffLayout(file_diff(rows_of([RowKind.SAME, RowKind.REMOVED, RowKind.ADDED])), (), {}, 60)
    assert [plain(laid.line(y, " ")).rstrip() for y in range(3)] == [
        "   1   text 1 1",
        "   2 − text 2 1",
        "   2 + text 2 2",
    ]


def test_origins_of_an_append_count_from_its_first_new_line() -> None:
    plan = append_plan()
    change = plan.changes[0]
    diff = diff_of(change)
    origins = diffs.origins(change, diff)
    assert list(origins) == [14]
    laid = DiffLayout(diff, (), origins, 120)
    texts = [plain(laid.line(y, " ")).rstrip() for y in range(laid.height)]
    assert any("Durable Insight" in text for text in texts)
    assert any(text.endswith("← episodic/2026-02-01-migration.md:9") for text in texts)


def test_an_origin_without_room_gets_its_own_line() -> None:
    change = Create(
        n=1,
        path="memory/episodic/x.md",
        risk_tier=RiskTier.B,
        reason="",
        content="a line that fills its width here\n",
        origins=(LineOrigin(1, LineSpan("memory/working/a.md", 1, 3)),),
    )
    laid = DiffLayout(diff_of(change), (), diffs.origins(change, diff_of(change)), 42)
    assert [plain(laid.line(y, " ")).strip() for y in range(laid.height)] == [
        "1 + a line that fills its width here",
        "← working/a.md:1–3",
    ]
    assert laid.source(0) == LineSpan("memory/working/a.md", 1, 3)


def test_hidden_characters_are_set_apart_from_text() -> None:
    """G13."""
    row = DiffRow(RowKind.ADDED, None, 1, "rm\u202e -rf \x1b[2J\ttab")
    laid = DiffLayout(file_diff((row,)), (), {}, 80)
    hidden = [span.text for span in laid.line(0, " ") if span.role == "hidden"]
    assert hidden == ["⟨U+202E⟩", "␛", "⇥"]


def test_what_is_left_out_is_named_above_the_diff() -> None:
    change = compaction().changes[0]
    texts = [plain(line) for line in diffs.preface(change, diff_of(change))]
    assert texts == ["why       9 days old, over 7", "omitted   a stack trace of 31 lines (18–48)"]


def test_a_move_says_from_where_to_where() -> None:
    change = compaction().changes[1]
    texts = [plain(line) for line in diffs.preface(change, diff_of(change))]
    assert texts[1:] == [
        "from      memory/working/2026-03-01-deploy.md",
        "to        memory/archive/2026-03-01-deploy-archived-2026-03-15.md",
        "note      moved as it is   enter: show",
    ]


def test_titles_count_and_measure() -> None:
    change = compaction().changes[0]
    title = plain(diffs.title(change, diff_of(change), 24))
    assert title == "1/24  create memory/episodic/2026-03-01-deploy.md  +9 −0"
    replaced = Replace(n=1, path="a.md", risk_tier=RiskTier.C, reason="", content="b\n")
    assert plain(diffs.figures(diff_of(replaced))) == "  +1 −1"
