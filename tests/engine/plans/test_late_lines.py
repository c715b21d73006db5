"""A note that the agent had open while it was archived is no damage, and undo gives it back with what came late."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Refused, Stale
from engine.plans.apply.undo import reversal, undo
from engine.plans.damage import check
from engine.plans.diff import RowKind, reversal_diffs
from engine.plans.file_damage import late_lines
from engine.plans.operation import Operation, OperationState
from engine.text.canonical_json import sha256_hex
from engine.workspace.values import FindingKind
from tests.engine.plans.rig import Rig, append, create, move, overwrite

NOTE, ARCHIVED = "memory/working/a.md", "memory/archive/a.md"


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    rig = Rig(tmp_path / "workspace", tmp_path / "home")
    rig.write(NOTE, "one\ntwo\n")
    return rig


def archived_while_open(rig: Rig, late: bytes = b"three\nfour\n") -> str:
    with (rig.folder / NOTE).open("ab", buffering=0) as kept:
        operation = rig.apply(create(1, "memory/episodic/a.md", "summary\n"), move(2, NOTE, ARCHIVED))
        kept.write(late)
    return operation.id


def test_check_names_the_lines_and_the_way_back(rig: Rig) -> None:
    operation = archived_while_open(rig)
    (found,) = check(rig.ctx)
    assert (found.kind, found.id, found.where) == (FindingKind.NOTICE, "late_lines", ARCHIVED)
    assert "2 lines came late" in found.what
    assert "line 3: three; line 4: four" in found.what
    assert f"memdeck undo {operation}" in found.fix


def test_undo_shows_the_late_lines_and_gives_the_note_back_with_them(rig: Rig) -> None:
    operation = archived_while_open(rig)
    what = reversal(rig.ctx)
    diff = next(diff for diff in reversal_diffs(what, rig.ctx.root.read, rig.ctx.displaced.get) if diff.to == NOTE)
    assert [row.text for row in diff.rows if row.kind is RowKind.ADDED] == ["three", "four"]
    assert "came late" in diff.note
    undone = undo(rig.ctx, what, rig.approve_undo(what))
    assert undone.state is OperationState.DONE
    assert rig.read(NOTE) == b"one\ntwo\nthree\nfour\n"
    assert not (rig.folder / ARCHIVED).exists()
    assert rig.ctx.operations.load(operation).state is OperationState.UNDONE
    assert check(rig.ctx) == ()


def test_lines_that_come_after_the_diff_was_shown_are_shown_first(rig: Rig) -> None:
    archived_while_open(rig)
    what = reversal(rig.ctx)
    with (rig.folder / ARCHIVED).open("ab") as kept:
        kept.write(b"five\n")
    with pytest.raises(Stale, match="since the diff was shown"):
        undo(rig.ctx, what, rig.approve_undo(what))
    rig.undo()
    assert rig.read(NOTE).endswith(b"four\nfive\n")


def test_a_writer_that_still_has_it_open_writes_on_into_the_note(rig: Rig) -> None:
    with (rig.folder / NOTE).open("ab", buffering=0) as kept:
        rig.apply(move(1, NOTE, ARCHIVED))
        kept.write(b"late\n")
        rig.undo()
        kept.write(b"later\n")
    assert rig.read(NOTE) == b"one\ntwo\nlate\nlater\n"


def test_what_is_rewritten_is_damage_still(rig: Rig) -> None:
    archived_while_open(rig)
    rig.write(ARCHIVED, "something else\n")
    assert [(found.kind, found.id) for found in check(rig.ctx)] == [(FindingKind.DAMAGE, "archive_damaged")]
    with pytest.raises(Refused, match="changed by another program"):
        reversal(rig.ctx)


def test_what_a_later_operation_appended_did_not_come_late(rig: Rig) -> None:
    first = rig.apply(move(1, NOTE, ARCHIVED))
    later = rig.apply(append(1, ARCHIVED, "ours\n"))
    with pytest.raises(Refused, match=later.id):
        reversal(rig.ctx, first.id)


def test_hidden_characters_of_late_lines_are_shown(rig: Rig) -> None:
    archived_while_open(rig, b"\x1b[31mred\xe2\x80\xae\n")
    (found,) = check(rig.ctx)
    assert "\x1b" not in found.what and "\u202e" not in found.what


@given(st.binary(), st.binary(min_size=1))
def test_with_the_size_known_whatever_was_added_is_told_apart(original: bytes, added: bytes) -> None:
    late = late_lines("a.md", original + added, sha256_hex(original), len(original))
    assert late is not None
    assert (late.original, late.added) == (original, added)
    assert late_lines("a.md", original, sha256_hex(original), len(original)) is None


@given(st.lists(st.sampled_from([b"a\n", b"b\n", b"\n"]), min_size=1), st.binary(min_size=1))
def test_without_the_size_whole_lines_are_told_apart(lines: list[bytes], added: bytes) -> None:
    original = b"".join(lines)
    late = late_lines("a.md", original + added, sha256_hex(original), None)
    assert late is not None
    assert late.original == original


# ── replaced files ──────────────────────────────────────────────────────────────────────────────────────────────────


def replaced_while_open(rig: Rig, late: bytes = b"three\nfour\n") -> Operation:
    with (rig.folder / NOTE).open("ab", buffering=0) as kept:
        operation = rig.apply(overwrite(1, NOTE, "new\n"))
        kept.write(late)
    return operation


def test_check_names_the_late_lines_of_a_replaced_file(rig: Rig) -> None:
    operation = replaced_while_open(rig)
    (found,) = check(rig.ctx)
    assert (found.kind, found.id, found.where) == (FindingKind.NOTICE, "late_lines", NOTE)
    assert f"while {operation.id} replaced it: line 3: three; line 4: four" in found.what
    assert f"memdeck undo {operation.id}" in found.fix and operation.held[0].place in found.fix


def test_undo_puts_a_replaced_file_back_with_its_late_lines(rig: Rig) -> None:
    replaced_while_open(rig)
    what = reversal(rig.ctx)
    (diff,) = reversal_diffs(what, rig.ctx.root.read, rig.ctx.displaced.get)
    assert [row.text for row in diff.rows if row.kind is RowKind.ADDED] == ["one", "two", "three", "four"]
    assert "came late" in diff.note
    undo(rig.ctx, what, rig.approve_undo(what))
    assert rig.read(NOTE) == b"one\ntwo\nthree\nfour\n"
    assert check(rig.ctx) == ()


def test_lines_that_come_into_a_replaced_file_after_the_diff_are_shown_first(rig: Rig) -> None:
    operation = replaced_while_open(rig)
    what = reversal(rig.ctx)
    with Path(operation.held[0].place).open("ab") as held:
        held.write(b"five\n")
    with pytest.raises(Stale, match="since the diff was shown"):
        undo(rig.ctx, what, rig.approve_undo(what))
    rig.undo()
    assert rig.read(NOTE).endswith(b"four\nfive\n")


def test_a_held_file_that_was_rewritten_is_a_conflict_still(rig: Rig) -> None:
    """A10: what is no more the beginning of it is for the operator to compare."""
    operation = rig.apply(overwrite(1, NOTE, "new\n"))
    Path(operation.held[0].place).write_bytes(b"something else\n")
    assert [(found.kind, found.id) for found in check(rig.ctx)] == [(FindingKind.CONFLICT, "late_bytes")]
    rig.undo()
    assert rig.read(NOTE) == b"one\ntwo\n"
