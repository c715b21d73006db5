"""A semantic entry in the operator's words: checked as it is typed, never written, made into another plan."""

from pathlib import Path

import msgspec
import pytest
from textual.app import App
from textual.widgets import TextArea

from engine.compactor.semantic.entry import SchemaProblem
from engine.errors import Blocked
from engine.plans.plan import PlanState
from tests.prepared import NOTE
from tests.tui.conftest import Deck, deck, holds, screen_text, settled, shows
from tests.tui.entries import OMITTED, Entries, repeated
from tests.values import append_plan, compaction, tree_plan
from tui.present.approvals import entry_checks
from tui.present.spans import plain
from tui.screens.approvals.entry_editor import EntryEditor
from tui.screens.approvals.page import ApprovalsPage
from tui.screens.approvals.plan_actions import PlanActions

PLAN = "p-20260315-0002"
GOOD = "Title: Pause first\nContext: One night in March.\nDurable Insight: Pause the queue before a migration."


async def editor(pilot: Deck) -> EntryEditor:
    """The editor over the Approvals, once what it shows was checked."""
    await pilot.press("2")
    await settled(pilot)
    await pilot.press("e")
    await settled(pilot)
    screen = pilot.app.screen
    assert isinstance(screen, EntryEditor)
    return screen


async def write(pilot: Deck, text: str) -> None:
    pilot.app.screen.query_one(TextArea).load_text(text)
    await settled(pilot)


async def test_the_entry_is_checked_as_one_types_and_made_into_a_plan() -> None:
    engine = Entries([append_plan()])
    async with deck(engine) as pilot:
        await editor(pilot)
        await shows(pilot, f"Entry 1 of {PLAN}", "✓ meets the schema")
        await write(pilot, "Title: Pause first\nContext: One night.")
        await shows(pilot, "✗ line", "Durable Insight:")
        await pilot.press("ctrl+s")
        await shows(pilot, "fix what is marked")
        assert engine.reworded == []
        await write(pilot, GOOD)
        await shows(pilot, "✓ meets the schema")
        await pilot.press("ctrl+s")
        await settled(pilot)
        text = await shows(pilot, "p-20260315-0101", "Pause the queue before a migration.")
        assert "Made again" in text and "A new plan waits" not in text
        assert engine.entry(PLAN).state is PlanState.SUPERSEDED
        assert not engine.approvals, "rewording approves nothing"


async def test_on_the_lowest_terminal_faults_and_keys_stay_in_sight() -> None:
    async with deck(Entries([append_plan()]), (60, 16)) as pilot:
        await editor(pilot)
        await write(pilot, "zzz")
        await shows(pilot, "✗ line 1", "ctrl+s", "esc")


async def test_a_title_like_one_there_is_is_named_while_it_is_typed() -> None:
    async with deck(Entries([append_plan()])) as pilot:
        await editor(pilot)
        await shows(pilot, "▲ 96 % like “Drain queues before any migration” semantic/openclaw.md:34")


async def test_hidden_characters_in_the_field_are_named() -> None:
    """G13: a text field cannot show them, so what stands below it does."""
    async with deck(Entries([append_plan()])) as pilot:
        await editor(pilot)
        await write(pilot, GOOD.replace("One", "O\u202ene"))
        assert "⟨U+202E⟩" in await shows(pilot, "! hidden")


async def test_words_are_not_lost_by_one_key() -> None:
    engine = Entries([append_plan()])
    async with deck(engine) as pilot:
        await editor(pilot)
        await write(pilot, GOOD)
        await pilot.press("escape")
        await shows(pilot, "esc again leaves")
        await pilot.press("escape")
        await pilot.pause()
        assert not isinstance(pilot.app.screen, EntryEditor)
        assert engine.reworded == []


async def test_an_entry_goes_to_another_shard_a21() -> None:
    engine = Entries([append_plan()])
    async with deck(engine) as pilot:
        await editor(pilot)
        await pilot.press("tab", "end", *["backspace"] * len("openclaw.md"), *"../x.md")
        await shows(pilot, "✗ memory/semantic/../x.md")
        await pilot.press(*["backspace"] * len("../x.md"), *"bot.md")
        await shows(pilot, "✓ meets the schema")
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert engine.reworded == [(PLAN, {}, {1: "memory/semantic/bot.md"})]


async def test_many_entries_go_to_another_shard_at_once_a21() -> None:
    first = append_plan().changes[0]
    changes = tuple(msgspec.structs.replace(first, n=n) for n in (1, 2))
    engine = Entries([msgspec.structs.replace(append_plan(), changes=changes)])
    async with deck(engine) as pilot:
        await editor(pilot)
        await shows(pilot, "`*word*=PATH` sends all with such a title")
        await pilot.press("tab", "home", *"*pipes*=")
        await shows(pilot, "✗ 0 entries of this plan with such a title")
        await pilot.press("home", *["delete"] * len("*pipes*"), *"*queues*")
        await shows(pilot, "→ 2 entries of this plan with such a title")
        await pilot.press("end", *["backspace"] * len("openclaw.md"), *"queues.md", "ctrl+s")
        await settled(pilot)
        assert engine.reworded == [(PLAN, {}, {"*queues*": "memory/semantic/queues.md"})]
        await shows(pilot, "Made again")


def test_the_reason_of_the_shard_is_shown_a24() -> None:
    assert "goes to the shard: it names “backup”" in plain(entry_checks.goes_to("it names “backup”"))


async def test_what_the_engine_refuses_is_said() -> None:
    engine = Entries([append_plan()])
    async with deck(engine) as pilot:
        await editor(pilot)
        await write(pilot, GOOD)
        engine.stub.fails("entries.reword", Blocked("over the hard limit", where="memory/semantic/openclaw.md"))
        await pilot.press("ctrl+s")
        await shows(pilot, "over the hard limit")
        assert engine.entry(PLAN).state is PlanState.PENDING


async def test_a_plan_without_entries_says_why() -> None:
    async with deck(Entries([tree_plan()])) as pilot:
        await pilot.press("2")
        await settled(pilot)
        await pilot.press("e")
        await shows(pilot, "this plan has no semantic entry to edit")


async def test_of_several_entries_one_is_chosen() -> None:
    first = append_plan().changes[0]
    move = compaction().changes[1]
    changes = (msgspec.structs.replace(move, n=1, requires=()), *(msgspec.structs.replace(first, n=n) for n in (2, 3)))
    async with deck(Entries([msgspec.structs.replace(append_plan(), changes=changes)])) as pilot:
        await pilot.press("2")
        await settled(pilot)
        await pilot.press("e")
        await shows(pilot, "Which entry?")
        await pilot.press("down", "enter")
        await shows(pilot, "Entry 2 of")
        await pilot.press("escape", "right", "e")
        await shows(pilot, "Entry 1 of")


async def test_the_operators_editor_gets_the_text_and_gives_it_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def rewrites(app: "App[object]", path: Path, line: int) -> None:
        assert "Drain" in path.read_text("utf-8")
        path.write_text(GOOD + "\n", encoding="utf-8")

    monkeypatch.setattr("tui.system.editor.edit", rewrites)
    async with deck(Entries([append_plan()])) as pilot:
        screen = await editor(pilot)
        await pilot.press("ctrl+o")
        await settled(pilot)
        assert screen.query_one(TextArea).text == GOOD
        await shows(pilot, "✓ meets the schema")


async def test_an_entry_stands_beside_the_one_it_may_repeat() -> None:
    engine = Entries([append_plan()])
    engine.stub.answers("entries.similar", repeated)
    async with deck(engine, (140, 40)) as pilot:
        await pilot.press("2")
        await settled(pilot)
        await pilot.press("v")
        await shows(pilot, "Kept already  semantic/openclaw.md:34 ──", "93 % alike")
        text = await shows(pilot, "│ New ")
        titles = next(line for line in text.split("\n") if "Kept already" in line)
        line = next(line for line in text.split("\n") if "− Title: Drain queues before any migration" in line)
        assert "+ Title: Drain queues before a migration" in line
        assert line[titles.index("│ New")] == "│", "each name stands over its column"
        await pilot.press("escape")
        await pilot.pause()
        assert pilot.app.query_one(ApprovalsPage).display and len(pilot.app.screen_stack) == 1


async def test_a34_the_one_there_is_kept_alone_by_refusing_the_change_that_adds_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refused = list[int]()
    monkeypatch.setattr(PlanActions, "refuse", lambda _actions, _plan, numbers: refused.extend(numbers))
    engine = Entries([append_plan()])
    engine.stub.answers("entries.similar", repeated)
    async with deck(engine, (140, 40)) as pilot:
        await pilot.press("2")
        await settled(pilot)
        await pilot.press("v")
        await shows(pilot, "93 % alike", "o old alone")
        await pilot.press("o")
        await holds(pilot, lambda: refused == [1], "the refusal of the change")


async def test_a34_own_words_take_three_keys_from_the_pair() -> None:
    engine = Entries([append_plan()])
    engine.stub.answers("entries.similar", repeated)
    async with deck(engine, (80, 24)) as pilot:
        await pilot.press("2", "enter")
        await settled(pilot)
        await pilot.press("v")
        await shows(pilot, "old alone", "own words, old stays", "esc both")
        await pilot.press("e")
        await shows(pilot, "ctrl+s plan again")
        assert isinstance(pilot.app.screen, EntryEditor)


async def test_where_a_line_came_from_is_one_key_away() -> None:
    engine = Entries([append_plan()])
    engine.write("memory/episodic/2026-02-01-migration.md", NOTE)
    async with deck(engine) as pilot:
        await pilot.press("2", "enter", "G", "enter")
        await settled(pilot)
        assert "source line 9" in screen_text(pilot)
        await pilot.press("escape")
        await pilot.pause()
        assert "source line 9" not in screen_text(pilot)


def test_a_problem_of_several_lines_is_said_once() -> None:
    problems = tuple(SchemaProblem(line, "Title", "text stands before the first Title:") for line in range(1, 7))
    said = entry_checks.verdict((*problems, SchemaProblem(1, "Title", "missing")), "")
    assert [plain(line) for line in said] == [
        "✗ lines 1–6 Title: text stands before the first Title:",
        "✗ line 1 Title: missing",
    ]
    apart = tuple(SchemaProblem(line, "Title", "missing") for line in (1, 3, 5, 7, 9))
    assert [plain(line) for line in entry_checks.verdict(apart, "")] == ["✗ lines 1, 3, 5, 7… Title: missing"]


async def test_what_a_summary_left_out_is_one_key_away() -> None:
    plan = append_plan()
    changes = (msgspec.structs.replace(plan.changes[0], dropped=("1 × routine heartbeat line",)), *plan.changes[1:])
    engine = Entries([msgspec.structs.replace(plan, changes=changes)])
    engine.stub.gives("entries.left_out", OMITTED)
    async with deck(engine, (140, 40)) as pilot:
        await pilot.press("2")
        await settled(pilot)
        await pilot.press("x")
        await shows(pilot, "Omitted from the summaries", "3  routine heartbeat line", "08:00 heartbeat: ok")


async def test_a_plan_that_leaves_nothing_out_says_so() -> None:
    async with deck(Entries([append_plan()]), (140, 40)) as pilot:
        await pilot.press("2")
        await settled(pilot)
        await pilot.press("x")
        await shows(pilot, "this plan leaves nothing out")


async def test_an_entry_that_is_offered_is_taken_as_it_stands() -> None:
    engine = Entries([append_plan()])
    (first,) = engine.of_plan(append_plan())
    offer = {"number": 2, "change": None, "title": "A fourth", "offered": "further insight"}
    engine.offers = (msgspec.structs.replace(first, **offer),)
    async with deck(engine) as pilot:
        await pilot.press("2")
        await settled(pilot)
        text = engine.offers[0].text
        page = pilot.app.query_one(ApprovalsPage)
        assert page.selection.loaded is not None
        page.queue.deciding.edit_entry(page.selection.loaded, 99)
        await shows(pilot, "A fourth", "not kept: further insight")
        await pilot.press("down", "enter")
        await settled(pilot)
        await pilot.press("ctrl+s")
        await settled(pilot)
        assert [edits for _, edits, _ in engine.reworded] == [{2: text}]
