"""A session's timeline: its picture, what memory did at each turn, and the prompt then."""

from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.services.flushes import SessionTimeline
from engine.sessions.line_buffer import LineBuffer
from engine.sessions.window.token_timeline import WindowTimeline
from engine.sessions.written_files import NoteTouch, note_touches
from engine.topics.messages import SessionTurn
from tests.engine.sessions.window_logs import NOTE, answer, given_beside, said
from tests.gallery import worlds
from tests.tui.compiled import a_window
from tests.tui.conftest import deck, holds, shows
from tui.dialogs.text_reader import TextReader
from tui.present.plot import DotStyle
from tui.present.session_timeline import LANES, drawn, memory_lines, said_lines
from tui.present.spans import plain
from tui.screens.context.session_timeline import TimelineScreen
from tui.screens.context.why import WhyScreen
from tui.widgets.segments import width_of

MOST_MILLISECONDS = 150
LONG = 5_000  # turns of a session that the picture is drawn of within that time


def touches(*lines: str) -> list[tuple[int, str, str]]:
    made = LineBuffer().take("".join(lines).encode())
    return [(one.line, one.kind, one.path) for line in made for one in note_touches(line)]


def test_what_is_given_read_and_written_is_found_in_the_lines_of_a_session() -> None:
    lines = (
        said("go"),
        given_beside("topics/a.md:3"),
        answer("m1", (1, 0, 0), blocks=1, tool="Read"),
        answer("m2", (1, 0, 0), blocks=1, tool="Write"),
        answer("m3", (1, 0, 0), blocks=1, text='<recalled 0123456789ab k "b.md" trust=agent>'),
        answer("m4", (1, 0, 0), blocks=1, sidechain=True, tool="Read"),
        "> [knowledge:updated] knowledge/projects/x.md — the plan\n",
        "> [tool:read_file] memory/day.md, a.py → see memory/other.md\n",
        '{broken "tool_use"\n',
    )
    assert touches(*lines) == [
        (2, "given", "topics/a.md"),
        (3, "read", NOTE),
        (4, "wrote", NOTE),
        (7, "wrote", "knowledge/projects/x.md"),
        (8, "read", "memory/day.md"),
    ]


def a_timeline(turns: int, marked: set[int], *, cut_at: int = 1) -> SessionTimeline:
    window = a_window(turns=turns, cut_at=min(cut_at, turns))
    touched: dict[int, tuple[NoteTouch, ...]] = {number: (NoteTouch(1, "given", "a.md"),) for number in marked}
    return SessionTimeline(window=window, touched=touched, saved={}, cuts=())


@given(st.integers(1, 900), st.integers(30, 200), st.integers(8, 40), st.data())
def test_the_picture_fills_its_room_and_shows_the_turn_under_the_cursor(
    turns: int, width: int, height: int, data: st.DataObject
) -> None:
    chosen = data.draw(st.integers(1, turns))
    lines = drawn(a_timeline(turns, {chosen}, cut_at=turns // 2 or 1), chosen, width, height, DotStyle.BRAILLE)
    assert len(lines) == height and {width_of(line) for line in lines} == {width}
    given_lane = plain(lines[-len(LANES) - 1])
    assert given_lane.startswith("given") and given_lane.count("■") == 1


def test_a_session_without_an_answer_is_drawn_empty() -> None:
    window = a_window(turns=1)
    empty = SessionTimeline(
        window=type(window)(source="x", modified=window.modified, limit=1_000, timeline=WindowTimeline()),
        touched={}, saved={}, cuts=(),
    )  # fmt: skip
    assert len(drawn(empty, 0, 80, 12, DotStyle.ASCII)) == 12


@pytest.mark.parametrize("size", [(80, 24), (200, 40)])
def test_five_thousand_turns_are_drawn_in_time(size: tuple[int, int]) -> None:
    timeline = a_timeline(LONG, set(range(1, LONG, 7)), cut_at=LONG // 2)
    spent = []
    for _ in range(3):
        begun = perf_counter()
        drawn(timeline, LONG // 2, *size, DotStyle.BRAILLE)
        spent.append((perf_counter() - begun) * 1_000)
    assert min(spent) <= MOST_MILLISECONDS


def test_the_service_puts_each_note_to_its_turn(tmp_path: Path) -> None:
    with worlds.long_session() as console:
        window, *_ = console.windows.sessions()
        timeline = console.flushes.timeline(window.session)
    assert [plain(line) for line in memory_lines(timeline, 7)] == ["■ given topics/depot-1.md"]
    assert plain(memory_lines(timeline, 12)[0]).startswith("○ read")
    assert any("auto: 120,000 → 3,000, turns 1-40 left" in plain(line) for line in memory_lines(timeline, 40))
    assert set(timeline.marked) >= {3, 4, 7, 40}


async def test_keys_go_through_the_turns_to_the_prompt_then_and_to_why() -> None:
    async with deck(worlds.long_session(), (120, 36)) as pilot:
        await pilot.press("5", "escape", "w")
        await shows(pilot, "Windows ⟨2⟩")
        await pilot.press("enter")
        await shows(pilot, "turn 80", "step 80: when do we switch")
        await pilot.press("g")
        await shows(pilot, "turn 1 ", "memory had nothing to do with this turn")
        await pilot.press("n", "n", "n")
        await shows(pilot, "turn 7 ", "■ given topics/depot-1.md", "step 7: when do we switch")
        await pilot.press("enter")
        await holds(pilot, lambda: isinstance(pilot.app.screen, TextReader), "the prompt then")
        await shows(pilot, "The prompt then", "tokens")
        await pilot.press("escape", "w")
        await holds(pilot, lambda: isinstance(pilot.app.screen, WhyScreen), "the lines behind the answer")
        await pilot.press("escape")
        await holds(pilot, lambda: isinstance(pilot.app.screen, TimelineScreen), "the timeline again")


def test_a_turn_that_begins_with_a_tool_shows_its_own_answer_and_no_other() -> None:
    said_at = (("user", 1, "go"), ("agent", 3, "done"), ("user", 5, "and now?"), ("agent", 6, "later"))
    turns = [SessionTurn(source="s", role=role, text=words, line=at) for role, at, words in said_at]
    shown = {line: [plain(row).split(" ", 1)[1].strip() for row in said_lines(turns, line)] for line in (2, 4, 6)}
    assert shown == {2: ["go", "done"], 4: ["go"], 6: ["and now?", "later"]}
