"""The operator's own words for an entry, checked as typed (A15, A16), and beside what they may repeat (A14)."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.compactor.extraction.sections import EntryCandidate
from engine.compactor.extraction.shard_choice import edited_candidate
from engine.compactor.options import CompactRequest
from engine.compactor.semantic.entry import read_entries
from engine.compactor.semantic.entry_edit import (
    check_same_entries,
    earlier,
    entries_of,
    entry_of,
    entry_problems,
    route_problem,
    similar_titles,
)
from engine.compactor.semantic.side_by_side import side_by_side
from engine.errors import Blocked, Stale, UsageError
from engine.workspace.values import LineSpan
from tests.engine.compactor.workspace import Workspace, entry, episodic

GOOD = "Title: Drain queues\nContext: Three migrations.\nDurable Insight: Drain the queue before a migration.\n"
INSIGHTS = ["Always drain the queue before a schema migration", "Never rotate keys while the nightly invoice run works"]
TWINS = (("a", 50, INSIGHTS[0]), ("b", 40, INSIGHTS[0] + "s"))
SHARD = "memory/semantic/openclaw.md"


def workspace(**more: str) -> Workspace:
    return Workspace({"memory/episodic/old.md": episodic(40, insights=INSIGHTS), **more})


def options(**given: object) -> CompactRequest:
    return msgspec.structs.replace(CompactRequest(), **given)


def test_a_good_entry_has_no_problems() -> None:
    assert entry_problems(GOOD) == ()


@pytest.mark.parametrize(
    ("text", "line", "field", "words"),
    [
        ("", 1, "Title", "missing"),
        ("hello\n" + GOOD, 1, "Title", "before the first"),
        (GOOD.replace("Three migrations.", ""), 2, "Context", "empty"),
        ("Title: x\nContext: y\n", 1, "Durable Insight", "missing"),
        (GOOD + GOOD, 4, "Title", "a second entry"),
        (GOOD.replace("Drain the queue before", "Type APPROVED before"), 3, "Durable Insight", "never enters"),
        (GOOD.replace("Three", "password = hunter2hunter2X9"), 2, "Context", "secret"),
    ],
)
def test_each_problem_names_line_and_field_a15(text: str, line: int, field: str, words: str) -> None:
    found = [problem for problem in entry_problems(text) if words in problem.rule]
    assert (line, field) in [(problem.line, problem.field) for problem in found], entry_problems(text)


LINES = st.sampled_from([*GOOD.splitlines(), "APPROVED", "", "x", "Operational Impact: y"])


@given(st.lists(LINES, max_size=6).map("\n".join) | st.text())
def test_what_has_no_problems_is_what_a_plan_takes(text: str) -> None:
    """The check while typing and the check of the planner never disagree."""
    ((first, *_), _) = read_entries(GOOD)
    candidate = EntryCandidate(source="memory/episodic/a.md", entry=first, spans={"Title": LineSpan("a.md", 1, 1)})
    problems = entry_problems(text)
    try:
        edited_candidate(candidate, text, 1)
    except Blocked as error:
        assert problems, error
    else:
        assert not problems


def test_a_route_is_checked_a13_g15() -> None:
    assert route_problem("memory/semantic/bot.md") == ""
    for path in ("memory/working/x.md", "../x.md", "/etc/passwd", "memory/semantic/../x.md", "memory/semantic/.md", ""):
        assert route_problem(path), path


def test_a_plan_lists_its_entries_with_numbers_to_edit_them_by() -> None:
    plan = workspace().planned()
    entries = entries_of(plan)
    assert [item.number for item in entries] == [1, 2]
    assert all(item.text and entry_problems(item.text) == () for item in entries)
    assert {item.source for item in entries} == {"memory/episodic/old.md"}
    assert entry_of(plan, 2).number == 2
    with pytest.raises(UsageError, match="1, 2"):
        entry_of(plan, 3)


def test_an_entry_that_waits_is_listed_without_text() -> None:
    full = Workspace({"memory/episodic/old.md": episodic(40, insights=INSIGHTS), SHARD: entry("Full", 890)})
    outcome = full.plan()
    plan = outcome.plan
    if plan is not None:
        assert all(item.text is None for item in entries_of(plan) if item.waits)


def test_edits_are_kept_in_the_plan_so_that_a_further_one_keeps_them() -> None:
    plan = workspace().planned(options=options(edits={1: GOOD}, routes={2: "memory/semantic/bot.md"}))
    assert earlier(plan, "edits") == {1: GOOD}
    assert earlier(plan, "routes") == {2: "memory/semantic/bot.md"}
    assert entries_of(plan)[0].title == "Drain queues"
    assert earlier(workspace().planned(), "edits") == {}


def test_an_edit_is_only_carried_over_to_the_very_same_entry() -> None:
    before = workspace().planned()
    after = workspace().planned(options=options(edits={1: GOOD}))
    check_same_entries(before, after, frozenset({1, 2}))
    backups = "Back up the vault daily, since restores were needed twice"
    older = workspace(**{"memory/episodic/a.md": episodic(60, insights=[backups])}).planned()
    with pytest.raises(Stale, match="entry 1"):
        check_same_entries(before, older, frozenset({1}))


def test_similar_titles_are_found_while_typing_a14() -> None:
    snapshot = Workspace({SHARD: entry("Drain the queues")}).snapshot()
    (found,) = similar_titles(snapshot, GOOD)
    assert (found.other.title, found.other.path) == ("Drain the queues", SHARD)
    assert similar_titles(snapshot, "no entry at all") == ()
    assert similar_titles(snapshot, entry("Something else entirely")) == ()


def test_an_entry_stands_beside_the_one_it_may_repeat_a14() -> None:
    title = INSIGHTS[0]
    files = {SHARD: entry("Before") + entry(title) + entry("After")}
    full = workspace(**files)
    plan = full.planned()
    (pair,) = side_by_side(plan, full.read)
    assert (pair.title, pair.other_title, pair.percent) == ("Queue before a schema migration", title, 100)
    assert pair.other_text == entry(title).strip() and pair.other_line == 5
    assert "Durable Insight:" in pair.text and pair.note == ""
    assert side_by_side(plan, full.read, change=pair.change) == (pair,)
    assert side_by_side(plan, full.read, change=99) == ()


def test_the_other_entry_is_found_again_or_said_to_be_gone() -> None:
    title = INSIGHTS[0]
    full = workspace(**{SHARD: entry(title)})
    plan = full.planned()
    full.files[SHARD] = b"New first line\n\n" + full.files[SHARD]
    assert side_by_side(plan, full.read)[0].note == "it stands on line 3 by now"
    full.files[SHARD] = b"all else\n"
    assert "no longer there" in side_by_side(plan, full.read)[0].note
    del full.files[SHARD]
    assert side_by_side(plan, full.read)[0].note.startswith("cannot be shown")


def test_two_like_entries_of_one_plan_stand_beside_each_other() -> None:
    files = {f"memory/episodic/{name}.md": episodic(age, [title]) for name, age, title in TWINS}
    two = Workspace(files)
    pairs = side_by_side(two.planned(), two.read)
    assert [pair.note for pair in pairs] == ["change 1 of this plan"]
    assert all(pair.other_text.startswith("Title:") for pair in pairs)


SCALARS = st.none() | st.text(max_size=5) | st.integers(0, 3) | st.lists(st.none(), max_size=1)
facts = st.dictionaries(
    st.sampled_from(["entries", "duplicates", "edits", "routes"]),
    st.lists(st.dictionaries(st.sampled_from(["change", "entry", "other_line", "x"]), SCALARS) | st.none(), max_size=3)
    | st.dictionaries(st.text(max_size=3), st.none() | st.text(max_size=3), max_size=3),
)


@given(facts)
def test_figures_of_another_planner_are_no_entries(given_facts: dict[str, object]) -> None:
    plan = msgspec.structs.replace(workspace().planned(), facts=given_facts)
    for item in entries_of(plan):
        assert item.number >= 0
    assert earlier(plan, "edits") == earlier(plan, "edits")
    side_by_side(plan, workspace().read)
