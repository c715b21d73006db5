"""The frontmatter of a week or month: hashes of its sources in brief, days of its topics in runs; old ones are read."""

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from engine.text.frontmatter import write_frontmatter
from engine.tree.levels import Freshness
from engine.tree.survey.node_status import BRIEF
from engine.tree.survey.node_topics import read_mentions, write_mentions
from tests.engine.tree.rig import TreeRig, entry

WEEK, DAY = "memory/weekly/2026-W10.md", "memory/daily/2026-03-04.md"


@given(st.lists(st.integers(-31, 6), max_size=40))
def test_days_of_topics_are_read_as_written(offsets: list[int]) -> None:
    near = date(2026, 12, 31)
    days = sorted((near + timedelta(days=n) for n in offsets), reverse=True)
    assert read_mentions(write_mentions(days), near, len(days)) == days


def test_whole_dates_and_forged_runs_are_read_too() -> None:
    near = date(2026, 3, 8)
    assert read_mentions(["2026-03-04", "03-02 x2", "13-45"], near, 9) == [
        date(2026, 3, 4),
        *[date(2026, 3, 2)] * 2,
        None,
    ]
    assert len(read_mentions(["03-02 x99999", "03-01 x-1"], near, 3)) == 3


def _made(rig: TreeRig) -> None:
    rig.log("2026-03-04", entry("auth [project]", "decided to use OAuth for every login of the shop"))
    rig.at("2026-03-09").cycle(drain=True)


def test_c4_a_week_states_hashes_in_brief_and_a_day_states_them_whole(rig: TreeRig) -> None:
    _made(rig)
    assert {len(one) for one in rig.values(WEEK)["source-sha256"]} == {BRIEF}
    assert {len(one) for one in rig.values(DAY)["source-sha256"]} == {64}
    assert rig.node(WEEK).freshness is Freshness.FRESH


def test_c4_a_week_with_whole_hashes_is_fresh_and_goes_stale(rig: TreeRig) -> None:
    _made(rig)
    whole = [sha256 for _, sha256 in rig.node(WEEK).sources]
    rig.write(WEEK, write_frontmatter({**rig.values(WEEK), "source-sha256": whole}) + rig.body(WEEK))
    assert rig.without_records().trusted(WEEK) is not None
    old = rig.node(WEEK)
    assert [len(sha256) for _, sha256 in old.known] == [64] and old.freshness is Freshness.FRESH
    rig.write(DAY, rig.text(DAY) + "- one line more\n")
    assert rig.without_records().node(old.level, old.period).freshness is Freshness.STALE
