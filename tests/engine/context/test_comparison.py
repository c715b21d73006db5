"""Two prompts side by side: what came in, what fell out, and why (autopoiesis §6)."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings

from engine.context.compile.prompt import ItemFate, ItemState, PromptComparison, PromptSlot, compare_prompts
from engine.context.platforms.platform import SessionKind
from engine.errors import UsageError
from engine.services.engine import Engine
from tests.engine.context.test_compiler import PIECES, made, piece, turns, words
from tests.engine.context.test_context_service import console, folder  # noqa: F401 (fixtures)
from tests.engine.context.test_probes import planned, replaced
from tests.turn import examples


def fates(found: PromptComparison) -> dict[str, tuple[str, str]]:
    return {change.item.label: (change.fate.value, change.reason) for change in found.changes}


def test_a_larger_budget_brings_in_what_fell_out_of_the_smaller_one_and_says_why() -> None:
    pieces = (
        piece(PromptSlot.KNOWLEDGE, "a.md", words(60)),
        piece(PromptSlot.KNOWLEDGE, "b.md", words(600)),
        piece(PromptSlot.MEMORY, "MEMORY.md", words(700)),
    )
    small, large = made(pieces, budget=512), made(pieces, budget=8192)
    found = compare_prompts(("512", "8,192"), small, large)
    told = fates(found)
    assert told["b.md"][0] == "came in" and told["b.md"][1].startswith("before: does not fit: ")
    assert told["MEMORY.md"][0] == "changed" and told["MEMORY.md"][1].startswith("before: ")
    assert told["a.md"] == ("same", "") and not found.prefix_kept
    back = fates(compare_prompts(("8,192", "512"), large, small))
    assert back["b.md"][0] == "fell out" and back["b.md"][1].startswith("does not fit: ")


def test_lines_that_differ_are_named_without_the_fences() -> None:
    before = made((piece(PromptSlot.MEMORY, "MEMORY.md", "- one\n- two\n- two\n"),))
    after = made((piece(PromptSlot.MEMORY, "MEMORY.md", "- two\n- three\n"),))
    (change,) = (one for one in compare_prompts(("a", "b"), before, after).changes if one.fate is not ItemFate.SAME)
    assert (change.gone, change.added) == (("- one", "- two"), ("- three",))
    assert change.reason == "its text is another"


def test_what_is_no_candidate_on_one_side_has_its_reason_too() -> None:
    known = (piece(PromptSlot.KNOWLEDGE, "k.md", "known"), piece(PromptSlot.IDENTITY, "SOUL.md", "soul"))
    told = fates(compare_prompts(("a", "b"), made(known, turns("hi")), made()))
    assert told["k.md"] == ("fell out", "search does not find it among the first")
    assert told["SOUL.md"] == ("fell out", "there is no such file")
    assert ("fell out", "it is not among the newest turns that fit") in told.values()


@settings(max_examples=examples(60), deadline=None)
@given(PIECES, PIECES)
def test_every_item_of_both_is_accounted_for_and_nothing_differs_without_a_reason(one: tuple, other: tuple) -> None:  # type: ignore[type-arg]
    before, after = made(one, budget=2048), made(other, budget=1024)
    found = compare_prompts(("a", "b"), before, after)
    assert sum(change.before is not None for change in found.changes) == len(before.items)
    assert sum(change.after is not None for change in found.changes) == len(after.items)
    assert all(change.reason for change in found.changes if change.fate is not ItemFate.SAME)
    same = compare_prompts(("a", "a"), before, before)
    assert same.prefix_kept and {change.fate for change in same.changes} == {ItemFate.SAME}


# ── over a workspace ───────────────────────────────────────────────────────────────────────────────────────────────


def compared(console: Engine, other: str) -> PromptComparison:  # noqa: F811
    return console.comparisons.compare("the zebra", SessionKind.MAIN, other)


def test_before_and_after_a_plan(console: Engine, folder: Path) -> None:  # noqa: F811
    console.plans._opened.scan()
    user = replaced(1, "USER.md", "# User\n\nBob decides.\n")
    zebra = replaced(2, "knowledge/reference/zebra.md", "# Other\n\nNothing of stripes.\n")
    plan = console.plans._queue.file(planned(console, user, zebra))
    before = (folder / "USER.md").read_bytes()
    found = compared(console, plan.id)
    told = fates(found)
    assert found.names == ("now", f"after {plan.id}") and not found.prefix_kept
    assert told["USER.md"] == ("changed", "its text is another")
    change = next(one for one in found.changes if one.item.label == "USER.md")
    assert (change.gone, change.added) == (("Ana decides.",), ("Bob decides.",))
    assert "The zebra crossing" not in found.after.prompt and (folder / "USER.md").read_bytes() == before


def test_two_budgets(console: Engine) -> None:  # noqa: F811
    found = compared(console, "400..8,192")
    assert (found.before.budget, found.after.budget) == (400, 8192) and found.count(ItemFate.CAME_IN)
    assert (compared(console, "400").before.budget, compared(console, "400").after.budget) == (8192, 400)


def test_two_dates(console: Engine, folder: Path) -> None:  # noqa: F811
    def commit(at: str) -> None:
        dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at, "HOME": str(folder.parent)}
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        for words_ in (("init", "-q"), ("add", "USER.md", "knowledge"), ("commit", "-qm", "x")):
            subprocess.run(["git", *who, *words_], cwd=folder, env=os.environ | dates, check=True)

    commit("2026-02-01T12:00:00Z")
    (folder / "USER.md").write_text("# User\n\nBob decides.\n")
    commit("2026-03-01T12:00:00Z")
    found = compared(console, "2026-02-10..2026-03-10")
    change = next(one for one in found.changes if one.item.label == "USER.md")
    assert change.fate is ItemFate.CHANGED and change.added == ("Bob decides.",)
    assert found.names == ("2026-02-10", "2026-03-10")
    to_now = compared(console, "2026-02-10")
    assert to_now.names == ("2026-02-10", "now") and to_now.after.items[0].state is ItemState.INCLUDED


@pytest.mark.parametrize("other", ["", "..", "400..", "400..2026-03-01", "0..0", "yesterday-ish", "2026-13-01"])
def test_what_cannot_be_compared_is_said(console: Engine, other: str) -> None:  # noqa: F811
    with pytest.raises(UsageError):
        compared(console, other)
