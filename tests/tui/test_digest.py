"""The digest as a page: 40 lines of text, HTML that loads nothing, and the same bytes for the same week."""

from datetime import UTC, date, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.extraction.entry import EntryKind
from engine.history.explorations import Exploration
from engine.monitoring.digest import FallingFile, WeeklyDigest, weekly_digest
from engine.monitoring.gauges import GaugeLimit, GaugeReading
from engine.monitoring.learnt import Quote
from engine.monitoring.trends import GaugeSample, trends
from engine.plans.plan import PlanState
from engine.text.safe_text import cell_width
from tests.engine.monitoring.test_digest import SOURCES, entry
from tests.prepared import prepared
from tests.tui.conftest import console_of, deck, settled, shows
from tests.tui.hostile import hostile_strings
from tests.turn import examples
from tests.values import compaction
from tui.present import digest as page
from tui.screens.approvals.past_runs import ReportsScreen

NOW = SOURCES["until"]


def quote(text: str, kind: EntryKind = EntryKind.DECISION, path: str = "memory/2026-03-12.md") -> Quote:
    return Quote(text=text, kind=kind, path=path, line=14, end=14, day=date(2026, 3, 12))


def crowded(many: int = 30) -> WeeklyDigest:
    """A week in which everything happened many times."""
    gauges = [
        GaugeReading(id=f"working.{n}", unit="files", value=n, limits=(GaugeLimit("pressure", 5),)) for n in range(many)
    ]
    samples = [GaugeSample(NOW - timedelta(days=n), {f"working.{m}": m for m in range(many)}) for n in range(5, 0, -1)]
    made = [entry(n, NOW - timedelta(hours=n)) for n in range(many)]
    made += [entry(100 + n, NOW - timedelta(hours=n + 2), PlanState.REJECTED, "no") for n in range(many)]
    falling = [FallingFile(platform="p", path=f"{n}.md", unit="lines", value=9, cap=9, lines=1) for n in range(many)]
    more = {"notes": many, "entries": made, "falling": falling, "trends": trends(gauges, samples, NOW)}
    learnt = [quote(f"the {n}th thing that was decided this week") for n in range(many)]
    return weekly_digest(**SOURCES | more | {"learnt": learnt})


def test_the_busiest_week_is_told_in_forty_lines_and_counts_the_rest() -> None:
    lines = page.text(crowded()).splitlines()
    assert len(lines) <= page.MOST_LINES
    assert max(map(cell_width, lines)) <= page.MOST_CELLS
    assert "  and 24 more" in lines


def test_an_exploration_that_lasts_too_long_is_among_what_waits() -> None:
    old = Exploration("try\x1b[31m", "c" * 40, NOW - timedelta(days=9))
    digest = weekly_digest(**SOURCES | {"explorations": [old]})
    text = page.text(digest)
    assert "What waits for you  1 exploration older than a week" in text and "9 d" in text
    assert "explore/try" in text and "memdeck plan branches ends it" in text and "\x1b" not in text
    assert "explore/try" in page.html(digest)


def test_an_empty_week_says_so_in_every_section() -> None:
    text = page.text(weekly_digest(**SOURCES))
    assert "no note of these days" in text and "0 planned, 0 approved, 0 refused, 0 undone" in text
    assert "no model was called" in text


def test_a_refused_plan_says_why_and_a_waiting_one_since_when() -> None:
    refused = entry(2, NOW - timedelta(hours=3), PlanState.REJECTED, "not in March")
    entries = (entry(1, NOW - timedelta(days=3)), refused)
    text = page.text(weekly_digest(**SOURCES | {"entries": entries}))
    assert "“not in March”" in text and "1 plan, the oldest made 3 d ago" in text


def test_the_same_week_gives_the_same_bytes() -> None:
    assert page.text(crowded()) == page.text(crowded())
    assert page.html(crowded()) == page.html(crowded())


@settings(max_examples=examples(60))
@given(st.text(max_size=200), st.text(max_size=60), st.text(max_size=60))
def test_no_content_breaks_a_line_or_steers_a_terminal(said: str, path: str, reason: str) -> None:
    rejected = entry(1, NOW - timedelta(hours=3), PlanState.REJECTED, reason)
    sources = SOURCES | {"workspace": path, "learnt": (quote(said, path=path),), "entries": (rejected,)}
    text = page.text(weekly_digest(**sources))
    assert len(text.splitlines()) <= page.MOST_LINES
    assert "\x1b" not in text and "\r" not in text


def test_html_loads_nothing_links_nowhere_and_escapes_what_notes_say() -> None:
    for hostile in (*list(hostile_strings())[::50], "<script>alert(1)</script><img src=//x.example>"):
        made = page.html(weekly_digest(**SOURCES | {"workspace": hostile, "learnt": (quote(hostile),)}))
        assert "<script" not in made and "<img" not in made and "<a " not in made and "\x1b" not in made


def test_a_sparkline_has_a_cell_for_each_value() -> None:
    assert page.sparkline((None, 1, 2, 3)) == " ▁▃▆"
    assert page.sparkline(()) == "" and page.sparkline((None, None)) == "  "


async def test_R_opens_the_digest_on_two_screens_with_the_newest_dry_run_below_it() -> None:  # noqa: N802
    workspace = prepared([compaction(1, notes=1)])
    learnt = SOURCES | {"learnt": (quote("keep blue-green, because rollback is one command"),)}
    workspace.stub.gives("digest.make", weekly_digest(**learnt))
    async with deck(workspace) as pilot:
        for screen in ("1", "2"):
            await pilot.press(screen, "R")
            await settled(pilot)
            await shows(pilot, "“keep blue-green, because rollback is one command”", "What was decided")
            assert isinstance(pilot.app.screen, ReportsScreen)
            await pilot.press("enter", "G")
            await shows(pilot, "Changes (2)")
            await pilot.press("escape", "escape")
            await settled(pilot)
            assert not console_of(pilot).in_dialog


async def test_m_marks_the_digest_as_read_and_never_when_read_only() -> None:
    for read_only, said in ((False, "Marked as read"), (True, "read-only")):
        workspace = prepared([compaction(1, notes=1)])
        read = workspace.stub.asked("digest.read")
        async with deck(workspace, read_only=read_only) as pilot:
            await pilot.press("R")
            await settled(pilot)
            await pilot.press("m")
            await shows(pilot, said)
            assert (len(read) == 1) is not read_only


def test_a_year_between_is_told() -> None:
    long = SOURCES | {"since": datetime(2025, 12, 31, 3, tzinfo=UTC)}
    assert "31 Dec 2025 03:00 to Sun 15 Mar 2026" in page.title(weekly_digest(**long))
