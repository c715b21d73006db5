"""A line is forgotten or corrected from the Tree and from Search, in few keys to the typed word (decision D62)."""

from pathlib import Path

import pytest
from textual.widgets import Input

from engine.plans.plan import Replace
from engine.services.engine import Engine
from tests.ready_demo import Demo, copy, make
from tests.tui.conftest import Deck, answer, console_of, deck, holds, look_through, screen_text, settled, shows
from tests.values import NOW
from tui.dialogs.confirm import ConfirmDialog
from tui.dialogs.line_input import AskLine
from tui.dialogs.picker import Picker

RAW = "memory/2026-01-05.md"


@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
async def test_d62_a_line_is_forgotten_in_six_keys_to_the_typed_word(own_demo: Demo, size: tuple[int, int]) -> None:
    with own_demo.open_today() as engine:
        async with deck(engine, size) as pilot:
            await console_of(pilot).open_file(RAW, 5)
            await settled(pilot)
            await pilot.press("x")
            await settled(pilot)
            assert isinstance(pilot.app.screen, Picker)
            shown = screen_text(pilot)
            assert f"Forget {RAW}:5" in shown and "From its sources too" in shown and "git's history stays" in shown
            await pilot.press("down", "down", "enter")
            await settled(pilot)
            plan = [one for one in engine.plans.queue() if one.system == "forget"][-1]
            assert RAW in plan.targets and plan.risk_tier == "C"
            await pilot.press("2")
            await settled(pilot)
            assert "forget" in screen_text(pilot)
            await pilot.press("ctrl+a")
            await holds(pilot, lambda: isinstance(pilot.app.screen, ConfirmDialog), "the question")
            await shows(pilot, "APPROVED", plan.id)


@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
async def test_of_a_line_of_several_facts_it_is_asked_which(demo: Demo, tmp_path: Path, size: tuple[int, int]) -> None:
    place = copy(demo, tmp_path)
    log = place.folder / RAW
    before = log.read_text("utf-8")
    number = before.count("\n") + 1
    log.write_text(f"{before}- The port is 5433. Ana lives in Berlin. Kept as it is.\n")
    with place.open_today() as engine:
        async with deck(engine, size) as pilot:
            await console_of(pilot).open_file(RAW, number)
            await settled(pilot)
            await pilot.press("x")
            await shows(pilot, f"Which fact of {RAW}:{number}?", "2  Ana lives in Berlin.", "All 3 facts")
            await pilot.press("down", "enter")
            await shows(pilot, f"Forget {RAW}:{number} “Ana lives in Berlin.”", "From its sources too")
            await pilot.press("down", "down", "enter")
            await settled(pilot)
            plan = engine.plans.load([one for one in engine.plans.queue() if one.system == "forget"][-1].id)
    (change,) = plan.changes
    assert isinstance(change, Replace) and change.content.endswith("\n- The port is 5433. (forgotten) Kept as it is.\n")


async def test_a_line_is_corrected_by_what_is_typed(own_demo: Demo) -> None:
    with own_demo.open_today() as engine:
        async with deck(engine) as pilot:
            await console_of(pilot).open_file(RAW, 5)
            await settled(pilot)
            await pilot.press("E")
            await settled(pilot)
            assert isinstance(pilot.app.screen, AskLine) and f"Correct {RAW}:5" in screen_text(pilot)
            assert pilot.app.screen.query_one(Input).value, "the line as it stands, to be mended"
            await pilot.press("ctrl+u", *"no call", "enter")
            await settled(pilot)
            plan = [one for one in engine.plans.queue() if one.system == "correct"][-1]
            assert plan.risk_tier == "C"


async def test_a_line_of_any_diff_is_forgotten_where_it_stands_now(own_demo: Demo) -> None:
    with own_demo.open_today() as engine:
        async with deck(engine) as pilot:
            await pilot.press("7")
            await shows(pilot, "2026-03-12.md +31")
            console_of(pilot).page.turn_to("past")
            await pilot.press("G", "x")
            await settled(pilot)
            assert isinstance(pilot.app.screen, Picker) and "Forget " in screen_text(pilot)
            await pilot.press("escape")
            await console_of(pilot).open_plan("p-20260313-0001")
            await shows(pilot, "2026-03-12.md  +31")
            console_of(pilot).page.turn_to("diff")
            await pilot.press("right", "n", *"jjjj", "E")
            await settled(pilot)
            assert "Correct memory/daily/2026-03-06.md:" in screen_text(pilot)


async def test_words_are_typed_to_be_forgotten(own_demo: Demo) -> None:
    with own_demo.open_today() as engine:
        async with deck(engine) as pilot:
            await pilot.press("colon", *"forget night shift", "enter")
            await settled(pilot)
            assert "Forget “night shift”" in screen_text(pilot)
            await pilot.press("escape", "colon", *"forget --about Mirembe", "enter")
            await settled(pilot)
            assert "Forget all about Mirembe" in screen_text(pilot)
            await pilot.press("down", "down", "enter")
            await settled(pilot)
            plan = [one for one in engine.plans.queue() if one.system == "forget"][-1]
            assert "Mirembe" in str(engine.plans.load(plan.id).facts)


async def test_the_line_of_a_hit_is_forgotten_from_search(own_demo: Demo) -> None:
    with own_demo.open_today() as engine:
        async with deck(engine) as pilot:
            await pilot.press("6", *"timeout", "enter")
            await settled(pilot)
            await pilot.press("x")
            await settled(pilot)
            assert "From its sources too" in screen_text(pilot)
            await pilot.press("escape", "E")
            await settled(pilot)
            assert "what holds in its place" in screen_text(pilot)


@pytest.mark.sampled(3)
async def test_d62_a_private_fact_of_the_demonstration_is_forgotten_in_ten_keys(tmp_path: Path) -> None:
    place = make(tmp_path, git=False, now=NOW)
    with Engine.open(place.folder, env=place.env, clock=lambda: NOW) as engine:
        async with deck(engine) as pilot:
            assert await _forgotten(pilot, engine, "on the road on Thursdays") == (9, 0)
    assert len(list(tmp_path.rglob("receipts/o-*.json"))) == 1
    assert "On the road" not in (place.folder / "knowledge/people/ana-brandt.md").read_text("utf-8")


async def _forgotten(pilot: Deck, engine: Engine, text: str) -> tuple[int, int]:
    """Forgets words; counts the keys, a typed text as one, and beside them the pages of the diff."""
    keys, done = 0, len(engine.history.operations())

    async def press(*typed: str) -> None:
        nonlocal keys
        keys += 1
        await answer(pilot, *typed)
        await settled(pilot)

    for typed in (["colon"], [*f"forget {text}"], ["enter"]):
        await press(*typed)
    await shows(pilot, f"Forget “{text}”")
    for key in ("down", "enter", "2"):
        await press(key)
    await shows(pilot, "forget")
    await press("ctrl+a")
    await holds(pilot, lambda: isinstance(pilot.app.screen, ConfirmDialog), "the question")
    pages = await look_through(pilot)
    await press(*"APPROVED")
    await press("enter")
    await holds(pilot, lambda: len(engine.history.operations()) > done, "the operation")
    await settled(pilot)
    return keys, pages
