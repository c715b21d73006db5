"""Frontmatter that memdeck computed is one line of a diff; whatever others may have written is read line by line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.plans.diff import FileDiff, RowKind, line_diff
from engine.plans.plan import Change, Create, Flag, Replace, RiskTier
from tui.present import diff as diffs
from tui.present.spans import Span, plain
from tui.widgets.diff_layout import DiffLayout
from tui.widgets.diff_stack import DiffStack, Section

BODY = "# Day\n\n- The queue was emptied.\n"
NEW = f"---\nlevel: day\nsource-files:\n  - memory/2026-03-01.md\nsource-sha256: 9f3a\n---\n{BODY}"
OLD = f"---\nlevel: day\nsource-files:\n  - memory/2026-03-01.md\nsource-sha256: 61c0\n---\n{BODY}"


def diff_of(old: str, new: str) -> FileDiff:
    rows = line_diff(old, new)
    added, removed = (sum(row.kind is kind for row in rows) for kind in (RowKind.ADDED, RowKind.REMOVED))
    return FileDiff(path="memory/daily/2026-03-01.md", to=None, rows=rows, added=added, removed=removed)


def create(new: str = NEW, tier: RiskTier = RiskTier.A, flags: tuple[Flag, ...] = ()) -> Change:
    return Create(n=1, path="memory/daily/2026-03-01.md", risk_tier=tier, reason="new", content=new, flags=flags)


def laid(diff: FileDiff, frontmatter: int, opened: frozenset[int] = frozenset()) -> DiffLayout:
    return DiffLayout(diff, (), {}, 60, frontmatter=frontmatter, opened=opened)


def lines(layout: DiffLayout) -> list[str]:
    return [plain(layout.line(y, " ")).strip() for y in range(layout.height)]


def test_the_frontmatter_of_a_new_node_is_one_line_that_says_what_changes() -> None:
    diff = diff_of("", NEW)
    folded = diffs.frontmatter_rows(create(), diff, "tree")
    shown = laid(diff, folded)
    assert folded == 6 and lines(shown)[0] == "··· frontmatter  +6 −0   enter: show"
    assert "# Day" in lines(shown)[1] and shown.height == 1 + 3
    assert shown.telling_lines.start == 0, "the fold must have been on the screen too"
    assert lines(laid(diff, folded, frozenset({2}))) == lines(laid(diff, 0)), "enter opens it"


def test_a_hash_that_changes_is_folded_with_the_frontmatter_around_it() -> None:
    diff = diff_of(OLD, NEW)
    change = Replace(n=1, path="memory/daily/2026-03-01.md", risk_tier=RiskTier.A, reason="new", content=NEW)
    shown = laid(diff, diffs.frontmatter_rows(change, diff, "tree"))
    assert lines(shown)[0] == "··· frontmatter  +1 −1   enter: show"
    assert list(shown.telling_lines) == [0], "nothing else changes"


@pytest.mark.parametrize(
    ("change", "system"),
    [
        (create(), "proposal"),
        (create(), "tune"),
        (create(tier=RiskTier.C), "tree"),
        (create(flags=(Flag(3, "override"),)), "compact"),
        (create(new=BODY), "tree"),
        (create(new=f"---\nnever: closed\n{BODY}"), "tree"),
    ],
)
def test_what_others_may_have_written_is_not_folded(change: Change, system: str) -> None:
    assert isinstance(change, Create)
    assert diffs.frontmatter_rows(change, diff_of("", change.content), system) == 0


def test_a_frontmatter_whose_end_is_another_line_of_the_old_text_is_not_folded() -> None:
    new = "---\n---"
    assert diffs.frontmatter_rows(create(new), diff_of("---\na: 1\n---\n---", new), "tree") == 0


@given(st.lists(st.sampled_from(["---", "a: 1", "b: 2", "text"]), max_size=9), st.data())
def test_a_fold_hides_rows_of_the_frontmatter_alone(new: list[str], data: st.DataObject) -> None:
    old = data.draw(st.lists(st.sampled_from(["---", "a: 1", "c: 3", "text"]), max_size=9))
    diff = diff_of("\n".join(old), "\n".join(new))
    count = diffs.frontmatter_rows(create("\n".join(new)), diff, "tree")
    if count:
        end = new.index("---", 1) + 1
        assert new[0] == "---" and {row.right_no for row in diff.rows[:count]} >= set(range(1, end + 1))
        assert all((row.right_no or 0) <= end for row in diff.rows[:count])


def test_a_heading_stays_above_the_lines_of_its_section() -> None:
    layout = laid(diff_of("", NEW), 0)
    stack = DiffStack(tuple(Section((Span(name),), layout) for name in ("one", "two")), 60)
    above = [stack.heading_above(y) for y in range(-1, stack.height)]
    height = layout.height
    one, two = [(Span("one"),)] * height, [(Span("two"),)] * height
    assert above == [None, None, *one, None, None, *two]


def test_where_a_diff_is_read_and_not_approved_frontmatter_folds_by_who_wrote_the_file() -> None:
    diff = diff_of(OLD, NEW)
    assert diffs.computed_rows(diff, "tree") == diffs.frontmatter_rows(create(), diff, "tree") > 0
    assert diffs.computed_rows(diff, "revert") == diffs.computed_rows(diff_of(BODY, BODY + "x\n"), "tree") == 0
