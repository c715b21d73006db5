"""Consolidations: every entry has one outcome, and each can be taken back alone."""

from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UsageError
from engine.lifecycle.consolidation.entry_fates import ConsolidationAccount, EntryFate, consolidation_account, exact
from engine.lifecycle.consolidation.entry_reversal import take_entries_back
from engine.lifecycle.folders.entry_account import entries_of, junk

MEMORY = """# Memory

## Decisions

- 2026-03-01: we take SQLite for the queue of billing
- 2026-03-02: releases go out on Tuesday at 14:00
- 2026-03-03: Ana looks after the exports

## Lessons

- look at the queue before a deploy
- a dump of the export takes 40 minutes

A paragraph about the team and its habits.
"""
AFTER = """# Memory

## Decisions

- 2026-03-01: we take SQLite for the queue of billing
- 2026-03-02: releases of billing go out each Tuesday at 14:00, after the dump

## Lessons

- NO_REPLY
- look at the queue before a deploy
"""
Notes = Mapping[str, str]


def fates(account: ConsolidationAccount) -> list[tuple[str, str]]:
    return [(row.fate.value, row.entry.text) for row in account.rows]


def back(before: Notes, after: Notes, *numbers: int) -> dict[str, str]:
    """The notes once these are taken back."""
    old, new = ({path: text.encode() for path, text in notes.items()} for notes in (before, after))
    done = take_entries_back(consolidation_account(before, after), old, new, numbers)
    return dict(after) | {one.path: one.without.decode() for one in done}


def test_d25_entries_before_are_kept_moved_merged_or_lost_to_the_entry() -> None:
    """Decision D25: nothing is lost unsaid."""
    people = "# Ana\n\n- 2026-03-03: Ana looks after the exports\n"
    account = consolidation_account({"MEMORY.md": MEMORY}, {"MEMORY.md": AFTER, "memory/ana.md": people})
    assert fates(account) == [
        ("kept", "- 2026-03-01: we take SQLite for the queue of billing"),
        ("merged", "- 2026-03-02: releases go out on Tuesday at 14:00"),
        ("moved", "- 2026-03-03: Ana looks after the exports"),
        ("kept", "- look at the queue before a deploy"),
        ("lost", "- a dump of the export takes 40 minutes"),
        ("lost", "A paragraph about the team and its habits."),
        ("new", "- 2026-03-02: releases of billing go out each Tuesday at 14:00, after the dump"),
        ("new", "- NO_REPLY"),
    ]
    assert account.line() == "6 entries = 2 kept + 1 moved + 1 merged + 2 lost; 2 new, 1 like junk"
    assert [row.into.path for row in account.rows if row.fate is EntryFate.MOVED and row.into] == ["memory/ana.md"]
    assert [(row.entry.text, row.junk) for row in account.junk] == [("- NO_REPLY", "a mark of the tool that wrote it")]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("- a\n- a\n", "- a\n", ["kept", "merged"]),
        ("- limit is 5\n", "- limit is 7\n", ["lost", "new"]),
        ("- x = 1\n", "- x != 1\n", ["merged", "new"]),
        ("1. one\n2. two\n", "1. two\n", ["lost", "kept"]),
        ("* one\n", "-   one\n", ["kept"]),
        ("", "- one\n", ["new"]),
        ("- one\n", "", ["lost"]),
    ],
)
def test_copies_numbers_and_signs(before: str, after: str, told: list[str]) -> None:
    assert [fate for fate, _ in fates(consolidation_account({"m.md": before}, {"m.md": after}))] == told


def test_an_entry_that_stays_answers_before_one_that_moves() -> None:
    account = consolidation_account({"a.md": "- one\n", "b.md": "- one\n"}, {"b.md": "- one\n"})
    assert [(row.entry.path, row.fate.value) for row in account.rows] == [("a.md", "merged"), ("b.md", "kept")]


def test_a_lost_entry_comes_back_to_its_place() -> None:
    account = consolidation_account({"m.md": MEMORY}, {"m.md": AFTER})
    lost = next(row.number for row in account.rows if "dump of the export" in row.entry.text)
    text = back({"m.md": MEMORY}, {"m.md": AFTER}, lost)["m.md"]
    assert text == AFTER + "- a dump of the export takes 40 minutes\n"


def test_what_was_reworded_alone_takes_the_place_of_its_new_words() -> None:
    account = consolidation_account({"m.md": MEMORY}, {"m.md": AFTER})
    merged = next(row.number for row in account.rows if row.fate is EntryFate.MERGED)
    text = back({"m.md": MEMORY}, {"m.md": AFTER}, merged)["m.md"]
    old, new = "releases go out on Tuesday at 14:00", "releases of billing go out each Tuesday at 14:00, after the dump"
    assert text == AFTER.replace(new, old)


def test_a_moved_entry_goes_back_and_a_new_one_goes() -> None:
    before, after = {"a.md": "- one\n- two\n"}, {"a.md": "- one\n", "b.md": "- two\n- three\n"}
    assert back(before, after, 1) == {"a.md": "- one\n- two\n", "b.md": "- three\n"}
    assert back(before, after, 2) == {"a.md": "- one\n", "b.md": "- two\n"}


def test_a_section_that_is_gone_comes_back_once_with_its_entries() -> None:
    before = "# M\n\n- one\n\n## Old\n\n- two\n- three\n\n## New\n\n- four\n"
    after = "# M\n\n- one\n\n## New\n\n- four\n"
    assert back({"m.md": before}, {"m.md": after}, 1, 2)["m.md"] == before


def test_an_entry_of_a_note_that_is_gone_begins_the_note_again() -> None:
    before = {"x.md": "---\nname: x\n---\n# X\n\n- one\n- two\n"}
    assert back(before, {}, 2) == {"x.md": "---\nname: x\n---\n\n# X\n\n- two\n"}


def test_a_number_that_there_is_not_is_told() -> None:
    with pytest.raises(UsageError, match="1 to 2"):
        back({"m.md": "- one\n"}, {"m.md": "- two\n"}, 3)


WORDS = st.sampled_from(["billing", "queue", "deploy", "ana", "export", "dump", "5", "14:00", "日本", "=", "tuesday"])
ITEM = st.lists(WORDS, min_size=1, max_size=5).map(lambda words: f"- {' '.join(words)}\n")
NESTED = st.tuples(ITEM, ITEM).map(lambda pair: f"{pair[0]}  {pair[1]}")
TEXT = st.lists(WORDS, min_size=1, max_size=5).map(lambda words: f"\n{' '.join(words)}\n\n")
HEADING = st.sampled_from(["\n# One\n\n", "\n## Two\n\n", "\n## Three\n"])
NOTE = st.lists(ITEM | ITEM | NESTED | TEXT | HEADING, max_size=9).map("".join)
NOTES = st.dictionaries(st.sampled_from(["a.md", "b.md", "c.md"]), NOTE, max_size=3)


def said(notes: Notes) -> Counter[str]:
    """The entries without their list markers."""
    return Counter(map(exact, entries_of(notes)))


@given(before=NOTES, after=NOTES)
def test_every_entry_has_one_outcome(before: dict[str, str], after: dict[str, str]) -> None:
    account = consolidation_account(before, after)
    old, new = entries_of(before), entries_of(after)
    counts = {fate: account.count(fate) for fate in EntryFate}
    assert account.before == len(old) == sum(counts.values()) - counts[EntryFate.NEW]
    assert counts[EntryFate.KEPT] + counts[EntryFate.MOVED] + counts[EntryFate.NEW] == len(new)
    assert [row.number for row in account.changed] == list(range(1, len(account.changed) + 1))


@given(before=NOTES, after=NOTES)
def test_all_entries_taken_back_are_the_entries_before(before: dict[str, str], after: dict[str, str]) -> None:
    account = consolidation_account(before, after)
    done = back(before, after, *(row.number for row in account.changed))
    assert said(done) == said(before)


@given(before=NOTES, after=NOTES, data=st.data())
def test_one_entry_taken_back_changes_no_other(
    before: dict[str, str], after: dict[str, str], data: st.DataObject
) -> None:
    account = consolidation_account(before, after)
    if not account.changed:
        return
    row = data.draw(st.sampled_from(account.changed))
    done, there = said(back(before, after, row.number)), said(after)
    text = exact(row.entry)
    match row.fate:
        case EntryFate.NEW:
            assert there - done == Counter([text]) and not done - there
        case EntryFate.MOVED:
            assert done == there
        case _:
            assert done - there <= Counter([text]) and sum((there - done).values()) <= 1
            assert done[text] >= 1


def test_debris_of_a_promotion_looks_like_junk_and_what_was_learnt_does_not() -> None:
    promoted = """# Memory

<!-- openclaw-memory-promotion:memory:memory/2026-04-04.md:12:14 -->
- rm -rf build && make all [score=0.850 recalls=0 avg=0.710 source=memory/2026-04-04.md:12-14]
- ## Silas's Decision
- because the
- request: step 2 of…
- Silas decided to keep invoices for ten years because the auditors ask.
- The request queue has 3 steps.
"""
    (said,) = junk({"MEMORY.md": promoted}, ()).values()
    assert [line.split()[1] for line in said] == ["4", "5", "6", "7"]
