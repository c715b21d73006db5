"""The Lifecycle screen: what stands at each stage, what is due, and a replay judged blind."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.extraction.entry import EntryGrade
from engine.extras.batches.batch_records import BatchFolder, BatchState
from engine.extras.batches.batch_service import BatchService
from engine.lifecycle.replay.figures import BlindAnswer, BlindStanding, ReplayFigures
from engine.lifecycle.stage_counts import Days, flow, pipeline
from engine.workspace.values import DateSource, FileDate, FileFacts, Progress
from tests.engine.lifecycle.applying import approve
from tests.engine.lifecycle.events import end, start
from tests.engine.lifecycle.events import said as message
from tests.ready_demo import Demo, copy, shared
from tests.soak.commands import a_lost_batch
from tests.tui.conftest import console_of, deck, holds, screen_text, settled, shows
from tests.values import NOW
from tui.present.lifecycle import compared_lines, stage_rows, stages
from tui.present.spans import plain
from tui.present.stage_flows import flow_bar, flow_lines
from tui.screens.lifecycle.blind_comparison import BlindScreen
from tui.screens.lifecycle.extraction_review import ExtractionScreen
from tui.widgets.segments import width_of


@pytest.fixture(scope="module")
def replayed_once(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    demo = copy(shared(tmp_path_factory), tmp_path_factory.mktemp("replayed"))
    with demo.open_today() as console:
        console.plans.make("extract")
        console.plans.make("replay")
    return demo


@pytest.fixture
def replayed(replayed_once: Demo, tmp_path: Path) -> Demo:
    return copy(replayed_once, tmp_path)


async def test_the_stages_say_what_stands_and_lead_to_their_plan(replayed: Demo) -> None:
    async with deck(replayed.open_today()) as pilot:
        await pilot.press("8")
        await shows(pilot, "8 closed transcripts, 0 open")
        await shows(pilot, "closed transcripts, read again by")
        await pilot.press("down", "enter")
        await holds(pilot, lambda: console_of(pilot).page.id == "approvals", "the plan of the extraction")
        await shows(pilot, "extract")


async def test_a_dry_run_is_made_from_its_stage_and_a_batch_cancelled_by_a_key(
    own_demo: Demo, monkeypatch: pytest.MonkeyPatch
) -> None:
    cancelled: list[str] = []
    monkeypatch.setattr(BatchService, "cancel", lambda _, ident: cancelled.append(ident))
    engine = own_demo.open_today()
    sent = msgspec.structs.replace(a_lost_batch(), state=BatchState.SENT, remote="msgbatch_1")
    BatchFolder(engine._opened.state.batches).save(sent)
    async with deck(engine) as pilot:
        await pilot.press("8")
        await shows(pilot, "transcripts since the last run")
        await pilot.press("d")
        await shows(pilot, "the session's program captures")
        await pilot.press("down", "d")
        await holds(pilot, lambda: any(one.system == "extract" for one in console_of(pilot).entries), "the plan")
        await pilot.press("x")
        await shows(pilot, "cancels what is not begun")
        await pilot.press("enter")
        await holds(pilot, lambda: cancelled == [sent.id], "the service is told")


async def test_a_replay_is_judged_blind(replayed: Demo) -> None:
    engine = replayed.open_today()
    plan = engine.queue.newest("replay")
    assert plan is not None
    pairs = engine.replays.pairs(plan)
    many = len(pairs)
    async with deck(engine, (80, 24)) as pilot:
        await pilot.press("8")
        await shows(pilot, "Pipeline")
        heights = [pilot.app.query_one(name).outer_size.height for name in ("#stages", "#flow")]
        assert heights == [9, 13], "the one pane of a narrow screen fills it, with its flow below"
        await pilot.press("end", "b")  # the stage itself: its replay waits
        await holds(pilot, lambda: isinstance(pilot.app.screen, BlindScreen), "the comparison")
        for pair in pairs:
            await shows(pilot, pair.session[:60], "is better")
            assert "replay" not in (pair.one + pair.two)[0]
            await pilot.press("2")
        await shows(
            pilot, "Every session is judged", "Blind comparison", "Figures", "tie 0 · neither 0", "the replay wins "
        )
        await holds(pilot, lambda: "is better" not in screen_text(pilot), "no key that judges nothing")
        assert engine.replays.answers(plan) == {pair.session: BlindAnswer.TWO for pair in pairs}
        for left, pair in reversed([*enumerate(pairs)]):
            await pilot.press("z")
            await shows(pilot, pair.session[:60], "is better", f"{left} of {many} sessions judged")
        assert engine.replays.answers(plan) == {} and "undo the answer" not in screen_text(pilot)
        await pilot.press("z", *"t" * many)  # nothing is left to undo
        await shows(pilot, f"tie {many}")
        await pilot.press("escape", "tab", "tab")  # a narrow screen shows one pane at a time
        await shows(pilot, f"{many} of {many} sessions judged")


async def test_no_key_judges_before_both_sides_were_on_the_screen_to_their_end(
    replayed: Demo, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = replayed.open_today()
    plan = engine.queue.newest("replay")
    assert plan is not None
    short, *_ = engine.replays.pairs(plan)
    long = msgspec.structs.replace(short, two=tuple(f"Row {n}." for n in range(60)))
    monkeypatch.setattr(type(engine.replays), "pairs", lambda *_: (long,))
    async with deck(engine, (80, 24)) as pilot:
        await pilot.press("8")
        await shows(pilot, "Pipeline")
        await pilot.press("end", "b")
        await shows(pilot, "read both sides to their end")
        await pilot.press("1", "tab", "end", "1", "home", "n")  # what lies between was not on the screen
        assert "is better" not in screen_text(pilot)
        for _ in range(5):
            await pilot.press("pagedown")
        await shows(pilot, "is better")
        assert engine.replays.answers(plan) == {}
        await pilot.press("2")
        await holds(pilot, lambda: engine.replays.answers(plan) == {long.session: BlindAnswer.TWO}, "the answer")


async def test_only_a_replay_is_compared(replayed: Demo) -> None:
    async with deck(replayed.open_today()) as pilot:
        await pilot.press("8", "tab", "down", "b")
        await shows(pilot, "the run under the cursor is no replay")


def test_the_pipeline_counts_what_is_due() -> None:
    dated = FileDate(date(2026, 3, 1), DateSource.MTIME)
    facts = FileFacts(path="x.md", size=1, sha256="0", lines=1, tokens=1, date=dated)
    files = dict.fromkeys(("archive/a.md", "notes.md"), facts)
    files["knowledge/journal/2026-03-01.md"] = msgspec.structs.replace(facts, frontmatter={"sessions": ["a"]})
    for day, session in (("01", "a"), ("02", "b")):
        head = {"session_id": session}
        files[f"raw/conversations/2026/03/{day}/0900-a-b.md"] = msgspec.structs.replace(facts, frontmatter=head)
    closed = ["raw/conversations/2026/03/01/0900-a-b.md", "raw/conversations/2026/03/02/0900-a-b.md"]
    read = {"extract": datetime(2026, 3, 2, 8, tzinfo=UTC)}
    found = pipeline(files, closed, [date(2026, 3, 3)], (), read, UTC, date(2026, 3, 4))
    assert (found.open, found.closed, found.since_extraction, found.days_to_condense) == (1, 2, 1, 1)
    assert (found.archived, found.journals, found.memory_lines) == (1, 1, None)
    every = stages(found, ["extract", "condense", "prune"])
    told = {one.system: (one.stands, one.due) for one in every}
    flows = {name: (flow.through[-4:], flow.waiting[-4:], flow.oldest) for name, flow in found.flows.items()}
    assert flows["capture"] == ((1, 1, 0, 0), (0, 0, 1, 0), date(2026, 3, 3))
    assert flows["extract"] == ((1, 0, 0, 0), (0, 1, 0, 0), date(2026, 3, 2))
    assert flows["condense"] == ((1, 0, 0, 0), (0, 1, 0, 0), date(2026, 3, 2))
    rows = stage_rows(every, datetime(2026, 3, 9, tzinfo=UTC), 118)
    assert "▒▏ 2 closed transcripts · 1 transcript since the last run, oldest 7 d" in plain(rows[1].left)
    step = Progress("transcripts", 1, 4)
    replay = msgspec.structs.replace(every[0], system="replay")
    assert "▕▓▓▓▓            ▏ 1 of 4 transcripts read" in plain(stage_rows([replay], NOW, 118, step)[0].left)
    assert told["extract"][1] == "1 transcript since the last run"
    assert told["condense"] == ("1 journal", "1 day without a journal")
    assert told["prune"] == ("no MEMORY.md", "")


FIGURES = st.integers(0, 50)


@given(st.lists(st.tuples(FIGURES, FIGURES), min_size=1, max_size=28), st.integers(40, 200), st.integers(2, 20))
def test_a_flow_and_its_bar_take_their_room_and_lose_nothing(
    figures: list[tuple[int, int]], width: int, height: int
) -> None:
    today = date(2026, 3, 15)
    through, waiting = (Days(), Days())
    for back, (done, waits) in enumerate(figures):
        through[today - timedelta(days=back)], waiting[today - timedelta(days=back)] = done, waits
    made = flow(through, waiting, today)
    assert sum(made.through) == made.all_through and sum(made.waiting) == made.all_waiting
    lines = flow_lines(made, today, width, height)
    assert len(lines) == height and all(width_of(line) <= width for line in lines)
    bar = plain(flow_bar(made, 22))
    assert width_of(flow_bar(made, 22)) == 22 and ("▒" in bar) == bool(made.all_waiting)
    assert "█" in bar or not made.all_through
    assert any("▒" in plain(line) for line in lines) or not any(
        waits for done, waits in figures if waits * height * 8 > 8 * max(map(sum, figures)) * 2
    )


def test_a_replay_is_compared_as_bars() -> None:
    standing = BlindStanding(pairs=20, after=13, before=6, tie=1, neither=0, rate=0.7, low=0.5, high=0.9)
    figures = ReplayFigures(
        extractor="rules-7", files_added=1, files_changed=0, before=20, kept=15, changed=2, lost=3, yours=0, new=13,
        probes=40, probes_before=38, probes_after=39, inferred_share=0.0, calls=0, usd=0.0, branch="", weeks=0,
    )  # fmt: skip
    text = "\n".join(map(plain, compared_lines(figures, standing)))
    assert "20 entries · 3 lost · 2 changed" in text and "30 entries · 13 new" in text
    assert "39 of 40, before 38" in text and "replay 13 · before 6 · tie 1" in text
    assert [width_of(line[1:-1]) for line in compared_lines(figures, standing)] == [20] * 4


async def test_entries_are_reviewed_beside_their_turns_and_a_refused_one_leaves_the_plan(own_demo: Demo) -> None:
    engine, at = own_demo.open_today(), "2026-03-14T10:00:00Z"
    words = "I prefer short answers. We decided to use Redis for the cache."
    list(engine.capture.record((start("ses_x", at), message(words, at=at), end(at))))
    old = engine.plans.make("extract").plan
    assert old is not None
    entries = engine.extractions.entries(old.id)
    assert len(entries) > 1
    async with deck(engine) as pilot:
        await pilot.press("8", "tab", "v")
        await holds(pilot, lambda: isinstance(pilot.app.screen, ExtractionScreen), "the review")
        await shows(pilot, f"said in {entries[0].source.path}"[:40])
        await shows(pilot, "→")
        await pilot.press("a", "x", "x", "k", "a")
        await shows(pilot, "1 entry refused")
        await pilot.press("p")
        await holds(pilot, lambda: console_of(pilot).page.id == "approvals", "the new plan")
        await holds(pilot, lambda: engine.queue.newest("extract") not in (None, old.id), "the new plan waits")
        new = engine.queue.newest("extract")
        assert new is not None
        assert len(engine.extractions.entries(new)) == len(entries) - 1
        await shows(pilot, new)


LEARNT = "Lesson learned: always warm the cache before a release."


async def test_d44_an_entry_that_nobody_stated_is_accepted_by_a_key(own_demo: Demo) -> None:
    """D44: it stands behind the entries of the plan, and the new plan warns of it."""
    engine, at = own_demo.open_today(), "2026-03-14T10:00:00Z"
    turns = (message("How is it?", at=at), message(LEARNT, role="agent", at=at))
    list(engine.capture.record((start("ses_x", at), *turns, end(at))))
    old = engine.plans.make("extract").plan
    assert old is not None
    entries = engine.extractions.entries(old.id)
    offers = engine.extractions.offered(old.id)
    offer = offers[-1]
    assert offer.quote == LEARNT
    async with deck(engine) as pilot:
        await pilot.press("8", "tab", "v")
        await holds(pilot, lambda: isinstance(pilot.app.screen, ExtractionScreen), "the review")
        await shows(pilot, f"0 of {len(offers)} offers accepted")
        await pilot.press("G")
        await shows(pilot, "nobody stated it")
        await pilot.press("a", "x", "a")
        await shows(pilot, f"1 of {len(offers)} offers accepted")
        await pilot.press("p")
        await holds(pilot, lambda: engine.queue.newest("extract") not in (None, old.id), "the new plan waits")
    new = engine.queue.newest("extract")
    assert new is not None and {one.id for one in engine.extractions.entries(new)} == {
        offer.id,
        *(one.id for one in entries),
    }


async def test_d44_without_a_plan_the_stage_leads_to_what_can_be_accepted(own_demo: Demo) -> None:
    """D44: also where nothing new was stated."""
    engine, at = own_demo.open_today(), "2026-03-14T10:00:00Z"
    approve(engine, engine.plans.make("extract").plan)
    turns = (message("How is it?", at=at), message(LEARNT, role="agent", at=at))
    list(engine.capture.record((start("ses_x", at), *turns, end(at))))
    assert engine.queue.newest("extract") is None
    async with deck(engine) as pilot:
        await pilot.press("8")
        await shows(pilot, "closed transcripts, 0 open")
        await pilot.press("down", "v")
        await holds(pilot, lambda: isinstance(pilot.app.screen, ExtractionScreen), "the review")
        await shows(pilot, f"0 of {len(engine.extractions.offered())} offers accepted")
        await pilot.press("G", "a", "p")
        await holds(pilot, lambda: engine.queue.newest("extract") is not None, "the plan waits")
    (entry,) = engine.extractions.entries(engine.queue.newest("extract") or "")
    assert entry.quote == LEARNT and entry.grade is EntryGrade.INFERRED


async def test_a_review_without_a_refusal_leads_to_the_plan_itself(own_demo: Demo) -> None:
    engine = own_demo.open_today()
    old = engine.plans.make("extract").plan
    assert old is not None
    async with deck(engine) as pilot:
        await pilot.press("8", "tab", "v")
        await holds(pilot, lambda: isinstance(pilot.app.screen, ExtractionScreen), "the review")
        await pilot.press("tab", "tab", "p")
        await holds(pilot, lambda: console_of(pilot).page.id == "approvals", "the plan")
        assert engine.queue.newest("extract") == old.id


async def test_only_an_extraction_is_reviewed(replayed: Demo) -> None:
    async with deck(replayed.open_today()) as pilot:
        await pilot.press("8", "tab", "v")
        await shows(pilot, "the run under the cursor is no extraction")


async def test_enter_on_a_stage_without_a_plan_makes_none(own_demo: Demo) -> None:
    engine = own_demo.open_today()
    async with deck(engine) as pilot:
        await pilot.press("8")
        await shows(pilot, "transcripts since the last run")
        before = len(engine.plans.queue())
        for _ in range(5):
            await pilot.press("enter")
            await settled(pilot)
            console_of(pilot).page.turn_to("stages")
            await pilot.press("down")
        assert len(engine.plans.queue()) == before
