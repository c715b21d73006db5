"""A month names in its frontmatter the topics for which it has no room, and ROOT reads them there (decision C7)."""

from datetime import date

import pytest

from engine.text.frontmatter import write_frontmatter
from engine.tree.levels import ROOT_PATH
from engine.tree.survey.node_topics import HEADED, headed_topics
from tests.benchmarks.corpora.generated import AREAS, engineering_log
from tests.engine.tree.rig import TreeRig, entry

MONTH, FIRST = "memory/monthly/2025-10.md", date(2025, 9, 29)


def _logged(rig: TreeRig, topics: int, lines: int) -> None:
    for day, text in engineering_log(33, topics, lines, FIRST).items():
        rig.log(day, text)


@pytest.mark.parametrize(("topics", "lines"), [(2, 6), (4, 8), (14, 3)])
def test_c7_a_month_is_15_percent_of_its_logs_at_most_and_a_week_40(rig: TreeRig, topics: int, lines: int) -> None:
    _logged(rig, topics, lines)
    rig.at("2025-12-01").cycle(drain=True)
    shares = {"weekly": 0.40, "monthly": 0.15}
    nodes = [
        path for path in rig.files() if path.split("/")[1] in shares and rig.values(path)["summary"] != "concatenated"
    ]
    assert MONTH in nodes
    for path in nodes:
        raw = int(str(rig.values(path)["raw-tokens"]))
        assert rig.tokens.count(rig.text(path)) <= shares[path.split("/")[1]] * raw, path


def test_root_lists_the_topics_that_a_month_names_in_its_frontmatter_alone(rig: TreeRig) -> None:
    _logged(rig, 2, 6)
    rig.log("2025-10-31", entry("parser [project]", "outcome: done"))
    rig.at("2025-12-01").cycle(drain=True)
    body, root = rig.body(MONTH), rig.body(ROOT_PATH)
    alone = [area for area in AREAS if f"{area} [project" not in body]
    assert len(alone) > 2 and all(f"- {area} [project, " in root for area in AREAS)
    last = {topic.name: day for topic, day in headed_topics(MONTH, rig.values(MONTH))}
    for area in alone:
        assert f"- {area} [project, {(rig.today - last[area]).days}d]" in root
    assert [topic.name for topic, _ in headed_topics(MONTH, rig.values(MONTH)) if topic.done] == ["parser"]


def test_things_of_days_without_headings_are_no_topics_of_root(rig: TreeRig) -> None:
    _logged(rig, 2, 6)
    rig.log("2025-10-11", "- Depot API v2 is live\n- Depot API v2 broke once\n")
    rig.at("2025-12-01").cycle(drain=True)
    stated = str(rig.values(MONTH)["topics"])
    assert stated.rindex("Depot API v2") > max(stated.index(area) for area in AREAS)
    assert "Depot API v2 [project" not in rig.body(ROOT_PATH)


def test_a_month_without_that_count_is_read_by_its_lines(rig: TreeRig) -> None:
    _logged(rig, 2, 6)
    rig.at("2025-12-01").cycle(drain=True)
    values = {key: value for key, value in rig.values(MONTH).items() if key != HEADED}
    rig.write(MONTH, write_frontmatter(values) + rig.body(MONTH))
    assert headed_topics(MONTH, rig.values(MONTH)) == []
    assert headed_topics(MONTH, {**values, HEADED: "99999999999"}) == []


def test_what_comes_late_to_a_fixed_month_keeps_its_topics_in_front(rig: TreeRig) -> None:
    _logged(rig, 2, 6)
    rig.log("2025-10-11", "- Depot API v2 is live\n- Depot API v2 broke once\n")
    rig.at("2025-12-01").cycle(drain=True)
    rig.log("2025-10-18", entry("garden [project]", "Decided to plant tomatoes"))
    rig.at("2025-12-02").cycle(drain=True)
    assert "## Supplement" in rig.body(MONTH)
    names = {topic.name for topic, _ in headed_topics(MONTH, rig.values(MONTH))}
    assert names == {*AREAS, "garden"}
    assert "- garden [project, " in rig.body(ROOT_PATH)
