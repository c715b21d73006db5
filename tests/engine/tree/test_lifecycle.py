"""Four hundred days of an agent's life, applied for real, over a year's end with W53 and a leap day."""

import os
import random
from collections.abc import Callable
from datetime import date, timedelta

import pytest

from engine.tree.browse.browser import Browser
from engine.tree.levels import ROOT_PATH, NodeLevel, fixed_from, month_of_week, node_path
from engine.workspace.dates import week_of
from tests.engine.tree.rig import TreeRig
from tests.turn import TURN

START, DAYS = date(2019, 12, 2), 400
"""2020 has a leap day and 53 weeks, and its W53 reaches into 2021."""
TOPICS = [
    f"{word} {thing}"
    for word in ("login", "parser", "garden", "invoice", "search")
    for thing in ("flow", "tests", "notes")
]
TYPES = ["project", "project", "project", "reference", "user", "feedback"]


class Life:
    """Writes logs as an agent does: most days, sometimes much, sometimes into yesterday, now and then not for weeks."""

    def __init__(self, rig: TreeRig) -> None:
        self.rig = rig
        self.chance = random.Random(11)
        self.headings: dict[str, tuple[date, str]] = {}

    def day(self, today: date) -> None:
        away = date(2020, 7, 6) <= today <= date(2020, 8, 2)
        if away or self.chance.random() < 0.12:
            return
        for _ in range(self.chance.randint(1, 3)):
            self.entry(today, today, 180 if self.chance.random() < 0.04 else 4)
        if self.chance.random() < 0.08:
            self.entry(today - timedelta(days=1), today, 2)
        if self.chance.random() < 0.03:
            self.entry(today - timedelta(days=self.chance.randint(2, 60)), today, 2)

    def entry(self, day: date, today: date, lines: int) -> None:
        topic = self.chance.choice(TOPICS)
        tag = TYPES[TOPICS.index(topic) % len(TYPES)]
        lines = lines if tag == "project" else min(lines, 2)
        text = "".join(f"- {topic} step {n} of {today} went well because of reason{n % 7}\n" for n in range(lines))
        self.rig.log(day, f"## {topic} [{tag}]\n{text}\n")
        self.headings[f"{day} {topic}"] = (day, topic)


EDGES = [date(2019, 12, 31), date(2020, 2, 29), date(2020, 12, 31)]
"""Around these days there is a cycle on each: a year's end, a leap day, the end of W53."""
NEAR, APART, LOOKED_AT = 1, 31, 8
"""Days before and after an edge with a cycle on each, days between two cycles elsewhere, and days of 40 looked at.

The second has no common factor with the commits between two draws of the test: else most days would never have one."""


def daily(_number: int) -> bool:
    return True


def seldom(number: int) -> bool:
    """Another 31st of the days at each commit, and those around the edges."""
    today = START + timedelta(days=number)
    near = min(abs((today - edge).days) for edge in EDGES) <= NEAR
    return near or (number + TURN) % APART == 0 or number == DAYS - 1


@pytest.mark.sampled(4)
@pytest.mark.timeout(600)
@pytest.mark.parametrize("has_cycle", [pytest.param(daily, marks=pytest.mark.soak), seldom])
def test_four_hundred_days(rig: TreeRig, monkeypatch: pytest.MonkeyPatch, has_cycle: Callable[[int], bool]) -> None:
    # Half the time would be waiting for the disk; that applies survive a crash is tested elsewhere.
    monkeypatch.setattr(os, "fsync", lambda _fd: None)
    life = Life(rig)
    for number in range(DAYS):
        today = START + timedelta(days=number)
        rig.at(today)
        life.day(today)
        if not has_cycle(number):
            continue
        looked_at = number % 40 < LOOKED_AT
        raw = raw_logs(rig) if looked_at else {}
        rig.cycle(drain=True)
        check_statuses(rig, today)
        if looked_at:
            assert raw_logs(rig) == raw, "a raw log is the agent's alone"
            before = rig.files()
            assert rig.cycle() is None, today
            assert rig.files() == before
    check_reachable(rig, life)
    assert rig.has("memory/weekly/2020-W53.md")
    assert rig.has("memory/daily/2020-02-29.md")


def raw_logs(rig: TreeRig) -> dict[str, bytes]:
    return {path: data for path, data in rig.files().items() if path.count("/") == 1 and path != ROOT_PATH}


def check_statuses(rig: TreeRig, today: date) -> None:
    """Every node is as the calendar says, on every day."""
    survey = rig.survey()
    for node in survey.nodes(NodeLevel.DAILY):
        assert node.fixed == (date.fromisoformat(node.period) < today), (today, node.path)
    for level in (NodeLevel.WEEKLY, NodeLevel.MONTHLY):
        for node in survey.nodes(level):
            assert node.fixed == (today >= max(fixed_from(level, node.period), latest_child(survey, node))), (
                today,
                node.path,
            )


def latest_child(survey: object, node: object) -> date:
    from engine.tree.survey.node_status import Node
    from engine.tree.survey.survey import Survey

    assert isinstance(survey, Survey)
    assert isinstance(node, Node)
    return max(fixed_from(*child) for child in survey.children(node.level, node.period))


def check_reachable(rig: TreeRig, life: Life) -> None:
    """Every heading is in its day, its week and its month, there in the frontmatter at least, and its topic in ROOT.

    What users said never shrinks (decision C13), so topics that make room are named by Historical Summary.
    """
    root = rig.text(ROOT_PATH)
    assert len(life.headings) > 300
    for day, topic in life.headings.values():
        week = week_of(day)
        for path in (
            node_path(NodeLevel.DAILY, day.isoformat()),
            node_path(NodeLevel.WEEKLY, week),
            node_path(NodeLevel.MONTHLY, month_of_week(week)),
        ):
            assert topic in rig.text(path), (day, topic, path)
        assert f"- {topic} [" in root or topic in root.split("## Topics Index")[0], topic
    browser = Browser(rig.survey())
    assert {row.name for row in browser.topics()} >= set(TOPICS)
