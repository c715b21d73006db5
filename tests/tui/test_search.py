"""Search on screen: results as one types, narrowed, previewed, opened, saved, and what is said when it goes wrong."""

from collections.abc import Callable
from datetime import date
from threading import Event
from typing import Any

import msgspec
import pytest

from engine.errors import Damaged
from engine.plans.planning import PlanOutcome
from engine.search.saved_searches import SavedSearch
from engine.search.values import Category, CopyLevel, IndexState, SearchAnswer, SearchCopy, SearchMethod
from engine.workspace.values import Progress
from tests.ready_demo import Demo
from tests.tui.conftest import Deck, console_of, deck, focused, holds, screen_text, settled, shows
from tests.tui.hostile import hostile_strings
from tests.tui.searched import Searched
from tests.tui.test_hostile import FORBIDDEN
from tui.keys.naming import why_not
from tui.present.search.query_filters import Filters, SearchState
from tui.screens.page import TypedWords
from tui.screens.search.page import SearchPage
from tui.screens.tree.page import TreePage


def page_of(pilot: Deck) -> SearchPage:
    page = console_of(pilot).page
    assert isinstance(page, SearchPage)
    return page


async def typed(pilot: Deck, text: str) -> SearchPage:
    """Opens the screen, types a query and waits for its answer."""
    await pilot.press("6")
    page = page_of(pilot)
    page.field.value = text
    await answered(pilot, page, text)
    return page


async def answered(pilot: Deck, page: SearchPage, text: str) -> None:
    def is_answered() -> bool:
        found = page.found
        return found is not None and found.asked == page.asked and page.asked.text == text and not page.asking.busy

    await holds(pilot, is_answered, f"the answer to {text!r}")
    await settled(pilot)


def searched_otherwise(engine: Searched, why: str) -> None:
    """From now on the search answers without its index, for this reason."""
    find = engine.engine.search.find

    def otherwise(*given: Any, **named: Any) -> SearchAnswer:
        return msgspec.structs.replace(find(*given, **named), engine=SearchMethod.PYTHON, degraded=(why,))

    engine.stub.answers("search.find", otherwise)


async def test_results_come_as_one_types_with_the_match_in_view() -> None:
    async with deck(Searched()) as pilot:
        await pilot.press("6")
        await shows(pilot, "type to search")
        await pilot.press(*"deploy")
        text = await shows(pilot, "Found ⟨3⟩", "BM25 + vectors", "memory/working/2026-03-02-deploy.md:1")
        assert "2026-03-02-deploy" in text and "← found" in text
        page = await typed(pilot, "switch")
        text = await shows(pilot, "blue-green switch kept", ":43")
        assert "43 " in text and page.preview.cursor == 42


async def test_only_the_last_query_counts_and_the_others_are_told_to_stop() -> None:
    engine = Searched()
    first, go_on, stopped = Event(), Event(), list[bool]()
    find = engine.engine.search.find

    def slow(query: str, *given: Any, stop: Callable[[], bool], **named: Any) -> SearchAnswer:
        if query == "one":
            first.set()
            go_on.wait(20)
            stopped.append(stop())
        return find(query, *given, stop=stop, **named)

    engine.stub.answers("search.find", slow)
    asked = engine.stub.asked("search.find")
    async with deck(engine) as pilot:
        await pilot.press("6")
        page = page_of(pilot)
        page.ask(SearchState("one"))
        await holds(pilot, first.is_set, "the first question")
        page.ask(SearchState("two"))
        page.ask(SearchState("deploy"))
        go_on.set()
        await answered(pilot, page, "deploy")
        assert stopped == [True]
        assert [query for query, *_ in asked] == ["one", "deploy"]
        assert page.found is not None and page.found.asked.text == "deploy"


async def test_narrowing_by_category_and_dates_and_back() -> None:
    engine = Searched()
    asked = engine.stub.asked("search.find")
    async with deck(engine) as pilot:
        page = await typed(pilot, "deploy")
        await pilot.press("enter", "c")
        await pilot.press(*"person", "enter")
        await shows(pilot, "Found ⟨1⟩", "person · any date")
        await pilot.press("f")
        await pilot.press(*"nonsense", "enter")
        await shows(pilot, "not a day, a month, a year")
        await pilot.press("ctrl+u", *"2026-03", "enter")
        await shows(pilot, "person · 2026-03-01 to 2026-03-31")
        assert asked[-1][2] is Category.PERSON
        assert date(2026, 3, 1) in asked[-1]
        await pilot.press("escape")
        await shows(pilot, "any category · any date", "Found ⟨3⟩")
        assert page.asked == SearchState("deploy")


async def test_operators_are_read_only_when_asked_for_d10() -> None:
    async with deck(Searched()) as pilot:
        page = await typed(pilot, "deploy")
        await pilot.press("enter", "O")
        await shows(pilot, "+must -not word*")
        assert page.asked.filters.operators
        await pilot.press("O")
        await settled(pilot)
        assert page.asked.filters == Filters()


async def test_days_in_the_query_are_a_chip_that_one_key_takes_away() -> None:
    async with deck(Searched()) as pilot:
        page = await typed(pilot, "deploy on 3 March 2026")
        await shows(pilot, "[near 2026-03-03] d off")
        await pilot.press("enter", "d")
        await shows(pilot, "days in the query ignored")
        assert not page.asked.filters.days and "[near" not in screen_text(pilot)
        await pilot.press("escape")
        await shows(pilot, "[near 2026-03-03] d off")


async def test_scores_on_demand() -> None:
    engine = Searched()
    find = engine.engine.search.find

    def scored(*given: Any, **named: Any) -> SearchAnswer:
        answer, scores = find(*given, **named), {"score": 1.234, "words": 0.984, "meaning": 0.25}
        hits = tuple(msgspec.structs.replace(hit, **scores) for hit in answer.hits)
        return msgspec.structs.replace(answer, hits=hits)

    engine.stub.answers("search.find", scored)
    async with deck(engine) as pilot:
        await typed(pilot, "deploy")
        assert "score" not in screen_text(pilot).split("Scores")[0]
        await pilot.press("enter", "w")
        await shows(pilot, "▕██████▒▒▏ 1.234 = BM25 0.984 + vectors 0.250")


async def test_more_like_this_and_back_to_the_query() -> None:
    async with deck(Searched()) as pilot:
        page = await typed(pilot, "switch")
        await pilot.press("enter", "m")
        await shows(pilot, "Like this ⟨2⟩", "like 2026-03-02-deploy.md  memory/working")
        await pilot.press("escape")
        await shows(pilot, "Found ⟨1⟩")
        assert page.asked == SearchState("switch")


async def test_a_note_is_archived_and_brought_back_by_a_plan() -> None:
    engine = Searched()
    engine.stub.gives("plans.make", PlanOutcome(plan=None, reason_no_action="nothing is eligible"))
    planned = engine.stub.asked("plans.make")
    async with deck(engine) as pilot:
        page = await typed(pilot, "deploy")
        await pilot.press("enter", "A")
        await settled(pilot)
        assert [system for system, *_ in planned] == ["archive"] and page.hit is not None
        cold = msgspec.structs.replace(page.hit, path="archive/reference/x.md")
        answer = msgspec.structs.replace(page.found.answer, hits=(cold,)) if page.found is not None else None
        assert answer is not None and page.found is not None
        page._took(msgspec.structs.replace(page.found, answer=answer))
        await shows(pilot, "archived ")
        page.preview.action_archive()
        await settled(pilot)
        assert [system for system, *_ in planned] == ["archive", "restore"]


async def test_saving_recalling_and_forgetting_a_search() -> None:
    engine = Searched()
    async with deck(engine) as pilot:
        page = await typed(pilot, "deploy")
        await pilot.press("enter", "s")
        await pilot.press(*"mine", "enter")
        await shows(pilot, "saved as “mine”; S finds it again")
        assert engine.engine.search.saved.all() == (SavedSearch(name="mine", query="deploy"),)
        page.ask(SearchState("other", Filters(Category.NODE)))
        await settled(pilot)
        await pilot.press("S", "enter")
        await shows(pilot, "Found ⟨3⟩")
        assert page.asked == SearchState("deploy") and page.field.value == "deploy"
        await pilot.press("X", "enter")
        await shows(pilot, "mine is forgotten")
        assert engine.engine.search.saved.all() == ()
        await pilot.press("S")
        await shows(pilot, "no search is saved yet")


async def test_a_hit_opens_in_the_editor_at_the_line_that_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, int]] = []

    def edited(_: object, path: str, text: bytes, line: int) -> bytes:
        seen.append((path, line))
        return text

    monkeypatch.setattr("tui.system.editor.edited", edited)
    engine = Searched()
    useful = engine.stub.asked("search.found_useful")
    async with deck(engine) as pilot:
        await typed(pilot, "switch")
        await pilot.press("enter", "e")
        await settled(pilot)
        await pilot.press("enter", "j", "enter")
        await settled(pilot)
        note = "memory/working/2026-03-02-deploy.md"
        assert seen == [(note, 43), (note, 44)]
        assert set(useful) == {("memory/working/2026-03-02-deploy.md",)}


async def test_a_note_that_is_gone_opens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.system.editor.edited", lambda *_: pytest.fail("it was opened"))
    engine = Searched()
    async with deck(engine) as pilot:
        await typed(pilot, "switch")
        (engine.folder / "memory/working/2026-03-02-deploy.md").unlink()
        await pilot.press("enter", "e")
        await shows(pilot, "there is no such", "note any more")


async def test_read_only_opens_no_editor() -> None:
    async with deck(Searched(), read_only=True) as pilot:
        await typed(pilot, "switch")
        await pilot.press("enter", "e")
        await shows(pilot, "read-only: an editor could change the note")


async def test_a_fallback_is_said_in_words() -> None:
    engine = Searched()
    searched_otherwise(engine, "searched file by file: memory.db is being written by another process")
    async with deck(engine) as pilot:
        await typed(pilot, "deploy")
        await shows(pilot, "file by file, without the index", "▲ searched file by file: memory.db is being written")


async def test_an_error_is_shown_where_the_hits_would_be_and_the_next_query_works() -> None:
    engine = Searched()
    engine.stub.fails("search.find", Damaged("the workspace is gone", where="/w"))
    async with deck(engine) as pilot:
        await pilot.press("6")
        page_of(pilot).field.value = "deploy"
        await shows(pilot, "✗ Damaged", "the workspace is gone")
        engine.stub.mends("search.find")
        await typed(pilot, "switch")
        await shows(pilot, "Found ⟨1⟩")


async def test_keys_that_would_do_nothing_are_not_offered() -> None:
    async with deck(Searched()) as pilot:
        await pilot.press("6")
        await shows(pilot, "esc Out of the field")
        assert "/ Query" not in screen_text(pilot), "one is in the field"
        await pilot.press("escape")
        await shows(pilot, "/ Query")
        console = console_of(pilot)
        assert why_not(focused(pilot), "select") and why_not(console.page, "scores")


async def test_progress_of_the_index_is_shown() -> None:
    async with deck(Searched()) as pilot:
        await typed(pilot, "deploy")
        keeper = console_of(pilot).keeper
        keeper.standing, keeper.progress = IndexState(lacking=900), Progress("embedding", 100, 1000)
        page_of(pilot).show_standing()
        await shows(pilot, "embedding 100/1,000")


async def test_what_was_answered_without_the_whole_index_is_asked_again_once_it_is_there() -> None:
    engine = Searched()
    engine.engine.search.index()
    searched_otherwise(engine, "searched file by file: the index lacks 3 files")
    engine.stub.gives("search.keep_index", IndexState(pending=3))
    async with deck(engine) as pilot:
        page = await typed(pilot, "deploy")
        await shows(pilot, "the index lacks 3 files", "3 files to index")
        engine.stub.mends("search.find")
        engine.stub.mends("search.keep_index")
        console_of(pilot).keeper.wake()
        await shows(pilot, "BM25 + vectors")
        assert page.found is not None and page.found.answer.degraded == ()


async def test_a_changed_workspace_is_searched_again_and_the_cursor_stays() -> None:
    engine = Searched()
    engine.stub.mends("status.read")
    engine.stub.mends("status.changed")
    async with deck(engine) as pilot:
        page = await typed(pilot, "deploy")
        await pilot.press("enter", "j", "j")
        await settled(pilot)
        assert page.hit is not None and page.hit.path == "knowledge/people/ana.md"
        engine.write("knowledge/a-new.md", "# Deploy\n\ndeploy, deploy, deploy\n")
        console_of(pilot).read_all()
        await shows(pilot, "Found ⟨4⟩")
        assert page.hit.path == "knowledge/people/ana.md"


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (60, 16)])
async def test_every_pane_is_reached_by_keys_at_every_size(size: tuple[int, int]) -> None:
    async with deck(Searched(), size) as pilot:
        page = await typed(pilot, "switch")
        await pilot.press("down")
        assert page.current == "hits"
        await pilot.press("enter")
        await shows(pilot, "blue-green switch kept", "← found")
        assert page.current == "preview"
        await pilot.press("escape")
        assert page.current == "hits"
        await pilot.press("up")
        assert page.current == "query"
        await pilot.press("escape", "slash")
        assert page.field.has_focus


async def test_a_note_opens_below_its_frontmatter() -> None:
    engine = Searched({"knowledge/a.md": "---\nlevel: day\nbird: crane\n---\nzebra\n" + "x\n" * 60})
    async with deck(engine) as pilot:
        page = await typed(pilot, "zebra")
        await holds(pilot, lambda: page.preview.count > 60, "the note")
        await settled(pilot)
        assert "level: day" not in screen_text(pilot) and page.preview.cursor == 4
        await pilot.press("enter", "enter", "g")
        await shows(pilot, "level: day")


async def test_n_goes_from_match_to_match() -> None:
    engine = Searched({"knowledge/a.md": "zebra\n" + "x\n" * 30 + "zebra\n" + "x\n" * 30 + "zebra\n"})
    async with deck(engine) as pilot:
        page = await typed(pilot, "zebra")
        await pilot.press("enter", "enter")
        places = []
        for key in ("n", "n", "n", "N"):
            await pilot.press(key)
            places.append(page.preview.cursor)
        assert places == [31, 62, 62, 31]


async def test_a_second_click_on_either_line_of_a_hit_opens_it() -> None:
    async with deck(Searched()) as pilot:
        page = await typed(pilot, "deploy")
        await pilot.click("#hits", offset=(5, 4))
        await settled(pilot)
        assert page.hits.entry == 1
        await pilot.click("#hits", offset=(5, 4), times=2)
        await settled(pilot)
        assert page.current == "preview"


async def test_hostile_notes_do_no_harm() -> None:
    texts = (text.encode("utf-8", "replace").decode() for text in hostile_strings())  # a note holds no lone surrogate
    strings = [text for text in texts if text.strip()][:60]
    engine = Searched({f"knowledge/n{number}.md": f"zebra {text}\n" for number, text in enumerate(strings)})
    async with deck(engine) as pilot:
        await typed(pilot, "zebra")
        await pilot.press("enter")
        for _ in range(len(strings)):
            await pilot.press("j")
            assert not FORBIDDEN.search(screen_text(pilot).replace("\n", ""))
        await settled(pilot)
        assert not FORBIDDEN.search(screen_text(pilot).replace("\n", ""))


async def test_the_index_is_kept_only_where_there_is_one_and_never_read_only() -> None:
    for has_index, read_only, expected in ((True, False, True), (False, False, False), (True, True, False)):
        engine = Searched()
        if has_index:
            engine.engine.search.index()
        kept = engine.stub.asked("search.keep_index")
        async with deck(engine, read_only=read_only) as pilot:
            if expected:
                await holds(pilot, lambda kept=kept: bool(kept), "a look after the index")  # type: ignore[misc]
            await settled(pilot)
            assert bool(kept) is expected


async def test_a_node_opens_in_the_tree_at_its_line_and_another_note_by_itself(own_demo: Demo) -> None:
    from tui.app import MemdeckApp
    from tui.bridge.engine_source import Opening

    opening = Opening(own_demo.folder, own_demo.open_today)
    async with MemdeckApp(opening, user_home="/home/ana").run_test(size=(120, 36), notifications=True) as pilot:
        await settled(pilot)
        page = await typed(pilot, "checkout")
        assert page.found is not None
        kinds = [hit.category for hit in page.found.answer.hits]
        for _ in range(kinds.index(Category.NODE)):
            page.hits.action_move(1)
        node = page.hit
        assert node is not None
        await pilot.press("enter", "o")
        await holds(pilot, lambda: _stands_on(console_of(pilot).page, node.path), f"{node.path} in the tree")
        await pilot.press("6")
        await settled(pilot)
        kinds = [hit.category for hit in page.found.answer.hits]  # what was opened breaks ties
        page.hits.action_move_to(0)
        page.hits.go(2 * kinds.index(Category.PROJECT))
        await pilot.press("o")
        await shows(pilot, f"╭─ {page.found.answer.hits[kinds.index(Category.PROJECT)].path}")


def _stands_on(page: object, path: str) -> bool:
    return isinstance(page, TreePage) and page.nodes.here == path and page.text_pane.text is not None


async def test_the_command_line_searches_and_y_copies_path_and_line() -> None:
    async with deck(Searched()) as pilot:
        page = await typed(pilot, "x")
        assert page.show(TypedWords(("deploy",)))
        await answered(pilot, page, "deploy")
        assert page.field.value == "deploy"
        assert page.hits.text_to_copy() == "memory/working/2026-03-02-deploy.md:1"


async def test_v_opens_each_copy_of_a_hit_and_then_the_hit_itself() -> None:
    engine = Searched()
    find = engine.engine.search.find

    def copied(*given: Any, **named: Any) -> SearchAnswer:
        answer = find(*given, **named)
        first, second, third = answer.hits
        copies = (SearchCopy(second.path, CopyLevel.DAY, 2), SearchCopy(third.path, CopyLevel.WEEK, 3))
        return msgspec.structs.replace(answer, hits=(msgspec.structs.replace(first, copies=copies), second))

    engine.stub.answers("search.find", copied)
    async with deck(engine) as pilot:
        page = await typed(pilot, "deploy")
        page.turn_to("hits")
        assert page.hit is not None and page.hits.shown == page.hit
        first, ladder = page.hit, page.hit.copies
        await pilot.press("v")
        text = await shows(pilot, "copy 1 of 2, day")
        assert (
            page.preview.cursor == 1
            and page.hits.text_to_copy() == f"{ladder[0].label}:2"
            and f"{ladder[0].path}:2" in text
        )
        await pilot.press("v")
        await shows(pilot, "copy 2 of 2, week")
        assert (page.hits.shown.path, page.hits.shown.line) == (ladder[1].path, 3)
        await pilot.press("v")
        await shows(pilot, f"{first.path}:{first.line}")
        assert page.hits.shown == first
        await pilot.press("V")
        await shows(pilot, "copy 2 of 2, week")
        await pilot.press("down")
        await settled(pilot)
        assert page.hits.shown == page.hit and page.hits.copy_number == 0
        assert why_not(page, "copy(1)") == "no other file says the same"
