"""Line diffs: both sides come back out of the rows, numbers are right, and no input makes them slow."""

import itertools
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Refused
from engine.plans import line_hunks
from engine.plans.diff import (
    DiffRow,
    RowKind,
    change_diffs,
    file_diff,
    hunks,
    line_diff,
    reversal_diffs,
    split_lines,
    unified,
    word_marks,
)
from engine.plans.line_hunks import matching_runs
from engine.plans.operation import Rename, Reversal, Withdraw, Write
from engine.plans.plan import Append, Change, Create, Move, Plan, Replace, RiskTier
from engine.text.canonical_json import sha256_hex
from engine.workspace.values import WorkspaceIdentity

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)
TEXTS = st.lists(st.sampled_from(["", "a", "b", "c", "\r", " a", "日本", "\x1b[2J"]), max_size=30).map("\n".join)


def left(rows: Sequence[DiffRow]) -> list[tuple[int | None, str]]:
    return [(row.left_no, row.text) for row in rows if row.kind is not RowKind.ADDED]


def right(rows: Sequence[DiffRow]) -> list[tuple[int | None, str]]:
    return [(row.right_no, row.text) for row in rows if row.kind is not RowKind.REMOVED]


@given(TEXTS, TEXTS)
def test_both_texts_come_back_out_of_the_rows_with_their_line_numbers(old: str, new: str) -> None:
    rows = line_diff(old, new)
    assert left(rows) == list(enumerate(split_lines(old), start=1))
    assert right(rows) == list(enumerate(split_lines(new), start=1))
    for row in rows:
        assert (row.left_no is None) == (row.kind is RowKind.ADDED)
        assert (row.right_no is None) == (row.kind is RowKind.REMOVED)


@given(TEXTS, TEXTS, st.integers(0, 4))
def test_hunks_hold_every_change_once_and_their_headers_count_right(old: str, new: str, context: int) -> None:
    rows = line_diff(old, new)
    found = hunks(rows, context)
    changed = [row for row in rows if row.kind is not RowKind.SAME]
    assert [row for hunk in found for row in hunk.rows if row.kind is not RowKind.SAME] == changed
    for hunk in found:
        for (start, count), side in ((hunk.left, left(hunk.rows)), (hunk.right, right(hunk.rows))):
            assert count == len(side)
            assert not side or start == side[0][0]
        assert hunk.rows[0].kind is not RowKind.SAME or context


@given(st.lists(st.integers(0, 6), max_size=60), st.lists(st.integers(0, 6), max_size=60))
def test_matching_runs_are_equal_ordered_and_as_long_as_can_be(a: list[int], b: list[int]) -> None:
    runs = matching_runs(a, b)
    assert all(a[i : i + n] == b[j : j + n] for i, j, n in runs)
    assert all(x[0] + x[2] <= y[0] and x[1] + x[2] <= y[1] for x, y in itertools.pairwise(runs))
    assert sum(n for _, _, n in runs) == longest(a, b)


def longest(a: list[int], b: list[int]) -> int:
    """The length of a longest common subsequence, by the book."""
    row = [0] * (len(b) + 1)
    for x in a:
        above = row
        row = [0]
        for j, y in enumerate(b):
            row.append(above[j] + 1 if x == y else max(above[j + 1], row[j]))
    return row[-1]


@given(st.lists(st.integers(0, 40), max_size=60), st.lists(st.integers(0, 40), max_size=60))
def test_the_bounded_search_finds_only_true_matches(a: list[int], b: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_hunks, "_MOST_PAIRS", 20)
        runs = matching_runs(a, b)
    assert all(a[i : i + n] == b[j : j + n] for i, j, n in runs)
    assert all(x[0] + x[2] <= y[0] and x[1] + x[2] <= y[1] for x, y in itertools.pairwise(runs))


@given(st.lists(st.integers(0, 999), unique=True, max_size=40), st.data())
def test_the_bounded_search_finds_each_line_that_is_there_once(lines: list[int], data: st.DataObject) -> None:
    """Other lines come between them and stand at both ends, where equal ones would be trimmed."""
    counts = st.lists(st.integers(0, 2), min_size=len(lines), max_size=len(lines))
    sides = []
    for other in (-1, -2):
        gaps = data.draw(counts)
        pieces = ([line, *[other] * gap] for line, gap in zip(lines, gaps, strict=True))
        sides.append([other, *itertools.chain.from_iterable(pieces), other])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_hunks, "_MOST_PAIRS", 0)
        runs = matching_runs(*sides)
    assert all(sides[0][i : i + n] == sides[1][j : j + n] for i, j, n in runs)
    assert sum(n for _, _, n in runs) == len(lines)


def test_twenty_thousand_lines_with_edits_everywhere() -> None:
    old = [f"line {i} of a long note" for i in range(20_000)]
    new = [line + "!" if i % 10 == 0 else line for i, line in enumerate(old) if i % 41]
    rows = line_diff("\n".join(old), "\n".join(new))
    assert len(right(rows)) == len(new)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", ["different", "reversed", "few", "edited"])
def test_fifty_thousand_hopeless_lines_stay_bounded(kind: str) -> None:
    old = [f"a{i % 7 if kind == 'few' else i}" for i in range(50_000)]
    new = {
        "different": [f"b{i}" for i in range(50_000)],
        "reversed": old[::-1],
        "few": [f"a{i % 5}" for i in range(50_000)],
        "edited": [line if i % 9 else "x" for i, line in enumerate(old)],
    }[kind]
    runs = matching_runs(old, new)
    assert all(old[i : i + n] == new[j : j + n] for i, j, n in runs)
    if kind == "edited":
        assert sum(n for _, _, n in runs) == sum(1 for i in range(50_000) if i % 9)


def test_a_carriage_return_is_part_of_the_line_and_seen() -> None:
    diff = file_diff("a.md", b"one\r\ntwo\n", b"one\ntwo\n")
    assert [(row.kind, row.text) for row in diff.rows][:2] == [(RowKind.REMOVED, "one\r"), (RowKind.ADDED, "one")]
    assert "-one␍\n+one\n" in unified(diff)


def test_a_newline_at_the_end_is_noted_not_counted() -> None:
    for old, new, note in (
        (b"a\n", b"a", "the newline at the end is dropped"),
        (b"a", b"a\nb\n", "a newline is added at the end"),
        (b"a\n", b"a\nb\n", ""),
        (b"", b"a", ""),
    ):
        diff = file_diff("a.md", old, new)
        assert diff.note == note
        assert diff.removed == 0


def test_g13_no_control_byte_of_a_line_or_a_name_reaches_the_text() -> None:
    evil = "\x1b]52;c;aGk=\x07\x9b2J\u202egnp.\u200b\x00"
    diff = file_diff(f"a/{evil}\n--- a/x", b"safe\n", f"safe\n{evil[:-1]}\n".encode())
    text = unified(diff)
    assert not {c for c in text if c < " " and c != "\n"}
    assert not {"\u202e", "\u200b", "\x9b", "\x1b"} & set(text)
    assert text.splitlines()[2].startswith("@@ -1,1 +1,2 @@")


def test_the_unified_text_of_a_new_and_of_a_withdrawn_file() -> None:
    assert unified(file_diff("a.md", None, b"x\n")) == "--- /dev/null\n+++ b/a.md\n@@ -0,0 +1,1 @@\n+x\n"
    assert unified(file_diff("a.md", b"x\n", None)) == "--- a/a.md\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n"


def test_a_file_that_is_not_text_says_so() -> None:
    diff = file_diff("a.md", b"\xff\xfe", b"text\n")
    assert (diff.rows, diff.note.startswith("not shown: ")) == ((), True)


def make_plan(*changes: Change) -> Plan:
    return Plan(
        system="compact",
        trigger="manual",
        workspace=WorkspaceIdentity("/w", 1, 2),
        now=NOW,
        zone="UTC",
        simulated_clock=False,
        made_at=NOW,
        policy_sha256="",
        tokenizer="",
        inputs=(),
        changes=changes,
    )


def change_of(op: type[Create] | type[Append] | type[Replace], n: int, path: str, content: str) -> Change:
    return op(n=n, path=path, risk_tier=RiskTier.B, reason="r", content=content)


def test_each_change_sees_what_the_ones_before_it_did() -> None:
    plan = make_plan(
        change_of(Append, 1, "s.md", "two\n"),
        change_of(Append, 2, "s.md", "three\n"),
        Move(n=3, path="s.md", to="t.md", risk_tier=RiskTier.B, reason="r"),
        change_of(Append, 4, "t.md", "four\n"),
        change_of(Create, 5, "n.md", "new"),
        change_of(Replace, 6, "n.md", "newer"),
    )
    read = {"s.md": b"one\n"}
    diffs = change_diffs(plan, read.__getitem__)
    assert [(d.path, d.to, d.added, d.removed, d.created) for d in diffs] == [
        ("s.md", None, 1, 0, False),
        ("s.md", None, 1, 0, False),
        ("s.md", "t.md", 0, 0, False),
        ("t.md", None, 1, 0, False),
        ("n.md", None, 1, 0, True),
        ("n.md", None, 1, 1, False),
    ]
    assert diffs[1].rows[-1] == DiffRow(RowKind.ADDED, None, 3, "three")
    assert diffs[2].note == "moved as it is, 3 lines"
    (only,) = change_diffs(plan, read.__getitem__, numbers=(2,))
    assert only.rows[-1].right_no == 2


def test_a_file_that_went_away_is_noted_and_the_new_text_still_shown() -> None:
    def read(path: str) -> bytes:
        raise Refused("no such file", where=path)

    diff = change_diffs(make_plan(change_of(Append, 1, "s.md", "two\n")), read)[0]
    assert diff.note == "the file as it is now cannot be shown: no such file"
    assert [row.text for row in diff.rows] == ["two"]
    assert change_diffs(make_plan(change_of(Create, 1, "s.md", "\ud800")), read)[0].rows[0].text == "\\ud800"


def test_g20_the_diff_of_an_undo() -> None:
    sha = sha256_hex
    files = {"new.md": b"new\n", "s.md": b"one\ntwo\n", "archive/a.md": b"a\n", "late.md": b"late\n"}
    stored = {sha(b"one\n"): b"one\n"}
    reversal = Reversal(
        operation="o-1",
        plan="p-1",
        system="compact",
        risk_tier=RiskTier.B,
        effects=(
            Withdraw("new.md", sha(b"new\n")),
            Write("s.md", sha(b"one\ntwo\n"), sha(b"one\n")),
            Rename("archive/a.md", "a.md", sha(b"a\n")),
            Withdraw("late.md", sha(b"before\n")),
        ),
    )
    diffs = reversal_diffs(reversal, files.__getitem__, stored.__getitem__)
    assert [(d.added, d.removed, d.gone, d.to) for d in diffs] == [
        (0, 1, True, None),
        (0, 1, False, None),
        (0, 0, False, "a.md"),
        (0, 1, True, None),
    ]
    assert diffs[3].note == "it changed since: undo will refuse"


def test_word_marks_name_what_changed_within_a_line() -> None:
    assert word_marks("keep the old name", "keep the new name") == (((9, 12),), ((9, 12),))
    assert word_marks("deploy on Friday", "deploy on Friday at 9") == ((), ((16, 21),))
    assert word_marks("東京に行く", "大阪に行く") == (((0, 2),), ((0, 2),))
    assert word_marks("nothing alike", "etwas ganz anderes") == ((), ())
    assert word_marks("", "x") == ((), ())
    assert word_marks("on " * 1_100 + "x", "on " * 1_100 + "y") == ((), ()), "a long line is not compared by words"


@given(st.text(max_size=60), st.text(max_size=60))
def test_word_marks_leave_the_same_text_on_both_sides(old: str, new: str) -> None:
    marks = word_marks(old, new)
    if marks != ((), ()):
        rest = [
            "".join(c for i, c in enumerate(t) if not any(a <= i < b for a, b in m))
            for t, m in zip((old, new), marks, strict=True)
        ]
        assert rest[0] == rest[1]


def test_a_second_hunk_is_counted_from_the_end_of_the_first() -> None:
    old = [f"line {number}" for number in range(1, 21)]
    new = [old[0], "another", "and one more", *old[2:17], "the last but two", *old[18:]]
    found = hunks(line_diff("\n".join(old), "\n".join(new)), 1)
    assert [(hunk.left, hunk.right) for hunk in found] == [((1, 3), (1, 4)), ((17, 3), (18, 3))]
