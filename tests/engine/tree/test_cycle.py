"""The cycle on disk, applied for real: what is made, at which risk tier, in which order, and what is left alone."""

from datetime import date, timedelta

import pytest

from engine.errors import UsageError
from engine.plans.plan import RiskTier
from engine.state.database import StateDatabase
from engine.state.table import StateTable, Table
from engine.tree.cycle.idle import path_of
from engine.tree.levels import ROOT_PATH, Freshness, NodeLevel, NodeStatus, tips
from tests.engine.tree.rig import TreeRig, changes, entry, long_log

DAY, WEEK, MONTH = "memory/daily/2026-03-15.md", "memory/weekly/2026-W11.md", "memory/monthly/2026-03.md"
LOG = entry("auth [project]", "request: fix the login", "decisions: use OAuth because sessions leak") + entry(
    "timezone [user]", "lives in Seoul, prefers mornings"
)


def test_the_first_day_builds_the_whole_tree_tentative(rig: TreeRig) -> None:
    rig.log("2026-03-15", LOG)
    plan = rig.plan()
    assert [change.path for change in plan.changes] == [DAY, WEEK, MONTH, ROOT_PATH]
    assert [change.risk_tier.value for change in plan.changes] == ["A", "A", "A", "B"]
    assert [change.requires for change in plan.changes] == [(), (1,), (2,), (3,)]
    rig.apply(plan)
    assert [rig.status(path) for path in (DAY, WEEK, MONTH, ROOT_PATH)] == ["tentative"] * 4
    assert "auth [project, 0d]" in rig.text(ROOT_PATH)
    assert all(gate.passed for gate in plan.gates), plan.gates


def test_a_second_cycle_on_the_same_day_changes_no_byte(rig: TreeRig) -> None:
    rig.log("2026-03-15", LOG)
    rig.cycle()
    before = rig.files()
    assert rig.cycle() is None
    assert rig.files() == before
    assert rig.outcome().reason_no_action == "the tree is up to date"


def test_nothing_at_all_is_no_error(rig: TreeRig) -> None:
    outcome = rig.outcome()
    assert outcome.plan is None
    assert "no raw log" in (outcome.reason_no_action or "")


def test_the_lifecycle_of_the_specification_with_c1_and_c2(rig: TreeRig) -> None:
    """tree §Fixed/Tentative Lifecycle Example, with the weekdays that the days really have."""
    rig.at("2026-03-15").log("2026-03-15", LOG)
    rig.cycle()
    rig.at("2026-03-16").log("2026-03-16", entry("bench", "measured the parser"))
    rig.cycle()
    assert rig.status(DAY) == "fixed"
    assert rig.status("memory/daily/2026-03-16.md") == "tentative"
    assert rig.status(WEEK) == "tentative"
    assert rig.at("2026-03-22").cycle() is not None
    assert rig.status(WEEK) == "tentative"
    rig.at("2026-03-23").cycle()
    assert rig.status(WEEK) == "fixed"
    assert rig.status("memory/weekly/2026-W12.md") == "tentative"
    rig.at("2026-03-30").cycle()
    assert rig.status("memory/weekly/2026-W12.md") == "fixed"
    waiting = rig.at("2026-04-07").cycle()
    assert waiting is None or [change.path for change in waiting.changes] == [ROOT_PATH]
    assert rig.status(MONTH) == "tentative"
    plan = rig.at("2026-04-08").plan()
    assert changes(plan)[MONTH].risk_tier is RiskTier.B
    rig.apply(plan)
    assert rig.status(MONTH) == "fixed"
    assert rig.status(ROOT_PATH) == "tentative"


def test_c2_a_month_is_not_fixed_before_its_last_child(rig: TreeRig) -> None:
    """W05 of 2026 ends on 1 February: January is due on 8 February, its last week only on the 9th."""
    rig.at("2026-01-30").log("2026-01-30", LOG)
    rig.cycle()
    rig.at("2026-02-08").cycle()
    assert (rig.status("memory/weekly/2026-W05.md"), rig.status("memory/monthly/2026-01.md")) == ("tentative",) * 2
    rig.at("2026-02-09").cycle()
    assert (rig.status("memory/weekly/2026-W05.md"), rig.status("memory/monthly/2026-01.md")) == ("fixed",) * 2


def test_c3_a_week_over_two_months_rolls_up_into_the_month_of_its_thursday(rig: TreeRig) -> None:
    rig.at("2026-03-01").log("2026-03-01", LOG)
    plan = rig.plan()
    assert "memory/monthly/2026-02.md" in changes(plan)
    assert MONTH not in changes(plan)


def test_c4_a_late_line_becomes_a_supplement_all_the_way_up(rig: TreeRig) -> None:
    rig.log("2026-03-15", LOG)
    rig.cycle()
    rig.at("2026-04-10").cycle()
    assert [rig.status(path) for path in (DAY, WEEK, MONTH)] == ["fixed"] * 3
    bodies = {path: rig.body(path) for path in (DAY, WEEK, MONTH)}
    rig.log("2026-03-15", entry("deploys [feedback]", "rule: never on fridays", "why: nobody is there"))
    assert rig.node(DAY).freshness is Freshness.STALE_FIXED
    plan = rig.plan()
    assert {path: change.risk_tier.value for path, change in changes(plan).items()} == dict.fromkeys(
        (DAY, WEEK, MONTH, ROOT_PATH), "B"
    )
    rig.apply(plan)
    for path, body in bodies.items():
        assert rig.body(path).startswith(body)
        assert rig.body(path).count("never on fridays") == 1
        assert rig.status(path) == "fixed"
    assert "deploys [feedback" in rig.text(ROOT_PATH)
    assert rig.cycle() is None


def test_c4_several_supplements_add_up(rig: TreeRig) -> None:
    rig.log("2026-03-15", LOG)
    rig.at("2026-04-10").cycle()
    for number in range(3):
        rig.at(date(2026, 4, 11) + timedelta(days=number)).log(
            "2026-03-15", entry(f"late thing {number}", f"fact {number}")
        )
        rig.cycle()
        assert rig.cycle() is None
    for path in (DAY, WEEK, MONTH):
        assert [rig.body(path).count(f"- fact {number}\n") for number in range(3)] == [1, 1, 1]
        assert rig.values(path)["supplements"] == ["2026-04-11", "2026-04-12", "2026-04-13"]


def test_c4_a_log_whose_old_lines_changed_is_given_again_whole(rig: TreeRig) -> None:
    rig.log("2026-03-15", LOG)
    rig.at("2026-03-16").cycle()
    rig.write("memory/2026-03-15.md", LOG.replace("OAuth", "passkeys"))
    plan = rig.plan()
    assert any("old lines changed too" in warning for warning in changes(plan)[DAY].warnings)
    rig.apply(plan)
    assert "OAuth" in rig.body(DAY)
    assert "passkeys" in rig.body(DAY)


def test_c4_reopening_is_tier_c_and_takes_the_fixed_ancestors_along(rig: TreeRig) -> None:
    rig.log("2026-03-15", LOG)
    rig.at("2026-04-10").cycle()
    rig.write("memory/2026-03-15.md", LOG.replace("OAuth", "passkeys"))
    plan = rig.plan(reopen=[DAY])
    assert [changes(plan)[path].risk_tier.value for path in (DAY, WEEK, MONTH)] == ["C", "C", "C"]
    rig.apply(plan)
    for path in (DAY, WEEK, MONTH):
        assert "OAuth" not in rig.body(path)
        assert "passkeys" in rig.body(path)
        assert rig.status(path) == "fixed"
    assert rig.cycle() is None


def test_c5_what_came_before_midnight_is_in_the_day_that_is_fixed(rig: TreeRig) -> None:
    rig.log("2026-03-15", LOG)
    rig.cycle()
    rig.log("2026-03-15", entry("evening", "the last thing of the day"))
    rig.at("2026-03-16")
    plan = rig.plan()
    assert changes(plan)[DAY].risk_tier is RiskTier.B
    rig.apply(plan)
    assert rig.status(DAY) == "fixed"
    assert "the last thing of the day" in rig.body(DAY)
    assert "the last thing of the day" in rig.body(MONTH)


def test_c6_one_summary_for_each_level_and_cycle_newest_first_then_the_oldest(rig: TreeRig) -> None:
    for day in range(9, 14):
        rig.log(f"2026-03-{day:02}", long_log("bench", 250, f"word{day}"))
    rig.at("2026-03-15").log("2026-03-14", LOG)
    outcome = rig.outcome()
    made = [node["period"] for node in outcome.facts["nodes"] if node["level"] == "daily"]
    assert made == ["2026-03-14", "2026-03-09"]
    assert outcome.facts["backlog"] == 4
    order = []
    for _ in range(6):
        plan = rig.cycle()
        if plan is not None:
            order += [
                node["period"]
                for node in plan.facts["nodes"]
                if node["summary"] == "extractive" and node["level"] == "daily"
            ]
    assert order == [f"2026-03-{day:02}" for day in (9, 10, 11, 12, 13)]


def test_c6_the_newest_day_does_not_wait_behind_the_backlog(rig: TreeRig) -> None:
    for day in range(9, 14):
        rig.log(f"2026-03-{day:02}", long_log("bench", 250, f"word{day}"))
    made = [[node["period"] for node in rig.cycle().facts["nodes"] if node["level"] == "daily"] for _ in range(3)]  # type: ignore[union-attr]
    assert made == [["2026-03-13"], ["2026-03-09"], ["2026-03-10"]]


def test_c6_copies_and_changes_of_status_are_free(rig: TreeRig) -> None:
    for day in range(1, 15):
        rig.log(f"2026-03-{day:02}", LOG)
    plan = rig.plan()
    assert len([node for node in plan.facts["nodes"] if node["level"] == "daily"]) == 14
    assert plan.facts["backlog"] == 0


def test_c6_a_drain_plans_all_of_it_at_once(rig: TreeRig) -> None:
    for day in range(9, 14):
        rig.log(f"2026-03-{day:02}", long_log("bench", 250, f"word{day}"))
    plan = rig.plan(drain=True)
    assert plan.facts["cycles"] == 5
    assert plan.facts["backlog"] == 0
    rig.apply(plan)
    assert rig.cycle() is None
    assert rig.cycle(drain=True) is None


def test_a_week_stays_tentative_while_a_day_below_it_waits(rig: TreeRig) -> None:
    for day in (2, 3, 4):
        rig.log(f"2026-03-0{day}", long_log("bench", 250))
    rig.at("2026-04-20").cycle()
    assert rig.status("memory/weekly/2026-W10.md") == "tentative"
    rig.cycle(drain=True)
    assert rig.status("memory/weekly/2026-W10.md") == "fixed"
    assert rig.status(MONTH) == "fixed"


@pytest.mark.parametrize(("lines", "tokens", "summary"), [(200, 5000, False), (201, 1, True), (1, 5001, True)])
def test_c7_lines_and_tokens_tip_each_by_itself(lines: int, tokens: int, summary: bool) -> None:
    assert tips(NodeLevel.DAILY, lines, tokens) is summary
    assert not tips(NodeLevel.WEEKLY, 300, 3000)
    assert tips(NodeLevel.WEEKLY, 300, 3001)
    assert not tips(NodeLevel.MONTHLY, 500, 4000)
    assert tips(NodeLevel.MONTHLY, 500, 4001)
    assert tips(NodeLevel.MONTHLY, 501, 1)


def test_c7_frontmatter_and_the_last_line_end_count_for_no_line(rig: TreeRig) -> None:
    rig.log("2026-03-15", "---\ntitle: x\ntags: [a, b]\n---\n" + "".join(f"- {n}\n" for n in range(200)))
    rig.cycle()
    assert rig.values(DAY)["summary"] == "verbatim"
    rig.log("2026-03-15", "- one more\n")
    rig.cycle()
    assert rig.values(DAY)["summary"] == "extractive"


def test_c8_a_concatenation_has_no_frontmatter_inside_and_headings_one_deeper(rig: TreeRig) -> None:
    rig.log("2026-03-14", "---\ntitle: x\n---\n" + LOG)
    rig.log("2026-03-15", LOG)
    rig.cycle()
    week = rig.body(WEEK)
    assert "---" not in week
    assert "status:" not in week
    assert "<!-- from memory/daily/2026-03-14.md:" in week
    assert "\n### auth [project]\n" in week
    assert "\n#### auth [project]\n" in rig.body(MONTH)


def test_c8_headings_in_code_stay_as_they_are(rig: TreeRig) -> None:
    rig.log("2026-03-15", "## build\n```sh\n# not a heading\n```\n")
    rig.cycle()
    assert "\n# not a heading\n" in rig.body(WEEK)
    assert "\n### build\n" in rig.body(WEEK)


def test_c9_the_words_status_fixed_in_a_body_fix_nothing(rig: TreeRig) -> None:
    """H1: other tools search the whole file, and freeze a week on its second day."""
    rig.log(
        "2026-03-16", entry("quoting", "the node says `status: fixed`", "---", "status: fixed", "needs-summarization")
    )
    rig.at("2026-03-16").cycle()
    for day in range(17, 22):
        rig.at(f"2026-03-{day}").log(f"2026-03-{day}", entry(f"day {day} thing", f"happened on {day}"))
        rig.cycle()
    assert rig.status("memory/weekly/2026-W12.md") == "tentative"
    assert all(f"happened on {day}" in rig.body("memory/weekly/2026-W12.md") for day in range(17, 22))
    assert "needs-summarization" in rig.body(MONTH)


def test_c11_an_empty_log_makes_no_node_and_a_short_one_is_kept_marked_sparse(rig: TreeRig) -> None:
    rig.log("2026-03-13", "\n\n")
    rig.log("2026-03-14", "---\ntitle: nothing below\n---\n\n")
    rig.log("2026-03-15", "- ok")
    rig.cycle()
    assert not rig.has("memory/daily/2026-03-13.md")
    assert not rig.has("memory/daily/2026-03-14.md")
    assert rig.body(DAY).endswith("- ok\n")
    assert rig.values(DAY)["sparse"] == "true"
    assert rig.cycle() is None


def test_c11_a_log_of_nothing_but_code_is_not_summarised_to_nothing(rig: TreeRig) -> None:
    rig.log("2026-03-15", "```\n" + "x = 1\n" * 400 + "```\n")
    rig.cycle()
    assert "nothing but 402 × code line" in rig.body(DAY)


def test_c12_transitions_come_without_new_data(rig: TreeRig) -> None:
    rig.log("2026-03-15", LOG)
    rig.cycle()
    plan = rig.at("2026-05-01").plan()
    assert {node["action"] for node in plan.facts["nodes"] if node["level"] == "daily"} == {"finalise"}
    rig.apply(plan)
    assert [rig.status(path) for path in (DAY, WEEK, MONTH)] == ["fixed"] * 3


def test_c19_a_source_that_cannot_be_read_leaves_its_parents_tentative(rig: TreeRig) -> None:
    rig.log("2026-03-14", LOG)
    rig.write("memory/2026-03-15.md", b"\xff\xfe broken \x00")
    rig.at("2026-05-01")
    plan = rig.plan()
    assert any("cannot be read: memory/2026-03-15.md" in warning for warning in plan.warnings)
    rig.apply(plan)
    assert rig.status("memory/daily/2026-03-14.md") == "fixed"
    assert rig.status(WEEK) == "tentative"
    assert rig.values(WEEK)["missing-sources"] == ["memory/2026-03-15.md"]
    assert rig.cycle() is None
    rig.write("memory/2026-03-15.md", LOG)
    rig.cycle()
    assert [rig.status(path) for path in (DAY, WEEK, MONTH)] == ["fixed"] * 3
    assert "missing-sources" not in rig.values(WEEK)


def test_c21_further_logs_of_a_day_are_leaves_of_it(rig: TreeRig) -> None:
    rig.log("2026-02-16", entry("standup", "all fine"))
    rig.log("2026-02-16", entry("fix the parser [project]", "it keeps the mark now"), "-1430-fix-parser")
    rig.at("2026-02-16").cycle()
    day = "memory/daily/2026-02-16.md"
    assert rig.values(day)["source-files"] == ["memory/2026-02-16.md", "memory/2026-02-16-1430-fix-parser.md"]
    assert "it keeps the mark now" in rig.body(day)


def test_c21_days_that_do_not_exist_are_quarantined_with_the_reason(rig: TreeRig) -> None:
    rig.log("2026-02-30", LOG)
    rig.log("2026-03-15", LOG)
    rig.write("memory/weekly/2026-W54.md", "x\n")
    found = rig.plan().facts["quarantined"]
    assert {item["path"]: item["reason"] for item in found} == {
        "memory/2026-02-30.md": "the date 2026-02-30 does not exist",
        "memory/weekly/2026-W54.md": "there is no 2026-W54",
    }


def test_c22_a_node_that_another_tool_left_unsummarised_is_work_and_no_error(rig: TreeRig) -> None:
    rig.log("2026-03-14", LOG)
    rig.write("memory/daily/2026-03-14.md", "---\ntype: daily\nstatus: needs-summarization\nlines: 262\n---\n")
    node = rig.node("memory/daily/2026-03-14.md")
    assert (node.status, node.freshness) == (NodeStatus.NEEDS_SUMMARIZATION, Freshness.STALE)
    plan = rig.plan()
    change = changes(plan)["memory/daily/2026-03-14.md"]
    assert change.risk_tier is RiskTier.C
    assert "another tool left it to be summarised" in change.reason
    rig.apply(plan)
    assert rig.status("memory/daily/2026-03-14.md") == "fixed"


def test_a_node_that_another_program_edited_needs_the_word_and_keeps_its_parents_out_of_it(rig: TreeRig) -> None:
    """H2: a tentative node that an agent summarised is not overwritten behind his back."""
    rig.log("2026-03-15", LOG)
    rig.cycle()
    edited = rig.text(DAY) + "- a better line by the agent\n"
    rig.write(DAY, edited)
    rig.cycle()
    assert rig.text(DAY) == edited
    rig.log("2026-03-15", entry("more", "new data"))
    plan = rig.plan()
    change = changes(plan)[DAY]
    assert change.risk_tier is RiskTier.C
    assert "another program wrote this node" in " ".join(change.warnings)
    assert all(change.n not in other.requires for other in plan.changes)


def test_a_foreign_node_is_read_and_kept(rig: TreeRig) -> None:
    head = "---\ntype: daily\nstatus: fixed\nperiod: 2026-03-10\ntopics: [auth [project], tz [user]]\n---\n"
    text = head + "## Key Decisions\n- chose Postgres\n"
    rig.log("2026-03-10", LOG)
    rig.write("memory/daily/2026-03-10.md", text)
    rig.log("2026-03-15", LOG)
    rig.cycle()
    assert rig.text("memory/daily/2026-03-10.md") == text
    assert "chose Postgres" in rig.body(WEEK) + rig.body("memory/weekly/2026-W11.md")
    assert "tz [user]" in str(rig.values(MONTH)["topics"])


def test_what_is_fixed_in_the_records_stays_fixed_whatever_the_file_says(rig: TreeRig) -> None:
    rig.log("2026-03-15", LOG)
    rig.at("2026-03-16").cycle()
    damaged = rig.text(DAY).replace("status: fixed", "status: tentative").replace("OAuth", "nothing")
    rig.write(DAY, damaged)
    node = rig.node(DAY)
    assert (node.status, node.freshness) == (NodeStatus.FIXED, Freshness.DAMAGED)
    outcome = rig.outcome()
    assert outcome.plan is None, "damage does not spread into the parents"
    assert any("changed by another program" in line for line in outcome.facts["left_alone"])
    assert rig.text(DAY) == damaged
    rig.cycle(reopen=[DAY])
    assert "OAuth" in rig.text(DAY)
    assert rig.node(DAY).freshness is Freshness.FRESH


def test_an_undo_brings_back_what_the_records_knew(rig: TreeRig) -> None:
    rig.log("2026-03-15", LOG)
    rig.cycle()
    before = rig.files()
    rig.at("2026-03-16").cycle()
    rig.undo()
    assert rig.files() == before
    assert rig.node(DAY).ours
    assert rig.node(DAY).status is NodeStatus.TENTATIVE
    rig.cycle()
    assert rig.status(DAY) == "fixed"


def test_records_survive_the_loss_of_their_shortcut(rig: TreeRig) -> None:
    rig.log("2026-03-15", LOG)
    rig.at("2026-03-16").cycle()
    known = rig.records()
    with Table(StateDatabase(rig.state.path), StateTable.OPERATION_FOLDS).change() as rows:
        assert rows.names() == ("tree",)
        rows.put("tree", b"{broken")
    assert rig.records() == known
    assert known.is_fixed(DAY)


def test_raw_logs_never_change_and_no_node_is_ever_removed(rig: TreeRig) -> None:
    rig.log("2026-03-15", LOG)
    rig.cycle()
    raw = rig.text("memory/2026-03-15.md")
    (rig.folder / "memory/2026-03-15.md").unlink()
    for _ in range(2):
        rig.at(rig.today + timedelta(days=40)).cycle()
    assert rig.has(DAY)
    assert rig.status(DAY) == "fixed"
    rig.write("memory/2026-03-15.md", raw)
    assert rig.cycle() is None


def test_empty_days_and_a_long_absence(rig: TreeRig) -> None:
    rig.log("2026-01-05", LOG)
    rig.at("2026-01-05").cycle()
    rig.log("2026-01-09", entry("while away", "written by the agent alone"))
    rig.at("2026-06-01").cycle()
    assert rig.status("memory/daily/2026-01-09.md") == "fixed"
    assert rig.status("memory/monthly/2026-01.md") == "fixed"
    assert not rig.has("memory/daily/2026-01-06.md")


def test_a_session_past_midnight_stays_with_the_day_it_began_on(rig: TreeRig) -> None:
    """H3: what is appended after the day was fixed is not lost."""
    rig.log("2026-03-15", LOG)
    rig.at("2026-03-16").cycle()
    rig.log("2026-03-15", entry("half past midnight [feedback]", "rule: keep the lights on"))
    rig.cycle()
    assert "keep the lights on" in rig.body(DAY)
    assert "keep the lights on" in rig.body(WEEK)


def test_the_zone_says_what_day_it_is(rig: TreeRig) -> None:
    seoul = TreeRig(rig.folder, rig.home, zone="Asia/Seoul").at("2026-03-16")
    seoul.log("2026-03-16", LOG)
    seoul.cycle()
    assert seoul.status("memory/daily/2026-03-16.md") == "tentative"
    assert seoul.now().date() == date(2026, 3, 16)


def test_a_log_of_tomorrow_is_tentative(rig: TreeRig) -> None:
    rig.log("2026-03-16", LOG)
    rig.cycle()
    assert rig.status("memory/daily/2026-03-16.md") == "tentative"


def test_secrets_reach_no_node(rig: TreeRig) -> None:
    key = "AKIA" + "Z7QX4M2LKJ5TWN3P"
    rig.log("2026-03-15", entry("keys [user]", f"the key is {key}"))
    rig.log("2026-03-14", long_log("keys [feedback]", 220) + f"- aws_access_key_id = {key}\n")
    plan = rig.plan(drain=True)
    assert any("secret" in warning for change in plan.changes for warning in change.warnings)
    rig.apply(plan)
    written = [path for path, data in rig.files().items() if key.encode() in data]
    assert written == ["memory/2026-03-14.md", "memory/2026-03-15.md"]


def test_a_plan_is_the_same_for_the_same_workspace(rig: TreeRig) -> None:
    rig.log("2026-03-15", LOG + long_log("bench", 300))
    assert rig.plan().digest == rig.plan().digest


@pytest.mark.parametrize(
    ("text", "path"),
    [("2026-03-15", DAY), ("2026-W11", WEEK), ("2026-03", MONTH), ("root", ROOT_PATH), (DAY, DAY)],
)
def test_nodes_are_named_by_path_or_period(text: str, path: str) -> None:
    assert path_of(text) == path


@pytest.mark.parametrize(
    "text", ["2026-02-30", "2026-W54", "memory/2026-03-15.md", "../x", "memory/daily/2026-02-30.md"]
)
def test_what_is_no_node_is_wrong_usage(text: str) -> None:
    with pytest.raises(UsageError):
        path_of(text)
