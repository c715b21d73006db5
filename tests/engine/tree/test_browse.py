"""Walking the tree: children, facts, lines with their sources, topics, what to do, what would be fixed on a day."""

from datetime import date, timedelta

import msgspec
import pytest

from engine.errors import UsageError
from engine.tree.browse.browser import Browser
from engine.tree.browse.find import find
from engine.tree.levels import ROOT_PATH, Freshness
from engine.tree.survey.survey import Survey
from engine.tree.survey.tree_status import tree_status
from engine.workspace.values import LineSpan
from tests.engine.tree.rig import TreeRig, entry, long_log

DAY, WEEK, MONTH = "memory/daily/2026-03-15.md", "memory/weekly/2026-W11.md", "memory/monthly/2026-03.md"


@pytest.fixture
def grown(rig: TreeRig) -> TreeRig:
    rig.log("2026-03-10", long_log("bench [project]", 260, "zebra"))
    rig.log("2026-03-14", entry("legal [reference]", "Civil Act 750"))
    rig.log("2026-03-15", entry("auth [project]", "decided to use OAuth because sessions leak"))
    rig.cycle(drain=True)
    return rig


def walk(rig: TreeRig) -> Browser:
    return Browser(rig.survey())


def test_children_lead_from_root_to_the_raw_log(grown: TreeRig) -> None:
    browser = walk(grown)
    assert [node.path for node in browser.children(ROOT_PATH)] == [MONTH]
    assert [node.path for node in browser.children(MONTH)] == [WEEK]
    assert [node.period for node in browser.children(WEEK)] == ["2026-03-15", "2026-03-14", "2026-03-10"]
    (raw,) = browser.children(DAY)
    assert (raw.path, raw.level, raw.status) == ("memory/2026-03-15.md", "raw", "permanent")
    assert browser.children(raw.path) == ()
    assert browser.breadcrumbs(raw.path) == (ROOT_PATH, MONTH, WEEK, DAY, raw.path)


def test_the_facts_of_a_node(grown: TreeRig) -> None:
    node = walk(grown).node(DAY)
    assert (node.status, node.freshness, node.ours, node.topics) == ("tentative", Freshness.FRESH, True, 1)
    assert node.fixed_from == date(2026, 3, 16)
    assert walk(grown).node("memory/daily/2026-03-14.md").fixed_from is None
    with pytest.raises(UsageError):
        walk(grown).node("memory/semantic/openclaw.md")


def test_every_line_of_content_leads_to_the_raw_lines_that_hold_it(grown: TreeRig) -> None:
    browser = walk(grown)
    for path in (DAY, WEEK, MONTH):
        line = next(line for line in browser.lines(path) if "OAuth" in line.text)
        assert line.source is not None
        raw = grown.text(line.source.path).splitlines()[line.source.start - 1 : line.source.end]
        assert any("OAuth" in text for text in raw), (path, line)
    week = next(line for line in browser.lines(WEEK) if "OAuth" in line.text)
    assert week.child is not None
    assert grown.text(DAY).splitlines()[week.child.start - 1] == week.text
    root = next(line for line in browser.lines(ROOT_PATH) if line.text.startswith("- 2026-03-15:"))
    assert root.source == LineSpan("memory/2026-03-15.md", 2, 2)


def test_lines_are_as_on_disk(grown: TreeRig) -> None:
    browser = walk(grown)
    for path in (DAY, WEEK, MONTH, ROOT_PATH, "memory/2026-03-15.md"):
        assert [line.text for line in browser.lines(path)] == grown.text(path).splitlines()


def test_topics_have_ages_and_marks(grown: TreeRig) -> None:
    grown.at("2026-06-20")
    rows = {row.name: row for row in walk(grown).topics()}
    assert (rows["auth"].age, rows["auth"].old) == (97, True)
    assert (rows["legal"].age, rows["legal"].doubtful, rows["legal"].type) == (98, True, "reference")
    assert [row.name for row in walk(grown).topics(DAY)] == ["auth"]


def test_what_is_to_do_names_gaps_stale_and_damaged_nodes(grown: TreeRig) -> None:
    assert walk(grown).todo() == ()
    grown.at("2026-03-16").cycle()
    grown.log("2026-03-13", entry("late", "a whole day"))
    grown.log("2026-03-15", entry("late", "a line"))
    grown.write("memory/daily/2026-03-14.md", "changed by another")
    found = {todo.path: todo.freshness for todo in walk(grown).todo()}
    assert found["memory/daily/2026-03-13.md"] is Freshness.MISSING
    assert found[DAY] is Freshness.STALE_FIXED
    assert found["memory/daily/2026-03-14.md"] is Freshness.DAMAGED
    assert walk(grown).node(WEEK).gaps == ("memory/daily/2026-03-13.md",)


def test_what_would_be_fixed_on_a_day_is_what_a_cycle_then_fixes(grown: TreeRig) -> None:
    for day in ("2026-03-16", "2026-03-23", "2026-04-08"):
        told = set(walk(grown).fixed_on(date.fromisoformat(day)))
        grown.at(day)
        before = {
            node.path
            for level in grown.survey().tree_files.periods
            for node in grown.survey().nodes(level)
            if node.fixed
        }
        grown.cycle(drain=True)
        after = {
            node.path
            for level in grown.survey().tree_files.periods
            for node in grown.survey().nodes(level)
            if node.fixed
        }
        assert told == after - before
        assert told


def test_find_says_where_something_can_be_reached(grown: TreeRig) -> None:
    reach = find(walk(grown), "oauth")
    assert [hit.level for hit in reach.hits][:1] == ["root"]
    assert {hit.level for hit in reach.hits} == {"root", "monthly", "weekly", "daily", "raw"}
    assert all(hit.source is not None for hit in reach.hits if hit.level in ("daily", "weekly", "monthly"))
    assert find(walk(grown), "sessions oauth").levels["raw"] == 1
    assert sum(find(walk(grown), "nowhere at all").levels.values()) == 0


def test_nodes_with_a_topic_come_newest_first_in_every_run(grown: TreeRig) -> None:
    """They came in the order of a set, which differs from process to process."""
    found = walk(grown).topic_paths(lambda _: True)
    daily = [path for path in found if "/daily/" in path]
    assert len(daily) > 1
    assert daily == sorted(daily, reverse=True)


def test_the_status_counts_what_stands_how(grown: TreeRig) -> None:
    status = tree_status(grown.survey(), 3000)
    assert status["raw"] == 3
    assert (status["daily"]["fixed"], status["daily"]["tentative"], status["backlog"]) == (2, 1, 0)
    assert status["root"]["freshness"] == "fresh"
    assert status["root"]["tokens"] > 0
    grown.log("2026-03-15", "more\n")
    grown.log("2026-03-13", "a new day\n")
    status = tree_status(grown.survey(), 3000)
    assert (status["daily"]["missing"], status["daily"]["stale"], status["backlog"]) == (1, 1, 2)


def test_facts_alone_say_how_the_tree_stands(grown: TreeRig) -> None:
    """Speed at ten years rests on it: neither status nor a cycle with nothing new opens a single file."""
    opened: list[str] = []
    survey = grown.survey()
    reader = survey.snapshot.reader

    def counting(path: str) -> bytes:
        opened.append(path)
        return reader(path)

    survey = Survey(msgspec.structs.replace(survey.snapshot, reader=counting), survey.records, survey.today)
    tree_status(survey, 3000)
    assert Browser(survey).children(ROOT_PATH)
    assert Browser(survey).topics()
    assert opened == []


def test_an_empty_workspace_can_be_walked(rig: TreeRig) -> None:
    browser = walk(rig)
    assert browser.node(ROOT_PATH).status == ""
    assert browser.children(ROOT_PATH) == ()
    assert browser.todo() == ()
    assert browser.fixed_on(rig.today + timedelta(days=400)) == ()
