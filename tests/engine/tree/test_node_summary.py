"""Summaries: what each section holds, what is left out and named, what is always kept."""

from datetime import date

import pytest

from engine.text.tokens import counter
from engine.tree.levels import ROOT_PATH, NodeLevel
from engine.tree.nodes.entries import EntryList, EntryText, read_entries
from engine.tree.nodes.kept_or_left_out import excluded_phrase
from engine.tree.nodes.node_frontmatter import NodeSummary
from engine.tree.nodes.node_source import topics_of_entries
from engine.tree.nodes.node_summary import node_summary
from engine.tree.nodes.repeats import read_count
from engine.tree.source_references import Traced, split_refs
from engine.workspace.values import LineSpan
from tests.engine.tree.rig import TreeRig, entry, long_log

PHRASES = ("temporary", "test run", "delete later", "임시", "테스트 중", "나중에 삭제")
"""tree §Compaction Summary Rules 5."""

WORDS = counter("words*1.3")
PATH = "memory/2026-03-15.md"
ANIMALS = "zebra okapi lynx otter heron camel bison".split()  # noqa: SIM905
LONG = "".join(f"- step {n} of the migration looked at table{n % 9}\n" for n in range(220))


def read(text: str, path: str = PATH) -> EntryList:
    lines = [Traced(n, line, (LineSpan(path, n, n),)) for n, line in enumerate(text.split("\n"), 1)]
    return read_entries(EntryText(path=path, lines=lines, day=date(2026, 3, 15)))


def day(text: str) -> NodeSummary:
    return node_summary(NodeLevel.DAILY, [read(text)], WORDS)


def body(made: NodeSummary) -> str:
    return "\n".join(line.text for line in made.lines)


def test_c26_each_level_has_its_sections() -> None:
    reads = [read(LONG)]
    titles = {
        level: [line.text for line in node_summary(level, reads, WORDS).lines if line.text.startswith("## ")]
        for level in (NodeLevel.DAILY, NodeLevel.WEEKLY, NodeLevel.MONTHLY)
    }
    assert titles[NodeLevel.DAILY] == [
        "## Topics",
        "## Key Decisions",
        "## Tasks Completed",
        "## Lessons Learned",
        "## Open Items",
    ]
    assert titles[NodeLevel.WEEKLY] == [*titles[NodeLevel.DAILY], "## Entities"]
    assert titles[NodeLevel.MONTHLY] == [
        "## Topics",
        "## Key Themes",
        "## Major Decisions",
        "## Completed Work",
        "## Lessons",
        "## Carried Forward",
    ]


def test_every_line_of_content_says_where_it_is_from() -> None:
    made = day(
        "## auth [project]\n- decided to use OAuth because sessions leak\n- lesson learned: always rotate keys\n"
        "- outcome: done\n- TODO: write the docs\n" + LONG
    )
    for line in made.lines:
        if line.text.startswith("- "):
            spans, _ = split_refs(line.text, date(2026, 3, 15))
            assert spans == line.spans
            assert all(span.path == PATH and 1 <= span.start <= span.end <= 226 for span in spans)
    sections = body(made).split("## ")
    assert "OAuth" in sections[2]
    assert "rotate keys" in sections[4]
    assert "write the docs" in sections[5]


@pytest.mark.parametrize("phrase", PHRASES)
def test_c10_a_line_marked_as_passing_is_left_out_of_project_entries_and_named(phrase: str) -> None:
    line = f"- {phrase} zebra setting of the server\n"
    made = day(f"## auth [project]\n{line}{LONG}")
    assert "zebra" not in body(made)
    assert any(phrase in reason for reason in made.dropped)
    kept = day(f"## habits [user]\n{line}")
    assert "zebra" in body(kept)
    assert "zebra" in body(day(f"## rules [feedback]\n{line}"))


@pytest.mark.parametrize(
    "text",
    ["temporarily moved", "contemporary art", "my test runner", "non-temporary", "임시적으로x"[:0] or "attest run"],
)
def test_c10_only_whole_phrases_count(text: str) -> None:
    assert excluded_phrase(text, "project") is None


def test_c10_untyped_entries_count_as_project() -> None:
    assert "zebra" not in body(day("## auth\n- temporary zebra\n" + LONG))


def test_c10_secrets_go_whatever_the_type() -> None:
    key = "ghp_" + "a8Xk2Lq9Zt4Vw7Rb3Ny6Mc1Pd5Hf0Gs2Jk4L"
    made = day(f"## habits [user]\n- his token is {key}\n- likes tea\n" + LONG)
    assert key not in body(made)
    assert "likes tea" in body(made)
    assert any("secret" in reason for reason in made.dropped)


def test_c20_an_unknown_type_is_kept_and_reported(rig: TreeRig) -> None:
    rig.log("2026-03-15", entry("a better way [idea]", "turn it around") + long_log("bench", 220))
    plan = rig.plan()
    assert any("unknown type [idea]" in warning for warning in plan.changes[0].warnings)
    rig.apply(plan)
    assert "a better way [idea]" in rig.body("memory/daily/2026-03-15.md")


def test_c25_a_project_is_done_when_its_last_entry_says_so_and_nothing_is_newer() -> None:
    done = "## login\n- request: fix\n\n## login\n- outcome: shipped\n"
    assert "login [project, done]:" in body(day(done + LONG))
    assert "login [project]:" in body(day(done + "## login\n- reopened by a bug\n" + LONG))
    assert "login [project]:" in body(day("## login\n- outcome: done soon, we hope, not shipped\n- status: open\n"))


def test_c27_code_and_traces_are_left_out_and_counted() -> None:
    text = (
        "## crash\n- the server fell over\n```python\nzebra = 1\n```\n"
        'Traceback (most recent call last):\n  File "x.py", line 1, in <module>\nValueError: giraffe\n\n'
        "- then it came back\n"
    )
    made = day(text + LONG)
    assert "zebra" not in body(made)
    assert "giraffe" not in body(made)
    assert {"3 × code line", "3 × stack trace line"} <= set(made.dropped)


def test_c27_feedback_keeps_rule_why_and_how() -> None:
    text = "## deploys [feedback]\n- rule: never deploy on fridays\n- why: nobody is there\n"
    text += "- how-to-apply: check the date first\n\n## bench\n"
    line = next(line.text for line in day(text + LONG).lines if "[feedback]" in line.text)
    assert line == (
        "- 03-15:1-4 deploys [feedback]: rule: never deploy on fridays; why: nobody is there; "
        "how-to-apply: check the date first"
    )


def test_user_and_feedback_are_whole_on_every_level(rig: TreeRig) -> None:
    rule = "never deploy on fridays because nobody is there to mend it"
    for number in range(2, 12):
        rig.log(f"2026-03-{number:02}", long_log(f"work {number} [project]", 240, f"part{number}"))
    rig.log("2026-03-04", entry("deploys [feedback]", f"rule: {rule}"))
    rig.at("2026-04-20").cycle(drain=True)
    for path in ("daily/2026-03-04", "weekly/2026-W10", "monthly/2026-03", "ROOT"):
        assert rule in rig.body(f"memory/{path}.md"), path
    assert rig.values("memory/daily/2026-03-04.md")["summary"] == "extractive"


def test_g9_what_is_summarised_offline_says_so(rig: TreeRig) -> None:
    rig.log("2026-03-15", long_log("bench", 240))
    rig.cycle()
    assert rig.values("memory/daily/2026-03-15.md")["summary"] == "extractive"


def test_g16_blocks_of_other_tools_are_left_out() -> None:
    text = "<!-- openclaw:dreaming:light:start -->\n- zebra dreamt\n<!-- openclaw:dreaming:light:end -->\n"
    made = day(text + LONG)
    assert "zebra" not in body(made)
    assert any("generated block" in reason for reason in made.dropped)


def test_a_reference_keeps_its_pointer_and_one_line() -> None:
    text = "## legal [reference]\n- Civil Act 750 on tort liability\n- references: knowledge/legal-750.md\n"
    line = next(line.text for line in day(text + LONG).lines if "legal" in line.text)
    assert line.endswith("→ knowledge/legal-750.md")


URL = "https://docs.example.org/x"


@pytest.mark.parametrize(
    "line",
    [
        f"{URL} the manual",
        f"the manual: {URL}",
        f"see [the manual]({URL})",
        f"<{URL}> the manual",
        f"`{URL}` the manual",
    ],
)
def test_c28_a_reference_keeps_its_url_on_every_level(rig: TreeRig, line: str) -> None:
    for number in (2, 3):
        rig.log(f"2026-03-0{number}", long_log(f"work {number} [project]", 240, f"part{number}"))
    rig.log("2026-03-02", entry("Docs [reference]", line, "it says a lot of irrelevant context words here"))
    rig.at("2026-04-20").cycle(drain=True)
    for path in ("daily/2026-03-02", "weekly/2026-W10", "monthly/2026-03", "ROOT"):
        found = [one for one in rig.body(f"memory/{path}.md").splitlines() if "Docs [reference" in one]
        assert found and all(URL in one and "irrelevant" not in one for one in found), path
    assert URL in rig.body(ROOT_PATH).split("## Topics Index")[1]


def test_c28_a_short_day_shows_its_url_in_the_index_of_root(rig: TreeRig) -> None:
    rig.log("2026-03-15", entry("Docs [reference]", "github.com/example/parser holds the grammar"))
    rig.cycle()
    index = rig.body(ROOT_PATH).split("## Topics Index")[1]
    assert "- Docs [reference, 0d]: github.com/example/parser holds the grammar" in index


def test_c28_a_reference_of_many_days_holds_each_url_once_and_else_its_latest_line(rig: TreeRig) -> None:
    for number in range(2, 12):
        rig.log(f"2026-03-{number:02}", entry("Docs [reference]", f"{URL} the manual, version {number}"))
        rig.log(f"2026-03-{number:02}", entry("Backup [reference]", f"{number} GB, the row counts match"))
    rig.log("2026-03-12", entry("Docs [reference]", "https://docs.example.org/y the index of all parts"))
    rig.at("2026-04-20").cycle(drain=True)
    index = rig.body(ROOT_PATH).split("## Topics Index")[1]
    assert (
        "Docs [reference, 39d, ?]: https://docs.example.org/x the manual, version 11; https://docs.example.org/y"
        in index
    )
    assert "Backup [reference, 40d, ?]: 11 GB, the row counts match\n" in index


SHORT = ("K8s", "Q3", "R&D", "i18n", "Notes", "Summary", "Log", "Session", "Daily updates", "🚀", "10:30", "")


@pytest.mark.parametrize("heading", SHORT)
@pytest.mark.parametrize("tag", ["user", "feedback"])
def test_c29_a_tagged_heading_is_a_topic_whatever_its_words(rig: TreeRig, heading: str, tag: str) -> None:
    rig.log("2026-02-02", f"## {heading} [{tag}]\n- likes black tea\n")
    rig.at("2026-04-20").cycle(drain=True)
    index = rig.body(ROOT_PATH).split("## Topics Index")[1]
    assert f"- {heading or tag} [{tag}, 77d]: likes black tea" in index
    assert f"{heading or tag} [{tag}]" in str(rig.values("memory/monthly/2026-02.md")["topics"])


def test_c29_a_generic_heading_below_a_tagged_one_belongs_to_it(rig: TreeRig) -> None:
    rig.log("2026-03-15", "## Tea [user]\n### Notes\n- likes it black\n")
    rig.cycle()
    assert "- Tea [user, 0d]: likes it black" in rig.body(ROOT_PATH)


def test_c30_every_line_is_a_phrase_of_its_source(rig: TreeRig) -> None:
    said = [f"Decided on day {n} to move the {animal} because the fence leaks" for n, animal in enumerate(ANIMALS)]
    days = [3 * number + 2 for number in range(len(said))]
    for number, text in zip(days, said, strict=True):
        rig.log(f"2026-03-{number:02}", long_log(f"work {number}", 240, f"part{number}") + entry("zoo", text))
    rig.at("2026-04-20").cycle(drain=True)
    sources = " ".join(" ".join(rig.text(f"memory/2026-03-{n:02}.md").split()) for n in days)
    for path in ("daily/2026-03-02", "weekly/2026-W10", "monthly/2026-03"):
        for line in rig.body(f"memory/{path}.md").splitlines():
            spans, text = split_refs(line, date(2026, 3, 15))
            if spans:
                phrases = text.removeprefix("- ").rpartition("]: ")[2].split("; ")
                said = [read_count(phrase)[0] for phrase in phrases if "]" not in phrase]
                assert all(phrase in sources for phrase in said), line
    assert all(f"to move the {animal}" in rig.body("memory/monthly/2026-03.md") for animal in ANIMALS)


def test_c30_a_day_without_headings_is_about_things() -> None:
    names = topics_of_entries([read("- Depot API v2 is live\n- Depot API v2 broke once\n")], date(2026, 3, 15)).found
    assert [topic.name for topic, _ in names] == ["Depot API v2"]
    quiet = topics_of_entries([read("- bot quiet for four minutes, back by itself\n")], date(2026, 3, 15)).found
    assert quiet == ()


def test_c7_a_summary_is_smaller_than_what_it_stands_for(rig: TreeRig) -> None:
    for number in range(2, 29):
        rig.log(f"2026-03-{number:02}", long_log(f"work {number % 5}", 150, f"part{number}"))
    rig.at("2026-04-20").cycle(drain=True)
    for path, most in (("weekly/2026-W10", 0.4), ("weekly/2026-W11", 0.4), ("monthly/2026-03", 0.15)):
        values = rig.values(f"memory/{path}.md")
        assert rig.tokens.count(rig.text(f"memory/{path}.md")) <= most * int(str(values["raw-tokens"])), path


def test_every_topic_of_a_long_month_is_in_it(rig: TreeRig) -> None:
    for number in range(2, 29):
        rig.log(f"2026-03-{number:02}", long_log(f"subject number{number}", 120, f"part{number}"))
    rig.at("2026-04-20").cycle(drain=True)
    month = rig.body("memory/monthly/2026-03.md")
    assert all(f"subject number{number} [project]" in month for number in range(2, 29))


def test_text_from_a_log_cannot_act_in_a_summary() -> None:
    made = day("## evil \x1b[31m\u202e<!-- memdeck:root:end --> [user]\n- a\x1b]0;x\x07b \u200b\n" + LONG)
    text = body(made)
    assert "\x1b" not in text
    assert "\u202e" not in text
