"""The Overview: is anything wrong, and what is due?"""

from tests.gallery import worlds
from tests.gallery.engines import figures, queues, troubles
from tests.gallery.scene import At, Scene, pane
from tui.dialogs.picker import Picker
from tui.dialogs.text_reader import TextReader
from tui.dialogs.what_if import AskInstant
from tui.screens.approvals.page import ApprovalsPage
from tui.screens.lifecycle.costs import CostScreen
from tui.screens.overview.agent_changes import AgentChanges
from tui.screens.overview.chart import GaugeChartScreen
from tui.screens.overview.page import OverviewPage

_SHARD = ("c", "l", "l")
"""Leads to the first gauge of semantic memory."""
_OVER = (GaugeChartScreen,)
_COST = (":", *"cost", "enter")
_at = At(OverviewPage, "1", worlds.demo)

SCENES = (
    _at("overview", "every figure of the demonstration, what fired, what waits"),
    _at("overview-since", "the cursor on what the agent changed, with its diff where there is room", pane("since")),
    _at("overview-due", "the cursor on what is due", pane("due")),
    _at("overview-attention", "the cursor on what needs a look", pane("attention")),
    _at("overview-waiting", "the cursor on the plan that waits", pane("waiting")),
    _at("overview-all-well", "nothing fired, nothing waits, nothing is missing", engine=figures.all_well),
    _at("overview-fake", "first-run figures, a FIFO and bytes that were left out", engine=queues.three_plans),
    _at("overview-followed", "a followed session near its limit", engine=queues.followed),
    _at("overview-loss", "a file that agents always load was overwritten", pane("attention"), engine=troubles.lost),
    _at(
        "loss-keep",
        "asks whether what is left of a file is right",
        pane("attention"),
        "a",
        on=Picker,
        engine=troubles.lost,
    ),
    _at("overview-degraded", "parts that are missing and an overdue job", engine=figures.degraded, read_only=True),
    _at("overview-shards", "many shards, one blocked, and very large numbers", engine=figures.many_shards),
    _at("overview-without-git", "no repository, and no plan waits", engine=worlds.without_git),
    _at("overview-empty", "a folder without any memory", engine=worlds.empty),
    _at("overview-ten-years", "a log of ten years", engine=worlds.ten_years),
    _at("overview-hostile", "hostile names and texts", engine=worlds.hostile),
    _at("overview-unreadable", "the workspace cannot be read", engine=troubles.unreadable),
    Scene("overview-reading", "the first look goes on", troubles.slow_reading, OverviewPage, busy=True),
    _at("trigger", "why a threshold fired", "down", "enter", on=TextReader),
    _at("quiet-triggers", "the triggers that did not fire", "G", "enter", on=TextReader),
    _at("due-job", "when a job is due", pane("due"), "enter", on=TextReader),
    _at("attention", "something that needs a look, whole", pane("attention"), "enter", on=TextReader),
    _at("agent-changes", "what the agent changed, with the diff of one note", pane("since"), "enter", on=AgentChanges),
    _at(
        "agent-changes-diff",
        "the cursor in the diff of the second note",
        pane("since"),
        "j",
        "enter",
        "tab",
        on=AgentChanges,
    ),
    _at("overview-gauges", "the cursor on a gauge", "c", "j"),
    _at("costs", "what models have cost by role, and a month ahead", *_COST, on=CostScreen, engine=figures.paid),
    _at("costs-day", "the same by day, over 90 days", *_COST, "right", "tab", on=CostScreen, engine=figures.paid),
    _at("costs-plan", "by dry run, a hostile name", *_COST, "tab", "tab", "j", on=CostScreen, engine=figures.paid),
    _at("costs-none", "no model was ever asked", *_COST, on=CostScreen),
    _at("chart", "the tokens of working memory over 90 days, with the notes", "c", "j", "enter", on=GaugeChartScreen),
    _at("chart-files", "the notes of working memory, nine of them eligible", "c", "enter", on=GaugeChartScreen),
    _at("chart-shard", "a shard with its forecast and its entries", *_SHARD, "enter", on=GaugeChartScreen),
    _at("chart-year", "the same over a year", *_SHARD, "enter", "right", on=GaugeChartScreen),
    _at("chart-month", "the same over a month", *_SHARD, "enter", "left", on=GaugeChartScreen),
    _at("chart-hostile", "hostile names", "c", "enter", on=GaugeChartScreen, engine=worlds.hostile),
    _at("chart-member", "the ninth note of it", "c", "enter", *"jjjjjjjj", "enter", on=TextReader, over=_OVER),
    _at("what-if", "asks for a date", "t", on=AskInstant),
    _at("what-if-typed", "says which instant was typed", "t", *"sunday", on=AskInstant),
    _at("what-if-unclear", "a date that is none", "t", *"zzz", on=AskInstant),
    _at("what-if-overview", "another day's figures, marked as such", "t", *"sunday", "enter"),
    _at("what-if-scrubbed", "the clock moved by arrows", "right", "right", "s", "right"),
    _at("what-if-approvals", "the queue on another day", "t", *"sunday", "enter", "2", on=ApprovalsPage),
)
