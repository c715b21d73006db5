"""ROOT and its mirror: sections, ages, the order of shrinking, pointers, and every byte outside our section."""

import re
from datetime import date, timedelta

import pytest

from engine.plans.plan import RiskTier
from engine.tree.levels import ROOT_PATH
from engine.tree.root.page import INDEX_SHARE
from engine.tree.root.sources import read_tasks
from engine.tree.root.topic_ages import index_pointers, pointer_problem
from engine.tree.survey.node_topics import merged_topics
from engine.tree.topic_headings import TreeTopic
from tests.engine.tree.rig import TreeRig, changes, entry

SECTIONS = ["## Active Context (recent ~7 days)", "## Recent Patterns", "## Historical Summary", "## Topics Index"]


def index_line(rig: TreeRig, topic: str) -> str:
    lines = rig.body(ROOT_PATH).split("## Topics Index")[1].splitlines()
    return next(line for line in lines if line.startswith(f"- {topic} ["))


ANIMALS = "zebra okapi lynx otter heron camel bison gecko panda koala moose llama".split()  # noqa: SIM905
VERBS = "chased bought painted followed greeted fed watched carried".split()  # noqa: SIM905


def test_root_has_the_four_sections_in_order(rig: TreeRig) -> None:
    rig.log("2026-03-15", entry("auth [project]", "decided to use OAuth because sessions leak"))
    rig.cycle()
    assert [line for line in rig.body(ROOT_PATH).splitlines() if line.startswith("## ")] == SECTIONS
    assert rig.values(ROOT_PATH)["type"] == "root"
    assert rig.values(ROOT_PATH)["last-updated"] == "2026-03-15"


def test_c17_root_is_extractive_offline(rig: TreeRig) -> None:
    rig.log("2026-03-15", entry("auth", "x is fixed"))
    plan = rig.plan()
    assert plan.model is not None
    assert plan.model.name == "extractive"
    rig.apply(plan)
    assert rig.values(ROOT_PATH)["summary"] == "extractive"


def test_h7_the_date_of_root_moves_only_with_its_content(rig: TreeRig) -> None:
    rig.log("2026-03-01", "x is fixed")
    rig.at("2026-03-15").cycle(drain=True)
    before = rig.text(ROOT_PATH)
    assert rig.at("2026-03-17").cycle() is None
    assert rig.text(ROOT_PATH) == before


def test_root_is_made_anew_when_only_time_passes(rig: TreeRig) -> None:
    rig.log("2026-01-01", entry("auth [project]", "x is fixed"))
    rig.at("2026-03-03").cycle(drain=True)
    assert "auth [project, 61d]" in index_line(rig, "auth")
    plan = rig.at("2026-05-02").plan()
    assert [change.path for change in plan.changes] == [ROOT_PATH]
    assert changes(plan)[ROOT_PATH].reason == "ROOT: the ages of its topics moved on"
    rig.apply(plan)
    assert "auth [project, 121d]" in index_line(rig, "auth")
    assert rig.cycle() is None


def test_root_is_made_anew_when_working_md_changes(rig: TreeRig) -> None:
    rig.log("2026-03-15", entry("login flow [project]", "the form is redrawn"))
    rig.write("WORKING.md", "# Working\n\n## [login flow]\n- status: in-progress\n- goal: ship it\n")
    rig.cycle()
    assert "login flow: ship it (in progress)" in rig.body(ROOT_PATH)
    assert rig.cycle() is None
    rig.write("WORKING.md", "# Working\n\n## [login flow]\n- status: done, and more\n- goal: ship it\n")
    rig.cycle()
    assert "in progress" not in rig.body(ROOT_PATH)
    assert rig.cycle() is None


def test_g8_a_log_of_the_future_is_age_0_and_warned_of(rig: TreeRig) -> None:
    rig.log("2027-02-01", entry("auth [project]", "x is fixed"))
    plan = rig.plan(drain=True)
    assert any("memory/2027-02-01.md: its date lies in the future" in one for one in changes(plan)[ROOT_PATH].warnings)
    rig.apply(plan)
    assert "auth [project, 0d]" in index_line(rig, "auth")


def test_near_equal_rules_are_one_line_with_their_days(rig: TreeRig) -> None:
    for number in range(13):
        day = date(2026, 1, 5) + timedelta(days=7 * number)
        rig.log(day, entry("deploys [feedback]", f"rule: no deploys after Thursday noon, see OPS-{410 + number}"))
    rig.log("2026-03-30", entry("deploys [feedback]", "rule: deploys after Thursday noon need two reviews"))
    rig.at("2026-04-20").cycle(drain=True)
    line = index_line(rig, "deploys")
    assert line.count("no deploys after Thursday noon") == 1
    assert "OPS-422 (13 times, 2026-01-05 to 2026-03-30)" in line
    assert "need two reviews" in line
    assert rig.tokens.count(line) < 60


def test_rules_that_differ_in_more_than_a_ticket_stay_apart(rig: TreeRig) -> None:
    rules = ("never deploy on a Friday", "always deploy on a Friday", "keep 14 backups of it", "keep 30 backups of it")
    for number, rule in enumerate(rules):
        rig.log(date(2026, 3, 2) + timedelta(days=number), entry("rules [feedback]", rule))
    rig.at("2026-04-20").cycle(drain=True)
    assert all(rule in index_line(rig, "rules") for rule in rules)


def test_decisions_stand_above_requests_in_active_context(rig: TreeRig) -> None:
    for number in range(25):
        text = f"request: look at part{number} of the parser", f"decision: part{number} gets a cache of its own"
        rig.log("2026-03-15", entry(f"part{number} [project]", *text))
    rig.cycle()
    active = rig.body(ROOT_PATH).split("## Recent Patterns")[0].splitlines()[1:]
    decisions = [line for line in active if "gets cache of its own" in line]
    assert len(decisions) > len(active) / 2


def test_a_topic_that_ended_today_stands_in_active_context_with_its_end(rig: TreeRig) -> None:
    rig.log("2026-03-15", entry("login flow [project]", "outcome: shipped with the new form"))
    rig.cycle()
    assert "shipped with new form" in rig.body(ROOT_PATH).split("## Recent Patterns")[0]


def test_each_fact_stands_in_one_section_and_a_routine_once(rig: TreeRig) -> None:
    """What Active Context tells leaves its room in the summary and the index to other facts."""
    rig.log("2026-02-01", entry("mill [project]", "decisions: the mill gets a new miller called Ilse"))
    rig.log("2026-02-02", entry("backup [project]", "the backup took 31 minutes and held 40 GB"))
    rig.log(
        "2026-03-12",
        entry("mill [project]", "decisions: Ilse closes the mill on Sundays", "the old stone went to the museum")
        + entry("backup [project]", "the backup took 29 minutes and held 44 GB"),
    )
    rig.at("2026-03-15").cycle(drain=True)
    root = rig.body(ROOT_PATH)
    assert root.count("closes mill on Sundays") == root.count("new miller called Ilse") == 1
    assert root.count("backup took") == 1 and "29 minutes" in root
    assert "closes mill" in root.split("## Recent Patterns")[0]


def test_a_reference_names_its_file_once(rig: TreeRig) -> None:
    rig.write("knowledge/procedures/month-end.md", "# Month end\n")
    rig.log("2026-03-12", entry("travel [reference]", "receipts by the fifth", "see knowledge/procedures/month-end.md"))
    rig.at("2026-03-15").cycle(drain=True)
    (line,) = [line for line in rig.body(ROOT_PATH).splitlines() if line.startswith("- travel [reference")]
    assert line.endswith(" → knowledge/procedures/month-end.md") and line.count("month-end.md") == 1


def test_c30_a_chinese_root_holds_whole_phrases(rig: TreeRig) -> None:
    said = "我决定每周三晚上去河边长跑，因为膝盖已经好了"
    for number in range(30):
        day = date(2026, 2, 1) + timedelta(days=number)
        rig.log(
            day,
            f"## 09:00\n- 用户: 今天天气不错，我们聊聊第{number}本书吧\n- 用户: {said if number == 9 else '好的'}\n",
        )
    rig.at("2026-04-20").cycle(drain=True)
    history = rig.body(ROOT_PATH).split("## Historical Summary")[1].split("## Topics")[0]
    assert "我决定每周三晚上去河边长跑" in history


def test_c14_ages_are_strict_and_marked(rig: TreeRig) -> None:
    today = date(2026, 6, 1)
    for name, age in (("legal", 30), ("tax", 31), ("login", 90), ("garden", 91)):
        kind = "reference" if name in ("legal", "tax") else "project"
        rig.log(today - timedelta(days=age), entry(f"{name} [{kind}]", f"something about {name}"))
    rig.at(today).cycle(drain=True)
    assert "[reference, 30d]" in index_line(rig, "legal")
    assert "[reference, 31d, ?]" in index_line(rig, "tax")
    assert "[project, 90d]" in index_line(rig, "login")
    assert "[project, 91d]" in index_line(rig, "garden")


def test_c14_the_last_mention_counts_and_a_mark_of_doubt_is_read_too(rig: TreeRig) -> None:
    rig.log("2026-01-10", entry("legal [reference]", "Civil Act 750"))
    rig.log("2026-03-14", entry("Legal [reference]", "Civil Act 751"))
    rig.at("2026-03-15").cycle(drain=True)
    assert "[reference, 1d]" in index_line(rig, "Legal")
    lines = [
        "- a [reference, 45d, ?]: x → spec/a.md",
        "- b [reference, 45d] [?]: y → spec/b.md",
        "- c [project, 2d]: z",
    ]
    assert dict(index_pointers(lines)) == {"a": "spec/a.md", "b": "spec/b.md"}


def many(rig: TreeRig) -> None:
    """More topics of every type than a small ROOT can hold."""
    today = date(2026, 6, 1)
    # Counts as raw log and says nothing: a ROOT of few logs is short whatever its cap.
    rig.log(today - timedelta(days=300), "```\n" + "code word\n" * 9000 + "```\n")
    for number in range(30):
        rig.log(today - timedelta(days=100 + number), entry(f"oldproject{number:02} [project]", "was looked at once"))
        rig.log(today - timedelta(days=40 + number), entry(f"paper{number:02} [reference]", "stands on the shelf"))
        rig.log(today - timedelta(days=5 + number), entry(f"newproject{number:02} [project]", "is going on well"))
    for number in range(6):
        rig.log(today - timedelta(days=200), entry(f"habit{number:02} [user]", "likes it in the morning"))
        rig.log(today - timedelta(days=200), entry(f"rule{number:02} [feedback]", "rule: always ask before"))
    rig.at(today).cycle(drain=True)


@pytest.mark.parametrize(
    ("cap", "gone", "there"),
    [(2600, ("oldproject",), ("paper", "newproject")), (1300, ("oldproject", "paper"), ("newproject",))],
)
def test_c13_shrinks_old_projects_then_references_then_the_oldest_projects(
    rig: TreeRig, cap: int, gone: tuple[str, ...], there: tuple[str, ...]
) -> None:
    small = TreeRig(rig.folder, rig.home, root_tokens=cap)
    many(small)
    index = small.body(ROOT_PATH).split("## Topics Index")[1]
    left = {kind: index.count(f"- {kind}") for kind in ("oldproject", "paper", "newproject", "habit", "rule")}
    assert left["habit"] == left["rule"] == 6
    assert all(left[kind] < 30 for kind in gone)
    assert all(left[kind] > 0 for kind in there)
    if left["paper"] < 30:
        assert left["oldproject"] == 0
    if left["newproject"] < 30:
        assert left["paper"] == 0
    assert small.snapshot().files[ROOT_PATH].tokens <= cap
    assert small.tokens.count(index) <= cap * INDEX_SHARE + 1, "a quarter of ROOT (decision C31)"


def test_c13_over_the_cap_is_a_warning_and_never_a_cut(rig: TreeRig) -> None:
    small = TreeRig(rig.folder, rig.home, root_tokens=150)
    for number in range(20):
        small.log("2026-03-15", entry(f"rule{number:02} [feedback]", "rule: always ask before you touch the garden"))
    plan = small.plan()
    assert any("over its cap; nothing was cut off" in warning for warning in changes(plan)[ROOT_PATH].warnings)
    small.apply(plan)
    index = small.body(ROOT_PATH).split("## Topics Index")[1]
    assert index.count("always ask before you touch the garden") == 20


def test_c13_user_and_feedback_never_shrink_however_much_of_the_cap_they_take(rig: TreeRig) -> None:
    """Every statement of every day, oldest first, in ROOT, in the month and in the week; only others make room."""
    small = TreeRig(rig.folder, rig.home, root_tokens=600)
    today = date(2026, 3, 15)
    said = [f"rule number{n:02} says to ask before touching bed {n:02} of the garden" for n in range(60)]
    for number, text in enumerate(said):
        day = today - timedelta(days=59 - number)
        small.log(day, entry("garden rules [feedback]", text) + entry("mornings [user]", f"likes tea{number:02} best"))
        small.log(day, entry(f"project{number:02} [project]", "is going on"))
    plan = small.at(today).plan(drain=True)
    small.apply(plan)
    assert any("over its cap; nothing was cut off" in warning for warning in changes(plan)[ROOT_PATH].warnings)
    assert not any("statements" in line for line in changes(plan)[ROOT_PATH].dropped)
    rules, mornings = index_line(small, "garden rules"), index_line(small, "mornings")
    assert [text for text in said if text not in rules] == []
    assert rules.index(said[0]) < rules.index(said[-1])
    assert [n for n in range(60) if f"likes tea{n:02} best" not in mornings] == []
    index = small.body(ROOT_PATH).split("## Topics Index")[1]
    assert "[project, " not in index


def test_c13_user_and_feedback_keep_their_place_in_a_full_frontmatter() -> None:
    day = date(2026, 3, 15)
    many = [(TreeTopic(f"a project with a long name, number {n:05}"[:80]), day) for n in range(2000)]
    kept = [(TreeTopic(f"habit {n}", "user"), date(2020, 1, 1)) for n in range(50)]
    found = merged_topics([*many, *kept])
    assert {topic for topic, _ in kept} <= {topic for topic, _ in found.found}
    assert found.warnings and len(found.found) < 2050


def test_c13_historical_summary_is_the_first_to_shrink(rig: TreeRig) -> None:
    sizes = {}
    for cap in (3000, 500):
        rig_of_size = TreeRig(rig.folder.parent / f"w{cap}", rig.home, root_tokens=cap)
        for number in range(60):
            said = (f"{ANIMALS[number % 12]} {verb} {ANIMALS[number // 5]} of the zoo" for verb in VERBS)
            rig_of_size.log(date(2026, 1, 1) + timedelta(days=number), entry(f"topic{number % 12} [project]", *said))
        rig_of_size.at("2026-03-15").cycle(drain=True)
        body = rig_of_size.body(ROOT_PATH)
        sizes[cap] = (len(body.split("## Historical Summary")[1].split("## Topics")[0]), body.count("[project, "))
    assert sizes[500][0] < sizes[3000][0]
    assert sizes[500][1] == sizes[3000][1] == 12


def test_a_young_root_tells_its_days_apart_and_an_older_one_puts_several_on_a_line(rig: TreeRig) -> None:
    """A line for each day while all of it fits; then for the days of a full line (tree §Step 5: compress first)."""
    labels = {}
    for days, cap in ((5, 3000), (40, 700), (40, 270)):
        small = TreeRig(rig.folder.parent / f"w{days}-{cap}", rig.home, root_tokens=cap)
        for number in range(days):
            day = date(2026, 3, 6) - timedelta(days=number)
            said = f"{ANIMALS[number % 12]} moved to {ANIMALS[-1 - number // 4]}"
            small.log(day, entry("login [project]", said, *("see the list of yesterday" for _ in range(8))))
        small.at("2026-03-15").cycle(drain=True)
        history = small.body(ROOT_PATH).split("## Historical Summary")[1].split("## Topics")[0]
        labels[days, cap] = [line.split(": ")[0] for line in history.splitlines() if line.startswith("- ")]
    assert labels[5, 3000] == [f"- 2026-03-{day:02}" for day in range(2, 7)]
    for cap, fewest in ((700, 5), (270, 1)):
        assert len(labels[40, cap]) >= fewest and any("~" in label for label in labels[40, cap])
        assert all(re.fullmatch(r"- 2026-\d\d-\d\d(?:~\d\d)?", label) for label in labels[40, cap])
    assert len(labels[40, 270]) < len(labels[40, 700])


def test_root_at_many_years_merges_periods(rig: TreeRig) -> None:
    for month in range(96):
        rig.log(
            date(2018 + month // 12, month % 12 + 1, 10), entry("login [project]", f"did thing{month} with part{month}")
        )
    small = TreeRig(rig.folder, rig.home, root_tokens=700)
    small.at("2026-03-15").cycle(drain=True)
    history = small.body(ROOT_PATH).split("## Historical Summary")[1].split("## Topics")[0]
    assert "- 2018-01~" in history
    assert "- 2025-12" in history


def test_c25_working_md_wins_over_the_logs(rig: TreeRig) -> None:
    rig.log("2026-03-15", entry("login flow [project]", "still broken") + entry("garden [project]", "outcome: done"))
    rig.write(
        "WORKING.md",
        "# Working\n\n## [login flow]\n- status: done\n\n## [new engine]\n- status: in-progress\n- goal: build it\n",
    )
    rig.cycle()
    active, history = rig.body(ROOT_PATH).split("## Recent Patterns")[0], rig.body(ROOT_PATH).split("## Historical")[1]
    assert "still broken" not in active
    assert "- new engine: build it (in progress)" in active
    assert "over: " in history
    assert "login flow" in history.split("## Topics")[0]


def test_tasks_without_a_status_are_no_tasks() -> None:
    tasks = read_tasks(
        "## [one]\n- status: done\n\n## [two]\n- goal: x\n\n## three\n- status: abandoned, too slow\n- goal: y\n"
    )
    assert [(task.name, task.over) for task in tasks] == [("one", True), ("three", True)]


def test_c24_pointers_are_kept_and_checked(rig: TreeRig) -> None:
    rig.write("knowledge/legal.md", "# Legal\n")
    rig.log("2026-03-14", entry("legal [reference]", "Civil Act 750", "references: knowledge/legal.md"))
    rig.log("2026-03-15", entry("tax [reference]", "the form", "references: knowledge/gone.md"))
    plan = rig.plan()
    assert any("topic tax points to knowledge/gone.md: no such file" in w for w in changes(plan)[ROOT_PATH].warnings)
    assert not any("legal" in w for w in changes(plan)[ROOT_PATH].warnings)
    rig.apply(plan)
    assert "→ knowledge/legal.md" in index_line(rig, "legal")


def test_c24_a_pointer_someone_wrote_into_the_index_stays(rig: TreeRig) -> None:
    rig.log("2026-03-15", entry("auth [project]", "x is fixed"))
    rig.cycle()
    root = rig.text(ROOT_PATH)
    rig.write(
        ROOT_PATH,
        root.replace("- auth [project, 0d]", "- auth [project, 0d]: oauth → plans/auth.md", 1).replace(
            "plans/auth.md:", "plans/auth.md", 1
        ),
    )
    rig.at("2026-03-16").log("2026-03-16", entry("auth [project]", "y is fixed"))
    plan = rig.plan()
    assert changes(plan)[ROOT_PATH].risk_tier is RiskTier.C
    rig.apply(plan)
    assert "→ plans/auth.md" in index_line(rig, "auth")


@pytest.mark.parametrize("pointer", ["../outside.md", "/etc/passwd", "a/../../b.md"])
def test_g15_a_pointer_that_leaves_the_workspace_is_reported(pointer: str) -> None:
    assert pointer_problem(pointer, frozenset(), frozenset())


def test_pointers_that_cannot_be_told_are_fine() -> None:
    assert pointer_problem("https://example.org/x", frozenset(), frozenset()) is None
    assert pointer_problem("spec/", frozenset(), frozenset({"spec"})) is None
    assert pointer_problem("spec/", frozenset(), frozenset()) == "no such folder"
    assert pointer_problem("knowledge/a.md#part", frozenset({"knowledge/a.md"}), frozenset()) is None


# ── MEMORY.md ──────────────────────────────────────────────────────────────────────────────────────────────────────

MEMORY = b"\xef\xbb\xbf# Memory\r\n\r\n## Core identity\r\n- costs $& per call \\1\r\n\r\n## Notes\r\n- ours\r\n"


def start(rig: TreeRig) -> None:
    rig.log("2026-03-15", entry("auth [project]", "costs $& per call, \\g<0> and \\1"))


def test_c18_the_section_is_put_at_the_end_once_with_the_word(rig: TreeRig) -> None:
    rig.write("MEMORY.md", MEMORY)
    start(rig)
    plan = rig.plan()
    assert changes(plan)["MEMORY.md"].risk_tier is RiskTier.C
    rig.apply(plan)
    assert (rig.folder / "MEMORY.md").read_bytes().startswith(MEMORY)
    assert rig.text("MEMORY.md").count("memdeck:root:start") == 1
    assert "### Topics Index" in rig.text("MEMORY.md")
    assert rig.cycle() is None


def test_c18_afterwards_only_our_section_changes_at_tier_b(rig: TreeRig) -> None:
    """H8: content is never a pattern."""
    rig.write("MEMORY.md", MEMORY)
    start(rig)
    rig.cycle()
    after = b"\r\n## Added by the agent\r\n- below our section\r\n"
    rig.write("MEMORY.md", (rig.folder / "MEMORY.md").read_bytes() + after)
    rig.log("2026-03-15", entry("billing [project]", "costs $& again"))
    plan = rig.plan()
    assert changes(plan)["MEMORY.md"].risk_tier is RiskTier.B
    rig.apply(plan)
    data = (rig.folder / "MEMORY.md").read_bytes()
    assert data.startswith(MEMORY)
    assert data.endswith(after)
    assert b"billing" in data
    assert rig.cycle() is None


def test_c18_the_one_in_knowledge_comes_first_and_none_is_made(rig: TreeRig) -> None:
    start(rig)
    assert "MEMORY.md" not in changes(rig.plan())
    rig.write("MEMORY.md", "# at the root\n")
    rig.write("knowledge/memory/MEMORY.md", "# in knowledge\n")
    plan = rig.plan()
    assert "knowledge/memory/MEMORY.md" in changes(plan)
    assert "MEMORY.md" not in changes(plan)


def test_c18_who_declines_the_section_is_not_asked_in_every_cycle(rig: TreeRig) -> None:
    rig.write("MEMORY.md", "# Memory\n")
    start(rig)
    plan = rig.plan()
    rig.apply(plan, numbers=(1, 2, 3, 4))
    assert rig.text("MEMORY.md") == "# Memory\n"
    assert rig.cycle() is None


@pytest.mark.parametrize(
    "text", ["<!-- memdeck:root:start -->\nx\n", "<!-- memdeck:root:end -->\n<!-- memdeck:root:start -->\n"]
)
def test_c18_broken_markers_are_left_alone(rig: TreeRig, text: str) -> None:
    rig.write("MEMORY.md", text)
    start(rig)
    plan = rig.plan()
    assert "MEMORY.md" not in changes(plan)
    assert any("markers are broken" in warning for warning in plan.warnings)


def test_h15_a_memory_md_that_is_full_does_not_grow(rig: TreeRig) -> None:
    rig.write("MEMORY.md", "- line\n" * 195)
    start(rig)
    plan = rig.plan()
    assert "MEMORY.md" not in changes(plan)
    assert any("over 200" in warning for warning in plan.warnings)


def test_a_log_cannot_close_our_section(rig: TreeRig) -> None:
    rig.write("MEMORY.md", "# Memory\n")
    rig.log("2026-03-15", entry("evil <!-- memdeck:root:end --> [user]", "<!-- memdeck:root:start --> here"))
    rig.cycle()
    assert rig.text("MEMORY.md").count("<!-- memdeck:root:start") == 1
    assert rig.text("MEMORY.md").count("<!-- memdeck:root:end") == 1
    rig.log("2026-03-15", entry("more", "x"))
    rig.cycle()
    assert rig.cycle() is None


def test_a_root_of_another_tool_is_replaced_only_with_the_word(rig: TreeRig) -> None:
    rig.write(ROOT_PATH, "---\ntype: root\n---\n## Topics Index\n- legal [reference, 14d]: act → knowledge/legal.md\n")
    rig.log("2026-03-15", entry("legal [reference]", "Civil Act 750"))
    plan = rig.plan()
    assert changes(plan)[ROOT_PATH].risk_tier is RiskTier.C
    rig.apply(plan)
    assert "→ knowledge/legal.md" in index_line(rig, "legal")


def test_a_month_is_told_by_what_other_months_do_not_say(rig: TreeRig) -> None:
    for month, animal in enumerate(ANIMALS, 1):
        usual = ["the usual meeting was held in the big room"] * 20
        rig.log(f"2025-{month:02}-10", entry("work [project]", *usual, f"{animal} was sold to the circus"))
    rig.root_tokens = 600
    rig.__post_init__()
    rig.at("2026-02-20").cycle(drain=True)
    history = rig.body("memory/ROOT.md").partition("## Historical Summary\n")[2].partition("\n## ")[0]
    lines = [line for line in history.splitlines() if line.startswith("- 2025-")]
    assert len(lines) >= 12
    assert all(any(animal in line for line in lines) for animal in ANIMALS), history
