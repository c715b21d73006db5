"""Notes on changed lines: what they say otherwise than the lines that they replace, and nothing on what is only new."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import MemdeckError
from engine.plans.diff import FileDiff, RowKind, change_diffs, file_diff
from engine.plans.plan import Replace, RiskTier
from engine.services.line_notes import with_notes
from tests.values import tree_plan

NOTE, LOG = "knowledge/projects/depot.md", "memory/2026-03-02.md"
LINES = st.lists(st.sampled_from(["- keep 40 vans", "- Ana never pays", "- Farid pays", "", "plain"]), max_size=6)


def read(path: str) -> str:
    if path != LOG:
        raise MemdeckError("it is not there", where=path)
    return "Jonas keeps checks of templates on. 298 dates stood in a backup."


def noted(old: str, new: str, path: str = NOTE) -> tuple[FileDiff, dict[int, list[str]]]:
    change = Replace(n=1, path=path, risk_tier=RiskTier.B, reason="", content=new)
    plan = msgspec.structs.replace(tree_plan(), system="proposal", changes=(change,))
    (diff,) = with_notes(plan, [file_diff(path, old.encode(), new.encode())], read)
    return diff, {line: [note.words for note in notes] for line, notes in diff.notes.items()}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("- Below 40 percent is stopped", "- Below 4 percent counts as stopped", ["number: 40 → 4"]),
        ("- The account ends in 4821", "- The batch goes to the account that ends in 4218", ["number: 4821 → 4218"]),
        ("- Refunds above 50 EUR: Farid", "- Mirembe decides refunds above 50 EUR", ["name: Farid → Mirembe"]),
        ("- Deploys only on Monday, never at night", "- Deploys on Monday at night", ["loses “only, never”"]),
        ("- Prices are data and stay allowed", "- Prices are code, they are not allowed", ["says “not” now"]),
        ("- Release unless the freeze is on", "- Release when the freeze is on", ["loses “unless”"]),
        ("- Geld geht nie ohne Ana raus", "- Geld geht mit Ana raus", ["loses “nie, ohne”"]),
    ],
)
def test_what_a_line_says_otherwise_is_noted_at_the_line(old: str, new: str, words: list[str]) -> None:
    assert noted(f"same\n{old}\nend\n", f"same\n{new}\nend\n")[1] == {2: words}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("- The freeze goes from 18:00 on", "- The freeze goes from 18:00 until Tuesday 08:00"),
        ("- Ana has the key", "- Ana and Farid hold the backup key"),
        ("- Refunds need a yes", "- A yes is needed by refunds"),
        ("- Der Lauf nimmt eine Sperre", "- Die Sperre nimmt der Auftrag"),
        ("- water the beds", "- 3 vans go to Berlin"),
        ("", f"- checks of templates stay on, says Jonas ({LOG})"),
        ("", "- nobody knows it (memory/gone.md)"),
    ],
)
def test_other_words_for_the_same_and_new_lines_are_not_noted(old: str, new: str) -> None:
    assert noted(f"same\n{old}\nend\n", f"same\n{new}\nend\n")[1] == {}


def test_a_source_that_says_something_else_is_noted() -> None:
    says = [f"{LOG} does not say this"]
    assert noted("", f"- All 312 agreed on the telephone, says Farid ({LOG})\n")[1] == {1: says}
    assert noted("", f"- 299 dates stood in a backup ({LOG})\n")[1] == {1: says}, "no number of the line is there"


def test_a_rule_that_only_goes_is_noted_on_its_old_line_unless_it_stands_elsewhere() -> None:
    rule = "- Never pay twice\n"
    assert noted(f"a\n{rule}b\n", "a\nb\n")[1] == {-2: ["goes with “never”"]}
    assert noted(f"a\n{rule}b\n{rule}", f"a\nb\n{rule}")[1] == {}
    assert noted(f"a\n{rule}b\n", "a\nb\n", "memory/state.json")[1] == {}


@given(LINES, LINES)
def test_notes_stand_on_changed_lines_alone_and_change_nothing_else(before: list[str], after: list[str]) -> None:
    old, new = "\n".join(before), "\n".join(after)
    diff, notes = noted(old, new)
    assert diff.rows == file_diff(NOTE, old.encode(), new.encode()).rows
    added = {row.right_no for row in diff.rows if row.kind is RowKind.ADDED}
    removed = {-(row.left_no or 0) for row in diff.rows if row.kind is RowKind.REMOVED}
    assert set(notes) <= added | removed


def test_what_memdeck_counts_again_has_no_notes() -> None:
    plan = tree_plan()
    diffs = change_diffs(plan, lambda _: b"- 3 of 7 days\n")
    assert with_notes(plan, diffs, read) == diffs
